"""What became of one version's rules in another: every part that came, went or changed, and the words that did.

Owns the comparison of two documents of one track, in either direction. Parts are matched by the names that sheets,
receipts and links know them by (a measure's key, `U4`, a template's slug), prose by its headings without their
numbers, paragraphs by order. Layout is no change: prose is compared with its line breaks undone. Words are compared
up to a bound; beyond it, and where too little is common to read, the old text is given whole before the new.
The texts of a part are found by walking its model, so a new field of a schema is compared without code here.

Refuses nothing: documents were checked when they were parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import zip_longest
from typing import Any, Final, Literal

from benchsite import canonical
from benchsite.methodology import Methodology
from benchsite.methodology.instrument import Instrument
from benchsite.schema import Schema

__all__ = ["Difference", "Field", "Group", "Item", "Kind", "Run", "compare", "headed", "leaves", "marks"]

Kind = Literal["added", "changed", "removed"]
_NUMBER: Final = re.compile(r"^[0-9]+(\.[0-9]+)*\.?\s+")
_HEADING: Final = re.compile(r"(?m)^## +(.*)$")
_VERBATIM: Final = ("```", "|", "    ")
_WORD: Final = re.compile(r"^\s+|\S+\s*")
_NUMBER_OF_VERSION: Final = re.compile(r"\s*\bv?[0-9]+\.[0-9]+\.[0-9]+\b")
_IDENTITIES: Final = frozenset({"id", "name", "slug"})
_NOT_ABOUT: Final = frozenset(
    {"track", "version", "published", "changes", "measures", "parameters", "references", "instrument"}
)
"""Fields of a document that are no part of it, or parts with a group of their own."""
_LABELS: Final = {
    "words": "definition",
    "cut": "reported at",
    "schema_name": "schema",
    "setup": "set up",
    "url": "URL",
    "anchors": "score",
    "criteria": "criterion",
    "scenarios": "",
}
"""What a field is called, where that is not its name."""
_MOST_PAIRS: Final = 1_000_000
"""Words of the old text times words of the new: about a thousand each."""
_COMMON: Final = 0.5
"""Below this share of common words, marks within a sentence confuse more than they show."""


@dataclass(frozen=True, slots=True)
class Run:
    """Words that are in both texts, or in one of them."""

    kind: Literal["same", "added", "removed"]
    text: str


@dataclass(frozen=True, slots=True)
class Field:
    """A text of a part; one without a label is a paragraph."""

    label: str
    kind: Kind
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """A part that was added, removed or changed; `anchor` is its place on the page of a version that has it."""

    anchor: str
    title: str
    kind: Kind
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Parts of one sort."""

    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """All that differs; groups in which nothing does are left out."""

    groups: tuple[Group, ...]

    def count(self, kind: Kind) -> int:
        """How many parts came, went or changed."""
        return sum(item.kind == kind for group in self.groups for item in group.items)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a document, the name it is matched by, and its texts by label; prose has no label."""

    key: str
    anchor: str
    title: str
    texts: Mapping[str, str]


def compare(old: Methodology, new: Methodology) -> Difference:
    """What became of `old` in `new`; the numbers that name versions and their dates are no part of it."""
    before, after = _parts(old), _parts(new)
    titles = dict.fromkeys((*after, *before))
    groups = [Group(title, tuple(_items(before.get(title, ()), after.get(title, ())))) for title in titles]
    return Difference(tuple(group for group in groups if group.items))


def marks(difference: Difference) -> dict[str, Kind]:
    """What became of each part, by its place on the page."""
    return {item.anchor: item.kind for group in difference.groups for item in group.items}


def headed(text: str) -> dict[str, tuple[str, str]]:
    """Prose by section: heading in lower case to (heading, text), numbers left out; what precedes them has none."""
    pieces = _HEADING.split(text)
    found = {"": ("", pieces[0])} if pieces[0].strip() else {}
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        name = _NUMBER.sub("", title.strip())
        found[name.casefold()] = (name, body)
    return found


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every parameter with its value as text, nested names joined by full stops."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, f"{name}.{key}" if name else str(key))
    else:
        yield name, value if isinstance(value, str) else canonical.dumps(value).decode()


@lru_cache(maxsize=64)
def _parts(document: Methodology) -> Mapping[str, Sequence[_Part]]:
    """Every part of a document by its group."""
    data = document.data
    about = {name: value for name, value in data if name not in _NOT_ABOUT}
    about["title"] = _NUMBER_OF_VERSION.sub("", data.title)
    return {
        "Document": [_part("document", "Title and summary", about)],
        "Metrics": [_part(item.name, item.label, item) for item in data.measures],
        "Parameters": [
            _part(f"parameter-{name}", name, {"value": value}) for name, value in leaves(data.parameters)
        ],
        **(_instrument(data.instrument) if data.instrument else {}),
        "References": [
            _part(f"reference-{number}", item.title, item, key=item.title)
            for number, item in enumerate(data.references, 1)
        ],
        "Text": [
            _Part(name, "", title or "Opening", {"": body})
            for name, (title, body) in headed(document.text).items()
        ],
    }


def _instrument(found: Instrument) -> dict[str, list[_Part]]:
    anchors, said = {"anchors": found.criterion_anchors}, {"text": "\n\n".join(found.repeatability)}
    return {
        "Required tests": [_part(f"test-{item.id}", item.title, item) for item in found.required_tests],
        "Disclosures": [_part(f"disclosure-{item.id}", item.title, item) for item in found.disclosures],
        "Universal dimensions": [
            _part(item.id, f"{item.id} {item.title}", item) for item in found.dimensions
        ],
        "Criterion scale": [_part("criterion-anchors", "Criterion scale", anchors)],
        "Domain templates": [_part(f"template-{item.slug}", item.title, item) for item in found.templates],
        "Repeatability": [_part("part-repeatability", "Repeated sessions", said)],
    }


def _part(anchor: str, title: str, value: Schema | Mapping[str, Any], *, key: str = "") -> _Part:
    return _Part(key or anchor, anchor, title, dict(_texts(value)))


def _texts(value: Any, label: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a value with the names that lead to it: `Question`, `Score 5`, `D1` for its title, `D1, task`."""
    if isinstance(value, Schema | Mapping):
        for name, inner in dict(value).items():
            if name not in _IDENTITIES:
                yield from _texts(inner, _label(label, name))
    elif isinstance(value, tuple) and value and isinstance(value[0], Schema):
        for item in value:
            yield from _texts(item, f"{label} {item.id}".strip())
    elif value:
        yield label, ", ".join(value) if isinstance(value, tuple) else str(value)


