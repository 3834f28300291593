"""run --register: a run is announced in the log, and pushed, before it begins (specs/log.md).

The announcement is made with the log key alone and fixes what `benchsite.history.registration` says. The subject has
been started once by then, in its own process without keys, to hear its version and the digest of its source.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchsite import environment
from benchsite.environment import Credentials
from benchsite.errors import UsageError
from benchsite.history import announcement
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.record import require_log
from benchsite.pipeline.record.append import Batch, append, key_in_force
from benchsite.receipt import Receipt
from benchsite.track import Plan, Track


@dataclass(frozen=True, slots=True)
class Announced:
    """An announcement in the log; `public` tells whether the remote had it before the run began."""

    intent_id: str
    index: int
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
            f"a run of {track.name} cannot be announced: its scores stand in the sheets already, "
            "so that an announcement now would come after the fact",
            hint="run it without --register",
        )


def announcer(instance: Instance, credentials: Credentials, *, push: bool) -> Announce:
    """What `run` calls before each run.

    Raises:
        PrerequisiteError: no log, or the log key is missing or not the one in force: said before anything is run.
    """
    key_in_force(instance, require_log(instance), credentials, "log")

    def announce(track: str, methodology: str, plan: Plan) -> Announced:
        target, _ = plan.target
        intent_id = environment.new_id()
        entry = announcement(
            intent_id, track=track, target=target, methodology=methodology, config=plan.config
        )

        def stage(batch: Batch, _returned: Mapping[Path, Receipt]) -> None:
            batch.new.append(entry)
            batch.subject = f"announce a run of {plan.subject[0]} on {target}"
            batch.lines.append(intent_id)

        done = append(instance, credentials, stage, push=push)
        return Announced(intent_id, require_log(instance).intents[intent_id], done.public, done.url)

    return announce
