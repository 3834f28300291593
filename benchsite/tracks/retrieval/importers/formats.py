"""The formats of `benchsite fixture import`: their options, and the importer that each is read by."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import click

from benchsite.track.parts import DataFormat, Imported
from benchsite.tracks.retrieval.importers import (
    beam,
    beir,
    locomo,
    longmemeval,
    precisionmembench,
    seed,
    tables,
    trec,
)
from benchsite.tracks.retrieval.importers.locomo import Report
from benchsite.words import amount

__all__ = ["FORMATS"]


class _Column(click.ParamType[tuple[str, str]]):
    """`items.text=body`: the column that has something."""

    name = "name=column"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """What it is, and the column."""
        if isinstance(value, tuple):
            return value
        name, equals, column = str(value).partition("=")
        if not equals or not name or not column:
            self.fail(f"{value!r} is not FILE.NAME=COLUMN", param, ctx)
        return name, column


def _described(*, needed: bool) -> tuple[click.Parameter, ...]:
    """The options that say where data comes from."""
    # click takes a default of None as a value that is given.
    given: dict[str, Any] = {"required": True} if needed else {"default": ""}
    return (
        click.Option(["--license"], help="License of the data.", **given),
        click.Option(["--source"], help="Where the data comes from.", **given),
        click.Option(["--notes"], default="", help="How queries and labels were made."),
        click.Option(["--description"], default="", help="What the dataset is about."),
    )


_ORIGIN: Final = ("license", "source", "notes", "description")


def _made(convert: Callable[..., tuple[dict[str, Any], list[str]]], **given: Any) -> Imported:
    origin = {name: given.pop(name) for name in _ORIGIN if name in given}
    document, lines = convert(origin=origin, **given)
    report = {"id": document["id"], "items": len(document["items"]), "queries": len(document["queries"])}
    return _imported(document, lines, {**report, "lines": lines})


def _imported(document: Mapping[str, Any], lines: list[str], report: Mapping[str, Any]) -> Imported:
    text = json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"
    return Imported(text, lines, report)


def _one(
    convert: Callable[..., tuple[dict[str, Any], list[str]]], files: Mapping[str, bytes], **given: Any
) -> Imported:
    """Read a format of one file."""
    ((name, data),) = files.items()
    return _made(partial(convert, data, where=name), **given)


def _folder(
    convert: Callable[..., tuple[dict[str, Any], list[str]]],
    files: Mapping[str, bytes],
    *,
    where: str,
    **given: Any,
) -> Imported:
    """Read a format of several files in a folder."""
    return _made(partial(convert, files, where=where), **given)


def _table(
    kind: str, files: Mapping[str, bytes], *, column: tuple[tuple[str, str], ...], **given: Any
) -> Imported:
    del files
    return _made(partial(tables.convert, kind, columns=dict(column)), **given)


def _trec(files: Mapping[str, bytes], **given: Any) -> Imported:
    del files
    return _made(trec.convert, **given)


def _locomo(files: Mapping[str, bytes], *, errata: tuple[str, bytes] | None, **given: Any) -> Imported:
    ((name, data),) = files.items()
    document, report = locomo.convert(
        data, where=name, errata=errata[1] if errata is not None else None, **given
    )
    return _imported(document, _lines(report), _facts(report))


_FILE: Final = click.Path(dir_okay=False)


def _tables(kind: str) -> DataFormat:
    ending = {"csv": "CSV files with a header", "jsonl": "Lines of JSON"}[kind]
    return DataFormat(
        help=(
            f"Import your own data: {ending}.\n\n"
            "Items have an id and a text; title, scope and timestamp are optional. Queries have an id and a text; the ids of "
            "relevant items are in `expected`"
            + (", separated by |" if kind == "csv" else ", a list")
            + ", or in --qrels. "
            "Other column names are given by --column, as in --column items.text=body."
        ),
        convert=partial(_table, kind),
        parameters=(
            click.Option(["--items"], type=_FILE, required=True, help="File of items."),
            click.Option(["--queries"], type=_FILE, required=True, help="File of queries."),
            click.Option(["--qrels"], type=_FILE, help="File of labels: query, item and grade."),
            click.Option(
                ["--column"],
                type=_Column(),
                multiple=True,
                metavar="FILE.NAME=COLUMN",
                help="A column's name. Repeatable.",
            ),
            click.Option(
                ["--granularity"],
                type=click.Choice(["turn", "session", "document"]),
                default="document",
                show_default=True,
                help="Unit of an item.",
            ),
            *_described(needed=True),
        ),
        inputs=("items", "queries", "qrels"),
        has_path=False,
        needs_id=True,
    )


FORMATS: Final[Mapping[str, DataFormat]] = {
    "csv": _tables("csv"),
    "jsonl": _tables("jsonl"),
    "beir": DataFormat(
        help=(
            "Import a folder of BEIR's layout.\n\n"
            "PATH has corpus.jsonl, queries.jsonl, and the labels of a split in qrels/SPLIT.tsv, or in qrels.jsonl. Only queries "
            "with a label in the split are imported."
        ),
        convert=partial(_folder, beir.convert),
        parameters=(
            click.Option(["--split"], default="test", show_default=True, help="Split whose labels are used."),
            *_described(needed=True),
        ),
        suffixes=(".jsonl", ".tsv"),
    ),
    "trec": DataFormat(
        help=(
            "Import a test collection of TREC.\n\n"
            "Documents are SGML, lines of JSON, or lines `document TAB text`. Topics are SGML, of which the title is used, or "
            "lines as those. Labels are lines `query 0 document grade`; only queries with a label are imported."
        ),
        convert=_trec,
        parameters=(
            click.Option(["--docs"], type=_FILE, required=True, help="File of documents."),
            click.Option(["--queries"], type=_FILE, required=True, help="File of topics."),
            click.Option(["--qrels"], type=_FILE, required=True, help="File of relevance labels."),
            click.Option(["--encoding"], default="utf-8", show_default=True, help="Encoding of the files."),
            *_described(needed=True),
        ),
        inputs=("docs", "queries", "qrels"),
        has_path=False,
    ),
    "seed": DataFormat(
        help="Import a dataset of the seed's format.\n\nPATH is a JSON file; its queries have expectedAnswerIds.",
        convert=partial(_one, seed.convert),
        parameters=_described(needed=False),
    ),
    "locomo": DataFormat(
        help="Import LoCoMo.\n\nPATH is locomo10.json.",
        convert=_locomo,
        parameters=(
            click.Option(
                ["--granularity"],
                type=click.Choice(["turn", "session"]),
                default="turn",
                show_default=True,
                help="Unit of an item.",
            ),
            click.Option(["--captions"], is_flag=True, help="Append image captions to their turns."),
            click.Option(
                ["--dates/--no-dates"],
                default=True,
                show_default=True,
                help="Start the text of an item with its session's date.",
            ),
            click.Option(
                ["--adversarial"],
                is_flag=True,
                help="Score adversarial questions by the turns that their evidence cites.",
            ),
            click.Option(["--errata"], type=_FILE, help="File of label corrections to apply."),
        ),
        inputs=("errata",),
    ),
    "longmemeval": DataFormat(
        help="Import LongMemEval.\n\nPATH is a JSON file of questions, each with its haystack of sessions.",
        convert=partial(_one, longmemeval.convert),
        parameters=(
            click.Option(
                ["--edition"],
                type=click.Choice(list(longmemeval.EDITIONS)),
                required=True,
                help="Which of the editions it is.",
            ),
            click.Option(
                ["--granularity"],
                type=click.Choice(["turn", "session"]),
                default="session",
                show_default=True,
                help="Unit of an item.",
            ),
            *_described(needed=False),
        ),
    ),
    "beam": DataFormat(
        help="Import BEAM.\n\nPATH is a folder with a folder per conversation, as chats/100K of its repository.",
        convert=partial(_folder, beam.convert),
        parameters=_described(needed=False),
        suffixes=(".json",),
    ),
    "precisionmembench": DataFormat(
        help=(
            "Import PrecisionMemBench.\n\n"
            "PATH is the folder of its repository with beliefs.seed.json and retrieval.cases.json. Its sessions are not imported."
        ),
        convert=partial(_folder, precisionmembench.convert),
        parameters=_described(needed=False),
        suffixes=(".json",),
    ),
}
"""Every format by its name, the reader's own data first."""


