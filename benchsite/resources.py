"""The files that travel with benchsite: prose, theme, methodologies, fixtures, the key procedure, workflows.

A wheel carries them under `benchsite/_data`; an editable install sees none of that and reads the checkout's
own folders. Nothing here writes.
"""

from __future__ import annotations

from pathlib import Path

from benchsite.errors import PrerequisiteError

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """The folder `content`, `theme`, `methodology`, `fixtures` or `keys` that came with this installation.

    Raises:
        PrerequisiteError: the installation is incomplete.
    """
    for base in (_PACKAGE / "_data", _PACKAGE.parent):
        if (base / name).is_dir():
            return base / name
    raise _lacking(name)


def file(path: str) -> bytes:
    """The bytes of one file that came with this installation, such as `constraints.txt`.

    Raises:
        PrerequisiteError: the installation is incomplete.
    """
    for base in (_PACKAGE / "_data", _PACKAGE.parent):
        if (base / path).is_file():
            return (base / path).read_bytes()
    raise _lacking(path)


def _lacking(name: str) -> PrerequisiteError:
    return PrerequisiteError(
        f"this installation of benchsite lacks its {name}", hint="reinstall it: pip install --force-reinstall"
    )
