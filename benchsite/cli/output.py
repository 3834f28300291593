"""How commands print: tables and progress on a terminal, plain lines in a pipe, JSON where a script asks."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import click

from benchsite.cli.main import printable

Progress = Callable[[int, int, str], None]

_MARKS: Final = {"pass": ("✓", "+"), "fail": ("✗", "x"), "note": ("·", "-"), "skip": ("–", "-")}

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")


def emit(value: Any) -> None:
    """Print one JSON value on stdout, which is UTF-8 or escaped to ASCII: JSON has no other encoding."""
    click.echo(json.dumps(value, ensure_ascii=not _writes_unicode(), indent=2, sort_keys=False))


def mark(state: str) -> str:
    """The sign of a step's state, in ASCII where the terminal has no other."""
    return _MARKS[state][0 if _writes_unicode() else 1]


def _writes_unicode() -> bool:
    """Whether stdout can encode every character; judged by its encoding, so that one output has one style."""
    return (sys.stdout.encoding or "").lower().replace("-", "").replace("_", "").startswith("utf")


def say(text: str, *, dim: bool = False) -> None:
    """Print a line on stdout."""
    click.secho(printable(text), dim=dim)


def note(text: str) -> None:
    """Print a line for the person on stderr."""
    click.echo(printable(text), err=True)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: aligned columns, numbers to the right."""
    shown = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(row[place]) for row in [list(columns), *shown]) for place in range(len(columns))]
    right = [
        bool(shown) and all(_numeric(row[place]) for row in shown if row[place])
        for place in range(len(columns))
    ]

    def line(cells: Sequence[str]) -> str:
        pairs = zip(cells, widths, right, strict=True)
        return "  ".join(
            cell.rjust(width) if end else cell.ljust(width) for cell, width, end in pairs
        ).rstrip()

    click.secho(line(columns), bold=True)
    for row in shown:
        click.echo(line(row))


def _numeric(text: str) -> bool:
    return text.replace(",", "").replace(".", "", 1).replace("-", "", 1).isdigit()


@contextmanager
def progress(title: str) -> Iterator[Progress]:
    """A progress bar on stderr for anything over a second; silent in a pipe."""
    if not sys.stderr.isatty():
        yield lambda _done, _total, _label: None
        return
    from rich.console import Console  # noqa: PLC0415 - slow to import, needed on a terminal only
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total, label: bar.update(
            task, completed=done, total=total or None, description=printable(label or title)
        )
