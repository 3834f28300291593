"""Rules as documents: which versions there are and where they stand, whether they may be published, and pinning one.

A version becomes immutable when the log pins its digest: with the first receipt made under it (`pipeline.publish`) or
by itself, here. Owns what a version must satisfy before that: its schema, dates that do not go back, a changelog,
parameters that the track's code goes by. What was pinned and changed since is refused whatever else it says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchsite.environment import Credentials
from benchsite.errors import BenchsiteError, InputError, IntegrityError, PrerequisiteError, UsageError
from benchsite.log import Log, MethodologyEntry
from benchsite.methodology import FILES, DocumentError, Methodology, MethodologyData, version_key
from benchsite.methodology.engine import NO_ENGINE, parameter_faults
from benchsite.methodology.lineage import predecessor
from benchsite.methodology.stale_values import stale_lines
from benchsite.methodology.status import VersionStatus, version_status
from benchsite.pipeline.record.append import Appended, Batch, append
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.snapshot.methodology_lookup import is_installed
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.methodology_store import read_methodology
from benchsite.progress import Progress, silent
from benchsite.track import Track
from benchsite.words import shown_path

_RANGES: Final = "docs/methodology-versions lists each engine's parameters"

__all__ = [
    "Checked",
    "Listed",
    "blank_sheet",
    "check",
    "listed",
    "pin",
    "pinnable",
    "require_publishable",
    "stale_notes",
]


@dataclass(frozen=True, slots=True)
class Listed:
    """A version on disk and where it stands."""

    document: Methodology
    status: VersionStatus

    @property
    def edited(self) -> bool:
        """Whether it is no longer what the log pins."""
        return self.status.pin is not None and self.status.pin.sha256 != self.document.sha256


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found: the versions that are in order, what is wrong, and what could not be compared."""

    valid: tuple[Methodology, ...]
    faults: tuple[BenchsiteError, ...]
    notes: tuple[str, ...]


def listed(workspace: Workspace, snapshot: Snapshot) -> list[Listed]:
    """Every version of the working tree, by track, oldest first."""
    log = snapshot.log
    pins = log.methodologies if log is not None else {}
    present: dict[str, list[str]] = {}
    for item in workspace.methodologies.every():
        present.setdefault(item.data.track, []).append(item.data.version)
    return [
        Listed(
            item,
            version_status(item.data.track, item.data.version, present=present[item.data.track], pins=pins),
        )
        for item in workspace.methodologies.every()
    ]


def check(workspace: Workspace, snapshot: Snapshot, folders: Sequence[Path] = ()) -> Checked:
    """Hold versions against everything a published one must satisfy.

    Args:
        workspace: the working tree that has them.
        snapshot: the record whose log pins versions.
        folders: the versions to check; without any, all of the repository and all that the log pins.

    Raises:
        UsageError: one of the folders is none.
    """
    log = snapshot.log
    wanted = [_folder(path) for path in folders]
    read, unreadable = _read(workspace, wanted or sorted((workspace.root / "methodology").glob("*/*")))
    siblings = _siblings(workspace, read)
    found = [fault for error in unreadable.values() for fault in _each(workspace, error)]
    notes: dict[str, None] = {}
    valid = []
    for document in read:
        faults = [*_faults(workspace, snapshot, document, siblings), *_unlike_the_log(log, document)]
        found += faults
        valid += [] if faults else [document]
        if log is None or (document.data.track, document.data.version) not in log.methodologies:
            notes |= dict.fromkeys(stale_notes(workspace, document))
        if document.data.track not in workspace.tracks:
            notes[f"no track {document.data.track} is installed: its parameters were not compared"] = None
    if not wanted and log is not None:
        found += _missing(log, read, unreadable)
    return Checked(tuple(valid), tuple(found), tuple(notes))


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise UsageError(
            f"{shown_path(path.as_posix())} is not a folder", hint="name methodology/<track>/<version>"
        )
    return path.resolve()


def _read(
    workspace: Workspace, folders: Iterable[Path]
) -> tuple[list[Methodology], dict[str, BenchsiteError]]:
    """The versions that can be read, and by folder why the others cannot."""
    read: list[Methodology] = []
    unreadable: dict[str, BenchsiteError] = {}
    for folder in folders:
        inside = folder.is_relative_to(workspace.root)
        where = (folder.relative_to(workspace.root) if inside else folder).as_posix()
        try:
            read.append(read_methodology(folder, where))
        except BenchsiteError as error:
            unreadable[where] = error
    return read, unreadable


