"""The values of one subject on one leaderboard over the log: a step line a configuration, CIs, leader and baseline.

The horizontal axis is the index of log entries, the only order that can't be changed later. A dashed line is where another
methodology version came into force: values on its two sides aren't comparable, so no line crosses it. The table of receipts
on the same page has every value of the drawing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from benchsite.board.past import Point, Span, State, Step, Timeline
from benchsite.site.charts import svg
from benchsite.track import Metric
from benchsite.words import shortened, whole

WIDTH: Final = 566
HEIGHT: Final = 206
LEFT: Final = 46
RIGHT: Final = 552
TOP: Final = 18
BOTTOM: Final = 176
MOST: Final = 40
"""Points of a drawing: the newest ones."""

_STEPS: Final = tuple(digit * 10.0**power for power in range(-4, 4) for digit in (1, 2, 5))
_LETTER: Final = 7
"""Pixels a character of a label takes."""

_MARKS: Final[dict[State, str]] = {
    "current": "pt",
    "archived": "pt",
    "older": "pt hollow",
    "superseded": "pt hollow",
    "unranked": "pt faint",
    "reproduction": "pt hollow",
    "retracted": "gone",
}


def history(timeline: Timeline, name: str) -> str:
    """Draw the history of a subject on a leaderboard.

    Args:
        timeline: its receipts there.
        name: of the subject.
    """
    points = [one for one in timeline.points if _value(one) is not None][-MOST:]
    if not points:
        return ""
    frame = _framed(timeline, points)
    x, y = frame.x, frame.y
    parts = [
        *_grid(frame),
        *_versions(timeline, points, x),
        *_references(frame),
        *_lines(points, timeline.spans, x, y),
        *_points(points, x, y),
    ]
    metric = timeline.board.about.metric
    said = ", ".join(f"{metric.figure(_value(one))} at entry {_index(one):,}" for one in points)
    return svg.drawing(
        "chart history",
        (WIDTH, HEIGHT),
        f"{metric.label} of {shortened(name, 80)} on {timeline.board.target}: {said}",
        "Horizontal: log entry. Vertical: value with its 95% CI. The table of receipts has every value.",
        parts,
    )


def _value(point: Point) -> float | None:
    return point.header.summary.headline.value if point.header.summary is not None else None


def _index(point: Point) -> int:
    return point.header.index or 0


def _ends(point: Point) -> tuple[float, ...]:
    """The two ends of the CI; none without one."""
    found = point.header.summary.headline if point.header.summary is not None else None
    return () if found is None or found.low is None or found.high is None else (found.low, found.high)


@dataclass(frozen=True, slots=True)
class _Frame:
    """The two axes of a drawing, and the distance of its horizontal lines."""

    timeline: Timeline
    x: svg.Axis
    y: svg.Axis
    step: float


def _framed(timeline: Timeline, points: Sequence[Point]) -> _Frame:
    """The entries from the first point on with a margin, and round bounds around every value that is drawn."""
    first, last = _index(points[0]), timeline.last
    start = max(0, first - max(1, round((last - first) * 0.06)))
    values = [value for point in points for value in (_value(point), *_ends(point)) if value is not None]
    for span in timeline.spans:
        values += [step.value for step in _from(span, start) if step.value is not None]
        values += [span.baseline] if span.baseline is not None else []
    low, high = min(values), max(values)
    step = next((one for one in _STEPS if (high - low) / one <= 5), timeline.board.about.metric.most)
    bottom, top = (
        round(edge * step, 9) for edge in (math.floor(round(low / step, 9)), math.ceil(round(high / step, 9)))
    )
    if bottom == top:
        step = 0.1 * timeline.board.about.metric.most
        bottom, top = bottom - step, top + step
    return _Frame(
        timeline, svg.Axis(start, max(last, start + 1), LEFT, RIGHT), svg.Axis(bottom, top, BOTTOM, TOP), step
    )


def _grid(frame: _Frame) -> Iterator[str]:
    metric, y = frame.timeline.board.about.metric, frame.y
    for place in range(round((y.high - y.low) / frame.step) + 1):
        value = y.low + place * frame.step
        yield svg.line("grid", f"M{LEFT} {y.at(value):g}H{RIGHT}")
        yield svg.label(LEFT - 6, y.at(value) + 4, _written(value, frame.step, metric), "end")
    yield svg.line("axis", f"M{LEFT} {BOTTOM}H{RIGHT}")
    for entry in _entries(frame.x.low, frame.x.high):
        yield svg.label(frame.x.at(entry), BOTTOM + 18, whole(entry), "middle")


def _written(value: float, step: float, metric: Metric) -> str:
    """A number of the axis with the decimals that its steps need."""
    value, step = (100 * value, 100 * step) if metric.percent else (value, step)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:.{digits}f}{'%' if metric.percent else ''}"


def _entries(low: float, high: float) -> Iterator[int]:
    """At most seven round indices between two."""
    sizes = (digit * 10**power for power in range(16) for digit in (1, 2, 5))
    size = next(one for one in sizes if (high - low) / one <= 6)
    yield from range(math.ceil(low / size) * size, int(high) + 1, size)


def _versions(timeline: Timeline, points: Sequence[Point], x: svg.Axis) -> Iterator[str]:
    """A dashed line where a later version came into force after the first point."""
    for before, after in zip(timeline.spans, timeline.spans[1:], strict=False):
        at = x.at(after.start)
        if after.start <= _index(points[0]):
            continue
        words = f"methodology {before.methodology} → {after.methodology}"
        is_left = at + _LETTER * len(words) > RIGHT
        yield svg.line("version", f"M{at:g} {TOP - 4}V{BOTTOM}")
        yield svg.label(at + (-4 if is_left else 4), TOP - 7, words, "end" if is_left else "start")


def _ended(timeline: Timeline, span: Span) -> float:
    """The entry at which the next version came into force; the newest one for the last."""
    later = [one.start for one in timeline.spans if one.start > span.start]
    return min(later, default=timeline.last)


def _from(span: Span, first: float) -> list[Step]:
    """The steps of a leader from an entry on, the one in force there among them."""
    before = [step for step in span.leader if step.entry <= first][-1:]
    return [*before, *(step for step in span.leader if step.entry > first)]


def _references(frame: _Frame) -> Iterator[str]:
    """The leading value and the baseline of each version, with their names at the right end of the last one."""
    names: list[tuple[float, str]] = []
    about, last = frame.timeline.board.about, frame.timeline.last
    for span in frame.timeline.spans:
        start, end = max(frame.x.low, span.start), _ended(frame.timeline, span)
        if span.baseline is not None and start <= end:
            height = frame.y.at(span.baseline)
            yield svg.line("ref", f"M{frame.x.at(start):g} {height:g}H{frame.x.at(end):g}")
            names += (
                [(height, about.labels.get(about.baselines[0], about.baselines[0]))] if end == last else []
            )
        path, leading = _stairs(frame, span, start, end)
        if path:
            yield svg.line("lead", path)
        if leading is not None and end == last:
            names.append((frame.y.at(leading), "leader at that entry"))
    yield from _named(names)


def _stairs(frame: _Frame, span: Span, start: float, end: float) -> tuple[str, float | None]:
    """The path of the leading value between two entries, and the value at its end."""
    path, leading = "", None
    for step in _from(span, frame.x.low):
        if step.entry > end:
            break
        at = f"{frame.x.at(max(step.entry, start)):g}"
        if step.value is None:
            path += f"H{at}" if leading is not None else ""
        else:
            height = f"{frame.y.at(step.value):g}"
            path += f"M{at} {height}" if leading is None else f"H{at}V{height}"
        leading = step.value
    return (f"{path}H{frame.x.at(end):g}" if leading is not None else path), leading


def _named(names: Sequence[tuple[float, str]]) -> Iterator[str]:
    """Labels above their lines at the right end, no two on each other."""
    taken: list[float] = []
    for at, words in sorted(names):
        free = at - 5 if all(abs(at - 5 - other) > 12 for other in taken) else at + 13
        taken.append(free)
        yield svg.label(RIGHT, free, shortened(words, 30), "end")


def _lines(points: Sequence[Point], spans: Sequence[Span], x: svg.Axis, y: svg.Axis) -> Iterator[str]:
    """A step line through the values of one configuration under one version, each in force until the next."""
    joined: dict[tuple[str, tuple[str, str]], list[Point]] = {}
    for point in points:
        if point.state in ("current", "archived", "older", "superseded"):
            joined.setdefault((point.header.methodology, point.series), []).append(point)
    ends = {
        span.methodology: min((one.start for one in spans if one.start > span.start), default=None)
        for span in spans
    }
    for (version, _), found in joined.items():
        first = found[0]
        path = f"M{x.at(_index(first)):g} {y.at(_value(first) or 0.0):g}"
        path += "".join(f"H{x.at(_index(one)):g}V{y.at(_value(one) or 0.0):g}" for one in found[1:])
        end = ends.get(version)
        if found[-1].state in ("current", "archived"):
            path += f"H{max(x.at(_index(found[-1])), x.at(x.high if end is None else end)):g}"
        yield svg.line("step", path)


def _points(points: Sequence[Point], x: svg.Axis, y: svg.Axis) -> Iterator[str]:
    bars = "".join(
        f"M{x.at(_index(one)):g} {y.at(ends[0]):g}V{y.at(ends[1]):g}"
        for one in points
        if (ends := _ends(one))
    )
    if bars:
        yield svg.line("ci", bars)
    # A label covers no point: the text of one is about 8 pixels high.
    places = [(x.at(_index(one)), y.at(_value(one) or 0.0) + 4) for one in points]
    taken = [(at - 5, at + 5, height) for at, height in places]
    for point, words in reversed(list(zip(points, _labels(points), strict=True))):
        at, height = x.at(_index(point)), y.at(_value(point) or 0.0)
        yield _mark(point.state, at, height)
        yield from _label(words, at, height, taken)  # if two labels don't fit, the newer one stays


def _mark(state: State, x: float, y: float) -> str:
    if state == "retracted":
        return svg.line("gone", f"M{x - 4.5:g} {y - 4.5:g}l9 9m0-9l-9 9")
    if state == "reproduction":
        return svg.line(_MARKS[state], f"M{x - 4:g} {y - 4:g}h8v8h-8z")
    return svg.line(_MARKS[state], f"M{x - 4:g} {y:g}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z")


def _labels(points: Sequence[Point]) -> Iterator[str]:
    """What tells the points from each other: version, configuration, or both."""
    found = [one.header.summary.subject for one in points if one.header.summary is not None]
    has_versions = len({one.version for one in found}) > 1
    has_labels = len({one.label for one in found}) > 1
    for one in found:
        label = one.label or "default"
        both = (
            f"{one.version} {label}" if has_versions and has_labels else label if has_labels else one.version
        )
        yield shortened(both, 18)


def _label(words: str, x: float, y: float, taken: list[tuple[float, float, float]]) -> Iterator[str]:
    """The label of a point, if there is room: right of it or left, below or above."""
    width = _LETTER * len(words)
    for left, at in ((x + 7, y + 15), (x + 7, y - 8), (x - 7 - width, y + 15), (x - 7 - width, y - 8)):
        is_inside = left >= LEFT and left + width <= RIGHT and at <= BOTTOM - 2 and at >= TOP + 4
        if is_inside and not any(
            left < end and start < left + width and abs(at - height) < 12 for start, end, height in taken
        ):
            taken.append((left, left + width, at))
            yield svg.label(left, at, words)
            return
