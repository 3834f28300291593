"""Agents receipts: Python and JavaScript say the same of the same receipt and of the same traces, to the last bit."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
import shutil
from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

import pytest
from documents import MATERIALS
from invented_runs import draft, invented, listed, pinned, receipt, receipt_and_records, scored
from rescoring import SIGNATURE, TRACKS, ask, compare, every_leaf_altered, every_object_widened, written

from benchsite import canonical
from benchsite.history import Given, examine
from benchsite.signing import PrivateKey, encode_base64url
from benchsite.tracks.agents.record.columns import further_levels
from benchsite.tracks.agents.trace import archive

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="PARITY NOT RUN: node is not installed")

SEED = 20261123


def drawing(seed: int = SEED) -> random.Random:
    return random.Random(seed)  # noqa: S311 - test data


def real(tasks: int = 3, repeats: int = 1, seed: int = SEED) -> dict[str, Any]:
    return receipt(drawing(seed), tasks, repeats)[0] | {"signature": SIGNATURE}


# `make test` takes every nineteenth edit, which meets every way of editing in turn; `make test-full` takes all.
EVERY_NTH = pytest.mark.parametrize("nth", [19, pytest.param(1, marks=pytest.mark.full)])


@EVERY_NTH
@pytest.mark.stories
def test_every_leaf(nth: int):
    said = compare(every_leaf_altered(real(2, 3), nth))
    assert {item["outcome"] for item in said} == {"judged", "invalid", "unsupported"}
    assert len(said) > 1_500 // nth


@EVERY_NTH
@pytest.mark.stories
def test_every_container(nth: int):
    said = compare(every_object_widened(real(2, 3), nth))
    assert len(said) > 400 // nth


@pytest.mark.parametrize(("tasks", "repeats"), [(1, 1), (7, 1), (4, 9), (1, 300)])
def test_what_follows_matches(tasks: int, repeats: int):
    document = real(tasks, repeats)
    (said,) = compare([canonical.dumps(document).decode()])
    assert (said["rescore"], said["differences"], said["violations"]) == ("MATCHES", [], [])
    assert said["target"] == {"field": "benchmark", "id": "invented", "sha256": "cd" * 32}


def random_receipt(draw: random.Random) -> dict[str, Any]:
    """Columns with blanks, duplicates and numbers at the edge of what a double holds; three of four then falsified."""
    count, repeats = draw.randint(1, 12), draw.choice([1, 1, 2, 5, 8, 9])
    tasks = listed(count, needs_action=draw.random() < 0.8)
    document = draft(tasks, _columns(draw, count, repeats), runs_per_task=repeats)
    document = scored(document) | {"signature": SIGNATURE}
    if draw.random() < 0.75:
        _falsify(draw, document)
    return document


def _columns(draw: random.Random, count: int, repeats: int) -> dict[str, Any]:
    rows = [(f"task-{i:03}", number) for i in range(count) for number in range(1, repeats + 1)]
    outcomes = draw.choices(("success", "failure", "limit", "error"), k=len(rows))
    large = draw.choice([3, 2_000, 2**50])

    def cells(value: Any) -> list[Any] | None:
        blank = draw.choice([0, 0, 0.1, 1])
        return None if blank == 1 else [None if draw.random() < blank else value() for _ in rows]

    counts = {
        name: cells(lambda: draw.randint(0, large))
        for name in ("steps", "toolCalls", "toolFailures", "backtracks", "loopNum", "loopDen", "verifies",
                     "agentToAgent", "systemMediated", "handoffs", "tokens")
    }  # fmt: skip
    amounts = {
        name: cells(lambda: draw.choice([draw.uniform(0, large), draw.randint(0, large)]))
        for name in ("latencyMs", "latencyWallMs", "costUsd")
    }
    return {
        "taskId": [task for task, _ in rows],
        "run": [number for _, number in rows],
        "outcome": outcomes,
        "limit": [draw.choice(["tokens", None]) if outcome == "limit" else None for outcome in outcomes],
        "completion": [draw.random() < 0.7 for _ in rows],
        **({"harmful": [draw.random() < 0.2 for _ in rows]} if draw.random() < 0.8 else {}),
        **counts, **amounts,
        "score": cells(draw.random), "confidence": cells(draw.random),
        "judged": cells(lambda: draw.random() < 0.5), "evidenceRecall": cells(draw.random),
    }  # fmt: skip


def _falsify(draw: random.Random, document: dict[str, Any]) -> None:
    values = [draw.random(), 0, 1, 1.5, -0.0625, 1e-7, 3e22, 12345.678, 1e-5, 2**53 - 1]
    for table in (document, *document["byDomain"].values()):
        if not table["scores"] or draw.random() < 0.5:
            continue
        name = draw.choice([*table["scores"], "constructor"])
        section = draw.choice(["scores", "intervals", "denominators"])
        ends = {"low": draw.choice(values), "high": 0.9, "method": draw.choice(["wilson", "bootstrap"])}
        counted = {"den": draw.randrange(9), "excluded": 0, "num": draw.choice([None, 3])}
        table[section][name] = {"scores": draw.choice(values), "intervals": ends, "denominators": counted}[
            section
        ]
    tasks, runs, config = document["tasks"], document["runs"], document["config"]
    if draw.random() < 0.3:
        tasks["id"][0] = tasks["id"][-1]
    if draw.random() < 0.3:
        runs["taskId"][-1] = draw.choice(["elsewhere", *tasks["id"]])
    if draw.random() < 0.2:
        config["limit"], config["runsPerTask"] = draw.randint(1, 20), draw.randint(1, 9)
    if draw.random() < 0.2:
        document["byDomain"][draw.choice(["nowhere", "toString"])] = {
            "scores": {},
            "denominators": {},
            "intervals": {},
        }
    if draw.random() < 0.2:
        document["timing"] = {"latency_p95": draw.choice(values)}
    if draw.random() < 0.2:
        del document["byDomain"][draw.choice(list(document["byDomain"]))]


@pytest.mark.parametrize("count", [60, pytest.param(2_000, marks=pytest.mark.full)])
@pytest.mark.stories
def test_random_columns(count: int):
    draw = drawing()
    said = compare(canonical.dumps(random_receipt(draw)).decode() for _ in range(count))
    assert {item["outcome"] for item in said} == {"judged"}
    assert {item["rescore"] for item in said} == {"MATCHES", "DIFFERS"}
    assert {violation["code"] for item in said for violation in item["violations"]} == {
        *("out-of-range", "impossible-interval", "duplicate-task", "task-count", "unknown-task", "run-count"),
        *("limit-outcome", "harmful-success", "complete-error", "part-above-whole"),
    }


def test_a_column_that_is_null_is_one_that_is_absent():
    document = real(2, 2)
    said = compare(
        written(document | {"runs": document["runs"] | {name: None}})
        for name in ("steps", "tokens", "harmful", "latencyMs", "limit", "score")
    )
    assert {item["outcome"] for item in said} == {"judged"}


def columns_of(document: dict[str, Any], held: dict[str, bytes]) -> dict[str, Any]:
    """What Python says of the further levels, in the form of rescoring.js."""
    levels = further_levels(document, Given(None, held.get))
    return {
        "steps": [
            {"name": step.name, "state": step.state, "detail": _alike(step.detail), "field": step.field}
            for step in levels.steps
        ],
        "differences": [
            {"field": one.field, "recorded": one.recorded, "computed": one.computed}
            for one in levels.differences
        ],
        "violations": [
            {"code": one.code, "field": one.field, "message": one.message} for one in levels.violations
        ],
    }


def held_of(document: dict[str, Any], traces: bytes | None, records: bytes | None = None) -> dict[str, bytes]:
    """Evidence by the digest under which a receipt pins it, whatever it holds."""
    pieces = {archive.NAME: traces, "actions.jsonl": records}
    pinned_as = {item["name"]: item["sha256"] for item in document["evidence"]}
    return {pinned_as[name]: data for name, data in pieces.items() if data is not None and name in pinned_as}


def _alike(detail: str) -> str:
    """Of an event's fault the place: Python adds the form that a member must have, for the authors of adapters."""
    return re.sub(r"^(no event: .*?): .*: (traces\.jsonl .*)$", r"\1: \2", detail)


