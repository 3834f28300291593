"""The writing part of the track: filled-in sheets and the files beside them in, the rubric part of a receipt out.

Nothing is started and nobody is asked: people scored before. What sheets may say is `sheet`'s and `join`'s business,
what files they may name is `source`'s, and the arithmetic is `metrics`'.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchsite.methodology import Methodology
from benchsite.track import Evidence, Measurement, Plan, Resolved, RunContext, Work
from benchsite.tracks.rubric import body, join, metrics, sheet, verification
from benchsite.tracks.rubric.engines import rules
from benchsite.tracks.rubric.source import Exhibits, SheetFile
from benchsite.tracks.rubric.violations import unexplained

_NO_CONFLICT: Final = re.compile(
    r"\W*(none|no|nothing|n/?a)(\s+(known|conflicts?|of|interest|at|all))*\W*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Scored:
    """The sheets of one receipt, scored."""

    sheets: Sequence[join.Filled]
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


def _score(files: Sequence[SheetFile], methodology: Methodology, now: str) -> _Scored:
    documents = [sheet.load(item.data, where=str(item.path)) for item in files]
    join.require_agreement(documents)
    held = [
        join.hold(item.data, document, methodology) for item, document in zip(files, documents, strict=True)
    ]
    exhibits = Exhibits()
    ordered, made = join.joined(held, methodology, exhibits.pin, now)
    payload = {key: made[key] for key in body.KEYS} | metrics.score(made, rules(methodology)).sections()
    return _Scored(ordered, made["config"], payload, exhibits.evidence)


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
    """What the maintainer should know before publishing."""
    payload = scored.payload
    for evaluator in payload["evaluators"]:
        if not _NO_CONFLICT.fullmatch(evaluator["conflictOfInterest"]):
            yield f"{evaluator['name']} states a conflict of interest, shown on the page"
    if len(payload["evaluators"]) == 1:
        yield "one evaluator: agreement between evaluators is not measured"
    yield from _agreement(payload)
    yield from _dates(scored.sheets)
    bare = sum(1 for _ in unexplained(payload))
    if bare:
        yield f"{bare} score{' has' if bare == 1 else 's have'} no note"


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
    said = ", ".join(figures) or "not defined, all scores are equal"
    yield f"{agreement['kind']} agreement of {agreement['raters']} {who} over {agreement['units']} scores: {said}"


def _dates(sheets: Sequence[join.Filled]) -> Iterator[str]:
    """Sheets of one session with different dates."""
    first: dict[int, join.Filled] = {}
    for item in sheets:
        session = item.sheet.session
        earlier = first.setdefault(session.n, item)
        if earlier.sheet.session.date != session.date:
            yield (
                f"session {session.n} is dated {earlier.sheet.session.date} in {earlier.document.where} "
                f"and {session.date} in {item.document.where}"
            )
