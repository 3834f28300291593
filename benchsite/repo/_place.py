"""Where an instance is in its repository: at the top, or in a subfolder that its paths are relative to.

The folder that the command was started in, or the nearest one above it in the repository, is the instance if its `mkdocs.yml`
has `extra.benchsite`. Paths of an instance are relative to that folder; git names files from the top. A file outside of the folder is
`../name` to the instance.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Final, NamedTuple

from benchsite.layout import CONFIG

_OURS: Final = re.compile(r"^\s+benchsite\s*:", re.MULTILINE)
"""The line of `mkdocs.yml` that makes a folder an instance."""


class Places(NamedTuple):
    """Where a repository is: its working tree, its own folder, and the one that it shares with other working trees."""

    top: Path
    folder: Path
    common: Path


def instance_below(top: Path, start: Path) -> str:
    """Return the instance's folder as git names it, ended by a slash; empty if it is the top or if there is none.

    Args:
        top: top folder of the working tree.
        start: a folder in it.
    """
    top, start = top.resolve(), start.resolve()
    for folder in (start, *start.parents):
        if folder == top or not folder.is_relative_to(top):
            break
        if _OURS.search(_text(folder / CONFIG)):
            return f"{folder.relative_to(top).as_posix()}/"
    return ""


def from_top(below: str, path: str) -> str:
    """Return the name that git has for a path of the instance; a slash at its end stays."""
    if not below or path in ("", "."):
        return below or path
    slash = "/" if path.endswith("/") else ""
    return posixpath.normpath(below + path) + slash if path.startswith("../") else below + path


def to_instance(below: str, path: str) -> str:
    """Return the path by which an instance knows a file that git names; the inverse of `from_top`."""
    if not below:
        return path
    return path.removeprefix(below) if path.startswith(below) else posixpath.relpath(path, below)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
