"""Charts as static SVG: every figure drawn from numbers the receipts carry.

`CHARTS` has every chart by the name that templates call it by; `svg` has the parts that all are made of. The table around
a chart holds the same numbers. A track of another package has charts of its own in its part `charts`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from benchsite.site.charts.bars import bars
from benchsite.site.charts.history import history
from benchsite.site.charts.intervals import Scale, interval_plot
from benchsite.site.charts.items import categories, items
from benchsite.site.charts.pareto import pareto
from benchsite.site.charts.radar import radar
from benchsite.site.charts.scatter import scatter
from benchsite.site.charts.solved import solved

__all__ = ["CHARTS", "Scale"]

CHARTS: Final[Mapping[str, Callable[..., str]]] = {
    "bars": bars,
    "history_plot": history,
    "interval_plot": interval_plot,
    "drawn_categories": categories,
    "drawn_items": items,
    "pareto": pareto,
    "radar": radar,
    "scatter": scatter,
    "solved": solved,
}
