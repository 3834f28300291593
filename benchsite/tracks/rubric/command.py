"""Arguments of `benchsite run rubric`, and what an entry of the suite may say."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import click
from pydantic import ConfigDict, Field, ValidationError

from benchsite.errors import InputError, UsageError
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.schema import Bounded, first_fault
from benchsite.track import Work
from benchsite.tracks.rubric import sheet
from benchsite.tracks.rubric.payload import MAX_SHEETS
from benchsite.tracks.rubric.source import read_sheet


class _Entry(Bounded):
    """One entry of `extra.benchsite.suite`."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    track: str
    sheets: Annotated[tuple[str, ...], Field(strict=False, min_length=1, max_length=MAX_SHEETS)]


HELP: Final = (
    "Score an agent from the sheets that evaluators filled in.\n\n"
    "SHEET is a YAML file: what one evaluator says in one pass over one session. All sheets of one call make one "
    "receipt; each names the version and the template it was filled in for, and evidence files lie beside it. "
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
    try:
        found = _Entry.model_validate(entry)
    except ValidationError as error:
        key, message = first_fault(error)
        raise InputError(
            f"{key}: {message}",
            hint="an entry lists the sheets of one receipt: {track: rubric, sheets: [fixtures/helper/ada.yaml]}",
        ) from None
    # Messages name a file as it is reached from where the command stands.
    return _work([Path(os.path.relpath(Path(folder, path))) for path in found.sheets])


def measures(work: Work, document: Document, methodology: Methodology) -> bool:  # noqa: ARG001 - a sheet names its own
    """Whether a receipt is of the agent and template of this work; its ratings are compared by scoring again."""
    named = document["agent"]["name"], document["template"]
    return (work.subject, work.target) == named


def again(document: Document) -> Work:
    """Refused: people judged, and no machine judges again."""
    raise UsageError(
        f"receipt {document['receiptId']} holds people's judgements, and no machine repeats them",
        hint="have others score the agent, or the same transcripts, on new sheets: benchsite run rubric SHEET ...",
    )


def _work(paths: Sequence[Path]) -> Work:
    files = tuple(read_sheet(path) for path in paths)
    first = sheet.opening(files[0].data, where=str(files[0].path))
    return Work(
        "rubric", first.agent, first.template, first.methodology, {"sheets": files}, stated=first.stated
    )
