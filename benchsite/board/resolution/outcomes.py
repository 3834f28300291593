"""Results per instance as lines of JSON `{"system", "outcomes": {instance: value}, "published"?}`.

A missing instance is missing, not 0. `published` (or `aggregate`) is a number of the owner's page, or an object of them.
Refused, naming the line: a name twice in one object, a system twice, and outcomes that are no finite number.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from benchsite.errors import InputError
from benchsite.words import one_line

LARGEST: Final = 1e100
"""Squares of larger outcomes would not be finite."""

SMALLEST: Final = 1e-290
"""Quotients of smaller outcomes other than 0 would not be finite."""
MEMBERS: Final = ("published", "aggregate")
"""The members of a line that may hold published numbers; the first with a number counts."""

_NUMBER: Final = re.compile(r"\s*[-+]?[0-9][0-9.,]*\s*%?\s*")

TEXT: Final = "text"

_FORM: Final = 'a line is {"system": NAME, "outcomes": {INSTANCE: NUMBER, ...}}'
_ONCE: Final = "each name occurs once in a JSON object: give one outcome per instance"
_OMIT: Final = "write a number, or omit an instance that was not run"
_KINDS: Final[Mapping[type, str]] = {
    dict: "an object",
    list: "a list",
    str: TEXT,
    bool: "true or false",
    float: "a number",
    type(None): "null",
}

Values: TypeAlias = npt.NDArray[np.float64]
Places: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """One system of a leaderboard.

    Attributes:
        name: as the file has it.
        where: the file and line, for messages.
        places: ascending places of its instances among those of all systems, by id; shape (n,).
        values: the outcome of each; shape (n,).
        mean: of the outcomes, their sum rounded correctly; 0 without any.
        published: finite numbers of the owner, by name.
        unusable: what else the owner gives as a published number, by name: "text", "NaN or infinite" and the like.
        unread: why it has no outcomes; empty if it has.
    """

    name: str
    where: str
    places: Places
    values: Values
    mean: float
    published: Mapping[str, float]
    unusable: Mapping[str, str]
    unread: str = ""


class Outcomes:
    """The systems of a leaderboard while they are read."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._systems: dict[str, System] = {}

    def add(
        self,
        name: str,
        outcomes: Mapping[str, float],
        where: str,
        *,
        published: Mapping[str, float] | None = None,
        unusable: Mapping[str, str] | None = None,
        unread: str = "",
    ) -> None:
        """Add a system.

        Raises:
            InputError: a system has this name already, or an outcome is no finite number.
        """
        if name in self._systems:
            raise InputError(
                f"{where}: system {_shown(name)} is in {self._systems[name].where} too",
                hint="give each system once, or different names",
            )
        numbers = self._numbers
        places = np.fromiter(
            (numbers.setdefault(one, len(numbers)) for one in outcomes), np.int64, len(outcomes)
        )
        values = _values(outcomes, where)
        mean = math.fsum(values.tolist()) / len(values) + 0.0 if outcomes else 0.0  # never -0.0
        self._systems[name] = System(
            name, where, places, values, mean, published or {}, unusable or {}, unread
        )

    def systems(self) -> list[System]:
        """Return the systems in the order they were added, the instances of each in the order of their ids."""
        order = np.empty(len(self._numbers), np.int64)
        order[[self._numbers[one] for one in sorted(self._numbers)]] = np.arange(len(order))
        found = []
        for system in self._systems.values():
            places = order[system.places]
            ascending = np.argsort(places)
            found.append(replace(system, places=places[ascending], values=system.values[ascending]))
        return found


def read_lines(lines: Iterable[bytes], name: str) -> list[System]:
    """Read results per instance, one system a line.

    Args:
        lines: the lines of the file; blank ones are ignored.
        name: of the file, for messages.

    Raises:
        InputError: a line is malformed, or there is none.
    """
    outcomes = Outcomes()
    is_empty = True
    for number, line in enumerate(lines, 1):
        data = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if data.strip():
            is_empty = False
            _add(outcomes, data, f"{name} line {number}")
    if is_empty:
        raise InputError(f"{name} is empty", hint=_FORM)
    return outcomes.systems()


def _add(outcomes: Outcomes, line: bytes, where: str) -> None:
    row = _object_of(line, where)
    name = row.get("system")
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"{where}: no name of a system in `system`", hint=_FORM)
    found = row.get("outcomes")
    unread = ""
    if found is None or isinstance(found, bool) or found == {}:
        found, unread = {}, "no results per instance"
    if not isinstance(found, dict):
        raise InputError(f"{where}: outcomes is {_KINDS[type(found)]}, not an object", hint=_FORM)
    published, unusable = _published(row)
    outcomes.add(name, found, where, published=published, unusable=unusable, unread=unread)


def _object_of(line: bytes, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8"), object_pairs_hook=_once, parse_int=float)
    except UnicodeDecodeError:
        raise InputError(f"{where}: not UTF-8", hint="save the file as UTF-8") from None
    except _TwiceError as error:
        raise InputError(f"{where}: {_shown(str(error))} occurs twice", hint=_ONCE) from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"{where}: not JSON at column {error.colno}", hint=f"{_FORM}; run files need --qrels"
        ) from None
    except RecursionError:
        raise InputError(f"{where}: JSON nested too deeply", hint=_FORM) from None
    if not isinstance(row, dict):
        raise InputError(f"{where}: {_KINDS[type(row)]}, not a JSON object", hint=_FORM)
    return row


class _TwiceError(ValueError):
    """A name occurs twice in an object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise _TwiceError(name)
            seen.add(name)
    return value


def _published(row: Mapping[str, Any]) -> tuple[dict[str, float], dict[str, str]]:
    """Return the finite numbers that the owner publishes, and the kind of each other value, by name; null is no value."""
    unusable: dict[str, str] = {}
    for member in MEMBERS:
        stated = row.get(member)
        named = stated if isinstance(stated, dict) else {member: stated}
        given = {key: value for key, value in named.items() if value is not None}
        found = {key: value for key, value in given.items() if type(value) is float and math.isfinite(value)}
        others = {key: _kind(value) for key, value in given.items() if key not in found}
        if found:
            return found, {**unusable, **others}
        unusable = {**others, **unusable}
    return {}, unusable


def _kind(value: Any) -> str:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return "a number in quotes"
    return "NaN or infinite" if isinstance(value, float) else _KINDS[type(value)]


def _values(outcomes: Mapping[str, Any], where: str) -> Values:
    """The outcomes as doubles; true is 1 and false is 0."""
    given = list(outcomes.values())
    if not set(map(type, given)) <= {float, int, bool}:
        name, value = next(
            (name, value) for name, value in outcomes.items() if type(value) not in (float, int, bool)
        )
        raise InputError(
            f"{where}: the outcome of instance {_shown(name)} is {_KINDS[type(value)]}", hint=_OMIT
        )
    values = np.array(given, dtype=np.float64) + 0.0  # never -0.0
    sizes = np.abs(values)
    bad = np.flatnonzero(~((sizes <= LARGEST) & ((sizes >= SMALLEST) | (sizes == 0))))
    if len(bad):
        name = list(outcomes)[bad[0]]
        what = "is beyond 1e100" if sizes[bad[0]] > 1 else "is nearer to 0 than 1e-290"
        if not math.isfinite(values[bad[0]]):
            what = "is not a finite number"
        raise InputError(f"{where}: the outcome of instance {_shown(name)} {what}", hint=_OMIT)
    return values


def _shown(name: str) -> str:
    return f'"{one_line(name, 80)}"'
