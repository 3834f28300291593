"""What a version of the methodology requires and a receipt lacks: specs/rubric.md, "Versions".

The rules of the track, of sheets as of receipts: a sheet is read by making the body of a receipt of it (`join`). Expects
a document whose structure was checked before. A finding names the first place at fault; of a receipt there is at most
one of a kind for each dimension, scenario, test or session, so that reporting is bounded too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from benchsite import canonical
from benchsite.history import Violation, violation
from benchsite.receipt import Document
from benchsite.tracks.rubric import consistency
from benchsite.tracks.rubric.consistency import listed
from benchsite.tracks.rubric.engines import Rules
from benchsite.tracks.rubric.normalization import normalized
from benchsite.tracks.rubric.sentences import MESSAGES, TERMS
from benchsite.unseen import is_blank

OF_ALL_SHEETS: Final = frozenset(
    {
        *("pass-missing", "session-missing", "too-few-sessions", "too-few-sheets"),
        *("repeatability-unfounded", "sessions-alike", "evidence-unknown"),
    }
)
"""Findings that need all sheets of a receipt with their files: it does not apply to one sheet."""

_DISCLOSURES: Final = ("repeatabilityTested", "multiStep")

_broken: Final = partial(violation, MESSAGES)


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
            yield _broken("note-missing", field, name=name, what=what)
        yield from _bare(document, name)
    yield from _unfounded(document)


def _evaluators(document: Document) -> Iterator[Violation]:
    used = {sheet["evaluator"] for sheet in document["sheets"]}
    seen: dict[str, str] = {}
    for place, evaluator in enumerate(document["evaluators"]):
        name = evaluator["name"]
        if place not in used:
            yield _broken("evaluator-without-sheet", f"evaluators[{place}]", name=name)
        earlier = seen.get(normalized(name))
        if earlier is not None:
            message = "evaluator-twice" if earlier == name else "evaluator-twice/similar"
            yield _broken(message, f"evaluators[{place}]", name=name, earlier=earlier)
        seen.setdefault(normalized(name), name)


def _kinds(document: Document) -> Iterator[Violation]:
    """A model evaluator is described, a human is not, and a probe accepts at most what was planted."""
    for place, evaluator in enumerate(document["evaluators"]):
        field, name, model = f"evaluators[{place}].model", evaluator["name"], evaluator["model"]
        if evaluator["kind"] == "model" and model is None:
            yield _broken("model-missing", field, name=name)
        if evaluator["kind"] == "human" and model is not None:
            yield _broken("model-unknown", field, name=name)
        probe = model["falsePositiveProbe"] if model is not None else None
        if probe is not None and probe["accepted"] > probe["planted"]:
            counts = {"accepted": probe["accepted"], "planted": probe["planted"]}
            yield _broken("probe-impossible", f"{field}.falsePositiveProbe.accepted", name=name, **counts)


def _order(document: Document) -> Iterator[Violation]:
    names = [evaluator["name"] for evaluator in document["evaluators"]]
    keys = [(sheet["session"], names[sheet["evaluator"]], sheet["pass"]) for sheet in document["sheets"]]
    if keys != sorted(keys):
        yield _broken("sheets-unordered", "sheets")
    for key, times in Counter(keys).items():
        if times > 1:
            session, name, number = key
            field = f"sheets[{keys.index(key, keys.index(key) + 1)}].pass"
            yield _broken("sheet-twice", field, name=name, times=times, number=number, session=session)


def _sessions(sheets: Sequence[Mapping[str, Any]], rules: Rules, name: str) -> Iterator[Violation]:
    held = [sheet["session"] for sheet in sheets]
    counted = Counter(held)
    numbers = sorted(counted)
    gap = next((number for place, number in enumerate(numbers, start=1) if number != place), None)
    if gap is not None:
        yield _broken("session-missing", f"sheets[{held.index(gap)}].session", numbers=listed(numbers))
    if len(numbers) < rules.sessions:
        field = f"sheets[{len(held) - 1}].session"
        yield _broken("too-few-sessions", field, name=name, required=rules.sessions, count=len(numbers))
    few = [number for number in numbers if counted[number] < rules.sheets]
    if few:
        field = f"sheets[{held.index(few[0])}].session"
        yield _broken("too-few-sheets", field, name=name, required=rules.sheets, sessions=listed(few))


def _tests(tests: Mapping[str, Any] | None, rules: Rules, name: str) -> Iterator[Violation]:
    if tests is None and rules.required_tests:
        yield _broken("tests-missing", "requiredTests", name=name)
    if tests is not None and not rules.required_tests:
        yield _broken("tests-unknown", "requiredTests", name=name)


def _disclosures(disclosures: Mapping[str, Any], rules: Rules, name: str) -> Iterator[Violation]:
    for field in _DISCLOSURES:
        if rules.disclosures and disclosures[field] is None:
            yield _broken("disclosure-missing", f"disclosures.{field}", name=name, what=TERMS[field])
        if not rules.disclosures and disclosures[field] is not None:
            yield _broken("disclosure-unknown", f"disclosures.{field}", name=name, what=TERMS[field])


def _repeatability(document: Document, name: str) -> Iterator[Violation]:
    """The statement on repeatability agrees with the number of sessions in the receipt."""
    stated = document["disclosures"]["repeatabilityTested"]
    sessions = len({sheet["session"] for sheet in document["sheets"]})
    if stated is not None and stated is not (sessions > 1):
        message = "repeatability-unfounded" if stated else "repeatability-unfounded/denied"
        yield _broken(message, "disclosures.repeatabilityTested", name=name, sessions=sessions)


def _averaged(document: Document, name: str) -> Iterator[Violation]:
    for scenario, field, rating in _rated(document, "domain"):
        if len(rating["questions"]) > 1:
            yield _broken("averaging-unknown", f"{field}.questions", scenario=scenario, name=name)


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
            yield _broken("evidence-missing", f"{field}.evidence", name=name, what=what)


def _unfounded(document: Document) -> Iterator[Violation]:
    """Evidence that is neither a document the receipt pins nor an excerpt with its own sha256."""
    known = {item["sha256"] for item in document["evidence"]}
    for what, field, rating in _rated(document, "universal", "domain", "requiredTests"):
        for place, item in enumerate(rating["evidence"]):
            if item["sha256"] not in known and not _own_words(item):
                yield _broken("evidence-unknown", f"{field}.evidence[{place}]", what=what)


def _own_words(item: Mapping[str, Any]) -> bool:
    excerpt = item["excerpt"]
    return excerpt is not None and canonical.sha256_hex(excerpt.encode()) == item["sha256"]


def _rated(document: Document, *parts: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """(dimension, scenario or test; field; what a sheet says of it), by name, then by sheet."""
    for part in parts:
        for name, ratings in sorted((document[part] or {}).items()):
            for place, rating in enumerate(ratings):
                yield name, f"{part}.{name}[{place}]", rating
