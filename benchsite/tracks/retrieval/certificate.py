"""What a retrieval receipt's page says: numbers, denominators, plain words, and what came back for each query.

A function of the receipt, its status record and the content-addressed documents it names; no other receipt has
a part in it. Reads both schemas: 1.0.0, and 0.0.1 with its fewer fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchsite.history import Header
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.track import Library

SHOWN_QUERIES: Final = 25
LONGEST_TEXT: Final = 110
_CUT: Final = re.compile(r"^(?P<family>[a-z_]+)_at_(?P<k>[0-9]+)$")

# Family to its spoken name and what it says of the first k answers. `recall` is the seed's name for `success`.
_FAMILIES: Final[Mapping[str, tuple[str, str]]] = {
    "success": ("success", "at least one right {item} {within}"),
    "true_recall": ("true recall", "share of all right {item}s found {within}"),
    "recall_all": ("all found", "every right {item} {within}"),
    "precision": ("precision", "share of right {item}s {within}"),
    "mrr": ("MRR", "1 divided by the place of the first right {item}"),
    "map": ("MAP", "precision at each right {item}, averaged"),
    "ndcg": ("nDCG", "right {item}s, worth more near the top"),
}

_OTHERS: Final = {"abstention_rate": "questions without an answer that were met with silence"}


@dataclass(frozen=True, slots=True)
class Number:
    """One measure; `counted` is the denominator, with its numerator where the measure is a share."""

    label: str
    keys: tuple[str, ...]
    value: float | None
    low: float | None
    high: float | None
    num: int | None
    den: int | None
    excluded: int | None
    words: str

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """Value, interval, count, left out, words: as the table shows them."""
        counted = _count(self.den) if self.num is None else f"{self.num:,} / {_count(self.den)}"
        return (
            _figure(self.value),
            _interval(self.low, self.high),
            counted,
            _count(self.excluded),
            self.words,
        )


@dataclass(frozen=True, slots=True)
class Category:
    """The headline measures over one category of queries, and how often silence met a question without an answer."""

    name: str
    queries: int | None
    value: float | None
    low: float | None
    high: float | None
    success: float | None
    found: int | None
    silent: int | None
    unanswerable: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one query; `text` is empty where it may not or cannot be shown."""

    query_id: str
    text: str
    category: str
    expected: tuple[str, ...]
    more_expected: int
    rank: int | None
    scored: bool
    silent: bool
    error: str
    latency_ms: float | None

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """Question, expected ids, place of the first right answer, milliseconds: as the table shows them."""
        text = self.text if len(self.text) <= LONGEST_TEXT else f"{self.text[: LONGEST_TEXT - 1]}…"
        more = f" +{self.more_expected}" if self.more_expected else ""
        return (
            text or self.query_id,
            (", ".join(self.expected) or "–") + more,
            self.outcome,
            "–" if self.latency_ms is None else f"{self.latency_ms:.1f}",
        )

    @property
    def outcome(self) -> str:
        """The rank of the first right answer, or one word for why there is none."""
        if self.error:
            return self.error
        if self.rank is not None:
            return str(self.rank)
        if self.scored:
            return "missed"
        return "silent" if self.silent else "apart"


@dataclass(frozen=True, slots=True)
class Certificate:
    """Everything the template prints that is not the envelope's."""

    headline: str
    value: float | None
    low: float | None
    high: float | None
    sentence: str
    item: str
    max_k: int
    numbers: tuple[Number, ...]
    categories: tuple[Category, ...]
    answers: tuple[Answer, ...]
    total_answers: int
    texts: bool
    faults: tuple[tuple[str, int], ...]
    speeds: tuple[tuple[str, float | None, str], ...]
    cautions: tuple[str, ...]


def certificate(header: Header, document: Document, library: Library) -> Certificate:
    """Read a receipt's body into what its page says; `header.summary` must be present."""
    if header.summary is None:
        raise ValueError(f"receipt {header.receipt_id} may not be quoted")
    headline = header.summary.headline
    fixture = library.fixture(header.summary.target, header.summary.target_sha256)
    item = item_word(document)
    rules = _rules(document, library)
    max_k = max((cut[1] for key in document["scores"] if (cut := _cut(key))), default=0)
    rows = document["perQuery"]
    return Certificate(
        headline=_label(headline.metric),
        value=headline.value,
        low=headline.low,
        high=headline.high,
        sentence=_sentence(document, item, max_k),
        item=item,
        max_k=max_k,
        numbers=numbers(document, item, rules),
        categories=categories(document, headline.metric, max_k),
        answers=_answers(rows, fixture),
        total_answers=len(rows),
        texts=fixture is not None,
        faults=_faults(document),
        speeds=_speeds(document),
        cautions=_cautions(document),
    )


