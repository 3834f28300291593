"""How an evaluation was held, as far as a receipt shows it: names, passes, days, sheets, questions and transcripts.

Owns the findings on what nobody could read, and on what would make one sitting count as several, or one question as
another: specs/rubric.md, "The sheet" and "Versions"; "What is refused" in the texts of the methodology. Of sheets the
same is refused by `sheet_demands` and `join`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite.dates import posix_seconds
from benchsite.history import Violation
from benchsite.receipt import Document
from benchsite.tracks.rubric.likeness import alike, in_calendar
from benchsite.tracks.rubric.rules import Rules
from benchsite.unseen import is_blank

_AHEAD_OF_UTC: Final = 14 * 3600
"""Seconds by which a day begins somewhere on Earth before it begins in UTC."""


def violations(document: Document, rules: Rules, name: str) -> Iterator[Violation]:
    """What speaks against the sessions and sheets being what they are counted as."""
    yield from _blanks(document)
    yield from _passes(document)
    yield from _days(document)
    yield from _files(document["config"]["sheets"])
    for scenario in sorted(document["domain"]):
        yield from _questions(document["sheets"], scenario, document["domain"][scenario])
    if repeatability_claimed(document, rules):
        yield from _questions_again(document, name)
    yield from _documents(document, rules, name)


def _blanks(document: Document) -> Iterator[Violation]:
    """Who was scored, by whom, and what ties them: spaces are characters, so that the shape lets them pass."""
    agent = document["agent"]
    said = [(f"The agent's {key}", agent[key], f"agent.{key}") for key in ("name", "version", "vendor")]
    for place, evaluator in enumerate(document["evaluators"]):
        field = f"evaluators[{place}]"
        said += [
            ("An evaluator's name", evaluator["name"], f"{field}.name"),
            (
                "An evaluator's statement on conflicts of interest",
                evaluator["conflictOfInterest"],
                f"{field}.conflictOfInterest",
            ),
        ]
    for what, text, field in said:
        if is_blank(text):
            yield Violation(
                "text-blank",
                f"{what} shows nothing but white space: a receipt must show its readers who scored whom, and with what "
                "interest.",
                field,
            )


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
    ahead = {day for day in days if not has_begun(day, made)}
    if ahead:
        yield Violation(
            "date-ahead",
            f"The sheets give days of sessions that had not begun anywhere when this receipt was made at {made}: "
            f"{_listed(ahead)}.",
            "sheets",
        )


def has_begun(day: str, at: str) -> bool:
    """Whether a day, such as 2026-02-28, had begun somewhere on Earth at a moment in RFC 3339 UTC."""
    return posix_seconds(f"{day}T00:00:00Z") <= posix_seconds(at) + _AHEAD_OF_UTC


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
    asked = [_asked(rating) for rating in ratings]
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


def _questions_again(document: Document, name: str) -> Iterator[Violation]:
    """Nothing is repeated by asking something else; a session is taken by its first sheet."""
    for scenario in sorted(document["domain"]):
        asked: dict[int, list[str]] = {}
        for sheet, rating in zip(document["sheets"], document["domain"][scenario], strict=True):
            asked.setdefault(sheet["session"], sorted(_asked(rating)))
        earliest = min(asked)
        others = {session for session, questions in asked.items() if questions != asked[earliest]}
        if others:
            yield Violation(
                "questions-not-repeated",
                f"For {scenario} session {_listed(others)} holds other questions than session {earliest}: under {name} "
                "repeatability is tested by asking the same questions in every session.",
                f"domain.{scenario}",
            )


def _asked(rating: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(alike(item["question"] or "") for item in rating["questions"])


def _documents(document: Document, rules: Rules, name: str) -> Iterator[Violation]:
    pinned = {item["sha256"] for item in document["evidence"]}
    alone = sessions_without_own(document, pinned, rules)
    if alone:
        yield Violation(
            "sessions-alike",
            f"Session {_listed(alone)} cites no document that no other session cites, nor, where it cites no document, "
            f"words of its own: under {name} each session must rest on transcripts of its own.",
            "evidence",
        )


def repeatability_claimed(body: Mapping[str, Any], rules: Rules) -> bool:
    """Whether a receipt says that repeatability was tested, under rules by which its sessions must show it."""
    return rules.repeatability_shown and body["disclosures"]["repeatabilityTested"] is True


def sessions_without_own(body: Mapping[str, Any], documents: set[str], rules: Rules) -> set[int]:
    """Sessions that cite nothing of their own, where the rules ask for it.

    They ask for it where they require evidence, and where repeatability is claimed and every session cites some. Words
    count only for a session that cites no document: two quotations do not make two sittings of one transcript.

    Args:
        body: the track's keys of a receipt.
        documents: sha256 of what is cited as a document; all else is words.
        rules: those of the receipt's version.
    """
    files: dict[int, set[str]] = {sheet["session"]: set() for sheet in body["sheets"]}
    words: dict[int, set[str]] = {session: set() for session in files}
    for session, item in _cited(body):
        if item["sha256"] in documents:
            files[session].add(item["sha256"])
        if item["excerpt"] is not None and not is_blank(item["excerpt"]):
            words[session].add(alike(item["excerpt"]))
    everywhere = all(files[session] or words[session] for session in files)
    if not rules.evidence and not (everywhere and repeatability_claimed(body, rules)):
        return set()
    cited = Counter(sha256 for held in files.values() for sha256 in held)
    quoted = Counter(text for held in words.values() for text in held)
    return {
        session
        for session, held in files.items()
        if all(cited[sha256] > 1 for sha256 in held)
        and (held or all(quoted[text] > 1 for text in words[session]))
    }


def _cited(body: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """(session, evidence) of every sheet."""
    for part in ("universal", "domain", "requiredTests"):
        for ratings in (body[part] or {}).values():
            for sheet, rating in zip(body["sheets"], ratings, strict=True):
                yield from ((sheet["session"], item) for item in rating["evidence"])


def _listed(values: set[Any]) -> str:
    return ", ".join(map(str, sorted(values)))
