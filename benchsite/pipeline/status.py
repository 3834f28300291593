"""status: the state of the record in a few lines, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchsite.environment import ROLES, Credentials
from benchsite.errors import BenchsiteError
from benchsite.log import Log
from benchsite.pipeline import inbox
from benchsite.pipeline import run as runs
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.record import RECORD
from benchsite.track import Work


@dataclass(frozen=True, slots=True)
class Status:
    """What stands.

    Attributes:
        drafts: names of drafts waiting to be published, and paths of those that strangers sent.
        log_size: entries, None before `keys init`.
        receipts: receipts in the log.
        keys: role to whether this process was given its key, and whether it is the one in force.
        changed: uncommitted paths of the record.
        dirty: whether anything at all is uncommitted.
        stale: runs of the suite without a receipt for the present subject, configuration, data and rules.
        next_steps: what to do, most urgent first.
    """

    drafts: tuple[str, ...]
    log_size: int | None
    receipts: int
    keys: dict[str, str]
    changed: tuple[str, ...]
    dirty: bool
    stale: tuple[str, ...]
    next_steps: tuple[str, ...]


def status(instance: Instance, credentials: Credentials) -> Status:
    """Read the state of an instance; changes nothing."""
    log = instance.open_log()
    sent = inbox.sent(instance)
    drafts = (
        *(path.stem for path in instance.draft_paths()),
        *(item.path for item in sent if item.error is None),
    )
    changed = tuple(instance.repository.changed_paths(*RECORD))
    state = instance.repository.state()
    keys: dict[str, str] = {}
    for role in ROLES:
        in_force = log.keyring.in_force(role) if log is not None else None
        if not credentials.has(role):
            keys[role] = "not given"
            continue
        try:
            fingerprint = credentials.key(role, repository=instance.root).fingerprint
        except BenchsiteError as error:
            keys[role] = f"unusable: {error.message}"
            continue
        known = in_force is not None and in_force.fingerprint == fingerprint
        keys[role] = "given, in force" if known else "given, not the key in force"
    stale = _stale(instance)
    return Status(
        drafts=drafts,
        log_size=log.size if log is not None else None,
        receipts=len(log.receipts) if log is not None else 0,
        keys=keys,
        changed=changed,
        dirty=bool(state["dirty"]),
        stale=stale,
        next_steps=(*_refused(sent), *_next(log, drafts, changed, keys, stale)),
    )


def named(work: Work) -> str:
    """A subject and its options in words: two configurations of one subject are told apart."""
    options = work.request.get("options", {})
    words = [
        name if value is True else f"no {name}" if value is False else f"{name} {value}"
        for name, value in sorted(options.items())
    ]
    return f"{work.subject} ({', '.join(words)})" if words else work.subject


def _refused(sent: Sequence[inbox.Sent]) -> Iterator[str]:
    """Files of the inbox that stop `publish`, and what to do about each."""
    for item in sent:
        if item.error is not None:
            yield f"{item.error.message}: {item.error.hint}"


def _stale(instance: Instance) -> tuple[str, ...]:
    """Subjects of the suite that `run --changed` would measure; one that cannot start is stale too."""
    if not instance.config.benchsite.suite:
        return ()
    results = runs.run(instance, runs.suite(instance), changed=True, dry_run=True)
    return tuple(f"{named(item.work)} on {item.work.target}" for item in results if item.state != "skipped")


def _next(
    log: Log | None,
    drafts: tuple[str, ...],
    changed: tuple[str, ...],
    keys: dict[str, str],
    stale: tuple[str, ...],
) -> list[str]:
    steps = []
    if changed:
        steps.append(
            f"restore the record: {changed[0]} differs from HEAD, and nothing but publish writes there"
        )
    if log is None:
        steps.append("benchsite keys init     begins the log")
    if drafts and log is not None:
        lacking = [role for role in ("receipt", "log") if keys[role] != "given, in force"]
        if lacking:
            names = " and ".join(f"BENCHSITE_{role.upper()}_KEY_FILE" for role in lacking)
            steps.append(f"export {names}, then: benchsite publish")
        else:
            steps.append("benchsite publish       makes the drafts permanent")
    if stale and not drafts:
        steps.append("benchsite run --changed measures what has no receipt yet")
    if log is not None and log.receipts:
        steps.append("benchsite build         writes the site")
    return steps