def item_word(document: Document) -> str:
    """What a right answer is called: `turn`, `session`, `document`, or `item` where the receipt does not say."""
    return str(document["fixture"].get("granularity", "item"))


def numbers(document: Document, item: str, rules: Methodology | None) -> tuple[Number, ...]:
    """The scores, one line a measure: families in a fixed order, then by cut-off; twins share a line."""
    scores = document["scores"]
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
    return tuple(_number(document, sorted(keys), item, rules) for _, keys in sorted(found.items()))


def _number(document: Document, keys: Sequence[str], item: str, rules: Methodology | None) -> Number:
    key = keys[-1]
    interval = document.get("intervals", {}).get(key) or {}
    counted = document.get("denominators", {}).get(key) or {}
    return Number(
        label=_label(key),
        keys=tuple(keys),
        value=document["scores"][key],
        low=interval.get("low"),
        high=interval.get("high"),
        num=counted.get("num"),
        den=counted.get("den"),
        excluded=counted.get("excluded"),
        words=_words(key, item, rules),
    )


def _words(key: str, item: str, rules: Methodology | None) -> str:
    cut = _cut(key)
    if cut is None:
        measures = rules.data.measures if rules else ()
        return next((measure.words for measure in measures if measure.name == key), _OTHERS.get(key, ""))
    family = "success" if cut[0] == "recall" else cut[0]
    if family not in _FAMILIES:
        measures = rules.data.measures if rules else ()
        words = next((measure.words for measure in measures if measure.name == f"{family}_at_k"), "")
        return re.sub(r"\bk\b", str(cut[1]), words)
    within = "in first place" if cut[1] == 1 else f"in the first {spoken(cut[1])}"
    return _FAMILIES[family][1].format(item=item, within=within)


def categories(document: Document, metric: str, max_k: int) -> tuple[Category, ...]:
    """The headline measure of each category, in name order."""
    found = []
    for name, part in sorted(document.get("byCategory", {}).items()):
        interval = (part.get("intervals") or {}).get(metric) or {}
        denominators = part.get("denominators") or {}
        counted = denominators.get(f"success_at_{max_k}") or {}
        abstention = denominators.get("abstention_rate") or {}
        scores = part["scores"]
        found.append(
            Category(
                name=name,
                queries=counted.get("den"),
                value=scores.get(metric),
                low=interval.get("low"),
                high=interval.get("high"),
                success=scores.get(f"success_at_{max_k}"),
                found=counted.get("num"),
                silent=abstention.get("num"),
                unanswerable=abstention.get("den") or 0,
            )
        )
    return tuple(found)


def _sentence(document: Document, item: str, max_k: int) -> str:
    """One plain sentence with counts, and what was left out or went wrong."""
    counted = document.get("denominators", {}).get(f"success_at_{max_k}") or {}
    rows = document["perQuery"]
    if "num" not in counted:
        hits = sum(1 for row in rows if row["hit"])
        return (
            f"It says that it found a right {item} among its first {spoken(max_k)} answers for {hits:,} of "
            f"{len(rows):,} questions."
        )
    said = (
        f"It found a right {item} among its first {spoken(max_k)} answers for {counted['num']:,} of "
        f"{counted['den']:,} questions."
    )
    excluded = counted.get("excluded") or 0
    failed = sum(1 for row in rows if row.get("error") is not None)
    parts = []
    if excluded:
        one = excluded == 1
        parts.append(
            f"{excluded:,} question{'' if one else 's'} without an answer {'was' if one else 'were'} scored apart"
        )
    parts.append(f"{failed:,} failed and count as not found" if failed else "none failed")
    rest = "; ".join(parts)
    return f"{said} {rest[:1].upper()}{rest[1:]}."


