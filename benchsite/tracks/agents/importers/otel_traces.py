"""The spans of a file by trace, in a store outside memory: of each trace the places of its spans are held.

Spans may come in any order, and those of several traces may alternate. Refused: more spans or traces than can be held.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from benchsite.errors import InputError
from benchsite.tracks.agents.importers.otel_spans import Span
from benchsite.tracks.agents.importers.run_lines import FOREIGN
from benchsite.tracks.agents.record.payload import MAX_RUNS

__all__ = ["MAX_SPANS", "Store", "Traces"]

MAX_SPANS: Final = 2_000_000
_PARTS: Final = "import parts of the file"


class Store(Protocol):
    """Bytes outside memory."""

    def write(self, data: bytes) -> int:
        """Keep bytes, and return the place where they start."""

    def read(self, start: int, size: int) -> bytes:
        """Return the bytes that were kept at a place."""


class Traces:
    """The traces of a file, in the order of their first spans."""

    def __init__(self, name: str, store: Store) -> None:
        self._name, self._store = name, store
        self._places: dict[str, array[int]] = {}  # of each trace a start and a size, several times
        self._count = 0

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def add(self, number: int, spans: Iterable[Span]) -> None:
        """Keep the spans of a line; raises `InputError`."""
        packed: dict[str, list[bytes]] = {}
        for span in spans:
            told = (span.id, span.parent, span.start, span.end, span.attributes, span.failed, number)
            try:
                line = json.dumps(told)
            except RecursionError:
                raise self._too_deep() from None
            packed.setdefault(span.trace, []).append(line.encode("ascii") + b"\n")
            self._count += 1
        texts = {trace: b"".join(parts) for trace, parts in packed.items()}
        start = self._store.write(b"".join(texts.values()))
        for trace, text in texts.items():
            places = self._places.setdefault(trace, array("Q"))
            if places and sum(places[-2:]) == start:
                places[-1] += len(text)
            else:
                places.extend((start, len(text)))
            start += len(text)
        for count, most, what in ((self._count, MAX_SPANS, "spans"), (len(self), MAX_RUNS, "traces")):
            if count > most:
                raise InputError(f"{self._name} line {number}: more than {most:,} {what}", hint=_PARTS)

    def spans(self, trace: str) -> list[Span]:
        """Return the spans of a trace in the order of the file, those exported twice too; raises `InputError`."""
        places = self._places[trace]
        return [
            self._span(trace, line)
            for start, size in zip(places[::2], places[1::2], strict=True)
            for line in self._store.read(start, size).splitlines()
        ]

    def _span(self, trace: str, line: bytes) -> Span:
        try:
            own, parent, start, end, attributes, failed, number = json.loads(line)
        except RecursionError:
            raise self._too_deep() from None
        where = f"{self._name} line {number}"
        return Span(trace, own, parent, start, end, attributes, failed, where)

    def _too_deep(self) -> InputError:
        return InputError(f"{self._name}: an attribute is nested too deeply", hint=FOREIGN)
