"""publish: drafts become signed, logged, immutable receipts in one git commit (specs/log.md, step by step).

    lock -> recover -> fetch -> re-score -> sign -> append entries -> checkpoint -> objects -> one commit
         -> update-ref (the commit point) -> materialise -> push -> delete drafts

Before the commit point nothing has happened; after it everything has, and `recover` finishes what a crash
left undone. The loop around all this, which every other append shares, is `benchsite.pipeline.record.append`.

A draft of our own that is refused stops the whole batch. One that a stranger sent does not: it is left out, and why is
part of the outcome.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.environment import Credentials
from benchsite.errors import BenchsiteError, IntegrityError, PrerequisiteError
from benchsite.history import Verdict, examine
from benchsite.layout import INBOX, receipt_path
from benchsite.log import Entry, FixtureEntry, Log, MethodologyEntry, ReceiptEntry, SupersedeEntry
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.instance import drafts as draft_files
from benchsite.pipeline.publish import drafts as draft_store
from benchsite.pipeline.publish import inbox, links_check, methodologies, untrusted
from benchsite.pipeline.publish.events import may_replace
from benchsite.pipeline.record import evidence
from benchsite.pipeline.record.append import Appended, Batch, Progress, append, key_in_force, require_log
from benchsite.pipeline.record.new_entries import Ledger
from benchsite.receipt import Receipt, ReceiptError, UnsupportedSchema, parse, parse_draft, seal
from benchsite.signing import PrivateKey, encode_base64url
from benchsite.track import Resolved


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a publish did.

    Attributes:
        receipts: the ids it logged, in log order.
        appended: tells about the commit.
        left: drafts that it left out, by id, and what refused each: strangers' own, and a job's judgements that were
            published before.
    """

    receipts: tuple[str, ...]
    appended: Appended
    left: Mapping[str, BenchsiteError]


@dataclass(frozen=True, slots=True)
class _Draft:
    """A draft and the file it was read from."""

    path: Path
    receipt: Receipt


def publish(
    instance: Instance,
    paths: Sequence[Path],
    credentials: Credentials,
    *,
    push: bool = True,
    unlinked: bool = False,
    progress: Progress = lambda _done, _total, _label: None,
) -> Outcome:
    """Publish drafts.

    Args:
        instance: where.
        paths: the drafts.
        credentials: hold the receipt key and the log key in force.
        push: push the commit.
        unlinked: the drafts come from a place where measured systems could write: `pipeline.publish.untrusted` says what is
            refused then.
        progress: called with (done, total, label).

    Raises:
        PrerequisiteError: no log, no keys, a detached HEAD, uncommitted changes under results/ or keys/, or a
            remote that cannot be reached.
        IntegrityError: a draft's numbers do not follow, its fixture or rules changed after the run, or what
            would be published would not verify.
        InputError: a draft cannot be read.
    """
    drafts: dict[Path, _Draft] = {}
    unread: dict[Path, BenchsiteError] = {}
    logged: list[str] = []
    left: dict[str, BenchsiteError] = {}

    def stage(batch: Batch, returned: Sequence[Path]) -> None:
        # Another publish may have taken some drafts while this one waited for the lock.
        wanted = [path for path in paths if path.exists() or path.stem not in batch.ledger.log.receipts]
        found = [*wanted, *returned]
        if unlinked:
            found += _sent_as_well(instance, found)
        unseen = [path for path in dict.fromkeys(found) if path not in drafts and path not in unread]
        drafts.update((draft.path, draft) for draft in _loaded(instance, unseen, unread, progress))
        left.clear()
        left.update((path.stem, error) for path, error in unread.items())
        fresh = [draft.receipt for draft in drafts.values()]
        if unlinked:
            sent = {draft.receipt.data for draft in drafts.values() if inbox.holds(instance, draft.path)}
            own = [draft for draft in fresh if draft.data not in sent]
            repeated = untrusted.require_unlinked(instance, batch.ledger.log, own)
            fresh = [draft for draft in fresh if draft.receipt_id not in repeated]
            left.update(repeated)
        logged[:] = _stage(instance, batch, fresh, credentials, left, unlinked=unlinked)

    appended = append(instance, credentials, stage, push=push, unlinked=unlinked, progress=progress)
    _drop_logged(instance, list(drafts.values()), public=appended.public)
    return Outcome(tuple(logged), appended, dict(left))


def _in_inbox(receipt_id: str) -> str:
    return f"{INBOX}/{receipt_id}.json"


def _sent_as_well(instance: Instance, paths: Sequence[Path]) -> list[Path]:
    """The inbox's own file of each draft that is there too: an overtaken commit gives both back."""
    sent = [_in_inbox(path.stem) for path in paths]
    return [instance.root / path for path in sent if instance.repository.read(path) is not None]


