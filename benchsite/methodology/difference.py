"""What became of one version's rules in another: every part that came, went or changed, and the words that did.

Owns the comparison of two documents of one track, in either direction. Parts are matched by the names that sheets,
receipts and links know them by (a measure's key, `U4`, a template's slug), prose by its headings without their
numbers, paragraphs by order. Layout is no change: prose is compared with its line breaks undone. Words are compared
up to a bound; beyond it, and where too little is common to read, the old text is given whole before the new.

Refuses nothing: documents were checked when they were parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, Final, Literal

from benchsite import canonical
from benchsite.methodology import Methodology, MethodologyData
from benchsite.methodology.instrument import Instrument, Template

__all__ = ["Difference", "Field", "Group", "Item", "Kind", "Run", "compare", "headed", "leaves", "marks"]

Kind = Literal["added", "changed", "removed"]
_NUMBER: Final = re.compile(r"^[0-9]+(\.[0-9]+)*\.?\s+")
_HEADING: Final = re.compile(r"(?m)^## +(.*)$")
_VERBATIM: Final = ("```", "|", "    ")
_Step = tuple[str, int, int, int, int]
"""An opcode of difflib: what, and where in the old and in the new sequence."""
_MOST_PAIRS: Final = 1_000_000
"""Words of the old text times words of the new: about a thousand each."""
_COMMON: Final = 0.5
"""Below this share of common words, marks within a sentence confuse more than they show."""


@dataclass(frozen=True, slots=True)
class Run:
    """Words that stand in both texts, or in one of them."""

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
    """A part that came, went or changed; `anchor` is its place on the page of a version that has it."""

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
    """A part of a document: its labelled texts, those that are not given left out."""

    anchor: str
    title: str
    texts: Mapping[str, str]


def compare(old: Methodology, new: Methodology) -> Difference:
    """What became of `old` in `new`; the numbers that name versions and their dates are no part of it."""
    before, after = dict(_parts(old.data)), dict(_parts(new.data))
    groups = [Group(title, tuple(_items(before[title], after[title]))) for title in after]
    groups.append(Group("Text", tuple(_sections(headed(old.text), headed(new.text)))))
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


def _parts(data: MethodologyData) -> Iterator[tuple[str, list[_Part]]]:
    """Every part of a document by its group, the same groups for every document."""
    about = {"Title": _NUMBER_OF_VERSION.sub("", data.title), "In short": data.summary}
    about |= {"Receipt schema": data.receipt_schema, "About": ", ".join(data.topics)}
    yield "The document", [_part("document", "Title and summary", about)]
    yield "Measures", [_part(item.name, item.label, _measure(item)) for item in data.measures]
    yield (
        "Parameters",
        [_part(f"parameter-{name}", name, {"Value": value}) for name, value in leaves(data.parameters)],
    )
    yield from _instrument(data.instrument)
    yield (
        "References",
        [
            _part(f"reference-{number}", item.title, _reference(item))
            for number, item in enumerate(data.references, 1)
        ],
    )


_NUMBER_OF_VERSION: Final = re.compile(r"\s*\bv?[0-9]+\.[0-9]+\.[0-9]+\b")


def _measure(item: Any) -> dict[str, str | None]:
    return {
        "Label": item.label,
        "Formula": item.formula,
        "In words": item.words,
        "Counted over": item.denominator,
        "Interval": item.interval,
        "Given at": item.cut,
    }


def _reference(item: Any) -> dict[str, str | None]:
    return {
        "Address": item.url,
        "Authors": item.authors,
        "Venue": item.venue,
        "Year": str(item.year or ""),
        "Note": item.note,
        "Topics": ", ".join(item.topics),
    }


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every parameter with its value as text, nested names joined by full stops."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, f"{name}.{key}" if name else str(key))
    else:
        yield name, value if isinstance(value, str) else canonical.dumps(value).decode()


def _instrument(found: Instrument | None) -> Iterator[tuple[str, list[_Part]]]:
    tests, disclosures = (found.required_tests, found.disclosures) if found else ((), ())
    yield (
        "Required tests",
        [
            _part(
                f"test-{item.id}",
                item.title,
                {
                    "Title": item.title,
                    "Instruction": item.instruction,
                    "Desired": item.desired,
                    "Failure": item.failure,
                    "Feeds": item.feeds,
                },
            )
            for item in tests
        ],
    )
    yield (
        "Disclosures",
        [
            _part(f"disclosure-{item.id}", item.title, {"Title": item.title, "Text": item.text})
            for item in disclosures
        ],
    )
    yield (
        "Universal dimensions",
        [
            _part(
                item.id,
                f"{item.id} {item.title}",
                {"Title": item.title, "Question": item.question, "Note": item.note} | _anchors(item.anchors),
            )
            for item in (found.dimensions if found else ())
        ],
    )
    anchors = _anchors(found.criterion_anchors) if found else {}
    yield (
        "Anchors of criteria",
        [_part("criterion-anchors", "What a score of a criterion means", anchors)] if anchors else [],
    )
    yield "Domain templates", [_template(item) for item in (found.templates if found else ())]
    said = found.repeatability if found else ()
    yield (
        "Repeatability",
        [_part("part-repeatability", "Repeated sessions", {"Text": "\n\n".join(said)})] if said else [],
    )


def _anchors(anchors: Mapping[Any, str]) -> dict[str, str]:
    return {f"Score {level}": anchors[level] for level in sorted(anchors, reverse=True)}


def _template(item: Template) -> _Part:
    texts: dict[str, str | None] = {
        "Title": item.title,
        "Schema": item.schema_name,
        "Summary": item.summary,
        "Examples": ", ".join(item.examples),
    }
    for one in item.scenarios:
        texts |= {f"{one.id}": one.title, f"{one.id}, task": one.task, f"{one.id}, set up": one.setup}
        texts |= {f"{one.id}, look for": one.look_for}
    for criterion in item.criteria:
        texts |= {f"Criterion {criterion.id}": criterion.title}
        texts |= {f"Criterion {criterion.id}, question": criterion.question}
    return _part(f"template-{item.slug}", item.title, texts)


def _part(anchor: str, title: str, texts: Mapping[str, str | None]) -> _Part:
    return _Part(anchor, title, {label: text for label, text in texts.items() if text})


def _items(old: Sequence[_Part], new: Sequence[_Part]) -> Iterator[Item]:
    """Parts in the order of the new document, then those that went."""
    before, after = ({_key(part): part for part in parts} for parts in (old, new))
    for key, part in after.items():
        known = before.get(key)
        if known is None:
            yield Item(part.anchor, part.title, "added", tuple(_whole(part, "added")))
        elif fields := tuple(_fields(known.texts, part.texts)):
            yield Item(part.anchor, part.title, "changed", fields)
    for key, part in before.items():
        if key not in after:
            yield Item(part.anchor, part.title, "removed", tuple(_whole(part, "removed")))


def _key(part: _Part) -> str:
    """References are numbered anew in each version: what they are called stays."""
    return part.title if part.anchor.startswith("reference-") else part.anchor


def _whole(part: _Part, kind: Literal["added", "removed"]) -> Iterator[Field]:
    for label, text in part.texts.items():
        if text != part.title:
            yield Field(label, kind, (Run(kind, text),))


def _fields(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Field]:
    labels = [*new, *(label for label in old if label not in new)]
    for label in labels:
        was, now = old.get(label), new.get(label)
        if was == now:
            continue
        if was is None or now is None:
            kind: Literal["added", "removed"] = "added" if was is None else "removed"
            yield Field(label, kind, (Run(kind, (now if was is None else was) or ""),))
        else:
            yield Field(label, "changed", _runs(was, now))


def _sections(old: Mapping[str, tuple[str, str]], new: Mapping[str, tuple[str, str]]) -> Iterator[Item]:
    for name, (title, body) in new.items():
        known = old.get(name)
        shown = title or "Opening"
        if known is None:
            yield Item("", shown, "added", tuple(_paragraphs("", body)))
        elif fields := tuple(_paragraphs(known[1], body)):
            yield Item("", shown, "changed", fields)
    for name, (title, body) in old.items():
        if name not in new:
            yield Item("", title or "Opening", "removed", tuple(_paragraphs(body, "")))


def _paragraphs(old: str, new: str) -> Iterator[Field]:
    """The paragraphs that differ, in reading order."""
    was, now = _split(old), _split(new)
    matcher = SequenceMatcher(None, was, now, autojunk=False)
    steps = matcher.get_opcodes() if len(was) * len(now) <= _MOST_PAIRS else [_all_of(was, now)]
    for step, a, b, c, d in steps:
        if step == "equal":
            continue
        pairs = min(b - a, d - c)
        for place in range(pairs):
            yield Field("", "changed", _runs(was[a + place], now[c + place]))
        yield from (Field("", "removed", (Run("removed", text),)) for text in was[a + pairs : b])
        yield from (Field("", "added", (Run("added", text),)) for text in now[c + pairs : d])


def _all_of(was: Sequence[str], now: Sequence[str]) -> _Step:
    return "replace", 0, len(was), 0, len(now)


def _split(text: str) -> list[str]:
    """Paragraphs, their line breaks undone where Markdown gives them no meaning."""
    found = [piece for piece in re.split(r"\n\s*\n", text) if piece.strip()]
    return [piece.strip("\n") if piece.startswith(_VERBATIM) else " ".join(piece.split()) for piece in found]


@lru_cache(maxsize=4096)
def _runs(old: str, new: str) -> tuple[Run, ...]:
    """Two texts as one, the words marked that only one of them has."""
    was, now = _words(old), _words(new)
    whole = (Run("removed", old), Run("added", new))
    if len(was) * len(now) > _MOST_PAIRS:
        return whole
    steps = SequenceMatcher(None, was, now, autojunk=False).get_opcodes()
    common = sum(_count(was[a:b]) for step, a, b, _, _ in steps if step == "equal")
    if 2 * common < _COMMON * (_count(was) + _count(now)):
        return whole
    found: list[Run] = []
    for step, a, b, c, d in _joined(steps, was):
        if step == "equal":
            found.append(Run("same", "".join(was[a:b])))
        else:
            found += [Run("removed", "".join(was[a:b]))] if a < b else []
            found += [Run("added", "".join(now[c:d]))] if c < d else []
    return tuple(found)


def _joined(steps: Sequence[_Step], was: Sequence[str]) -> list[_Step]:
    """Changes that only a space or a comma keeps apart as one: whole phrases are easier to read than scattered words."""
    found: list[_Step] = []
    for place, (step, a, b, c, d) in enumerate(steps):
        between = 0 < place < len(steps) - 1 and not _count(was[a:b])
        kind = "replace" if step != "equal" or between else "equal"
        if found and found[-1][0] == kind == "replace":
            _, first, _, third, _ = found.pop()
            found.append((kind, first, b, third, d))
        else:
            found.append((kind, a, b, c, d))
    return found


def _words(text: str) -> list[str]:
    """Words, the spaces between them and marks, so that joining them gives the text back."""
    return re.findall(r"\s+|\w+|[^\w\s]+", text)


def _count(pieces: Sequence[str]) -> int:
    """How many of them are words."""
    return sum(piece[:1].isalnum() or piece[:1] == "_" for piece in pieces)
