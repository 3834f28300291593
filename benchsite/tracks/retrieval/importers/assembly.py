"""A fixture put together from documents, queries and relevance judgements, and what became of them.

What the rules of a fixture don't admit, and other people's data has, is counted and named in `notes` and on the terminal: documents
without text, judgements of documents that are not there, negative grades, queries without a judgement.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.words import amount, sentence_case

__all__ = ["Collection", "Origin", "slug_of"]

SCOPE: Final = "all"
"""The one scope of a collection without scopes."""
_SHOWN: Final = 3
_STATED: Final = ("license", "source", "notes", "description")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where data comes from.

    Attributes:
        kind: the importer.
        license, source, notes, description: as the fixture states them.
        published: SHA-256 of the published data by name, empty if this release knows none; None if there is nothing to compare with.
        is_noted: notes say that data is the published one, too.
    """

    kind: str
    license: str
    source: str
    notes: str = ""
    description: str = ""
    published: Mapping[str, str] | None = None
    is_noted: bool = True

    @classmethod
    def of(cls, kind: str, stated: Mapping[str, str], published: Mapping[str, str] | None = None) -> Self:
        """Return the origin of data that these members describe."""
        license_, source, notes, description = (stated.get(name, "") for name in _STATED)
        return cls(kind, license_, source, notes, description, published)


@dataclass(slots=True)
class Collection:
    """Documents, queries and judgements in the order in which they are read.

    Attributes:
        items, queries: of the fixture to be, by id.
        judged_only: drop queries without a judgement, as of another split.
    """

    judged_only: bool = False
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    queries: dict[str, dict[str, Any]] = field(default_factory=dict)
    counted: Counter[str] = field(default_factory=Counter)
    _named: dict[str, dict[str, str]] = field(default_factory=dict)
    _judged: set[str] = field(default_factory=set)
    _blank: set[str] = field(default_factory=set)

    def item(self, name: str, content: str, where: str, **members: Any) -> None:
        """Add a document; one without text is dropped.

        Raises:
            InputError: another one has this id.
        """
        if name in self.items or name in self._blank:
            raise InputError(
                f"{where}: document {name[:80]!r} occurs twice", hint="give each document its own id"
            )
        if not content.strip():
            self._blank.add(name)
            self.note("dropped documents without text", name, where)
            return
        self.items[name] = {"id": name, "scope": SCOPE, "content": content, "timestamp": None, **members}

    def query(self, name: str, text: str, where: str, **members: Any) -> None:
        """Add a query.

        Raises:
            InputError: another one has this id, or it has no text.
        """
        if name in self.queries:
            raise InputError(f"{where}: query {name[:80]!r} occurs twice", hint="give each query its own id")
        if not text.strip():
            raise InputError(f"{where}: query {name[:80]!r} has no text", hint="remove it, or write its text")
        self.queries[name] = {"id": name, "query": text, "scope": SCOPE, "expected": [], **members}

    def judge(self, query: str, item: str, grade: int, where: str) -> None:
        """Add a judgement; one of a document that is not there is dropped, a negative grade becomes 0.

        Raises:
            InputError: the query has a judgement of this document already.
        """
        if query not in self.queries:
            self.note("dropped labels of unknown queries", query, where)
            return
        self._judged.add(query)
        if item not in self.items:
            self.note("dropped labels of unknown documents", item, where)
            return
        if grade < 0:
            self.note("negative grades taken as 0", item, where)
        expected = self.queries[query]["expected"]
        if any(entry["id"] == item for entry in expected):
            raise InputError(
                f"{where}: document {item[:80]!r} is labeled twice for query {query[:80]!r}",
                hint="keep one line",
            )
        expected.append({"id": item, "grade": max(0, grade)})

    def fixture(
        self,
        data: bytes,
        origin: Origin,
        fixture_id: str,
        *,
        benchmark: str,
        subset: str | None = None,
        granularity: str = "document",
        options: Mapping[str, Any] | None = None,
    ) -> tuple[dict[str, Any], list[str]]:
        """Return the fixture, and the import in lines for people.

        Args:
            data: the bytes that were imported, whose SHA-256 the fixture states.
            origin: where they come from.
            fixture_id: of the fixture.
            benchmark: what the data set is called.
            subset: a part of it.
            granularity: what an item is.
            options: of the import.

        Raises:
            InputError: there is no document or no query.
        """
        kept = [query for name, query in self.queries.items() if not self.judged_only or name in self._judged]
        if self.judged_only and len(kept) < len(self.queries):
            self.counted["dropped queries without labels"] = len(self.queries) - len(kept)
        for what, found in (
            ("document", self.items),
            ("query with a label" if self.judged_only else "query", kept),
        ):
            if not found:
                raise InputError(f"{origin.kind}: no {what}", hint="check the files and the split")
        sha256 = canonical.sha256_hex(data)
        held = f"{amount(len(self.items), 'item')}, {amount(len(kept), 'query', 'queries')}"
        provenance = _provenance(origin, sha256)
        lines = [held, *self._said(with_place=True), *provenance]
        noted = provenance if origin.is_noted else ()
        notes = " ".join(f"{sentence_case(line)}." for line in (*self._said(), *noted))
        document = {
            "id": fixture_id,
            "benchmark": benchmark,
            "subset": subset,
            "description": origin.description,
            "granularity": granularity,
            "items": list(self.items.values()),
            "queries": kept,
            "license": origin.license,
            "source": origin.source,
            "notes": " ".join(filter(None, (origin.notes, notes))),
            "importer": {"kind": origin.kind, "sha256": sha256, "options": dict(options or {})},
        }
        return document, lines

    def note(self, what: str, name: str, where: str) -> None:
        """Count something that the rules of a fixture don't admit; the first of them are named, with the place of the very first."""
        self.counted[what] += 1
        named = self._named.setdefault(what, {})
        if len(named) < _SHOWN:
            named.setdefault(name, where)

    def _said(self, *, with_place: bool = False) -> list[str]:
        """What was counted, in sentences; places are of the imported files, and are said on the terminal only."""
        found = []
        for what, count in self.counted.items():
            named = self._named.get(what, {})
            names = ", ".join(name[:40] for name in named)
            more = ", …" if count > _SHOWN else ""
            place = f"; the first in {next(iter(named.values()))}" if with_place and named else ""
            found.append(f"{what}: {count:,}" + (f" ({names}{more}{place})" if names else ""))
        return found


def _provenance(origin: Origin, sha256: str) -> Sequence[str]:
    if origin.published is None:
        return ()
    if not origin.published:
        return ("unknown whether altered: no digest of the published file is known",)
    name = next((name for name, known in origin.published.items() if known == sha256), "")
    if name:
        return (f"the published data ({name})",)
    return (
        f"altered data, or a part or edition unknown to this release: its SHA-256 {sha256} is that of no known published file",
    )


def slug_of(text: str) -> str:
    """Return a fixture id made of a name: lower-case letters, digits and hyphens, at most 80."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:80].strip("-")
