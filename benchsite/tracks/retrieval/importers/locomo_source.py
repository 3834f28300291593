"""The LoCoMo file and its errata overlay as their authors publish them: checked, and read into plain records.

Pure. Unknown members are ignored (the file carries summaries and image links); what is needed must be there
and have its type, else the error names file, sample and session or question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchsite.errors import InputError
from benchsite.tracks.retrieval.importers.reading import json_document
from benchsite.tracks.retrieval.timestamps import instant

__all__ = [
    "Correction",
    "Evidence",
    "Question",
    "Sample",
    "Session",
    "Turn",
    "apply_errata",
    "read_errata",
    "read_samples",
    "resolve",
]

LAST_CATEGORY = 5
_EDITION = "import the file as published by its authors, or correct the place named"

_SESSION = re.compile(r"session_([1-9][0-9]{0,5})")
_DIA_ID = re.compile(r"D:?([0-9]+):([0-9]+)")
_SEPARATORS = " \t\r\n;,"
_DATE = re.compile(r"(\d{1,2}):(\d{2}) ([ap]m) on (\d{1,2}) ([A-Za-z]+),? (\d{4})", re.ASCII)
MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_QUESTION_ID = re.compile(r"locomo_([0-9]{1,6})_qa([0-9]{1,6})")


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance; `name` is its `dia_id`, unique within the sample only."""

    name: str
    speaker: str
    text: str
    caption: str


@dataclass(frozen=True, slots=True)
class Session:
    """One sitting; `date` in the file's words, `timestamp` the same as RFC 3339."""

    number: int
    date: str
    timestamp: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One entry of `qa`; `index` is its place there, from 0."""

    index: int
    text: str
    category: int
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """One conversation with its questions; `session_of` maps each `dia_id` to its session's number."""

    name: str
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...]
    session_of: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Evidence:
    """An evidence string resolved: `verbatim` when it was one turn's id, else split into parts."""

    verbatim: bool
    found: tuple[str, ...]
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Correction:
    """One record of the overlay: sample and question by position, checked against the question's text."""

    name: str
    sample: int
    question: int
    text: str
    evidence: tuple[str, ...]


def read_samples(data: bytes, *, where: str) -> tuple[Sample, ...]:
    """The samples of a LoCoMo file.

    Raises:
        InputError: not strict JSON or not LoCoMo's shape; names sample and session or question.
    """
    place = f"locomo {where}"
    document = _array(json_document(data, place), place, "a list of samples")
    if not document:
        raise InputError(f"{place}: no samples", hint=_EDITION)
    samples, names = [], set()
    for index, entry in enumerate(document):
        sample = _sample(_object(entry, f"{place}: sample {index}"), f"{place}: sample {index}")
        if sample.name in names:
            raise InputError(
                f'{place}: sample {index}: sample_id "{sample.name}" is used twice', hint=_EDITION
            )
        names.add(sample.name)
        samples.append(sample)
    return tuple(samples)


def read_errata(data: bytes, *, where: str = "errata") -> tuple[Correction, ...]:
    """The records of an errata overlay.

    Raises:
        InputError: not strict JSON, or a record without question id, question or corrected evidence.
    """
    place = f"locomo {where}"
    corrections = []
    for index, entry in enumerate(_array(json_document(data, place), place, "a list of corrections")):
        here = f"{place}: record {index}"
        record = _object(entry, here)
        name = _text(record, "question_id", here)
        match = _QUESTION_ID.fullmatch(name)
        if match is None:
            raise InputError(
                f'{here}: question_id "{name[:80]}" is not locomo_<sample>_qa<question>', hint=_EDITION
            )
        corrections.append(
            Correction(
                name=name,
                sample=int(match[1]),
                question=int(match[2]),
                text=_text(record, "question", here),
                evidence=_texts(record, "correct_evidence", here),
            )
        )
    return tuple(corrections)


def apply_errata(
    samples: Sequence[Sample], corrections: Sequence[Correction]
) -> tuple[tuple[Sample, ...], int]:
    """The samples with corrected evidence, and the number of questions it changed.

    Raises:
        InputError: a record names a question that is not in this file or reads differently there.
    """
    corrected = {index: list(sample.questions) for index, sample in enumerate(samples)}
    changed = 0
    for correction in corrections:
        questions = corrected.get(correction.sample, [])
        known = questions[correction.question] if correction.question < len(questions) else None
        if known is None or known.text != correction.text:
            raise InputError(
                f"locomo errata: {correction.name} does not match this file",
                hint="the overlay is for another edition of LoCoMo: import without --errata",
            )
        changed += known.evidence != correction.evidence
        questions[correction.question] = replace(known, evidence=correction.evidence)
    return tuple(
        replace(sample, questions=tuple(corrected[index])) for index, sample in enumerate(samples)
    ), changed


