"""Sheets become one receipt: what they must agree in, which sessions they cover, and the track's keys made of them.

Follows specs/rubric.md, "The sheet" and "Versions". Refuses sheets of different agents, rules or disclosures, two
sheets of one evaluator, pass and session, sessions or passes with a gap, different questions in one session or in
sessions that shall show repeatability, sessions without a document of their own, and fewer sessions or sheets than the
version demands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from benchsite.errors import InputError
from benchsite.methodology.instrument import DIMENSIONS, SCENARIOS, Template
from benchsite.tracks.rubric import metrics
from benchsite.tracks.rubric.conduct import sessions_without_own
from benchsite.tracks.rubric.likeness import alike
from benchsite.tracks.rubric.payload import MAX_SHEETS, TESTS
from benchsite.tracks.rubric.rules import RULES
from benchsite.tracks.rubric.sheet import Filled, Rating, Scenario, Source, TestOutcome
from benchsite.tracks.rubric.sheet_words import Path, shown
from benchsite.yaml_document import YamlDocument

Pin = Callable[[Filled, Path, Source], Mapping[str, Any]]
"""(sheet, path of the evidence in it, the evidence) to the receipt's entry: sha256 and excerpt."""

_SHARED: Final[tuple[Path, ...]] = (
    ("methodology",),
    ("template",),
    ("agent", "name"),
    ("agent", "version"),
    ("agent", "vendor"),
    ("disclosures", "repeatabilityTested"),
    ("disclosures", "multiStep"),
)


def require_agreement(documents: Sequence[YamlDocument]) -> None:
    """All sheets of one receipt must be about one agent, under one set of rules, with the same disclosures.

    Raises:
        InputError: two do not agree; both are named with their lines.
    """
    if len(documents) > MAX_SHEETS:
        raise InputError(
            f"{len(documents)} sheets are more than one receipt holds ({MAX_SHEETS})",
            hint="make several receipts",
        )
    first = documents[0]
    for other in documents[1:]:
        for path in _SHARED:
            one, two = _at(first, path), _at(other, path)
            if one != two:
                raise other.error(
                    path,
                    f"is {shown(two)} here, and {shown(one)} in {_line_of(first, path)}",
                    hint="the sheets of one receipt agree in this: correct one, or make two receipts",
                )


def in_order(sheets: Sequence[Filled]) -> list[Filled]:
    """Sheets by session, evaluator and pass.

    Raises:
        InputError: two of them have the same place, an evaluator's statements differ, or the version demands more.
    """
    ordered = sorted(sheets, key=_place)
    for one, two in pairwise(ordered):
        if _place(one) == _place(two):
            session, name, number = _place(one)
            path = ("evaluator", "pass")
            raise two.error(
                path,
                f"{name} has another sheet of pass {number} over session {session}: {_line_of(one.document, path)}",
                hint="number the passes, or take one sheet out",
            )
    _require_statements(ordered)
    _require_passes(ordered)
    _require_sessions(ordered)
    _require_questions(ordered)
    _require_repeatability(ordered)
    _require_questions_again(ordered)
    return ordered


def payload(sheets: Sequence[Filled], template: Template, pin: Pin) -> dict[str, Any]:
    """The track's own keys of a receipt, scores included.

    Args:
        sheets: as `in_order` gives them.
        template: the domain they score.
        pin: what the receipt says of a piece of evidence.

    Raises:
        InputError: a session cites nothing of its own, and the version asks for it; or `pin` raises it.
    """
    first = sheets[0].sheet
    documents: set[str] = set()
    noted = _noting(pin, documents)
    rules = RULES[first.methodology]
    statements = {item.sheet.evaluator.name: item.sheet.evaluator for item in sheets}
    names = sorted(statements)
    body: dict[str, Any] = {
        "agent": first.agent.model_dump(by_alias=True),
        "template": {"slug": template.slug, "schemaName": template.schema_name},
        "evaluators": [
            {
                "name": name,
                "conflictOfInterest": statements[name].conflict_of_interest,
                "consentToPublish": True,
            }
            for name in names
        ],
        "sheets": [
            {
                "evaluator": names.index(item.sheet.evaluator.name),
                "pass": item.sheet.evaluator.pass_,
                "session": item.sheet.session.n,
                "date": item.sheet.session.date,
            }
            for item in sheets
        ],
        "universal": {name: [_rating(item, name, noted) for item in sheets] for name in DIMENSIONS},
        "domain": {name: [_scenario(item, name, noted) for item in sheets] for name in SCENARIOS},
        "requiredTests": {name: [_outcome(item, name, noted) for item in sheets] for name in TESTS}
        if rules.required_tests
        else None,
        "disclosures": first.disclosures.model_dump(by_alias=True)
        if first.disclosures is not None
        else {"repeatabilityTested": None, "multiStep": None},
    }
    _require_own_documents(sheets, body, documents)
    return {**body, **metrics.score(body, rules).sections()}


