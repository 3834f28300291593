"""The writing face of the track: filled-in sheets and the files beside them in, the rubric part of a receipt out.

Nothing is started and nobody is asked: people scored before. What sheets may say is `sheet`'s and `join`'s business,
what files they may name is `source`'s, and the arithmetic is `metrics`'. Refuses a session of a day that has not begun
yet, which needs a clock and is therefore asked here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.methodology import Methodology
from benchsite.track import Evidence, Measurement, Plan, Resolved, RunContext, Work
from benchsite.tracks.rubric import join, sheet, verification
from benchsite.tracks.rubric.conduct import has_begun
from benchsite.tracks.rubric.source import Exhibits, SheetFile
from benchsite.unseen import is_blank

_NO_CONFLICT: Final = re.compile(
    r"\W*(none|no|nothing|n/?a)(\s+(known|conflicts?|of|interest|at|all))*\W*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Scored:
    """What the sheets of one receipt come to."""

    sheets: Sequence[sheet.Filled]
    config: dict[str, Any]
    payload: dict[str, Any]
    evidence: tuple[Evidence, ...]


def plan(work: Work, resolved: Resolved, context: RunContext) -> Plan:
    """What `run` would record; everything is read and scored, and nothing kept."""
    scored = _score(work.request["sheets"], resolved.rules, context.now())
    document = {
        "methodology": resolved.rules.reference,
        "config": scored.config,
        **scored.payload,
    }
    summary = verification.summary(document, resolved.rules)
    return Plan(
        identity=summary.identity,
        subject=(summary.subject.name, summary.subject.version),
        config=scored.config,
        target=(summary.target, summary.target_sha256),
        cost=_cost(scored, resolved.rules),
    )


def run(work: Work, resolved: Resolved, context: RunContext) -> Measurement:
    """Score the sheets.

    Raises:
        InputError: a sheet breaks a rule of its version or is of a day to come, two do not agree, or a file of
            evidence may not be named.
    """
    files: Sequence[SheetFile] = work.request["sheets"]
    context.progress(0, len(files), "reading sheets")
    scored = _score(files, resolved.rules, context.now())
    context.progress(len(files), len(files), "scored")
    return Measurement(scored.config, scored.payload, tuple(_notes(scored)), scored.evidence)


def _score(files: Sequence[SheetFile], rules: Methodology, now: str) -> _Scored:
    documents = [sheet.load(item.data, where=str(item.path)) for item in files]
    join.require_agreement(documents)
    held = [sheet.hold(item.data, document, rules) for item, document in zip(files, documents, strict=True)]
    _require_begun(held, now)
    ordered = join.in_order(held)
    slug = ordered[0].sheet.template
    template = rules.data.instrument.template(slug) if rules.data.instrument is not None else None
    if template is None:
        raise InputError(
            f"rubric {rules.data.version} has no template {slug}",
            hint="`benchsite methodology new-sheet` writes a sheet of a template that it has",
        )
    exhibits = Exhibits()
    payload = join.payload(ordered, template, exhibits.pin)
    config = {"sheets": [canonical.sha256_hex(item.data) for item in ordered], "subjectSha256": None}
    return _Scored(ordered, config, payload, exhibits.evidence)


def _require_begun(sheets: Sequence[sheet.Filled], now: str) -> None:
    """What is scored has happened: a day counts as begun once it has begun somewhere on Earth."""
    for item in sheets:
        day = item.sheet.session.date
        if not has_begun(day, now):
            raise item.error(
                ("session", "date"),
                f"{day} has not begun anywhere on Earth yet: in UTC it is {now}",
                hint="write the day on which the session was held, or set this machine's clock right",
            )


def _cost(scored: _Scored, rules: Methodology) -> str:
    """What would be recorded, in words."""
    scores, sheets = scored.payload["scores"], scored.payload["sheets"]
    counts = (
        (len(sheets), "sheet"),
        (len({item["session"] for item in sheets}), "session"),
        (len(scored.payload["evaluators"]), "evaluator"),
        (len(scored.evidence), "evidence file"),
    )
    held = ", ".join(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counts)
    return f"composite {scores['composite_score']:.2f} under rubric {rules.data.version}, from {held}"


def _notes(scored: _Scored) -> Iterator[str]:
    """What whoever publishes this should know first."""
    payload = scored.payload
    for evaluator in payload["evaluators"]:
        if not _NO_CONFLICT.fullmatch(evaluator["conflictOfInterest"]):
            yield f"{evaluator['name']} states a conflict of interest, which the page shows word for word"
    if len(payload["evaluators"]) == 1:
        yield "one evaluator scored: nobody else's judgement stands beside it, and the page says so"
    yield from _agreement(payload)
    yield from _dates(scored.sheets)
    bare = sum(_without_note(item) for item in scored.sheets)
    if bare:
        yield f"{bare} score{' has' if bare == 1 else 's have'} no note: a reader cannot see why"


def _agreement(payload: dict[str, Any]) -> Iterator[str]:
    agreement = payload["agreement"]
    if agreement is None:
        return
    scores = payload["scores"]
    figures = [
        f"{label} {scores[name]:.2f}"
        for name, label in (
            ("krippendorff_alpha", "Krippendorff's alpha"),
            ("weighted_kappa", "weighted kappa"),
        )
        if name in scores
    ]
    who = "evaluators" if agreement["kind"] == "inter-rater" else "passes of one evaluator"
    said = ", ".join(figures) or "not defined, since every score is the same"
    yield f"{agreement['kind']} agreement of {agreement['raters']} {who} over {agreement['units']} scores: {said}"


def _dates(sheets: Sequence[sheet.Filled]) -> Iterator[str]:
    """Sheets of one session that give it different days."""
    first: dict[int, sheet.Filled] = {}
    for item in sheets:
        session = item.sheet.session
        earlier = first.setdefault(session.n, item)
        if earlier.sheet.session.date != session.date:
            yield (
                f"session {session.n} is dated {earlier.sheet.session.date} in {earlier.document.where} "
                f"and {session.date} in {item.document.where}"
            )


def _without_note(item: sheet.Filled) -> int:
    """How many scores of a sheet stand there without a word."""
    universal = item.sheet.universal
    ratings = (universal.u1, universal.u2, universal.u3, universal.u4, universal.u5, universal.u6)
    domain = item.sheet.domain
    criteria = [
        given
        for scenario in (domain.d1, domain.d2, domain.d3, domain.d4, domain.d5)
        for _, held in scenario.questions
        for given in held.values()
    ]
    return sum(is_blank(rating.note) for rating in ratings) + sum(is_blank(given.note) for given in criteria)
