"""A retrieval fixture: items, queries and qrels, from the bytes of `fixture.json` to frozen models.

Follows specs/retrieval.md, "Fixtures". Pure: takes bytes, never a path. What is wrong with a document is
found before anything is raised, and every problem names the file, the place, the id and the next step.
Refuses duplicate or unknown ids, empty text, timestamps that name no moment, and unknown fields.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import AfterValidator, Field, JsonValue, PrivateAttr, StringConstraints, ValidationError

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.schema import MOST_FAULTS, SLUG, Form, Sha256Hex, Slug, Text
from benchsite.tracks.retrieval.timestamps import instant

__all__ = ["MAX_BYTES", "Expected", "Fixture", "Importer", "Item", "Query", "parse"]

MAX_BYTES = 512 * 1024 * 1024
SHOWN_PROBLEMS = 20
SHOWN_ALIKE = 5
_ENTRY = re.compile(r'^(items|queries)\[\d+\]( ".*")?: ')
_CORRECT = "correct the dataset, then run: benchsite fixture validate"

_WORDS = {
    "dict_type": "must be an object",
    "missing": "missing",
    "model_attributes_type": "must be an object",
    "model_type": "must be an object",
    "string_type": "must be text",
    "too_short": "must not be empty",
    "tuple_type": "must be an array",
}
"""Faults of shape in JSON's words; pydantic speaks of Python's types."""


def _check_id(value: str) -> str:
    if value.startswith("?"):
        raise ValueError('ids may not start with "?", which marks unknown ids in a receipt')
    return value


def _check_timestamp(value: str) -> str:
    if instant(value) is None:
        raise ValueError(f'"{_shown(value)}" is not an RFC 3339 timestamp such as 2023-05-08T13:56:00Z')
    return value


def _check_content(value: str) -> str:
    if not value.strip():
        raise ValueError("text is empty")
    return value


def _check_split(value: str) -> str:
    if value == "holdout":
        raise ValueError('a public dataset can\'t have a holdout split: call it "reserved"')
    return value


Id = Annotated[Text, AfterValidator(_check_id)]
Content = Annotated[str, AfterValidator(_check_content)]
Timestamp = Annotated[str, AfterValidator(_check_timestamp)]


class Item(Form):
    """One thing to remember. A null timestamp counts as oldest; `metadata` is handed to adapters as it is."""

    id: Id
    scope: Text
    content: Content
    timestamp: Timestamp | None = None
    metadata: dict[str, JsonValue] = Field(default_factory=dict)


class Expected(Form):
    """One line of the qrels: an item id and its grade; grade 0 is judged and not relevant."""

    id: Id
    grade: Annotated[int, Field(ge=0, le=1000)]


class Query(Form):
    """A question asked of one scope; `when` is the moment it is asked, `answerable: false` expects an empty result."""

    id: Id
    query: Content
    scope: Text
    expected: Annotated[tuple[Expected, ...], Field(strict=False)]
    when: Timestamp | None = None
    category: Text | None = None
    answerable: bool = True
    split: Annotated[Text, AfterValidator(_check_split)] | None = None

    @property
    def relevant(self) -> tuple[str, ...]:
        """E of the metrics: the expected ids with grade 1 or more, in the file's order."""
        return tuple(entry.id for entry in self.expected if entry.grade >= 1)


class Importer(Form):
    """How an imported dataset was made: the dataset's kind, its sha256 and the options that changed it."""

    kind: Slug
    sha256: Sha256Hex
    options: dict[str, bool | str | None]


