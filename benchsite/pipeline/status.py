"""status: the state of the record in a few lines, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass

from benchsite.environment import ROLES, Credentials
from benchsite.errors import BenchsiteError
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.publish import RECORD


@dataclass(frozen=True, slots=True)
class Status:
    """What stands.

    Attributes:
        drafts: names of drafts waiting to be published.
        log_size: entries, None before `keys init`.
        receipts: receipts in the log.
        keys: role to whether this process was given its key, and whether it is the one in force.
        changed: uncommitted paths of the record.
        dirty: whether anything at all is uncommitted.
        next_steps: what to do, most urgent first.
    """

    drafts: tuple[str, ...]
    log_size: int | None
    receipts: int
    keys: dict[str, str]
    changed: tuple[str, ...]
    dirty: bool
    next_steps: tuple[str, ...]


def status(instance: Instance, credentials: Credentials) -> Status:
    """Read the state of an instance; changes nothing."""
    log = instance.open_log()
    drafts = tuple(path.stem for path in instance.draft_paths())
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
    return Status(
        drafts=drafts,
        log_size=log.size if log is not None else None,
        receipts=len(log.receipts) if log is not None else 0,
        keys=keys,
        changed=changed,
        dirty=bool(state["dirty"]),
        next_steps=tuple(
            _next(log is not None, drafts, changed, keys, receipts=len(log.receipts) if log else 0)
        ),
    )


def _next(
    has_log: bool,  # noqa: FBT001
    drafts: tuple[str, ...],
    changed: tuple[str, ...],
    keys: dict[str, str],
    *,
    receipts: int,
) -> list[str]:
    steps = []
    if changed:
        steps.append(
            f"restore the record: {changed[0]} differs from HEAD, and nothing but publish writes there"
        )
    if not has_log:
        steps.append("benchsite keys init     begins the log")
    if drafts and has_log:
        lacking = [role for role in ("receipt", "log") if keys[role] != "given, in force"]
        if lacking:
            names = " and ".join(f"BENCHSITE_{role.upper()}_KEY_FILE" for role in lacking)
            steps.append(f"export {names}, then: benchsite publish")
        else:
            steps.append("benchsite publish       makes the drafts permanent")
    if not drafts:
        steps.append("benchsite run --changed measures what has no receipt yet")
    if receipts:
        steps.append("benchsite build         writes the site")
    return steps