def _at(document: YamlDocument, path: Path) -> Any:
    value = document.value
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _line_of(document: YamlDocument, path: Path) -> str:
    return f"{document.where}, line {document.line(path)}"


def _place(item: Filled) -> tuple[int, str, int]:
    return item.sheet.session.n, item.sheet.evaluator.name, item.sheet.evaluator.pass_


def _require_statements(sheets: Sequence[Filled]) -> None:
    """One evaluator, one name and one statement of conflicts of interest."""
    seen: dict[str, Filled] = {}
    for item in sheets:
        evaluator = item.sheet.evaluator
        earlier = seen.setdefault(alike(evaluator.name), item)
        if earlier.sheet.evaluator.name != evaluator.name:
            path = ("evaluator", "name")
            raise item.error(
                path,
                f"is {shown(evaluator.name)} here, and {shown(earlier.sheet.evaluator.name)} in "
                f"{_line_of(earlier.document, path)}: two names are taken for two people",
                hint="write one person's name alike everywhere; let two people choose names that readers can tell apart",
            )
        if earlier.sheet.evaluator.conflict_of_interest != evaluator.conflict_of_interest:
            path = ("evaluator", "conflictOfInterest")
            raise item.error(
                path,
                f"{evaluator.name} states something else here than in {_line_of(earlier.document, path)}",
                hint="an evaluator's statement is the same on every sheet: write it alike",
            )


def _require_passes(sheets: Sequence[Filled]) -> None:
    """An evaluator's passes over a session count from 1 without a gap; the sheets are in order, none twice."""
    held: dict[tuple[int, str], int] = {}
    for item in sheets:
        session, name, number = _place(item)
        wanted = held[session, name] = held.get((session, name), 0) + 1
        if number != wanted:
            raise item.error(
                ("evaluator", "pass"),
                f"is {number}, and no sheet holds pass {wanted} of {name} over session {session}: the passes of an "
                "evaluator over a session count from 1 without a gap",
                hint=f"add the sheet of pass {wanted}, or number the passes anew",
            )


def _require_questions(sheets: Sequence[Filled]) -> None:
    """All sheets of a session score the same questions in the same order: their items are matched by it."""
    first: dict[int, Filled] = {}
    for item in sheets:
        session = item.sheet.session.n
        earlier = first.setdefault(session, item)
        for name in SCENARIOS:
            if _asked(item, name) != _asked(earlier, name):
                path = ("domain", name, "averagedFrom")
                raise item.error(
                    path,
                    f"scores other questions of session {session}, or in another order, than "
                    f"{_line_of(earlier.document, path)}: scores of different questions cannot be compared",
                    hint="score what was asked in the session, in the order in which it was asked",
                )


def _asked(item: Filled, name: str) -> list[str]:
    scenario: Scenario = getattr(item.sheet.domain, name.lower())
    return [alike(question or "") for question, _ in scenario.questions]


def _require_questions_again(sheets: Sequence[Filled]) -> None:
    """All sessions ask the same questions, in whatever order, where they shall show repeatability."""
    first = sheets[0]
    version, disclosures = first.sheet.methodology, first.sheet.disclosures
    if not RULES[version].repeatability_shown or disclosures is None or not disclosures.repeatability_tested:
        return
    for item in sheets:
        for name in SCENARIOS:
            if sorted(_asked(item, name)) != sorted(_asked(first, name)):
                path = ("domain", name, "averagedFrom")
                raise item.error(
                    path,
                    f"scores other questions of session {item.sheet.session.n} than {_line_of(first.document, path)} of "
                    f"session {first.sheet.session.n}: under rubric {version} repeatability is tested by asking the "
                    "same questions in every session",
                    hint="write each question alike in all sessions; what was asked in one session only shows no "
                    "repetition",
                )


def _noting(pin: Pin, documents: set[str]) -> Pin:
    """`pin`, keeping in mind what is cited as a document."""

    def noted(item: Filled, path: Path, source: Source) -> Mapping[str, Any]:
        entry = pin(item, path, source)
        if source.file is not None:
            documents.add(entry["sha256"])
        return entry

    return noted


