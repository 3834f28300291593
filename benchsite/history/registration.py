"""Announced runs: does a receipt keep what the log announced for it, and which announcements were never kept.

Follows specs/log.md, "What is kept in git". An intent is logged before its run and fixes the track, the subject's
source, the configuration, the data's id, the version of the rules and the seed. `configSha256` is the SHA-256 of the
JCS of the receipt's whole `config` member, `subjectSha256` included: all of it is known before anything is measured.

An intent proves that a run was announced. It cannot prove that no other run was made: private trials stay invisible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.history.sentences import said
from benchsite.history.verdict import Scorer
from benchsite.log import DeclineEntry, IntentEntry, Log, due_words, posix_seconds
from benchsite.receipt import Document

_FIELDS: Final = {
    "track": "track",
    "subject_sha256": "config.subjectSha256",
    "config_sha256": "config",
    "methodology": "methodology.version",
    "seed": "config.seed",
}
"""What an intent fixes besides the target, in the order it is compared, and where a receipt says it."""


@dataclass(frozen=True, slots=True)
class Broken:
    """How a receipt departs from what was announced: a sentence, and the receipt's field at fault."""

    detail: str
    field: str


@dataclass(frozen=True, slots=True)
class Unreported:
    """An announced run that no receipt here reports; `subject` is empty where no receipt has the same source.

    `due_by` is as the log has it, empty where nothing was promised; `overdue` says that it has passed.
    """

    intent_id: str
    index: int
    track: str
    subject: str
    subject_sha256: str
    target: str
    methodology: str
    seed: int
    due_by: str = ""
    overdue: bool = False

    @property
    def due(self) -> str:
        """When it is due, in words."""
        return due_words(self.due_by)


def announcement(
    intent_id: str,
    *,
    track: str,
    target: str,
    methodology: str,
    config: Mapping[str, Any],
    due_by: str | None = None,
) -> IntentEntry:
    """The entry that pre-registers a run with this configuration, and when its receipt is due if anything is promised.

    Raises:
        InputError: the configuration lacks a seed or its subject has no source that could be pinned.
    """
    source, seed = config.get("subjectSha256"), config.get("seed")
    if not isinstance(source, str):
        raise InputError(said("intent-without-source"), hint="run it without --register")
    if not isinstance(seed, int):
        raise InputError(said("intent-without-seed"), hint="run it without --register")
    return IntentEntry(
        intentId=intent_id,
        track=track,
        subjectSha256=source,
        configSha256=canonical.digest(dict(config)),
        target=target,
        methodology=methodology,
        seed=seed,
        dueBy=due_by,
    )


def broken(document: Document, log: Log, scorer: Scorer) -> Broken | None:
    """How a receipt or draft that names an intent differs from what was pre-registered.

    Args:
        document: a document whose schema has been checked.
        log: the log that must hold the intent.
        scorer: the document's track.

    Returns:
        None where it names no intent, and where everything is as pre-registered. That no other receipt names the same
        intent is for the caller, who sees the others.
    """
    intent_id = document.get("intentId")
    if intent_id is None:
        return None
    index = log.intents.get(intent_id)
    entry = log.entry(index) if index is not None else None
    if index is None or not isinstance(entry, IntentEntry):
        return Broken(said("intent-unknown", intent=intent_id), "intentId")
    head = document.get("logHead")
    seen = head["size"] if head is not None else 0
    if index >= seen:
        return Broken(said("intent-late", index=index, seen=seen), "logHead.size")
    target = scorer.target(document)
    try:
        kept = announcement(
            intent_id,
            track=document["track"],
            target=target.id,
            methodology=document["methodology"]["version"],
            config=document["config"],
        )
    except InputError as error:
        return Broken(error.message, "config")
    for name, field in {**_FIELDS, "target": f"{target.field}.id"}.items():
        announced, found = getattr(entry, name), getattr(kept, name)
        if announced != found:
            differing = said(
                "intent-other", index=index, field=field, stated=str(announced), found=str(found)
            )
            return Broken(differing, field)
    return None


def unreported(
    log: Log, reported: Collection[str], subjects: Mapping[str, str], seen: int | None
) -> Iterator[Unreported]:
    """The intents of the log that no receipt reports, oldest first.

    Args:
        log: the log.
        reported: ids of intents that a receipt names and keeps.
        subjects: subjectSha256 to a subject's name, as receipts state it.
        seen: the newest time of a trusted witness's cosignature, None without one: only that shows a time to have passed.
    """
    for intent_id, index in log.intents.items():
        entry = log.entry(index)
        if intent_id in reported or not isinstance(entry, IntentEntry):
            continue
        yield Unreported(
            intent_id=intent_id,
            index=index,
            track=entry.track,
            subject=subjects.get(entry.subject_sha256, ""),
            subject_sha256=entry.subject_sha256,
            target=entry.target,
            methodology=entry.methodology,
            seed=entry.seed,
            due_by=entry.due_by or "",
            overdue=_has_passed(entry.due_by or "", log.size, seen),
        )


def _has_passed(due_by: str, size: int, seen: int | None) -> bool:
    """Whether the log has more entries than a position, or a witness has cosigned it after a time."""
    if due_by.isdecimal():
        return size > int(due_by)
    return due_by != "" and seen is not None and seen > posix_seconds(due_by)


def declined(log: Log | None) -> tuple[tuple[int, DeclineEntry], ...]:
    """What the log says is not measured, with the entries' indices, oldest first."""
    entries = [(index, log.entry(index)) for index in log.declined.values()] if log is not None else []
    return tuple((index, entry) for index, entry in entries if isinstance(entry, DeclineEntry))
