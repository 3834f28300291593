"""A leaderboard from a description alone: every page and data file, through the site's own templates."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from boards import text_of
from puzzles import PUZZLES, TRACK, body, header, pages, record

from benchsite.board import receipt_page
from benchsite.site.render import Renderer
from benchsite.track import Page


def shown(found: Mapping[str, Page], path: str) -> str:
    return text_of(Renderer({"puzzles": TRACK}).body(found[path]))


def test_it_ranks_by_intervals_and_shows_further_numbers_as_the_track_names_them():
    found = pages(header("first", 40, 5), header("second", 38, 5), header("third", 10, 1))
    made = found["puzzles/easy/"].context["board"]
    assert [(row.name, row.rank) for row in made.ranked] == [
        ("first", "1–2"),
        ("second", "1–2"),
        ("third", "3"),
    ]
    said = shown(found, "puzzles/easy/")
    assert "Rank Solver Solved 95% CI, 0–50 Cost Runs Receipt" in said
    assert re.search(r"first 1 40\.0 \[35\.0, 45\.0\] .*? 4\.00 1 ✓ logged verify", said)
    assert made.lede == (
        "Three solvers measured, methodology 1.0.0. first and second share the lead: their 95% CIs overlap."
    )


@pytest.mark.parametrize("decides", [None, lambda _document: True])
def test_what_is_run_for_comparison_is_shown_and_never_ranked(decides: Any):
    about = replace(PUZZLES, baselines=("guess",), accepts_baseline=decides)
    made = pages(header("first", 40, 5), header("guess", 45, 1), about=about)["puzzles/easy/"].context[
        "board"
    ]
    assert [row.name for row in made.ranked] == ["first"]
    assert [row.name for row in made.baselines] == ["guess"]
    assert made.missing_baselines == ()


def test_the_list_of_boards_names_no_leader_where_only_a_baseline_was_run():
    about = replace(PUZZLES, baselines=("guess",))
    said = shown(pages(header("guess", 45, 1), about=about), "puzzles/")
    assert re.search(r"Easy easy none – – 0\b", said)


def test_a_system_of_another_name_is_no_comparison_whatever_its_receipt_says():
    about = replace(PUZZLES, accepts_baseline=lambda _document: True)
    made = pages(header("first", 40, 5), about=about)["puzzles/easy/"].context["board"]
    assert ([row.name for row in made.ranked], made.baselines) == (["first"], ())


def test_the_front_page_and_the_list_of_boards_quote_it():
    found = pages(header("first", 40, 5), header("second", 10, 1))
    front = shown(found, "")
    assert "Puzzles · easy first Ahead of one other. 40.0 [35.0, 45.0] Solved" in front
    assert "Easy easy first 40.0" in shown(found, "puzzles/")


def test_one_number_without_an_interval_says_so():
    found = pages(header("first", 40, None))
    assert found["puzzles/easy/"].context["board"].lede == (
        "One solver measured, methodology 1.0.0. first scores 40.0 of 50. No CI: methodology 1.0.0 gives none."
    )
    assert "No CI, 0–50" in shown(found, "puzzles/easy/")


def test_every_version_keeps_its_page_and_the_newest_is_current():
    found = pages(header("first", 40, 5), header("first", 30, 5, "2.0.0"))
    assert found["puzzles/easy/"].context["board"].methodology == "2.0.0"
    assert "Archived (methodology 1.0.0)." in shown(found, "puzzles/easy/1.0.0/")
    assert "Archived" not in shown(found, "puzzles/easy/2.0.0/")
    assert "Methodology 1.0.0" in shown(found, "puzzles/easy/")
    assert {
        f"api/v1/puzzles/easy{part}.{kind}" for part in ("", "/1.0.0", "/2.0.0") for kind in ("csv", "json")
    } <= set(found)


def test_superseded_rules_are_told_before_anything_was_measured_under_the_new_ones():
    assert "Methodology 2.0.0 is current and has no results here yet" in shown(
        pages(header("first", 40, 5)), "puzzles/easy/"
    )


def test_what_is_not_ranked_repeated_or_never_reported_is_listed_with_its_reasons():
    found = pages(
        header("first", 40, 5),
        header("second", 10, 5, unranked=("limited run: only the first 5 tasks were run", "simulated")),
        header("third", 40, 5, reproduces="first-1", reproduction="identical", unranked=("reproduction",)),
        target="easy",
    )
    said = shown(found, "puzzles/easy/")
    apart = said[said.index("Not ranked") :]
    assert "second 1 limited run: only the first 5 tasks were run; simulated" in apart
    assert "third" not in apart
    assert "Reproductions" in said
    assert "Pre-registered, no result" in said
    data = json.loads(found["api/v1/puzzles/easy.json"].data or b"")
    assert [item["receiptId"] for item in data["notRanked"]] == ["second-1"]
    assert [item["outcome"] for item in data["reproductions"]] == ["identical"]
    assert [item["subjectSha256"] for item in data["unreported"]] == ["5a" * 32]


def test_a_run_announced_on_a_target_without_a_board_stands_on_the_list_of_boards():
    said = shown(pages(target="hard"), "puzzles/")
    assert "No leaderboards yet" in said
    assert "Pre-registered, no result, without a leaderboard" in said
    assert "Solver Collection Methodology" in said


def test_the_data_files_hold_every_row_in_full():
    found = pages(header("first", 40, 5), header("second", 38.25, None))
    rows = list(csv.DictReader(io.StringIO((found["api/v1/puzzles/easy.csv"].data or b"").decode())))
    data = json.loads(found["api/v1/puzzles/easy.json"].data or b"")
    assert data["collection"] == {"id": "easy", "sha256": "cd" * 32}
    assert (data["track"], data["methodology"], data["metric"]) == ("puzzles", "1.0.0", "solved")
    assert [(row["subject"], row["value"], row["cost"], row["ranBy"]) for row in rows] == [
        ("first", "40", "4", "maintainer us"),
        ("second", "38.25", "3.825", "maintainer us"),
    ]
    assert [row["value"] for row in data["rows"]] == [40, 38.25]
    assert "baseline" not in rows[0]


def test_a_methodology_may_decide_what_is_ranked():
    about = replace(PUZZLES, under=lambda found: replace(PUZZLES, subject=f"solver of {found.data.version}"))
    found = pages(header("first", 40, 5), header("first", 30, 5, "2.0.0"), about=about)
    assert found["puzzles/easy/1.0.0/"].context["board"].lede.startswith("One solver of 1.0.0 measured")
    assert found["puzzles/easy/"].context["board"].lede.startswith("One solver of 2.0.0 measured")


def test_expected_targets_have_a_page_before_there_is_a_receipt():
    about = replace(PUZZLES, expected=lambda _library: ("2.0.0", ["easy", "hard"]))
    found = pages(header("first", 40, 5), about=about)
    assert "No results yet." in shown(found, "puzzles/hard/")
    assert [board.target for board in found["puzzles/"].context["waiting"]] == ["hard"]
    assert [board.target for board in found[""].context["boards"]] == ["easy"]


def test_a_receipts_page_is_made_of_the_same_description():
    one = header("first", 40, 5)
    kept = record()
    page = receipt_page(PUZZLES, one, body(40), kept.library)
    said = text_of(Renderer({"puzzles": TRACK}).body(page))
    assert page.title == "first on easy"
    assert page.description == (
        "Solved: 40.0. Solved 40.0 of 50 on collection easy: 80.0% (40/50) tasks; 1 excluded."
    )
    assert "40.0 Solved · 95% CI [35.0, 45.0]" in said
    assert "Solver first 1" in said
    assert "Solved 40.0 – 40/50 1 Cost 4.00 –" in said
    assert "– not checked" in said


@pytest.mark.parametrize("name", ["../../keys", "Ünïcode", ""])
def test_a_target_that_cannot_be_part_of_a_path_has_no_board(name: str):
    one = header("first", 40, 5)
    assert one.summary is not None
    odd = replace(one, summary=replace(one.summary, target=name))
    assert set(pages(odd)) == {"puzzles/", ""}
    assert receipt_page(PUZZLES, odd, body(40), record().library).context["view"].board == ""


ELSEWHERE = "origin import: measured elsewhere, scored here"


def test_results_of_runs_made_elsewhere_are_ranked_among_themselves_where_the_track_says_so():
    headers = (
        header("ours", 40, 5),
        header("theirs", 45, 1, unranked=(ELSEWHERE,)),
        header("other", 10, 1, unranked=(ELSEWHERE,)),
        header("edited", 50, 1, unranked=(ELSEWHERE, "dirty tree")),
    )
    made = pages(*headers, about=replace(PUZZLES, imports=True))["puzzles/easy/"].context["board"]
    assert [(row.name, row.rank) for row in made.ranked] == [("ours", "1")]
    assert [(row.name, row.rank) for row in made.imported.ranked] == [("theirs", "1"), ("other", "2")]
    assert [one.receipt_id for one in made.unranked] == ["edited-1"]
    assert [row.name for row in made.leaders] == ["ours"]
    plain = pages(*headers)["puzzles/easy/"].context["board"]
    assert plain.imported.ranked == ()
    assert len(plain.unranked) == 3


def test_where_nothing_was_run_here_an_imported_result_leads():
    about = replace(PUZZLES, imports=True)
    made = pages(header("theirs", 45, 1, unranked=(ELSEWHERE,)), about=about)["puzzles/easy/"].context[
        "board"
    ]
    assert [row.name for row in made.leaders] == ["theirs"]
    assert made.subjects == 1


def test_an_imported_baselines_name_is_no_baseline():
    about = replace(PUZZLES, imports=True, baselines=("guess",))
    made = pages(header("guess", 45, 1, unranked=(ELSEWHERE,)), about=about)["puzzles/easy/"].context["board"]
    assert [row.name for row in made.imported.ranked] == ["guess"]
    assert made.baselines == ()
