"""A new methodology version: a copy of an earlier one with its own number, date and origin, and an empty change list.

The copy keeps the document's comments and layout. `methodology check` refuses it until its changes are listed. Refuses a
version that exists, and a version that is not later than the published ones of its track.
"""

from __future__ import annotations

import json
import re

from benchsite import environment, yaml_document
from benchsite.errors import InputError, UsageError
from benchsite.layout import methodology_folder
from benchsite.methodology import DATA_FILE, FILES, PARAMETERS_FILE, newest, version_key
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.repo import write_atomically
from benchsite.schema import SEMVER

__all__ = ["create"]


def create(workspace: Workspace, snapshot: Snapshot, track: str, version: str, *, earlier: str = "") -> str:
    """Write the files of a new version, and return its folder.

    Args:
        workspace: where it goes.
        snapshot: the record whose log pins versions.
        track: its track.
        version: its number, later than every published version of the track.
        earlier: the version to start from; by default the newest.

    Raises:
        UsageError: the number is none, is taken, or goes backwards; or there is no version to start from.
        InputError: the earlier version cannot be read, or the folder cannot be written.
    """
    known = workspace.methodologies.versions(track)
    if not re.fullmatch(SEMVER, version):
        raise UsageError(f"{version!r} is not a version", hint="use three numbers, for example 1.4.0")
    if not known:
        raise UsageError(
            f"no methodology version to start from: methodology/{track}",
            hint="copy the first version from the track's package to methodology/",
        )
    if version in known:
        raise UsageError(
            f"{track} {version} exists", hint=f"choose another number; taken: {', '.join(known)}"
        )
    log = snapshot.log
    published = [number for name, number in (log.methodologies if log is not None else ()) if name == track]
    if published and version_key(version) <= version_key(newest(published)):
        raise UsageError(
            f"{track} {version} is not later than the published {newest(published)}",
            hint=f"choose a version above {newest(published)}",
        )
    document = workspace.methodologies.read(track, earlier or newest(known))
    folder = workspace.root / methodology_folder(track, version)
    source = workspace.root / methodology_folder(track, document.data.version)
    files = {name: read_bounded(source / name, yaml_document.MAX_BYTES) for name in FILES}
    files[DATA_FILE] = _edited(files[DATA_FILE].decode(), document.data.version, version).encode()
    members = {**json.loads(files[PARAMETERS_FILE]), "version": version}
    files[PARAMETERS_FILE] = f"{json.dumps(members, indent=2, ensure_ascii=False)}\n".encode()
    try:
        folder.mkdir(parents=True)
        for name, content in files.items():
            write_atomically(folder / name, content)
    except OSError as error:
        raise InputError(
            f"cannot write {folder}: {error.strerror}", hint="check the folder's owner and permissions"
        ) from None
    return methodology_folder(track, version)


def _edited(data: str, old: str, new: str) -> str:
    """Return the lines of a successor's document."""
    today = environment.now()[:10]
    kept = []
    block = ""
    for line in data.splitlines():
        if re.match(r"[a-zA-Z]", line):
            block = line.partition(":")[0]
        if block in ("title", "published", "basedOn"):
            line = {  # noqa: PLW2901 - the line is written again
                "title": line.replace(old, new),
                "published": f'published: "{today}"',
                "basedOn": "",
            }[block]
        if block == "changes":
            line = "changes: []" if line.startswith("changes:") else ""  # noqa: PLW2901
        if line.startswith("receiptSchema:"):
            kept.append(f"basedOn: {old}")
        if line or block not in ("basedOn", "changes"):
            kept.append(line)
    return "\n".join(kept) + "\n"
