"""publish: drafts become signed, logged, immutable receipts in one git commit (specs/log.md, step by step).

    lock -> recover -> fetch -> re-score -> sign -> append entries -> checkpoint -> objects -> one commit
         -> update-ref (the commit point) -> materialise -> push -> delete drafts

Before the commit point nothing has happened; after it everything has, and `recover` finishes what a crash
left undone. Two signed heads of one size never leave this machine: a commit the remote rejects is discarded
with its checkpoint and made again on the fetched head.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchsite import canonical
from benchsite.environment import Credentials, Role
from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.history import Verdict, examine
from benchsite.log import FixtureEntry, Log, MethodologyEntry, ReceiptEntry, SupersedeEntry, receipt_path
from benchsite.pipeline import drafts as draft_store
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.ledger import Ledger
from benchsite.pipeline.record import TRAILER, commit_record, locked, recover, require_branch, require_clean
from benchsite.pipeline.upstream import SUBJECT, follow
from benchsite.receipt import Receipt, parse, seal
from benchsite.repo import MovedError, PushRejectedError
from benchsite.signing import PrivateKey, encode_base64url

INBOX: Final = "results/inbox"
_ATTEMPTS: Final = 8


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a publish did.

    Attributes:
        receipts: ids now in the log, in log order.
        commit: the commit that holds them, None where there was nothing to do.
        size: the log's size afterwards.
        public: whether the remote has it; False means "not public yet".
        url: where the remote lives, if anywhere.
    """

    receipts: tuple[str, ...]
    commit: str | None
    size: int
    public: bool
    url: str | None


@dataclass(frozen=True, slots=True)
class _Draft:
    """A draft and the file it was read from."""

    path: Path
    receipt: Receipt


@dataclass(slots=True)
class _Batch:
    """One attempt: what one commit will write and remove."""

    writes: dict[str, bytes] = field(default_factory=dict)
    removes: list[str] = field(default_factory=list)
    receipts: list[str] = field(default_factory=list)
    size: int = 0


Progress = Callable[[int, int, str], None]


def publish(
    instance: Instance,
    paths: Sequence[Path],
    credentials: Credentials,
    *,
    push: bool = True,
    progress: Progress = lambda _done, _total, _label: None,
) -> Outcome:
    """Publish drafts.

    Raises:
        PrerequisiteError: no log, no keys, a detached HEAD, uncommitted changes under results/ or keys/, or a
            remote that cannot be reached.
        IntegrityError: a draft's numbers do not follow, its fixture or rules changed after the run, or what
            would be published would not verify.
        InputError: a draft cannot be read.
    """
    with locked(instance):
        recover(instance)
        require_branch(instance)
        require_clean(instance)
        progress(0, 0, "checking the record")
        instance.check_record(require_log(instance))
        drafts = _loaded(instance, _present(instance, paths), progress)
        for attempt in range(_ATTEMPTS):
            returned = follow(instance, fetch=push)
            known = {draft.path for draft in drafts}
            drafts += _loaded(instance, [path for path in returned if path not in known], progress)
            try:
                outcome = _once(instance, drafts, credentials)
                public = _send(instance) if push else False
            except (MovedError, PushRejectedError):
                if attempt == _ATTEMPTS - 1:
                    raise
                continue
            _drop_logged(instance, drafts, public=public)
            return Outcome(*outcome, public, instance.repository.public_url())
    raise AssertionError("unreachable: the last attempt raises")


def _present(instance: Instance, paths: Sequence[Path]) -> list[Path]:
    """The drafts that are still there: another publish may have taken some while this one waited."""
    log = require_log(instance)
    return [path for path in paths if path.exists() or path.stem not in log.receipts]


def _loaded(instance: Instance, paths: Sequence[Path], progress: Progress) -> list[_Draft]:
    """Read drafts and score each again, everything included."""
    drafts = [_Draft(path, draft_store.load(path)) for path in paths]
    for done, draft in enumerate(drafts):
        progress(done, len(drafts), f"re-scoring {draft.receipt.receipt_id[:8]}")
        draft_store.recheck(instance, draft.receipt)
    return drafts


def _once(
    instance: Instance, drafts: Sequence[_Draft], credentials: Credentials
) -> tuple[tuple[str, ...], str | None, int]:
    """One attempt up to and including the commit point and the working tree."""
    parent = instance.repository.head()
    log = require_log(instance)
    batch = _stage(instance, log, drafts, credentials)
    if not batch.receipts:
        return (), None, log.size
    message = _message(batch)
    commit = commit_record(instance, batch.writes, batch.removes, parent=parent, message=message)
    return tuple(batch.receipts), commit, batch.size


