"""`benchsite claims`: whether the numbers of a text still agree with the receipts that they cite."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Final

import click

from benchsite.cli import here, output
from benchsite.errors import InputError, UsageError
from benchsite.pipeline.claims import KINDS, Claim, Status, Text
from benchsite.pipeline.claims import claims as checked
from benchsite.pipeline.workspace.files import read_bounded

_LARGEST: Final = 4 * 2**20
_FAILED: Final = 3
_TOLERATED: Final = tuple(
    status.lower().replace(" ", "-") for status in (Status.NOT_SIGNIFICANT, Status.STALE, Status.SUPERSEDED)
)


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--allow",
    multiple=True,
    type=click.Choice(_TOLERATED),
    help="Status that doesn't fail the check; repeatable.",
)
@output.json_option
def claims(files: tuple[Path, ...], allow: tuple[str, ...], as_json: bool) -> None:  # noqa: FBT001
    """Check the numbers of a text that link a receipt against the record.

    FILE is Markdown (.md), HTML (.html) or LaTeX (.tex). A number is checked if its link contains the id of a receipt, as
    the address of a receipt page does. Run it inside a clone of the site's repository.

    The exit code is 3 if a number isn't MATCHES, unless --allow names its status.
    """
    texts = [_text(path) for path in files]
    found = list(checked(here.snapshot(), texts))
    if as_json:
        output.emit(
            {"claims": [_record(one) for one in found], "counts": Counter(one.status for one in found)}
        )
    else:
        for one in found:
            number = f"{one.number} " if one.number else ""
            output.say(f"{one.status:<15} {one.file}:{one.line}  {number}{one.metric}".rstrip())
            if one.detail:
                output.say(f"{'':<15} {one.detail} (receipt {one.receipt_id})")
        output.say(_summary(found))
    failed = [one for one in found if one.status is not Status.MATCHES and _option(one.status) not in allow]
    if failed:
        raise click.exceptions.Exit(_FAILED)


def _text(path: Path) -> Text:
    """Read a file whose suffix tells its format."""
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise UsageError(f"unknown format: {path.name}", hint=f"available: {', '.join(KINDS)}")
    try:
        return Text(str(path), kind, read_bounded(path, _LARGEST).decode())
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8", hint="save the file as UTF-8") from None


def _option(status: Status) -> str:
    return status.lower().replace(" ", "-")


def _summary(found: list[Claim]) -> str:
    if not found:
        return "no number links a receipt"
    counts = Counter(one.status for one in found)
    return f"{len(found)} checked: " + ", ".join(
        f"{counts[status]} {status}" for status in Status if counts[status]
    )


def _record(one: Claim) -> dict[str, Any]:
    return {
        "file": one.file,
        "line": one.line,
        "receiptId": one.receipt_id,
        "number": one.number,
        "metric": one.metric,
        "status": one.status,
        "detail": one.detail,
    }
