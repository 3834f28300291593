"""What a version of the methodology requires and a receipt lacks: specs/rubric.md, "Versions".

The rules of the track, of sheets as of receipts: a sheet is read by making the body of a receipt of it (`join`). Expects
a document whose structure was checked before. A finding names the first place at fault; of a receipt there is at most
one of a kind for each dimension, scenario, test or session, so that reporting is bounded too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite import canonical
from benchsite.history import Violation
from benchsite.receipt import Document
from benchsite.tracks.rubric import consistency
from benchsite.tracks.rubric.consistency import listed
from benchsite.tracks.rubric.engines import Rules
from benchsite.tracks.rubric.normalization import normalized
from benchsite.tracks.rubric.payload import TESTS
from benchsite.unseen import is_blank

OF_ALL_SHEETS: Final = frozenset(
    {
        *("pass-missing", "session-missing", "too-few-sessions", "too-few-sheets"),
        *("repeatability-unfounded", "sessions-alike", "evidence-unknown"),
    }
)
"""Findings that need all sheets of a receipt with their files: it does not apply to one sheet."""

_DISCLOSURES: Final = {
    "repeatabilityTested": "whether repeatability was tested",
    "multiStep": "whether U3 was tried in a single message or over several turns",
}


def violations(document: Document, rules: Rules, *, every: bool = False) -> Iterator[Violation]:
    """Everything that the receipt's own version refuses, in the order of the receipt's parts.

    Args:
        document: a receipt, or what one or more sheets would make.
        rules: those of its version.
        every: whether every place at fault is named, and not only the first of a dimension, scenario or test.
    """
    said: set[tuple[str, str]] = set()
    for found in _all(document, rules, f"rubric {document['methodology']['version']}"):
        part, _, place = found.field.partition("[")
        kind = found.code, part if part.count(".") else f"{part}[{place}"
        if every or kind not in said:
            said.add(kind)
            yield found


def _all(document: Document, rules: Rules, name: str) -> Iterator[Violation]:
    yield from _evaluators(document)
    yield from _kinds(document)
    yield from _order(document)
    yield from _sessions(document["sheets"], rules, name)
    yield from consistency.violations(document, rules, name)
    yield from _tests(document["requiredTests"], rules, name)
    yield from _disclosures(document["disclosures"], rules, name)
    if rules.repeatability_shown:
        yield from _repeatability(document, name)
    if not rules.averaging:
        yield from _averaged(document, name)
    if rules.evidence:
        for what, field in unexplained(document):
            missing = f"{name} requires a note for every score, and one for {what} is missing."
            yield Violation("note-missing", missing, field)
        yield from _bare(document, name)
    yield from _unfounded(document)


def _evaluators(document: Document) -> Iterator[Violation]:
    used = {sheet["evaluator"] for sheet in document["sheets"]}
    seen: dict[str, str] = {}
    for place, evaluator in enumerate(document["evaluators"]):
        name = evaluator["name"]
        if place not in used:
            yield Violation(
                "evaluator-without-sheet",
                f"{name} is listed as an evaluator and has no sheet.",
                f"evaluators[{place}]",
            )
        earlier = seen.get(normalized(name))
        if earlier is not None:
            listed = "is listed twice" if earlier == name else f"is too similar to {earlier}, also listed"
            yield Violation(
                "evaluator-twice",
                f"{name} {listed}: passes of one evaluator would count as agreement of two.",
                f"evaluators[{place}]",
            )
        seen.setdefault(normalized(name), name)


def _kinds(document: Document) -> Iterator[Violation]:
    """A model evaluator is described, a human is not, and a probe accepts at most what was planted."""
    for place, evaluator in enumerate(document["evaluators"]):
        field, name, model = f"evaluators[{place}].model", evaluator["name"], evaluator["model"]
        if evaluator["kind"] == "model" and model is None:
            yield Violation(
                "model-missing",
                f"{name} is a model evaluator, and its model is not described: the model's name and what it could see "
                "are required. The SHA-256 of its prompt may be null.",
                field,
            )
        if evaluator["kind"] == "human" and model is not None:
            yield Violation(
                "model-unknown", f"{name} is a human evaluator, and a model is described for them.", field
            )
        probe = model["falsePositiveProbe"] if model is not None else None
        if probe is not None and probe["accepted"] > probe["planted"]:
            yield Violation(
                "probe-impossible",
                f"The false-positive probe of {name} accepted {probe['accepted']} of {probe['planted']} planted wrong "
                "answers: at most all of them can be accepted.",
                f"{field}.falsePositiveProbe.accepted",
            )


def _order(document: Document) -> Iterator[Violation]:
    names = [evaluator["name"] for evaluator in document["evaluators"]]
    keys = [(sheet["session"], names[sheet["evaluator"]], sheet["pass"]) for sheet in document["sheets"]]
    if keys != sorted(keys):
        yield Violation(
            "sheets-unordered",
            "The sheets are not ordered by session, evaluator's name and pass.",
            "sheets",
        )
    for key, times in Counter(keys).items():
        if times > 1:
            session, name, number = key
            yield Violation(
                "sheet-twice",
                f"{name} has {times} sheets for pass {number} over session {session}: each pass has one sheet.",
                f"sheets[{keys.index(key, keys.index(key) + 1)}].pass",
            )


def _sessions(sheets: Sequence[Mapping[str, Any]], rules: Rules, name: str) -> Iterator[Violation]:
    held = [sheet["session"] for sheet in sheets]
    counted = Counter(held)
    numbers = sorted(counted)
    gap = next((number for place, number in enumerate(numbers, start=1) if number != place), None)
    if gap is not None:
        yield Violation(
            "session-missing",
            f"The sessions are numbered {listed(numbers)}: they must run from 1 without a gap, so that no session is "
            "omitted.",
            f"sheets[{held.index(gap)}].session",
        )
    if len(numbers) < rules.sessions:
        yield Violation(
            "too-few-sessions",
            f"{name} requires {rules.sessions} sessions or more, and this receipt has {len(numbers)}.",
            f"sheets[{len(held) - 1}].session",
        )
    few = [number for number in numbers if counted[number] < rules.sheets]
    if few:
        yield Violation(
            "too-few-sheets",
            f"{name} requires {rules.sheets} sheets or more per session, from several evaluators or passes; session "
            f"{listed(few)} has fewer.",
            f"sheets[{held.index(few[0])}].session",
        )


def _tests(tests: Mapping[str, Any] | None, rules: Rules, name: str) -> Iterator[Violation]:
    if tests is None and rules.required_tests:
        yield Violation(
            "tests-missing",
            f"{name} requires {len(TESTS)} tests in every session (the standardized task, the hallucination stress "
            "test and the invalid input), and this receipt records none.",
            "requiredTests",
        )
    if tests is not None and not rules.required_tests:
        yield Violation(
            "tests-unknown",
            f"{name} has no required tests, and this receipt records some.",
            "requiredTests",
        )


def _disclosures(disclosures: Mapping[str, Any], rules: Rules, name: str) -> Iterator[Violation]:
    for field, what in _DISCLOSURES.items():
        if rules.disclosures and disclosures[field] is None:
            yield Violation(
                "disclosure-missing",
                f"{name} requires every evaluation to state {what}, and this receipt does not.",
                f"disclosures.{field}",
            )
        if not rules.disclosures and disclosures[field] is not None:
            yield Violation(
                "disclosure-unknown",
                f"{name} does not ask {what}, and this receipt states it.",
                f"disclosures.{field}",
            )


def _repeatability(document: Document, name: str) -> Iterator[Violation]:
    """The statement on repeatability agrees with the number of sessions in the receipt."""
    stated = document["disclosures"]["repeatabilityTested"]
    sessions = len({sheet["session"] for sheet in document["sheets"]})
    if stated is not None and stated is not (sessions > 1):
        yield Violation(
            "repeatability-unfounded",
            f"The receipt states that repeatability was {'' if stated else 'not '}tested, and has {sessions} "
            f"session{'' if sessions == 1 else 's'}. Under {name}, a test of repeatability has two sessions or more.",
            "disclosures.repeatabilityTested",
        )


def _averaged(document: Document, name: str) -> Iterator[Violation]:
    for scenario, field, rating in _rated(document, "domain"):
        if len(rating["questions"]) > 1:
            yield Violation(
                "averaging-unknown",
                f"{scenario} averages several questions; under {name} a scenario is one question.",
                f"{field}.questions",
            )


def unexplained(document: Document) -> Iterator[tuple[str, str]]:
    """Scores without a note: dimension or scenario, and the field of the note."""
    for what, field, rating in _rated(document, "universal", "domain"):
        for scored, given in _scored(rating, field):
            if is_blank(given["note"]):
                yield what, f"{scored}.note"


def _scored(rating: Mapping[str, Any], field: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Whatever of a dimension or a scenario holds a score and a note, with its place."""
    if "score" in rating:
        yield field, rating
    for number, question in enumerate(rating.get("questions", ())):
        for criterion, given in question["criteria"].items():
            yield f"{field}.questions[{number}].criteria.{criterion}", given


