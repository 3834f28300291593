"""ci pin: which benchsite the workflows install, written to `.ci/benchsite.txt` as one requirement with its hash.

The line is what `.ci/install` reads: a wheel by its place, in the repository or on a release page. A version on a
package index is never written: benchsite is published on none, and its name there could be registered by others.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from email.parser import BytesHeaderParser
from importlib import metadata
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

from benchsite import __version__
from benchsite.canonical import sha256_hex
from benchsite.errors import InputError, PrerequisiteError
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.repo import write_atomically

PIN: Final = ".ci/benchsite.txt"
_NAME: Final = "benchsite"
_COMMENT: Final = "# Written by `benchsite ci pin`: the benchsite that workflows install, by its hash.\n"
_FROM_FILE: Final = "copy a wheel of benchsite into the repository, then run: benchsite ci pin wheels/FILE"
_ADDRESS: Final = re.compile(r"https://[A-Za-z0-9.:/_%+~-]+\.whl")
"""No user name, no password, no query: the line is public."""
_LARGEST: Final = 100 * 1024 * 1024
_LARGEST_METADATA: Final = 1024 * 1024
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class Pinned(NamedTuple):
    """What was written.

    Attributes:
        line: the requirement with its hash.
        wheel: path of the wheel in the repository, to be committed too; None where the line has a web address.
    """

    line: str
    wheel: Path | None


def pin(workspace: Workspace, wheel: Path | None = None) -> Pinned:
    """Write the requirement.

    Args:
        workspace: whose workflows.
        wheel: a file in the repository; by default the wheel that pip installed from a web address.

    Raises:
        InputError: the file is not a wheel of benchsite, or outside the repository.
        PrerequisiteError: pip recorded neither address nor hash of the installed benchsite.
    """
    made = _installed() if wheel is None else _of_file(workspace, wheel)
    path = workspace.root / PIN
    path.parent.mkdir(exist_ok=True)
    write_atomically(path, f"{_COMMENT}{made.line}\n".encode())
    return made


def _of_file(workspace: Workspace, path: Path) -> Pinned:
    sha256, root = _hash(path), workspace.root.resolve()
    place = path.resolve()
    if not place.is_relative_to(root):
        raise InputError(
            f"wheel is outside the repository: {path}",
            hint=f"copy it into the repository, then run: benchsite ci pin wheels/{path.name}",
        )
    inside = place.relative_to(root)
    address = "file://${REPOSITORY_ROOT}/" + quote(inside.as_posix())
    return Pinned(f"{_NAME} @ {address} --hash=sha256:{sha256}", inside)


def _installed() -> Pinned:
    """The address and hash that pip recorded of the installed wheel (PEP 610, `direct_url.json`)."""
    try:
        recorded = json.loads(metadata.distribution(_NAME).read_text("direct_url.json") or "{}")
        address, sha256 = str(recorded["url"]), str(recorded["archive_info"]["hashes"]["sha256"])
    except (metadata.PackageNotFoundError, ValueError, KeyError, TypeError):
        address, sha256 = "", ""
    if not _ADDRESS.fullmatch(address) or not _SHA256.fullmatch(sha256):
        raise PrerequisiteError(
            f"benchsite {__version__} was not installed from the web address of a wheel",
            hint=_FROM_FILE,
        )
    return Pinned(f"{_NAME} @ {address} --hash=sha256:{sha256}", None)


def _hash(path: Path) -> str:
    """The SHA-256 of a wheel of benchsite."""
    data = read_bounded(path, _LARGEST)
    not_one = InputError(
        f"not a wheel of benchsite: {path}", hint="choose a file benchsite-VERSION-py3-none-any.whl"
    )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            (name,) = [one for one in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", one)]
            with archive.open(name) as member:
                headers = BytesHeaderParser().parsebytes(member.read(_LARGEST_METADATA))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RuntimeError):
        raise not_one from None
    if headers["Name"] != _NAME or not path.name.startswith(f"{_NAME}-") or path.suffix != ".whl":
        raise not_one
    return sha256_hex(data)
