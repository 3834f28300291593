"""TREC's files: documents in SGML, lines of JSON or of `id TAB text`; topics; and qrels `query 0 document grade`."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite.errors import InputError
from benchsite.tracks.retrieval.importers.assembly import Collection, Origin, slug_of
from benchsite.tracks.retrieval.importers.beir import grade_of
from benchsite.tracks.retrieval.importers.reading import field_lines, json_lines, member, text_of

__all__ = ["convert"]

Named = tuple[str, bytes]
"""A file's name and bytes."""
_DOC: Final = re.compile(r"<DOC\b[^>]*>(.*?)</DOC>", re.DOTALL | re.IGNORECASE)
_DOCNO: Final = re.compile(r"<DOCNO>\s*(.*?)\s*</DOCNO>", re.DOTALL | re.IGNORECASE)
_TOPIC: Final = re.compile(r"<top(?:ic)?\b([^>]*)>(.*?)</top(?:ic)?>", re.DOTALL | re.IGNORECASE)
_NUMBER: Final = re.compile(r"<num(?:ber)?>\s*(?:Number\s*:)?\s*([^\s<]+)", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(r"number\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)
_TITLE: Final = re.compile(
    r"<(?:title|query)>\s*(?:Topic\s*:)?\s*(.*?)\s*(?=<!--|</?[A-Za-z]|\Z)", re.DOTALL | re.IGNORECASE
)
_TAG: Final = re.compile(r"<!--.*?-->|</?[A-Za-z][^>]*>", re.DOTALL)


def convert(
    *,
    docs: Named,
    queries: Named,
    qrels: Named,
    fixture_id: str | None,
    encoding: str,
    origin: Mapping[str, str],
) -> tuple[dict[str, Any], list[str]]:
    """Read a test collection of TREC.

    Args:
        docs: documents.
        queries: topics; of one with several fields, its title.
        qrels: judgements; a grade below 0 counts as 0.
        fixture_id: of the fixture; by default the name of the file of judgements.
        encoding: of the files.
        origin: license, source, notes and description, as the person states them.

    Raises:
        InputError: a file is malformed.
    """
    found = Collection(judged_only=True)
    for place, name, text in _documents(*docs, encoding):
        found.item(name, text, place)
    for place, name, text in _topics(*queries, encoding):
        found.query(name, text, place)
    form = "query 0 document grade"
    for number, fields in field_lines(qrels[1], qrels[0], fields=(4,), form=form, encoding=encoding):
        place = f"{qrels[0]} line {number}"
        found.judge(fields[0], fields[2], grade_of(fields[3], place), place)
    name = slug_of(qrels[0].partition(".")[0]) or "trec"
    return found.fixture(
        b"".join((docs[1], queries[1], qrels[1])),
        Origin.of("trec", origin),
        fixture_id or name,
        benchmark=fixture_id or name,
        options={"encoding": encoding},
    )


def _documents(name: str, data: bytes, encoding: str) -> Iterator[tuple[str, str, str]]:
    """Yield place, id and text of each document."""
    kind = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if kind == b"{":
        for number, row in json_lines(data, name, encoding):
            place = f"{name} line {number}"
            title = str(row.get("title") or "").strip()
            text = member(row, ("text", "contents", "content", "body"), place)
            yield (
                place,
                member(row, ("id", "_id", "docno", "docid"), place),
                "\n".join(filter(None, (title, text))),
            )
        return
    if kind != b"<":
        for number, (doc, text) in field_lines(
            data, name, fields=(2,), form="document TAB text", tabs=True, encoding=encoding
        ):
            yield f"{name} line {number}", doc, text
        return
    whole = text_of(data, name, encoding)
    count = 0
    for count, found in enumerate(_DOC.finditer(whole), 1):
        place = f"{name} document {count}"
        docno = _DOCNO.search(found[1])
        if docno is None:
            raise InputError(f"{place}: no <DOCNO>", hint="each <DOC> has its id in <DOCNO>")
        yield place, docno[1], _plain(_DOCNO.sub(" ", found[1], count=1))
    opened = len(re.findall(r"<DOC\b(?!NO)[^>]*>", whole, re.IGNORECASE))
    if opened != count:
        raise InputError(
            f"{name}: {opened} <DOC> and {count} </DOC>", hint="the file is cut off, or tags are missing"
        )


def _topics(name: str, data: bytes, encoding: str) -> Iterator[tuple[str, str, str]]:
    """Yield place, id and text of each topic."""
    kind = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if kind == b"{":
        for number, row in json_lines(data, name, encoding):
            place = f"{name} line {number}"
            yield (
                place,
                member(row, ("id", "_id", "qid", "query_id"), place),
                member(row, ("text", "query", "title"), place),
            )
        return
    if kind != b"<":
        for number, (query, text) in field_lines(
            data, name, fields=(2,), form="query TAB text", tabs=True, encoding=encoding
        ):
            yield f"{name} line {number}", query, text
        return
    whole = text_of(data, name, encoding)
    count = 0
    for count, found in enumerate(_TOPIC.finditer(whole), 1):
        place = f"{name} topic {count}"
        topic = _NUMBER.search(found[2]) or _ATTRIBUTE.search(found[1])
        title = _TITLE.search(found[2])
        if topic is None or title is None:
            raise InputError(
                f"{place}: no {'number' if topic is None else 'title'}", hint="a topic has <num> and <title>"
            )
        yield place, topic[1], _plain(title[1])
    opened = len(re.findall(r"<top(?:ic)?\b[^>]*>", whole, re.IGNORECASE))
    if opened != count:
        raise InputError(
            f"{name}: {opened} <top> and {count} </top>", hint="the file is cut off, or tags are missing"
        )
    if not count:
        raise InputError(
            f"{name}: no topic", hint="topics are <top>, lines of JSON, or lines `query TAB text`"
        )


def _plain(text: str) -> str:
    """Text without tags and entities, its blanks as one."""
    return " ".join(html.unescape(_TAG.sub(" ", text)).split())
