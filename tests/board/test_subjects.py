"""Subjects across tracks: which names share an id, ids that stay, and the results of each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from boards import text_of
from puzzles import PUZZLES, TRACK, body, header, record

from benchsite.addresses import is_slug, subject_path
from benchsite.board import Boards, Declared, Subject, subjects
from benchsite.board.boards import track_boards
from benchsite.board.subjects import subject_ids
from benchsite.history import _TOKEN, Header, History
from benchsite.site import pages
from benchsite.site.pages.subjects import summary
from benchsite.site.render import Renderer
from benchsite.track import Library, Metric, Track

MAZES = Track("mazes", "Mazes", "benchsite.board", metrics={"solved": Metric("Exit found", 1, " of 50", 50)})


def made(*headers: Header, **declared: dict[str, str]) -> tuple[Subject, ...]:
    """The subjects of puzzles and mazes; of `declared` the title is the id in capitals."""
    kept = record()
    history = History(_TOKEN, headers, kept.log)
    values = {one.receipt_id: one.summary.headline.value or 0.0 for one in headers if one.summary}
    library = Library(kept.methodologies, lambda _id, _sha256: None, kept.log.methodologies)
    both = {
        track.name: track_boards(
            replace(PUZZLES, track=track), history, lambda name: body(values[name]), library
        )
        for track in (TRACK, MAZES)
    }
    return subjects(
        Boards(both), history, {key: Declared(key.upper(), names) for key, names in declared.items()}
    )


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
    assert joined.receipts == 2
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
    assert [one.receipt_id for one in crane.unranked] == ["dirty"]
    assert (crane.receipts, heron.receipts) == (3, 1)


def test_the_page_has_rank_value_interval_and_links():
    found = made(
        header("crane", 40, 5),
        header("heron", 38, 5),
        maze("crane", 30, None),
        crane={"puzzles": "crane", "mazes": "crane"},
    )
    listed, page, _ = pages.subjects(found)
    renderer = Renderer({"puzzles": TRACK, "mazes": MAZES})
    html = renderer.body(page)
    text = text_of(html)
    assert (page.path, page.title, page.many) == ("systems/crane/", "CRANE", True)
    assert "CRANE First or tied for first on 2 of 2 leaderboards; 2 current results from 2 receipts." in text
    assert "easy Puzzles · Solved, methodology 1.0.0 1–2 1st to 2nd of 2 40.0 [35.0, 45.0] 1 ✓ logged" in text
    assert "easy Mazes · Exit found, methodology 1.0.0 1 1st of 1 30.0 1 ✓ logged" in text
    assert 'href="../../puzzles/easy/"' in html
    assert 'href="../../receipts/cr/crane-1/"' in html
    index = renderer.body(listed)
    assert 'href="../systems/crane/">CRANE</a>' in index
    assert "CRANE puzzles, mazes 2 2 heron puzzles 1 1" in text_of(index)


def test_a_subject_that_leads_nowhere_is_only_counted():
    found = made(header("crane", 40, 1), header("heron", 10, 1))
    assert [summary(one) for one in found] == [
        "First or tied for first on 1 of 1 leaderboard; 1 current result from 1 receipt.",
        "On 1 leaderboard; 1 current result from 1 receipt.",
    ]


def test_a_subject_without_a_current_result_keeps_its_page():
    (only,) = made(replace(header("crane", 30, 5), unranked=("dirty tree.", "limited run")))
    _, page = pages.subjects([only])
    text = text_of(Renderer({"puzzles": TRACK}).body(page))
    assert "No current result; 1 receipt." in text
    assert "easy 1 dirty tree; limited run ✓ logged" in text


def test_very_many_rows_are_cut_and_counted():
    (only,) = made(
        *(replace(header("crane", 30, 5), receipt_id=f"r{i}", unranked=("no",)) for i in range(405))
    )
    _, page = pages.subjects([only])
    html = Renderer({"puzzles": TRACK}).body(page)
    assert html.count("<tr>") == 401
    assert "5 more are on the leaderboards" in text_of(html)
    many = [replace(only, id=f"s{i}") for i in range(402)]
    listed = Renderer({"puzzles": TRACK}).body(next(iter(pages.subjects(many))))
    assert "2 more: search finds them." in text_of(listed)


def test_a_site_without_receipts_has_an_empty_list():
    (listed,) = pages.subjects(())
    assert "No receipts yet." in text_of(Renderer({}).body(listed))
