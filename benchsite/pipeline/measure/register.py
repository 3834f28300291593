"""run --register: a run is announced in the log, and pushed, before it begins (specs/log.md).

The announcement is made with the log key alone and fixes what `benchsite.history.registration` says. The subject has
been started once by then, in its own process without keys, to hear its version and the digest of its source.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from benchsite import environment
from benchsite.dates import is_in_calendar
from benchsite.environment import Credentials
from benchsite.errors import UsageError
from benchsite.history import announcement
from benchsite.pipeline.record.append import Batch, append, key_in_force
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.schema import UTC_SECONDS
from benchsite.track import Plan, Track

_POSITION: Final = re.compile("[1-9][0-9]{0,15}")


@dataclass(frozen=True, slots=True)
class Announced:
    """An announcement in the log, the record with it, and whether the remote had it before the run began."""

    intent_id: str
    index: int
    snapshot: Snapshot
    public: bool
    url: str | None


Announce = Callable[[str, str, Plan], Announced]
"""(track, methodology version, plan) to the logged announcement."""


def require_announceable(track: Track) -> None:
    """An announcement is worth something only before anybody knows the scores.

    Raises:
        UsageError: the track starts no subject: people scored already.
    """
    if track.subject_group is None:
        raise UsageError(
            f"a run of {track.name} cannot be pre-registered: its sheets already hold the scores",
            hint="remove --register",
        )


def announcer(
    workspace: Workspace,
    snapshot: Snapshot,
    credentials: Credentials,
    *,
    push: bool,
    due_by: str | None = None,
) -> Announce:
    """What `run` calls before each run.

    Args:
        workspace: where.
        snapshot: the record.
        credentials: hold the log key.
        push: push each announcement.
        due_by: when the receipts are due, a log position or a UTC time; nothing is promised where None.

    Raises:
        PrerequisiteError: no log, or the log key is missing or not the one in force: said before anything is run.
        UsageError: `due_by` is neither, or has passed already.
    """
    log = snapshot.require_log()
    if due_by is not None:
        require_due(snapshot, due_by)
    key_in_force(workspace, log, credentials, "log")

    def announce(track: str, methodology: str, plan: Plan) -> Announced:
        target, _ = plan.target
        intent_id = environment.new_id()
        entry = announcement(
            intent_id,
            track=track,
            target=target,
            methodology=methodology,
            config=plan.config,
            due_by=due_by,
        )

        def stage(batch: Batch) -> None:
            batch.new.append(entry)
            batch.subject = f"pre-register a run of {plan.subject[0]} on {target}"
            batch.lines.append(intent_id)

        done = append(workspace, credentials, stage, push=push)
        return Announced(intent_id, done.log.intents[intent_id], done.snapshot, done.public, done.url)

    return announce


def require_due(snapshot: Snapshot, due_by: str) -> None:
    """Refuse what is neither a position nor a time of the calendar, and what has passed already.

    Raises:
        UsageError: `due_by` is neither, or has passed already.
    """
    log = snapshot.log
    size = log.size if log is not None else 0
    is_time = re.fullmatch(UTC_SECONDS, due_by) is not None and is_in_calendar(due_by)
    if not is_time and not _POSITION.fullmatch(due_by):
        raise UsageError(
            f"--due {due_by[:40]!r} is neither a log position nor a UTC time",
            hint=f"give a number of entries, such as {size + 100}, or a time such as 2030-01-31T00:00:00Z",
        )
    # RFC 3339 texts of one shape order as their times do.
    if due_by <= environment.now() if is_time else int(due_by) <= size:
        raise UsageError(
            f"--due {due_by} is in the past: the log has {size} entries, and the time is {environment.now()}",
            hint="choose a later one, or remove --due",
        )
