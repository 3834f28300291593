"""BEIR's layout: `corpus.jsonl`, `queries.jsonl`, and judgements of a split in `qrels/<split>.tsv` or as lines of JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite.errors import InputError
from benchsite.tracks.retrieval.importers.assembly import Collection, Origin, slug_of
from benchsite.tracks.retrieval.importers.reading import field_lines, json_lines, member

__all__ = ["convert"]

LIMIT_SMALL: Final = "limit-small"
PUBLISHED: Final[Mapping[str, str]] = {
    LIMIT_SMALL: "6086db762789e2e3eb1a444b39c73da61d570136606b33c8682411a94fb002c9"
}
"""SHA-256 of corpus, queries and judgements, one after the other, of data sets that this release knows."""
_FORM: Final = "query-id TAB corpus-id TAB score"
_NUMBER: Final = re.compile(r"[-+.]?\d|$")
"""The start of a grade, right or wrong, or none; the header's third column starts otherwise."""
_DEFAULT_SPLIT: Final = "test"


def convert(
    files: Mapping[str, bytes],
    *,
    fixture_id: str | None,
    where: str,
    split: str,
    origin: Mapping[str, str],
) -> tuple[dict[str, Any], list[str]]:
    """Read a folder of BEIR's layout.

    Args:
        files: its files by relative path.
        fixture_id: of the fixture; by default the folder's name and the split.
        where: the folder's name.
        split: whose judgements.
        origin: license, source, notes and description, as the person states them.

    Raises:
        InputError: a file is missing or malformed.
    """
    corpus, queries = _held(files, "corpus.jsonl"), _held(files, "queries.jsonl")
    qrels_name = _qrels_name(files, split)
    qrels = files[qrels_name]
    found = Collection(judged_only=True)
    for number, row in json_lines(corpus, "corpus.jsonl"):
        place = f"corpus.jsonl line {number}"
        title, text = str(row.get("title") or "").strip(), member(row, ("text",), place)
        found.item(member(row, ("_id", "id"), place), "\n".join(filter(None, (title, text.strip()))), place)
    for number, row in json_lines(queries, "queries.jsonl"):
        place = f"queries.jsonl line {number}"
        found.query(member(row, ("_id", "id"), place), member(row, ("text",), place), place)
    for number, query, item, grade in _judgements(qrels, qrels_name):
        found.judge(query, item, grade, f"{qrels_name} line {number}")
    name = slug_of(where) or "beir"
    parts = (name,) if qrels_name in ("qrels.jsonl", "qrels.tsv") else (name, split)
    data = b"".join((corpus, queries, qrels))
    return found.fixture(
        data,
        Origin.of("beir", origin, PUBLISHED if name == LIMIT_SMALL else None),
        fixture_id or slug_of("-".join(parts)),
        benchmark=name,
        subset=split if len(parts) > 1 else None,
        options={"split": split},
    )


def _held(files: Mapping[str, bytes], name: str) -> bytes:
    if name not in files:
        raise InputError(
            f"no {name} in the folder",
            hint="BEIR's layout is corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv",
        )
    return files[name]


def _qrels_name(files: Mapping[str, bytes], split: str) -> str:
    names = (f"qrels/{split}.tsv", f"qrels/{split}.jsonl")
    found = next((name for name in names if name in files), "")
    whole = next((name for name in ("qrels.tsv", "qrels.jsonl") if name in files), "")
    if not found and whole:
        if split != _DEFAULT_SPLIT:
            raise InputError(
                f"no labels of split {split!r}: {names[0]}", hint=f"{whole} has no split: remove --split"
            )
        return whole
    if not found:
        known = sorted(
            name.removeprefix("qrels/").rpartition(".")[0] for name in files if name.startswith("qrels/")
        )
        raise InputError(
            f"no labels of split {split!r}: {names[0]}",
            hint=f"--split {' or '.join(known)}" if known else "BEIR's layout has them in qrels/SPLIT.tsv",
        )
    return found


def _judgements(data: bytes, name: str) -> Iterator[tuple[int, str, str, int]]:
    """Yield line, query, document and grade."""
    if name.endswith(".jsonl"):
        for number, row in json_lines(data, name):
            place = f"{name} line {number}"
            query, item = (
                member(row, ("query-id", "query_id"), place),
                member(row, ("corpus-id", "corpus_id"), place),
            )
            yield number, query, item, grade_of(row.get("score"), place)
        return
    for number, (query, item, grade) in field_lines(data, name, fields=(3,), form=_FORM, tabs=True):
        if number == 1 and not _NUMBER.match(grade):
            continue  # the header
        yield number, query, item, grade_of(grade, f"{name} line {number}")


def grade_of(value: object, where: str) -> int:
    """Return a grade; raises `InputError` if it is no whole number."""
    text = str(value)
    if isinstance(value, bool) or not text.removeprefix("-").removesuffix(".0").isdecimal() or len(text) > 8:
        raise InputError(
            f"{where}: grade {text[:40]!r} is no whole number", hint="write grades such as 0, 1 and 2"
        )
    return int(text.removesuffix(".0"))
