"""`benchsite build` and `serve`."""

from __future__ import annotations

import functools
import http.server
import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import click

from benchsite.cli import here, output
from benchsite.environment import Credentials
from benchsite.errors import BenchsiteError, InputError, PrerequisiteError, UsageError
from benchsite.layout import CONFIG, DRAFTS, FIXTURES, INBOX, METHODOLOGY
from benchsite.pipeline import browser, head
from benchsite.pipeline import build as building
from benchsite.pipeline.building import links
from benchsite.pipeline.workspace import Workspace
from benchsite.repo import Repository

Sources = dict[str, tuple[str, int]]
_WATCHED: Final = ("content", "theme")
_PREVIEWED: Final = (FIXTURES, METHODOLOGY, DRAFTS, INBOX)
"""What a preview reads in the working tree besides."""
_EVERY: Final = 1.0
_STILL: Final = 0.3
"""Seconds between two looks at the sources, and for which they must stand still: an editor saves in several steps."""


@click.command()
@click.option(
    "--output",
    "folder",
    type=click.Path(path_type=Path),
    default="site",
    show_default=True,
    help="Folder to write the site to.",
)
@click.option("--full", is_flag=True, help="Render every page, as in CI.")
@click.option("--preview", "as_published", is_flag=True, help="Show drafts as if published.")
@click.option("--only-at", "expected", hidden=True, help="The commit that `check` examined.")
@click.pass_context
def build(ctx: click.Context, folder: Path, *, full: bool, as_published: bool, expected: str | None) -> None:
    """Verify all receipts and the log, and write the static site.

    The record (results/ and keys/), methodologies and datasets are read from the commit that HEAD names, and
    compared with the log. mkdocs.yml, prose and theme are read from the working tree: only files that git tracks.
    Every build verifies everything. A receipt page that has not changed is taken over from the last build.
    A preview needs no key: it signs a copy of the record with throwaway keys, marks every page, and logs nothing.
    Receipts that fail verification get a page that says so; the exit code is then 3.
    """
    (ctx.find_object(Credentials) or Credentials()).forget()
    with output.progress("building") as progress:
        workspace, snapshot = here.opened()
        if expected not in (None, snapshot.commit):
            raise PrerequisiteError(
                f"HEAD moved from {expected[:12]} to {(snapshot.commit or 'none')[:12]} during the check",
                hint="re-run: benchsite check",
            )
        if as_published:
            from benchsite.pipeline import preview as previews  # noqa: PLC0415 - most builds are none

            built = previews.preview(workspace, snapshot, folder, progress=progress)
        else:
            built = building.build(workspace, snapshot, folder, full=full, progress=progress)
    output.say(f"wrote {built.pages:,} pages, {built.receipts:,} of them receipts, to {built.site}")
    added = ", ".join(browser.engine().tracks)
    output.say(
        f"verify.html engine SHA-256: {built.engine}{added and f', with tracks of other packages: {added}'}"
    )
    for said in links.missing(workspace):
        output.note(f"  ! {said}")
    for header in built.broken:
        output.note(f"  {output.mark('fail')} {header.path}: {header.verdict.value}: {header.unranked[0]}")
    for note in built.notes:
        output.note(f"  ! {note}")
    ctx.exit(3 if built.broken or built.damaged else 0)


@click.command()
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    default="site",
    show_default=True,
    help="Folder of the built site.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port; 0 takes any free one.",
)
@click.option("--watch", is_flag=True, help="Build now and after every change of a source or HEAD.")
@click.option("--preview", "as_published", is_flag=True, help="With --watch: build previews.")
def serve(folder: Path, host: str, port: int, *, watch: bool, as_published: bool) -> None:
    """Serve a built site on this machine until Ctrl-C.

    With --watch, a failed build prints its errors, and the last site is still served.
    """
    if as_published and not watch:
        raise UsageError("--preview needs --watch", hint="add --watch")
    if not watch:
        serve_folder(folder, host, port)
        return
    with _listening(folder, host, port) as server:
        watched, ended = _Watched(Workspace(Path.cwd()).root, folder, as_published), threading.Event()
        seen = _sources(watched)
        _rebuild(watched)
        seen |= _standing(watched)
        threading.Thread(target=_watch, args=(watched, seen, ended), daemon=True).start()
        try:
            _serve(server, folder)
        finally:
            ended.set()


class _Watched(NamedTuple):
    """What `serve --watch` builds: the repository at `root` into `folder`, as a preview or not."""

    root: Path
    folder: Path
    as_published: bool


def _watch(watched: _Watched, seen: Sources, ended: threading.Event) -> None:
    """Build whenever the sources have changed, or the site is gone, and that then stood still for a moment."""
    while not ended.wait(_EVERY):
        with suppress(
            OSError, BenchsiteError
        ):  # a folder that is gone, a repository in the middle of a change
            now = _sources(watched)
            if now != seen and not ended.wait(_STILL) and _sources(watched) == now:
                _rebuild(watched)
                seen = now | _standing(watched)


def _rebuild(watched: _Watched) -> None:
    """A build in a process of its own, which prints what is wrong itself: this one has threads, and goes on."""
    command = [sys.executable, "-P", "-m", "benchsite", "build", "--output", str(watched.folder.absolute())]
    command += ["--preview"] if watched.as_published else []
    subprocess.run(command, cwd=watched.root, check=False, stdin=subprocess.DEVNULL)


def _sources(watched: _Watched) -> Sources:
    """What a build reads, by path, size and time of change; of the record the commit that HEAD names."""
    root = watched.root
    repository = Repository.open(root)
    found: Sources = {"HEAD": (head.commit(repository) or "", 0), **_standing(watched)}
    folders = (*_WATCHED, *_PREVIEWED) if watched.as_published else _WATCHED
    # A file is served once git tracks it.
    index = repository.git_folders()[0] / "index"
    files = [index, root / CONFIG, *(path for top in folders for path in (root / top).rglob("*"))]
    for path in files:
        with suppress(OSError):
            about = path.lstat()
            found[str(path)] = (str(about.st_size), about.st_mtime_ns)
    return found


def _standing(watched: _Watched) -> Sources:
    """Whether the site is there: one that was deleted is built again, once."""
    return {"site": (str((watched.folder / "index.html").is_file()), 0)}


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Prints failed requests only: one page loads some seventy modules."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        if not isinstance(code, int) or code >= http.HTTPStatus.BAD_REQUEST:
            super().log_request(code, size)


def serve_folder(folder: Path, host: str, port: int) -> None:
    """Serve a folder; port 0 takes any free one."""
    with _listening(folder, host, port) as server:
        _serve(server, folder)


def _listening(folder: Path, host: str, port: int) -> http.server.ThreadingHTTPServer:
    """A server of a folder that has its port, and answers once it is told to."""
    handler = functools.partial(_Handler, directory=str(folder))
    try:
        return http.server.ThreadingHTTPServer((host, port), handler)
    except OSError as error:
        raise InputError(
            f"cannot listen on {host}:{port}: {error.strerror}", hint="choose another --port"
        ) from None


def _serve(server: http.server.ThreadingHTTPServer, folder: Path) -> None:
    """Answer until Ctrl-C."""
    if not os.path.isfile(folder / "index.html"):  # noqa: PTH113 - Path's raises where a name is too long
        raise PrerequisiteError(f"no built site: {folder}", hint="run `benchsite build`")
    host, port = server.server_address[:2]
    output.say(f"serving {folder} at http://{host!s}:{port}/  (Ctrl-C stops)")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        output.say("stopped")
