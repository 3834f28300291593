"""The document of BrowseComp-Plus: decrypted queries with their answers, and the corpus by its hash.

Takes bytes, never a path. It is sealed: errors name ids and lines, never a query, an answer or a text. Refuses rows that are
still encrypted, ids that occur twice, and relevant documents that the corpus does not have.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field, PrivateAttr, StringConstraints, ValidationError

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.errors import InputError
from benchsite.schema import Schema, Sha256Hex, Slug, Text, first_fault

__all__ = ["Document", "Query", "convert", "corpus_ids", "parse", "passage"]

MAX_BYTES: Final = 256 * 1024 * 1024
_ENCRYPTED: Final = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_DECRYPT: Final = "run the official script that decrypts the dataset, and name its output"
_CORRECT: Final = "see content/docs/run-an-official-benchmark.md"

Words = Annotated[str, StringConstraints(min_length=1, max_length=50_000)]
DocumentId = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Ids = Annotated[tuple[DocumentId, ...], Field(strict=False, max_length=10_000)]


class CorpusFile(Schema):
    """The file of documents, as receipts pin it through the benchmark's document."""

    name: Text
    sha256: Sha256Hex
    size: Annotated[int, Field(ge=1)]
    documents: Annotated[int, Field(ge=1)]


class Query(Schema):
    """A query; `gold` are the documents with the answer, `evidence` those that lead to it."""

    id: Slug
    query: Words
    answer: Words
    gold: Ids
    evidence: Ids


class Document(Schema):
    """All queries. `searcher` is the adapter that the tool `search` asks; `canary` is the dataset's own text."""

    track: Literal["agents"]
    id: Slug
    kind: Literal["browsecomp-plus"]
    license: Text
    source: Text
    notes: Words
    publish: Literal["sealed"]
    canary: str
    searcher: Slug
    corpus: CorpusFile
    queries: Annotated[tuple[Query, ...], Field(strict=False, min_length=1, max_length=10_000)]

    _sha256: str = PrivateAttr(default="")

    @property
    def sha256(self) -> str:
        """SHA-256 hex of the JCS of the document, as receipts pin it."""
        return self._sha256


class _Open(Schema):
    """A published object; members that are not needed are ignored."""

    model_config = ConfigDict(extra="ignore", alias_generator=None)


class _Passage(_Open):
    docid: DocumentId
    text: str
    url: str = ""


class _Row(_Open):
    query_id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,80}$")]
    query: Words
    answer: Words
    gold_docs: Annotated[tuple[_Passage, ...], Field(strict=False)]
    evidence_docs: Annotated[tuple[_Passage, ...], Field(strict=False)]
    canary: str = ""


def parse(data: bytes, where: str) -> Document:
    """Read a `fixture.json`; raises `InputError` with the first faulty place."""
    value = _loaded(data, f"BrowseComp-Plus {where}")
    found: Document = _valid(Document, value, f"BrowseComp-Plus {where}")
    names = [query.id for query in found.queries]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"BrowseComp-Plus {where}: query {twice} occurs twice", hint=_CORRECT)
    found._sha256 = canonical.digest(value)  # noqa: SLF001 - ours
    return found


def passage(line: bytes, where: str) -> tuple[str, str]:
    """Return the id and the text of a line of the corpus; raises `InputError`."""
    found = _valid(_Passage, _loaded(line, where), where)
    return found.docid, found.text


def corpus_ids(lines: Iterable[bytes], where: str) -> set[str]:
    """Return the ids of a corpus, line by line; raises `InputError` for one that is malformed or occurs twice."""
    seen = set[str]()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        name, _ = passage(line, f"{where}: line {number}")
        if name in seen:
            raise InputError(f"{where}: line {number}: document {name} occurs twice", hint=_CORRECT)
        seen.add(name)
    if not seen:
        raise InputError(
            f"{where}: no documents", hint="export the corpus as JSON lines of docid, text and url"
        )
    return seen


def convert(
    where: str, data: bytes, corpus: Mapping[str, Any], known: Collection[str], searcher: str
) -> dict[str, Any]:
    """Return the document of a file of decrypted rows.

    Args:
        where: the name of the file.
        data: its bytes, a row a line.
        corpus: the member `corpus`.
        known: ids of the corpus.
        searcher: the name of an adapter.

    Raises:
        InputError: a row is malformed or encrypted, or names documents that the corpus does not have.
    """
    rows = [
        _row(line, f"{where}: line {number}", known)
        for number, line in enumerate(data.split(b"\n"), 1)
        if line.strip()
    ]
    canary = next((row.canary for row in rows if row.canary), "")
    return {
        "track": "agents",
        "id": f"browsecomp-plus-{searcher}",
        "kind": "browsecomp-plus",
        "license": "MIT; its texts must not be published in plain form",
        "source": "https://github.com/texttron/BrowseComp-Plus",
        "notes": f"Decrypted rows with SHA-256 {canonical.sha256_hex(data)}.",
        "publish": "sealed",
        "canary": canary,
        "searcher": searcher,
        "corpus": dict(corpus),
        "queries": [
            {
                "id": row.query_id.lower(),
                "query": row.query,
                "answer": row.answer,
                "gold": [one.docid for one in row.gold_docs],
                "evidence": [one.docid for one in row.evidence_docs],
            }
            for row in rows
        ],
    }


def _row(line: bytes, where: str, known: Collection[str]) -> _Row:
    row: _Row = _valid(_Row, _loaded(line, where), where)
    if _ENCRYPTED.fullmatch(row.query):
        raise InputError(f"{where}: query {row.query_id} is still encrypted", hint=_DECRYPT)
    for one in (*row.gold_docs, *row.evidence_docs):
        if one.docid not in known:
            raise InputError(
                f"{where}: query {row.query_id}: the corpus has no document {one.docid}",
                hint="export the whole corpus of the same version",
            )
    return row


def _loaded(data: bytes, where: str) -> Any:
    try:
        return canonical.loads(data, max_bytes=MAX_BYTES)
    except JsonError as error:
        raise InputError(f"{where}: {error.message}", hint=error.hint) from None


def _valid(model: Any, value: Any, where: str) -> Any:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        place, fault = first_fault(error)
        raise InputError(f"{where}: {place or 'document'}: {fault}", hint=_CORRECT) from None
