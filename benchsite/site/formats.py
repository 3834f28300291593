"""How values are written on a page: numbers, moments, hashes and text that a stranger chose.

Foreign text is inert here: whatever would be invisible or would reorder its neighbors is written out as an escape
(`benchsite.unseen`). HTML escaping itself is the template engine's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from benchsite import unseen
from benchsite.words import amount as plural
from benchsite.words import number_word

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October")
_MONTH_NAMES = (*_MONTHS, "November", "December")


visible = unseen.escaped


def plain_name(text: str) -> str:
    """Foreign text as part of a title: visible, on one line, in composed form."""
    return visible(" ".join(unicodedata.normalize("NFC", text).split()))


_OF_100 = frozenset({"composite_score", "universal_score", "domain_score", "raw_composite", "penalty"})
"""Measures given in points of 100; every other one lies between 0 and 1."""


def of_100(metric: str) -> bool:
    """Whether a measure is given in points of 100."""
    return metric in _OF_100


def score(value: float | None, metric: str = "") -> str:
    """A measure with its fixed number of decimals, two in points of 100 and else three; a dash where it is blank."""
    if of_100(metric):
        return points(value)
    return "–" if value is None else f"{value:.3f}"


def points(value: float | None) -> str:
    """A number beside points of 100, such as a dimension's mean of 5, in their two decimals."""
    return "–" if value is None else f"{value:.2f}"


def count(value: int | None) -> str:
    """A whole number with commas between thousands; a dash where it is unknown."""
    return "–" if value is None else f"{value:,}"


def amount(value: float | None, unit: str = "") -> str:
    """A measured quantity to three significant figures, as `41.2 ms`."""
    if value is None:
        return "–"
    if value != 0 and abs(value) < 0.01:
        text = f"{value:.2g}"
    elif abs(value) >= 100:
        text = f"{value:,.0f}"
    else:
        text = f"{value:.3g}"
    return f"{text}\u00a0{unit}" if unit else text


def octets(size: int) -> str:
    """A file's size: exact below 10,000 bytes, then in kB."""
    return f"{size:,} bytes" if size < 10_000 else f"{size / 1000:,.1f} kB"


def moment(text: str) -> str:
    """`2026-11-21T21:20:03Z` as `2026-11-21 21:20 UTC`; anything else as it is."""
    return f"{text[:10]} {text[11:16]} UTC" if re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d", text) else text


def day(text: str) -> str:
    """`2026-05-17` as `17 May 2026`; anything else as it is."""
    if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])-\d\d", text):
        return text
    year, month, date = text.split("-")
    return f"{int(date)} {_MONTH_NAMES[int(month) - 1]} {year}"


def short(digest: str) -> str:
    """The first eight characters of a digest, its algorithm left out."""
    bare = digest.rpartition(":")[2]
    return f"{bare[:8]}…" if len(bare) > 9 else bare


def sentence(text: str) -> str:
    """The text with its first letter large, as a sentence begins."""
    return f"{text[:1].upper()}{text[1:]}"


_FAMILIES = {
    "ndcg": "nDCG",
    "mrr": "MRR",
    "map": "MAP",
    "true_recall": "true recall",
    "recall_all": "all found",
    "composite_score": "Composite",
    "universal_score": "Universal",
    "domain_score": "Domain",
}


def metric_name(key: str) -> str:
    """`ndcg_at_10` as it is spoken of: `nDCG@10`."""
    family, at, cut = key.partition("_at_")
    return f"{_FAMILIES.get(family, family.replace('_', ' '))}{'@' if at else ''}{cut}"


FILTERS: Mapping[str, object] = {
    "visible": visible,
    "score": score,
    "points": points,
    "count": count,
    "number_word": number_word,
    "amount": amount,
    "octets": octets,
    "moment": moment,
    "day": day,
    "short": short,
    "plural": plural,
    "sentence": sentence,
}
