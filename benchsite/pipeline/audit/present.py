"""The record as HEAD holds it, against its log: every entry its file, every file its entry, every copy what it copies.

The bytes of every receipt are hashed and compared with the entry that names them. Whether a receipt's signature and
numbers hold is another question, which `verify --all` answers: no alteration after publishing escapes the hash.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.errors import BenchsiteError
from benchsite.layout import COSIGNATURES_PATH, evidence_path, receipt_path, sort_of
from benchsite.log import Log, SupersedeEntry, key_files
from benchsite.methodology import DATA_FILE, TEXT_FILE
from benchsite.methodology import digest as methodology_digest
from benchsite.pipeline.audit.documents import fixture_digest
from benchsite.pipeline.audit.findings import Finding, Kind
from benchsite.pipeline.audit.state import State
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.record import Record
from benchsite.repo import REGULAR, Past, TreeFile
from benchsite.schema import HEX64

_MANIFEST: Final = "keys/manifest.json"
_DECLARES: Final = b'"supersedes":"'
_EVIDENCE: Final = b'"evidence"'
_PINS_NONE: Final = b'"evidence":[]'
_SHA256: Final = re.compile(HEX64)
_TOLD_EVERY: Final = 500
Progress = Callable[[int, int, str], None]


class _Exhibit(NamedTuple):
    """What the bytes of a file of evidence come to."""

    sha256: str
    size: int


class Present:
    """Holds one state against a log; `receipts` counts the files that were hashed."""

    def __init__(self, instance: Instance, past: Past, state: State, log: Log) -> None:
        self._instance = instance
        self._past = past
        self._state = state
        self._log = log
        self._held = {item.path: item for item in state.files}
        self._pins: set[str] = set()
        self.receipts = 0

    def findings(self, progress: Progress) -> Iterator[Finding]:
        """Everything that is wrong with HEAD."""
        yield from odd_files(self._state)
        yield from self._receipts(progress)
        yield from self._keys()
        yield from self._rules()
        yield from self._evidence()
        yield from self._witnesses()
        yield from self._fixtures()

    def _receipts(self, progress: Progress) -> Iterator[Finding]:
        files = {item.path: item for item in self._state.files if sort_of(item.path) == "receipt"}
        entries: dict[str, int] = {}
        for receipt_id, index in self._log.receipts.items():
            path = receipt_path(receipt_id)
            if path not in files:
                yield Finding(
                    Kind.ENTRY_WITHOUT_FILE, path, f"entry {index} of the log names it, and it is gone"
                )
            else:
                entries[path] = index
        for path in files:
            if path not in entries:
                yield Finding(Kind.FILE_WITHOUT_ENTRY, path, "no entry of the log names it")
        there = [files[path] for path in entries if files[path].mode in REGULAR]
        blobs = self._past.blobs(item.blob_id for item in there)
        for item, (_, data) in zip(there, blobs, strict=True):
            if self.receipts % _TOLD_EVERY == 0:
                progress(self.receipts, len(there), "hashing receipts")
            self.receipts += 1
            # An entry is canonical and names one digest: looking for it spares decoding every entry again.
            if f'"sha256":"{canonical.sha256_hex(data)}"'.encode() not in self._log.entry_bytes(
                entries[item.path]
            ):
                said = f"its bytes are not those that entry {entries[item.path]} names"
                yield Finding(Kind.EDITED, item.path, said)
                continue
            if _DECLARES in data:
                yield from self._declared(item, data)
            if _may_pin(data):
                yield from self._pinned(item, data)
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
            said = f"it says that it supersedes {old}, and no entry of the log does"
            yield Finding(Kind.SUPERSEDE_MISMATCH, item.path, said)

    def _pinned(self, item: TreeFile, data: bytes) -> Iterator[Finding]:
        """Evidence that a receipt pins lies in the record, as large as it says, until the log withdraws it."""
        listed = _document(data).get("evidence")
        for entry in listed if isinstance(listed, list) else [None]:
            pinned = entry if isinstance(entry, dict) else {}
            sha256 = pinned.get("sha256")
            if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
                yield Finding(Kind.EVIDENCE, item.path, "what it says of its evidence names no document")
                continue
            self._pins.add(sha256)
            if sha256 in self._log.withdrawn:
                continue
            path = evidence_path(sha256)
            held = self._exhibits.get(path)
            if held is None:
                yield Finding(Kind.EVIDENCE, path, f"{item.path} pins it, and it is not there")
            elif held.size != pinned.get("size"):
                said = f"{item.path} gives it another size than the {held.size:,} bytes it has"
                yield Finding(Kind.EVIDENCE, path, said)

    def _successions(self) -> Iterator[Finding]:
        """A receipt is superseded by one of its own track and subject."""
        for receipt_id in self._log.receipts:
            for index, event in self._log.events_about(receipt_id):
                if not isinstance(event, SupersedeEntry):
                    continue
                old, new = self._subject(event.receipt_id), self._subject(event.by)
                if old is not None and new is not None and old != new:
                    said = (
                        f"entry {index} puts {event.by} in its place, a receipt of another track or subject"
                    )
                    yield Finding(Kind.SUPERSEDE_MISMATCH, receipt_path(receipt_id), said)

    def _subject(self, receipt_id: str) -> tuple[str, str] | None:
        """Track and subject of a receipt, None where its file does not say them."""
        item = self._held.get(receipt_path(receipt_id))
        document = _document(self._instance.repository.blob(item.blob_id)) if item is not None else {}
        judge = self._instance.judges.get(str(document.get("track")))
        try:
            if judge is None:
                return None
            judge.check(document)
            return str(document["track"]), judge.summary(document).subject.name
        except BenchsiteError:
            return None

    def _keys(self) -> Iterator[Finding]:
        expected = key_files(self._log.keyring)
        for path, data in expected.items():
            item = self._held.get(path)
            kind = Kind.MANIFEST if path == _MANIFEST else Kind.KEY_FILE
            if item is None:
                yield Finding(kind, path, "it is missing, and the log's key events name it")
            elif item.mode not in REGULAR or self._instance.repository.blob(item.blob_id) != data:
                yield Finding(kind, path, "it is not what the log's key events say")
        for path in self._held:
            if sort_of(path) == "key" and path not in expected:
                yield Finding(Kind.KEY_FILE, path, "no key event of the log names it")

    def _evidence(self) -> Iterator[Finding]:
        """Evidence lies under the hash of its bytes, pinned by a receipt that was read before, and not once withdrawn."""
        for path, held in self._exhibits.items():
            index = self._log.withdrawn.get(path.rpartition("/")[2])
            if held.sha256 != path.rpartition("/")[2]:
                yield Finding(Kind.EDITED, path, "its bytes are not those that its name promises")
            elif index is not None:
                said = (
                    f"entry {index} of the log withdraws it: `benchsite withdraw-evidence` again removes it"
                )
                yield Finding(Kind.WITHDRAWN, path, said)
            elif held.sha256 not in self._pins:
                yield Finding(
                    Kind.UNPINNED, path, "no receipt pins it: `benchsite withdraw-evidence` removes it"
                )

    @cached_property
    def _exhibits(self) -> dict[str, _Exhibit]:
        """Every file of evidence by its path, each read once, however many receipts pin it."""
        files = [item for item in self._state.files if sort_of(item.path) == "evidence"]
        files = [item for item in files if item.mode in REGULAR]
        blobs = self._past.blobs(item.blob_id for item in files)
        return {
            item.path: _Exhibit(canonical.sha256_hex(data), len(data))
            for item, (_, data) in zip(files, blobs, strict=True)
        }

    def _witnesses(self) -> Iterator[Finding]:
        """What trusted witnesses signed must still be what this log was."""
        try:
            Record.at(self._instance, self._state.commit).witnessing  # noqa: B018 - opening it is the question
        except BenchsiteError as error:
            said = error.message.removeprefix(f"{COSIGNATURES_PATH} ")
            yield Finding(Kind.WITNESS, COSIGNATURES_PATH, said)

    def _rules(self) -> Iterator[Finding]:
        read = partial(self._instance.repository.read, rev=self._state.commit)
        for (track, version), named in self._log.methodologies.items():
            folder = f"methodology/{track}/{version}"
            files = {name: read(f"{folder}/{name}") for name in (DATA_FILE, TEXT_FILE)}
            whole = {name: data for name, data in files.items() if data is not None}
            if len(whole) < len(files):
                yield Finding(
                    Kind.METHODOLOGY, folder, f"entry {named.index} names it, and it is not whole any more"
                )
            elif methodology_digest(whole) != named.sha256:
                yield Finding(
                    Kind.METHODOLOGY, folder, f"it is not what entry {named.index} of the log names"
                )

    def _fixtures(self) -> Iterator[Finding]:
        for fixture, named in self._log.fixtures.items():
            path = f"fixtures/{fixture}/fixture.json"
            data = self._instance.repository.read(path, rev=self._state.commit)
            if data is not None and fixture_digest(data) != named.sha256:
                yield Finding(Kind.FIXTURE, path, f"it is not what entry {named.index} of the log names")


def odd_files(state: State) -> Iterator[Finding]:
    """Files that have no business under `results/` or `keys/`."""
    for item in state.files:
        if item.mode not in REGULAR:
            what = {"120000": "a symbolic link", "160000": "a submodule"}.get(
                item.mode, f"of mode {item.mode}"
            )
            yield Finding(Kind.SYMLINK, item.path, f"it is {what}: a record holds regular files only")
        elif sort_of(item.path) == "stray":
            yield Finding(
                Kind.STRAY, item.path, "it is no receipt, no part of the log, no key and no inbox file"
            )


def _may_pin(data: bytes) -> bool:
    """Whether a receipt has to be decoded to know its evidence: it says of it more than that there is none.

    Most receipts pin nothing, and decoding each would take longer than hashing it. A name can be spelt with
    escapes.
    """
    return data.count(_EVIDENCE) != data.count(_PINS_NONE) or b"\\u" in data


def _document(data: bytes) -> dict[str, Any]:
    try:
        value = canonical.loads(data)
    except JsonError:
        return {}
    return value if isinstance(value, dict) else {}
