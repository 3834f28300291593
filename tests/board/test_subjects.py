"""Subjects across tracks: which names share an id, ids that stay, and the results of each."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from boards import text_of
from puzzles import PUZZLES, TRACK, body, header, record

from benchsite.addresses import is_slug, subject_path
from benchsite.board import Boards, Declared, Past, Result, Subject, subjects
from benchsite.board.boards import track_boards
from benchsite.board.rows import Comparison
from benchsite.board.subjects import subject_ids
from benchsite.history import _TOKEN, Header, History, Step, Verdict
from benchsite.history import Subject as Subject_
from benchsite.site import pages
from benchsite.site.pages.subject_text import summary
from benchsite.site.render import Renderer
from benchsite.track import Library, Metric, Track

MAZES = Track("mazes", "Mazes", "benchsite.board", metrics={"solved": Metric("Exit found", 1, " of 50", 50)})


def site(*headers: Header, **declared: dict[str, str]) -> tuple[tuple[Subject, ...], Past]:
    """The subjects of puzzles and mazes, and their past; of `declared` the title is the id in capitals."""
    kept = record()
    history = History(_TOKEN, headers, kept.log)
    values = {one.receipt_id: one.summary.headline.value or 0.0 for one in headers if one.summary}
    library = Library(kept.methodologies, lambda _id, _sha256: None, kept.log.methodologies)
    both = Boards(
        {
            track.name: track_boards(
                replace(PUZZLES, track=track), history, lambda name: body(values[name]), library
            )
            for track in (TRACK, MAZES)
        }
    )
    known = {key: Declared(key.upper(), names) for key, names in declared.items()}
    return subjects(both, history, known), Past(both, history)


def made(*headers: Header, **declared: dict[str, str]) -> tuple[Subject, ...]:
    return site(*headers, **declared)[0]


def html_pages(*headers: Header, **declared: dict[str, str]) -> dict[str, str]:
    """Every page by its path, as HTML."""
    renderer = Renderer({"puzzles": TRACK, "mazes": MAZES})
    return {
        page.path: renderer.body(page)
        for page in pages.subjects(*site(*headers, **declared))
        if not page.data
    }


def maze(name: str, value: float, half: float | None = 5, **changes: Any) -> Header:
    one = header(name, value, half)
    return replace(one, receipt_id=f"maze-{one.receipt_id}", track="mazes", **changes)


def ids(*headers: Header, **declared: dict[str, str]) -> dict[tuple[str, str], str]:
    history = History(_TOKEN, headers, None)
    told = {key: Declared(key, names) for key, names in declared.items()}
    return dict(subject_ids(history, told))


def test_one_name_on_two_tracks_is_two_subjects_until_the_maintainer_joins_them():
    one, other = header("crane", 40, 5), maze("crane", 30)
    apart = made(one, other)
    assert [(found.id, found.names) for found in apart] == [
        ("crane", (("puzzles", "crane"),)),
        ("crane-mazes", (("mazes", "crane"),)),
    ]
    (joined,) = made(one, other, crane={"puzzles": "crane", "mazes": "crane"})
    assert (joined.id, joined.title) == ("crane", "CRANE")
    assert [(found.board.path, found.row.rank) for found in joined.results] == [
        ("mazes/easy/", "1"),
        ("puzzles/easy/", "1"),
    ]


def test_two_names_are_one_subject_if_declared():
    (joined,) = made(
        header("crane", 40, 5), maze("Crane 2 Pro", 30), crane={"mazes": "Crane 2 Pro", "puzzles": "crane"}
    )
    assert len(joined.headers) == 2
    assert joined.names == (("puzzles", "crane"), ("mazes", "Crane 2 Pro"))


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("bm25", "bm25"),
        ("Größe & Höhe 2.0", "groe-hohe-2-0"),
        ("GPT-4 (all tools)", "gpt-4-all-tools"),
        ("--x--", "x"),
        ("a" * 200, "a" * 80),
    ],
)
def test_the_default_id_is_the_slug_of_the_name(name: str, key: str):
    assert ids(header(name, 1, None))[("puzzles", name)] == key


@pytest.mark.parametrize("name", ["模型", "!!!", "٣", "²", " ", "ﬁ\u202e"])
def test_every_name_has_an_id_that_may_be_part_of_a_path(name: str):
    (key,) = ids(header(name, 1, None)).values()
    assert is_slug(key)
    assert subject_path(key) == f"systems/{key}/"


def test_names_with_one_slug_are_told_apart_and_the_first_in_the_log_keeps_it():
    first = ids(
        header("GPT 4", 1, None), header("gpt-4", 1, None), maze("gpt_4", 1), header("gpt.4", 1, None)
    )
    keys = list(first.values())
    assert keys[:3] == ["gpt-4", "gpt-4-puzzles", "gpt-4-mazes"]
    assert keys[3].startswith("gpt-4-")
    assert len(set(keys)) == 4
    # A later receipt changes no earlier id.
    assert ids(header("GPT 4", 1, None))[("puzzles", "GPT 4")] == "gpt-4"


def test_a_declared_id_is_never_given_to_another_name():
    found = ids(header("crane", 40, 5), maze("heron", 30), crane={"mazes": "heron"})
    assert found == {("puzzles", "crane"): "crane-puzzles", ("mazes", "heron"): "crane"}


def test_a_subject_shows_each_version_and_sender_and_what_is_not_ranked():
    sent = replace(header("crane", 20, 5), receipt_id="sent", ran_by="submitted a stranger")
    rows = [
        header("crane", 40, 5),
        sent,
        header("heron", 38, 5),
        replace(header("crane", 30, 5), receipt_id="dirty", unranked=("dirty tree",)),
    ]
    crane, heron = made(*rows)
    assert [(one.row.rank, one.row.value, one.row.sent) for one in crane.results] == [
        ("1–2", 40, ""),
        ("3", 20, "submitted by a stranger"),
    ]
    assert [one.receipt_id for one in crane.headers] == ["crane-1", "sent", "dirty"]
    assert len(heron.headers) == 1


def test_the_page_has_rank_value_interval_and_links():
    found = html_pages(
        header("crane", 40, 5),
        header("heron", 38, 5),
        maze("crane", 30, None),
        crane={"puzzles": "crane", "mazes": "crane"},
    )
    assert sorted(found) == ["systems/", "systems/crane/", "systems/heron/"]
    html, text = found["systems/crane/"], text_of(found["systems/crane/"])
    assert "CRANE First or tied for first on 2 of 2 leaderboards. Versions measured 1" in text
    assert "easy Puzzles · Solved, methodology 1.0.0 1 1–2 1st to 2nd of 2 40.0 [35.0, 45.0]" in text
    assert "easy Mazes · Exit found, methodology 1.0.0 1 1 1st of 1 30.0" in text
    assert "Tied with, on easy heron ." in text
    assert 'href="../../puzzles/easy/"' in html
    assert 'href="../../receipts/cr/crane-1/"' in html
    assert 'href="../systems/crane/">CRANE</a>' in found["systems/"]
    assert "CRANE Puzzles, Mazes 2 2 heron Puzzles 1 1" in text_of(found["systems/"])


def test_the_first_sentence_says_where_a_system_leads():
    found = made(
        header("crane", 40, 1), header("heron", 10, 1), maze("crane", 30), crane={"puzzles": "crane"}
    )
    said = {one.title: summary(one) for one in found}
    assert said == {
        "CRANE": "First on 1 of 1 leaderboard.",
        "crane": "First on 1 of 1 leaderboard.",
        "heron": "Not first on its leaderboard.",
    }


def test_a_system_that_is_only_a_baseline_or_never_ranked_says_so():
    crane = next(iter(made(header("crane", 40, 1))))
    (result,) = crane.results
    baseline = replace(crane, results=(result._replace(row=replace(result.row, baseline=True)),))
    assert summary(baseline) == "A baseline on 1 leaderboard, never ranked; 1 receipt."
    (only,) = made(replace(header("crane", 30, 5), unranked=("dirty tree.", "limited run")))
    assert summary(only) == "No current result; 1 receipt."


def test_the_first_sentence_names_the_leaderboards_where_it_does_not_beat_the_baseline():
    (crane,) = made(header("crane", 40, 1))
    (result,) = crane.results

    def against(target: str, delta: float, *, tied: bool) -> Result:
        row = replace(result.row, to_baseline=Comparison(delta, 0.5, 0.5, tied))
        return Result(replace(result.board, target=target), row)

    told = replace(
        crane,
        results=(against("a", 0.1, tied=True), against("b", -0.2, tied=False), against("c", 0.3, tied=False)),
    )
    assert summary(told) == (
        "First on 3 of 3 leaderboards; not significantly better than the baseline on a; "
        "significantly worse than the baseline on b."
    )


def test_of_several_configurations_the_first_sentence_says_that_it_is_of_the_best():
    (crane,) = made(header("crane", 40, 1))
    (result,) = crane.results
    worse = result._replace(row=replace(result.row, first=2, last=2))
    assert (
        summary(replace(crane, results=(result, worse)))
        == "By its best configuration: first on 1 of 1 leaderboard."
    )


def test_retracted_and_superseded_receipts_stay_with_what_became_of_them():
    gone = Step("events", "fail", "retracted: built with the evaluation queries")
    text = text_of(
        html_pages(
            replace(header("crane", 40, 5), index=1),
            replace(
                header("crane", 45, 5), receipt_id="gone", index=2, verdict=Verdict.RETRACTED, steps=(gone,),
                unranked=("Retracted by the publisher; kept for the record.",),
            ),
            replace(
                header("crane", 30, 5), receipt_id="old", index=3, verdict=Verdict.SUPERSEDED, superseded_by="crane-1",
                unranked=("Superseded by a newer receipt; kept for the record.",),
            ),
            replace(header("crane", 20, 5), receipt_id="dirty", index=4, unranked=("dirty tree.", "limited run")),
        )["systems/crane/"]
    )  # fmt: skip
    assert "Receipts 4 1 current, 1 retracted, 1 superseded, 1 not ranked" in text
    rows = text[text.index("All receipts") :]
    assert re.findall(r"(\d) 1 easy ([\d.]+) \[[\d., ]+\] (.*?) ?[✓✗↷]", rows) == [
        ("4", "20.0", "dirty tree; limited run"),
        ("3", "30.0", "superseded by entry 1"),
        ("2", "45.0", "retracted: built with the evaluation queries"),
        ("1", "40.0", ""),
    ]


def test_only_retracted_receipts_make_a_page_without_a_result_and_a_badge_without_a_score():
    gone = replace(
        header("crane", 40, 5), verdict=Verdict.RETRACTED,
        unranked=("Retracted by the publisher; kept for the record.",),
    )  # fmt: skip
    found, past = site(gone)
    listed, page, badge = pages.subjects(found, past)
    assert badge.path == "systems/crane/badges/puzzles/easy.json"
    assert json.loads(badge.data or b"")["message"] == "retracted"
    text = text_of(Renderer({"puzzles": TRACK, "mazes": MAZES}).body(page))
    assert "No current result; 1 receipt." in text
    assert "Current results" not in text
    assert "All receipts" in text
    assert listed.path == "systems/"


def test_a_badge_says_what_the_number_is_worth_unless_the_site_has_a_notice():
    found, past = site(header("crane", 40, 5), header("heron", 38, 5))
    badges = [json.loads(page.data) for page in pages.subjects(found, past) if page.data]
    assert badges[0]["message"] == "40.0 of 50 [35.0, 45.0], rank 1–2 of 2, logged"
    hidden = [json.loads(page.data) for page in pages.subjects(found, past, notice=True) if page.data]
    assert {one["message"] for one in hidden} == {"see the notice on the site"}


def test_equal_names_of_different_versions_are_one_system_with_a_row_each():
    two = header("crane", 30, 5)
    assert two.summary is not None
    newer = replace(
        two,
        receipt_id="two",
        index=2,
        summary=replace(two.summary, row="2", subject=Subject_("crane", "2", "")),
    )
    (found,), past = site(header("crane", 40, 5), newer)
    assert [one.row.subject.version for one in found.results] == ["1", "2"]
    (timeline,) = past.timelines(found.headers)
    assert [
        (point.state, point.header.summary.subject.version)
        for point in timeline.points
        if point.header.summary
    ] == [
        ("current", "1"),
        ("current", "2"),
    ]


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "\u202emoc", "a" * 10_000, "{{ 7 * 7 }}"])
def test_a_hostile_name_stays_text_and_its_page_stays_small(name: str):
    named = replace(header(name, 40, 5), receipt_id="crane-1")
    found, past = site(named, header("heron", 38, 5))
    for page in pages.subjects(found, past):
        html = (
            Renderer({"puzzles": TRACK, "mazes": MAZES}).body(page) if not page.data else page.data.decode()
        )
        assert "<script" not in html
        assert "\u202e" not in html
        assert ">49<" not in html
        assert len(html) < 120_000


def test_very_many_rows_are_cut_and_counted():
    found, past = site(
        *(replace(header("crane", 30, 5), receipt_id=f"r{i}", index=i, unranked=("no",)) for i in range(405))
    )
    _, page, _ = pages.subjects(found, past)
    html = Renderer({"puzzles": TRACK}).body(page)
    assert len(re.findall(r"<[a-z]", html)) < 2_000
    assert "newest 50 of 405" in text_of(html)
    many = [replace(found[0], id=f"s{i}") for i in range(402)]
    listed = Renderer({"puzzles": TRACK}).body(next(iter(pages.subjects(many, past))))
    assert "2 more: search finds them." in text_of(listed)


def test_a_site_without_receipts_has_an_empty_list():
    (listed,) = pages.subjects(*site())
    assert "No receipts yet." in text_of(Renderer({}).body(listed))
