"""Lines of runs: what is read, and what is refused with file, line, fault and hint."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from readable import Held

from benchsite.errors import InputError
from benchsite.tracks.agents.importers.run_lines import StatedRun, read_runs, repeats


def one(**members: Any) -> bytes:
    return json.dumps({"task": "a", **members}).encode() + b"\n"


def read(data: bytes, name: str = "r") -> list[StatedRun]:
    return list(read_runs(Held(name, data)))


def test_members_of_a_line_are_read_and_what_is_not_stated_is_none() -> None:
    (run,) = read(one(success=True, tokens=12, costUsd=0.5, latencyMs=3))
    line = run.line
    assert (run.outcome, line.tokens, line.cost_usd, line.latency_ms) == ("success", 12, 0.5, 3.0)
    assert (line.run, line.score, line.tool_calls, line.messages, line.error) == (1, None, None, None, None)


@pytest.mark.parametrize(
    ("members", "outcome"),
    [
        ({"outcome": "success"}, "success"),
        ({"success": False}, "failure"),
        ({"score": 1}, "success"),
        ({"score": 0.99}, "failure"),
        ({"success": True, "score": 0}, "success"),
        ({"outcome": "limit", "limit": "tokens"}, "limit"),
        ({"outcome": "error", "success": False}, "error"),
        ({"success": None, "answer": "x"}, None),
    ],
)
def test_the_outcome_that_a_line_states(members: dict[str, Any], outcome: str | None) -> None:
    assert read(one(**members))[0].outcome == outcome


def test_a_byte_order_mark_and_windows_line_ends_are_accepted() -> None:
    data = b"\xef\xbb\xbf" + one(success=True).strip() + b"\r\n\r\n" + b'{"task":"b","success":false}'
    assert [(run.line.task, run.where) for run in read(data)] == [
        ("a", "r line 1"),
        ("b", "r line 3"),
    ]


def test_a_line_of_a_megabyte_is_read() -> None:
    (run,) = read(one(success=True, messages=[{"role": "user", "content": "x" * 2**20}]))
    assert len(run.line.messages[0]["content"]) == 2**20


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "runs.jsonl: no run"),
        (b"\xef\xbb\xbf\r\n\n", "runs.jsonl: no run"),
        (b"[]\n", "runs.jsonl line 1: line: must be an object"),
        (b"{}\n", "runs.jsonl line 1: task: "),
        (one(success=True) + b"{\n", "runs.jsonl line 2: JSON: "),
        (one(success=True) + one(success=True, run=2)[:-9], "runs.jsonl line 2: JSON: "),
        (b'{"task":"a","success":true}\n{"task":"\xff"}\n', "runs.jsonl line 2: JSON: "),
        (b'{"task":"a","score":NaN}\n', "runs.jsonl line 1: JSON: "),
        (b'{"task":"a","score":1e999}\n', "runs.jsonl line 1: JSON: "),
        (b'{"task":"a","task":"b"}\n', "runs.jsonl line 1: JSON: "),
        (one(success=True, score=1.5), "runs.jsonl line 1: score: "),
        (one(success=True, score=-0.5), "runs.jsonl line 1: score: "),
        (one(success=True, tokens="12"), "runs.jsonl line 1: tokens: "),
        (one(success=True, tokens=1.5), "runs.jsonl line 1: tokens: "),
        (one(success=True, tokens=-1), "runs.jsonl line 1: tokens: "),
        (one(success=True, costUsd="free"), "runs.jsonl line 1: costUsd: "),
        (one(success="yes"), "runs.jsonl line 1: success: "),
        (one(success=1), "runs.jsonl line 1: success: "),
        (one(outcome="passed"), "runs.jsonl line 1: outcome: "),
        (one(success=True, run=0), "runs.jsonl line 1: run: "),
        (one(success=True, tokns=1), "runs.jsonl line 1: tokns: "),
        (one(success=True, messages="hello"), "runs.jsonl line 1: messages: must be a list"),
        (one(success=True, messages=-1), "runs.jsonl line 1: messages: must be a list"),
        (one(success=True, outcome="failure"), "runs.jsonl line 1: success is true, but outcome is failure"),
        (
            one(success=False, outcome="success"),
            "runs.jsonl line 1: success is false, but outcome is success",
        ),
        (one(outcome="limit"), "runs.jsonl line 1: outcome is limit, but limit is not stated"),
        (one(success=False, limit="tokens"), "runs.jsonl line 1: outcome is failure, but limit is tokens"),
        (one(success=True, error="boom"), "runs.jsonl line 1: a success has no error"),
        (one(success=True, actions=[], messages=[]), "runs.jsonl line 1: actions and a list of messages"),
        (one(success=True) * 2, "runs.jsonl line 2: run 1 of task 'a' occurs twice, first in line 1"),
        (b" " * (16 * 2**20 + 1), "runs.jsonl line 1: above 16,777,216 bytes"),
    ],
)
def test_what_is_refused_is_named_with_its_line_and_a_hint(data: bytes, said: str) -> None:
    with pytest.raises(InputError) as refused:
        read(data, "runs.jsonl")
    assert refused.value.message.startswith(said), refused.value.message
    assert refused.value.hint


def test_the_largest_number_is_the_number_of_runs() -> None:
    assert repeats(read(b"".join(one(success=True, run=n) for n in (2, 1, 3)))) == 3


def test_a_run_is_given_before_the_next_line_is_read() -> None:
    class Endless(Held):
        def chunks(self) -> Iterator[bytes]:
            for run in count(1):
                yield one(success=True, run=run)

    first = next(read_runs(Endless("r", b"")))
    assert (first.where, first.line.run) == ("r line 1", 1)
