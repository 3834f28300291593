"""The part for data: benchmarks as they are listed and checked, and the importers of published ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from benchsite.track import Described, Imported
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.benchmarks import Kind, load

__all__ = ["described", "folders", "importers", "noun"]

noun: Final = "benchmark"
importers: Final[Mapping[str, Callable[..., Imported]]] = {}

_Importer = Callable[[Mapping[str, bytes]], Imported]


def described(data: bytes, where: str) -> Described:
    """Read the document of a benchmark; raises `InputError` with what is wrong."""
    benchmark = load(data, where)
    facts = benchmark.facts()
    counts = {"tasks": len(benchmark.tasks), "tools": len(facts.get("toolNames", benchmark.tools))}
    return Described(
        benchmark.id, benchmark.sha256, benchmark.license, benchmark.source, benchmark.notes, counts, facts
    )


class _Folders(Mapping[str, _Importer]):
    """The importers of the installed kinds of benchmarks, each imported when it is asked for."""

    def __getitem__(self, name: str) -> _Importer:
        kind: Kind | None = TRACK.plugin("benchmark", name) if name in TRACK.plugins("benchmark") else None
        if kind is None or kind.convert is None:
            raise KeyError(name)
        return kind.convert

    def __iter__(self) -> Iterator[str]:
        for name in TRACK.plugins("benchmark"):
            if TRACK.plugin("benchmark", name).convert is not None:
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)


folders: Final[Mapping[str, _Importer]] = _Folders()
