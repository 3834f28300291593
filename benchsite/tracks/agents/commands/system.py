"""`benchsite system`: the installed systems, and drawings of who talks to whom and of the control flow."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from benchsite.errors import UsageError
from benchsite.isolation.subject import Subject
from benchsite.track import Console
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.run.experiment.graphs import drawings
from benchsite.tracks.agents.run.experiment.record import write_file
from benchsite.tracks.agents.run.measured import described, program
from benchsite.tracks.agents.systems import names
from benchsite.tracks.agents.systems.names import ALIASES

__all__ = ["system"]

_DRAWN: Final = {"budget": 1}
"""Options that a system needs, and its graphs do not depend on."""


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


@system.command()
@click.argument("name", metavar="SYSTEM")
@click.option(
    "--graph",
    type=click.Choice(["agents", "control-flow"]),
    default="agents",
    show_default=True,
    help="Who talks to whom, or the nodes of the control flow.",
)
@click.option("--svg", type=click.Path(path_type=Path), metavar="FILE", help="Write an SVG file.")
@click.pass_obj
def draw(console: Console, name: str, graph: str, svg: Path | None) -> None:
    """Print a graph of a system as mermaid, or write it as SVG.

    SYSTEM is a name that `benchsite system list` shows, or `sas-retry@2000` with a budget of tokens. It is started to describe itself, and does nothing else.
    """
    stated, budget = names.budgeted(name)
    resolved = names.resolve(stated)
    options = {} if budget is None else {"budget": budget}
    known = TRACK.plugins("system")
    if resolved not in known:
        raise UsageError(f"no installed system named {name!r}", hint=f"available: {', '.join(known)}")
    with (
        console.context() as context,
        Subject(program(resolved, known[resolved], options, _DRAWN), 0, context) as subject,
    ):
        description = described(subject, resolved)
    drawn = drawings(description, resolved).get("agents" if graph == "agents" else "controlFlow")
    if drawn is None:
        raise UsageError(f"system {resolved} states no such graph", hint="systems state it in `describe`")
    if svg is None:
        console.say(drawn.mermaid.rstrip())
        return
    write_file(svg, drawn.svg.encode())
    console.say(f"wrote {svg}")
