"""The agents track against `tests/vectors/agents`, computed by hand; `tests/js/agents.test.js` reads the same files."""

from __future__ import annotations

import copy
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from forgery import at
from invented_runs import scored

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.agents.record.columns import traced_columns
from benchsite.tracks.agents.record.violations import violations
from benchsite.tracks.agents.scores.scoring import score
from benchsite.tracks.agents.trace import archive
from benchsite.tracks.agents.trace.event import parse

FOLDER = Path(__file__).parents[2] / "vectors" / "agents"


def vector(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_bytes())
    return data


WORKED, TRACES = vector("worked"), vector("columns-from-traces")


def near(written: str) -> Any:
    return pytest.approx(float(Fraction(written)), rel=1e-15)


def test_the_worked_document():
    document = WORKED["document"]
    found = score(document["tasks"], document["runs"]).sections(seed=None)
    cv = found["scores"].pop("tokens_cv")
    assert cv == pytest.approx(math.sqrt(1 / 6), rel=1e-15)
    assert found["scores"] == {name: near(item["mean"]) for name, item in WORKED["scores"].items()}
    assert found["timing"].pop("latency_cv") == pytest.approx(math.sqrt(1 / 14), rel=1e-15)
    calibration = WORKED["calibration"]
    assert found["calibration"] == {
        "runs": calibration["runs"],
        "calibrationError": near(calibration["calibrationError"]),
        "auroc": near(calibration["auroc"]),
    }
    assert found["timing"] == {name: near(value) for name, value in WORKED["timing"].items()}
    for name, item in WORKED["scores"].items():
        blank = [item["a"], item["b"]].count(None)
        counted = {"den": 2 - blank, "excluded": blank}
        if name in WORKED["numerators"]:
            counted["num"] = WORKED["numerators"][name]
        assert found["denominators"][name] == counted, name
    for name in WORKED["blank"]:
        assert found["denominators"][name] == {"den": 0, "excluded": 2}
    assert {name: table["scores"] for name, table in found["byDomain"].items()} == {
        name: {metric: near(value) for metric, value in given.items()}
        for name, given in WORKED["domains"].items()
    }


@pytest.mark.parametrize("case", vector("invariants")["cases"], ids=lambda case: case["name"])
def test_broken_relations(case: dict[str, Any]):
    document = copy.deepcopy(scored(WORKED["document"]))
    for pointer, value in case["set"].items():
        holder, key = at(document, steps(pointer))
        holder[key] = value
    for pointer in case["remove"]:
        holder, key = at(document, steps(pointer))
        del holder[key]
    assert sorted({found.code for found in violations(document)}) == case["codes"]


def steps(pointer: str) -> tuple[Any, ...]:
    return tuple(int(step) if step.isdecimal() else step for step in pointer.lstrip("/").split("/"))


@pytest.mark.parametrize("case", TRACES["traces"], ids=lambda case: case["name"])
def test_columns_of_a_trace(case: dict[str, Any]):
    events = [parse(canonical.dumps(event)) for event in case["events"]]
    assert traced_columns(events) == case["columns"]


@pytest.mark.parametrize(("message", "text"), TRACES["refused"], ids=lambda value: value[:40])
def test_refused_traces(message: str, text: str):
    with pytest.raises(InputError) as refused:
        list(archive.unpacked(text.encode()))
    assert refused.value.message == message
