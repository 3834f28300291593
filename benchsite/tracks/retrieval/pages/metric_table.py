"""A receipt's scores as rows of a table: definitions, counts, and cut-offs that saturate.

What each metric means follows specs/retrieval.md, "Metrics". Others are looked up in the methodology.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from benchsite.board.receipt_view import Number, number
from benchsite.board.summary_text import measure_words
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.tracks.retrieval import TRACK
from benchsite.tracks.retrieval.scores.scoring import saturated
from benchsite.words import amount, share, whole

SATURATED: Final = "saturated (k ≥ size of the smallest scope)"
COLLAPSED: Final = "Zero-width CI: every query scored the same; not evidence of certainty."
"""The note beside a bootstrap CI whose ends are equal."""

_CUT: Final = re.compile(r"^(?P<family>[a-z_]+)_at_(?P<k>[0-9]+)$")
# Name and definition of each metric, in the order of the page. Schema 0.0.1 calls the hit rate recall.
_FAMILIES: Final[Mapping[str, tuple[str, str]]] = {
    "ndcg": ("nDCG", "discounted gain of the relevant {item}s, normalized to the ideal ranking"),
    "recall": ("Recall", "relevant {item}s in the top k ÷ all relevant {item}s"),
    "success": ("Hit rate (success@k)", "share of queries with ≥ 1 relevant {item} in the top k"),
    "recall_all": ("Full recall", "share of queries with every relevant {item} in the top k"),
    "precision": ("Precision", "relevant {item}s in the top k ÷ k"),
    "mrr": ("MRR", "reciprocal rank of the first relevant {item}"),
    "map": ("MAP", "mean average precision, cut at k"),
    "abstention_rate": ("Abstention rate", "share of unanswerable queries with an empty result"),
}
_LEGACY_HIT_RATE: Final = ("Hit rate (recall_at_k in 0.0.1)", _FAMILIES["success"][1])


@dataclass(frozen=True, slots=True)
class Category:
    """The headline metric over one category of queries, and how many of its unanswerable ones got an empty result."""

    name: str
    queries: int | None
    value: float | None
    low: float | None
    high: float | None
    found: int | None
    abstained: int | None
    unanswerable: int

    @property
    def counts(self) -> str:
        """`n = 24`, or `18 unanswerable` without scored queries."""
        return f"n = {self.queries:,}" if self.queries else f"{self.unanswerable:,} unanswerable"

    @property
    def heat(self) -> int:
        """The shade of its cell, 0 to 5 with the value."""
        return min(5, max(0, int((self.value or 0.0) * 6)))

    @property
    def hits(self) -> str:
        """Hits of the scored queries: `75.0% (18/24)`."""
        return share(self.found, self.queries) if self.queries and self.found is not None else "–"

    @property
    def abstentions(self) -> str:
        """Abstentions of the unanswerable queries: `33.3% (6/18)`."""
        return share(self.abstained or 0, self.unanswerable) if self.unanswerable else "–"


class Cell(NamedTuple):
    """A metric at one cut-off: value, 95% CI, and the two counts where it is a share."""

    value: str
    interval: str
    counts: str


@dataclass(frozen=True, slots=True)
class Metric:
    """A row of a receipt's table of metrics: one cell a cut-off; a metric without cut-offs has its cell first."""

    label: str
    cells: tuple[Cell | None, ...]
    n: str
    excluded: str
    words: str


def no_width(low: float | None, high: float | None) -> bool:
    """Whether an interval's ends are equal: a bootstrap over queries that all scored the same."""
    return low is not None and low == high


def item_word(document: Document) -> str:
    """What is retrieved: `turn`, `session`, `document`, or `item` where the receipt does not say."""
    return str(document["fixture"].get("granularity", "item"))


def numbers(document: Document, item: str, rules: Methodology | None) -> tuple[Number, ...]:
    """The scores, one row a key: metrics in a fixed order, then by cut-off."""
    legacy = "schemaVersion" not in document
    return tuple(
        number(document, [key], _metric(key), _definition(key, item, rules, legacy=legacy)[1])
        for key in _ordered(tuple(document["scores"]))
    )


