"""publish: drafts become signed, logged, immutable receipts in one git commit (specs/log.md, step by step).

    lock -> recover -> fetch -> re-score -> sign -> append entries -> checkpoint -> objects -> one commit
         -> update-ref (the commit point) -> materialise -> push -> delete drafts

Before the commit point nothing has happened; after it everything has, and `recover` finishes what a crash
left undone. Two signed heads of one size never leave this machine: a commit the remote rejects is discarded
with its checkpoint and made again on the fetched head.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchsite import canonical
from benchsite.environment import Credentials, Role
from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.log import FixtureEntry, Log, MethodologyEntry, ReceiptEntry, SupersedeEntry, receipt_path
from benchsite.pipeline import drafts as draft_store
from benchsite.pipeline.instance import PRIVATE, PUBLISHED, Instance
from benchsite.pipeline.ledger import Ledger
from benchsite.receipt import Receipt, compose, parse, seal
from benchsite.repo import MovedError, PushRejectedError, write_atomically
from benchsite.signing import PrivateKey, encode_base64url

RECORD: Final = ("results", "keys")
_ATTEMPTS: Final = 8
TRAILER: Final = "Benchsite-Log-Size"
_SUBJECT: Final = "publish: "


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


@dataclass(slots=True)
class _Batch:
    """One attempt: what will be written, and which drafts it makes superfluous."""

    writes: dict[str, bytes] = field(default_factory=dict)
    receipts: list[str] = field(default_factory=list)
    removes: list[str] = field(default_factory=list)
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
        PrerequisiteError: no log, no keys, uncommitted changes under results/ or keys/, or a remote that
            cannot be reached.
        IntegrityError: a draft's numbers do not follow, or its fixture or rules changed after the run.
        InputError: a draft cannot be read.
    """
    with locked(instance):
        recover(instance)
        _require_clean(instance)
        loaded = [draft_store.load(path) for path in paths]
        for done, draft in enumerate(loaded):
            progress(done, len(loaded), f"re-scoring {draft.receipt_id[:8]}")
            draft_store.recheck(instance, draft)
        for attempt in range(_ATTEMPTS):
            _follow_upstream(instance, fetch=push)
            try:
                outcome = _once(instance, loaded, credentials)
                public = _send(instance) if push else False
            except (MovedError, PushRejectedError):
                if attempt == _ATTEMPTS - 1:
                    raise
                continue
            _drop_logged(instance, paths, public=public)
            return Outcome(*outcome, public, instance.repository.public_url())
    raise AssertionError("unreachable: the last attempt raises")


def _once(
    instance: Instance, loaded: Sequence[Receipt], credentials: Credentials
) -> tuple[tuple[str, ...], str | None, int]:
    """One attempt up to and including the commit point and the working tree."""
    repository = instance.repository
    parent = repository.head()
    log = require_log(instance)
    batch = _stage(instance, log, loaded, credentials)
    if not batch.receipts:
        return (), None, log.size
    message = _message(batch)
    commit = commit_record(instance, batch.writes, batch.removes, parent=parent, message=message)
    return tuple(batch.receipts), commit, batch.size


def _stage(instance: Instance, log: Log, loaded: Sequence[Receipt], credentials: Credentials) -> _Batch:
    """Sign the drafts that the log does not hold yet and collect their entries."""
    fresh = [draft for draft in loaded if draft.receipt_id not in log.receipts]
    if not fresh:
        return _Batch(size=log.size)
    receipt_key = key_in_force(instance, log, credentials, "receipt")
    log_key = key_in_force(instance, log, credentials, "log")
    ledger = Ledger(log)
    batch = _Batch()
    named: set[tuple[str, str]] = set()
    for draft in fresh:
        _first_uses(instance, log, ledger, draft, named)
        signed = _sign(draft, receipt_key)
        data = signed.file_bytes()
        path = receipt_path(draft.receipt_id)
        ledger.append(ReceiptEntry(path=path, sha256=canonical.sha256_hex(data), size=len(data)))
        replaced = draft.document["supersedes"]
        if replaced is not None:
            _may_supersede(instance, log, draft, replaced)
            ledger.append(SupersedeEntry(receiptId=replaced, by=draft.receipt_id))
        batch.writes[path] = data
        batch.receipts.append(draft.receipt_id)
    batch.writes.update(ledger.writes(log_key))
    batch.size = ledger.size
    return batch


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
    subject = f"{_SUBJECT}{count} receipt{'s' if count > 1 else ''}"
    return f"{subject}\n\n" + "\n".join(batch.receipts) + f"\n\n{TRAILER}: {batch.size}\n"


