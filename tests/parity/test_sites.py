"""Receipts against a served log: the browser's engine reads the site, Python the record; they find the same."""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from documents import MATERIALS
from parity.engines import Engine, Served
from parity.findings import found, parted
from parity.forged import forgeries
from parity.sites import Story, trust_data, write
from sample_record import key
from snapshots import opened, snapshot
from watching import NAMES

from benchsite import plugins
from benchsite.history import Verdict, examine
from benchsite.log import Log, Witnessing
from benchsite.pipeline.demo import Demonstration, demo
from benchsite.pipeline.workspace import Workspace

ONLY_IN_THE_BROWSER = {"checkpoint", "consistency", "traces", "agreement", "evaluation"}
"""The last three are apart from the steps in Python (`Rescoring.further`); `test_imported_runs` compares them."""
SEED = 4


@cache
def story() -> Story:
    return Story()


def expected(data: bytes, log: Log, witnessing: Witnessing | None) -> dict[str, Any]:
    seen = examine(data, log=log, scorers=plugins.tracks(), materials=MATERIALS, witnessing=witnessing)
    return {**found(seen), "index": seen.index, "size": log.size}


def compare(
    engine: Engine, trust: dict[str, Any], base: str, cases: dict[str, bytes], log: Log, seen: Any
) -> set[str]:
    """Every file, and what of it Python and the engine say; the verdicts that occurred."""
    asked = [
        {"bytes": b64encode(data).decode(), "trust": trust, "base": base, "key": None}
        for data in cases.values()
    ]
    wrong = {}
    verdicts = set()
    for (what, data), got in zip(cases.items(), engine.ask("site", asked), strict=True):
        ours = expected(data, log, seen)
        if got["size"] is None:  # a file that is no receipt is refused before the log is asked for
            ours["size"] = None
        shared = [step for step in got["steps"] if step[0] not in ONLY_IN_THE_BROWSER]
        parts = parted(ours, {**got, "steps": shared})
        verdicts.add(ours["verdict"])
        if parts:
            wrong[what] = parts
    assert wrong == {}, f"(part, python, {engine.version})"
    return verdicts


@pytest.mark.parametrize("trusted", [NAMES[:2], ()], ids=["witnesses", "none"])
@pytest.mark.stories
def test_every_standing_of_a_receipt(
    engine: Engine, served: Served, tmp_path: Path, trusted: tuple[str, ...]
):
    told = story()
    witnessing = told.witnessing(*trusted) if trusted else None
    trust = write(told, witnessing, tmp_path)
    base = served.add(tmp_path.name, tmp_path)
    verdicts = compare(engine, trust, base, told.files, told.record.log, witnessing)
    assert verdicts == {str(verdict) for verdict in Verdict} - (set() if trusted else {"WITNESSED"})


@pytest.mark.parametrize("age", ["founded", "middle"])
@pytest.mark.stories
def test_a_page_older_than_the_log_catches_up(engine: Engine, served: Served, tmp_path: Path, age: str):
    told = story()
    write(told, None, tmp_path)
    size = 5 if age == "founded" else told.middle
    trust = json.loads(trust_data(told.record, size))
    compare(engine, trust, served.add(tmp_path.name, tmp_path), told.files, told.record.log, None)


@pytest.mark.parametrize("count", [50, pytest.param(800, marks=pytest.mark.full)])
@pytest.mark.stories
def test_forgeries_of_a_logged_receipt(engine: Engine, served: Served, tmp_path: Path, count: int):
    told = story()
    trust = write(told, None, tmp_path)
    made = [*forgeries(json.loads(told.files["logged"]), key(2), SEED)]
    chosen = {str(place): made[place]() for place in range(0, len(made), len(made) // count)}
    base = served.add(tmp_path.name, tmp_path)
    assert {"INVALID", "LOGGED"} <= compare(engine, trust, base, chosen, told.record.log, None)


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> Demonstration:
    """A real instance, measured, published and built."""
    return demo(tmp_path_factory.mktemp("demo"), lambda _: None, lambda *_: None)


@pytest.mark.full
@pytest.mark.stories
def test_a_site_that_build_has_made(engine: Engine, served: Served, demonstration: Demonstration):
    instance = Workspace(demonstration.root)
    log = opened(instance).log
    assert log is not None
    files = {item.path: instance.repository.blob(item.blob_id) for item in snapshot(instance).published}
    files["tampered"] = demonstration.tampered.read_bytes()
    trust = json.loads((demonstration.site / "log" / "trust.json").read_bytes())
    base = served.add("demo", demonstration.site)
    assert compare(engine, trust, base, files, log, snapshot(instance).witnessing) == {"LOGGED", "INVALID"}
    assert len(files) > 4
    instance.repository.close()
