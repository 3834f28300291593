"""Who stands where on a board: ranges of ranks from intervals, ties without them, what stands apart."""

from __future__ import annotations

import re
from typing import Any

import pytest
from boards import boards_of
from rubric_receipts import PASSES, SIX, Said, uniform
from rubric_record import CLEAN, RubricRecord, renders

from benchsite.board import Board
from benchsite.site.pages import home
from benchsite.tracks.rubric import TRACK


def boards(record: RubricRecord) -> dict[str, Board]:
    return {path: page.context["board"] for path, page in record.pages().items() if "board" in page.context}


@pytest.fixture(scope="module")
def record() -> RubricRecord:
    made = RubricRecord()
    made.score("1.3.0", name="Helper")
    made.score("2.0.0", SIX, name="Helper")
    made.score("2.0.0", PASSES, name="Second")
    low = tuple(
        Said((2, 2, 2, 2, 2, session % 2 + 1), ((2, 2, 2),) * 5, session=session, pass_=number)
        for session in (1, 2, 3)
        for number in (1, 2)
    )
    made.score("2.0.0", low, name="Third")
    made.score("2.0.0", SIX, name="Elsewhere", origin="import")
    return made


def test_a_board_holds_ranked_agents_and_the_rest_with_its_reason(record: RubricRecord):
    made = boards(record)["rubric/customer-service/"]
    assert [(one.name, one.rank) for one in made.ranked] == [
        ("Helper", "1–2"),
        ("Second", "1–2"),
        ("Third", "3"),
    ]
    assert [(header.summary.subject.name, header.unranked) for header in made.unranked if header.summary] == [
        ("Elsewhere", ("origin import: measured elsewhere, scored here",))
    ]
    assert [
        tuple(one.own[key] for key in ("sessions", "sheets", "evaluators", "agreement"))
        for one in made.ranked
    ] == [
        (3, 6, 2, "inter-rater"),
        (3, 6, 1, "intra-rater"),
        (3, 6, 1, "intra-rater"),
    ]


def test_a_row_is_the_latest_receipt_and_counts_the_runs():
    record = RubricRecord()
    record.score("1.3.0", (uniform(5),))
    latest = record.score("1.3.0", (uniform(2),))
    (one,) = boards(record)["rubric/customer-service/"].ranked
    assert (one.header.receipt_id, one.value, one.runs) == (latest, 30.0, 2)


def test_results_under_other_rules_stand_apart_from_the_ranking(record: RubricRecord):
    made = boards(record)
    newest, old = made["rubric/customer-service/"], made["rubric/customer-service/1.3.0/"]
    helper, *rest = (newest.detail["elsewhere"][one.header.receipt_id] for one in newest.ranked)
    assert [one[:3] for one in helper] == [("1.3.0", 66.8, "1 human")]
    assert rest == [[], []]
    (helper,) = (old.detail["elsewhere"][one.header.receipt_id] for one in old.ranked)
    assert [one[0] for one in helper] == ["2.0.0"]
    assert len(old.ranked) == 1


def test_what_somebody_sent_has_a_row_of_its_own_and_says_so():
    record = RubricRecord()
    record.score("1.3.0")
    record.score("1.3.0", ranBy={"kind": "submitted", "name": "a vendor"})
    ours, theirs = boards(record)["rubric/customer-service/"].ranked
    assert ours.title == "Helper"
    assert theirs.title == "Helper (submitted by a vendor, not rated by this site)"
    assert (ours.rank, theirs.rank) == ("1–2", "1–2")


def test_a_receipt_that_breaks_its_rules_is_not_ranked():
    record = RubricRecord()
    record.score("2.0.0", (Said(),))
    made = boards(record)["rubric/customer-service/"]
    assert made.ranked == ()
    assert made.lede == "No receipt is ranked. Reasons are listed below."
    assert (made.leading, made.sentence) == ("", "No receipt is ranked.")


def test_the_lede_says_who_leads_and_how_sure(record: RubricRecord):
    made = boards(record)
    assert made["rubric/customer-service/"].lede == (
        "Three agents scored, rubric 2.0.0. Helper and Second share the lead: their 95% CIs overlap."
    )
    old = made["rubric/customer-service/1.3.0/"].lede
    assert old.startswith("One agent scored, rubric 1.3.0. Helper scores 66.80")
    assert old.endswith("No CI: rubric 1.3.0 gives none. Rated by 1 human.")


def test_the_front_page_quotes_the_first_of_those_who_share_the_lead(record: RubricRecord):
    quoted = boards(record)["rubric/customer-service/"]
    assert (quoted.leading, quoted.leaders[0].value) == ("Helper and Second share the lead", 76.13)
    assert quoted.sentence == "Ahead of one other."
    made = boards_of(TRACK, record.history(), record.body, record.library)
    html = renders().body(home(record.history(), made, site_name="sample"))
    assert '<span class="leader">Helper and Second share the lead</span>' in html
    assert re.search(
        r"<span>76\.13</span><small>\[[0-9.]{5}, [0-9.]{5}\]</small><small>Composite, [^<]*rated[^<]*<", html
    )


def test_the_least_is_what_the_version_can_give(record: RubricRecord):
    # 1 everywhere is 20 of 100; 1.3.0 takes off 10.
    made = boards(record)
    old, new = made["rubric/customer-service/1.3.0/"], made["rubric/customer-service/"]
    assert "minimum possible score 10," in old.explained
    assert "minimum possible score 20," in new.explained
    page = record.pages()["rubric/customer-service/1.3.0/"]
    html = renders().body(page)
    assert "40% Universal and 60% Domain, − 10 penalty if" in html
    assert "one session only" not in html


def test_a_newer_board_freezes_the_older_one_and_newer_rules_supersede_it(record: RubricRecord):
    made = boards(record)
    assert made["rubric/customer-service/1.3.0/"].newer == "2.0.0"
    assert made["rubric/customer-service/"].newer == ""
    alone = RubricRecord()
    alone.score("1.3.0", environment={**_environment(alone), "git": CLEAN})
    only = boards(alone)["rubric/customer-service/"]
    assert (only.methodology, only.newer, only.current) == ("1.3.0", "", "2.0.0")


def _environment(record: RubricRecord) -> dict[str, Any]:
    return {
        **dict.fromkeys(("cpu", "cores", "loadAverage", "runner", "containerImage", "packages")),
        "python": "3.11.9",
        "platform": "linux",
    }
