"""A receipt's scores as lines of a table: plain words, counts, and where a cut-off stops telling.

What each measure means follows specs/retrieval.md, "Metrics". Names a rule set added are looked up in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from benchsite.board.receipt import Number, number
from benchsite.board.words import measure_words
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.tracks.retrieval import TRACK
from benchsite.words import amount, number_word

SATURATED: Final = "saturated: k covers the whole smallest scope"
COLLAPSED: Final = (
    "Where an interval has no width, all questions scored the same, so drawing them again cannot move the mean. It does "
    "not mean that the system is certain to score so on other questions."
)
"""What to say beside a bootstrap interval whose ends are equal."""

_CUT: Final = re.compile(r"^(?P<family>[a-z_]+)_at_(?P<k>[0-9]+)$")
# What a measure says of the first k answers. `recall` is the seed's name for `success`.
_FAMILIES: Final[Mapping[str, str]] = {
    "success": "at least one right {item} {within}",
    "true_recall": "share of all right {item}s found {within}",
    "recall_all": "every right {item} {within}",
    "precision": "share of right {item}s {within}",
    "mrr": "1 divided by the place of the first right {item}",
    "map": "precision at each right {item}, averaged",
    "ndcg": "right {item}s, worth more near the top",
}

_OTHERS: Final = {"abstention_rate": "questions without an answer that were met with silence"}


@dataclass(frozen=True, slots=True)
class Category:
    """The headline measures over one category of queries, and how often silence met a question without an answer."""

    name: str
    queries: int | None
    value: float | None
    low: float | None
    high: float | None
    found: int | None
    silent: int | None
    unanswerable: int


def no_width(low: float | None, high: float | None) -> bool:
    """Whether an interval's ends are equal: a bootstrap over questions that all scored the same."""
    return low is not None and low == high


def item_word(document: Document) -> str:
    """What a right answer is called: `turn`, `session`, `document`, or `item` where the receipt does not say."""
    return str(document["fixture"].get("granularity", "item"))


def numbers(document: Document, item: str, rules: Methodology | None) -> tuple[Number, ...]:
    """The scores, one line a measure: families in a fixed order, then by cut-off; twins share a line."""
    smallest = document["fixture"].get("smallestScope")
    return tuple(
        number(document, keys, TRACK.metric(keys[-1]), _words(keys[-1], item, rules, smallest))
        for keys in _lines(tuple(document["scores"]))
    )


@lru_cache(maxsize=64)
def _lines(scores: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The keys of each measure in the order of the page; worked out once, not once a receipt."""
    found: dict[tuple[int, int, str], list[str]] = {}
    families = list(_FAMILIES)
    for key in scores:
        cut = _cut(key)
        if cut is None:
            if not key.startswith(("latency", "ingest")):
                found[len(families), 0, key] = [key]
            continue
        family = "success" if cut[0] == "recall" else cut[0]
        place = families.index(family) if family in _FAMILIES else len(families)
        found.setdefault((place, cut[1], family), []).append(key)
    return tuple(tuple(sorted(keys)) for _, keys in sorted(found.items()))


def _words(key: str, item: str, rules: Methodology | None, smallest: int | None) -> str:
    """What a measure says, and where its cut-off stops telling."""
    words = _family_words(key, item) or measure_words(key, rules) or _OTHERS.get(key, "")
    if _cut(key) is not None and saturated(cut_of(key), smallest):
        return f"{words}; {SATURATED}" if words else SATURATED
    return words


def saturated(k: int, smallest: int | None) -> bool:
    """Whether the first k answers can hold a whole scope, so that returning everything finds everything there."""
    return smallest is not None and k >= smallest


def saturation(fixture: Mapping[str, object], k: int, item: str) -> str:
    """What to hold against the measures at `k` where it covers a whole scope; empty where it does not."""
    smallest = fixture.get("smallestScope")
    if not isinstance(smallest, int) or not saturated(k, smallest):
        return ""
    return (
        f"Saturated: k covers the whole smallest scope. It holds {amount(smallest, item)}, "
        f"so whoever returns all of them finds every right one there; only the order still tells systems apart."
    )


@lru_cache(maxsize=256)
def _family_words(key: str, item: str) -> str:
    """What a known measure says in words; empty for others."""
    cut = _cut(key)
    if cut is None:
        return ""
    family = "success" if cut[0] == "recall" else cut[0]
    if family not in _FAMILIES:
        return ""
    within = "in first place" if cut[1] == 1 else f"in the first {number_word(cut[1])}"
    return _FAMILIES[family].format(item=item, within=within)


def categories(document: Document, metric: str, k: int) -> tuple[Category, ...]:
    """The headline measure of each category, and how many were found at the headline's `k`, in name order."""
    found = []
    for name, part in sorted(document.get("byCategory", {}).items()):
        interval = (part.get("intervals") or {}).get(metric) or {}
        denominators = part.get("denominators") or {}
        counted = denominators.get(f"success_at_{k}") or {}
        abstention = denominators.get("abstention_rate") or {}
        scores = part["scores"]
        found.append(
            Category(
                name=name,
                queries=counted.get("den"),
                value=scores.get(metric),
                low=interval.get("low"),
                high=interval.get("high"),
                found=counted.get("num"),
                silent=abstention.get("num"),
                unanswerable=abstention.get("den") or 0,
            )
        )
    return tuple(found)


def cut_of(metric: str) -> int:
    """10 for `ndcg_at_10`, 0 where there is no cut-off."""
    cut = _cut(metric)
    return cut[1] if cut else 0


def largest_cut(scores: Iterable[str]) -> int:
    """The largest cut-off among these keys, 0 where none has one."""
    return max((cut[1] for key in scores if (cut := _cut(key))), default=0)


@lru_cache(maxsize=256)
def _cut(key: str) -> tuple[str, int] | None:
    found = _CUT.match(key)
    return (found["family"], int(found["k"])) if found else None
