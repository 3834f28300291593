"""A receipt's place on its leaderboard in words: ranks, the test with the baseline, later runs, imports, baselines."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from benchsite.board.rows import Comparison
from benchsite.board.standing import of_board, worth


def header(name: str, line: str, *, ranked: bool = True) -> Any:
    return SimpleNamespace(receipt_id=name, summary=SimpleNamespace(row=line), sent_by="", ranked=ranked)


def compared(delta: float, p: float, *, tied: bool) -> Comparison:
    return Comparison(delta, p, p, tied)


def row(name: str, rank: str = "", to_baseline: Comparison | None = None) -> Any:
    return SimpleNamespace(
        header=header(name, f"line-{name}"),
        name=name,
        rank=rank,
        to_baseline=to_baseline,
        baseline=name == "bm25",
    )


def board(*ranked: Any, **changes: Any) -> Any:
    about = SimpleNamespace(
        reference=lambda rows: rows[0],
        label=lambda one: f"{one.name.upper()} baseline",
        baselines=("bm25",),
        labels={"bm25": "BM25"},
    )
    values = {
        "ranked": ranked,
        "baselines": (row("bm25"),),
        "imported": SimpleNamespace(ranked=()),
        "about": about,
        "headers": [one.header for one in ranked],
        **changes,
    }
    return SimpleNamespace(**values)


@pytest.mark.parametrize(
    ("rank", "tested", "said"),
    [
        (
            "1–2",
            compared(0.01, 0.21, tied=True),
            "rank 1–2 of 2; not significantly better than the BM25 baseline (Holm-adjusted)",
        ),
        (
            "1",
            compared(0.3, 0.0001, tied=False),
            "rank 1 of 2; significantly better than the BM25 baseline (Holm-adjusted)",
        ),
        (
            "2",
            compared(-0.3, 0.002, tied=False),
            "rank 2 of 2; significantly worse than the BM25 baseline (Holm-adjusted)",
        ),
        (
            "2",
            compared(-0.2, 0.3, tied=True),
            "rank 2 of 2; not significantly better than the BM25 baseline (Holm-adjusted)",
        ),
        ("2", None, "rank 2 of 2"),
        ("", None, "one of 2 without a rank"),
    ],
)
def test_a_ranked_receipt_has_its_range_and_the_test_with_the_baseline(
    rank: str, tested: Comparison | None, said: str
) -> None:
    made = board(row("a", rank, tested), row("b", "2"))
    found = dict(of_board(made, counted=True))
    assert found["a"].words == said
    plain = said.replace("one of 2 without", "without").replace(" of 2", "")
    assert dict(of_board(made))["a"].words == plain
    assert found["bm25"] == ("run as a baseline, not ranked", "baseline")


@pytest.mark.parametrize(
    ("rank", "tested", "of", "short"),
    [
        ("1–2", compared(0.01, 0.21, tied=True), 0, "rank 1–2, n.s. vs BM25"),
        ("1", compared(0.3, 0.0001, tied=False), 15, "rank 1 of 15, better than BM25"),
        ("2", compared(-0.2, 0.002, tied=False), 0, "rank 2, worse than BM25"),
        ("", None, 4, "no rank"),
    ],
)
def test_a_badge_has_the_same_in_short(rank: str, tested: Comparison | None, of: int, short: str) -> None:
    assert worth(board(), row("a", rank, tested), of=of) == short


def test_a_new_row_changes_no_other_line_while_ranks_stay() -> None:
    rows = [row("a", "1", compared(0.3, 0.0001, tied=False)), row("b")]
    before, after = dict(of_board(board(*rows))), dict(of_board(board(*rows, row("c", "2"))))
    assert {name: after[name] for name in before} == before


def test_without_a_baseline_the_line_says_that_none_was_run() -> None:
    assert dict(of_board(board(row("a", "1"), baselines=()))) == {
        "a": ("rank 1; no baseline was run", "rank 1")
    }


def test_an_earlier_run_names_the_later_one_and_imports_rank_among_themselves() -> None:
    earlier, hidden = header("0b", "line-a"), header("0c", "line-a", ranked=False)
    made = board(
        row("a", "1"),
        headers=[earlier, hidden],
        imported=SimpleNamespace(ranked=(row("x", "1"), row("y", "2"))),
    )
    found = dict(of_board(made))
    assert found["0b"].words == "not ranked: a later run of the same configuration is, receipt a"
    assert "0c" not in found
    assert found["y"].words == "rank 2; among imported results"
