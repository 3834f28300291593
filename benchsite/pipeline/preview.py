"""build --preview: drafts and uncommitted documents rendered as if they were published, and nothing of it recorded.

A copy of the record is made in a temporary repository: its receipts and those of the drafts that wait, signed with keys
that are made for it and live in memory, in a log of its own. Methodologies and fixtures are those of the working tree,
committed or not. The site is built from the copy, with a banner on every page; the repository itself is only read.

Signatures, positions and witnesses of a preview prove nothing. What an announced run was announced with is not shown,
because the log it was announced in is not there. Left out, each with a note, are receipts of the record that the site
would not quote or that its log does not hold in good order, receipts of schema 0.0.1, and HTML files of the prose: mkdocs
serves them as they are. A page with the banner takes the place of such a file, so that links to it still lead somewhere.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchsite import canonical, temporary
from benchsite.environment import ROLES
from benchsite.errors import BenchsiteError, IntegrityError
from benchsite.history import Header, History, Verdict, standing, unranked
from benchsite.layout import (
    CONFIG,
    DRAFTS,
    FIXTURES,
    INBOX,
    METHODOLOGY,
    evidence_path,
    in_record,
    in_scratch,
    receipt_path,
)
from benchsite.log import (
    DisputeEntry,
    Entry,
    FixtureEntry,
    MethodologyEntry,
    ReceiptEntry,
    RetractEntry,
    SupersedeEntry,
    WithdrawEvidenceEntry,
    encode_entry,
)
from benchsite.pipeline import build
from benchsite.pipeline.building import output, sources
from benchsite.pipeline.check.drafts import require_here
from benchsite.pipeline.measure import fixtures
from benchsite.pipeline.publish import candidates, inbox, keys
from benchsite.pipeline.publish.candidates import Candidate, published_already
from benchsite.pipeline.publish.methodologies import require_publishable
from benchsite.pipeline.publish.seal import signed
from benchsite.pipeline.record import evidence
from benchsite.pipeline.record.new_entries import NewEntries
from benchsite.pipeline.snapshot import Snapshot, sizes
from benchsite.pipeline.snapshot.integrity import Whole, refusal
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.scratch import require_folder
from benchsite.progress import Progress, silent
from benchsite.receipt import Document, compose
from benchsite.repo import REGULAR, Repository
from benchsite.signing import PrivateKey
from benchsite.words import shown_path

__all__ = ["BANNER", "preview"]

BANNER: Final = "PREVIEW: drafts shown as if published, signed with throwaway keys. Do not cite."
_HTML: Final = frozenset({".html", ".htm", ".shtml", ".xhtml", ".xht"})
_INSTEAD: Final = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>PREVIEW</title>
<p>{BANNER}</p>
<p>This file is not shown in a preview.</p>
"""
_DOCUMENTS: Final = (METHODOLOGY, FIXTURES)
_SERVED: Final = ("content/", "theme/")
_OURS: Final = (
    f"drafts of {DRAFTS} are shown as runs of the maintainer: "
    f"copy one to {INBOX} to see it as submitted, which a pull request makes it"
)
_SHOWN: Final = frozenset(
    {Verdict.LOGGED, Verdict.WITNESSED, Verdict.DISPUTED, Verdict.RETRACTED, Verdict.SUPERSEDED}
)
"""What the copy's log can say of a receipt: keys that were stolen, and files that no log holds, are not in it."""


def preview(
    workspace: Workspace, snapshot: Snapshot, site: Path, *, progress: Progress = silent
) -> build.Built:
    """Write the site as it would be with every draft that waits.

    Its notes name what is left out, receipts of the record too. `broken` are those of the record that do not verify;
    `damaged` counts what else of it is not whole.

    Raises:
        IntegrityError: the log at HEAD does not verify.
        InputError: as `build.build`.
    """
    target = output.checked(workspace, site)
    sources.check(workspace, snapshot)
    history = snapshot.history()
    with temporary.folder("benchsite-preview-") as folder:
        copy, commit = _copied(workspace, snapshot, folder / workspace.root.name)
        try:
            made = _Made(workspace, snapshot, copy, commit)
            made.prose()
            made.record(history)
            made.rules()
            made.drafts()
            made.data()
            beside = snapshot.evidence.attached
            built = build.build(copy, made.commit(), target, full=True, beside=beside, progress=progress)
        finally:
            copy.repository.close()
    broken = tuple(header for header in history if header.verdict is Verdict.INVALID)
    damage = _damage(snapshot, history)
    return replace(
        built,
        broken=(*broken, *built.broken),
        notes=(*made.notes, *damage, *built.notes),
        damaged=len(damage) + built.damaged,
    )


def _damage(snapshot: Snapshot, history: History) -> list[str]:
    """What of the record itself is not whole, receipts apart."""
    if snapshot.log is None:
        return []
    documents = [refusal(item).message for item in Whole(snapshot, snapshot.log).documents()]
    return [*documents, *build.evidence_pins(snapshot, history)[1]]