def _require_own_documents(sheets: Sequence[Filled], body: Mapping[str, Any], documents: set[str]) -> None:
    """Each session cites something that no other session cites, where the version asks for it."""
    version = sheets[0].sheet.methodology
    alone = sessions_without_own(body, documents, RULES[version])
    for item in sheets:
        number = item.sheet.session.n
        if number in alone:
            raise item.error(
                ("session", "n"),
                f"session {number} cites no document that no other session cites, nor, where it cites no document, "
                f"words of its own: under rubric {version} each session must rest on transcripts of its own",
                hint=f"name the transcript of session {number} as its evidence; one sitting is one session",
            )


def _require_sessions(sheets: Sequence[Filled]) -> None:
    """Sessions count from 1 without a gap, and there are as many of them, and of sheets, as the version demands."""
    version = sheets[0].sheet.methodology
    rules = RULES[version]
    counts: dict[int, list[Filled]] = {}
    for item in sheets:
        counts.setdefault(item.sheet.session.n, []).append(item)
    for wanted, (number, held) in enumerate(counts.items(), start=1):
        if number != wanted:
            raise held[0].error(
                ("session", "n"),
                f"is {number}, and no sheet is of session {wanted}: sessions count from 1 without a gap",
                hint=f"add the sheets of session {wanted}, or number the sessions anew",
            )
    if len(counts) < rules.sessions:
        raise sheets[-1].error(
            ("session", "n"),
            f"rubric {version} requires {rules.sessions} sessions or more, and these sheets hold {len(counts)}",
            hint=f"hold {rules.sessions - len(counts)} more, each fresh, and name all their sheets in one call",
        )
    for number, held in counts.items():
        if len(held) < rules.sheets:
            raise held[0].error(
                ("session", "n"),
                f"rubric {version} requires {rules.sheets} sheets or more of every session, "
                f"and session {number} has {len(held)}",
                hint="have another evaluator score it, or score it again in a second pass, and say so in `pass`",
            )


def _require_repeatability(sheets: Sequence[Filled]) -> None:
    """What is said of repeatability must be what the sessions show, where the version asks for that."""
    first = sheets[0]
    version, disclosures = first.sheet.methodology, first.sheet.disclosures
    sessions = len({item.sheet.session.n for item in sheets})
    if not RULES[version].repeatability_shown or disclosures is None:
        return
    if disclosures.repeatability_tested is not (sessions > 1):
        stated = disclosures.repeatability_tested
        raise first.error(
            ("disclosures", "repeatabilityTested"),
            f"is {shown(stated)}, and these sheets hold {sessions} session{'' if sessions == 1 else 's'}: under rubric "
            f"{version} repeatability is tested by two sessions or more, and all of them stand in the receipt",
            hint="name the sheets of every session in one call, or write false" if stated else "write true",
        )


def _pinned(item: Filled, path: Path, evidence: Sequence[Source], pin: Pin) -> list[dict[str, Any]]:
    return [dict(pin(item, (*path, "evidence", place), source)) for place, source in enumerate(evidence)]


def _rating(item: Filled, name: str, pin: Pin) -> dict[str, Any]:
    rating: Rating = getattr(item.sheet.universal, name.lower())
    return {
        "score": rating.score,
        "note": rating.note,
        "evidence": _pinned(item, ("universal", name), rating.evidence, pin),
    }


def _scenario(item: Filled, name: str, pin: Pin) -> dict[str, Any]:
    scenario: Scenario = getattr(item.sheet.domain, name.lower())
    return {
        "questions": [
            {
                "question": question,
                "criteria": {
                    key: {"score": given.score, "note": given.note} for key, given in criteria.items()
                },
            }
            for question, criteria in scenario.questions
        ],
        "evidence": _pinned(item, ("domain", name), scenario.evidence, pin),
    }


def _outcome(item: Filled, name: str, pin: Pin) -> dict[str, Any]:
    tests = item.sheet.required_tests
    if tests is None:
        raise ValueError(f"{item.document.where} was not held against rules that require tests")
    held: Mapping[str, TestOutcome] = {
        "standardisedTask": tests.standardised_task,
        "hallucination": tests.hallucination,
        "invalidInput": tests.invalid_input,
    }
    return {
        "outcome": held[name].outcome,
        "note": held[name].note,
        "evidence": _pinned(item, ("requiredTests", name), held[name].evidence, pin),
    }