def _stage(instance: Instance, log: Log, drafts: Sequence[_Draft], credentials: Credentials) -> _Batch:
    """Sign the drafts that the log does not hold yet and collect their entries."""
    fresh = [draft for draft in drafts if not _published_already(instance, log, draft.receipt)]
    if not fresh:
        return _Batch(size=log.size)
    receipt_key = key_in_force(instance, log, credentials, "receipt")
    log_key = key_in_force(instance, log, credentials, "log")
    ledger = Ledger(log)
    batch = _Batch()
    named: set[tuple[str, str]] = set()
    for item in fresh:
        draft = item.receipt
        _first_uses(instance, log, ledger, draft, named)
        data = _sign(draft, receipt_key).file_bytes()
        path = receipt_path(draft.receipt_id)
        ledger.append(ReceiptEntry(path=path, sha256=canonical.sha256_hex(data), size=len(data)))
        replaced = draft.document["supersedes"]
        if replaced is not None:
            _may_supersede(instance, log, draft, replaced)
            ledger.append(SupersedeEntry(receiptId=replaced, by=draft.receipt_id))
        batch.writes[path] = data
        batch.receipts.append(draft.receipt_id)
        if item.path.resolve().is_relative_to(instance.root / INBOX):
            batch.removes.append(item.path.resolve().relative_to(instance.root).as_posix())
    grown = ledger.grown()
    for path, data in batch.writes.items():
        _must_verify(instance, grown, path, data)
    batch.writes.update(ledger.writes(log_key))
    batch.size = ledger.size
    return batch


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
    seen = examine(data, log=grown, judges=instance.judges, path=path)
    if seen.verdict is not Verdict.LOGGED or seen.exit_code:
        step = seen.failed
        why = step.detail if step is not None else seen.verdict.value
        raise IntegrityError(
            f"draft {path[-41:-5]} would not verify once published: {why}",
            hint="it was made against another log, or edited: run it again, or move it out of .benchsite/drafts",
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
    here = instance.methodology(rules["id"], rules["version"]).sha256
    _same(f"methodology {key[0]}", draft, rules["sha256"], here, logged.sha256 if logged else None)
    if logged is None and key not in named:
        named.add(key)
        ledger.append(MethodologyEntry(track=rules["id"], version=rules["version"], sha256=rules["sha256"]))
    target, sha256 = instance.judges[draft.track].target(draft.document)
    known = log.fixtures.get(target)
    here = instance.fixture_digest(target)
    _same(f"fixture {target}", draft, sha256, here, known.sha256 if known else None)
    instance.judges[draft.track].hold_against(draft.document, instance.fixture_bytes(target))
    if known is None and (target, sha256) not in named:
        named.add((target, sha256))
        ledger.append(FixtureEntry(id=target, sha256=sha256))


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


def _may_supersede(instance: Instance, log: Log, draft: Receipt, replaced: str) -> None:
    """Only a logged receipt of the same track and subject can be superseded."""
    known = replaced in log.receipts
    item = instance.repository.read(receipt_path(replaced)) if known else None
    if item is None:
        raise IntegrityError(f"draft {draft.receipt_id} supersedes {replaced}, which is not in the log")
    old = canonical.loads(item)
    judge = instance.judges[draft.track]
    if not isinstance(old, dict) or old.get("track") != draft.track:
        raise IntegrityError(f"draft {draft.receipt_id} supersedes a receipt of another track")
    if judge.summary(old).subject.name != judge.summary(draft.document).subject.name:
        raise IntegrityError(f"draft {draft.receipt_id} supersedes a receipt of another subject")


def require_log(instance: Instance) -> Log:
    """The log at HEAD; `PrerequisiteError` where it was never begun."""
    log = instance.open_log()
    if log is None:
        raise PrerequisiteError("this instance has no log yet", hint="`benchsite keys init` begins it")
    return log


def key_in_force(instance: Instance, log: Log, credentials: Credentials, role: Role) -> PrivateKey:
    """The private key of a role, checked against the one the log says is in force."""
    key = credentials.key(role, repository=instance.root)
    current = log.keyring.in_force(role)
    if current is None or current.fingerprint != key.fingerprint:
        stands = current.fingerprint if current is not None else "none"
        raise PrerequisiteError(
            f"the {role} key given is {key.fingerprint}, the one in force is {stands}",
            hint="`benchsite keys list` shows the keys of this log",
        )
    return key


def _message(batch: _Batch) -> str:
    count = len(batch.receipts)
    subject = f"{SUBJECT}{count} receipt{'s' if count > 1 else ''}"
    return f"{subject}\n\n" + "\n".join(batch.receipts) + f"\n\n{TRAILER}: {batch.size}\n"


def _send(instance: Instance) -> bool:
    """Push; whether there was anywhere to push to."""
    if instance.repository.upstream() is None:
        return False
    instance.repository.push()
    return True


def _drop_logged(instance: Instance, drafts: Sequence[_Draft], *, public: bool) -> None:
    """Delete drafts that are safely logged: where there is a remote, only once they are there.

    A draft that somebody named elsewhere is theirs and stays; one in `results/inbox/` left with the commit.
    """
    if not public and instance.repository.has_remote():
        return
    log = require_log(instance)
    for draft in drafts:
        if draft.receipt.receipt_id in log.receipts and draft.path.parent == instance.drafts:
            draft.path.unlink(missing_ok=True)
