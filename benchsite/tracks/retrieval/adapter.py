"""The adapter contract: what a memory or retrieval system looks like to the harness (specs/retrieval.md).

An adapter is a class built with its options as keyword arguments. It needs no import from here: whatever has
the attribute `about` (an object or a mapping) and these methods is one. It lives in its own process, sees one scope at a time, and never learns
the expected ids, the category or the split of a question; the ids it sees are opaque.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

__all__ = ["About", "Adapter", "Hit", "Item", "relative"]


class Item(NamedTuple):
    """One thing to remember; `timestamp` is RFC 3339 or None."""

    id: str
    content: str
    metadata: Mapping[str, Any]
    timestamp: str | None


class Hit(NamedTuple):
    """One answer: an ingested id, the adapter's confidence in [0, 1], and the text for a person to check."""

    id: str
    score: float
    content: str


class About(NamedTuple):
    """What an adapter declares.

    Attributes:
        name: 1 to 80 of a-z, 0-9 and "-".
        author: who wrote the adapter.
        version: of the measured system, if no distribution says it.
        network: whether it asks for network access; `hosts` names the only hosts, none for every host.
        hosted: whether a remote service answers, so that the version is self-reported.
        environment: names of the environment variables that it asks for; nothing else is passed.
        distributions: installed distributions that its results depend on, the measured system first: their versions are read
            by the harness, and the first one's is the version.
        assets: absolute paths of weights and mapping files, by the name they are recorded under.
        backend: name of the bare system that a product is built on.
    """

    name: str
    author: str
    version: str = ""
    network: bool = False
    hosts: tuple[str, ...] = ()
    hosted: bool = False
    environment: tuple[str, ...] = ()
    distributions: tuple[str, ...] = ()
    assets: Mapping[str, str] = MappingProxyType({})
    backend: str = ""


class Adapter(Protocol):
    """What is measured. The order of `query`'s list is the ranking; an empty list is an abstention.

    `flush()` (wait until what was ingested can be found) and `close()` are called where they exist.
    """

    about: About

    def reset(self) -> None:
        """Clear the index: a new scope starts."""

    def ingest(self, items: Sequence[Item]) -> None:
        """Remember these items; called once or more per scope."""

    def query(self, q: str, k: int, when: str | None) -> Sequence[Hit]:
        """At most `k` hits for the query `q` at `when` (RFC 3339 or None), best first."""


def relative(scores: Iterable[float]) -> list[float]:
    """Return scores of any scale, higher is better, as confidences: divided by the best one, clipped to [0, 1].

    All are 0 if none is above 0.
    """
    values = list(scores)
    best = max(values, default=0.0)
    return [min(max(value / best, 0.0), 1.0) if best > 0 else 0.0 for value in values]