def resolve(text: str, sample: Sample) -> Evidence:
    """Which turns an evidence string names: one id, else every `D<n>:<m>` in it without leading zeros."""
    if text in sample.session_of:
        return Evidence(verbatim=True, found=(text,))
    found: list[str] = []
    dropped: list[str] = []
    for match in _DIA_ID.finditer(text):
        name = f"D{match[1].lstrip('0') or '0'}:{match[2].lstrip('0') or '0'}"
        (found if name in sample.session_of else dropped).append(name)
    dropped += [rest for part in _DIA_ID.split(text)[::3] if (rest := part.strip(_SEPARATORS))]
    return Evidence(verbatim=False, found=tuple(found), dropped=tuple(dropped))


def _sample(entry: Mapping[str, Any], place: str) -> Sample:
    name = _text(entry, "sample_id", place)
    place = f'{place} "{name}"'
    conversation = _object(entry.get("conversation"), f"{place}: conversation")
    numbers = sorted(int(match[1]) for key in conversation if (match := _SESSION.fullmatch(key)))
    if not numbers:
        raise InputError(f"{place}: the conversation has no sessions", hint=_EDITION)
    sessions, session_of = [], {}
    for number in numbers:
        session = _session(conversation, number, f"{place}: session_{number}")
        for turn in session.turns:
            if turn.name in session_of:
                raise InputError(
                    f'{place}: session_{number}: dia_id "{turn.name}" is used twice', hint=_EDITION
                )
            session_of[turn.name] = number
        sessions.append(session)
    questions = []
    for index, question in enumerate(_array(entry.get("qa"), f"{place}: qa", "a list of questions")):
        questions.append(_question(question, index, f"{place}: question {index}"))
    return Sample(name, tuple(sessions), tuple(questions), session_of)


def _session(conversation: Mapping[str, Any], number: int, place: str) -> Session:
    date = _text(conversation, f"session_{number}_date_time", place)
    turns = []
    for index, entry in enumerate(_array(conversation[f"session_{number}"], place, "a list of turns")):
        here = f"{place}: turn {index}"
        turn = _object(entry, here)
        caption = turn.get("blip_caption") or ""
        if not isinstance(caption, str):
            raise InputError(f"{here}: blip_caption is not text", hint=_EDITION)
        spoken = turn.get("text")
        if not isinstance(spoken, str):
            raise InputError(f"{here}: text is missing or not text", hint=_EDITION)
        turns.append(Turn(_text(turn, "dia_id", here), _text(turn, "speaker", here), spoken, caption))
    return Session(number, date, _timestamp(date, place), tuple(turns))


def _timestamp(date: str, place: str) -> str:
    """`1:56 pm on 8 May, 2023` as `2023-05-08T13:56:00Z`; the file names no zone."""
    match = _DATE.fullmatch(date.strip())
    if match and match[5].lower() in MONTHS and 1 <= int(match[1]) <= 12:
        hour = int(match[1]) % 12 + (12 if match[3] == "pm" else 0)
        month = MONTHS.index(match[5].lower()) + 1
        stamp = f"{match[6]}-{month:02}-{int(match[4]):02}T{hour:02}:{match[2]}:00Z"
        if instant(stamp) is not None:
            return stamp
    raise InputError(
        f'{place}: date "{date[:60]}" is not of the form "1:56 pm on 8 May, 2023"', hint=_EDITION
    )


def _question(value: Any, index: int, place: str) -> Question:
    entry = _object(value, place)
    category = entry.get("category")
    if isinstance(category, bool) or not isinstance(category, int) or not 1 <= category <= LAST_CATEGORY:
        raise InputError(f"{place}: category is not a number from 1 to {LAST_CATEGORY}", hint=_EDITION)
    return Question(index, _text(entry, "question", place), category, _texts(entry, "evidence", place))


def _array(value: Any, place: str, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"{place}: expected {what}", hint=_EDITION)
    return value


def _object(value: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{place}: expected an object", hint=_EDITION)
    return value


def _text(entry: Mapping[str, Any], key: str, place: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{place}: {key} is missing, empty or not text", hint=_EDITION)
    return value


def _texts(entry: Mapping[str, Any], key: str, place: str) -> tuple[str, ...]:
    value = entry.get(key)
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise InputError(f"{place}: {key} is not a list of texts", hint=_EDITION)
    return tuple(value)
