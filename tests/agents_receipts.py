"""Agents receipts for tests: the documents that the runner makes on the tiny benchmark, signed or not."""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Callable, Mapping
from typing import Any

import tiny_workbench

from benchsite.history import Given
from benchsite.progress import silent
from benchsite.receipt import Receipt
from benchsite.track import Measurement, Resolved, RunContext, Work
from benchsite.tracks.agents import results
from benchsite.tracks.agents.run import runner

SYSTEMS = "benchsite.tracks.agents.systems.baselines:"


def context() -> RunContext:
    """The real clock, because a system runs in a process of its own."""
    return RunContext(
        now=lambda: "2026-11-23T12:00:00Z",
        perf_counter_ns=time.perf_counter_ns,
        load_average=lambda: None,
        cores=1,
        progress=silent,
        temp_dir=tempfile.gettempdir(),
    )


def work(system: str = "null", **request: Any) -> Work:
    """The work of a baseline."""
    budget = {"toolCalls": 200, "messages": None, "tokens": None, "seconds": 60.0}
    settings = {
        "runs_per_task": 1,
        "limit": None,
        "seed": 7,
        "budget": budget,
        "models": {},
        "options": {},
        "policies": {},
        "perturbation": None,
        **request,
    }
    return Work("agents", system, "workbench", "", settings)


def resolved(system: str = "null") -> Resolved:
    """What the pipeline looks up for it; the rules are not asked for."""
    name = system.replace("-", "_")
    return Resolved(None, {"system": f"{SYSTEMS}{name}"}, tiny_workbench.data())  # type: ignore[arg-type]


def measured(system: str = "null", **request: Any) -> Measurement:
    """A native run of a baseline on the tiny benchmark."""
    return runner.run(work(system, **request), resolved(system), context())


def imported(
    changed: Mapping[str, tiny_workbench.Row] | None = None,
    configuration: str = "gpt-9_all",
    **options: Any,
) -> Measurement:
    """An imported configuration of the tiny benchmark."""
    files = tiny_workbench.results(configuration, dict(changed or {}))
    given = {"system": None, "model": None, "allow_missing": False, **options}
    made = results.formats["workbench-results"].work(files, configuration=configuration, **given)
    return runner.run(made, resolved(), context())


def document(made: Measurement) -> dict[str, Any]:
    """The members of a receipt that the track reads."""
    evidence = [
        {
            "name": item.name,
            "sha256": _sha256(item.data),
            "size": len(item.data),
            "mediaType": item.media_type,
        }
        for item in made.evidence
    ]
    return {
        "receiptId": "r",
        "origin": made.origin,
        "methodology": {"version": "1.0.0"},
        "config": dict(made.config),
        "evidence": evidence,
        **made.payload,
    }


def receipt(made: dict[str, Any]) -> Receipt:
    """A document as verification sees it; only its document is read."""
    found = Receipt.__new__(Receipt)
    object.__setattr__(found, "document", made)
    return found


def given(made: Measurement | None = None, target: bytes | None = None) -> Given:
    """Its evidence at hand, and the benchmark's data where it is to be evaluated."""
    held = {_sha256(item.data): item.data for item in made.evidence} if made is not None else {}
    find: Callable[[str, str], bytes | None] = lambda _id, _sha256: target  # noqa: E731
    return Given(None, held.get, find)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
