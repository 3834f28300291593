"""`benchsite system`: the installed systems, and drawings of who talks to whom and of the control flow."""

from __future__ import annotations

import click

from benchsite.track import Console
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.systems.names import ALIASES

__all__ = ["system"]


@click.group()
def system() -> None:
    """List and draw systems that work on tasks."""


@system.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.pass_obj
def list_systems(console: Console, as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """List the installed systems and their other names."""
    others: dict[str, list[str]] = {}
    for alias, name in ALIASES.items():
        others.setdefault(name, []).append(alias)
    found = [
        {"name": name, "aliases": others.get(name, []), "reference": reference}
        for name, reference in TRACK.plugins("system").items()
    ]
    if as_json:
        console.emit({"systems": found})
        return
    rows = [(str(one["name"]), ", ".join(one["aliases"]), str(one["reference"])) for one in found]
    console.table(("system", "other names", "defined in"), rows)
