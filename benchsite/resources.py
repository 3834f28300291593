"""The files that travel with benchsite: prose, theme, methodologies, fixtures, the key procedure, workflows.

A wheel carries them under `benchsite/_data`; an editable install sees none of that and reads the checkout's
own folders. Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Iterator
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


def files(name: str) -> Iterator[tuple[str, bytes]]:
    """Path within the folder and bytes of each file of `folder(name)`, in path order, links left out.

    pip compiles the scripts of an installed wheel, and byte code names folders of this machine: it is left out too.
    """
    base = folder(name)
    for path in sorted(base.rglob("*")):
        place = path.relative_to(base)
        compiled = "__pycache__" in place.parts or path.suffix in (".pyc", ".pyo")
        if path.is_file() and not path.is_symlink() and not compiled:
            yield place.as_posix(), path.read_bytes()


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
        f"missing file of this installation: {name}", hint="reinstall it: pip install --force-reinstall"
    )
