"""`benchsite export`: a receipt's evidence in files that other programs read."""

from __future__ import annotations

from pathlib import Path

import click

from benchsite.cli import here, output
from benchsite.errors import InputError, UsageError
from benchsite.pipeline import export as exporting


@click.command()
@click.argument("receipt")
@click.option(
    "--trec", type=click.Path(path_type=Path), metavar="FILE", help="Write the rankings as a run file."
)
@click.option(
    "--qrels",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the relevance labels of the scored queries.",
)
def export(receipt: str, trec: Path | None, qrels: Path | None) -> None:
    """Write a receipt's evidence in formats that trec_eval reads.

    RECEIPT is a path (drafts included), a receipt id or its first characters, or the web address of a receipt. FILE is a new
    file.
    """
    files = {name: path for name, path in (("trec", trec), ("qrels", qrels)) if path is not None}
    if not files:
        raise UsageError("nothing to write", hint="benchsite export RECEIPT --trec FILE --qrels FILE")
    made = exporting.export(here.optional_snapshot(), receipt, list(files))
    for name, path in files.items():
        _write(path, made[name])
        output.say(f"wrote {path}")


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise InputError(f"{path} exists", hint="give another name, or remove it") from None
    except OSError as error:
        reason = (error.strerror or "unwritable").lower()
        raise InputError(
            f"cannot write {path}: {reason}", hint="check the path and its permissions"
        ) from None
