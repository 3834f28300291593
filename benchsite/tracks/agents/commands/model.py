"""`benchsite model`: files of local models, pinned by hash, and their server."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import click

from benchsite.track import Console
from benchsite.tracks.agents.models.local import fetch as fetching
from benchsite.tracks.agents.models.local import server, store
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


@model.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", default="", metavar="NAME", help="Name of a model that the table does not have.")
@click.option("--license", "license_name", default="", metavar="LICENSE", help="License of such a model.")
@click.pass_obj
def add(console: Console, file: Path, name: str, license_name: str) -> None:
    """Copy a model's file in GGUF format into the cache folder.

    The SHA-256 of FILE must be that of a model in the table, or --name and --license are given.
    """
    with console.progress("hashing") as progress:
        found = store.add(file, name, license_name, progress)
    console.say(f"added {found.name}: SHA-256 {found.sha256}")


@model.command()
@click.argument("name", metavar="NAME")
@click.pass_obj
def fetch(console: Console, name: str) -> None:
    """Download a model of the table from its publisher, and check its SHA-256.

    An interrupted download is resumed.
    """
    with console.progress("downloading") as progress:
        found = fetching.fetch(name, progress)
    console.say(f"fetched {found.name}: SHA-256 {found.sha256}")


@model.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on; 0 for any free one."
)
@click.option("--slots", type=click.IntRange(1, 64), default=1, help="Conversations at the same time.")
@click.option("--threads", type=click.IntRange(1, 256), default=1, help="Threads of the processor.")
@click.option(
    "--context", type=click.IntRange(256), default=server.CONTEXT, help="Tokens of each conversation."
)
@click.pass_obj
def serve(console: Console, name: str, port: int, slots: int, threads: int, context: int) -> None:
    """Serve a model on this machine until Ctrl-C, over OpenAI's protocol.

    Experiments with --model local:NAME use this server while it runs.
    """
    found, path = store.installed_file(name)
    with console.progress("loading") as progress:
        address = server.start(
            found, path, slots=slots, threads=threads, context=context, port=port, progress=progress
        )
    console.say(f"serving {name} at {address}")
    threading.Event().wait()
