"""One candidate, checked once against the record and sealed once: its signature, its entries, its evidence.

    links -> methodology and fixture -> sign -> entries -> verify on the log that will hold them

Refuses whatever `verify` would call anything but LOGGED once it was published.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from benchsite import canonical
from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.history import Rescore, Rescoring, Verdict, examine
from benchsite.layout import evidence_sha256, receipt_path
from benchsite.log import Entry, FixtureEntry, Log, MethodologyEntry, ReceiptEntry, SupersedeEntry
from benchsite.pipeline.publish import links_check, methodologies, untrusted
from benchsite.pipeline.publish.candidates import Candidate
from benchsite.pipeline.publish.events import may_replace
from benchsite.pipeline.record.append import Batch
from benchsite.pipeline.record.new_entries import NewEntries
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import LARGEST_FIXTURE, Workspace
from benchsite.receipt import Receipt, seal
from benchsite.signing import PrivateKey, encode_base64url
from benchsite.track import Resolved


@dataclass(frozen=True, slots=True)
class Sealed:
    """A signed receipt, the entries it brings, and the files of evidence that its commit must hold."""

    receipt_id: str
    data: bytes
    entries: tuple[Entry, ...]
    evidence: dict[str, bytes]


class Sealer:
    """Seals the candidates of one commit, in order; `pins` are the methodology versions that need no decision."""

    def __init__(
        self, workspace: Workspace, batch: Batch, key: PrivateKey, pins: Collection[tuple[str, str]]
    ) -> None:
        self._workspace = workspace
        self._snapshot = batch.snapshot
        self._new = batch.new
        self._key = key
        self._pins = pins

    def seal(self, candidate: Candidate, before: Sequence[Receipt]) -> Sealed:
        """Check a candidate against the record and seal it; `before` are the drafts that precede it in the commit.

        Raises:
            IntegrityError: what it says of other entries does not hold, its methodology, fixture or evidence differ from
                those of its run, or it would not verify.
            PrerequisiteError: its methodology or fixture is not committed, or an untrusted draft would pin a version.
        """
        draft, log = candidate.receipt, self._new.grown
        links_check.check(self._snapshot, log, draft, before)
        if candidate.source != "maintainer":
            untrusted.require_known_methodology(self._workspace, self._pins, draft)
        data = signed(draft, self._key).file_bytes()
        path = receipt_path(draft.receipt_id)
        entries: list[Entry] = [*_first_uses(self._workspace, self._snapshot, self._new, draft)]
        entries.append(ReceiptEntry(path=path, sha256=canonical.sha256_hex(data), size=len(data)))
        replaced = draft.document["supersedes"]
        if replaced is not None:
            may_replace(self._snapshot, replaced, draft.document)
            entries.append(SupersedeEntry(receiptId=replaced, by=draft.receipt_id))
        self._must_verify(self._new.grown_by(*entries), path, data, candidate.rescoring)
        files = {
            name: piece
            for name, piece in candidate.evidence.items()
            if evidence_sha256(name) not in log.withdrawn and not self._snapshot.tree(name)
        }
        return Sealed(draft.receipt_id, data, tuple(entries), files)

    def _must_verify(self, grown: Log, path: str, data: bytes, rescoring: Rescoring | None) -> None:
        seen = examine(
            data,
            log=grown,
            scorers=self._snapshot.tracks,
            materials=replace(self._snapshot.materials, rescoring=rescoring),
            path=path,
            witnessing=self._snapshot.witnessing,
        )
        if seen.verdict is not Verdict.LOGGED or seen.rescore is not Rescore.MATCHES or seen.exit_code:
            step = seen.failed or seen.steps[-1]
            said = [item.detail for item in seen.steps if item.name == "events"]
            raise IntegrityError(
                f"draft {path[-41:-5]} would fail verification once published: {seen.verdict}: {[*said, step.detail][0]}",
                hint="it was made with another log, too long ago, or edited: re-run it, and discard this draft",
            )


def signed(draft: Receipt, key: PrivateKey) -> Receipt:
    """A draft with the signature of a receipt key."""
    value = encode_base64url(key.sign(draft.signed_bytes()))
    return seal(draft, fingerprint=key.fingerprint, value=value)


def _first_uses(workspace: Workspace, snapshot: Snapshot, new: NewEntries, draft: Receipt) -> Iterator[Entry]:
    """Entries for the methodology and the fixture that a receipt uses first; refuses ones that changed since."""
    rules, log = draft.document["methodology"], new.grown
    what = f"methodology {rules['id']} {rules['version']}"
    logged = log.methodologies.get((rules["id"], rules["version"]))
    document = workspace.methodologies.read(rules["id"], rules["version"])
    _require_same(what, draft, rules["sha256"], document.sha256, logged.sha256 if logged else None)
    if logged is None:
        _require_committed(snapshot.methodology_digest(rules["id"], rules["version"]), rules["sha256"], what)
        methodologies.require_publishable(workspace, snapshot, document)
        yield MethodologyEntry(track=rules["id"], version=rules["version"], sha256=rules["sha256"])
    track = workspace.tracks[draft.track]
    _, target, sha256 = track.target(draft.document)
    if sha256 is None:
        track.hold_against(draft.document, Resolved(document))
        return
    known = log.fixtures.get(target)
    data = workspace.fixture_bytes(target)
    here = canonical.digest(canonical.loads(data, max_bytes=LARGEST_FIXTURE))
    _require_same(f"fixture {target}", draft, sha256, here, known.sha256 if known else None)
    track.hold_against(draft.document, Resolved(document, target=data))
    if known is None:
        if not workspace.imported(workspace.fixture_path(target)):
            _require_committed(snapshot.fixture_digest(target), sha256, f"fixture {target}")
        yield FixtureEntry(id=target, sha256=sha256)


def _require_committed(digest: str | None, wanted: str, what: str) -> None:
    """What the log names permanently must be in git as it was measured."""
    if digest != wanted:
        raise PrerequisiteError(
            f"{what} is not committed as it was measured",
            hint="commit it as regular files and re-run: this draft records a dirty tree and would not be ranked; "
            "to publish it unranked, commit and publish",
        )


def _require_same(what: str, draft: Receipt, recorded: str, here: str, logged: str | None) -> None:
    if recorded != here:
        raise IntegrityError(
            f"{what} changed after the run of draft {draft.receipt_id}: "
            f"it was {recorded[:12]}… and is {here[:12]}… now",
            hint="restore it, or re-run",
        )
    if logged is not None and logged != recorded:
        raise IntegrityError(
            f"{what} is in the log with other content ({logged[:12]}…, now {recorded[:12]}…)",
            hint="published documents are never edited: give the new content a new id or version",
        )
