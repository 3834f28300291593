"""`benchsite adapter`."""

from __future__ import annotations

import click

from benchsite import plugins
from benchsite.cli import output

GROUP = "benchsite.retrieval.adapters"


@click.group()
def adapter() -> None:
    """The retrieval systems that can be measured here."""


@adapter.command(name="list")
@output.json_option
def list_adapters(as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """List the installed adapters.

    Besides these, `--adapter "command:PROGRAM ARGS"` measures any program that speaks the adapter protocol.
    """
    found = plugins.subjects(GROUP)
    if as_json:
        output.emit({"adapters": [{"name": name, "reference": value} for name, value in found.items()]})
    else:
        output.table(("adapter", "implementation"), list(found.items()))