def _copied(workspace: Workspace, snapshot: Snapshot, root: Path) -> tuple[Workspace, str]:
    """A repository of its own with the working tree's files, its log begun with new keys in memory."""
    listed = {item.path for item in snapshot.tree() if item.mode in REGULAR}
    for path in sorted({*listed, *workspace.repository.changed_paths()}):
        source = workspace.root / path
        outside = any((workspace.root / part).is_symlink() for part in (path, *map(str, Path(path).parents)))
        if not in_record(path) and not in_scratch(path) and not outside and source.is_file():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, root / path)
    repository = Repository.create(root)
    files = [path for top in _DOCUMENTS for path in (root / top).rglob("*") if path.is_file()]
    tracked = (
        name for name in workspace.repository.tracked_paths(rev=snapshot.commit) if name.startswith(_SERVED)
    )
    files += [path for path in (root / name for name in tracked) if path.is_file()]
    writes = {path.relative_to(root).as_posix(): path.read_bytes() for path in files}
    writes[CONFIG] = (root / CONFIG).read_bytes()
    commit = repository.build_commit(writes, parent=None, message="preview\n")
    repository.advance(commit, expected=None)
    repository.close()
    copy = Workspace(root)
    require_folder(copy.root)
    copy.config.witnesses = ()
    name = f"PREVIEW of {copy.config.site.site_name}"  # verify.html shows the name alone
    copy.config.site = copy.config.site.model_copy(update={"site_name": name})
    return copy, commit