class Fixture(Form):
    """A whole fixture. Scopes, items and queries keep the order of the file."""

    id: Annotated[str, StringConstraints(pattern=SLUG)]
    benchmark: Text
    subset: Text | None = None
    description: str = ""
    granularity: Literal["turn", "session", "document"]
    items: Annotated[tuple[Item, ...], Field(strict=False, min_length=1)]
    queries: Annotated[tuple[Query, ...], Field(strict=False, min_length=1)]
    license: Text
    source: str
    notes: str = ""
    importer: Importer | None = None

    _sha256: str = PrivateAttr(default="")

    @property
    def sha256(self) -> str:
        """SHA-256 hex of the JCS of the parsed file, as receipts and the log pin it."""
        return self._sha256

    @cached_property
    def items_by_scope(self) -> Mapping[str, tuple[Item, ...]]:
        """Scopes in order of their first item, each with its items in order."""
        groups: dict[str, list[Item]] = {}
        for item in self.items:
            groups.setdefault(item.scope, []).append(item)
        return {scope: tuple(members) for scope, members in groups.items()}

    @cached_property
    def ids_by_scope(self) -> Mapping[str, frozenset[str]]:
        """The item ids of each scope."""
        return {scope: frozenset(item.id for item in items) for scope, items in self.items_by_scope.items()}

    @property
    def scopes(self) -> tuple[str, ...]:
        """Every scope, in order of its first item."""
        return tuple(self.items_by_scope)

    @property
    def counts(self) -> Mapping[str, int]:
        """What a receipt pins beside the sha256: `n` items, `queries`, `scopes`."""
        return {"n": len(self.items), "queries": len(self.queries), "scopes": len(self.items_by_scope)}

    @property
    def stated(self) -> dict[str, Any]:
        """What a receipt states of it."""
        return {
            "id": self.id,
            "sha256": self.sha256,
            **self.counts,
            "smallestScope": min(map(len, self.items_by_scope.values())),
            "granularity": self.granularity,
        }

    @classmethod
    def of(cls, document: Any, sha256: str) -> Self:
        """Validate a parsed document and remember the digest of what was parsed."""
        fixture = cls.model_validate(document)
        fixture._sha256 = sha256  # noqa: SLF001 - our own instance, before anyone else sees it
        return fixture


def parse(data: bytes, *, where: str) -> Fixture:
    """Read and check `fixture.json`.

    Args:
        data: the file's bytes, at most 512 MiB.
        where: the file's name, for messages.

    Raises:
        InputError: not strict JSON, or anything refused by the checks; the first 20 problems spelled out in
            one message, of one kind five, the others counted. Faults of shape are counted up to `MOST_FAULTS` a list.
    """
    try:
        document = canonical.loads(data, max_bytes=MAX_BYTES)
    except canonical.JsonError as error:
        raise InputError(f"fixture {where}: {error.message}", hint=error.hint) from None
    if not isinstance(document, dict):
        raise InputError(
            f"fixture {where}: expected a JSON object, not {_json_type(document)}", hint=_CORRECT
        )
    fixture, shape = None, list[_Problem]()
    try:
        fixture = Fixture.of(document, canonical.digest(document))
    except ValidationError as error:
        shape = list(_shape_problems(document, error))
    count, shown, alike = 0, list[str](), Counter[tuple[str, str]]()
    for problem in chain(shape, _duplicate_ids(document), _unknown_references(document)):
        count += 1
        alike[problem.kind] += 1
        if len(shown) < SHOWN_PROBLEMS and alike[problem.kind] <= SHOWN_ALIKE:
            shown.append(problem.sentence)
    if fixture is None or count:
        raise _error(where, count, shown)
    return fixture


class _Problem(NamedTuple):
    """One thing wrong; the costly search for what was meant is made only for the problems shown."""

    place: str
    text: str
    wrong: str = ""
    known: Iterable[str] = ()

    @property
    def kind(self) -> tuple[str, str]:
        """What is wrong in which field, whatever the entry."""
        return _ENTRY.sub(r"\1: ", self.place), self.text

    @property
    def sentence(self) -> str:
        near = difflib.get_close_matches(self.wrong, self.known, n=1) if self.wrong else []
        hint = f' (did you mean "{_shown(near[0])}"?)' if near else ""
        return f"{self.place}{self.text}{hint}"


def _error(where: str, count: int, shown: list[str]) -> InputError:
    if count == 1:
        return InputError(f"fixture {where}: {shown[0]}", hint=_CORRECT)
    least = "at least " if count >= MOST_FAULTS else ""
    lines = [f"fixture {where}: {least}{count} problems", *(f"  {line}" for line in shown)]
    if count > len(shown):
        lines.append(f"  and {least}{count - len(shown)} more")
    return InputError("\n".join(lines), hint=_CORRECT)


def _shape_problems(document: dict[str, Any], error: ValidationError) -> Iterator[_Problem]:
    for fault in error.errors(include_url=False, include_context=False):
        location, message = fault["loc"], fault["msg"].removeprefix("Value error, ")
        place = _place(document, location)
        if fault["type"] == "too_short" and document.get(str(location[0])):
            continue  # nothing is left of the list because its entries are malformed, which is said already
        if fault["type"] == "extra_forbidden":
            yield _Problem(place, "not a field of a dataset", str(location[-1]), _fields_at(location))
        elif fault["type"] == "string_pattern_mismatch":
            yield _Problem(place, _pattern_message(location, fault["input"]))
        else:
            yield _Problem(place, _WORDS.get(fault["type"], message[:1].lower() + message[1:]))


