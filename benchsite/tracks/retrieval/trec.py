"""Run files and relevance judgements of TREC: read as trec_eval reads them, and written from a receipt.

A line of a run is `query Q0 document rank score tag`, one of judgements `query 0 document grade`, both separated by blanks. As in
trec_eval, the ranking follows from the scores alone: falling, held as 32-bit floats, and among equal scores by falling
document id. The column of ranks is not read. An id with blanks in it is written percent-encoded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import numpy as np

from benchsite.errors import InputError

__all__ = [
    "Hit",
    "encoded",
    "judgements",
    "ranking",
    "read_judgements",
    "read_run",
    "written_judgements",
    "written_run",
]

_TAKEN: Final = re.compile(r"[\s%]")
_GRADE: Final = re.compile(r"[+-]?\d{1,7}(\.0+)?", re.ASCII)
_RUN_FIELDS: Final = 6
_LABEL_FIELDS: Final = 4


class Hit(NamedTuple):
    """One line of a run: the document, its score, and the number of the line."""

    document: str
    score: float
    line: int


def lines(data: bytes, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield number and fields of each line that is not blank.

    Raises:
        InputError: the file is not UTF-8; the line is named.
    """
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        try:
            fields = raw.decode().split()
        except UnicodeDecodeError:
            raise InputError(f"{name} line {number}: not UTF-8", hint="save the file as UTF-8") from None
        if fields:
            yield number, fields


def read_run(data: bytes, name: str) -> tuple[dict[str, list[Hit]], str]:
    """Read a run file.

    Args:
        data: its bytes.
        name: the file's name, for messages.

    Returns:
        The hits of each query, in the order of the file, and the tag of the first line.

    Raises:
        InputError: a line has not six fields or a score that is no finite number, a document is named twice for a query,
            or the file is empty.
    """
    runs: dict[str, dict[str, Hit]] = {}
    tag = ""
    for number, fields in lines(data, name):
        where = f"{name} line {number}"
        if len(fields) != _RUN_FIELDS:
            raise InputError(
                f"{where}: {len(fields)} fields, not 6",
                hint="a line of a run is: query Q0 document rank score tag",
            )
        query, _, document, _, score, tag_here = fields
        tag = tag or tag_here
        hits = runs.setdefault(query, {})
        if document in hits:
            raise InputError(
                f"{where}: document {document} twice for query {query}, as in line {hits[document].line}",
                hint="name each document once for a query, as trec_eval asks",
            )
        hits[document] = Hit(document, _score(score, where), number)
    if not runs:
        raise InputError(f"{name} is empty", hint="give a run file of TREC's format")
    return {query: list(hits.values()) for query, hits in runs.items()}, tag


def _score(text: str, where: str) -> float:
    try:
        value = math.nan if "_" in text else float(text)  # Python reads 1_0 as 10, trec_eval as 1
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{where}: score {text} is not a finite number", hint="correct the score")
    return value


def ranking(hits: Sequence[Hit]) -> list[str]:
    """Return the documents as trec_eval ranks them, best first."""
    with np.errstate(over="ignore"):
        return [
            hit.document
            for hit in sorted(hits, key=lambda hit: (np.float32(hit.score), hit.document), reverse=True)
        ]


def read_judgements(data: bytes, name: str) -> dict[str, dict[str, int]]:
    """Read relevance judgements.

    Args:
        data: the file's bytes.
        name: the file's name, for messages.

    Returns:
        The grade of each judged document of each query.

    Raises:
        InputError: a line has not four fields or a grade that is no whole number, a document is named twice for a query,
            or the file is empty.
    """
    grades: dict[str, dict[str, int]] = {}
    for number, fields in lines(data, name):
        where = f"{name} line {number}"
        if len(fields) != _LABEL_FIELDS:
            raise InputError(
                f"{where}: {len(fields)} fields, not 4", hint="a line of qrels is: query 0 document grade"
            )
        query, _, document, grade = fields
        if not _GRADE.fullmatch(grade):
            raise InputError(
                f"{where}: grade {grade[:40]!r} is no whole number", hint="write grades such as 0, 1 and 2"
            )
        judged = grades.setdefault(query, {})
        if document in judged:
            raise InputError(
                f"{where}: document {document} twice for query {query}",
                hint="name each document once for a query, as trec_eval asks",
            )
        judged[document] = int(float(grade))
    if not grades:
        raise InputError(f"{name} is empty", hint="give qrels: lines of query 0 document grade")
    return grades


def encoded(name: str) -> str:
    """Return an id as a field: one with blanks or a percent sign is percent-encoded there, every other stays as it is."""
    return _TAKEN.sub(lambda found: quote(found[0], safe=""), name)


def written_run(rows: Sequence[Mapping[str, Any]], tag: str) -> str:
    """Return the run file of a receipt's `perQuery`.

    Scores are made up, one less at each rank, because trec_eval orders by them. Duplicates are dropped, keeping the first.
    Queries without results have no line: give trec_eval `-c` to count them as 0.
    """
    made = []
    for row in rows:
        names = list(dict.fromkeys(row["retrieved"]))
        query = encoded(row["queryId"])
        made += [
            f"{query} Q0 {encoded(name)} {rank} {len(names) - rank + 1} {encoded(tag)}\n"
            for rank, name in enumerate(names, 1)
        ]
    return "".join(made)


def judgements(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str, int]]:
    """Yield query, document and grade of each judged item of the queries that metrics count."""
    for row in rows:
        if any(entry["grade"] >= 1 for entry in row["expected"]):
            yield from ((row["queryId"], entry["id"], entry["grade"]) for entry in row["expected"])


def written_judgements(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the relevance judgements of a receipt's `perQuery`, for the queries that metrics count."""
    return "".join(f"{encoded(query)} 0 {encoded(name)} {grade}\n" for query, name, grade in judgements(rows))
