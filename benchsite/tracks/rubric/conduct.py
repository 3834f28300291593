"""How an evaluation was held, as far as a receipt shows it: passes, days, sheets, questions and transcripts.

Owns the findings on what would make one sitting count as several, or one question as another: specs/rubric.md, "The
sheet" and "Versions"; section 2 of methodology 2.0.0. `join` refuses the same of sheets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite.history import Violation
from benchsite.log.posix import posix_seconds
from benchsite.receipt import Document
from benchsite.tracks.rubric.likeness import alike, in_calendar
from benchsite.tracks.rubric.rules import Rules

_AHEAD_OF_UTC: Final = 14 * 3600
"""Seconds by which a day begins somewhere on Earth before it begins in UTC."""


def violations(document: Document, rules: Rules, name: str) -> Iterator[Violation]:
    """What speaks against the sessions and sheets being what they are counted as."""
    yield from _passes(document)
    yield from _days(document)
    yield from _files(document["config"]["sheets"])
    for scenario in sorted(document["domain"]):
        yield from _questions(document["sheets"], scenario, document["domain"][scenario])
    if rules.evidence:
        yield from _documents(document, name)


def _passes(document: Document) -> Iterator[Violation]:
    names = [evaluator["name"] for evaluator in document["evaluators"]]
    passes: dict[tuple[int, str], set[int]] = {}
    for sheet in document["sheets"]:
        passes.setdefault((sheet["session"], names[sheet["evaluator"]]), set()).add(sheet["pass"])
    for (session, evaluator), numbers in passes.items():
        if max(numbers) != len(numbers):
            yield Violation(
                "pass-missing",
                f"The passes of {evaluator} over session {session} are numbered {_listed(numbers)}: they must run from "
                "1 without a gap, so that none can be left out unseen.",
                "sheets",
            )


def _days(document: Document) -> Iterator[Violation]:
    days = {sheet["date"] for sheet in document["sheets"]}
    nowhere = {day for day in days if not in_calendar(day)}
    if nowhere:
        yield Violation(
            "date-unknown",
            f"The sheets give days of sessions that are in no calendar: {_listed(nowhere)}.",
            "sheets",
        )
    made = document["ranAt"]
    ahead = {day for day in days if posix_seconds(f"{day}T00:00:00Z") > posix_seconds(made) + _AHEAD_OF_UTC}
    if ahead:
        yield Violation(
            "date-ahead",
            f"The sheets give days of sessions that had not begun anywhere when this receipt was made at {made}: "
            f"{_listed(ahead)}.",
            "sheets",
        )


def _files(sheets: Sequence[str]) -> Iterator[Violation]:
    different = len(set(sheets))
    if different != len(sheets):
        yield Violation(
            "sheet-repeated",
            f"The {len(sheets)} sheets have {different} different sha256: a sheet that is named twice counts more "
            "than once.",
            "config.sheets",
        )


def _questions(
    sheets: Sequence[Mapping[str, Any]], scenario: str, ratings: Sequence[Mapping[str, Any]]
) -> Iterator[Violation]:
    """Items are matched by their order (methodology 2.0.0, section 12), so the order must be one."""
    asked = [tuple(alike(item["question"] or "") for item in rating["questions"]) for rating in ratings]
    twice = sum(len(set(questions)) != len(questions) for questions in asked)
    if twice:
        yield Violation(
            "question-twice",
            f"For {scenario} {twice} of {len(asked)} sheets score a question twice: it counts more than once.",
            f"domain.{scenario}",
        )
    first: dict[int, tuple[str, ...]] = {}
    differing = {
        sheet["session"]
        for sheet, questions in zip(sheets, asked, strict=True)
        if first.setdefault(sheet["session"], questions) != questions
    }
    if differing:
        yield Violation(
            "questions-differ",
            f"For {scenario} the sheets of session {_listed(differing)} do not score the same questions in the same "
            "order: their scores cannot be compared.",
            f"domain.{scenario}",
        )


def _documents(document: Document, name: str) -> Iterator[Violation]:
    known = {item["sha256"] for item in document["evidence"]}
    cited: dict[int, set[str]] = {sheet["session"]: set() for sheet in document["sheets"]}
    for part in ("universal", "domain", "requiredTests"):
        for ratings in (document[part] or {}).values():
            for sheet, rating in zip(document["sheets"], ratings, strict=True):
                cited[sheet["session"]].update(item["sha256"] for item in rating["evidence"])
    for earlier, later in same_grounds({session: (held & known, held) for session, held in cited.items()}):
        yield Violation(
            "sessions-alike",
            f"Sessions {earlier} and {later} rest on exactly the same documents: under {name} each session must rest on "
            "transcripts of its own.",
            "evidence",
        )


def same_grounds(cited: Mapping[int, tuple[set[str], set[str]]]) -> Iterator[tuple[int, int]]:
    """Sessions that rest on exactly what an earlier one rests on, as (earlier, later).

    Args:
        cited: for each session the sha256 of the documents it cites, and of whatever it cites. Words without a
            document tell sessions apart only where a session cites no document.
    """
    first: dict[frozenset[str], int] = {}
    for session in sorted(cited):
        documents, everything = cited[session]
        grounds = frozenset(documents or everything)
        if grounds and first.setdefault(grounds, session) != session:
            yield first[grounds], session


def _listed(values: set[Any]) -> str:
    return ", ".join(map(str, sorted(values)))
