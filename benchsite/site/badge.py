"""The badge of a receipt: the JSON that shields.io draws (https://shields.io/badges/endpoint-badge), and its Markdown.

It says what the build found. A score is shown with its metric and its target, and only where the receipt is logged and
re-scored without a fault; any other badge says what is wrong. The subject is left out: it may have any length, and the
Markdown links the receipt, which names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from benchsite import canonical
from benchsite.addresses import badge_path, receipt_page_path
from benchsite.history import Header, Rescore, Verdict
from benchsite.site import formats, marks
from benchsite.track import Metric
from benchsite.words import shortened

__all__ = ["badge", "markdown"]

LONGEST: Final = 60
"""Characters of a target that are shown."""

_SERVICE: Final = "https://img.shields.io/endpoint?url="
_COLORS: Final[Mapping[marks.Tone, str]] = {
    "good": "brightgreen",
    "caution": "yellow",
    "bad": "red",
    "soft": "lightgrey",
}


def badge(header: Header, metric: Metric | None, *, notice: bool) -> bytes:
    """`badge.json`; `metric` is the headline's, None where no number of the receipt may be quoted.

    `notice`: every page of the site has a banner, as a preview and a demonstration do. A badge has no room for it, and
    so says nothing else.
    """
    message, tone = _found(header, metric)
    if notice:
        message, tone = "see the notice on the site", "soft"
    label = "benchsite receipt" if header.summary is None or metric is None else _label(header, metric)
    return canonical.dumps({"schemaVersion": 1, "label": label, "message": message, "color": _COLORS[tone]})


def _label(header: Header, metric: Metric) -> str:
    """`nDCG@10 on locomo-10-turn`."""
    assert header.summary is not None  # noqa: S101 - the callers have looked
    target = formats.plain_name(header.summary.target)
    return f"{metric.label} on {shortened(target, LONGEST)}"


def _found(header: Header, metric: Metric | None) -> tuple[str, marks.Tone]:
    """The score with what was found of it, or what keeps it from being shown."""
    verdict, rescore = marks.VERDICTS[header.verdict], marks.RESCORES[header.rescore]
    if header.verdict not in (Verdict.LOGGED, Verdict.WITNESSED):
        return verdict.word, verdict.tone
    if any(step.name == "invariants" for step in header.steps):
        return "impossible values", "bad"
    if header.rescore is not Rescore.MATCHES:
        return f"re-score: {rescore.word}", rescore.tone
    if header.summary is None or metric is None:
        return marks.VERDICTS[Verdict.UNSUPPORTED].word, marks.VERDICTS[Verdict.UNSUPPORTED].tone
    value = header.summary.headline.value
    score = "blank" if value is None else f"{metric.figure(value)}{metric.scale}"
    said = [f"{score} {header.summary.note}".rstrip(), verdict.word]
    if header.imported:
        said.append("imported")
    elif not header.ranked:
        said.append("not ranked")
    return ", ".join(said), verdict.tone if header.ranked or header.imported else "caution"


def markdown(header: Header, metric: Metric, *, site_url: str) -> str:
    """The badge as a picture that links the receipt; `site_url` ends in a slash.

    Its alternative text has no score and no verdict, which may change after the text is copied.
    """
    alternative = "".join(f"\\{char}" if char in "\\[]*_`<" else char for char in _label(header, metric))
    picture = f"{_SERVICE}{quote(f'{site_url}{badge_path(header.receipt_id)}', safe='')}"
    page = quote(f"{site_url}{receipt_page_path(header.receipt_id)}", safe=":/%?&=#~@+,;[]!$'*")
    return f"[![{alternative}]({picture})]({page})"