def _loaded(
    instance: Instance, paths: Sequence[Path], unread: dict[Path, BenchsiteError], progress: Progress
) -> Iterator[_Draft]:
    """Read drafts and score each again, everything included; the inbox's that are refused go to `unread`."""
    for done, path in enumerate(paths):
        progress(done, len(paths), f"re-scoring {path.stem[:8]}")
        try:
            draft = _Draft(path, _read(instance, path))
            draft_store.recheck(instance, draft.receipt)
        except BenchsiteError as error:
            if not inbox.holds(instance, path):
                raise
            unread[path] = error
        else:
            yield draft


def _read(instance: Instance, path: Path) -> Receipt:
    """A draft; one that was sent to the inbox is published as run by somebody else."""
    if inbox.holds(instance, path):
        return inbox.submitted(draft_files.load(inbox.accepted(instance, path)))
    return draft_files.load(path)


def _stage(
    instance: Instance,
    batch: Batch,
    drafts: Sequence[Receipt],
    credentials: Credentials,
    left: dict[str, BenchsiteError],
    *,
    unlinked: bool,
) -> list[str]:
    """Sign the drafts that the log does not hold yet and collect their entries; their ids. `left` gains the refused."""
    fresh = [
        draft for draft in _by_id(drafts, left) if not _published_already(instance, batch.ledger.log, draft)
    ]
    # Boards show the latest by place in the log: what ran later is logged later.
    fresh.sort(key=lambda draft: str(draft.document["ranAt"]))
    if not fresh:
        return []
    log = batch.ledger.grown()  # what waited to be logged again counts: pins, announcements, withdrawals
    key = key_in_force(instance, log, credentials, "receipt")
    pins = set(log.methodologies)
    if not unlinked:
        pins |= {_rules(draft) for draft in fresh if not _was_sent(draft)}
    staged: list[Receipt] = []
    attached: dict[str, bytes] = {}
    for draft in fresh:
        try:
            links_check.check(instance, log, draft, staged)
            if unlinked or _was_sent(draft):
                untrusted.require_known_rules(instance, pins, draft)
            data, entries = _signed(instance, batch.ledger, log, draft, key)
            files = evidence.to_publish(instance, log, draft.document)
        except BenchsiteError as error:
            if not _was_sent(draft):
                raise
            left[draft.receipt_id] = error
            continue
        _add(instance, batch, draft, data, entries)
        staged.append(draft)
        attached.update(files)
    grown = batch.ledger.grown()
    for path, data in batch.writes.items():
        _must_verify(instance, grown, path, data)
    batch.writes.update(attached)
    if staged:
        batch.subject = f"publish: {len(staged)} receipt{'s' if len(staged) > 1 else ''}"
    return batch.lines


def _by_id(drafts: Sequence[Receipt], left: dict[str, BenchsiteError]) -> list[Receipt]:
    """One draft an id, ours before one that was sent; `left` gains what was sent under the id of something else."""
    chosen: dict[str, Receipt] = {}
    for draft in sorted(drafts, key=_was_sent):
        first = chosen.setdefault(draft.receipt_id, draft)
        if first.data == draft.data or _sent_as(first, draft.data):
            continue  # what an overtaken commit took from the inbox is here twice: sent, and back as a draft
        error = IntegrityError(
            f"draft {draft.receipt_id}: another draft here has its id, and says something else",
            hint="an id is made once and for one run: remove the draft that is not wanted",
        )
        if not _was_sent(draft):
            raise error
        left[draft.receipt_id] = error
    return list(chosen.values())


def _sent_as(draft: Receipt, data: bytes) -> bool:
    """Whether bytes are this draft, whoever they say ran it."""
    try:
        return inbox.submitted(parse_draft(data)).data == inbox.submitted(draft).data
    except (ReceiptError, UnsupportedSchema, JsonError):
        return False


def _signed(
    instance: Instance, ledger: Ledger, log: Log, draft: Receipt, key: PrivateKey
) -> tuple[bytes, list[Entry]]:
    """A signed draft and what the log gains with it: what it uses first, itself, and what it replaces."""
    path, data = receipt_path(draft.receipt_id), _sign(draft, key).file_bytes()
    entries: list[Entry] = [*_first_uses(instance, ledger, log, draft)]
    entries.append(ReceiptEntry(path=path, sha256=canonical.sha256_hex(data), size=len(data)))
    replaced = draft.document["supersedes"]
    if replaced is not None:
        may_replace(instance, replaced, draft.document)
        entries.append(SupersedeEntry(receiptId=replaced, by=draft.receipt_id))
    if _was_sent(draft):
        # A trial of its own: what refuses a stranger's draft must not refuse the batch.
        trial = Ledger(ledger.log)
        for entry in (*ledger.entries, *entries):
            trial.append(entry)
        _must_verify(instance, trial.grown(), path, data)
    return data, entries


def _add(instance: Instance, batch: Batch, draft: Receipt, data: bytes, entries: Sequence[Entry]) -> None:
    """Take a signed draft and its entries into the commit, and its file, where it was sent, out of the inbox."""
    for entry in entries:
        batch.ledger.append(entry)
    batch.writes[receipt_path(draft.receipt_id)] = data
    batch.lines.append(draft.receipt_id)
    sent = _in_inbox(draft.receipt_id)
    lying = instance.repository.read(sent)
    if lying is not None and _sent_as(draft, lying):
        batch.removes.append(sent)