class _Made:
    """The copy's log as it grows: the entries of the record, then those of the drafts."""

    def __init__(self, workspace: Workspace, snapshot: Snapshot, copy: Workspace, commit: str) -> None:
        secrets = {role: PrivateKey.generate() for role in ROLES}
        settings = {"root_keys": (secrets["root"].fingerprint,), "banner": BANNER}
        copy.config.benchsite = copy.config.benchsite.model_copy(update=settings)
        begun = keys.create_log(copy, secrets, {}, parent=commit)
        self._workspace = workspace
        self._snapshot = snapshot
        self._copy = copy
        self._begun = Snapshot(copy.repository, begun, config=copy.config)
        self._secrets = secrets
        self._entries: dict[bytes, Entry] = {}
        self._writes: dict[str, bytes] = {}
        self._ids: set[str] = set()
        self._sources: set[str] = set()
        self._used: set[str] = set()
        self.notes: list[str] = []

    def prose(self) -> None:
        """Put a page with the banner in the place of each HTML file, which mkdocs would copy without it; name the links."""
        for where in sources.links(self._workspace):
            self.notes.append(f"{shown_path(where)} is excluded: it is a symbolic link")
        for path in sorted((self._copy.root / "content").rglob("*")):
            if path.suffix.lower() in _HTML and path.is_file():
                path.write_text(_INSTEAD, encoding="utf-8")
                where = path.relative_to(self._copy.root).as_posix()
                self.notes.append(f"{shown_path(where)} is excluded: an HTML file would have no banner")

    def record(self, history: History) -> None:
        """The receipts of the record that verify, and what was logged of them and of documents, in log order."""
        log, read = history.log, self._workspace.repository.blob
        by_index = {item.index: item for item in history if item.quotable and item.verdict in _SHOWN}
        for index in range(log.size if log is not None else 0):
            header, entry = by_index.get(index), log.entry(index) if log is not None else None
            if header is not None:
                document = canonical.loads(read(header.blob_id))
                if isinstance(document, dict) and "schemaVersion" in document:
                    self._receipt({name: value for name, value in document.items() if name != "signature"})
            elif isinstance(entry, RetractEntry | DisputeEntry | SupersedeEntry):
                known = entry.receipt_id in self._ids
                self._add(entry if known and getattr(entry, "by", entry.receipt_id) in self._ids else None)
            elif isinstance(entry, MethodologyEntry | FixtureEntry | WithdrawEvidenceEntry):
                self._add(entry)
        for left in (item for item in history if item.receipt_id not in self._ids):
            self.notes.append(f"{shown_path(left.path)} is excluded: {_unlike_the_copy(left)}")
        present = self._snapshot.evidence.present()
        self._writes |= {evidence_path(name): read(blob) for name, blob in present.items()}

    def rules(self) -> None:
        """Methodologies that are not committed as they are here, as if the log pinned them; committed ones wait for that."""
        workspace, snapshot, log = self._workspace, self._snapshot, self._snapshot.log
        for found in workspace.methodologies.every():
            track, version = found.data.track, found.data.version
            pinned = log is not None and (track, version) in log.methodologies
            if pinned or snapshot.methodology_digest(track, version) == found.sha256:
                continue
            try:
                require_publishable(workspace, snapshot, found)
            except BenchsiteError as error:
                self.notes.append(f"shown as proposed, cannot be published: {error.message}")
            else:
                self._add(MethodologyEntry(track=track, version=version, sha256=found.sha256))

    def data(self) -> None:
        """Say which datasets have no page: those that are malformed, and those without a receipt or a draft."""
        for item in fixtures.listed(self._workspace):
            if item.error is not None and not item.imported:
                where = item.path.relative_to(self._workspace.root).as_posix()
                self.notes.append(f"{shown_path(where)} cannot be used: {item.error.message}")
            elif item.fixture is not None and not item.imported and item.fixture.id not in self._used:
                said = "no receipt or draft uses it: it has no leaderboard"
                self.notes.append(f"dataset {item.fixture.id}: {said}")

    def drafts(self) -> None:
        """Every draft that waits here or in the inbox and that publish would not refuse for its numbers."""
        found: list[Candidate] = []
        for path, candidate in candidates.review(self._workspace, self._snapshot, committed=False):
            if isinstance(candidate, BenchsiteError):
                self._leave(path, candidate)
            else:
                found.append(candidate)
        chosen: dict[str, Candidate] = {}
        for candidate in sorted(found, key=lambda one: one.source != "inbox"):
            first = chosen.setdefault(candidate.receipt_id, candidate)  # as it is after the pull request
            if not inbox.same(first.receipt, candidate.receipt):
                self._leave(candidate.path, _taken(candidate.receipt_id))
        for candidate in sorted(chosen.values(), key=lambda one: str(one.receipt.document["ranAt"])):
            try:
                self._draft(candidate)
            except BenchsiteError as error:
                self._leave(candidate.path, error)
        if "maintainer" in self._sources:
            self.notes.append(_OURS)

    def _leave(self, path: Path, error: BenchsiteError) -> None:
        self.notes.append(f"{shown_path(path.name)} is excluded: {error.message}")

    def _draft(self, candidate: Candidate) -> None:
        """One draft, and why it will not be ranked; nothing where it is published already."""
        receipt, document = candidate.receipt, candidate.receipt.document
        log = self._snapshot.log or self._begun.require_log()
        if published_already(self._snapshot, receipt):
            return
        require_here(self._workspace, receipt)
        self._writes |= evidence.to_publish(self._snapshot, log, document)
        for entry in self._first_uses(receipt.track, document):
            self._add(entry)
        self._receipt(document)
        if document["supersedes"] in self._ids:
            self._add(SupersedeEntry(receiptId=document["supersedes"], by=document["receiptId"]))
        self._sources.add(candidate.source)
        track, summary = self._workspace.tracks[receipt.track], self._snapshot.summary(document)
        reasons = unranked(document, summary, track.limited)
        for sentence in standing(reasons, imports=track.results is not None):
            self.notes.append(f"{shown_path(candidate.path.name)} {sentence}")

    def _first_uses(self, track: str, document: Document) -> Iterator[Entry]:
        named, target = document["methodology"], self._workspace.tracks[track].target(document)
        yield MethodologyEntry(track=named["id"], version=named["version"], sha256=named["sha256"])
        if target.sha256 is not None:
            yield FixtureEntry(id=target.id, sha256=target.sha256)

    def _receipt(self, document: Document) -> None:
        """A receipt as the copy's log would hold it: of its own log it knows nothing yet."""
        if document["receiptId"] in self._ids:
            return
        draft = compose({**document, "logHead": None, "intentId": None})
        data, path = signed(draft, self._secrets["receipt"]).file_bytes(), receipt_path(draft.receipt_id)
        self._ids.add(draft.receipt_id)
        self._used.add(self._workspace.tracks[draft.track].target(document).id)
        self._writes[path] = data
        self._add(ReceiptEntry(path=path, sha256=canonical.sha256_hex(data), size=len(data)))

    def _add(self, entry: Entry | None) -> None:
        if entry is not None:
            self._entries.setdefault(encode_entry(entry), entry)

    def commit(self) -> Snapshot:
        """Make the copy's record of all that was collected."""
        begun = self._begun
        if not self._entries:
            return begun
        new = NewEntries(begun.require_log())
        new.append(*self._entries.values())
        writes = {**self._writes, **new.writes(self._secrets["log"], sizes.before(begun))}
        made = begun.repository.build_commit(writes, parent=begun.commit, message="preview\n")
        begun.repository.advance(made, expected=begun.commit)
        return begun.sibling(made)


def _taken(receipt_id: str) -> IntegrityError:
    return IntegrityError(
        f"another draft here has the id {receipt_id}", hint="one id per run: discard one of the two"
    )


def _unlike_the_copy(header: Header) -> str:
    """Why a receipt of the record is not in the copy."""
    if header.quotable and header.verdict in _SHOWN:
        return "it is of schema 0.0.1"
    return f"{header.verdict}: {next(iter(header.unranked), 'its numbers cannot be shown')}"
