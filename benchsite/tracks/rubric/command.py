"""Arguments of `benchsite run rubric`, and what an entry of the suite may say."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import click
from pydantic import ConfigDict, Field

from benchsite.errors import UsageError
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.schema import Bounded
from benchsite.track import Work, suite_entry
from benchsite.tracks.rubric import sheet
from benchsite.tracks.rubric.payload import MAX_SHEETS
from benchsite.tracks.rubric.source import read_sheet


class _Entry(Bounded):
    """One entry of `extra.benchsite.suite`."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    track: str
    sheets: Annotated[tuple[str, ...], Field(strict=False, min_length=1, max_length=MAX_SHEETS)]


HELP: Final = (
    "Score an agent from evaluation sheets.\n\n"
    "SHEET is a YAML file: the scores of one evaluator in one pass over one session. All sheets of one call make one "
    "receipt. Each names its methodology version and template; its evidence files are beside it. "
    "`benchsite methodology new-sheet VERSION TEMPLATE` writes a sheet to fill in."
)


def parameters() -> Sequence[click.Parameter]:
    """Click parameters of `run rubric`."""
    return (
        click.Argument(
            ["sheets"], nargs=-1, required=True, metavar="SHEET ...", type=click.Path(path_type=Path)
        ),
    )


def works(**options: Any) -> Sequence[Work]:
    """One piece of work: every sheet that was named."""
    return [_work(options["sheets"])]


def suite(entry: Mapping[str, Any], folder: str) -> Work:
    """The work of one suite entry, its sheets as seen from `folder`; raises `InputError`."""
    found = suite_entry(
        _Entry,
        entry,
        hint="an entry lists the sheets of one receipt: {track: rubric, sheets: [fixtures/helper/ada.yaml]}",
    )
    # Messages name a file relative to the working directory.
    return _work([Path(os.path.relpath(Path(folder, path))) for path in found.sheets])


def measures(work: Work, document: Document, methodology: Methodology) -> bool:  # noqa: ARG001 - a sheet names its own
    """Whether a receipt is of the agent and template of this work; its ratings are compared by a re-score."""
    named = document["agent"]["name"], document["template"]
    return (work.subject, work.target) == named


def work_of(document: Document) -> Work:
    """Refused: evaluators' ratings cannot be re-run."""
    raise UsageError(
        f"ratings cannot be re-run: receipt {document['receiptId']}",
        hint="score the agent or the same transcripts on new sheets: benchsite run rubric SHEET ...",
    )


def _work(paths: Sequence[Path]) -> Work:
    files = tuple(read_sheet(path) for path in paths)
    first = sheet.opening(files[0].data, where=str(files[0].path))
    return Work(
        "rubric", first.agent, first.template, first.methodology, {"sheets": files}, stated=first.stated
    )
