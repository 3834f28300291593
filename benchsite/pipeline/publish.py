"""publish: drafts become signed, logged, immutable receipts in one git commit (specs/log.md, step by step).

    lock -> recover -> fetch -> re-score -> sign -> append entries -> checkpoint -> objects -> one commit
         -> update-ref (the commit point) -> materialise -> push -> delete drafts

Before the commit point nothing has happened; after it everything has, and `recover` finishes what a crash
left undone. The loop around all this, which every other append shares, is `benchsite.pipeline.append`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchsite import canonical
from benchsite.environment import Credentials
from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.history import Verdict, examine
from benchsite.log import FixtureEntry, Log, MethodologyEntry, ReceiptEntry, SupersedeEntry, receipt_path
from benchsite.pipeline import claims, evidence, inbox, methodologies, strangers
from benchsite.pipeline import drafts as draft_store
from benchsite.pipeline.append import Appended, Batch, Progress, append, key_in_force, require_log
from benchsite.pipeline.events import may_replace
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.ledger import Ledger
from benchsite.receipt import Receipt, parse, seal
from benchsite.signing import PrivateKey, encode_base64url
from benchsite.track import Resolved


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a publish did: `receipts` are the ids it logged, in log order; `appended` tells about the commit."""

    receipts: tuple[str, ...]
    appended: Appended


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
        unlinked: the drafts come from a place where measured systems could write: `pipeline.strangers` says what is
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
    logged: list[str] = []

    def stage(batch: Batch, returned: Sequence[Path]) -> None:
        # Another publish may have taken some drafts while this one waited for the lock.
        wanted = [path for path in paths if path.exists() or path.stem not in batch.ledger.log.receipts]
        fresh = [path for path in dict.fromkeys([*wanted, *returned]) if path not in drafts]
        drafts.update((draft.path, draft) for draft in _loaded(instance, fresh, progress))
        if unlinked:
            for draft in drafts.values():
                if not inbox.holds(instance, draft.path):
                    strangers.require_unlinked(instance, draft.receipt)
        logged[:] = _stage(instance, batch, list(drafts.values()), credentials, unlinked=unlinked)

    appended = append(instance, credentials, stage, push=push, progress=progress)
    _drop_logged(instance, list(drafts.values()), public=appended.public)
    return Outcome(tuple(logged), appended)


def _loaded(instance: Instance, paths: Sequence[Path], progress: Progress) -> list[_Draft]:
    """Read drafts and score each again, everything included."""
    drafts = [_Draft(path, _read(instance, path)) for path in paths]
    for done, draft in enumerate(drafts):
        progress(done, len(drafts), f"re-scoring {draft.receipt.receipt_id[:8]}")
        draft_store.recheck(instance, draft.receipt)
    return drafts


def _read(instance: Instance, path: Path) -> Receipt:
    """A draft; one that was sent to the inbox is published as run by somebody else."""
    if inbox.holds(instance, path):
        return inbox.submitted(draft_store.load(inbox.accepted(instance, path)))
    return draft_store.load(path)


def _stage(
    instance: Instance, batch: Batch, drafts: Sequence[_Draft], credentials: Credentials, *, unlinked: bool
) -> list[str]:
    """Sign the drafts that the log does not hold yet and collect their entries; their ids."""
    log = batch.ledger.log
    # What an overtaken commit took from the inbox is here twice: sent, and back as a draft.
    unlike = {draft.receipt.data: draft.receipt for draft in drafts}.values()
    fresh = [draft for draft in unlike if not _published_already(instance, log, draft)]
    # Boards show the latest by place in the log: what ran later is logged later.
    fresh.sort(key=lambda draft: str(draft.document["ranAt"]))
    if not fresh:
        return []
    receipt_key = key_in_force(instance, batch.ledger.grown(), credentials, "receipt")
    ledger = batch.ledger
    named: set[tuple[str, str]] = set()
    attached: dict[str, bytes] = {}
    for place, draft in enumerate(fresh):
        claims.check(instance, log, draft, fresh[:place])
        if unlinked or draft.document["ranBy"]["kind"] == "submitted":
            strangers.require_known_rules(instance, _pinned(ledger), draft)
        _first_uses(instance, log, ledger, draft, named)
        data = _sign(draft, receipt_key).file_bytes()
        path = receipt_path(draft.receipt_id)
        ledger.append(ReceiptEntry(path=path, sha256=canonical.sha256_hex(data), size=len(data)))
        replaced = draft.document["supersedes"]
        if replaced is not None:
            may_replace(instance, replaced, draft.document)
            ledger.append(SupersedeEntry(receiptId=replaced, by=draft.receipt_id))
        batch.writes[path] = data
        attached.update(evidence.to_publish(instance, log, draft.document))
        batch.lines.append(draft.receipt_id)
        sent = f"{inbox.INBOX}/{draft.receipt_id}.json"
        if instance.repository.read(sent) is not None:
            batch.removes.append(sent)
    grown = ledger.grown()
    for path, data in batch.writes.items():
        _must_verify(instance, grown, path, data)
    batch.writes.update(attached)
    batch.subject = f"publish: {len(fresh)} receipt{'s' if len(fresh) > 1 else ''}"
    return batch.lines


def _pinned(ledger: Ledger) -> set[tuple[str, str]]:
    """(track, version) of the rules that the log pins, or will with the entries so far."""
    new = [entry for entry in ledger.entries if isinstance(entry, MethodologyEntry)]
    return {*ledger.log.methodologies, *((entry.track, entry.version) for entry in new)}


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


def _first_uses(
    instance: Instance, log: Log, ledger: Ledger, draft: Receipt, named: set[tuple[str, str]]
) -> None:
    """Log the rules and the data when a receipt first uses them; refuse ones that changed since."""
    rules = draft.document["methodology"]
    key = (f"{rules['id']} {rules['version']}", rules["sha256"])
    logged = log.methodologies.get((rules["id"], rules["version"]))
    here = instance.rulebook.read(rules["id"], rules["version"]).sha256
    _same(f"methodology {key[0]}", draft, rules["sha256"], here, logged.sha256 if logged else None)
    if logged is None and key not in named:
        _committed(
            instance.committed_methodology(rules["id"], rules["version"]),
            rules["sha256"],
            f"methodology {key[0]}",
        )
        methodologies.require_publishable(instance, instance.rulebook.read(rules["id"], rules["version"]))
        named.add(key)
        ledger.append(MethodologyEntry(track=rules["id"], version=rules["version"], sha256=rules["sha256"]))
    track = instance.judges[draft.track]
    resolved = Resolved(instance.rulebook.read(rules["id"], rules["version"]))
    target, sha256 = track.target(draft.document)
    if sha256 is None:
        track.hold_against(draft.document, resolved)
        return
    known = log.fixtures.get(target)
    here = instance.fixture_digest(target)
    _same(f"fixture {target}", draft, sha256, here, known.sha256 if known else None)
    track.hold_against(draft.document, replace(resolved, target=instance.fixture_bytes(target)))
    if known is None and (target, sha256) not in named:
        if not instance.imported(instance.fixture_path(target)):
            _committed(instance.committed_fixture(target), sha256, f"fixture {target}")
        named.add((target, sha256))
        ledger.append(FixtureEntry(id=target, sha256=sha256))


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
