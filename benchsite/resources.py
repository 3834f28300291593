"""The files that travel with benchsite: prose, theme, methodologies, fixtures, the configuration of a new site.

A wheel carries them under `benchsite/_data`; an editable install sees none of that and reads the checkout's
own folders. Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchsite.errors import PrerequisiteError

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """The folder `content`, `theme`, `methodology`, `fixtures` or `keys` that came with this installation."""
    return _find(name, Path.is_dir)


def file(name: str) -> Path:
    """A single file that came with this installation, such as `mkdocs.yml`."""
    return _find(name, Path.is_file)


def _find(name: str, test: Callable[[Path], bool]) -> Path:
    for base in (_PACKAGE / "_data", _PACKAGE.parent):
        if test(base / name):
            return base / name
    raise PrerequisiteError(
        f"this installation of benchsite lacks its {name}", hint="reinstall it: pip install --force-reinstall"
    )
