"""Standing on the remote's head before anything is signed, so that two signed heads of one size never leave here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchsite.errors import PrerequisiteError
from benchsite.pipeline import drafts
from benchsite.pipeline.instance import PUBLISHED, Instance
from benchsite.pipeline.record import RECORD, TRAILER, journalled
from benchsite.receipt import compose, parse

SUBJECT: Final = "publish: "
"""How the message of a commit begins that may be discarded and made again."""


def follow(instance: Instance, *, fetch: bool) -> list[Path]:
    """Stand on the remote's head; unpushed publishes that the remote overtook go back to drafts.

    Returns:
        The drafts that came back.
    """
    repository = instance.repository
    if not fetch or repository.upstream() is None:
        return []
    theirs, ours = repository.fetch(), repository.head()
    if theirs is None or ours is None or theirs == ours or repository.is_ancestor(theirs, ours):
        return []
    base = repository.fork_point(ours, theirs)
    if ours != base:
        _require_only_publishes(instance, base, ours)
    paths = [path for path in repository.differing(ours, theirs) if path.split("/")[0] in RECORD]
    returned = _keep_as_drafts(instance, paths, theirs)
    with journalled(instance, theirs, paths):
        repository.move_to(theirs, expected=ours)
    instance.refresh()
    return returned


def _require_only_publishes(instance: Instance, base: str, ours: str) -> None:
    """Only commits that publish made may be discarded, and only if they touched nothing but the record."""
    repository = instance.repository
    messages = repository.messages(base, ours)
    publishes = [message for message in messages if message.startswith(SUBJECT) and TRAILER in message]
    touched = repository.differing(base, ours) if base else ["everything"]
    if len(publishes) == len(messages) and all(path.split("/")[0] in RECORD for path in touched):
        return
    if any(path.split("/")[0] in RECORD for path in touched):
        hint = "log commits are never rebased: put your other commits on a branch of their own, then publish again"
    else:
        hint = "bring your commits onto the remote's head (git pull --rebase), then publish again"
    raise PrerequisiteError("your branch and the remote's have both moved on", hint=hint)


def _keep_as_drafts(instance: Instance, paths: Sequence[str], theirs: str) -> list[Path]:
    """Receipts of commits about to be discarded go back to the drafts they came from: nothing is lost."""
    returned = []
    for path in paths:
        data = instance.repository.read(path)
        if (
            data is None
            or not path.startswith(PUBLISHED)
            or instance.repository.read(path, rev=theirs) is not None
        ):
            continue
        document = {key: value for key, value in parse(data).document.items() if key != "signature"}
        returned.append(drafts.save(instance, compose(document)))
    return returned
