"""status: the state of the record in a few lines, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchsite.environment import ROLES, Credentials, Role
from benchsite.errors import BenchsiteError, PrerequisiteError
from benchsite.layout import JOURNAL, RECORD, sort_of
from benchsite.log import Log
from benchsite.pipeline.building import links
from benchsite.pipeline.measure import run as runs
from benchsite.pipeline.measure.published import logged
from benchsite.pipeline.publish import inbox
from benchsite.pipeline.publish.candidates import is_public
from benchsite.pipeline.publish.keys import usual_folder
from benchsite.pipeline.record.append import keys_leaving
from benchsite.pipeline.record.commit import require_branch
from benchsite.pipeline.record.overtaken import require_not_overtaken
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.snapshot.integrity import faults, refusal
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.scratch import require_folder, require_uncommitted
from benchsite.track import Work
from benchsite.words import amount, options_words, shown_path

_LARGEST_KEY_FILE: Final = 64 * 1024
_INTERRUPTED: Final = "benchsite publish       finishes an interrupted publish"


@dataclass(frozen=True, slots=True)
class Status:
    """The state of an instance.

    Attributes:
        drafts: names of drafts waiting to be published, and paths of the untrusted ones in results/inbox.
        kept: names of drafts that were published and that the remote is not known to have.
        log_size: entries, None before `keys init`.
        receipts: receipts in the log.
        keys: role to whether this process was given its key, and whether it is the one in force.
        changed: uncommitted paths of the record.
        differing: those of them that only publish writes; empty while it is interrupted.
        dirty: whether anything at all is uncommitted.
        interrupted: whether a publish was interrupted, so that files may differ from HEAD.
        stale: runs of the suite without a receipt for the present subject, configuration, data and rules.
        unpushed: commits that the remote is not known to have.
        faults: what is wrong with the record at HEAD; nothing where it is whole.
        missing: settings that are not made, each with what that means.
        next_steps: what to do, most urgent first.
    """

    drafts: tuple[str, ...]
    kept: tuple[str, ...]
    log_size: int | None
    receipts: int
    keys: dict[str, str]
    changed: tuple[str, ...]
    differing: tuple[str, ...]
    dirty: bool
    interrupted: bool
    stale: tuple[str, ...]
    unpushed: int
    faults: tuple[str, ...]
    missing: tuple[str, ...]
    next_steps: tuple[str, ...]


def status(workspace: Workspace, snapshot: Snapshot, credentials: Credentials) -> Status:
    """Read the state of an instance; changes nothing.

    Raises:
        IntegrityError: the log does not open, or went back.
    """
    log = snapshot.log
    sent = inbox.sent(snapshot)
    # A draft stays until its receipt is public.
    logged = log.receipts if log is not None else {}
    drafts = (
        *(path.stem for path in workspace.draft_paths() if path.stem not in logged),
        *(item.path for item in sent if item.error is None),
    )
    changed = tuple(workspace.repository.changed_paths(*RECORD))
    state = workspace.repository.state(snapshot.commit)
    keys, unusable = _keys(workspace, credentials, log)
    stale = _stale(workspace, snapshot)
    interrupted = (workspace.root / JOURNAL).exists()
    differing = () if interrupted else tuple(path for path in changed if sort_of(path) != "free")
    leaving = list(_keys_committed(snapshot))
    blocked = _blocked(workspace, snapshot)
    return Status(
        drafts=drafts,
        kept=tuple(
            path.stem
            for path in workspace.draft_paths()
            if path.stem in logged and not is_public(snapshot, path.stem)
        ),
        log_size=log.size if log is not None else None,
        receipts=len(log.receipts) if log is not None else 0,
        keys=keys,
        changed=changed,
        differing=differing,
        dirty=bool(state["dirty"]),
        interrupted=interrupted,
        stale=stale,
        unpushed=_unpushed(snapshot),
        faults=(wrong := tuple(refusal(finding).message for finding in faults(snapshot))),
        missing=tuple(_missing(workspace)),
        next_steps=(
            *((_INTERRUPTED,) if interrupted else ()),
            *_keys_lying_about(workspace),
            *unusable,
            *leaving,
            *_scratch(snapshot),
            *_not_whole(wrong),
            *(() if wrong or leaving else (blocked,) if blocked else _leaving(snapshot)),
            *_refused(sent),
            # On such a record or branch every one of these would be refused.
            *(
                ()
                if wrong or leaving or blocked
                else _next(log, drafts, () if interrupted else changed, keys, stale, usual_folder(workspace))
            ),
        ),
    )


def _missing(workspace: Workspace) -> Iterator[str]:
    """Settings without which a site is built that leaves something out."""
    if not workspace.repository.has_remote():
        yield "no remote: commits stay on this machine; git remote add origin URL"
    yield from links.missing(workspace)


def _keys(
    workspace: Workspace, credentials: Credentials, log: Log | None
) -> tuple[dict[str, str], list[str]]:
    """What is known of each role's key, and the next steps for keys that cannot be read."""
    keys: dict[str, str] = {}
    steps: list[str] = []
    for role in ROLES:
        if not credentials.has(role):
            keys[role] = "not set"
            continue
        try:
            fingerprint = credentials.key(role, repository=workspace.root).fingerprint
        except BenchsiteError as error:
            keys[role] = f"unusable: {error.message}"
            steps.append(f"{error.message}: {error.hint}")
            continue
        in_force = fingerprint in _in_force(log, role)
        keys[role] = "set, in service" if in_force else "set, not the key in service"
    return keys, steps