@contextmanager
def locked(instance: Instance) -> Iterator[None]:
    """Hold the instance's lock; a second publisher on this machine waits for the first."""
    folder = instance.root / PRIVATE
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def commit_record(
    instance: Instance, writes: dict[str, bytes], removes: Sequence[str], *, parent: str | None, message: str
) -> str:
    """Commit record files: journal, objects, compare-and-swap, working tree, journal gone."""
    repository = instance.repository
    commit = repository.build_commit(writes, removes=removes, parent=parent, message=message)
    paths = sorted({*writes, *removes})
    with _journalled(instance, commit, paths):
        repository.advance(commit, expected=parent)
        repository.materialise(paths)
    return commit


@contextmanager
def _journalled(instance: Instance, commit: str, paths: Sequence[str]) -> Iterator[None]:
    """Note which record files are about to change, so that `recover` can restore exactly these after a crash.

    The note stays when the work in between fails, and the next publish begins by restoring from HEAD.
    """
    journal = _journal(instance)
    write_atomically(journal, json.dumps({"commit": commit, "paths": list(paths)}).encode())
    yield
    journal.unlink(missing_ok=True)


def recover(instance: Instance) -> bool:
    """Finish or forget an interrupted publish: the paths its journal names are restored from HEAD."""
    journal = _journal(instance)
    if not journal.exists():
        return False
    try:
        noted: Any = json.loads(journal.read_bytes())
        paths = [path for path in noted["paths"] if path.split("/")[0] in (*RECORD, "mkdocs.yml")]
    except (ValueError, KeyError, TypeError, AttributeError):
        paths = []
    instance.repository.materialise(paths)
    journal.unlink()
    return True


def _journal(instance: Instance) -> Path:
    return instance.root / PRIVATE / "publish.journal"


def _require_clean(instance: Instance) -> None:
    changed = instance.repository.changed_paths(*RECORD)
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise PrerequisiteError(
            f"uncommitted changes in the record: {changed[0]}{more}",
            hint="nothing but publish writes there: `git status results keys`, then restore them",
        )


def _follow_upstream(instance: Instance, *, fetch: bool) -> None:
    """Stand on the remote's head; unpushed publish commits that the remote overtook are discarded."""
    repository = instance.repository
    if not fetch or repository.upstream() is None:
        return
    theirs, ours = repository.fetch(), repository.head()
    if theirs is None or ours is None or theirs == ours or repository.is_ancestor(theirs, ours):
        return
    base = repository.fork_point(ours, theirs)
    if any(not message.startswith(_SUBJECT) for message in repository.messages(base, ours)):
        raise PrerequisiteError(
            "your branch and the remote's have both moved on",
            hint="bring your own commits onto the remote's head (git pull --rebase), then publish again",
        )
    paths = [path for path in repository.differing(ours, theirs) if path.split("/")[0] in RECORD]
    _keep_as_drafts(instance, paths, theirs)
    with _journalled(instance, theirs, paths):
        repository.move_to(theirs, expected=ours)


def _keep_as_drafts(instance: Instance, paths: Sequence[str], theirs: str) -> None:
    """Receipts of a commit about to be discarded go back to the drafts they came from: nothing is lost."""
    for path in paths:
        data = instance.repository.read(path)
        if (
            data is None
            or not path.startswith(PUBLISHED)
            or instance.repository.read(path, rev=theirs) is not None
        ):
            continue
        document = {key: value for key, value in parse(data).document.items() if key != "signature"}
        draft_store.save(instance, compose(document))


def _send(instance: Instance) -> bool:
    """Push; whether there was anywhere to push to."""
    if instance.repository.upstream() is None:
        return False
    instance.repository.push()
    return True


def _drop_logged(instance: Instance, paths: Sequence[Path], *, public: bool) -> None:
    """Delete drafts that are safely logged: with a remote, only once they are there."""
    if not public and instance.repository.upstream() is not None:
        return
    log = require_log(instance)
    for path in paths:
        if draft_store.load(path).receipt_id in log.receipts:
            path.unlink(missing_ok=True)
