"""How values are written on a page: numbers, moments, hashes and foreign text.

Foreign text is inert here: whatever would be invisible or would reorder its neighbors is written out as an escape
(`benchsite.unseen`). HTML escaping itself is the template engine's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from benchsite import markup, unseen
from benchsite.track import Metric
from benchsite.words import amount as plural
from benchsite.words import figure, number_word, p_value, sentence_case, whole

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October")
_MONTH_NAMES = (*_MONTHS, "November", "December")


visible = unseen.escaped
plain_name = markup.plain_name


def score(value: float | None, metric: Metric | None = None) -> str:
    """A metric with the decimals that it has, three unless it says otherwise; a dash where it is blank."""
    return metric.figure(value) if metric else figure(value)


def points(value: float | None) -> str:
    """A number beside points of 100, such as a dimension's mean of 5, in their two decimals."""
    return figure(value, 2)


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


FILTERS: Mapping[str, object] = {
    "visible": visible,
    "score": score,
    "points": points,
    "count": whole,
    "number_word": number_word,
    "amount": amount,
    "octets": octets,
    "moment": moment,
    "day": day,
    "short": short,
    "p_value": p_value,
    "plural": plural,
    "sentence": sentence_case,
}
