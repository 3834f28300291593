"""What a leaderboard of agents says: two kinds of rows, doing nothing, paired tests, blanks and brackets."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from agents_record import AgentsRecord, renders
from boards import text_of

from benchsite.board import Board

#           calendar | email; doing nothing succeeds on the first two tasks
NULL = "ss" + "f" * 8
ALPHA = "ssssssss" + "hf"
BETA = "sf" + "hhhhhh" + "ee"


@pytest.fixture(scope="module")
def record() -> AgentsRecord:
    made = AgentsRecord()
    made.run("null", NULL)
    made.run("alpha", ALPHA, origin="import")
    made.run("beta", BETA, origin="import")
    return made


def board(record: AgentsRecord) -> Board:
    found: Board = record.pages()["agents/desk/"].context["board"]
    return found


def said(record: AgentsRecord, path: str = "agents/desk/") -> str:
    return text_of(renders().body(record.pages()[path]))


def test_imported_rows_are_ranked_among_themselves_and_are_not_listed_as_unranked(record: AgentsRecord):
    made = board(record)
    # alpha against beta: alone right on 7 tasks, beta on none: p = 2 / 2^7 = 0.0156.
    assert [(row.name, row.rank) for row in made.imported.ranked] == [("alpha", "1"), ("beta", "2")]
    assert made.ranked == ()
    assert made.unranked == ()
    assert [row.name for row in made.leaders] == ["alpha"]


def test_every_row_is_compared_with_doing_nothing_by_an_exact_test(record: AgentsRecord):
    alpha, beta = board(record).imported.ranked
    assert alpha.to_baseline is not None
    assert beta.to_baseline is not None
    # alpha alone right on 6 tasks, null on none: p = 2 / 2^6. beta loses one task and wins none: p = 2 / 2, that is 1.
    assert (alpha.to_baseline.p, round(alpha.to_baseline.delta, 12)) == (0.03125, 0.6)
    assert (beta.to_baseline.p, round(beta.to_baseline.delta, 12)) == (1.0, -0.1)
    text = said(record)
    # Holm over the two rows doubles the smaller p: 0.0625, no longer below 0.05.
    assert (alpha.to_baseline.holm, beta.to_baseline.holm) == (0.0625, 1.0)
    assert "+60.0 pt p = 0.062 not better than doing nothing ✓ logged" in text
    assert "−10.0 pt p = 1.000 not better than doing nothing" in text


def test_adjacent_ranks_of_imported_results_are_counted(record: AgentsRecord):
    # alpha against beta: 7 wins, no loss, p = 0.0156.
    assert board(record).resolution == (
        "1 of 1 adjacent ranks separable; ranks 1 and 2 differ significantly on 10 tasks"
    )


def test_a_row_below_doing_nothing_says_so():
    record = AgentsRecord(count=12, passive=8)
    record.run("null", "s" * 8 + "f" * 4)
    record.run("gamma", "h" * 8 + "f" * 4, origin="import")
    # Eight tasks lost, none won: p = 2 / 2^8.
    assert "−66.7 pt p = 0.008 worse than doing nothing" in said(record)
    assert board(record).lede.startswith(
        "The only published configuration is significantly worse than doing nothing."
    )


def test_none_better_and_several_worse_are_counted():
    record = AgentsRecord(count=12, passive=8)
    record.run("null", "s" * 8 + "f" * 4)
    for name in ("gamma", "delta"):
        record.run(name, "h" * 8 + "f" * 4, origin="import")
    assert board(record).lede.startswith(
        "None of two published configurations is significantly better than doing nothing; two are significantly worse."
    )


def test_the_lede_counts_and_names_the_tasks_that_need_an_action():
    record = AgentsRecord(count=12, passive=2)
    record.run("null", "s" * 2 + "f" * 10)
    record.run("alpha", "s" * 12, origin="import")
    record.run("beta", "s" * 3 + "f" * 9, origin="import")
    # alpha wins 10 tasks: 2 × 2 / 2^10 after Holm. beta wins one: p = 1.
    assert board(record).lede == (
        "One of two published configurations is significantly better than doing nothing. Doing nothing succeeds on 2/12 "
        "tasks (16.7%), so every row also shows the 10 tasks that need an action."
    )


def test_where_doing_nothing_seldom_succeeds_there_is_no_notice():
    record = AgentsRecord(count=20, passive=1)
    record.run("null", "s" + "f" * 19)
    record.run("alpha", "s" * 20, origin="import")
    assert board(record).lede.endswith("Doing nothing succeeds on 1/20 tasks (5.0%).")


def test_errors_that_change_no_number_are_told_like_others():
    record = AgentsRecord()
    record.run("alpha", "f" * 8 + "ee")
    assert "0.0% [0.0%, 27.8%] 2 errors in 10 runs; 0.0% without them" in said(record)


def test_a_column_of_times_names_its_unit():
    record = AgentsRecord()
    record.run("alpha", "s" * 10, columns={"latencyMs": [1500.5] * 10})
    text = said(record)
    assert "Latency p95 (ms) Runs" in text
    assert "1500.500" in text


def test_shares_stand_with_their_counts_and_errors_with_what_they_change(record: AgentsRecord):
    text = said(record)
    # alpha: 8 of 10, 6 of the 8 that need an action, one harmful. beta: 1 of 10, of 8 without its two errors.
    assert "8/10 75.0% 6/8 10.0% 1/10" in text
    assert "2 errors in 10 runs; 12.5% without them" in text
    assert "1/10 0.0% 0/8 60.0% 6/10" in text
    assert "Runs that the infrastructure ended, such as a failed request to the model." in text


def test_a_domain_has_its_own_share(record: AgentsRecord):
    # alpha solves 5 of 5 and 3 of 5; doing nothing 2 of 5 and 0 of 5; beta 1 of 5, which is below, and 0 of 5, which is not.
    text = said(record)
    assert "System Calendar 5 Email 5 alpha 100 60 does nothing 40 0 beta" in text
    assert "beta ↓ below doing nothing: 20 0" in text


def test_imported_results_and_baselines_are_one_table_by_value(record: AgentsRecord):
    text = said(record)
    assert "Imported graded here" not in text
    places = [text.index(part) for part in ("1st alpha", "does nothing baseline null , run here", "2nd beta")]
    assert places == sorted(places)
    assert "Origin imported 2 run here 0" in text
    assert "Baselines not run: constant, random-choice, spam-tools." in text


def test_systems_that_were_run_here_come_first_and_keep_to_themselves():
    record = AgentsRecord()
    record.run("null", NULL)
    record.run("ours", ALPHA)
    record.run("theirs", BETA, origin="import")
    made = board(record)
    assert ([row.name for row in made.ranked], [row.rank for row in made.ranked]) == (["ours"], ["1"])
    assert [row.rank for row in made.imported.ranked] == ["1"]
    text = said(record)
    assert text.index("Run here by this site") < text.index("Imported graded here, not run here")
    assert "Origin imported 1 run here 1" in text
    assert made.lede.startswith("One of two systems is significantly better than doing nothing.")


def test_an_import_that_has_another_reason_too_stays_unranked():
    record = AgentsRecord()
    record.run("null", NULL)
    record.run("alpha", ALPHA, origin="import", simulated=True)
    made = board(record)
    assert made.imported.ranked == ()
    assert [len(header.unranked) for header in made.unranked] == [2]


def test_the_latest_import_of_a_configuration_is_its_row():
    record = AgentsRecord()
    record.run("alpha", ALPHA, origin="import")
    latest = record.run("alpha", BETA, origin="import")
    (row,) = board(record).imported.ranked
    assert (row.header.receipt_id, row.runs) == (latest, 2)
    assert "Doing nothing was not run, so no row is compared with it." in board(record).lede


def test_several_runs_of_a_task_are_compared_by_randomization_and_have_no_numerator():
    record = AgentsRecord()
    record.run("null", [letter * 3 for letter in NULL])
    record.run("alpha", ["ssf"] * 8 + ["fff"] * 2, origin="import")
    assert board(record).test.once == frozenset()
    text = said(record)
    # Two of three runs on 8 of 10 tasks: 53.3%. pass^3 is 0: no task has three successes.
    assert "53.3%" in text
    assert "n = 10" in text
    assert "Harmful pass^3 Runs" in text
    assert "n = 8 0.0% 0/10 0.000 1 – +33.3 pt" in text


def test_the_data_files_have_the_tracks_own_numbers(record: AgentsRecord):
    pages = record.pages()
    value: dict[str, Any] = json.loads(pages["api/v1/agents/desk.json"].data or b"")
    assert [(row["subject"], row["imported"], row["baseline"]) for row in value["rows"]] == [
        ("null", False, True),
        ("alpha", True, False),
        ("beta", True, False),
    ]
    alpha = value["rows"][1]
    assert (alpha["successNum"], alpha["needsActionNum"], alpha["harmfulNum"], alpha["pBaseline"]) == (
        8,
        6,
        1,
        0.03125,
    )
    # Holm over the two rows; beta is 1 as it is.
    assert [(row["holmLeader"], row["holmBaseline"]) for row in value["rows"][1:]] == [
        (None, 0.0625),
        (0.015625, 1),
    ]
    lines = list(csv.DictReader(io.StringIO((pages["api/v1/agents/desk.csv"].data or b"").decode())))
    assert [line["rankFirst"] for line in lines] == ["", "1", "2"]


def test_the_index_and_the_front_page_quote_the_leader_and_say_that_it_was_not_run_here(record: AgentsRecord):
    assert "alpha 80.0%" in said(record, "agents/")
    assert board(record).sentence == (
        "Imported transcripts: graded here, not run here. Not significantly better than doing nothing (+60.0 pt, p = 0.062)."
    )


def test_a_benchmark_without_a_name_of_ours_is_called_by_its_id(record: AgentsRecord):
    assert board(record).title == "desk: 10 tasks in two domains"


def test_the_pages_of_the_tasks_stay_when_every_receipt_is_retracted():
    record = AgentsRecord()
    name = record.run("alpha", ALPHA, origin="import")
    before = set(record.pages())
    record.add({"type": "retract", "receiptId": name, "reason": "wrong data"})
    assert set(record.pages()) == before
    assert board(record).lede == "No receipt on this benchmark is ranked. Reasons are listed below."
    assert "Retracted by the publisher" in said(record)


def test_doing_nothing_is_the_reference_also_if_each_task_was_run_several_times():
    record = AgentsRecord()
    record.run("null", [letter * 3 for letter in NULL])
    record.run("alpha", [letter * 3 for letter in ALPHA])
    made = board(record)
    assert "Doing nothing was not run" not in made.lede
    (alpha,) = made.ranked
    assert alpha.to_baseline is not None
    assert alpha.to_baseline.delta == pytest.approx(0.8 - 0.2)
