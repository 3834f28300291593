"""Items by systems: a row a system, a column an item, a color the kind of result; one path a row and kind.

Strips of equal cells are strokes in units of items, so that 690 items of ten systems are 20 KB. The drawing stretches to
the width of the page, and so has no text: names are beside it, and the categories above it in a drawing that does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from benchsite.board.picture import NOT_RUN, Picture
from benchsite.site.charts import svg

if TYPE_CHECKING:
    from benchsite.board.picture import Group

ROW: Final = 20
"""Height of a row; the names beside it have the same."""
BAR: Final = 16
NARROW: Final = 0.07
"""Share of the width below which a category's name is not written above it."""
LETTER: Final = 0.0085
"""Share of the width that a letter takes, about."""


def items(made: Picture, noun: str) -> str:
    """Draw the cells of a picture; `noun` is what an item is, in the plural."""
    width = _width(made)
    rows = (
        f'<g class="row">{"".join(_paths(made, cells, place))}</g>' for place, cells in enumerate(made.cells)
    )
    height = len(made.cells) * ROW
    title = f"{len(made.items):,} {noun}, {len(made.cells)} systems"
    described = f"A row is a system, a column one of the {noun}; the tables below have the same."
    return "".join(
        [
            f'<svg class="cells" viewBox="0 0 {width} {height}" width="100%" height="{height}" preserveAspectRatio="none" role="img">',
            f"<title>{svg.escaped(title)}</title><desc>{svg.escaped(described)}</desc>",
            *rows,
            "</svg>",
        ]
    )


def categories(made: Picture) -> str:
    """Write the categories above their items, if there is room."""
    width = _width(made)
    labels = []
    for at, length, group in _places(made):
        share = length / width
        if share >= NARROW and group.name:
            most = int(share / LETTER) - len(f" {group.size:,}")
            name = group.name.replace("_", " ")
            said = name if len(name) <= most else f"{name[: max(1, most - 1)]}…"
            labels.append(
                f'<text x="{100 * at / width:.2f}%" y="11">{svg.escaped(said)} <tspan>{group.size:,}</tspan></text>'
            )
    if not labels:
        return ""
    return f'<svg class="over" width="100%" height="16" aria-hidden="true">{"".join(labels)}</svg>'


def _width(made: Picture) -> int:
    return sum(length for _, length, _ in _places(made)) + made.gap * max(0, len(made.groups) - 1)


def _places(made: Picture) -> Iterator[tuple[int, int, Group]]:
    """Yield where each category starts, in units, and how many items of it are drawn."""
    at = 0
    for group in made.groups:
        length = len(_drawn(made, group))
        yield at, length, group
        at += length + made.gap


def _drawn(made: Picture, group: Group) -> range:
    """The places of the items of a category that are drawn."""
    first = -(-group.start // made.step) * made.step
    return range(first, group.start + group.size, made.step)


def _paths(made: Picture, cells: str, place: int) -> Iterator[str]:
    """The paths of a row, one a kind."""
    y = place * ROW + ROW // 2
    stretches: dict[str, list[tuple[int, int]]] = {kind.key: [] for kind in made.kinds}
    for at, _, group in _places(made):
        start = at
        for key, same in groupby(cells[item] for item in _drawn(made, group)):
            length = sum(1 for _ in same)
            if key != NOT_RUN:
                stretches[key].append((start, length))
            start += length
    for kind in made.kinds:
        if stretches[kind.key]:
            yield f'<path class="k-{kind.tone}" d="{_path(stretches[kind.key], y)}"/>'


def _path(stretches: Sequence[tuple[int, int]], y: int) -> str:
    """Horizontal strokes from left to right, relative to each other."""
    parts: list[str] = []
    end = 0
    for start, length in stretches:
        parts.append(f"M{start} {y}h{length}" if not parts else f"m{start - end} 0h{length}")
        end = start + length
    return "".join(parts)