def _each(workspace: Workspace, error: BenchsiteError) -> Iterator[BenchsiteError]:
    """Every fault of a document that breaks its schema, or the one reason why it cannot be read."""
    if not isinstance(error, DocumentError):
        yield error
        return
    yield from error.each()
    if isinstance(error.document, dict) and error.document.get("changes") == []:
        yield _no_changes(error.where)
    found = error.parameters
    if found is not None and (track := workspace.tracks.get(found.track)) is not None:
        yield from _engine_faults(error.where, track, found.engine, found.parameters)


def _siblings(workspace: Workspace, read: Sequence[Methodology]) -> dict[str, list[Methodology]]:
    """By track, every readable version of the repository with those that are checked, oldest first."""
    tracks = {item.data.track for item in read}
    around = [path for track in sorted(tracks) for path in (workspace.root / "methodology" / track).glob("*")]
    versions = {(item.data.track, item.data.version): item for item in _read(workspace, around)[0]}
    versions |= {(item.data.track, item.data.version): item for item in read}
    return {
        track: sorted(
            (item for item in versions.values() if item.data.track == track),
            key=lambda item: version_key(item.data.version),
        )
        for track in tracks
    }


def _faults(
    workspace: Workspace, snapshot: Snapshot, document: Methodology, siblings: dict[str, list[Methodology]]
) -> Iterator[InputError]:
    """What keeps a version from being published, however well it is formed."""
    data = document.data
    where = f"methodology/{data.track}/{data.version}"
    log = snapshot.log
    pinned = log is not None and (data.track, data.version) in log.methodologies
    yield from _lineage_faults(document, siblings[data.track], where, pinned=pinned)
    yield from _backwards(snapshot, document, where)
    if not data.changes:
        yield _no_changes(where)
    track = workspace.tracks.get(data.track)
    if track is not None:
        yield from _engine_faults(where, track, document.engine, data.parameters, data)


def _lineage_faults(
    document: Methodology, siblings: Sequence[Methodology], where: str, *, pinned: bool
) -> Iterator[InputError]:
    """A `basedOn` that names no earlier version here, and dates that decrease along the line of descent."""
    data, before = document.data, predecessor(document, siblings)
    earlier = [
        item.data.version for item in siblings if version_key(item.data.version) < version_key(data.version)
    ]
    if data.based_on is not None and before is None and not pinned:
        yield InputError(
            f"{where}: basedOn: no version {data.based_on}", hint=f"available: {', '.join(earlier) or 'none'}"
        )
    if before is not None and before.data.version not in earlier:
        yield InputError(
            f"{where}: basedOn: {data.based_on} is not an earlier version",
            hint=f"available: {', '.join(earlier) or 'none'}",
        )
    children = [item.data for item in siblings if item.data.based_on == data.version]
    after = min(children, key=lambda item: item.published, default=data)
    for word, other, wrong in (
        (
            "before",
            before.data if before else data,
            before is not None and before.data.published > data.published,
        ),
        ("after", after, after.published < data.published),
    ):
        if wrong:
            yield InputError(
                f"{where}: published {data.published}, {word} {other.version} of {other.published}",
                hint="dates must not decrease: fix the version or the date",
            )


def stale_notes(workspace: Workspace, document: Methodology) -> Iterator[str]:
    """Name the lines of a version that still have the old value of a parameter."""
    before = predecessor(document, _siblings(workspace, [document])[document.data.track])
    if before is not None and not is_installed(document.sha256):
        where = f"methodology/{document.data.track}/{document.data.version}"
        for found in stale_lines(before, document):
            yield (
                f"{where}/{found.file}, line {found.number}: still has the {found.parameter} of {before.data.version}, "
                f"{found.old}; it is {found.new} now: {found.line[:100]}"
            )


def _backwards(snapshot: Snapshot, document: Methodology, where: str) -> Iterator[InputError]:
    """A version below one that is published; those that came with this release may be published in any order."""
    data, log = document.data, snapshot.log
    pins = log.methodologies if log is not None else {}
    published = [version for track, version in pins if track == data.track]
    if not published or (data.track, data.version) in pins or is_installed(document.sha256):
        return
    newest = max(published, key=version_key)
    if version_key(data.version) < version_key(newest):
        yield InputError(
            f"{where}: version {data.version} is not later than the published {newest}",
            hint=f"choose a version above {newest}",
        )


def _no_changes(where: str) -> InputError:
    return InputError(f"{where}: changes: empty", hint="say what was added, changed or removed, and why")