def compare_columns(
    given: Iterable[tuple[dict[str, Any], bytes | None] | tuple[dict[str, Any], bytes | None, bytes | None]],
) -> list[dict[str, Any]]:
    """Demand one answer of both languages for every receipt with its traces and its action records."""
    pairs = [(document, held_of(document, *pieces)) for document, *pieces in given]
    asked = [
        {"document": document, "held": {sha256: text(data) for sha256, data in held.items()}}
        for document, held in pairs
    ]
    expected = [columns_of(document, held) for document, held in pairs]
    for (_, held), said, here in zip(pairs, ask("columns", asked), expected, strict=True):
        for step in said["steps"]:
            step["detail"] = _alike(step["detail"])
        assert said == here, [data[:200] for data in held.values()]
    return expected


def text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def states(said: Iterable[dict[str, Any]]) -> list[str]:
    return [item["steps"][0]["state"] for item in said]


@pytest.mark.parametrize("count", [12, pytest.param(300, marks=pytest.mark.full)])
@pytest.mark.stories
def test_columns_follow_from_random_traces(count: int):
    draw = drawing(3)
    pairs: list[tuple[dict[str, Any], bytes | None]] = []
    for _ in range(count):
        document, traces = receipt(draw, draw.randint(1, 30), draw.randint(1, 3))
        pairs += [(document, traces), (document, None), (document, archive.packed(invented(draw, 4, 2)))]
    assert states(compare_columns(pairs)) == ["pass", "not checked", "fail"] * count


