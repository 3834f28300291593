"""Items by systems as one picture: a row a system, a column an item, darker where more of its runs succeed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from benchsite.site.charts import svg

WIDTH: Final = 1180
LEFT: Final = 30
ROW: Final = 18

_APART: Final = 6
"""Width of a cell above which cells are drawn apart."""

SHADES: Final = ("none", "some", "every")


def solved(name: str, rows: Sequence[tuple[str, Sequence[float | None]]]) -> str:
    """Draw the share of successes of each item and system.

    Args:
        name: what is drawn.
        rows: label of a system, and for each item the share of its runs that succeeded; None if it was not run.
    """
    items = max((len(values) for _, values in rows), default=0) or 1
    cell = (WIDTH - LEFT) / items
    gap = 1 if cell > _APART else 0
    paths: dict[str, list[str]] = {shade: [] for shade in SHADES}
    labels = []
    for place, (label, values) in enumerate(rows):
        top = place * ROW
        labels.append(svg.label(LEFT - 6, top + 12.5, label, "end"))
        at = 0
        for shade, length in _stretches(values, apart=cell > _APART):
            if shade:
                paths[shade].append(
                    f"M{LEFT + at * cell:.1f} {top}h{length * cell - gap:.1f}v{ROW - 2}h-{length * cell - gap:.1f}z"
                )
            at += length
    said = "; ".join(
        f"{label}: {sum(value or 0 for value in values):g} of {len(values)}" for label, values in rows
    )
    return svg.drawing(
        "matrix",
        (WIDTH, max(1, len(rows)) * ROW),
        f"{name}: {said}",
        "A row is a system, a column an item; dark: every run succeeded, light: some did.",
        [*(svg.line(shade, "".join(found)) for shade, found in paths.items() if found), *labels],
    )


def _stretches(values: Sequence[float | None], *, apart: bool) -> Iterator[tuple[str, int]]:
    """Equal neighbors as one stretch, so that 700 items are a few rectangles; one by one if they are drawn apart."""
    for shade, group in groupby(_shade(value) for value in values):
        length = sum(1 for _ in group)
        yield from ((shade, 1) for _ in range(length)) if apart else ((shade, length),)


def _shade(value: float | None) -> str:
    if value is None:
        return ""
    return "none" if value == 0 else "every" if value == 1 else "some"
