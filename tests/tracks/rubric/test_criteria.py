"""The picture of criteria by agents: mean ratings by hand, what counts as met, and the words of its page."""

from __future__ import annotations

import json

import pytest
from boards import text_of
from rubric_receipts import PASSES, Said, payload, uniform
from rubric_record import RubricRecord, renders

from benchsite.board import Board
from benchsite.tracks.rubric import criteria


def test_a_value_is_the_mean_of_the_session_means() -> None:
    # Session 1 has two sheets of 2 and 4, session 2 one of 5: (3 + 5) / 2, not 11 / 3.
    said = (uniform(2, session=1), uniform(4, session=1, pass_=2), uniform(5, session=2))
    found = criteria.ratings(payload("2.0.0", said))
    assert len(found) == 6 + 5 * 3
    assert set(found.values()) == {4.0}
    assert {"U1", "U6", "D1 accuracy", "D5 usefulness"} <= found.keys()


def test_several_questions_of_a_scenario_are_numbered() -> None:
    said = Said(domain=([(1, 2, 3), (4, 5, 5)], *((3, 3, 3),) * 4))
    found = criteria.ratings(payload("2.0.0", (said,)))
    assert (found["D1.1 accuracy"], found["D1.2 accuracy"], found["D2 accuracy"]) == (1.0, 4.0, 3.0)
    named = criteria.categories(payload("2.0.0", (said,)))
    assert (named["U3"], named["D1.2 accuracy"]) == ("universal dimensions", "D1")


@pytest.mark.parametrize(
    ("value", "key"),
    [(5.0, "a"), (4.5, "b"), (4.0, "b"), (3.99, "c"), (3.0, "c"), (2.0, "d"), (1.99, "e"), (1.0, "e")],
)
def test_the_cell_of_a_mean_rating(value: float, key: str) -> None:
    made = RubricRecord()
    made.score("2.0.0", PASSES)
    (row,) = board(made).ranked
    assert criteria.kind_of(row, "U1", value) == key


def board(record: RubricRecord) -> Board:
    found: Board = record.pages()["rubric/customer-service/"].context["board"]
    return found


def test_the_page_counts_criteria_that_agents_meet() -> None:
    made = RubricRecord()
    # U1 to U4 by both, U5 by one, U6 by none; of the 15 criteria of the scenarios none.
    low = ((3, 3, 3),) * 5
    for name, universal in (("One", (5, 4, 4, 4, 4, 3)), ("Other", (4, 4, 4, 4, 3, 3))):
        sheets = tuple(
            Said(universal, low, session=session, pass_=number) for session in (1, 2, 3) for number in (1, 2)
        )
        made.score("2.0.0", sheets, name=name)
    pages = made.pages()
    assert board(made).picture.solved == (2, 21, 16, 1, 4)
    page = text_of(renders().body(pages["rubric/customer-service/criteria/"]))
    assert "Of 21 criteria, 16 are met by none of 2 agents, 1 by exactly one and 4 by all." in page
    assert "Met: a mean rating of at least 4." in page
    assert "Criteria by number of agents that meet them" in page
    texts = json.loads(pages["rubric/customer-service/criteria.json"].data)
    assert texts["D1 accuracy"].startswith("Accuracy: ")
    assert set(board(made).picture.items) <= texts.keys()
    assert 'href="../../rubric/customer-service/criteria/"' in renders().body(
        pages["rubric/customer-service/"]
    )
    values = json.loads(pages["api/v1/rubric/customer-service/per-query.json"].data)
    at = values["items"]["id"].index("U5")
    assert [system["values"][at] for system in values["systems"]] == [4.0, 3.0]
    assert [system["cells"][at] for system in values["systems"]] == ["b", "c"]


def test_without_the_methodology_criteria_are_listed_by_id() -> None:
    made = RubricRecord()
    made.score("2.0.0", PASSES)
    made.methodologies.clear()
    page = made.pages()["rubric/customer-service/criteria/"]
    assert "Criteria are listed by id" in text_of(renders().body(page))
    assert "rubric/customer-service/criteria.json" not in made.pages()
