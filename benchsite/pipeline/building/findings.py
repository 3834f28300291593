"""The frames of findings: their pictures drawn from the verified receipts that their front matter names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from benchsite.history import Header, History
from benchsite.pipeline.building.quoted_findings import Drawn, Written
from benchsite.receipt import Document
from benchsite.site.pages.findings import CITED, Row, finding_page, findings_page
from benchsite.track import Metric, Page, Track

__all__ = ["frames", "withdrawn"]


def frames(
    written: Sequence[Written],
    history: History,
    tracks: Mapping[str, Track],
    bodies: Callable[[str], Document],
) -> Iterator[Page]:
    """Yield what frames each finding, and the page that lists them.

    Raises:
        InputError: the record has no such receipt, the receipt no such number, or the rows of a picture differ in
            their metric; file and line in the message.
    """
    for one in written:
        rows, metrics = [], []
        for at, drawn in enumerate(one.rows):
            header = _header(one, at, drawn, history)
            row, metric = _row(one, at, drawn, header, tracks, bodies)
            rows.append(row)
            metrics += [metric] if metric is not None else []
        if differing := next((metric for metric in metrics if metric != metrics[0]), None):
            raise one.document.error(
                ["plot"],
                f"a picture has one metric, and this one has {metrics[0].label} and {differing.label}",
                hint="name the metric of every row with `metric: …`",
            )
        yield finding_page(
            one.finding, one.question, rows, metrics[0] if metrics else Metric(""), one.picture
        )
    if written:
        yield findings_page([one.finding for one in written])


def withdrawn(written: Sequence[Written], history: History) -> Iterator[str]:
    """Say which findings cite a receipt that is no longer in good standing."""
    for one in written:
        for drawn in one.rows:
            header = history.get(drawn.receipt)
            if header is not None and header.verdict not in CITED:
                yield f"{one.document.where}: receipt {header.receipt_id} is {header.verdict}: its value isn't drawn"


def _header(one: Written, at: int, drawn: Drawn, history: History) -> Header:
    header = history.get(drawn.receipt)
    if header is None:
        raise one.document.error(
            ["plot", at], f"no receipt {drawn.receipt}", hint="run `benchsite status`, or correct the id"
        )
    return header


def _row(
    one: Written,
    at: int,
    drawn: Drawn,
    header: Header,
    tracks: Mapping[str, Track],
    bodies: Callable[[str], Document],
) -> tuple[Row, Metric | None]:
    """Return a row and its metric; None for a receipt whose value isn't drawn."""
    if header.summary is None or header.verdict not in CITED:
        return Row(drawn.label, drawn.group, header, None, None, None, None, drawn.baseline), None
    document: Document = bodies(header.receipt_id)
    part = document.get("byCategory", {}).get(drawn.category, {}) if drawn.category else document
    key = one.metric or header.summary.headline.metric
    if key not in part.get("scores", {}):
        of = f" in category {drawn.category}" if drawn.category else ""
        raise one.document.error(
            ["plot", at],
            f"receipt {header.receipt_id} has no {key}{of}",
            hint=f"available: {', '.join(part.get('scores') or document['scores'])}",
        )
    interval = part.get("intervals", {}).get(key) or {}
    den = (part.get("denominators", {}).get(key) or {}).get("den")
    row = Row(
        drawn.label,
        drawn.group,
        header,
        part["scores"][key],
        interval.get("low"),
        interval.get("high"),
        den,
        drawn.baseline,
    )
    return row, tracks[header.track].metric(key)
