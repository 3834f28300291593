"""BEAM (mohammadtavakoli78/BEAM): a folder per conversation, with `chat.json` and `probing_questions.json`.

Message ids count within a chat, so that item ids are `<chat>/<id>`, in one scope per chat. An index that the data's generator left
at the end of a message (`->-> 1,1`) is removed. Only the first message of a batch states its day, which holds for the batch.
`source_chat_ids` is a list, an object of lists, or null: of an update the later statement has grade 2 and the earlier one grade 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, Final

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.retrieval.importers.assembly import Collection, Origin
from benchsite.tracks.retrieval.importers.locomo_source import MONTHS
from benchsite.tracks.retrieval.importers.reading import json_document
from benchsite.tracks.retrieval.timestamps import instant
from benchsite.words import one_line

__all__ = ["convert"]

LICENSE: Final = "CC BY-SA 4.0 as datasets derived from it state; its repository has no license file"
SOURCE: Final = "mohammadtavakoli78/BEAM"
PUBLISHED: Final[Mapping[str, str]] = {
    "chats/100K": "3964c361ba000f9c3097e656ce4a9b0a255f5229130248cd907a301a544cd8dd",
    "11 of the 20 conversations of chats/100K": "9c1fc5af2ae9e1d0248aa9bcc5a246a0414d669fa0336c3971bc8172d999a687",
    "chats/500K": "b0782c22c101219db603c93683c63253da9cf3e2d10d55f602986e6982024633",
}
"""SHA-256 of the files of the conversations, one after the other, in the authors' repository at b2a3ee8."""
ABSTENTION: Final = "abstention"
_CHAT, _QUESTIONS = "chat.json", "probing_questions.json"
_OWN_FOLDER: Final = f"probing_questions/{_QUESTIONS}"
_INDEX: Final = re.compile(r"\s*->->\s*(?:[\d,\s]|N/A)*\)?$")
_ANCHOR: Final = re.compile(r"([A-Za-z]+)-(\d{1,2})-(\d{4})")
_UPDATED: Final = {"updated_info": 2, "updated": 2, "original_info": 1, "original": 1}
"""Grades of the statements of an update; every other statement has grade 1."""


def convert(
    files: Mapping[str, bytes], *, where: str, fixture_id: str | None, origin: Mapping[str, str]
) -> tuple[dict[str, Any], list[str]]:
    """Read the conversations of a folder.

    Args:
        files: by relative path: `<chat>/chat.json` and `<chat>/probing_questions.json`, the latter also in a folder of that name.
        where: the folder's name.
        fixture_id: of the fixture; by default `beam`, or `altered-beam` where it isn't the published data.
        origin: license, source, notes and description, where the person states others.

    Raises:
        InputError: a file is missing or malformed.
    """
    chats = sorted(
        (name.rpartition("/")[0] for name in files if name.rpartition("/")[2] == _CHAT), key=_in_order
    )
    if not chats:
        raise InputError(f"no {_CHAT} in a folder below this one", hint="PATH has a folder per conversation")
    found, parts = Collection(), list[bytes]()
    for chat in chats:
        prefix = f"{chat}/" if chat else ""
        asked = next(
            (f"{prefix}{name}" for name in (_QUESTIONS, _OWN_FOLDER) if f"{prefix}{name}" in files), ""
        )
        if not asked:
            raise InputError(f"{prefix}{_QUESTIONS} is missing", hint="each conversation has both files")
        scope, said = chat or "chat", f"{prefix}{_CHAT}"
        _messages(found, scope, json_document(files[said], said), said)
        _questions(found, scope, json_document(files[asked], asked), asked)
        parts += files[said], files[asked]
    data = b"".join(parts)
    is_published = canonical.sha256_hex(data) in PUBLISHED.values()
    stated = {
        "license": LICENSE if is_published else "unknown",
        "source": SOURCE if is_published else f"files in the format of BEAM, not known as published: {where}",
        **{name: value for name, value in origin.items() if value},
    }
    stated.setdefault(
        "notes", f"{len(chats)} conversations. One scope per conversation, one item per message."
    )
    stated.setdefault("description", "Queries about long conversations of a user and an assistant (BEAM).")
    return found.fixture(
        data,
        # Published receipts pin the digest of a fixture whose notes do not say so.
        replace(Origin.of("beam", stated, PUBLISHED), is_noted=not is_published),
        fixture_id or ("beam" if is_published else "altered-beam"),
        benchmark="beam",
        granularity="turn",
        options={"chats": ", ".join(chats)[:200] or "chat"},
    )


