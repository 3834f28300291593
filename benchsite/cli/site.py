"""`benchsite build` and `serve`."""

from __future__ import annotations

import functools
import http.server
import os
from pathlib import Path

import click

from benchsite.cli import output
from benchsite.environment import Credentials
from benchsite.errors import InputError, PrerequisiteError
from benchsite.pipeline import browser
from benchsite.pipeline import build as building
from benchsite.pipeline.instance import Instance


@click.command()
@click.option("--output", "folder", type=click.Path(path_type=Path), default="site", show_default=True)
@click.pass_context
def build(ctx: click.Context, folder: Path) -> None:
    """Verify the whole record and write the static site.

    The record (results/ and keys/), methodologies and fixtures are read from the commit that HEAD names, and
    compared with the log. mkdocs.yml, prose and theme are read from the working tree.
    Receipts that do not verify get a page that says so, and the exit code is 3.
    """
    (ctx.find_object(Credentials) or Credentials()).forget()
    with output.progress("building") as progress:
        built = building.build(Instance(Path.cwd()), folder, progress=progress)
    output.say(f"wrote {built.pages:,} pages, {built.receipts:,} of them receipts, to {built.site}")
    added = ", ".join(browser.engine().tracks)
    output.say(
        f"engine of verify.html: {built.engine}{added and f', with tracks of other packages: {added}'}"
    )
    for header in built.broken:
        output.note(f"  {output.mark('fail')} {header.path}: {header.verdict.value}: {header.unranked[0]}")
    for note in built.notes:
        output.note(f"  ! {note}")
    ctx.exit(3 if built.broken else 0)


@click.command()
@click.option("--dir", "folder", type=click.Path(path_type=Path), default="site", show_default=True)
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
def serve(folder: Path, host: str, port: int) -> None:
    """Serve a built site on this machine until Ctrl-C."""
    serve_folder(folder, host, port)


def serve_folder(folder: Path, host: str, port: int) -> None:
    """Serve a folder; port 0 takes any free one."""
    if not os.path.isfile(folder / "index.html"):  # noqa: PTH113 - Path's raises where a name is too long
        raise PrerequisiteError(f"{folder} holds no built site", hint="benchsite build")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    try:
        server = http.server.ThreadingHTTPServer((host, port), handler)
    except OSError as error:
        raise InputError(
            f"cannot listen on {host}:{port}: {error.strerror}", hint="choose another --port"
        ) from None
    with server:
        output.say(f"serving {folder} at http://{host}:{server.server_address[1]}/  (Ctrl-C stops)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            output.say("stopped")
