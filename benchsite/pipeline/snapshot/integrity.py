"""Is the record whole? One answer, for publish, verify, audit, check, build and status.

A record as a commit holds it is compared with its log: every entry its file, every file its entry, every copy what it
copies, methodologies and fixtures as they were logged. The bytes of every receipt are hashed and compared with the entry
that names them. Whether a receipt's signature and numbers hold is another question, which `verify --all` answers: no
alteration after publishing escapes the hash.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.errors import BenchsiteError, IntegrityError
from benchsite.layout import (
    COSIGNATURES_PATH,
    MANIFEST_PATH,
    evidence_path,
    evidence_sha256,
    fixture_path,
    methodology_folder,
    receipt_path,
    sort_of,
)
from benchsite.log import Log, SupersedeEntry, key_files
from benchsite.pipeline.findings import Finding, Kind
from benchsite.pipeline.snapshot import Snapshot, sizes
from benchsite.pipeline.snapshot.evidence_store import uncompressed
from benchsite.progress import Progress, silent
from benchsite.repo import REGULAR, TreeFile
from benchsite.schema import HEX64
from benchsite.track import IN_GIT
from benchsite.words import shown_path

__all__ = [
    "EXHIBITS",
    "Blobs",
    "Whole",
    "faults",
    "listed_evidence",
    "odd_files",
    "refusal",
    "require_whole",
]

EXHIBITS: Final = frozenset({Kind.EVIDENCE, Kind.WITHDRAWN, Kind.UNPINNED})
"""What is wrong with evidence, and what an entry that withdraws it puts right."""

Blobs = Callable[[Iterable[str]], Iterator[tuple[str, bytes]]]
"""Reads many objects: blob ids to (id, bytes), in their order."""
_DECLARES: Final = b'"supersedes":"'
_EVIDENCE: Final = b'"evidence"'
_PINS_NONE: Final = b'"evidence":[]'
_SHA256: Final = re.compile(HEX64)
_TOLD_EVERY: Final = 500


class _Exhibit(NamedTuple):
    """What the bytes of a file of evidence come to."""

    sha256: str
    size: int


class Whole:
    """Compares one record with a log; `receipts` counts the files that were hashed, `pins` holds the evidence they name."""

    def __init__(self, snapshot: Snapshot, log: Log, blobs: Blobs | None = None) -> None:
        self.snapshot = snapshot
        self._repository = snapshot.repository
        self._log = log
        self._blobs = blobs if blobs is not None else self._one_by_one
        self._held = {item.path: item for item in snapshot.files}
        self.pins: set[str] = set()
        self.receipts = 0

    def findings(self, progress: Progress = silent, *, evidence: bool = True) -> Iterator[Finding]:
        """Everything that is wrong.

        Args:
            progress: called with (done, total, label).
            evidence: read and hash every piece of evidence too, which may be far larger than the record.
        """
        yield from odd_files(self.snapshot)
        yield from self._receipts(progress, evidence=evidence)
        yield from self._keys()
        yield from self.documents()
        if evidence:
            yield from self._evidence()
        yield from self._witnesses()
        yield from sizes.faults(self.snapshot, self._log)

    def beside(self, pins: Iterable[tuple[str, Sequence[Any]]]) -> Iterator[Finding]:
        """What is wrong besides the receipts, for a reader that verifies each of those itself.

        Args:
            pins: of each receipt its path and the members of its `evidence`.
        """
        yield from odd_files(self.snapshot)
        for path, listed in pins:
            yield from self._pinned(path, listed)
        yield from self._keys()
        yield from self._evidence()
        yield from self._witnesses()
        yield from sizes.faults(self.snapshot, self._log)

    def _one_by_one(self, blob_ids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        for blob_id in blob_ids:
            yield blob_id, self._repository.blob(blob_id)

    def _receipts(self, progress: Progress, *, evidence: bool) -> Iterator[Finding]:
        files = {item.path: item for item in self.snapshot.of_sort("receipt")}
        entries: dict[str, int] = {}
        for receipt_id, index in self._log.receipts.items():
            path = receipt_path(receipt_id)
            if path not in files:
                yield Finding(
                    Kind.ENTRY_WITHOUT_FILE,
                    path,
                    f"entry {index} of the log names it, but the file is missing",
                )
            else:
                entries[path] = index
        for path in files:
            if path not in entries:
                yield Finding(Kind.FILE_WITHOUT_ENTRY, path, "no entry of the log names it")
        there = [files[path] for path in entries if files[path].mode in REGULAR]
        blobs = self._blobs(item.blob_id for item in there)
        for item, (_, data) in zip(there, blobs, strict=True):
            if self.receipts % _TOLD_EVERY == 0:
                progress(self.receipts, len(there), "hashing receipts")
            self.receipts += 1
            # An entry is canonical and names one digest: looking for it spares decoding every entry again.
            if f'"sha256":"{canonical.sha256_hex(data)}"'.encode() not in self._log.entry_bytes(
                entries[item.path]
            ):
                said = f"its hash differs from entry {entries[item.path]}"
                yield Finding(Kind.EDITED, item.path, said)
                continue
            if _DECLARES in data:
                yield from self._declared(item, data)
            if evidence and _may_pin(data):
                yield from self._pinned(item.path, listed_evidence(data))
        yield from self._successions()

    def _declared(self, item: TreeFile, data: bytes) -> Iterator[Finding]:
        """A receipt that declares what it supersedes needs the event that says so."""
        document = _document(data)
        old = document.get("supersedes")
        events = self._log.events_about(old) if isinstance(old, str) else ()
        name = item.path[-41:-5]
        if old is not None and not any(
            isinstance(event, SupersedeEntry) and event.by == name for _, event in events
        ):
            said = f"it declares that it supersedes {old}, but no log entry does"
            yield Finding(Kind.SUPERSEDE_MISMATCH, item.path, said)

    def _pinned(self, path: str, listed: Sequence[Any]) -> Iterator[Finding]:
        """Evidence that a receipt pins lies in the record, as large as it says, until the log withdraws it."""
        for entry in listed:
            pinned = entry if isinstance(entry, dict) else {}
            sha256 = pinned.get("sha256")
            if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
                yield Finding(Kind.EVIDENCE, path, "its evidence list is malformed")
                continue
            self.pins.add(sha256)
            if sha256 in self._log.withdrawn:
                continue
            place = evidence_path(sha256)
            held = self._exhibits.get(place)
            if held is None and _at_a_mirror(pinned):
                continue
            if held is None:
                yield Finding(Kind.EVIDENCE, place, f"{path} pins it, but the file is missing")
            elif held.size != pinned.get("size"):
                said = f"size mismatch: {held.size:,} bytes, {path} records another size"
                yield Finding(Kind.EVIDENCE, place, said)

    def _successions(self) -> Iterator[Finding]:
        """A receipt is superseded by one of its own track and subject."""
        for receipt_id in self._log.receipts:
            for index, event in self._log.events_about(receipt_id):
                if not isinstance(event, SupersedeEntry):
                    continue
                old, new = self._subject(event.receipt_id), self._subject(event.by)
                if old is not None and new is not None and old != new:
                    said = f"entry {index} supersedes it by {event.by}, a receipt of another track or system"
                    yield Finding(Kind.SUPERSEDE_MISMATCH, receipt_path(receipt_id), said)

    def _subject(self, receipt_id: str) -> tuple[str, str] | None:
        """Track and subject of a receipt, None where its file does not say them."""
        item = self._held.get(receipt_path(receipt_id))
        document = _document(self._repository.blob(item.blob_id)) if item is not None else {}
        track = self.snapshot.tracks.get(str(document.get("track")))
        try:
            if track is None:
                return None
            track.check(document)
            return str(document["track"]), self.snapshot.summary(document).subject.name
        except BenchsiteError:
            return None

    def _keys(self) -> Iterator[Finding]:
        expected = key_files(self._log.keyring)
        for path, data in expected.items():
            item = self._held.get(path)
            kind = Kind.MANIFEST if path == MANIFEST_PATH else Kind.KEY_FILE
            if item is None:
                yield Finding(kind, path, "missing: the log's key events name it")
            elif item.mode not in REGULAR or self._repository.blob(item.blob_id) != data:
                yield Finding(kind, path, "it differs from the log's key events")
        for item in self.snapshot.of_sort("key"):
            if item.path not in expected:
                yield Finding(Kind.KEY_FILE, item.path, "no key event of the log names it")

    def _evidence(self) -> Iterator[Finding]:
        """Evidence lies under the hash of its bytes, pinned by a receipt that was read before, and not once withdrawn."""
        for path, held in self._exhibits.items():
            index = self._log.withdrawn.get(evidence_sha256(path))
            if held.sha256 != evidence_sha256(path):
                yield Finding(Kind.EDITED, path, "its hash differs from its file name")
            elif index is not None:
                said = f"entry {index} of the log withdraws it: re-run `benchsite withdraw-evidence` to remove it"
                yield Finding(Kind.WITHDRAWN, path, said)
            elif held.sha256 not in self.pins:
                yield Finding(
                    Kind.UNPINNED, path, "no receipt pins it: remove it with `benchsite withdraw-evidence`"
                )

    @cached_property
    def _exhibits(self) -> dict[str, _Exhibit]:
        """Every file of evidence by its path, each read once, however many receipts pin it."""
        files = [item for item in self.snapshot.of_sort("evidence") if item.mode in REGULAR]
        blobs = self._blobs(item.blob_id for item in files)
        return {
            item.path: _exhibit(data, evidence_sha256(item.path))
            for item, (_, data) in zip(files, blobs, strict=True)
        }

    def _witnesses(self) -> Iterator[Finding]:
        """What trusted witnesses signed must still be what this log was."""
        try:
            self.snapshot.witnessing_of(self._log)
        except BenchsiteError as error:
            said = error.message.removeprefix(f"{COSIGNATURES_PATH} ")
            yield Finding(Kind.WITNESS, COSIGNATURES_PATH, said)

    def documents(self) -> Iterator[Finding]:
        """Methodologies and fixtures that receipts were published under are as the log names them."""
        for (track, version), named in self._log.methodologies.items():
            found = self.snapshot.methodology_digest(track, version)
            if found != named.sha256:
                what = "it is incomplete" if found is None else "its hash differs"
                said = f"entry {named.index} of the log pins it: {what}"
                yield Finding(Kind.METHODOLOGY, methodology_folder(track, version), said)
        for fixture, named in self._log.fixtures.items():
            path = fixture_path(fixture)
            # What cannot be passed on is not in the repository; what is there and cannot be read was edited.
            there = self.snapshot.read(path) is not None
            if there and self.snapshot.fixture_digest(fixture) != named.sha256:
                yield Finding(Kind.FIXTURE, path, f"its hash differs from entry {named.index} of the log")


def faults(snapshot: Snapshot, *, evidence: bool = True) -> Iterator[Finding]:
    """Everything that is wrong with a record; the inbox is none, and what is sent there stops no publish.

    Raises:
        IntegrityError: its log does not open.
    """
    log = snapshot.log
    found = odd_files(snapshot) if log is None else Whole(snapshot, log).findings(evidence=evidence)
    yield from (finding for finding in found if sort_of(finding.path) != "free")


def require_whole(snapshot: Snapshot) -> None:
    """Refuse a record of which anything is wrong; what a withdrawal puts right is passed over.

    Raises:
        IntegrityError: names the first file that is missing, edited or not part of a record.
    """
    for finding in faults(snapshot, evidence=False):
        if finding.kind not in EXHIBITS:
            raise refusal(finding)


def refusal(finding: Finding) -> IntegrityError:
    """A finding as the error of a command that needs a whole record."""
    path = shown_path(finding.path)
    said = _SAID.get(finding.kind)
    if finding.kind is Kind.METHODOLOGY and "incomplete" in finding.detail:
        said = "is missing"
    message = f"{path} {said}" if said else f"{path}: {finding.detail}"
    return IntegrityError(message, hint=_NEXT.get(finding.kind, f"git log -- {path} shows who changed it"))


_SAID: Final = {
    Kind.EDITED: "was edited",
    Kind.ENTRY_WITHOUT_FILE: "is missing",
    Kind.METHODOLOGY: "was edited after it was published",
    Kind.FIXTURE: "was edited after it was published",
}
_NEXT: Final = {
    Kind.METHODOLOGY: "restore it from git; a changed methodology needs a new version",
    Kind.FIXTURE: "restore it from git; new content needs a new id",
    Kind.STRAY: "only `benchsite publish` writes there; remove the file in a commit",
    Kind.SYMLINK: "results/ and keys/ hold regular files only; remove it in a commit",
    Kind.EVIDENCE: "restore the file from git, or withdraw it: benchsite withdraw-evidence",
    Kind.UNPINNED: "remove the file in a commit: git rm; only publish writes there",
}


def odd_files(snapshot: Snapshot) -> Iterator[Finding]:
    """Files that have no business under `results/` or `keys/`."""
    stray = {item.path for item in snapshot.of_sort("stray")}
    for item in snapshot.files:
        if item.mode not in REGULAR:
            what = {"120000": "a symbolic link", "160000": "a submodule"}.get(
                item.mode, f"of mode {item.mode}"
            )
            yield Finding(
                Kind.SYMLINK, item.path, f"it is {what}: results/ and keys/ hold regular files only"
            )
        elif item.path in stray:
            yield Finding(Kind.STRAY, item.path, "it is not a receipt, log file, key or inbox file")


def _exhibit(data: bytes, sha256: str) -> _Exhibit:
    """A file by what it holds, uncompressed where that has the digest of its name."""
    plain = uncompressed(data, sha256)
    return _Exhibit(canonical.sha256_hex(data), len(data)) if plain is None else _Exhibit(sha256, len(plain))


def _at_a_mirror(pinned: dict[str, Any]) -> bool:
    """Whether a document is too large for git, or kept outside it, so that no record holds it."""
    size = pinned.get("size")
    return pinned.get("mirrored") is True or (isinstance(size, int) and size > IN_GIT)


def _may_pin(data: bytes) -> bool:
    """Whether a receipt has to be decoded to know its evidence: it says of it more than that there is none.

    Most receipts pin nothing, and decoding each would take longer than hashing it. A name can be spelt with
    escapes.
    """
    at = data.find(_EVIDENCE)
    while at >= 0:
        if not data.startswith(_PINS_NONE, at):
            return True
        at = data.find(_EVIDENCE, at + 1)
    return b"\\" in data and b"\\u" in data  # one byte is found ten times as fast as two


def listed_evidence(data: bytes) -> Sequence[Any]:
    """The members of a receipt's `evidence`, whatever they are."""
    listed = _document(data).get("evidence")
    return listed if isinstance(listed, list) else [None]


def _document(data: bytes) -> dict[str, Any]:
    try:
        value = canonical.loads(data)
    except JsonError:
        return {}
    return value if isinstance(value, dict) else {}