def _pattern_message(location: tuple[int | str, ...], value: object) -> str:
    if location == ("id",):
        return f'"{_shown(value)}" must be 1 to 80 of a-z, 0-9 and "-", not starting with "-"'
    return f'"{_shown(value)}" must be 1 to 200 characters without control characters'


def _duplicate_ids(document: dict[str, Any]) -> Iterator[_Problem]:
    for kind in ("items", "queries"):
        seen: dict[str, int] = {}
        for index, entry in _entries(document, kind):
            name = entry.get("id")
            if not isinstance(name, str):
                continue
            if name in seen:
                yield _Problem(_place(document, (kind, index)), f"id is already used by {kind}[{seen[name]}]")
            seen.setdefault(name, index)


def _unknown_references(document: dict[str, Any]) -> Iterator[_Problem]:
    """Scopes and expected ids of queries that name nothing, and ids expected twice by one query.

    An item whose scope cannot be read might be in any: then no scope is said to have no items.
    """
    by_scope: dict[str, dict[str, None]] = {}
    scope_of: dict[str, str] = {}
    for _, item in _entries(document, "items"):
        name, scope = item.get("id"), item.get("scope")
        if isinstance(scope, str):
            by_scope.setdefault(scope, {})
            if isinstance(name, str):
                by_scope[scope][name] = None
                scope_of.setdefault(name, scope)
    count = len(items) if isinstance(items := document.get("items"), list) else 0
    all_placed = (
        0 < count == sum(isinstance(item.get("scope"), str) for _, item in _entries(document, "items"))
    )
    for index, query in _entries(document, "queries"):
        scope, place = query.get("scope"), _place(document, ("queries", index))
        if not isinstance(scope, str):
            continue
        if scope in by_scope:
            yield from _expected_faults(query, scope, place, by_scope[scope], scope_of)
        elif all_placed:
            yield _Problem(place, f'scope "{_shown(scope)}" has no items', scope, by_scope)


def _expected_faults(
    query: dict[str, Any], scope: str, place: str, known: Mapping[str, None], scope_of: Mapping[str, str]
) -> Iterator[_Problem]:
    seen = set()
    for _, entry in _entries(query, "expected"):
        name = entry.get("id")
        if not isinstance(name, str):
            continue
        expected, absent = f'{place}expected id "{_shown(name)}" ', f'is not in scope "{_shown(scope)}"'
        if name in seen:
            yield _Problem(expected, "is listed twice")
        elif name not in known and name in scope_of:
            yield _Problem(expected, f'{absent} but in scope "{_shown(scope_of[name])}"')
        elif name not in known:
            yield _Problem(expected, absent, name, known)
        seen.add(name)


def _fields_at(location: tuple[int | str, ...]) -> list[str]:
    """The field names allowed where an unknown field was found."""
    models: dict[tuple[str, ...], type[Form]] = {
        (): Fixture,
        ("items",): Item,
        ("queries",): Query,
        ("queries", "expected"): Expected,
        ("importer",): Importer,
    }
    model = models.get(tuple(part for part in location[:-1] if isinstance(part, str)))
    return list(model.model_fields) if model else []


def _entries(parent: dict[str, Any], key: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The well-formed objects of a list, so that one broken entry does not hide what is wrong elsewhere."""
    value = parent.get(key)
    if isinstance(value, list):
        for index, entry in enumerate(value):
            if isinstance(entry, dict):
                yield index, entry


def _place(document: dict[str, Any], location: tuple[int | str, ...]) -> str:
    """`queries[3] "q17": expected[0].grade: ` for a path into the document."""
    path, rest = "", location
    if len(location) >= 2 and location[0] in ("items", "queries") and isinstance(location[1], int):
        kind, index = str(location[0]), location[1]
        entry = document[kind][index]
        name = entry.get("id") if isinstance(entry, dict) else None
        path = f"{kind}[{index}]" + (f' "{_shown(name)}"' if isinstance(name, str) else "") + ": "
        rest = location[2:]
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{_shown(part)}" for part in rest)
    return path + (f"{field.lstrip('.')}: " if field else "")


def _shown(value: object) -> str:
    """A subject's own text as far as a message may carry it: short, and without terminal controls."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", "\N{REPLACEMENT CHARACTER}", str(value)[:80])


def _json_type(value: object) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