def _in_order(name: str) -> tuple[int, str]:
    last = name.rpartition("/")[2]
    return (int(last) if last.isdecimal() else 0, name)


def _messages(found: Collection, scope: str, chat: Any, where: str) -> None:
    if not isinstance(chat, list):
        raise InputError(f"{where}: not a list of batches", hint="as in the published data")
    day = None
    for number, batch in enumerate(chat):
        turns = batch.get("turns") if isinstance(batch, dict) else None
        if not isinstance(turns, list):
            raise InputError(f"{where}: batch {number} has no turns", hint="as in the published data")
        for message in chain.from_iterable(turn if isinstance(turn, list) else [turn] for turn in turns):
            if (
                not isinstance(message, dict)
                or not isinstance(message.get("content"), str)
                or "id" not in message
            ):
                raise InputError(
                    f"{where}: batch {number} has a message without id or content", hint="correct the file"
                )
            day = _day(message.get("time_anchor"), where) or day
            role = str(message.get("role") or "user")
            text = _INDEX.sub("", message["content"])
            found.item(
                f"{scope}/{message['id']}",
                f"{role}: {text}" if text.strip() else "",
                where,
                scope=scope,
                timestamp=day,
                metadata={"role": role},
            )


def _day(anchor: object, where: str) -> str | None:
    """`March-15-2024` as a time; None without one."""
    if not isinstance(anchor, str) or not anchor.strip():
        return None
    found = _ANCHOR.fullmatch(anchor.strip())
    if found is not None and found[1].lower() in MONTHS:
        time = f"{found[3]}-{MONTHS.index(found[1].lower()) + 1:02}-{int(found[2]):02}T00:00:00Z"
        if instant(time) is not None:
            return time
    raise InputError(f"{where}: time_anchor {anchor[:40]!r} is no day", hint="as in March-15-2024")


def _questions(found: Collection, scope: str, document: Any, where: str) -> None:
    if not isinstance(document, dict):
        raise InputError(f"{where}: not an object of lists of questions", hint="as in the published data")
    for category, questions in document.items():
        if not isinstance(questions, list):
            raise InputError(
                f"{where}: {one_line(category, 40)} is not a list of questions",
                hint="as in the published data",
            )
        for number, question in enumerate(questions):
            text = question.get("question") if isinstance(question, dict) else None
            if not isinstance(text, str):
                raise InputError(f"{where}: {category}[{number}] has no question", hint="correct the file")
            name = f"{scope}/{category}/{number}"
            found.query(
                name,
                text,
                where,
                scope=scope,
                category=category.replace("_", "-"),
                answerable=category != ABSTENTION,
            )
            if category == ABSTENTION:
                continue
            for item, grade in _sources(question.get("source_chat_ids")).items():
                found.judge(name, f"{scope}/{item}", grade, where)


def _sources(value: Any) -> dict[str, int]:
    """The ids of the messages that answer, with their grades."""
    found: dict[str, int] = {}
    for key, ids in value.items() if isinstance(value, dict) else (("", value),):
        for one in _flat(ids):
            found[str(one)] = max(found.get(str(one), 0), _UPDATED.get(key, 1))
    return found


def _flat(ids: Any) -> Iterator[int | str]:
    if isinstance(ids, list):
        for one in ids:
            yield from _flat(one)
    elif isinstance(ids, int | str) and not isinstance(ids, bool):
        yield ids
