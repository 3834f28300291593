"""The adapter contract: what a memory or retrieval system looks like to the harness (specs/retrieval.md).

An adapter is a class built with its options as keyword arguments. It needs no import from here: whatever has
these attributes and methods is one. It lives in its own process, sees one scope at a time, and never learns
the expected ids, the category or the split of a question; the ids it sees are opaque.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

__all__ = ["Adapter", "Hit", "Item"]


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


class Adapter(Protocol):
    """What is measured. The order of `query`'s list is the ranking; an empty list is an abstention.

    `flush()` (wait until what was ingested can be found) and `close()` are called where they exist.
    `network` asks for network access, `environment` names the environment variables needed (nothing else is
    passed), `hosted` says that a remote service answers, so the version is self-reported.
    """

    name: ClassVar[str]
    version: ClassVar[str]
    author: ClassVar[str]
    network: ClassVar[bool]
    hosted: ClassVar[bool]
    environment: ClassVar[tuple[str, ...]]

    def reset(self) -> None:
        """Clear the index: a new scope starts."""

    def ingest(self, items: Sequence[Item]) -> None:
        """Remember these items; called once or more per scope."""

    def query(self, q: str, k: int, when: str | None) -> Sequence[Hit]:
        """At most `k` hits for the query `q` at `when` (RFC 3339 or None), best first."""
