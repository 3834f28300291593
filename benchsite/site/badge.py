"""Badges of receipts and systems: the JSON that shields.io draws (https://shields.io/badges/endpoint-badge), and Markdown.

It says what the build found. A score is shown with its metric, its target, its CI and what it is worth (rank, test with the
baseline), and only if the receipt is logged and re-scored without a fault; any other badge says what is wrong. The subject is left out: it may have any length, and the
Markdown links the receipt, which names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NamedTuple
from urllib.parse import quote

from benchsite import canonical
from benchsite.addresses import badge_path, receipt_page_path, subject_badge_path, subject_path
from benchsite.board import Subject, Timeline
from benchsite.board.standing import worth
from benchsite.history import Header, Rescore, Verdict
from benchsite.site import formats, marks
from benchsite.track import Metric
from benchsite.words import shortened

__all__ = ["Words", "badge", "markdown", "subject_badge", "subject_markdown", "subject_words"]

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
    said = [_value(header, metric), *([header.worth] if header.worth else []), verdict.word]
    if header.imported:
        said.append("imported")
    elif not header.ranked:
        said.append("not ranked")
    return ", ".join(said), verdict.tone if header.ranked or header.imported else "caution"


def _value(header: Header, metric: Metric) -> str:
    """`0.534 [0.400, 0.600] model-rated`."""
    assert header.summary is not None  # noqa: S101 - the callers have looked
    found = header.summary.headline
    score = "blank" if found.value is None else f"{metric.figure(found.value)}{metric.scale}"
    if (
        found.value is not None
        and found.low is not None
        and found.high is not None
        and found.low != found.high
    ):
        score += f" [{metric.figure(found.low)}, {metric.figure(found.high)}]"
    return f"{score} {header.summary.note}".rstrip()


class Words(NamedTuple):
    """The two halves of a badge, and the tone of the second."""

    label: str
    message: str
    tone: marks.Tone


def subject_words(subject: Subject, timeline: Timeline) -> Words:
    """The badge of a subject on a leaderboard: its newest ranked receipt there, of whatever version and configuration.

    Without one, its newest receipt and why it isn't ranked.
    """
    board = timeline.board
    rows = [one.row for one in subject.results if one.board.path == board.path]
    row = max(rows, key=lambda row: (not row.baseline, row.header.index or 0), default=None)
    header = timeline.points[-1].header if row is None else row.header
    metric = board.about.metric
    if row is not None:
        among = board.imported.ranked if header.imported else board.ranked
        header = replace(header, worth=worth(board, row, of=len(among)))
    elif header.methodology != board.methodology:
        header = replace(header, worth=f"{board.about.rules} {header.methodology}, archived")
    return Words(_label(header, metric), *_found(header, metric))


def subject_badge(subject: Subject, timeline: Timeline, *, notice: bool) -> bytes:
    """`badges/retrieval/locomo-10-turn.json` of a subject; `notice` as in `badge`."""
    label, message, tone = subject_words(subject, timeline)
    if notice:
        message, tone = "see the notice on the site", "soft"
    return canonical.dumps({"schemaVersion": 1, "label": label, "message": message, "color": _COLORS[tone]})


def subject_markdown(subject: Subject, timeline: Timeline, *, site_url: str) -> str:
    """The badge of a subject as a picture that links its page; `site_url` ends in a slash."""
    about = timeline.board.about
    path = subject_badge_path(subject.id, about.track.name, timeline.board.target)
    label = f"{about.metric.label} on {shortened(formats.plain_name(timeline.board.target), LONGEST)}"
    return _picture(label, f"{site_url}{path}", f"{site_url}{subject_path(subject.id)}")


def markdown(header: Header, metric: Metric, *, site_url: str) -> str:
    """The badge as a picture that links the receipt; `site_url` ends in a slash.

    Its alternative text has no score and no verdict, which may change after the text is copied.
    """
    root, name = site_url, header.receipt_id
    return _picture(_label(header, metric), f"{root}{badge_path(name)}", f"{root}{receipt_page_path(name)}")


def _picture(words: str, badge_url: str, page_url: str) -> str:
    alternative = "".join(f"\\{char}" if char in "\\[]*_`<" else char for char in words)
    picture = f"{_SERVICE}{quote(badge_url, safe='')}"
    page = quote(page_url, safe=":/%?&=#~@+,;[]!$'*")
    return f"[![{alternative}]({picture})]({page})"