@pytest.mark.parametrize("count", [40, pytest.param(1_000, marks=pytest.mark.full)])
def test_agreement_of_altered_evidence(count: int):
    """Action records of one receipt under traces, columns and records that were changed at one place."""
    draw = drawing(17)
    pairs = []
    for _ in range(count):
        document, traces, records = receipt_and_records(draw, draw.randint(1, 4), draw.randint(1, 2))
        lines = [json.loads(line) for line in records.splitlines()]
        changed = draw.choice(lines)
        change: Any = draw.choice(
            [
                {},
                {"error": draw.choice([None, "", "other", "\U0001f600" * 300])},
                {"actions": draw.choice([[], ["x()"], changed["actions"][::-1], [*changed["actions"], ""]])},
                {"run": 9},
                {"task": "elsewhere"},
                {"task": draw.choice(["A", "", 3])},
                {
                    "skipped": draw.choice(
                        [[{"action": 0, "reason": "x"}], [{"action": -1, "reason": "x"}], 1]
                    )
                },
                {
                    "difference": draw.choice(
                        [[{"table": "t", "row": "r", "before": None, "after": ""}], [{}]]
                    )
                },
                {"more": 1},
            ]
        )
        changed.update(change)
        written = b"".join(canonical.dumps(line) + b"\n" for line in lines)
        document["origin"] = "native" if len(pairs) % 8 else "import"
        held = ((traces, written), (None, written), (traces, written + written[:5]), (traces, b""))
        pairs += [(document, *pieces) for pieces in held]
    said = compare_columns(pairs)
    assert {item["steps"][1]["state"] for item in said} == {"pass", "fail", "not checked"}
    assert {one["code"] for item in said for one in item["violations"]} == {"error-success"}


