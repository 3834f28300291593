"""The part for data: what a benchmark is, where it is listed and checked, and the imported ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from benchsite import canonical
from benchsite.track import Described, Imported
from benchsite.tracks.agents.benchmarks import load
from benchsite.tracks.agents.benchmarks.workbench.benchmark import WorkBench
from benchsite.tracks.agents.benchmarks.workbench.importer import convert

__all__ = ["described", "folders", "importers", "noun"]

_DIRECTORY: Final = "company_directory."

noun: Final = "benchmark"
importers: Final[Mapping[str, Callable[..., Imported]]] = {}


def described(data: bytes, where: str) -> Described:
    """Read the document of a benchmark; raises `InputError` with what is wrong."""
    benchmark = load(data, where)
    assert isinstance(benchmark, WorkBench)  # noqa: S101 - the one kind that there is
    dataset, tasks = benchmark.dataset, benchmark.tasks
    domains = Counter(task.domain for task in tasks)
    passive = Counter(task.domain for task in tasks if not task.needs_action)
    facts: dict[str, Any] = {
        "publish": benchmark.publish,
        "data": dataset.described,
        "domains": dict(domains),
        "doingNothing": {"num": passive.total(), "den": len(tasks)},
        "doingNothingByDomain": {name: f"{passive[name]}/{count}" for name, count in domains.items()},
        "evaluator": "final state of the tables, and no error",
        "toolNames": [name for name in benchmark.tools if not name.startswith(_DIRECTORY)],
        "companyDirectory": [name for name in benchmark.tools if name.startswith(_DIRECTORY)],
    }
    # As published: the lookup of the company directory is not one of the 26 tools.
    counts = {"tasks": len(tasks), "tools": len(facts["toolNames"])}
    return Described(
        dataset.id, dataset.sha256, dataset.license, dataset.source, dataset.notes, counts, facts
    )


def _workbench(files: Mapping[str, bytes]) -> Imported:
    """WorkBench as published; the files may be below a folder of any name that holds `processed/`."""
    document: dict[str, Any] = convert(files)
    data = canonical.dumps(document)
    found = described(data, "workbench")
    report = {"id": found.id, "sha256": found.sha256, "data": found.facts["data"], **found.counts}
    lines = [
        f"{found.counts['tasks']:,} tasks, {found.counts['tools']} tools and the company directory: {found.facts['data']}"
    ]
    return Imported(data, lines, report)


folders: Final[Mapping[str, Callable[[Mapping[str, bytes]], Imported]]] = {"workbench": _workbench}
