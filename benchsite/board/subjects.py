"""Subjects across tracks: an id for each name that a track measured, and the current results of each id.

The maintainer declares which names of several tracks are one subject. Any other name is a subject of one track, because
two tracks may use one name for two things. Ids are permanent: they follow from declarations and from the order of the log.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from benchsite import canonical
from benchsite.board.board import Board
from benchsite.board.boards import Boards
from benchsite.board.rows import Row
from benchsite.history import Header, History

_LONGEST: Final = 80
"""Characters of an id."""

Name = tuple[str, str]
"""A track and the name that its receipts state."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A subject as the maintainer declares it: its title, and its name on each track."""

    title: str
    names: Mapping[str, str]


class Result(NamedTuple):
    """A row of a current leaderboard."""

    board: Board
    row: Row


@dataclass(frozen=True, slots=True)
class Subject:
    """One subject with its current results.

    Attributes:
        id: part of its path.
        names: what its receipts call it, by track.
        results: its rows on current leaderboards, by leaderboard, ranked ones first.
        headers: its receipts that may be quoted, in log order.
    """

    id: str
    title: str
    names: tuple[Name, ...]
    results: tuple[Result, ...]
    headers: tuple[Header, ...] = ()


def subject_ids(history: History, declared: Mapping[str, Declared]) -> Mapping[Name, str]:
    """Return the id of each name with a receipt that may be quoted.

    The id of a name that is not declared is its slug; if another subject has it, `<slug>-<track>`; else the slug
    with the beginning of a SHA-256. The first in the log is served first.
    """
    known = {(track, name): key for key, one in declared.items() for track, name in one.names.items()}
    found: dict[Name, str] = {}
    taken = set(declared)
    for header in history:
        if header.summary is None or (name := (header.track, header.summary.subject.name)) in found:
            continue
        free = (candidate for candidate in _candidates(*name) if candidate not in taken)
        found[name] = known.get(name) or next(free)
        taken.add(found[name])
    return found


def subjects(boards: Boards, history: History, declared: Mapping[str, Declared]) -> tuple[Subject, ...]:
    """Return every subject with a receipt that may be quoted, by title."""
    ids = subject_ids(history, declared)
    names: dict[str, list[Name]] = defaultdict(list)
    for name, key in ids.items():
        names[key].append(name)
    results: dict[str, list[Result]] = defaultdict(list)
    for made in boards.current:
        for row in (*made.ranked, *made.imported.ranked, *made.baselines):
            results[ids[made.about.track.name, row.name]].append(Result(made, row))
    headers: dict[str, list[Header]] = defaultdict(list)
    for header in history:
        if header.summary is not None:
            headers[ids[header.track, header.summary.subject.name]].append(header)
    found = (
        Subject(
            id=key,
            title=declared[key].title if key in declared else of_key[0][1],
            names=tuple(of_key),
            results=tuple(results[key]),
            headers=tuple(headers[key]),
        )
        for key, of_key in names.items()
    )
    return tuple(sorted(found, key=lambda one: (one.title.lower(), one.id)))


def _candidates(track: str, name: str) -> Iterator[str]:
    digest = canonical.digest([track, name])
    slug = _slug(name) or f"subject-{digest[:8]}"
    for end in ("", f"-{track}", *(f"-{digest[:size]}" for size in range(8, 64))):
        yield f"{slug[: _LONGEST - len(end)]}{end}"


def _slug(name: str) -> str:
    """The letters and digits of a name in ASCII, without accents; runs of others are one hyphen."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii").lower()
    words = "".join(letter if letter.isalnum() else " " for letter in plain).split()
    return "-".join(words)[:_LONGEST].rstrip("-")
