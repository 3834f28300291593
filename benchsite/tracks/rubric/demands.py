"""What a version of the methodology demands and a receipt lacks, in plain words: specs/rubric.md, "Versions".

Expects a document whose structure was checked before. Every finding is a ``Violation``; there is at most one of a kind
for each dimension, scenario, test or session, however many sheets break it, so that reporting is bounded too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite import canonical
from benchsite.history import Violation
from benchsite.receipt import Document
from benchsite.tracks.rubric import conduct
from benchsite.tracks.rubric.likeness import alike
from benchsite.tracks.rubric.payload import TESTS
from benchsite.tracks.rubric.rules import RULES, Rules
from benchsite.unseen import is_blank

_DISCLOSURES: Final = {
    "repeatabilityTested": "whether repeatability was tested",
    "multiStep": "whether U3 was tried in a single message or over several turns",
}


def violations(document: Document) -> Iterator[Violation]:
    """Everything that the receipt's own version would have refused, in the order of the receipt's parts."""
    version = document["methodology"]["version"]
    rules, name = RULES[version], f"rubric {version}"
    yield from _evaluators(document)
    yield from _order(document)
    yield from _sessions(document["sheets"], rules, name)
    yield from conduct.violations(document, rules, name)
    yield from _tests(document["requiredTests"], rules, name)
    yield from _disclosures(document["disclosures"], rules, name)
    if rules.repeatability_shown:
        yield from _repeatability(document, name)
    if not rules.averaging:
        yield from _averaged(document["domain"], name)
    if rules.evidence:
        yield from _unexplained(document, name)
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
                f"{name} is listed as an evaluator and has no sheet: whoever is named must have scored something.",
                f"evaluators[{place}]",
            )
        earlier = seen.get(alike(name))
        if earlier is not None:
            listed = "is listed twice" if earlier == name else f"reads like {earlier}, who is listed too"
            yield Violation(
                "evaluator-twice",
                f"{name} {listed}: the passes of one evaluator would pass for the agreement of two.",
                f"evaluators[{place}]",
            )
        seen.setdefault(alike(name), name)


def _order(document: Document) -> Iterator[Violation]:
    names = [evaluator["name"] for evaluator in document["evaluators"]]
    keys = [(sheet["session"], names[sheet["evaluator"]], sheet["pass"]) for sheet in document["sheets"]]
    if keys != sorted(keys):
        yield Violation(
            "sheets-unordered",
            "The sheets are not ordered by session, name of the evaluator and pass: the same sheets must always make "
            "the same receipt.",
            "sheets",
        )
    for (session, name, number), times in Counter(keys).items():
        if times > 1:
            yield Violation(
                "sheet-twice",
                f"{name} has {times} sheets for pass {number} over session {session}: one sheet a pass, or what it "
                "says counts more than once.",
                "sheets",
            )


def _sessions(sheets: Sequence[Mapping[str, Any]], rules: Rules, name: str) -> Iterator[Violation]:
    counted = Counter(sheet["session"] for sheet in sheets)
    numbers = sorted(counted)
    if numbers != list(range(1, len(numbers) + 1)):
        yield Violation(
            "session-missing",
            f"The sessions are numbered {_listed(numbers)}: they must run from 1 without a gap, so that none can be "
            "left out unseen.",
            "sheets",
        )
    if len(numbers) < rules.sessions:
        yield Violation(
            "too-few-sessions",
            f"{name} requires {rules.sessions} sessions or more, and this receipt has {len(numbers)}: fewer do not "
            "show how much the results vary.",
            "sheets",
        )
    few = [number for number in numbers if counted[number] < rules.sheets]
    if few:
        yield Violation(
            "too-few-sheets",
            f"{name} requires {rules.sheets} sheets or more a session, of several evaluators or passes; session "
            f"{_listed(few)} has fewer.",
            "sheets",
        )


def _tests(tests: Mapping[str, Any] | None, rules: Rules, name: str) -> Iterator[Violation]:
    if tests is None and rules.required_tests:
        yield Violation(
            "tests-missing",
            f"{name} requires {len(TESTS)} tests in every session (the standardised task, the hallucination stress "
            "test and the invalid input), and this receipt records none.",
            "requiredTests",
        )
    if tests is not None and not rules.required_tests:
        yield Violation(
            "tests-unknown",
            f"{name} has no required tests, and this receipt records some: it was scored by other rules than it says.",
            "requiredTests",
        )


def _disclosures(disclosures: Mapping[str, Any], rules: Rules, name: str) -> Iterator[Violation]:
    for field, what in _DISCLOSURES.items():
        if rules.disclosures and disclosures[field] is None:
            yield Violation(
                "disclosure-missing",
                f"{name} requires every evaluation to say {what}, and this receipt does not.",
                f"disclosures.{field}",
            )
        if not rules.disclosures and disclosures[field] is not None:
            yield Violation(
                "disclosure-unknown",
                f"{name} does not ask {what}, and this receipt says it: it was scored by other rules than it says.",
                f"disclosures.{field}",
            )


def _repeatability(document: Document, name: str) -> Iterator[Violation]:
    """What is not in the receipt cannot be shown, and what is in it cannot be denied."""
    stated = document["disclosures"]["repeatabilityTested"]
    sessions = len({sheet["session"] for sheet in document["sheets"]})
    if stated is not None and stated is not (sessions > 1):
        yield Violation(
            "repeatability-unfounded",
            f"The receipt says that repeatability was {'' if stated else 'not '}tested, and it holds {sessions} "
            f"session{'' if sessions == 1 else 's'}: under {name} it is tested by two sessions or more, and the receipt "
            "must hold them.",
            "disclosures.repeatabilityTested",
        )


def _averaged(domain: Mapping[str, Any], name: str) -> Iterator[Violation]:
    for scenario in sorted(domain):
        if any(len(rating["questions"]) > 1 for rating in domain[scenario]):
            yield Violation(
                "averaging-unknown",
                f"{scenario} averages several questions; under {name} a scenario is one question.",
                f"domain.{scenario}",
            )


def _unexplained(document: Document, name: str) -> Iterator[Violation]:
    for field, ratings in _rated(document, ("universal", "domain")):
        silent = sum(any(is_blank(note) for note in _notes(rating)) for rating in ratings)
        if silent:
            yield Violation(
                "note-missing",
                f"{name} requires a note for every score; for {field.rpartition('.')[2]} {silent} of {len(ratings)} "
                "sheets leave one out.",
                field,
            )


def _notes(rating: Mapping[str, Any]) -> Iterator[str]:
    """The notes beside the scores of a dimension or a scenario."""
    if "score" in rating:
        yield rating["note"]
    for question in rating.get("questions", ()):
        yield from (given["note"] for given in question["criteria"].values())


def _bare(document: Document, name: str) -> Iterator[Violation]:
    for field, ratings in _rated(document, ("universal", "domain")):
        bare = sum(not rating["evidence"] for rating in ratings)
        if bare:
            yield Violation(
                "evidence-missing",
                f"{name} requires evidence for every score; for {field.rpartition('.')[2]} {bare} of {len(ratings)} "
                "sheets name none.",
                field,
            )


def _unfounded(document: Document) -> Iterator[Violation]:
    """Evidence that is neither a document the receipt pins nor words that stand for themselves."""
    known = {item["sha256"] for item in document["evidence"]}
    for field, ratings in _rated(document, ("universal", "domain", "requiredTests")):
        cited = [item for rating in ratings for item in rating["evidence"]]
        lost = sum(item["sha256"] not in known and not _own_words(item) for item in cited)
        if lost:
            yield Violation(
                "evidence-unknown",
                f"Of the evidence for {field.rpartition('.')[2]}, {lost} of {len(cited)} items are neither a document "
                "that this receipt pins nor an excerpt that matches its own sha256: nobody can look them up.",
                field,
            )


def _own_words(item: Mapping[str, Any]) -> bool:
    excerpt = item["excerpt"]
    return excerpt is not None and canonical.sha256_hex(excerpt.encode()) == item["sha256"]


def _rated(document: Document, parts: Sequence[str]) -> Iterator[tuple[str, Sequence[Mapping[str, Any]]]]:
    """(field, what the sheets say of it), by name."""
    for part in parts:
        for name in sorted(document[part] or ()):
            yield f"{part}.{name}", document[part][name]


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
