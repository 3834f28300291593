"""`benchsite grid`: every combination of contested settings scored from stored rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from benchsite.cli import here, output
from benchsite.errors import InputError
from benchsite.pipeline import grid as scoring
from benchsite.repo import write_atomically
from benchsite.site.grid_page import grid_page
from benchsite.words import amount, figure

_SHOWN: Final = 20
"""Reasons that are printed; `--json` has them all."""
_NAMED: Final = 3
"""Systems of a reason that are named."""


@click.command()
@click.argument("file", metavar="FILE")
@click.argument("receipts", nargs=-1, metavar="[RECEIPT ...]")
@click.option(
    "--output",
    "page",
    type=click.Path(path_type=Path),
    metavar="PAGE",
    help="Write a Markdown page with charts.",
)
@output.json_option
def grid(file: str, receipts: Sequence[str], page: Path | None, as_json: bool) -> None:  # noqa: FBT001
    """Score stored rankings under every combination of contested settings.

    FILE declares the settings, the datasets and published claims, or is the name of a packaged grid: locomo. Without RECEIPT,
    every valid receipt and every draft on the grid's datasets is used. The signature of a RECEIPT isn't checked: run `benchsite
    verify RECEIPT` first. Nothing is run.
    """
    if page is not None and page.is_dir():
        raise InputError(f"{page} is a folder", hint="give the path of a file: content/grid.md")
    if page is not None and not page.parent.is_dir():
        raise InputError(f"no folder {page.parent}", hint=f"run `mkdir -p {page.parent}`")
    workspace, snapshot = here.opened()
    found = scoring.grid(workspace, snapshot, file, receipts)
    if page is not None:
        write_atomically(page, grid_page(found, _headline(found)).encode())
    if as_json:
        output.emit(found)
        return
    _tell(found)
    if page is not None:
        output.say(f"wrote {page}")
        if not found["corrections"]:
            output.say(
                "the page has no address for corrections: set repo_url in mkdocs.yml, or `corrections` in the grid"
            )


def _headline(found: Mapping[str, Any]) -> str:
    """The distribution and the claims in a few sentences."""
    spread, claims = found["distribution"], found["claims"]
    inside, unmeasured = (
        sum(one["where"] == where for one in claims) for where in ("inside", "not measured")
    )
    total = len(claims) + len(found["off"])
    words = (
        f"{found['benchmark']}: {found['scored']:,} of {found['combinations']:,} combinations scored for "
        f"{amount(len(found['systems']), 'system')}, from {figure(spread['low'])} to {figure(spread['high'])}, "
        f"median {figure(spread['median'])}. {len(claims):,} of {amount(total, 'claim')} placed: {inside:,} inside the scores of "
        f"their settings, {len(claims) - inside - unmeasured:,} outside, {unmeasured:,} not measured."
    )
    if claims and found["methodology"]:
        own = sum(not one["needs"] for one in claims)
        words += f" The methodology scores the settings of {own:,} of them."
    return words


def _tell(found: Mapping[str, Any]) -> None:
    output.say(_headline(found))
    if found["omitted"]:
        output.say(
            f"not part of it, because they rank without reading a text or return nothing: {', '.join(found['omitted'])}"
        )
    if found["spreads"]:
        output.say("")
        output.table(
            ("setting alone", "least", "median", "most"),
            [
                (one["axis"], *(figure(one[name]) for name in ("least", "median", "most")))
                for one in found["spreads"]
            ],
        )
    if found["claims"]:
        output.say("")
        output.table(
            ("system", "claim", "measured", "where", "methodology", "settings"),
            [_claim(one) for one in found["claims"]],
        )
    _tell_rules(found["sameRun"])
    for one in found["off"]:
        output.say(f"off: {one['system']} {one['value']:g}: {one['reason']}")
    if found["refused"]:
        output.say("not scored, in combinations × systems:")
    for one in found["refused"][:_SHOWN]:
        output.say(f"  {one['count']:,}  {one['reason']}{_of(one['systems'])}")
    if len(found["refused"]) > _SHOWN:
        output.say(f"and {len(found['refused']) - _SHOWN:,} more reasons: --json lists them all")


def _of(systems: Sequence[str]) -> str:
    """Of which systems, if few; else of how many."""
    if not systems:
        return ""
    return f": {', '.join(systems) if len(systems) <= _NAMED else amount(len(systems), 'system')}"


def _tell_rules(runs: Sequence[Mapping[str, Any]]) -> None:
    """Claims of one run under several rules."""
    if runs:
        output.say("")
        rows = [
            (
                one["system"],
                f"k {one['settings']['k']}",
                ", ".join(f"{rule} {figure(share)}" for rule, share in one["rules"].items()),
                figure(one["difference"]),
            )
            for one in runs
        ]
        output.table(("one run", "cut-off", "claims by rule", "difference"), rows)
        output.say("")


def _claim(one: Mapping[str, Any]) -> Sequence[str]:
    low, high = one["low"], one["high"]
    measured = "–" if low is None else f"{figure(low)}–{figure(high)}"
    where = "k returns all: 1.000" if low is None and one["saturated"] else one["where"]
    settings = ", ".join(f"{axis} {value}" for axis, value in one["settings"].items())
    return one["system"], figure(one["share"]), measured, where, _methodology(one), settings


def _methodology(one: Mapping[str, Any]) -> str:
    """Whether the methodology scores the claim's settings, else which it doesn't."""
    if one["methodology"] is None:
        return "–"
    return ", ".join(f"not {axis} {value}" for axis, value in one["needs"].items()) or "yes"
