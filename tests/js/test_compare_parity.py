"""Comparisons in the browser equal those in Python, for every pair: values, CIs, p-values, sentences."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from agents_record import AgentsRecord
from boards import current, five_systems, made

from benchsite.board import Board
from benchsite.board.per_item import rows_of
from benchsite.board.two_systems import Line
from benchsite.board.versus import lines
from benchsite.track import Page

SCRIPT = Path(__file__).with_name("compare-values.js")


def in_node(data: bytes) -> list[dict[str, Any]]:
    done = subprocess.run(["node", str(SCRIPT)], input=data, capture_output=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def agents() -> tuple[Board, Mapping[str, Page]]:
    record = AgentsRecord()
    record.run("null", "ss" + "f" * 8)
    record.run("alpha", "ssssssss" + "hf", origin="import")
    record.run("beta", "sf" + "hhhhhh" + "ee", origin="import")
    record.run("several", ["ssf", "sff"] * 5)
    found = record.pages()
    return found["agents/desk/compare/"].context["board"], found


def retrieval() -> tuple[Board, Mapping[str, Page]]:
    record = five_systems()
    (board,) = current(record)
    return board, made(record)


def numbers(line: Line) -> dict[str, Any]:
    return {
        "name": line.name,
        "n": line.n,
        "wins": line.wins,
        "losses": line.losses,
        "p": line.p,
        "holm": line.holm,
    }


@pytest.mark.parametrize("of", [agents, retrieval])
def test_every_pair_has_the_numbers_of_python(of: Any) -> None:
    board, pages = of()
    (path,) = [path for path in pages if path.endswith("/per-query.json")]
    rows = {row.header.receipt_id: row for row in rows_of(board)}
    part = board.about.track.paired
    assert part is not None
    values = {
        name: {
            key: column
            for key, column in part.per_item(board.bodies(name)).metrics.items()
            if key in board.about.metrics
        }
        for name in rows
    }
    ordered = {
        name: {key: found[key] for key in board.about.metrics if key in found}
        for name, found in values.items()
    }
    told = in_node(pages[path].data or b"")
    assert len(told) == len(rows) * (len(rows) - 1)
    for one in told:
        first, second = one["ids"]
        metrics, categories = lines(board, rows[first], rows[second], (ordered[first], ordered[second]))
        for expected, computed in ((metrics, one["metrics"]), (categories, one["categories"])):
            assert [numbers(line) for line in expected] == [
                {key: line[key] for key in ("name", "n", "wins", "losses", "p", "holm")} for line in computed
            ]
            for line, other in zip(expected, computed, strict=True):
                assert other["first"] == pytest.approx(line.first, abs=1e-14)
                assert other["second"] == pytest.approx(line.second, abs=1e-14)
                assert other["difference"] == pytest.approx(line.difference, abs=1e-14)
                assert other["interval"]["low"] == pytest.approx(line.low, abs=1e-14)
                assert other["interval"]["high"] == pytest.approx(line.high, abs=1e-14)
                assert other["detectable"] == pytest.approx(line.detectable, abs=1e-14)


@pytest.mark.parametrize("of", [agents, retrieval])
def test_the_sentence_of_the_best_two_is_that_of_the_page_without_script(of: Any) -> None:
    board, pages = of()
    (path,) = [path for path in pages if path.endswith("/per-query.json")]
    (page,) = [page for path, page in pages.items() if path.endswith("/compare/")]
    versus = page.context["versus"]
    ids = [versus.first.header.receipt_id, versus.second.header.receipt_id]
    (told,) = [one for one in in_node(pages[path].data or b"") if one["ids"] == ids]
    assert told["sentence"] == versus.sentence(board)


def test_a_p_value_is_that_of_the_leaderboard() -> None:
    board, pages = retrieval()
    told = in_node(pages["api/v1/retrieval/sample-notes-v1/per-query.json"].data or b"")
    by_ids = {tuple(one["ids"]): one for one in told}
    assert board.side_by_side is not None
    for pair in board.side_by_side.pairs:
        assert by_ids[pair.ids]["metrics"][0]["p"] == pair.p