_ALTERED: Final = (
    "altered data: not the published locomo10.json, so its license and source are not stated as the authors'"
)


def _lines(report: Report) -> list[str]:
    """The import in words."""
    held = (
        f"{amount(report.scopes, 'scope')}, {amount(report.items, 'item')}, "
        f"{amount(report.queries, 'query', 'queries')}: "
        f"{report.scored:,} scored, {report.abstention:,} unanswerable, {len(report.excluded):,} without relevant items"
    )
    found = [held, "the published data" if report.published else _ALTERED]
    if report.unresolved:
        found.append(f"{len(report.unresolved)} of {report.evidence:,} evidence strings are not a turn id:")
    for item in report.unresolved:
        read = ", ".join(item.found) or "nothing"
        lost = f"; dropped {', '.join(item.dropped)}" if item.dropped else ""
        found.append(f"  {item.sample} question {item.question}: {item.text!r} resolved to {read}{lost}")
    found.extend(f"  excluded: {query} has no relevant items" for query in report.excluded)
    return found


def _facts(report: Report) -> dict[str, Any]:
    """The import as `fixture import --json` shows it."""
    return {
        "id": report.fixture_id,
        "published": report.published,
        "scopes": report.scopes,
        "items": report.items,
        "queries": report.queries,
        "scored": report.scored,
        "abstention": report.abstention,
        "excluded": list(report.excluded),
        "evidence": report.evidence,
        "errata": report.errata,
        "unresolved": [
            {
                "sample": item.sample,
                "question": item.question,
                "text": item.text,
                "found": list(item.found),
                "dropped": list(item.dropped),
            }
            for item in report.unresolved
        ],
    }