def _label(label: str, name: str) -> str:
    known = _LABELS.get(name, name.replace("_", " "))
    if not label:
        return known[:1].upper() + known[1:]
    if name == "title":
        return label
    return f"{label} {name}" if name.isdigit() else f"{label}, {known}"


def _items(old: Sequence[_Part], new: Sequence[_Part]) -> Iterator[Item]:
    """Parts in the order of the new document, then those that went."""
    before, after = ({part.key: part for part in parts if part.texts} for parts in (old, new))
    for key in dict.fromkeys((*after, *before)):
        was, now = before.get(key), after.get(key)
        part = now or before[key]
        fields = tuple(_fields(was.texts if was else {}, now.texts if now else {}))
        if was and now:
            if fields:
                yield Item(part.anchor, part.title, "changed", fields)
        else:
            shown = tuple(field for field in fields if field.runs[0].text != part.title)
            yield Item(part.anchor, part.title, "added" if now else "removed", shown)


def _fields(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Field]:
    for label in dict.fromkeys((*new, *old)):
        was, now = old.get(label, ""), new.get(label, "")
        if was != now:
            yield from _fields_of(label, [was], [now]) if label else _paragraphs(_split(was), _split(now))


def _paragraphs(was: Sequence[str], now: Sequence[str]) -> Iterator[Field]:
    """The paragraphs that differ, in reading order."""
    if len(was) * len(now) > _MOST_PAIRS:
        yield from _fields_of("", was, now)
        return
    for step, a, b, c, d in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if step != "equal":
            yield from _fields_of("", was[a:b], now[c:d])


def _fields_of(label: str, was: Sequence[str], now: Sequence[str]) -> Iterator[Field]:
    """Texts beside those that took their places; an empty one is none."""
    for before, after in zip_longest(was, now, fillvalue=""):
        if before and after:
            yield Field(label, "changed", _runs(before, after))
        elif after:
            yield Field(label, "added", (Run("added", after),))
        else:
            yield Field(label, "removed", (Run("removed", before),))


def _split(text: str) -> list[str]:
    """Paragraphs, their line breaks undone where Markdown gives them no meaning."""
    found = [piece for piece in re.split(r"\n\s*\n", text) if piece.strip()]
    return [piece.strip("\n") if piece.startswith(_VERBATIM) else " ".join(piece.split()) for piece in found]


@lru_cache(maxsize=4096)
def _runs(old: str, new: str) -> tuple[Run, ...]:
    """Two texts as one, the words marked that only one of them has."""
    was, now = _WORD.findall(old), _WORD.findall(new)
    whole = (Run("removed", old), Run("added", new))
    if len(was) * len(now) > _MOST_PAIRS:
        return whole
    matcher = SequenceMatcher(
        None, [word.strip() for word in was], [word.strip() for word in now], autojunk=False
    )
    if matcher.ratio() < _COMMON:
        return whole
    found: list[Run] = []
    for step, a, b, c, d in matcher.get_opcodes():
        if step == "equal":
            found.append(Run("same", "".join(now[c:d])))
        else:
            found += [Run("removed", "".join(was[a:b]))] if a < b else []
            found += [Run("added", "".join(now[c:d]))] if c < d else []
    return tuple(found)
