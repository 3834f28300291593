"""`benchsite model`: files of local models, pinned by hash, and their server."""

from __future__ import annotations

from typing import Any

import click

from benchsite.track import Console
from benchsite.tracks.agents.models.local import store
from benchsite.tracks.agents.models.local.table import PINNED, LocalModel

__all__ = ["model"]


@click.group()
def model() -> None:
    """Add, download, list and serve local models.

    Their files are in the user's cache folder ($XDG_CACHE_HOME/benchsite/models), never in the repository.
    """


@model.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.pass_obj
def list_models(console: Console, as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """List the known models, and which of them are on this machine."""
    here = {one.name: one for one in store.installed()}
    every = {**PINNED, **here}
    if as_json:
        console.emit({"models": [{**_facts(one), "installed": one.name in here} for one in every.values()]})
        return
    rows = [
        (one.name, _megabytes(one.size), one.license, one.sha256[:12], "yes" if one.name in here else "no")
        for one in every.values()
    ]
    console.table(("model", "size", "license", "sha256", "on this machine"), rows)


def _facts(one: LocalModel) -> dict[str, Any]:
    return {
        "name": one.name,
        "file": one.file,
        "size": one.size,
        "sha256": one.sha256,
        "license": one.license,
        "pinned": one.is_pinned,
    }


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
