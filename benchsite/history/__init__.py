"""The verified, ordered, immutable record: what pages are made from.

Only `verify_record` constructs a `History`. It has headers: a receipt is parsed, checked, summarised and dropped.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from benchsite import canonical
from benchsite.errors import TrackError
from benchsite.history.differences import differences
from benchsite.history.examine import examine, missing
from benchsite.history.links import Outcome, Reproduction, linked, sent_by
from benchsite.history.placing import logged_words, verdict_now
from benchsite.history.ranking import IMPORTED, reasons, standing, unranked
from benchsite.history.registration import Unreported, announcement, broken, declined, unreported
from benchsite.history.rescoring import UncheckedError, matching, rescored
from benchsite.history.sentences import DETAILS, RESCORE_SENTENCES, SENTENCES, TITLES, said
from benchsite.history.verdict import (
    NO_MATERIALS,
    Difference,
    Examination,
    Given,
    Headline,
    Materials,
    Rescore,
    Rescoring,
    Scorer,
    State,
    Step,
    Subject,
    Summary,
    Target,
    Verdict,
    Violation,
    violation,
)
from benchsite.log import Log, SupersedeEntry, Witnessing
from benchsite.receipt import Receipt

__all__ = [
    "DETAILS",
    "NO_MATERIALS",
    "RESCORE_SENTENCES",
    "SENTENCES",
    "TITLES",
    "Blob",
    "Difference",
    "Examination",
    "Filed",
    "Given",
    "Header",
    "Headline",
    "History",
    "LatestRow",
    "Materials",
    "Outcome",
    "Reproduction",
    "Rescore",
    "Rescoring",
    "Scorer",
    "Spread",
    "State",
    "Step",
    "Subject",
    "Summary",
    "Target",
    "UncheckedError",
    "Unreported",
    "Verdict",
    "Violation",
    "announcement",
    "broken",
    "differences",
    "examine",
    "logged_words",
    "matching",
    "missing",
    "rescored",
    "said",
    "standing",
    "unranked",
    "verdict_now",
    "verify_record",
    "violation",
]


@dataclass(frozen=True, slots=True)
class Blob:
    """A published file as git holds it."""

    path: str
    blob_id: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Filed:
    """A receipt as log and tree name it: `blob_id` is None where the file is gone, `index` where it is not logged."""

    path: str
    blob_id: str | None
    index: int | None


Spread = Callable[
    [Callable[[Any, Sequence[Filed]], list["Header"]], Any, Sequence[Filed]], "Iterable[Header]"
]
"""How work is mapped: (function of shared state and some units, shared state, all units) to results in order."""


@dataclass(frozen=True, slots=True)
class Header:
    """A receipt's identity, standing and headline; its body stays in git.

    `summary` is None where the file could not be trusted enough to quote a number from it. `unranked`
    gives every reason, in words, why a board lists the receipt separately.
    `remeasured_by` names the newest ranked receipt of the same measurement that replaces a suspect one.
    `reproduced_by` lists the later receipts that repeat this one; `reproduction` is how this one repeats the receipt
    it names in `reproduces`, None where it does not. `registered`: the log announced its run before it began.
    `derived_from` is the receipt whose rankings it scores another way.

    `standing` is its place on its leaderboard, in words, once boards are made, and `worth` the same in short. `head` is the size of the log that the receipt names in `logHead`; `evidence` what it pins: digest, size, and whether
    it is kept outside git.
    """

    receipt_id: str
    track: str
    path: str
    blob_id: str
    sha256: str
    size: int
    index: int | None
    verdict: Verdict
    rescore: Rescore
    steps: tuple[Step, ...]
    summary: Summary | None = None
    methodology: str = ""
    methodology_sha256: str = ""
    head: int | None = None
    evidence: tuple[tuple[str, int, bool], ...] = ()
    ran_at: str = ""
    ran_by: str = ""
    signer: str = ""
    supersedes: str | None = None
    superseded_by: str | None = None
    remeasured_by: str | None = None
    derived_from: str | None = None
    reproduces: str | None = None
    reproduction: Outcome | None = None
    reproduced_by: tuple[Reproduction, ...] = ()
    scores_sha256: str = ""
    subject_sha256: str = ""
    intent_id: str | None = None
    registered: bool = False
    standing: str = ""
    worth: str = ""
    unranked: tuple[str, ...] = ()

    @property
    def quotable(self) -> bool:
        """Whether a page may show its numbers."""
        return self.summary is not None

    @property
    def ranked(self) -> bool:
        """Whether a board may rank it."""
        return not self.unranked

    @property
    def imported(self) -> bool:
        """Whether nothing but its origin, an import, keeps it from being ranked: a board may rank it among its kind."""
        return self.unranked == (IMPORTED,)

    @property
    def sent_by(self) -> str:
        """Who sent it to the inbox, where nobody of this site ran it; empty otherwise."""
        return sent_by(self.ran_by)


@dataclass(frozen=True, slots=True)
class LatestRow:
    """One line of a board: the newest receipt of a subject, version, configuration and sender, and how many runs."""

    header: Header
    runs: int


class History:
    """Headers in log order and the log they were verified against; made by `verify_record` alone."""

    __slots__ = ("_by_id", "declined", "headers", "log", "unreported", "witnessing")

    def __init__(
        self,
        token: object,
        headers: tuple[Header, ...],
        log: Log | None,
        witnessing: Witnessing | None = None,
    ) -> None:
        if token is not _TOKEN:
            raise TypeError("a History is constructed by verification only: call verify_record")
        self.headers: Final = headers
        self.log: Final = log
        self.witnessing: Final = witnessing
        self._by_id: Final = {header.receipt_id: header for header in headers}
        self.unreported: Final = _never_reported(headers, log, witnessing)
        self.declined: Final = declined(log)

    def __len__(self) -> int:
        return len(self.headers)

    def __iter__(self) -> Iterator[Header]:
        return iter(self.headers)

    def get(self, receipt_id: str) -> Header | None:
        """The header of a receipt, if the repository holds it."""
        return self._by_id.get(receipt_id)

    def of(self, track: str) -> tuple[Header, ...]:
        """The headers of one track, in log order."""
        return tuple(header for header in self.headers if header.track == track)

    def unchecked(self, tracks: Container[str]) -> Counter[tuple[str, str]]:
        """How many receipts of these tracks have numbers that could not be checked, by track and reason."""
        return Counter(
            (header.track, step.detail)
            for header in self.headers
            if header.verdict is Verdict.UNSUPPORTED and header.track in tracks
            for step in header.steps
            if step.state == "not checked" and step.name == "schema"
        )

    def rows(self, headers: Iterable[Header], *, imported: bool = False) -> tuple[LatestRow, ...]:
        """The latest ranked receipt by log index, never the best, of each board row, with its run count.

        With `imported`, the same of those receipts that only their origin, an import, keeps from being ranked.

        What somebody sent has a row of its own, one a sender: it never stands for a run of this site's, nor is it
        counted with those.
        """
        latest: dict[tuple[str, str], Header] = {}
        runs: dict[tuple[str, str], int] = defaultdict(int)
        for header in headers:
            if header.summary is not None and (header.imported if imported else header.ranked):
                line = header.summary.row, header.sent_by
                latest[line] = header
                runs[line] += 1
        return tuple(LatestRow(header, runs[row]) for row, header in latest.items())


_TOKEN: Final = object()


def verify_record(
    log: Log | None,
    files: Sequence[Filed],
    scorers: Mapping[str, Scorer],
    blobs: Callable[[Sequence[str]], Iterable[bytes]],
    materials: Materials = NO_MATERIALS,
    spread: Spread | None = None,
    witnessing: Witnessing | None = None,
) -> History:
    """Verify every published receipt and keep its header.

    Args:
        log: the opened log, its checkpoint already verified; None before it was begun.
        files: one per receipt entry of the log, in log order, then the published files no entry names.
        scorers: track name to track.
        blobs: blob ids to the bytes of each.
        materials: the methodologies and the evidence that are at hand.
        spread: maps the work over several processes; in this one by default.
        witnessing: what trusted witnesses have seen of the log.
    """
    shared = (log, witnessing, scorers, blobs, materials)
    headers = list(spread(verify_some, shared, files) if spread is not None else verify_some(shared, files))
    return History(_TOKEN, linked(headers), log, witnessing)


def verify_some(shared: Any, files: Sequence[Filed]) -> list[Header]:
    """The headers of some files: the unit of work that `spread` maps; `shared` is made by `verify_record`."""
    log, witnessing, scorers, blobs, materials = shared
    contents = iter(blobs([item.blob_id for item in files if item.blob_id is not None]))
    headers = []
    for item in files:
        if item.blob_id is None:
            headers.append(_lost(item.path, missing(item.path, item.index or 0)))
        else:
            blob = Blob(item.path, item.blob_id, next(contents))
            headers.append(_header(blob, log, witnessing, scorers, materials))
    return headers


def _header(
    blob: Blob,
    log: Log | None,
    witnessing: Witnessing | None,
    scorers: Mapping[str, Scorer],
    materials: Materials,
) -> Header:
    seen = examine(
        blob.data, log=log, scorers=scorers, materials=materials, witnessing=witnessing, path=blob.path
    )
    receipt = seen.receipt
    if receipt is None or seen.verdict in (Verdict.INVALID, Verdict.UNSUPPORTED):
        return _lost(blob.path, seen, blob)
    try:
        return _quoted(seen, receipt, blob, log, scorers[receipt.track], materials)
    except TrackError as error:
        step = Step("schema", "not checked", said("unscored", why=error.message), "track", error.hint)
        return _lost(blob.path, replace(seen, verdict=Verdict.UNSUPPORTED, steps=(*seen.steps, step)), blob)


def _quoted(
    seen: Examination, receipt: Receipt, blob: Blob, log: Log | None, scorer: Scorer, materials: Materials
) -> Header:
    """The header of a receipt whose numbers may be quoted."""
    document = receipt.document
    pinned, head = document.get("methodology"), document.get("logHead")
    summary = scorer.summary(document, materials.methodology(pinned["sha256"]) if pinned else None)
    ran_by = document.get("ranBy")
    intent_id = document.get("intentId")
    departed = broken(document, log, scorer) if log is not None else None
    events = log.events_about(receipt.receipt_id) if log is not None else ()
    superseded = next((event.by for _, event in events if isinstance(event, SupersedeEntry)), None)
    return Header(
        receipt_id=receipt.receipt_id,
        track=receipt.track,
        path=blob.path,
        blob_id=blob.blob_id,
        sha256=canonical.sha256_hex(blob.data),
        size=len(blob.data),
        index=seen.index,
        verdict=seen.verdict,
        rescore=seen.rescore,
        steps=seen.steps,
        summary=summary,
        methodology=document["methodology"]["version"] if "methodology" in document else receipt.schema,
        methodology_sha256=pinned["sha256"] if pinned else "",
        head=head["size"] if head is not None else None,
        evidence=tuple(
            (item["sha256"], item["size"], item.get("mirrored", False))
            for item in document.get("evidence") or ()
        ),
        ran_at=document["ranAt"],
        ran_by=f"{ran_by['kind']} {ran_by['name']}" if ran_by else "",
        signer=receipt.fingerprint,
        supersedes=document.get("supersedes"),
        superseded_by=superseded,
        derived_from=document.get("derivedFrom"),
        reproduces=document.get("reproduces"),
        scores_sha256=canonical.digest(document["scores"]),
        subject_sha256=document.get("config", {}).get("subjectSha256") or "",
        intent_id=intent_id,
        registered=intent_id is not None and log is not None and departed is None,
        unranked=(
            *reasons(seen, document, summary, scorer.limited),
            *([departed.detail] if departed is not None else []),
        ),
    )


def _lost(path: str, seen: Examination, blob: Blob | None = None) -> Header:
    """A header that quotes nothing from a file that cannot be trusted."""
    name = path.rsplit("/", 1)[-1].removesuffix(".json")
    failed = seen.failed
    return Header(
        receipt_id=name,
        track=seen.receipt.track if seen.receipt is not None else "",
        path=path,
        blob_id=blob.blob_id if blob is not None else "",
        sha256=canonical.sha256_hex(blob.data) if blob is not None else "",
        size=len(blob.data) if blob is not None else 0,
        index=seen.index,
        verdict=seen.verdict,
        rescore=seen.rescore,
        steps=seen.steps,
        unranked=(failed.detail if failed is not None else SENTENCES[seen.verdict],),
    )


def _never_reported(
    headers: Iterable[Header], log: Log | None, witnessing: Witnessing | None
) -> tuple[Unreported, ...]:
    """Runs without a receipt; a subject is named as our newest receipt of the same source names it."""
    if log is None or not log.intents:
        return ()
    reported = {header.intent_id for header in headers if header.registered and header.intent_id is not None}
    subjects = {
        header.subject_sha256: header.summary.subject.name
        for header in headers
        if header.summary is not None and header.subject_sha256 and not header.sent_by
    }
    seen = max((one.time for one in witnessing.sightings), default=None) if witnessing is not None else None
    return tuple(unreported(log, reported, subjects, seen))