def metrics(
    document: Document, found: Iterable[Number], item: str, rules: Methodology | None
) -> tuple[Metric, ...]:
    """The same with one row a metric and one cell a cut-off of the receipt."""
    ks = cuts(document)
    smallest, legacy = document["fixture"].get("smallestScope"), "schemaVersion" not in document
    rows: dict[str, dict[int, Number]] = {}
    for one in found:
        family, k = _parsed(one.keys[0])
        rows.setdefault(family, {})[k] = one
    made = []
    for by_k in rows.values():
        last = by_k[max(by_k)]
        label, words = _definition(last.keys[0], item, rules, legacy=legacy)
        full = [k for k in by_k if k and saturated(k, smallest)]
        if full:
            words = f"{words}; {', '.join(f'@{k}' for k in full)} {SATURATED}".removeprefix("; ")
        shown = tuple(_cell(by_k.get(k)) for k in ks) if 0 not in by_k else (_cell(by_k[0]),)
        made.append(Metric(label, shown, whole(last.den), whole(last.excluded), words))
    return tuple(made)


def cuts(document: Document) -> tuple[int, ...]:
    """The cut-offs that any score of the receipt has, ascending."""
    return _cuts(tuple(document["scores"]))


@lru_cache(maxsize=64)
def _cuts(scores: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(sorted({k for key in scores if _scored(key) and (k := _parsed(key)[1])}))


def _cell(found: Number | None) -> Cell | None:
    if found is None:
        return None
    return Cell(found.shown, found.interval, found.counts if found.num is not None else "")


@lru_cache(maxsize=64)
def _ordered(scores: tuple[str, ...]) -> tuple[str, ...]:
    """The keys in the order of the page; worked out once, not once a receipt."""
    families = list(_FAMILIES)

    def place(key: str) -> tuple[int, int, str]:
        family, k = _parsed(key)
        return families.index(family) if family in _FAMILIES else len(families), k, key

    return tuple(sorted(filter(_scored, scores), key=place))


def _scored(key: str) -> bool:
    """Whether it is a quality metric: schema 0.0.1 has times among its scores."""
    return not key.startswith(("latency", "ingest"))


_metric: Final = lru_cache(maxsize=256)(TRACK.metric)


def _definition(key: str, item: str, rules: Methodology | None, *, legacy: bool) -> tuple[str, str]:
    """The name of a metric without its cut-off, and its definition."""
    family, k = _parsed(key)
    if family in _FAMILIES:
        return _defined(family, item, legacy=legacy)
    return TRACK.metric(key).label.removesuffix(f"@{k}"), measure_words(key, rules)


@lru_cache(maxsize=64)
def _defined(family: str, item: str, *, legacy: bool) -> tuple[str, str]:
    """The same of a family whose definition is here; receipts of one fixture share all of theirs."""
    label, words = _LEGACY_HIT_RATE if legacy and family == "recall" else _FAMILIES[family]
    return label, words.format(item=item)


def saturation(fixture: Mapping[str, object], k: int, item: str) -> str:
    """The caution about metrics at `k` where it covers a whole scope; empty where it does not."""
    smallest = fixture.get("smallestScope")
    if not isinstance(smallest, int) or not saturated(k, smallest):
        return ""
    return (
        f"Saturated: k = {k} and the smallest scope has {amount(smallest, item)}. "
        f"A system that returns all of them has recall 1 there; only the order differs."
    )


def categories(document: Document, metric: str, k: int) -> tuple[Category, ...]:
    """The headline metric and the hit rate of each category, in name order."""
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
                abstained=abstention.get("num"),
                unanswerable=abstention.get("den") or 0,
            )
        )
    return tuple(found)


def cut_of(metric: str) -> int:
    """10 for `ndcg_at_10`, 0 where there is no cut-off."""
    return _parsed(metric)[1]


def largest_cut(scores: Iterable[str]) -> int:
    """The largest cut-off among these keys, 0 where none has one."""
    return max((_parsed(key)[1] for key in scores), default=0)


@lru_cache(maxsize=256)
def _parsed(key: str) -> tuple[str, int]:
    """(`ndcg`, 10) for `ndcg_at_10`; the key and 0 without a cut-off."""
    found = _CUT.match(key)
    return (found["family"], int(found["k"])) if found else (key, 0)
