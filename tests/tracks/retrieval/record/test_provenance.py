from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from harbour import DOCUMENT, measured
from sample_record import make_methodology

from benchsite.errors import IntegrityError
from benchsite.track import Resolved
from benchsite.tracks.retrieval.record.provenance import hold_against

pytestmark = pytest.mark.usefixtures("hostile")

RESOLVED = Resolved(make_methodology("1.0.0", "text"), target=json.dumps(DOCUMENT).encode())


@pytest.fixture
def draft(context: Any) -> dict[str, Any]:
    measurement = measured(context, "honest:Honest")
    document = {**measurement.payload, "config": measurement.config, "receiptId": "x"}
    found: dict[str, Any] = json.loads(json.dumps(document))
    return found


def test_an_honest_draft_agrees_with_its_fixture(draft: dict[str, Any]) -> None:
    hold_against(draft, RESOLVED)


def test_a_limited_draft_answers_the_first_questions(draft: dict[str, Any]) -> None:
    draft["config"]["limit"] = 3
    with pytest.raises(IntegrityError, match="7 queries .*, 3 "):
        hold_against(draft, RESOLVED)
    draft["perQuery"] = draft["perQuery"][:3]
    hold_against(draft, RESOLVED)


EDITS: list[tuple[str, Callable[[dict[str, Any]], Any], str]] = [
    (
        "an expected answer",
        lambda d: d["perQuery"][0].update(expected=[{"id": "a/3", "grade": 1}]),
        "q1: expected",
    ),
    ("a grade", lambda d: d["perQuery"][0]["expected"][0].update(grade=2), "q1: expected"),
    ("no expected answer", lambda d: d["perQuery"][4].update(expected=[]), "q5: expected"),
    ("a question dropped", lambda d: d["perQuery"].pop(), "6 queries in perQuery"),
    (
        "a question twice",
        lambda d: d["perQuery"].append(copy.deepcopy(d["perQuery"][0])),
        "8 queries in perQuery",
    ),
    ("two questions swapped", lambda d: d["perQuery"].reverse(), "q1: queryId"),
    ("another scope", lambda d: d["perQuery"][0].update(scope="b"), "q1: scope"),
    ("another category", lambda d: d["perQuery"][0].update(category="colour"), "q1: category"),
    ("a split", lambda d: d["perQuery"][1].update(split="seen"), "q2: split"),
    ("answerable", lambda d: d["perQuery"][5].update(answerable=True), "q6: answerable"),
    ("an invented result", lambda d: d["perQuery"][0].update(retrieved=["nowhere"]), "q1: result 'nowhere'"),
    ("a foreign result hidden", lambda d: d["perQuery"][0].update(retrieved=["b/1"]), "q1: foreign"),
    ("the number of items", lambda d: d["fixture"].update(n=6), "fixture.n is 6"),
    ("the smallest scope", lambda d: d["fixture"].update(smallestScope=5), "fixture.smallestScope is 5"),
    ("the granularity", lambda d: d["fixture"].update(granularity="session"), "fixture.granularity"),
]


@pytest.mark.parametrize(("edit", "says"), [case[1:] for case in EDITS], ids=[case[0] for case in EDITS])
def test_what_is_not_the_fixtures_is_named(
    draft: dict[str, Any], edit: Callable[..., Any], says: str
) -> None:
    edit(draft)
    with pytest.raises(IntegrityError) as caught:
        hold_against(draft, RESOLVED)
    assert says in caught.value.message
