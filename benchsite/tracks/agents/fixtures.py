"""The part for data: benchmarks as they are listed and checked, and the importers of published ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import click

from benchsite.track import Described
from benchsite.track.parts import DataFormat
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.benchmarks import Kind, load

__all__ = ["described", "formats", "noun"]

noun: Final = "benchmark"


def described(data: bytes, where: str) -> Described:
    """Read the document of a benchmark; raises `InputError` with what is wrong."""
    benchmark = load(data, where)
    facts = benchmark.facts()
    counts = {"tasks": len(benchmark.tasks), "tools": len(facts.get("toolNames", benchmark.tools))}
    return Described(
        benchmark.id, benchmark.sha256, benchmark.license, benchmark.source, benchmark.notes, counts, facts
    )


class _Formats(Mapping[str, DataFormat]):
    """The importers of the installed kinds of benchmarks, each imported when it is asked for."""

    def __getitem__(self, name: str) -> DataFormat:
        kind: Kind | None = TRACK.plugin("benchmark", name) if name in TRACK.plugins("benchmark") else None
        if kind is None or kind.convert is None:
            raise KeyError(name)
        convert = kind.convert
        help_text = (
            kind.help
            or f"Import the benchmark {name}.\n\nPATH is the folder of the published data; for workbench the one that holds processed/."
        )
        parameters = [
            click.Option(
                [f"--{option}"],
                type=click.Choice(values),
                default=values[0],
                show_default=True,
                help=text,
            )
            for option, (values, text) in kind.choices.items()
        ]
        return DataFormat(
            help_text,
            lambda files, where="", **options: convert(files, **options),  # noqa: ARG005 - a file has no folder
            parameters=parameters,
            suffixes=kind.suffixes,
            takes_id=False,
            large=kind.large,
        )

    def __iter__(self) -> Iterator[str]:
        for name in TRACK.plugins("benchmark"):
            if TRACK.plugin("benchmark", name).convert is not None:
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)


formats: Final[Mapping[str, DataFormat]] = _Formats()
