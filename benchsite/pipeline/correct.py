"""rescore --fixture, --methodology: stored evidence scored another way, as a table of what moved and as drafts.

    receipts -> schema -> the track's part `corrections` -> moved items, changed ranks -> drafts derived from them

Nothing is run. A derived receipt keeps the run's own facts (`ranAt`, `environment`, `logHead`, `origin`) and names its
original in `derivedFrom`; `publish` signs and logs it as any other. No draft is left unless every named receipt can be
corrected.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise, product
from pathlib import Path
from typing import Final, NamedTuple

from benchsite import canonical, plugins
from benchsite.errors import BenchsiteError, IntegrityError, UsageError
from benchsite.history import Rescore, Verdict, rescored
from benchsite.methodology import Methodology
from benchsite.pipeline.measure import compose, fixtures
from benchsite.pipeline.named import receipt_named
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import LARGEST_FIXTURE, Workspace, drafts
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.receipt import Receipt
from benchsite.track.parts import Corrected

__all__ = ["Correction", "Corrections", "Flip", "correct"]

_KEPT: Final = ("environment", "logHead", "ranAt", "ranBy")
_GOOD: Final = frozenset({Verdict.LOGGED, Verdict.WITNESSED, Verdict.DISPUTED})


@dataclass(frozen=True, slots=True)
class Correction:
    """One receipt scored another way.

    Attributes:
        subject: name of its system.
        row: its row on a leaderboard and the submitter's name; empty for a run of this site.
        index: of its log entry; None for a draft.
        path: of the draft of the correction, if one was left.
    """

    receipt: Receipt
    subject: str
    target: tuple[str, str]
    found: Corrected
    draft: Receipt
    row: tuple[str, str]
    index: int | None
    path: Path | None = None


class Flip(NamedTuple):
    """Two adjacent ranks of one dataset whose order the correction turned: (rank, name, before, after) of each."""

    target: str
    above: tuple[int, str, float, float]
    below: tuple[int, str, float, float]


@dataclass(frozen=True, slots=True)
class Corrections:
    """What a correction changes; `skipped`: receipts of the record that it does not concern, with reasons."""

    corrected: Sequence[Correction]
    skipped: Sequence[tuple[str, str]]

    @property
    def flips(self) -> Sequence[Flip]:
        """The adjacent ranks, by mean before the correction, whose order turned; equal means have none to turn.

        Of several runs of one row, its latest counts, as on a leaderboard.
        """
        latest: dict[tuple[str, str, tuple[str, str]], Correction] = {}
        for one in sorted(self.corrected, key=lambda one: (one.index is None, one.index or 0)):
            latest[(*one.row, one.target)] = one
        groups: dict[tuple[str, str], list[tuple[str, float, float]]] = defaultdict(list)
        for one in latest.values():
            before, after = one.found.scores
            if before is not None and after is not None:
                groups[one.target].append((one.subject, before, after))
        return [flip for (target, _), rows in groups.items() for flip in _flips(target, rows)]


def _flips(target: str, rows: Iterable[tuple[str, float, float]]) -> Iterator[Flip]:
    ranked = enumerate(sorted(rows, key=lambda row: (-row[1], row[0])), start=1)
    equal = [list(group) for _, group in groupby(ranked, key=lambda one: one[1][1])]
    for upper, lower in pairwise(equal):
        for (first, above), (second, below) in product(upper, lower):
            if above[2] < below[2]:
                yield Flip(target, (first, *above), (second, *below))


class _Wanted:
    """What every receipt of one command is scored by."""

    def __init__(
        self,
        workspace: Workspace,
        snapshot: Snapshot,
        fixture: str | None,
        version: str | None,
        *,
        supersede: bool,
    ) -> None:
        self._workspace = workspace
        self._snapshot = snapshot
        self._fixture = fixture
        self._version = version
        self._supersede = supersede
        self._logged = snapshot.log.receipts if snapshot.log is not None else {}

    @cached_property
    def corrected(self) -> bytes | None:
        """The bytes of the corrected dataset; None where labels stay."""
        if self._fixture is None:
            return None
        path = fixtures.named(self._workspace, self._fixture, "dataset")
        return read_bounded(path, LARGEST_FIXTURE)

    @cached_property
    def sha256(self) -> str:
        """Of the corrected dataset; empty where labels stay."""
        if self.corrected is None:
            return ""
        return canonical.digest(canonical.loads(self.corrected, max_bytes=LARGEST_FIXTURE))

    def of(self, receipt: Receipt) -> Correction:
        """Score one receipt; its draft is checked as any other before it is signed."""
        track = plugins.track(receipt.track)
        document = receipt.document
        track.check(document)
        part = track.corrections
        if part is None or "methodology" not in document:
            raise UsageError(
                f"receipt {receipt.receipt_id}: results of track {receipt.track} cannot be scored another way",
                hint="correct receipts of the retrieval track, of schema 1.0.0 or later",
            )
        if document["reproduces"] is not None:
            raise UsageError(
                f"receipt {receipt.receipt_id}: a reproduction",
                hint=f"correct the original: {document['reproduces']}",
            )
        target, data = track.target(document), None
        if self.corrected is not None:
            if self.sha256 == target.sha256:
                raise UsageError(
                    f"receipt {receipt.receipt_id}: scored by this very dataset",
                    hint="name the corrected dataset",
                )
            data = self._workspace.fixture_bytes(target.id), self.corrected
        rules = self._rules(receipt)
        if data is None and rules.sha256 == document["methodology"]["sha256"]:
            raise UsageError(
                f"receipt {receipt.receipt_id}: scored under this very version, {document['methodology']['version']}",
                hint="name another version: --methodology VERSION",
            )
        earlier = self._workspace.methodologies.of_digest(document["methodology"]["sha256"])
        found = part.rescored(document, data, rules, earlier)
        index = self._logged.get(receipt.receipt_id)
        links = {
            "derivedFrom": receipt.receipt_id,
            "supersedes": receipt.receipt_id if index is not None and self._supersede else None,
        }
        kept = {name: document[name] for name in _KEPT}
        draft = compose.finish(kept, receipt.track, rules, found.measurement, **links)
        _require_match(self._snapshot, draft)
        summary = track.summary(document, rules)
        subject = summary.subject
        name = f"{subject.name} ({subject.label})" if subject.label else subject.name
        ran_by = document["ranBy"]
        row = summary.row, ran_by["name"] if ran_by["kind"] == "submitted" else ""
        return Correction(receipt, name, (target.id, target.sha256 or ""), found, draft, row, index)

    def _rules(self, receipt: Receipt) -> Methodology:
        """The version to score under: the named one, or the receipt's own."""
        store, stated = self._workspace.methodologies, receipt.document["methodology"]
        if self._version is not None:
            return store.read(receipt.track, self._version)
        rules = store.read(receipt.track, stated["version"])
        if rules.sha256 != stated["sha256"]:
            raise UsageError(
                f"methodology {receipt.track} {stated['version']} here is not the receipt's",
                hint="restore the version, or name another one: --methodology VERSION",
            )
        return rules


