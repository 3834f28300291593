"""The beginning of a new methodology version: a copy of an earlier one with its number, date, engine and an empty change list.

The copy is made of the document's lines, so that comments and layout stay. `methodology check` refuses it until its changes
are listed. Refuses a version that exists, and one that is not later than those that do.
"""

from __future__ import annotations

import re

from benchsite import environment, yaml_document
from benchsite.errors import InputError, UsageError
from benchsite.layout import methodology_folder
from benchsite.methodology import DATA_FILE, TEXT_FILE, newest, version_key
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.instance.files import read_bounded
from benchsite.repo import write_atomically
from benchsite.schema import SEMVER

__all__ = ["create"]


def create(instance: Instance, track: str, version: str, *, earlier: str = "") -> str:
    """Write the two files of a new version; its folder.

    Args:
        instance: where it goes.
        track: its track.
        version: its number, later than every version of the track here.
        earlier: the version to start from; by default the newest.

    Raises:
        UsageError: the number is none, is taken, or goes backwards; or there is no version to start from.
        InputError: the earlier version cannot be read, or the folder cannot be written.
    """
    known = instance.methodologies.versions(track)
    if not re.fullmatch(SEMVER, version):
        raise UsageError(f"{version!r} is not a version", hint="use three numbers, for example 1.4.0")
    if not known:
        raise UsageError(
            f"no methodology version to start from: methodology/{track}",
            hint="copy the first version from the track's package to methodology/",
        )
    if version_key(version) <= version_key(newest(known)):
        raise UsageError(
            f"{track} {version} is not later than {newest(known)}",
            hint=f"choose a version above {newest(known)}",
        )
    document = instance.methodologies.read(track, earlier or newest(known))
    folder = instance.root / methodology_folder(track, version)
    source = instance.root / methodology_folder(track, document.data.version)
    data, text = (read_bounded(source / name, yaml_document.MAX_BYTES) for name in (DATA_FILE, TEXT_FILE))
    made = _edited(data.decode(), document.data.version, version, document.engine)
    try:
        folder.mkdir(parents=True)
        write_atomically(folder / DATA_FILE, made.encode())
        write_atomically(folder / TEXT_FILE, text)
    except OSError as error:
        raise InputError(
            f"cannot write {folder}: {error.strerror}", hint="check the folder's owner and permissions"
        ) from None
    return methodology_folder(track, version)


def _edited(data: str, old: str, new: str, engine: str) -> str:
    """The lines of a document as those of its successor."""
    today = environment.now()[:10]
    kept = []
    block = ""
    for line in data.splitlines():
        if re.match(r"[a-zA-Z]", line):
            block = line.partition(":")[0]
        if block in ("version", "title", "published", "engine"):
            line = {  # noqa: PLW2901 - the line is written again
                "version": f"version: {new}",
                "title": line.replace(old, new),
                "published": f'published: "{today}"',
                "engine": "",
            }[block]
        if block == "changes":
            line = "changes: []" if line.startswith("changes:") else ""  # noqa: PLW2901
        if line or block not in ("engine", "changes"):
            kept.append(line)
        if line.startswith("receiptSchema:"):
            kept.append(f"engine: {engine}")
    return "\n".join(kept) + "\n"
