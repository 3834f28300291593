"""`benchsite ci`."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from benchsite.cli import output
from benchsite.cli.main import Group
from benchsite.pipeline import pin as pinning
from benchsite.pipeline.workspace import Workspace


@click.group(cls=Group)
def ci() -> None:
    """Set up the workflows of this instance."""


@ci.command()
@click.argument("wheel", type=click.Path(path_type=Path), required=False)
def pin(wheel: Path | None) -> None:
    """Write .ci/benchsite.txt: the benchsite that workflows install, by its hash.

    WHEEL is a wheel file in this repository. Default: the installed wheel, if pip installed it from a web address.
    Workflows refuse a file with another hash.
    """
    pinned = pinning.pin(Workspace(Path.cwd()), wheel)
    output.say(f"wrote {pinning.PIN}: {pinned.line}")
    paths = [pinning.PIN, *([pinned.wheel.as_posix()] if pinned.wheel is not None else [])]
    output.say(f"next: git add {shlex.join(paths)} && git commit -m {shlex.quote('Pin benchsite')}")