@pytest.mark.stories
def test_bad_evidence():
    document, traces = receipt(drawing(5), 6, 2)
    lines = traces.splitlines(keepends=True)
    event = next(line for line in lines if b'"event_type"' in line)
    place = lines.index(event)

    def with_line(line: bytes, at: int = place) -> bytes:
        return b"".join([*lines[:at], line, *lines[at:]])

    members = json.loads(event)
    changes: list[tuple[str, Any]] = [
        *(("id", value) for value in (None, 3, "", "x" * 201, "a\x00", members["id"])),
        *(("actor", value) for value in (None, "", "\U0001f600" * 200, "\U0001f600" * 201, "a\x85")),
        *(("event_type", value) for value in ("", "Plan", None, 1)),
        *(("payload", value) for value in (None, [], "x", {"a": [1, {}]})),
        *(("token_in", value) for value in (-1, 0.5, True, 2**53 - 1, "1")),
        *(("latency_ms", value) for value in (-1, True, 1e300, "1", 2**53 - 1, 0.1)),
        *(("cost_usd", value) for value in (-0.5, 1e22, 0, False)),
        *(("timestamp_start", value) for value in ("2026-02-31T00:00:00.000000Z", "2026-11-01T00:00:00Z", "0000-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z", 3)),
        *(("timestamp_end", value) for value in ("9999-12-31T23:59:59.999999Z", "2026-13-01T00:00:00.000000Z")),
        *(("state_id", value) for value in ("", "x", 5)), ("parent", "\n"), ("surprise", 1), ("taskId", "x"),
    ]  # fmt: skip
    altered = [
        with_line(written({**members, "id": "new", name: value}).encode() + b"\n", place + 1)
        for name, value in changes
    ]
    removed = [
        with_line(
            written({key: value for key, value in members.items() if key != name}).encode() + b"\n", place
        )
        for name in members
    ]
    odd = [
        *(b"", b"\n", b"{}\n", b"[]\n", b"null\n", b"\xff\n", b'{"a":1,"a":2}\n', b'{"id":"\\ud800"}\n', b"{" * 100 + b"\n"),
        *(b'{"run":0,"task":"a"}\n', b'{"run":1}\n', b'{"run":1,"task":"A"}\n', b'{"run":1.0,"task":"task-9"}\n'),
        *(b'{"run":1,"task":"a","x":1}\n', b'{"run":1,\n', b'{"run":99,"task":"task-000"}\n', lines[0], b' {"run":1,"task":"a"}\n'),
    ]  # fmt: skip
    files = [
        *(with_line(line) for line in odd), *(with_line(line, 0) for line in odd), *altered, *removed,
        *(traces[:cut] for cut in (0, 1, len(traces) // 2, len(traces) - 1)), traces + b"x", b"\xef\xbb\xbf" + traces,
        traces.replace(b"\n", b"\r\n"), b"".join(reversed(lines)), traces + traces, b"\x1f\x8b" + traces,
        with_line(b'{"run":1,"task":"' + b"a" * 9_000_000 + b'"}\n'),
    ]  # fmt: skip
    assert set(states(compare_columns((document, one) for one in files))) == {"pass", "fail"}


@pytest.mark.parametrize("count", [60, pytest.param(3_000, marks=pytest.mark.full)])
@pytest.mark.stories
def test_bytes_altered_at_random(count: int):
    draw = drawing(6)
    document, traces = receipt(draw, 3, 2)

    def altered() -> bytes:
        at, length = draw.randrange(len(traces)), draw.choice([0, 1, 1, 5])
        return (
            traces[:at]
            + draw.choice([b"", draw.randbytes(1), b"\n", b'"', b"9", b"{}", b","])
            + traces[at + length :]
        )

    assert "fail" in states(compare_columns((document, altered()) for _ in range(count)))


def test_actions_above_a_length_are_refused_alike():
    """The cost of parsing bounds the characters of actions, of a run and of a receipt."""
    document, traces = receipt(drawing(13), 1)
    line = {"task": "task-000", "run": 1, "error": None, "skipped": [], "difference": []}

    def records(*actions: str) -> bytes:
        return canonical.dumps(line | {"actions": list(actions)}) + b"\n"

    at_most = "\U0001f600" * 999_999 + "x"
    files = [records(at_most), records(at_most, "y"), records(*["x" * 100_000] * 10), b"\n"]
    said = compare_columns((document, traces, one) for one in files)
    refused = [
        "the actions of a run have more than 1,000,000 characters" in one["steps"][1]["detail"]
        for one in said
    ]
    assert refused == [False, True, False, False]


def test_which_evidence_is_pinned():
    document, traces = receipt(drawing(7), 2)
    chosen = [[], [pinned("other", traces)], document["evidence"][:1], document["evidence"][1:]]
    said = compare_columns((document | {"evidence": evidence}, traces) for evidence in chosen)
    assert states(said) == ["not checked", "not checked", "pass", "not checked"]


def test_the_steps_of_a_receipt():
    """Of a deep re-score in Python: only the words of the re-score itself differ, which recomputes more there."""
    document, traces, records = receipt_and_records(drawing(10), 4, 2)
    document = scored(document, resample=True)
    other = document | {"runs": document["runs"] | {"tokens": [1] * 8}}
    key = PrivateKey.generate()
    asked, expected = [], []
    for data in (signed(document, key), signed(other, key)):
        for beside in ([], [traces], [traces, records]):
            held = {hashlib.sha256(one).hexdigest(): one for one in beside}
            materials = replace(MATERIALS, evidence=held.get)
            found = examine(
                data, log=None, scorers=TRACKS, materials=materials, supplied_key=key.public, deep=True
            )
            asked.append({"receipt": text(data), "key": text(key.public), "given": [*map(text, beside)]})
            expected.append([_step(asdict(step)) for step in found.steps])
    assert [[_step(step) for step in steps] for steps in ask("steps", asked)] == expected
    levels = ("re-score", "traces", "agreement", "evaluation")
    said = [[step["state"] for step in steps if step["name"] in levels] for steps in expected]
    assert said == [
        ["pass", "not checked", "not checked", "not checked"],
        ["pass", "pass", "not checked", "not checked"],
        ["pass", "pass", "pass", "not checked"],
        ["fail", "not checked", "not checked", "not checked"],
        ["fail", "fail", "not checked", "not checked"],
        ["fail", "fail", "pass", "not checked"],
    ]


def signed(document: dict[str, Any], key: PrivateKey) -> bytes:
    value = encode_base64url(key.sign(canonical.dumps(document)))
    signature = {"algorithm": "Ed25519", "publicKeyFingerprint": key.fingerprint, "value": value}
    return canonical.dumps(document | {"signature": signature})


def _step(step: dict[str, Any]) -> dict[str, Any]:
    """What both languages say of a step."""
    said = {name: step[name] for name in ("name", "state", "detail", "field")}
    return said | ({"detail": ""} if step["name"] == "re-score" else {})