def _bare(document: Document, name: str) -> Iterator[Violation]:
    for what, field, rating in _rated(document, "universal", "domain"):
        if not rating["evidence"]:
            yield Violation(
                "evidence-missing",
                f"{name} requires evidence for every score, and a sheet has none for {what}.",
                f"{field}.evidence",
            )


def _unfounded(document: Document) -> Iterator[Violation]:
    """Evidence that is neither a document the receipt pins nor an excerpt with its own sha256."""
    known = {item["sha256"] for item in document["evidence"]}
    for what, field, rating in _rated(document, "universal", "domain", "requiredTests"):
        for place, item in enumerate(rating["evidence"]):
            if item["sha256"] not in known and not _own_words(item):
                yield Violation(
                    "evidence-unknown",
                    f"Evidence for {what} is neither a document that this receipt pins nor an excerpt that matches its "
                    "own sha256.",
                    f"{field}.evidence[{place}]",
                )


def _own_words(item: Mapping[str, Any]) -> bool:
    excerpt = item["excerpt"]
    return excerpt is not None and canonical.sha256_hex(excerpt.encode()) == item["sha256"]


def _rated(document: Document, *parts: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """(dimension, scenario or test; field; what a sheet says of it), by name, then by sheet."""
    for part in parts:
        for name, ratings in sorted((document[part] or {}).items()):
            for place, rating in enumerate(ratings):
                yield name, f"{part}.{name}[{place}]", rating
