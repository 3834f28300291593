"""Charts as static SVG: every figure drawn from numbers the receipts carry.

Each drawing names itself in `<title>`, says in `<desc>` how to read it, and takes its colors from the style
sheet by class; there is no style attribute and no script. The table around a drawing holds the same numbers.
"""

from __future__ import annotations

from benchsite.site.charts.bars import bars
from benchsite.site.charts.intervals import Scale, interval_plot
from benchsite.site.charts.radar import radar

__all__ = ["Scale", "bars", "interval_plot", "radar"]