def _was_sent(draft: Receipt) -> bool:
    """Whether a stranger sent it."""
    return bool(draft.document["ranBy"]["kind"] == "submitted")


def _rules(draft: Receipt) -> tuple[str, str]:
    """(track, version) of the rules it was scored under."""
    rules = draft.document["methodology"]
    return rules["id"], rules["version"]


def _published_already(instance: Instance, log: Log, draft: Receipt) -> bool:
    """Whether this very draft is in the log; another one under the same id is refused."""
    if draft.receipt_id not in log.receipts:
        return False
    data = instance.repository.read(receipt_path(draft.receipt_id))
    if data is None or parse(data).signed_bytes() != draft.file_bytes():
        raise IntegrityError(
            f"receipt {draft.receipt_id} is published with other content",
            hint="a published receipt never changes: run it again for an id of its own",
        )
    return True


def _must_verify(instance: Instance, grown: Log, path: str, data: bytes) -> None:
    """Nothing is signed into the log that anybody's `verify` would then call anything but LOGGED."""
    witnessing = instance.witnessing(grown)
    seen = examine(data, log=grown, judges=instance.judges, path=path, witnessing=witnessing)
    if seen.verdict is not Verdict.LOGGED or seen.exit_code:
        step = seen.failed or seen.steps[-1]
        said = [item.detail for item in seen.steps if item.name == "events"]
        raise IntegrityError(
            f"draft {path[-41:-5]} would not verify once published: {seen.verdict}: {[*said, step.detail][0]}",
            hint="it was made against another log, too long ago, or edited: run it again, or move it out of .benchsite/drafts",
        )


def _sign(draft: Receipt, key: PrivateKey) -> Receipt:
    value = encode_base64url(key.sign(draft.signed_bytes()))
    return seal(draft, fingerprint=key.fingerprint, value=value)


def _first_uses(instance: Instance, ledger: Ledger, log: Log, draft: Receipt) -> Iterator[Entry]:
    """Entries for the rules and the data that a receipt uses first; refuses ones that changed since."""
    rules = draft.document["methodology"]
    what = f"methodology {rules['id']} {rules['version']}"
    logged = log.methodologies.get((rules["id"], rules["version"]))
    document = instance.rulebook.read(rules["id"], rules["version"])
    _same(what, draft, rules["sha256"], document.sha256, logged.sha256 if logged else None)
    first = MethodologyEntry(track=rules["id"], version=rules["version"], sha256=rules["sha256"])
    if logged is None and not ledger.holds(first):
        _committed(instance.committed_methodology(rules["id"], rules["version"]), rules["sha256"], what)
        methodologies.require_publishable(instance, document)
        yield first
    track = instance.judges[draft.track]
    target, sha256 = track.target(draft.document)
    if sha256 is None:
        track.hold_against(draft.document, Resolved(document))
        return
    known = log.fixtures.get(target)
    here = instance.fixture_digest(target)
    _same(f"fixture {target}", draft, sha256, here, known.sha256 if known else None)
    track.hold_against(draft.document, Resolved(document, target=instance.fixture_bytes(target)))
    use = FixtureEntry(id=target, sha256=sha256)
    if known is None and not ledger.holds(use):
        if not instance.imported(instance.fixture_path(target)):
            _committed(instance.committed_fixture(target), sha256, f"fixture {target}")
        yield use


def _committed(digest: str | None, wanted: str, what: str) -> None:
    """What the log names for ever must stand in git as it was measured."""
    if digest != wanted:
        raise PrerequisiteError(
            f"{what} is not committed as it was measured", hint="commit it as regular files, then publish"
        )


def _same(what: str, draft: Receipt, recorded: str, here: str, logged: str | None) -> None:
    if recorded != here:
        raise IntegrityError(
            f"{what} changed after the run of draft {draft.receipt_id}: "
            f"it was {recorded[:12]}… and is {here[:12]}… now",
            hint="restore it, or run the draft again",
        )
    if logged is not None and logged != recorded:
        raise IntegrityError(
            f"{what} stands in the log with other content ({logged[:12]}…, now {recorded[:12]}…)",
            hint="published documents are never edited: give the new content a new id or version",
        )


def _drop_logged(instance: Instance, drafts: Sequence[_Draft], *, public: bool) -> None:
    """Delete drafts that are safely logged, and their evidence: where there is a remote, only once they are there.

    A draft that somebody named elsewhere is theirs and stays; one in `results/inbox/` left with the commit.
    """
    if not public and instance.repository.has_remote():
        return
    log = require_log(instance)
    for draft in drafts:
        if draft.receipt.receipt_id not in log.receipts:
            continue
        evidence.forget(instance, [pinned["sha256"] for pinned in draft.receipt.document["evidence"]])
        if draft.path.parent == instance.drafts:
            draft.path.unlink(missing_ok=True)
