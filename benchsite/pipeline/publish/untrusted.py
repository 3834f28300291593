"""What is asked of drafts that the keeper of the log did not make: sent by strangers, or left by a measuring job.

A measuring job runs other people's systems, which may write any draft they like. Refused are links to other entries, the
name of another who ran it, the id of a draft that somebody sent, and people's judgements unless they are what the
committed sheets of one whole entry of the suite come to. Judgements that were published before, retracted ones included,
are left out. Which rules apply is the keeper's to decide, by `benchsite methodology publish`:
a version the log pins; before it pins any of the track, the newest. Drafts from the inbox (`pipeline.publish.inbox`) were read
by whoever merged them, and only that last rule is asked of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from benchsite import canonical, environment
from benchsite.errors import BenchsiteError, IntegrityError, PrerequisiteError
from benchsite.layout import CONFIG, INBOX
from benchsite.log import Log
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.measure import run
from benchsite.pipeline.measure import sheets as sheet_files
from benchsite.pipeline.record import evidence
from benchsite.receipt import Receipt
from benchsite.track import Work

__all__ = ["require_known_rules", "require_unlinked"]

_LINKS: Final = ("supersedes", "reproduces", "intentId", "derivedFrom")
_LOOK: Final = "something in the measuring job made this draft: look there, and measure again"
_SHEETS: Final = sheet_files.FOLDER


def require_known_rules(instance: Instance, pins: Collection[tuple[str, str]], draft: Receipt) -> None:
    """A draft that the keeper did not make changes no rules: a version that the log pins, or the newest before any.

    Args:
        instance: where the versions lie.
        pins: (track, version) of every version that the log pins.
        draft: the draft.

    Raises:
        PrerequisiteError: the version is neither.
    """
    name, version = draft.document["methodology"]["id"], draft.document["methodology"]["version"]
    pinned = {number for track, number in pins if track == name}
    if version not in (pinned or instance.rulebook.versions(name)[-1:]):
        raise PrerequisiteError(
            f"draft {draft.receipt_id}: the log does not pin {name} {version}, and this draft would put it there",
            hint=f"its keeper decides: benchsite methodology publish {name} {version}, then publish the draft",
        )


def require_unlinked(instance: Instance, log: Log, drafts: Sequence[Receipt]) -> dict[str, BenchsiteError]:
    """Measured systems may have written these drafts: what they say of others is not believed.

    Args:
        instance: where the suite and its sheets are committed.
        log: the log at HEAD; drafts that it holds already are not looked at.
        drafts: all that the job left.

    Returns:
        The drafts, by id, that are not to be published again, because their judgements were published before, and why.

    Raises:
        IntegrityError: one acts on another entry, names another who ran it, takes the id of a draft in the inbox, or
            holds people's judgements that are not those of one entry of the suite.
        PrerequisiteError: the suite or a file in `fixtures/` is not as it was committed.
    """
    ours = environment.ran_by(instance.repository.identity()[0])
    suite = _Suite(instance)
    repeated: dict[str, BenchsiteError] = {}
    for draft in drafts:
        if draft.receipt_id in log.receipts:
            continue
        document = draft.document
        linked = next((name for name in _LINKS if document[name] is not None), None)
        if linked is not None or document["ranBy"] != ours:
            raise IntegrityError(
                f"draft {draft.receipt_id}: {linked or 'ranBy'} is not what the suite writes", hint=_LOOK
            )
        if instance.repository.read(f"{INBOX}/{draft.receipt_id}.json") is not None:
            raise IntegrityError(
                f"draft {draft.receipt_id}: a draft in {INBOX}/ has this id, and says something else",
                hint=_LOOK,
            )
        track = instance.judges.get(draft.track)
        sheets = track.judgements(document) if track is not None else None
        if sheets is not None:
            suite.require(draft, sheets)
            if (again := suite.repeated(draft)) is not None:
                repeated[draft.receipt_id] = again
    return repeated


@dataclass(slots=True)
class _Suite:
    """People's judgements as the suite's entries hold them: sheets' digests alone could stand in any draft."""

    instance: Instance
    _scored: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    _faults: list[str] = field(default_factory=list)
    _done: set[tuple[str, str, str, str]] | None = None

    def require(self, draft: Receipt, sheets: Sequence[str]) -> None:
        """Refuse judgements unless they are what one entry's sheets come to."""
        if not self._committed() >= set(sheets):
            raise IntegrityError(
                f"draft {draft.receipt_id}: config.sheets names sheets that are not committed in {_SHEETS}/",
                hint=f"commit the sheets in a folder of {_SHEETS}/; if there are none, {_LOOK}",
            )
        entry = next(
            (item for item in self._entries(draft.track) if item["config"] == draft.document["config"]), None
        )
        if entry is None:
            raise IntegrityError(
                f"draft {draft.receipt_id}: its sheets are not those of one entry of the suite in {CONFIG}",
                hint="; ".join(
                    [f"list them under extra.benchsite.suite, all together; else {_LOOK}", *self._faults]
                ),
            )
        unlike = [
            name
            for name, value in entry.items()
            if canonical.dumps(value) != canonical.dumps(draft.document[name])
        ]
        if unlike:
            raise IntegrityError(
                f"draft {draft.receipt_id}: {unlike[0]} is not what its sheets in {_SHEETS}/ come to",
                hint=_LOOK,
            )
        changed = self.instance.repository.changed_paths(_SHEETS, CONFIG)
        if changed:
            raise PrerequisiteError(
                f"draft {draft.receipt_id}: {changed[0]} is not as it was committed",
                hint="only what is committed is believed here: commit it, or restore it",
            )

    def repeated(self, draft: Receipt) -> BenchsiteError | None:
        """Why they are not published again: dated anew they would stand elsewhere in the log, or come back retracted."""
        if self._done is None:
            self._done = set(run.published(self.instance))
        summary = self.instance.judges[draft.track].summary(draft.document)
        version = draft.document["methodology"]["version"]
        key = (summary.identity, summary.target, summary.target_sha256, version)
        if key in self._done:
            return IntegrityError(
                f"draft {draft.receipt_id}: the judgements of its sheets were published before, or are by another draft here",
                hint="`benchsite run --changed` makes no draft of them; their keeper can publish them without --unlinked",
            )
        self._done.add(key)
        return None

    def _committed(self) -> set[str]:
        """The sha256 of every YAML file under `fixtures/` at HEAD."""
        repository = self.instance.repository
        return {
            canonical.sha256_hex(repository.blob(item.blob_id)) for item in sheet_files.committed(repository)
        }

    def _entries(self, track: str) -> list[Mapping[str, Any]]:
        """What the keys of a receipt would be for each entry of the suite that can be scored."""
        if track not in self._scored:
            self._scored[track] = []
            for place in range(len(self.instance.config.benchsite.suite)):
                try:
                    work = run.entry_work(self.instance, place)
                    if work.track == track:
                        self._scored[track].append(_scored(self.instance, work))
                except BenchsiteError as error:
                    self._faults.append(f"an entry of the suite cannot be scored: {error.message}")
        return self._scored[track]


def _scored(instance: Instance, work: Work) -> dict[str, Any]:
    """The keys of a receipt that its sheets decide."""
    prepared = run.prepare(instance, work)
    with run.context(lambda _done, _total, _label: None) as made:
        measured = prepared.track.runner().run(work, prepared.resolved, made)
    return {
        "methodology": prepared.rules.reference,
        "config": dict(measured.config),
        "evidence": [evidence.reference(item) for item in measured.evidence],
        **measured.payload,
    }
