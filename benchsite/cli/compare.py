"""`benchsite compare`: two receipts, metric by metric and category by category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

import click

from benchsite.board.two_systems import Line
from benchsite.cli import here, output
from benchsite.pipeline import compare as comparing
from benchsite.words import difference, figure, p_value

_COLUMNS: Final = ("", "n", "first", "second", "difference", "95% CI", "p", "Holm", "detectable")


@click.command()
@click.argument("first", metavar="RECEIPT")
@click.argument("second", metavar="RECEIPT")
@output.json_option
def compare(first: str, second: str, as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """Compare two receipts of the same data by paired tests.

    Each RECEIPT is a path (drafts included), a receipt id or its first characters, or the web address of a receipt. The
    difference is the first less the second, on the items that both have.
    """
    found = comparing.compare(here.optional_snapshot(), first, second)
    if as_json:
        output.emit(_record(found))
        return
    output.say(_headline(found))
    for name, (one, other) in found.differing.items():
        output.say(f"- not equal: {name}: {one}; {other}")
    if found.saturated:
        output.say(f"- not tested, saturated: {', '.join(found.saturated)}")
    output.say("")
    output.table(("metric", *_COLUMNS[1:]), [_cells(line) for line in found.metrics])
    if found.categories:
        output.say("")
        output.table((found.metrics[0].name, *_COLUMNS[1:]), [_cells(line) for line in found.categories])


def _headline(found: comparing.Compared) -> str:
    """The result of the headline metric in a sentence."""
    line, (one, other) = found.metrics[0], found.names
    numbers = f"{line.name} {difference(line.difference)}, 95% CI {_interval(line)}, {_adjusted(line)}"
    where = f"on {line.n:,} {found.items} of {found.target}"
    if not line.is_significant:
        smallest = (
            f"; differences from {figure(line.detectable)} are detectable with 80% power"
            if line.detectable
            else ""
        )
        return f"no significant difference between {one} and {other} {where}: {numbers}{smallest}"
    way = "better" if line.difference > 0 else "worse"
    return f"{one} is significantly {way} than {other} {where}: {numbers}"


def _adjusted(line: Line) -> str:
    return f"{p_value(line.holm)} (Holm)"


def _interval(line: Line) -> str:
    if line.low is None or line.high is None:
        return "–"
    return f"[{difference(line.low)}, {difference(line.high)}]"


def _cells(line: Line) -> Sequence[str]:
    return (
        line.name,
        f"{line.n:,}",
        figure(line.first),
        figure(line.second),
        difference(line.difference),
        _interval(line),
        p_value(line.p).removeprefix("p ").removeprefix("= "),
        p_value(line.holm).removeprefix("p ").removeprefix("= "),
        figure(line.detectable or None),
    )


def _record(found: comparing.Compared) -> dict[str, Any]:
    return {
        "systems": list(found.names),
        "receipts": list(found.receipts),
        "target": found.target,
        "items": found.items,
        "differing": {name: list(values) for name, values in found.differing.items()},
        "metrics": [asdict(line) for line in found.metrics],
        "categories": [asdict(line) for line in found.categories],
        "saturated": list(found.saturated),
    }
