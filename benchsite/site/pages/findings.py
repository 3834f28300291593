"""What frames the prose of a finding: result and picture above, the receipts behind it below; and the list of findings.

The picture is a forest plot of the receipts' own values and intervals. A receipt that is retracted, superseded or not
valid has no value in it, and a notice says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final, NamedTuple

from benchsite.history import Header, Verdict
from benchsite.site.charts import Scale
from benchsite.site.frame import PROSE
from benchsite.site.pages.home import Finding
from benchsite.track import Metric, Page

__all__ = ["CITED", "INDEX", "Row", "finding_page", "findings_page"]

INDEX: Final = "findings/"
CITED: Final = frozenset({Verdict.LOGGED, Verdict.WITNESSED, Verdict.DISPUTED})
"""Verdicts of receipts whose values are drawn."""


class Row(NamedTuple):
    """A row of the picture; `value` is None if the receipt can't be cited, or has no such number."""

    label: str
    group: str
    header: Header
    value: float | None
    low: float | None
    high: float | None
    n: int | None
    is_baseline: bool

    @property
    def subject(self) -> str:
        """System and configuration."""
        summary = self.header.summary
        if summary is None:
            return ""
        label = summary.subject.label
        return f"{summary.subject.name}, {label}" if label else summary.subject.name

    @property
    def is_cited(self) -> bool:
        """Whether the receipt is in good standing."""
        return self.header.verdict in CITED


class _Group(NamedTuple):
    """Consecutive rows of one heading, on the scale of the whole picture with their own dashed line."""

    title: str
    rows: Sequence[Row]
    scale: Scale


def finding_page(
    finding: Finding, question: str, rows: Sequence[Row], metric: Metric, picture: str = ""
) -> Page:
    """Return the frame of a finding: HTML with `PROSE` in the place of its prose.

    Args:
        finding: title, sentence and path.
        question: what the page answers; empty for none.
        rows: of the picture, top to bottom; none for a page without a picture of receipts.
        metric: of every row.
        picture: SVG markup from the repository, above the rows; empty for none.
    """
    scale = _scale(rows, metric)
    behind = {row.header.receipt_id: row for row in rows}
    return Page(
        path=finding.path,
        title=finding.title,
        description=finding.sentence,
        template="site/finding.html.j2",
        context={
            "sentence": finding.sentence,
            "question": question,
            "metric": metric,
            "scale": scale,
            "groups": [_group(title, list(found), scale) for title, found in groupby(rows, _title)],
            "behind": list(behind.values()),
            "withdrawn": [row for row in behind.values() if not row.is_cited],
            "picture": picture,
            "prose": PROSE,
        },
    )


def findings_page(findings: Sequence[Finding]) -> Page:
    """Return the frame of the page that lists the findings."""
    return Page(
        path=INDEX,
        title="Findings",
        description="What the record says, a page each, with the receipts behind every number.",
        template="site/findings.html.j2",
        context={"findings": findings, "prose": PROSE},
    )


def _title(row: Row) -> str:
    return row.group


def _scale(rows: Sequence[Row], metric: Metric) -> Scale:
    ends = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    return Scale.around(ends, metric=metric)


def _group(title: str, rows: Sequence[Row], scale: Scale) -> _Group:
    baseline = next((row.value for row in rows if row.is_baseline), None)
    return _Group(title, rows, Scale(scale.low, scale.high, baseline, scale.metric))