def _answers(rows: Sequence[Mapping[str, Any]], fixture: Mapping[str, Any] | None) -> tuple[Answer, ...]:
    """The first queries, in the fixture's order where it is at hand."""
    texts: dict[str, str] = {}
    ordered: Iterable[Mapping[str, Any]] = rows
    if fixture is not None:
        texts = {query["id"]: query["query"] for query in fixture["queries"]}
        place = {query_id: number for number, query_id in enumerate(texts)}
        ordered = sorted(rows, key=lambda row: place.get(row["queryId"], len(place)))
    return tuple(_answer(row, texts) for row, _ in zip(ordered, range(SHOWN_QUERIES), strict=False))


def _answer(row: Mapping[str, Any], texts: Mapping[str, str]) -> Answer:
    expected = [entry["id"] for entry in row.get("expected", ()) if entry["grade"] >= 1]
    return Answer(
        query_id=row["queryId"],
        text=texts.get(row["queryId"], ""),
        category=row.get("category") or "",
        expected=tuple(expected[:2]),
        more_expected=max(0, len(expected) - 2),
        rank=row["rank"],
        scored="expected" not in row or bool(expected),
        silent=not row["retrieved"],
        error=_ERRORS.get(row.get("error") or "", ""),
        latency_ms=row.get("latencyMs"),
    )


_ERRORS: Final = {
    "timeout": "no answer in time",
    "raised": "raised an error",
    "crashed": "crashed",
    "protocol": "broke the protocol",
}
_FAULTS: Final = {
    "duplicates": "the same id more than once in one answer",
    "foreignIds": "ids from outside the question's scope",
    "badScores": "scores outside 0 to 1",
    "overK": "more answers than asked for",
    "failed": "questions that failed and count as not found",
    "timedOut": "questions that ran out of time and count as not found",
}


def _faults(document: Document) -> tuple[tuple[str, int], ...]:
    """How often the adapter broke its contract, in words; schema 0.0.1 counted only by what it recorded."""
    recorded = document.get("faults")
    if recorded is None:
        twice = sum(len(row["retrieved"]) - len(set(row["retrieved"])) for row in document["perQuery"])
        return ((_FAULTS["duplicates"], twice),) if twice else ()
    return tuple((words, recorded[key]) for key, words in _FAULTS.items() if recorded.get(key))


_SPEEDS: Final = (
    ("latency_p50_ms", "half of the questions within", "ms"),
    ("latency_p95_ms", "19 of 20 within", "ms"),
    ("latency_p99_ms", "99 of 100 within", "ms"),
    ("ingest_throughput_items_per_sec", "items taken in a second", ""),
)


def _speeds(document: Document) -> tuple[tuple[str, float | None, str], ...]:
    timing = document.get("timing") or document["scores"]
    return tuple((words, timing[key], unit) for key, words, unit in _SPEEDS if timing.get(key) is not None)


_CAUTIONS: Final = {
    "low-n": "Fewer than 20 questions were timed, so the slowest of them decides the second figure.",
    "unreliable-load": "The machine was busy with other work, so these times are unreliable.",
}


def _cautions(document: Document) -> tuple[str, ...]:
    """What to hold against the times, in words."""
    flags = (document.get("timing") or {}).get("flags") or ()
    return tuple(_CAUTIONS.get(flag, flag) for flag in flags)


def _rules(document: Document, library: Library) -> Methodology | None:
    named = document.get("methodology")
    if named is None:
        return None
    return next((rules for rules in library.methodologies if rules.reference == dict(named)), None)


def _cut(key: str) -> tuple[str, int] | None:
    found = _CUT.match(key)
    return (found["family"], int(found["k"])) if found else None


def _label(key: str) -> str:
    cut = _cut(key)
    if cut is None:
        return key.replace("_", " ")
    family = "success" if cut[0] == "recall" else cut[0]
    return f"{_FAMILIES[family][0] if family in _FAMILIES else family.replace('_', ' ')}@{cut[1]}"


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _interval(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{low:.3f}–{high:.3f}"


def _count(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def spoken(number: int) -> str:
    """`ten` for the common cut-offs, figures otherwise."""
    return {1: "one", 3: "three", 5: "five", 10: "ten", 20: "twenty", 100: "hundred"}.get(
        number, f"{number:,}"
    )
