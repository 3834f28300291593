"""What a run prints of a measurement: each number beside the last recorded one of the same size, and beside its gate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tests.bench.history import Line, last
from tests.bench.measurement import Measured, flat


def table(measured: Measured, lines: Sequence[Line], machine: dict[str, Any]) -> Iterator[str]:
    """The lines of one measurement's table."""
    yield f"{measured.name}: {measured.size:,} {measured.unit}, rounds: {measured.rounds}"
    found = last(lines, measured.name, measured.size)
    before = found[1] if found is not None else {}
    if found is not None:
        elsewhere = "" if found[0].machine == machine else ", on another machine"
        yield f"  last: {found[0].release}, {found[0].date[:10]}, {found[0].commit[:12]}{elsewhere}"
    rows = list(flat(measured.numbers))
    width = max(len(name) for name, _ in rows)
    for name, number in rows:
        cells = [f"  {name:{width}}  {shown(number):>10}"]
        if name in before:
            cells.append(f"last {shown(before[name]):>10}  {_times(number, before[name]):>7}")
        if name in measured.gates:
            at = "" if measured.size == measured.gated_size else f" at {measured.gated_size:,}"
            cells.append(f"gate{at}: {measured.gates[name]}")
        yield "   ".join(cells)


def shown(number: float) -> str:
    """A number as a person reads it."""
    if isinstance(number, int) or number.is_integer():
        return f"{number:,.0f}"
    return f"{number:,.4g}" if abs(number) < 1000 else f"{number:,.0f}"


def _times(number: float, before: float) -> str:
    """The ratio to the last one; nothing where that was zero."""
    return f"{number / before:.2f} x" if before else ""