def _in_force(log: Log | None, role: Role) -> set[str]:
    """The fingerprints that may sign now: the newest key of a role, but every active root."""
    if log is None:
        return set()
    if role == "root":
        return {item.fingerprint for item in log.keyring if item.role == role and item.state == "active"}
    current = log.keyring.in_force(role)
    return {current.fingerprint} if current is not None else set()


def named(work: Work) -> str:
    """A subject and its options in words: two configurations of one subject are told apart."""
    words = work.label or ", ".join(options_words(work.request.get("options", {})))
    return f"{work.subject} ({words})" if words else work.subject


def _keys_lying_about(workspace: Workspace) -> Iterator[str]:
    """Private keys in files that are about to be committed by accident."""
    for path in workspace.repository.changed_paths():
        file = workspace.root / path
        if file.is_symlink() or not file.is_file() or file.stat().st_size > _LARGEST_KEY_FILE:
            continue
        if b"PRIVATE KEY-----" in file.read_bytes():
            yield f"move {shown_path(path)} out of the repository: private key"


def _keys_committed(snapshot: Snapshot) -> Iterator[str]:
    """Private keys in commits that a push would make public."""
    for item in keys_leaving(snapshot):
        yield f"do not push: {item.where}: {item.message}; {item.hint}"


def _scratch(snapshot: Snapshot) -> Iterator[str]:
    """Why nothing here may be written or published: scratch that a commit holds, or a link in its place."""
    try:
        require_folder(snapshot.repository.root, make=False)
        require_uncommitted(snapshot.repository, snapshot.commit)
    except BenchsiteError as error:
        yield f"{error.message}: {error.hint}"


def _not_whole(wrong: Sequence[str]) -> Iterator[str]:
    """A record that audit would not pass: nothing is published on it."""
    if wrong:
        more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        yield f"benchsite audit         finds the commits: {wrong[0]}{more}"


def _blocked(workspace: Workspace, snapshot: Snapshot) -> str:
    """Return why this branch cannot publish, and what helps; empty if it can."""
    try:
        require_branch(workspace)
        require_not_overtaken(snapshot.repository, snapshot.commit)
    except PrerequisiteError as error:
        return f"{error.message}: {error.hint}"
    return ""


def _leaving(snapshot: Snapshot) -> Iterator[str]:
    """Yield the step that pushes the commits of this branch that the remote is not known to have."""
    count = _unpushed(snapshot)
    if count:
        yield f"benchsite publish       pushes {amount(count, 'commit')} to the remote"


def _refused(sent: Sequence[inbox.Sent]) -> Iterator[str]:
    """Files of the inbox that stop `publish`, and what to do about each."""
    for item in sent:
        if item.error is not None:
            yield f"{item.error.message}: {item.error.hint}"


def _unpushed(snapshot: Snapshot) -> int:
    return snapshot.repository.unpushed(snapshot.commit) if snapshot.commit is not None else 0


def _stale(workspace: Workspace, snapshot: Snapshot) -> tuple[str, ...]:
    """Subjects of the suite that `run --changed` would measure; one that cannot start is stale too."""
    if not workspace.config.benchsite.suite:
        return ()
    results = runs.run(workspace, snapshot, runs.suite(workspace), changed=True, dry_run=True, known=logged)
    return tuple(f"{named(item.work)} on {item.work.target}" for item in results if item.state != "skipped")


def _next(
    log: Log | None,
    drafts: tuple[str, ...],
    changed: tuple[str, ...],
    keys: dict[str, str],
    stale: tuple[str, ...],
    folder: Path,
) -> list[str]:
    steps = []
    if changed:
        steps.append(
            f"restore the record: {shown_path(changed[0])} differs from HEAD: only `benchsite publish` writes there"
        )
    if log is None:
        steps.append("benchsite keys init     creates the keys and the log")
    if drafts and log is not None:
        lacking = [role for role in ("receipt", "log") if keys[role] != "set, in service"]
        if lacking:
            files = [folder / f"{role}.pem" for role in lacking]
            names = " ".join(
                f"BENCHSITE_{role.upper()}_KEY_FILE={file if file.is_file() else 'FILE'}"
                for role, file in zip(lacking, files, strict=True)
            )
            steps.append(f"export {names}; benchsite publish")
        else:
            steps.append("benchsite publish       publishes the drafts permanently")
    if stale and not drafts:
        steps.append("benchsite run --changed measures runs without a receipt")
    if log is not None and log.receipts:
        steps.append("benchsite build         writes the site")
    return steps