def _engine_faults(
    where: str, track: Track, engine: str, parameters: object, document: MethodologyData | None = None
) -> Iterator[InputError]:
    """An engine that is not there, and every parameter that it does not take."""
    if engine == NO_ENGINE.format(track.name):
        return
    model = track.engines.get(engine)
    if model is None:
        yield InputError(
            f"{where}: engine: no scoring engine {engine!r} for {track.name}",
            hint=f"it has {', '.join(track.engines)}; a new engine is code, by pull request to benchsite: "
            "docs/methodology-versions",
        )
        return
    for fault in parameter_faults(engine, parameters, model, document=document):
        yield InputError(fault.said(where), hint=_RANGES)


def _unlike_the_log(log: Log | None, document: Methodology) -> Iterator[IntegrityError]:
    data = document.data
    pinned = log.methodologies.get((data.track, data.version)) if log is not None else None
    if pinned is not None and pinned.sha256 != document.sha256:
        yield IntegrityError(
            f"methodology/{data.track}/{data.version} was edited after it was published: entry {pinned.index} of "
            f"the log pins {pinned.sha256[:12]}…, and it is {document.sha256[:12]}… now",
            hint="restore it from git; a changed methodology needs a new version",
        )


def _missing(
    log: Log, read: Sequence[Methodology], unreadable: dict[str, BenchsiteError]
) -> Iterator[IntegrityError]:
    """Published versions that are gone, or that nobody can read any more."""
    here = {(item.data.track, item.data.version) for item in read}
    for (track, version), pinned in log.methodologies.items():
        where = f"methodology/{track}/{version}"
        if (track, version) not in here:
            what = "is unreadable" if where in unreadable else "is missing"
            yield IntegrityError(
                f"{where} {what}, and entry {pinned.index} of the log pins it",
                hint=f"git log -- {where} shows who changed it; restore it",
            )


def pinnable(workspace: Workspace, snapshot: Snapshot, track: str, version: str) -> Methodology | None:
    """The version that `pin` would put into the log; None where the log pins exactly it already.

    Raises:
        UsageError: there is no such version.
        InputError: it does not satisfy what a published version must.
        IntegrityError: the log pins other content under this number.
        PrerequisiteError: no log has begun, or the version has uncommitted changes.
    """
    log = snapshot.require_log()
    document = workspace.methodologies.read(track, version)
    for fault in _unlike_the_log(log, document):
        raise fault
    if (track, version) in log.methodologies:
        return None
    require_publishable(workspace, snapshot, document)
    if snapshot.methodology_digest(track, version) != document.sha256:
        raise PrerequisiteError(
            f"methodology/{track}/{version} has uncommitted changes",
            hint=f"commit {', '.join(FILES)} as regular files, then publish",
        )
    return document


def require_publishable(workspace: Workspace, snapshot: Snapshot, document: Methodology) -> None:
    """Refuse a version that the log must not pin, by itself or with the first receipt made under it.

    Raises:
        InputError: it does not satisfy what a published version must.
    """
    for wrong in _faults(workspace, snapshot, document, _siblings(workspace, [document])):
        raise wrong


def pin(
    workspace: Workspace,
    credentials: Credentials,
    track: str,
    version: str,
    *,
    push: bool,
    progress: Progress = silent,
) -> Appended:
    """Put the digest of a version into the log, in one signed commit; nothing where it stands there already.

    Raises:
        BenchsiteError: as `pinnable` and `append`.
    """

    def stage(batch: Batch) -> None:
        document = pinnable(workspace, batch.snapshot, track, version)
        if document is None:
            return
        batch.new.append(MethodologyEntry(track=track, version=version, sha256=document.sha256))
        batch.subject = f"methodology: publish {track} {version}"
        batch.lines.append(f"sha256: {document.sha256}")

    return append(workspace, credentials, stage, push=push, progress=progress)


def blank_sheet(workspace: Workspace, track: str, version: str, template: str) -> str:
    """A sheet to fill in, its anchors as comments.

    Raises:
        UsageError: there is no such track, version or template, or nobody fills sheets there.
    """
    found = workspace.tracks.get(track)
    if found is None:
        raise UsageError(
            f"no track named {track!r}", hint=f"available: {', '.join(sorted(workspace.tracks))}"
        )
    rules = workspace.methodologies.read(track, version)
    if found.sheets is None:
        raise UsageError(
            f"{track} {version} has no template {template!r}, nor any sheet to fill in",
            hint=f"benchsite run {track} measures programs",
        )
    text: str = found.sheets.blank(rules, template)
    return text
