"""Fixtures: list, validate and import the data that subjects are measured on.

What a `fixture.json` must say is its track's business: the one it names as `track`, else the one that had fixtures first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.errors import BenchsiteError, InputError, PrerequisiteError, UsageError
from benchsite.isolation import data_files
from benchsite.isolation.data_files import DataFile
from benchsite.layout import FIXTURES, IMPORTED
from benchsite.pipeline.workspace import LARGEST_FIXTURE, Workspace
from benchsite.pipeline.workspace.files import Folder, read_bounded
from benchsite.plugins import tracks
from benchsite.receipt import UNNAMED
from benchsite.repo import write_atomically
from benchsite.track import Described, Fixtures, Imported
from benchsite.track.parts import DataFormat


@dataclass(frozen=True, slots=True)
class Listed:
    """A fixture on disk; `fixture` is None where it is malformed and `error` says why."""

    path: Path
    imported: bool
    fixture: Described | None
    error: BenchsiteError | None = None


@dataclass(frozen=True, slots=True)
class Converted:
    """Another project's data as a `fixture.json` with what the importer did, and the fixture read back.

    `takes_id`: whether the importer can be given another id; `large`: files that the fixture names by hash.
    """

    made: Imported
    fixture: Described
    takes_id: bool
    large: tuple[DataFile, ...] = ()


def listed(workspace: Workspace) -> Iterator[Listed]:
    """Every fixture of the instance, in the repository first, then the imported ones whose id no other has."""
    seen = set()
    for path in workspace.fixture_paths():
        if path.parent.name in seen:
            continue
        seen.add(path.parent.name)
        imported = workspace.imported(path)
        try:
            yield Listed(path, imported, read(path))
        except BenchsiteError as error:
            yield Listed(path, imported, None, error)


def described(data: bytes, where: str) -> Described:
    """What a `fixture.json` holds, by its track.

    Raises:
        InputError: everything wrong with it, with places and ids.
        UsageError: it names a track that is not installed, or that has no fixtures.
    """
    name, reader = _reader(data)
    if reader is None:
        raise UsageError(
            f"fixture {where}: no installed track {name!r} has datasets",
            hint="install the package of the track, or correct `track` in the file",
        )
    return reader.described(data, where)


def _reader(data: bytes) -> tuple[object, Fixtures | None]:
    """The track that a `fixture.json` names, and the part of it that reads the file; None where there is none."""
    try:
        value = canonical.loads(data, max_bytes=LARGEST_FIXTURE)
    except JsonError:
        value = None  # the track for details
    name = value.get("track", UNNAMED) if isinstance(value, dict) else UNNAMED
    track = tracks().get(name) if isinstance(name, str) else None
    return name, track.fixtures if track is not None else None


def read(path: Path) -> Described:
    """Read and check a fixture file; its folder must carry its id.

    Raises:
        InputError: everything wrong with it, with places and ids.
    """
    fixture = described(read_bounded(path, LARGEST_FIXTURE), str(path))
    if path.name == "fixture.json" and path.parent.name != fixture.id:
        raise InputError(
            f"fixture {path}: its id is {fixture.id!r}, so its folder must be {fixture.id}/",
            hint="rename the folder, or correct the id",
        )
    return fixture


def held(workspace: Workspace, name: str, noun: str) -> Path:
    """The file of an id; raises `UsageError` with the ids of this noun where there is none of any."""
    try:
        return workspace.fixture_path(name)
    except UsageError:
        known = sorted({path.parent.name for path in workspace.fixture_paths() if _noun(path) == noun})
        command = "fixture" if noun == "dataset" else noun
        raise UsageError(
            f"no {noun} named {name!r}",
            hint=f"available: {', '.join(known) or 'none'}; `benchsite {command} import` adds one",
        ) from None


def _noun(path: Path) -> str:
    """What a fixture file is called; empty where it cannot be read."""
    try:
        reader = _reader(read_bounded(path, LARGEST_FIXTURE))[1]
    except BenchsiteError:
        return ""
    return reader.noun if reader is not None else ""


def named(workspace: Workspace | None, name: str, noun: str = "") -> Path:
    """The file of a fixture named by path or id; where it is missing, those of `noun` are named, or all.

    Raises:
        UsageError: there is no such fixture.
    """
    # The methods of Path raise where file name too long; these say no.
    path = Path(name, "fixture.json") if os.path.isdir(name) else Path(name)  # noqa: PTH112
    if os.path.isfile(path):  # noqa: PTH113
        return path
    if workspace is None:
        raise UsageError(
            f"no file {name!r}, and there is no instance here to look it up in",
            hint="give the path of a file, or run the command in a clone of the repository",
        )
    return held(workspace, name, noun) if noun else workspace.fixture_path(name)


def formats(noun: str) -> dict[str, DataFormat]:
    """Every format of data of this noun that an installed track imports, by name."""
    readers = (track.fixtures for track in tracks().values())
    return {
        name: reader.formats[name]
        for reader in readers
        if reader is not None and reader.noun == noun
        for name in reader.formats
    }


def convert(form: DataFormat, path: Path | None, /, **options: Any) -> Converted:
    """Read data of a format as a fixture; writes nothing.

    Args:
        form: the format.
        path: its file or folder; None if it takes none.
        options: what else the importer takes; of those that name a file, its path or None.

    Raises:
        InputError: the data is malformed.
    """
    given = dict(options)
    for name in form.inputs:
        file = given.get(name)
        given[name] = None if file is None else (Path(file).name, read_bounded(Path(file), LARGEST_FIXTURE))
    files: Mapping[str, bytes] = {}
    if path is not None and form.suffixes:
        files, given["where"] = Folder(path, form.suffixes, LARGEST_FIXTURE), path.resolve().name
    elif path is not None:
        files = {path.name: read_bounded(path, LARGEST_FIXTURE)}
    large: dict[str, DataFile] = {}
    if path is not None and form.large:
        kept = Folder(path, form.large, LARGEST_FIXTURE)
        large = {name: data_files.described(kept.path(name), name) for name in kept}
        given["large"] = large
    made = form.convert(files, **given)
    named = path.name if path is not None else str(made.report.get("id", "data"))
    try:
        read = described(made.data, named)
    except InputError as error:
        raise InputError(
            error.message, hint="correct the imported files or the options, then repeat the import"
        ) from None
    used = tuple(file for file in large.values() if file.sha256 in made.report.get("large", ()))
    return Converted(made, read, form.takes_id, used)


def keep(workspace: Workspace, converted: Converted, *, into_repo: bool, license_ok: bool) -> Path:
    """Write a converted data set where this instance finds it; the file.

    Args:
        workspace: where it goes: `.benchsite/fixtures/`, or `fixtures/` with `into_repo`.
        converted: what `convert` read.
        into_repo: make its texts public with the repository.
        license_ok: the person has read the data's licence and says that it allows this.

    Raises:
        PrerequisiteError: `into_repo` without `license_ok`: what an importer reads is other people's data.
        InputError: the id is taken by other content.
    """
    fixture = converted.fixture
    if into_repo and not license_ok:
        raise PrerequisiteError(
            f"fixtures/ is public, and {fixture.id} is licensed: {fixture.license}",
            hint="remove --into-repo to keep it on this machine; "
            "or, if its license allows redistribution, add --license-ok",
        )
    if into_repo and fixture.facts.get("publish") == "sealed":
        raise PrerequisiteError(
            f"fixtures/ is public, and {fixture.id} is sealed: its texts must never be published",
            hint="remove --into-repo to keep it on this machine",
        )
    base = workspace.root / (FIXTURES if into_repo else IMPORTED)
    path = base / fixture.id / "fixture.json"
    _refuse_other_content(workspace, converted, path)
    for file in converted.large:
        data_files.keep(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, converted.made.data)
    return path


def offer(workspace: Workspace, name: str, data: bytes) -> Path | None:
    """Keep a `fixture.json` that an importer made, and return its path; None if the instance has data of that id."""
    if any(path.parent.name == name for path in workspace.fixture_paths()):
        return None
    path = workspace.root / IMPORTED / name / "fixture.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data)
    return path


def withdraw(path: Path) -> None:
    """Remove a `fixture.json` that `offer` kept, and its folder if nothing else is in it."""
    path.unlink(missing_ok=True)
    with suppress(OSError):
        path.parent.rmdir()


def _refuse_other_content(workspace: Workspace, converted: Converted, path: Path) -> None:
    """An id stands for one content: a file of that id may be written again only unchanged."""
    fixture, other_id = converted.fixture, "choose another --id; or, " if converted.takes_id else ""
    for known in workspace.fixture_paths():
        if known.parent.name == fixture.id and known != path:
            raise InputError(
                f"dataset {fixture.id!r} exists: {known}",
                hint=f"{other_id}if no receipt refers to it, remove {known.parent}",
            )
    if path.exists() and read(path).sha256 != fixture.sha256:
        raise InputError(
            f"{path}: the id {fixture.id!r} is used for other content",
            hint=f"{other_id}if no receipt refers to the existing one, remove {path.parent}",
        )


def row(item: Listed) -> dict[str, Any]:
    """A fixture as `fixture list --json` shows it."""
    if item.fixture is None:
        said = (item.error.message, item.error.hint) if item.error is not None else ("", "")
        return {"id": item.path.parent.name, "error": said[0], "hint": said[1]}
    fixture = item.fixture
    return {
        "id": fixture.id,
        "sha256": fixture.sha256,
        **fixture.counts,
        **fixture.facts,
        "license": fixture.license,
        "imported": item.imported,
    }
