"""How commands print: tables and progress on a terminal, plain lines in a pipe, JSON where a script asks."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Final, TextIO

import click

from benchsite.cli.main import printable
from benchsite.environment import perf_counter_ns
from benchsite.progress import Progress, silent

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from benchsite.track import RunContext

_MARKS: Final = {
    "pass": ("✓", "+"),
    "fail": ("✗", "x"),
    "warning": ("△", "!"),
    "not checked": ("–", "-"),
}

LINE_EVERY_NS: Final = 10_000_000_000

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")


def emit(value: Any) -> None:
    """Print one JSON value on stdout: UTF-8, with what a terminal would act on escaped, or ASCII where it must be."""
    text = json.dumps(value, ensure_ascii=not _writes_unicode(), indent=2, sort_keys=False)
    click.echo(
        "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text)
    )


def mark(state: str) -> str:
    """The sign of a step's state, in ASCII where the terminal has no other."""
    return _MARKS[state][0 if _writes_unicode() else 1]


def _writes_unicode() -> bool:
    """Whether stdout can encode every character; judged by its encoding, so that one output has one style."""
    return (sys.stdout.encoding or "").lower().replace("-", "").replace("_", "").startswith("utf")


def say(text: str, *, dim: bool = False) -> None:
    """Print a line on stdout."""
    with _aside(sys.stdout):
        click.secho(printable(text), dim=dim or None)


def note(text: str) -> None:
    """Print a line for the person on stderr."""
    with _aside(sys.stderr):
        click.echo(printable(text), err=True)


class _Warnings(logging.Handler):
    """Prints what any part of the program warns of, beside the results."""

    def emit(self, record: logging.LogRecord) -> None:
        note(f"! {record.getMessage()}")


logging.getLogger("benchsite").addHandler(_Warnings(logging.WARNING))


def indented(text: str, width: int) -> str:
    """Text of several lines, those after the first moved right below what introduces it."""
    return text.replace("\n", "\n" + " " * width)


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


def context() -> AbstractContextManager[RunContext]:
    """What a runner may know of the outside, for commands of tracks that start a program."""
    from benchsite.pipeline.measure import surroundings  # noqa: PLC0415 - slow to import, needed by few commands

    return surroundings.context(silent)


_shown: list[Bar] = []
"""The progress bar on the terminal now, if there is one: a message takes its place for a moment."""


@contextmanager
def _aside(stream: TextIO) -> Iterator[None]:
    """Clear the bar while a line is printed to a terminal; a file or a pipe leaves the bar alone."""
    bars = list(_shown) if stream.isatty() else []
    for bar in bars:
        bar.stop()
    yield
    for bar in bars:
        bar.start()


def _lines(title: str) -> Progress:
    """Return what prints a line on stderr, at most one in ten seconds: for the log of a long run."""
    printed = perf_counter_ns()

    def report(done: int, total: int, label: str) -> None:
        nonlocal printed
        if (now := perf_counter_ns()) - printed >= LINE_EVERY_NS:
            printed = now
            note(f"{label or title}: {done:,}" + (f" of {total:,}" if total else ""))

    return report


@contextmanager
def progress(title: str, *, is_logged: bool = False) -> Iterator[Progress]:
    """A progress bar of one line on stderr, gone at the end; in a pipe silent, or lines if it `is_logged`."""
    if not sys.stderr.isatty():
        yield _lines(title) if is_logged else silent
        return
    from rich import progress as rich  # noqa: PLC0415 - slow to import, needed on a terminal only
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Column  # noqa: PLC0415

    # One line whatever the width: rich goes up by the bar's last height, where a message may stand by then.
    text = rich.TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, ratio=1))
    bar = rich.Progress(
        text,
        rich.BarColumn(bar_width=20),
        rich.MofNCompleteColumn(table_column=Column(no_wrap=True)),
        rich.TimeElapsedColumn(table_column=Column(no_wrap=True)),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        expand=True,
    )
    bar.add_task(title, total=None)
    task = bar.tasks[0]

    def report(done: int, total: int, label: str) -> None:
        task.total = total or None  # to update() None means "as before"
        bar.update(task.id, completed=done, description=printable(label or title))

    with bar:
        _shown.append(bar)
        try:
            yield report
        finally:
            _shown.remove(bar)
