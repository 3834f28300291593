"""Whether the sheets of a receipt are consistent: names, passes, dates, sheets, questions and transcripts.

Owns the findings on text without visible characters, and on what would count one session as several, or one question
as another: specs/rubric.md, "The sheet" and "Versions"; "What is rejected" in the texts of the methodology. A private part
of `violations`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from benchsite.dates import posix_seconds
from benchsite.history import Violation, violation
from benchsite.receipt import Document
from benchsite.tracks.rubric.engines import Rules
from benchsite.tracks.rubric.normalization import is_valid_date, normalized
from benchsite.tracks.rubric.sentences import MESSAGES, TERMS
from benchsite.unseen import is_blank

_AHEAD_OF_UTC: Final = 14 * 3600
"""Seconds by which a day starts in UTC+14 before it starts in UTC."""

_broken: Final = partial(violation, MESSAGES)


def violations(document: Document, rules: Rules, name: str) -> Iterator[Violation]:
    """Findings against sessions and sheets counting as they are listed."""
    yield from _blanks(document)
    yield from _passes(document)
    yield from _days(document)
    yield from _files(document["config"]["sheets"])
    for scenario in sorted(document["domain"]):
        yield from _questions(document["sheets"], scenario, document["domain"][scenario])
    if _repeatability_claimed(document, rules):
        yield from _questions_again(document, name)
    yield from _documents(document, rules, name)


def _blanks(document: Document) -> Iterator[Violation]:
    """Agent, evaluators and their conflicts of interest: white space passes the shape, so it is checked here."""
    agent = document["agent"]
    said = [(key, agent[key], f"agent.{key}") for key in ("name", "version", "vendor")]
    for place, evaluator in enumerate(document["evaluators"]):
        field = f"evaluators[{place}]"
        model = evaluator["model"]
        if model is not None:
            said += [
                ("model", model["name"], f"{field}.model.name"),
                ("saw", model["saw"], f"{field}.model.saw"),
            ]
        said += [
            ("evaluator", evaluator["name"], f"{field}.name"),
            ("conflictOfInterest", evaluator["conflictOfInterest"], f"{field}.conflictOfInterest"),
        ]
    for what, text, field in said:
        if is_blank(text):
            yield _broken("text-blank", field, what=TERMS[what])


def _passes(document: Document) -> Iterator[Violation]:
    names = [evaluator["name"] for evaluator in document["evaluators"]]
    passes: dict[tuple[int, str], dict[int, int]] = {}
    for place, sheet in enumerate(document["sheets"]):
        held = passes.setdefault((sheet["session"], names[sheet["evaluator"]]), {})
        held.setdefault(sheet["pass"], place)
    for (session, evaluator), held in passes.items():
        numbers = sorted(held)
        gap = next((number for place, number in enumerate(numbers, start=1) if number != place), None)
        if gap is not None:
            field = f"sheets[{held[gap]}].pass"
            yield _broken(
                "pass-missing", field, evaluator=evaluator, session=session, numbers=listed(numbers)
            )


def _days(document: Document) -> Iterator[Violation]:
    given = [sheet["date"] for sheet in document["sheets"]]
    nowhere = sorted({day for day in given if not is_valid_date(day)})
    if nowhere:
        yield _broken("date-unknown", f"sheets[{given.index(nowhere[0])}].date", days=listed(nowhere))
    made = document["ranAt"]
    ahead = sorted({day for day in given if not _has_begun(day, made)})
    if ahead:
        yield _broken("date-ahead", f"sheets[{given.index(ahead[0])}].date", days=listed(ahead), made=made)


def _has_begun(day: str, at: str) -> bool:
    """Whether a day, such as 2026-02-28, had started in UTC+14 at a moment in RFC 3339 UTC."""
    return posix_seconds(f"{day}T00:00:00Z") <= posix_seconds(at) + _AHEAD_OF_UTC


def _files(sheets: Sequence[str]) -> Iterator[Violation]:
    different = len(set(sheets))
    if different != len(sheets):
        again = next(place for place, sheet in enumerate(sheets) if sheet in sheets[:place])
        yield _broken("sheet-repeated", f"config.sheets[{again}]", count=len(sheets), different=different)


def _questions(
    sheets: Sequence[Mapping[str, Any]], scenario: str, ratings: Sequence[Mapping[str, Any]]
) -> Iterator[Violation]:
    """Items are matched by their order (methodology 2.0.0, section 12), so the order must be one."""
    first: dict[int, list[str]] = {}
    differing: dict[int, int] = {}
    for place, rating in enumerate(ratings):
        asked = _asked(rating)
        for number, question in enumerate(asked):
            if question in asked[:number]:
                field = f"domain.{scenario}[{place}].questions[{number}].question"
                yield _broken("question-twice", field, scenario=scenario)
        session = sheets[place]["session"]
        if first.setdefault(session, asked) != asked:
            differing.setdefault(session, place)
    if differing:
        field = f"domain.{scenario}[{next(iter(differing.values()))}].questions"
        yield _broken("questions-differ", field, scenario=scenario, sessions=listed(sorted(differing)))


def _questions_again(document: Document, name: str) -> Iterator[Violation]:
    """A repeated session asks the same questions; the first sheet of a session stands for it."""
    for scenario, ratings in sorted(document["domain"].items()):
        asked: dict[int, tuple[list[str], int]] = {}
        for place, (sheet, rating) in enumerate(zip(document["sheets"], ratings, strict=True)):
            asked.setdefault(sheet["session"], (sorted(_asked(rating)), place))
        earliest = min(asked)
        others = sorted(session for session, (found, _) in asked.items() if found != asked[earliest][0])
        if others:
            field = f"domain.{scenario}[{asked[others[0]][1]}].questions"
            said = {"scenario": scenario, "sessions": listed(others), "name": name}
            yield _broken("questions-not-repeated", field, **said, earliest=earliest)


def _asked(rating: Mapping[str, Any]) -> list[str]:
    return [normalized(item["question"] or "") for item in rating["questions"]]


def _documents(document: Document, rules: Rules, name: str) -> Iterator[Violation]:
    alone = sorted(_without_own(document, rules))
    if alone:
        place = next(i for i, sheet in enumerate(document["sheets"]) if sheet["session"] == alone[0])
        yield _broken("sessions-alike", f"sheets[{place}].session", sessions=listed(alone), name=name)


def _repeatability_claimed(document: Document, rules: Rules) -> bool:
    """Whether a receipt says that repeatability was tested, under rules by which its sessions must show it."""
    return rules.repeatability_shown and document["disclosures"]["repeatabilityTested"] is True


def _without_own(document: Document, rules: Rules) -> set[int]:
    """Sessions that cite nothing of their own, where the rules ask for it.

    They ask for it where they require evidence, and where repeatability is claimed and every session cites some. Words
    count only for a session that cites no document: two quotes do not make two sessions of one transcript.
    """
    documents = {item["sha256"] for item in document["evidence"]}
    files: dict[int, set[str]] = {sheet["session"]: set() for sheet in document["sheets"]}
    words: dict[int, set[str]] = {session: set() for session in files}
    for session, item in _cited(document):
        if item["sha256"] in documents:
            files[session].add(item["sha256"])
        if item["excerpt"] is not None and not is_blank(item["excerpt"]):
            words[session].add(normalized(item["excerpt"]))
    everywhere = all(files[session] or words[session] for session in files)
    if not rules.evidence and not (everywhere and _repeatability_claimed(document, rules)):
        return set()
    cited = Counter(sha256 for held in files.values() for sha256 in held)
    quoted = Counter(text for held in words.values() for text in held)
    return {
        session
        for session, held in files.items()
        if all(cited[sha256] > 1 for sha256 in held)
        and (held or all(quoted[text] > 1 for text in words[session]))
    }


def _cited(document: Document) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """(session, evidence) of every sheet."""
    for part in ("universal", "domain", "requiredTests"):
        for ratings in (document[part] or {}).values():
            for sheet, rating in zip(document["sheets"], ratings, strict=True):
                yield from ((sheet["session"], item) for item in rating["evidence"])


def listed(values: Sequence[Any]) -> str:
    """Numbers or days in a sentence."""
    return ", ".join(map(str, values))