def _require_match(snapshot: Snapshot, draft: Receipt) -> None:
    """Check that a derived draft re-scores, as any receipt does."""
    _, again = rescored(draft, snapshot.tracks, snapshot.materials, deep=False)
    if again.rescore is not Rescore.MATCHES or again.violations:
        broken = next(iter(again.violations), None)
        raise IntegrityError(
            f"the correction of {draft.document['derivedFrom']} does not re-score: "
            f"{broken.message if broken is not None else again.reason or again.rescore.value}",
            hint="re-run the system under the corrected dataset",
        )


def correct(
    workspace: Workspace,
    snapshot: Snapshot,
    names: Sequence[str],
    *,
    everything: bool = False,
    fixture: str | None = None,
    version: str | None = None,
    draft: bool = False,
    supersede: bool = False,
) -> Corrections:
    """Score receipts by a corrected dataset or under another methodology version.

    Args:
        workspace: has the datasets and the versions, and takes the drafts.
        snapshot: the record.
        names: receipts and drafts.
        everything: every valid receipt of the record that the correction concerns.
        fixture: path or id of the corrected dataset; None to keep labels.
        version: of the methodology; None for each receipt's own.
        draft: leave drafts.
        supersede: name published originals in the drafts' `supersedes`.

    Raises:
        UsageError, InputError: a named receipt cannot be corrected; nothing is written.
    """
    wanted = _Wanted(workspace, snapshot, fixture, version, supersede=supersede)
    named = {receipt.receipt_id: receipt for receipt in (receipt_named(snapshot, name) for name in names)}
    made, skipped = [wanted.of(receipt) for receipt in named.values()], []
    for header in snapshot.history() if everything else ():
        if header.verdict not in _GOOD or header.summary is None:
            skipped.append((header.receipt_id, header.verdict.value))
            continue
        try:
            made.append(wanted.of(receipt_named(snapshot, header.receipt_id)))
        except BenchsiteError as error:
            skipped.append((header.receipt_id, error.message))
    if draft:
        made = [replace(one, path=drafts.save(workspace, one.draft)) for one in made]
    return Corrections(made, skipped)
