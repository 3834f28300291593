"""LongMemEval (xiaowu0162/LongMemEval): a JSON list of questions, each with a haystack of sessions of its own.

One scope per question. `_abs` at the end of a question's id says that its haystack has no answer. Sessions are items, or their turns
where asked: then the turns with `has_answer` are relevant, and a question without one is not scored. Of two sessions with one id
the first counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from benchsite.errors import InputError
from benchsite.tracks.retrieval.importers.assembly import Collection, Origin
from benchsite.tracks.retrieval.importers.reading import ids_of, json_document
from benchsite.tracks.retrieval.scores.longmemeval import NOT_OF_THE_USER
from benchsite.tracks.retrieval.timestamps import instant

__all__ = ["EDITIONS", "convert"]

EDITIONS: Final = ("original", "cleaned", "v2")
PUBLISHER: Final = "xiaowu0162/LongMemEval"
_DATE: Final = re.compile(r"(\d{4})/(\d{2})/(\d{2}) \(\w+\) (\d{2}:\d{2})")
_ABSTENTION: Final = "_abs"


def convert(
    data: bytes,
    *,
    where: str,
    fixture_id: str | None,
    edition: str,
    granularity: str,
    origin: Mapping[str, str],
) -> tuple[dict[str, Any], list[str]]:
    """Read a file of questions.

    Args:
        data: the file.
        where: its name.
        fixture_id: of the fixture; by default it names edition and granularity.
        edition: which of `EDITIONS` the person says it is; the fixture states it.
        granularity: `session` or `turn`.
        origin: license, source, notes and description, where the person states others.

    Raises:
        InputError: it is malformed.
    """
    questions = json_document(data, where)
    if not isinstance(questions, list):
        raise InputError(f"{where}: not a list of questions", hint="as in the published data")
    found, unsaid = Collection(), list[str]()
    for number, question in enumerate(questions):
        place = f"{where}: question {number}"
        if not isinstance(question, dict) or not isinstance(question.get("question_id"), str):
            raise InputError(f"{place} has no question_id", hint="as in the published data")
        unsaid += _question(found, question, f"{place} ({question['question_id'][:60]})", granularity)
    stated = {
        "license": "unknown",
        "source": f"a file in the format of {PUBLISHER}, unknown whether the published one: {where}",
        **{name: value for name, value in origin.items() if value},
    }
    stated.setdefault(
        "notes",
        f"Edition {edition}, as the person who imported it states. One scope per question. Times are of no stated zone.",
    )
    stated.setdefault("description", "Queries about long histories of chat sessions (LongMemEval).")
    return found.fixture(
        data,
        Origin.of("longmemeval", stated, {}),
        fixture_id or f"longmemeval-{edition}-{granularity}",
        benchmark="longmemeval",
        subset=edition,
        granularity=granularity,
        # Whose turns answer is no business of an adapter, so no metadata of an item says it.
        options={"edition": edition, "granularity": granularity, NOT_OF_THE_USER: json.dumps(unsaid)},
    )


def _question(found: Collection, question: Mapping[str, Any], place: str, granularity: str) -> list[str]:
    """Add a question and its haystack, and return the relevant items in which no turn of the user has the answer."""
    name = question["question_id"]
    stated = question.get("answer_session_ids")
    answers = ids_of([] if stated is None else stated, f"{place}: answer_session_ids")
    relevant: list[str] = []
    said_by_user: set[str] = set()
    known: dict[str, Any] = {}
    for session_id, date, turns in _haystack(question, place):
        if session_id in known:
            if turns != known[session_id]:
                found.note("dropped sessions with the id of another one", f"{name}/{session_id}", place)
            continue
        known[session_id] = turns
        when = _time(date, place)
        for item in _items(f"{name}/{session_id}", turns, place, granularity):
            found.item(item.name, item.text, place, scope=name, timestamp=when)
            if item.answers if granularity == "turn" else session_id in answers:
                relevant.append(item.name)
                said_by_user |= {item.name} if "user" in item.answers else set()
    is_answerable = not name.endswith(_ABSTENTION)
    text = question.get("question")
    if not isinstance(text, str):
        raise InputError(f"{place} has no question", hint="correct the file")
    members = {"when": _time(question["question_date"], place)} if question.get("question_date") else {}
    found.query(
        name,
        text,
        place,
        scope=name,
        category=str(question.get("question_type") or "not stated"),
        answerable=is_answerable,
        **members,
    )
    if granularity == "session":
        relevant += [f"{name}/{answer}" for answer in dict.fromkeys(answers) if answer not in known]
    if not is_answerable:
        return []
    for label in relevant:
        found.judge(name, label, 1, place)
    return [label for label in relevant if label in found.items and label not in said_by_user]


def _haystack(question: Mapping[str, Any], place: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield id, date and turns of each session."""
    parts = [question.get(f"haystack_{what}") for what in ("session_ids", "dates", "sessions")]
    lists = [part for part in parts if isinstance(part, list)]
    if len(lists) < len(parts) or len({len(part) for part in lists}) > 1:
        raise InputError(
            f"{place}: haystack_session_ids, dates and sessions differ in length", hint="correct the file"
        )
    yield from zip(ids_of(lists[0], f"{place}: haystack_session_ids"), *lists[1:], strict=True)


class _Item(NamedTuple):
    """A session or a turn, and the roles of its turns that have the answer."""

    name: str
    text: str
    answers: frozenset[str]


def _items(name: str, turns: Any, place: str, granularity: str) -> Iterator[_Item]:
    if not isinstance(turns, list) or not all(
        isinstance(turn, dict) and isinstance(turn.get("content"), str) for turn in turns
    ):
        raise InputError(f"{place}: a session is no list of turns with content", hint="correct the file")
    roles = [str(turn.get("role", "user")) for turn in turns]
    answers = [
        frozenset([role]) if turn.get("has_answer") else frozenset[str]()
        for role, turn in zip(roles, turns, strict=True)
    ]
    said = [
        f"{role}: {turn['content']}" if turn["content"].strip() else ""
        for role, turn in zip(roles, turns, strict=True)
    ]
    if granularity == "session":
        yield _Item(name, "\n".join(filter(None, said)), frozenset().union(*answers))
        return
    for number, (text, role) in enumerate(zip(said, answers, strict=True)):
        yield _Item(f"{name}/{number}", text, role)


def _time(text: object, place: str) -> str:
    """`2023/05/20 (Sat) 02:21` as RFC 3339."""
    found = _DATE.fullmatch(text.strip()) if isinstance(text, str) else None
    time = f"{found[1]}-{found[2]}-{found[3]}T{found[4]}:00Z" if found is not None else ""
    if instant(time) is None:
        raise InputError(f"{place}: {str(text)[:40]!r} is no time", hint="as in 2023/05/20 (Sat) 02:21")
    return time
