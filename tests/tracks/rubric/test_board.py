"""Who stands where on a board: ranges of ranks from intervals, ties without them, what stands apart."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rubric_receipts import PASSES, SIX, Said, uniform
from rubric_record import CLEAN, RubricRecord, renders

from benchsite.history import Header, Headline, Rescore, Subject, Summary, Verdict
from benchsite.tracks.rubric.board import Board
from benchsite.tracks.rubric.board_words import leader_words, lede, teaser
from benchsite.tracks.rubric.row import Row, ranked


def row(name: str, value: float | None, low: float | None = None, high: float | None = None) -> Row:
    headline = Headline("composite_score", value, low, high)
    summary = Summary(Subject(name, "1", "v"), "research", "", name, name, headline)
    header = Header(name, "rubric", "", "", "", 0, 1, Verdict.LOGGED, Rescore.MATCHES, (), summary)
    return Row(header, 1, value, low, high, value, value, 3, 6, 2, None, "")


def ranks(*rows: Row) -> list[tuple[str, str, str]]:
    return [(made.name, made.rank, made.tied) for made in ranked(rows)]


def test_a_rank_is_what_the_intervals_leave_open():
    # a overlaps b, b overlaps c, a lies wholly above c; d lies below all
    found = ranks(row("d", 30, 25, 35), row("a", 80, 75, 85), row("c", 68, 63, 73), row("b", 74, 70, 78))
    assert found == [("a", "1–2", ""), ("b", "1–3", ""), ("c", "2–3", ""), ("d", "4", "")]


def test_neighbours_of_the_same_range_are_bracketed():
    assert ranks(row("a", 80, 75, 85), row("b", 79, 74, 84), row("c", 78, 73, 83), row("d", 20, 20, 20)) == [
        ("a", "1–3", "first"),
        ("b", "1–3", "inner"),
        ("c", "1–3", "last"),
        ("d", "4", ""),
    ]


def test_intervals_that_touch_overlap():
    assert [rank for _, rank, _ in ranks(row("a", 80, 75, 85), row("b", 70, 65, 75))] == ["1–2", "1–2"]


def test_without_intervals_equal_composites_tie_and_the_next_one_waits():
    found = ranks(row("c", 50), row("a", 70), row("b", 70), row("d", 40))
    assert found == [("a", "1–2", "first"), ("b", "1–2", "last"), ("c", "3", ""), ("d", "4", "")]


def test_a_blank_composite_stands_last_without_rank():
    assert ranks(row("blank", None), row("a", 50)) == [("a", "1", ""), ("blank", "", "")]
    assert ranked([row("blank", None)])[0].rank_words == "not ranked"


def test_ranks_are_said_in_words():
    made = ranked([row("a", 80, 75, 85), row("b", 70, 65, 76), row("c", 30, 25, 35)])
    assert [one.rank_words for one in made] == ["1st to 2nd", "1st to 2nd", "3rd"]


@given(st.lists(st.tuples(st.integers(20, 100), st.integers(0, 40)), min_size=1, max_size=8))
def test_every_range_holds_at_least_one_rank_and_names_who_may_be_first(found: list[tuple[int, int]]):
    rows = ranked([row(str(i), value, value - wide, value + wide) for i, (value, wide) in enumerate(found)])
    for one in rows:
        assert one.first is not None
        assert one.last is not None
        assert 1 <= one.first <= one.last <= len(rows)
    assert rows[0].first == 1
    assert max(one.last or 0 for one in rows) == len(rows)


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
    assert [(one.sessions, one.sheets, one.evaluators, one.kind) for one in made.ranked] == [
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
    assert [(one.name, other.version, other.value) for one, other in newest.elsewhere] == [
        ("Helper", "1.3.0", 66.8)
    ]
    assert [(one.name, other.version) for one, other in old.elsewhere] == [("Helper", "2.0.0")]
    assert len(old.ranked) == 1


def test_what_somebody_sent_has_a_row_of_its_own_and_says_so():
    record = RubricRecord()
    record.score("1.3.0")
    record.score("1.3.0", ranBy={"kind": "submitted", "name": "a vendor"})
    ours, theirs = boards(record)["rubric/customer-service/"].ranked
    assert ours.title == "Helper"
    assert theirs.title == "Helper (sent by a vendor, not scored by us)"
    assert (ours.rank, theirs.rank) == ("1–2", "1–2")


def test_a_receipt_that_breaks_its_rules_is_not_ranked():
    record = RubricRecord()
    record.score("2.0.0", (Said(),))
    made = boards(record)["rubric/customer-service/"]
    assert made.ranked == ()
    assert lede(made) == "No receipt here can be ranked; those that exist are listed below with the reasons."
    assert teaser(made).leader == "no agent ranked yet"


def test_the_lede_says_who_leads_and_how_sure(record: RubricRecord):
    made = boards(record)
    assert lede(made["rubric/customer-service/"]) == (
        "Three agents scored under rubric 2.0.0. Helper and Second share the lead: their intervals overlap, so "
        "their order could be chance."
    )
    assert lede(made["rubric/customer-service/1.3.0/"]) == (
        "One agent scored under rubric 1.3.0. Helper has 66.80 of 100. These rules give no interval, so nothing "
        "tells how sure a number is."
    )


def test_the_front_page_quotes_the_first_of_those_who_share_the_lead(record: RubricRecord):
    quoted = teaser(boards(record)["rubric/customer-service/"])
    assert (quoted.leader, quoted.value, quoted.metric) == (
        "Helper and Second share the lead",
        76.13,
        "composite_score",
    )
    assert quoted.sentence == "Ahead of one other."


def test_the_least_is_what_the_version_can_give(record: RubricRecord):
    # 1 everywhere is 20 of 100; 1.3.0 takes off 10.
    made = boards(record)
    old, new = made["rubric/customer-service/1.3.0/"], made["rubric/customer-service/"]
    assert teaser(old).explained.endswith("field; 10 is the least that can be scored.")
    assert teaser(new).explained.endswith("field; 20 is the least that can be scored.")
    page = record.pages()["rubric/customer-service/1.3.0/"]
    html = renders().body(page)
    assert "10 the least that can be scored: 40 % Universal, 60 % Domain, less 10 where" in html
    assert "ne session cannot" not in html


def test_a_long_board_is_ranked_like_a_short_one():
    rows = [row(str(place), place % 101, place % 101 - 1, place % 101 + 1) for place in range(2000)]
    made = ranked(rows)
    # 2000 = 19 × 101 + 81, so 100, 99 and 98 stand there 19 times each; their intervals touch or overlap.
    assert (made[0].first, made[0].last) == (1, 19 * 3)


def test_many_leaders_are_counted():
    assert leader_words([row(name, 50) for name in "abc"]) == "a and two others share the lead"
    assert leader_words([row("a", 50), row("a", 50)]) == "a, two rows tie"
    assert leader_words([]) == ""


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
