"""What the page of an experiment shows of its summary: verdicts, points of charts, cells of tables, tasks that systems solved.

Every number is of `scores.experiment`; wording and layout are here, and nothing is signed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from benchsite.addresses import receipt_page_path
from benchsite.errors import InputError
from benchsite.history import Header
from benchsite.receipt import Document
from benchsite.tracks.agents.pages.experiments import Experiment
from benchsite.tracks.agents.pages.metric_table import NAMES
from benchsite.tracks.agents.pages.paths import run_path, task_path
from benchsite.tracks.agents.scores.scoring import successes
from benchsite.tracks.agents.systems.names import CONTROLS, budgeted
from benchsite.words import amount, difference, figure, p_value, percent, points

SHOWN_TASKS: Final = 100
"""Tasks on which systems differ that the page lists."""
_TONES: Final = {
    "efficiency-driven": "good",
    "productive": "good",
    "overpriced": "caution",
    "wasteful": "bad",
}


class Point(NamedTuple):
    """A system in the chart: number, name, tokens, success with its interval, and `diamond`, `square` or `circle`."""

    label: str
    name: str
    x: float
    y: float
    low: float | None
    high: float | None
    shape: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The best team of a benchmark against its strictest reference."""

    benchmark: str
    word: str
    tone: str
    team: str
    reference: str
    tokens: str
    delta: float
    low: float | None
    high: float | None
    cells: tuple[str, str, str, str]
    sentence: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One system on one benchmark; texts are dashes where a number is blank."""

    success: str
    interval: str
    heat: int
    best: bool
    tokens: str
    gain: str
    cost: str
    regime: str
    tone: str
    page: str


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What the page says of one benchmark; `why` is why its systems are not compared, or empty."""

    name: str
    tasks: int
    chart: tuple[Point, ...]
    reference: tuple[str, float] | None
    solved: tuple[tuple[str, tuple[float | None, ...]], ...]
    counts: tuple[int, int, int]
    names: tuple[str, ...]
    differing: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]
    more: int
    coordination: tuple[tuple[str, tuple[str, ...]], ...]
    reliability: tuple[tuple[str, tuple[str, ...]], ...]
    rank_spread: int | None
    why: str = ""


def called(name: str) -> str:
    """A system in words: `does nothing`, `sas-majority, budget 20,000 tokens`."""
    plain, budget = budgeted(name)
    return NAMES.get(name, name) if budget is None else f"{plain}, budget {budget:,} tokens"


def incomparable(name: str, error: InputError) -> Benchmark:
    """Return a benchmark whose systems are not compared."""
    return Benchmark(name, 0, (), None, (), (0, 0, 0), (), (), 0, (), (), None, error.message)


def verdicts(benchmark: str, held: Mapping[str, Any]) -> Iterator[Verdict]:
    """The headline verdict of a benchmark as a row; nothing without one."""
    stated = held["verdict"]
    if stated["system"] is None:
        return
    team, reference = stated["system"], stated["reference"]
    compared = held["systems"][team]["comparisons"]
    found = next(item for item in compared if item["reference"] == reference)
    low, high = found["interval"] or (None, None)
    word, tone = "undecided", "caution"
    if found["decided"]:
        word, tone = ("better", "good") if found["difference"] > 0 else ("worse", "bad")
    needed = found["tasksNeeded"]
    more = "–" if found["decided"] or needed is None else f"{max(1, needed - found['tasks']):,}"
    ratio = found["tokenRatio"]
    yield Verdict(
        benchmark,
        word,
        tone,
        called(team),
        called(reference),
        "–" if ratio is None else f"{ratio:.1f} ×",
        found["difference"],
        low,
        high,
        (
            points(found["difference"]),
            "–"
            if low is None or high is None
            else f"[{difference(100 * low, 1)}, {difference(100 * high, 1)}]",
            p_value(found["pAdjusted"]),
            more,
        ),
        stated["sentence"],
    )


def headline(found: Sequence[Verdict]) -> str:
    """The verdicts of all benchmarks in one sentence."""
    if not found:
        return "No verdict: no team and single agent ran the same tasks."
    equal = all(budgeted(item.reference.partition(",")[0])[0] in CONTROLS for item in found)
    against = "one agent with the same tokens" if equal else "one agent"
    better, worse = (sum(item.word == word for item in found) for word in ("better", "worse"))
    whole = f" of {amount(len(found), 'benchmark')}"
    if better:
        return f"A team is significantly better than {against} on {better}{whole}."
    if worse:
        return f"No team is significantly better than {against}, and one is significantly worse on {worse}{whole}."
    return f"No team is significantly better than {against}."


def of_benchmark(
    name: str,
    held: Mapping[str, Any],
    documents: Mapping[str, Document],
    headers: Mapping[str, Header],
    numbers: Mapping[str, str],
) -> Benchmark:
    """The charts and tables of one benchmark."""
    rows = held["systems"]
    order = sorted(rows, key=lambda system: int(numbers[system]))
    rates = {system: successes(documents[system]) for system in order}
    tasks = list(next(iter(rates.values())))
    solvers = [
        [system for system in order if rows[system]["kind"] != "baseline" and rates[system].get(task)]
        for task in tasks
    ]
    judged = [system for system in order if rows[system]["kind"] != "baseline"]
    split = [task for task in tasks if len({rates[system].get(task) for system in judged}) > 1]
    nothing = rows.get("null")
    return Benchmark(
        name=name,
        tasks=held["tasks"],
        chart=tuple(_points(order, rows, numbers)),
        reference=None
        if nothing is None
        else (f"does nothing {percent(_rate(nothing))}", _rate(nothing) or 0.0),
        solved=tuple((numbers[system], tuple(rates[system].get(task) for task in tasks)) for system in order),
        counts=(
            sum(not found for found in solvers),
            sum(len(found) == 1 for found in solvers),
            sum(len(found) == len(judged) for found in solvers),
        ),
        names=tuple(f"{numbers[system]} {called(system)}" for system in judged),
        differing=tuple(_differing(name, split[:SHOWN_TASKS], judged, rates, headers)),
        more=max(0, len(split) - SHOWN_TASKS),
        coordination=tuple(_coordination(order, rows)),
        reliability=tuple(_reliability(judged, rows)),
        rank_spread=held["economics"]["rankSpread"],
    )


def _rate(row: Mapping[str, Any]) -> float | None:
    value: float | None = row["descriptor"]["Q1_success_rate"]
    return value


def _points(order: Sequence[str], rows: Mapping[str, Any], numbers: Mapping[str, str]) -> Iterator[Point]:
    """The systems that state tokens and are no baseline."""
    for system in order:
        row = rows[system]
        success, tokens = _rate(row), row["descriptor"]["C2_tokens_total"]
        if row["kind"] == "baseline" or success is None or not tokens:
            continue
        low, high = row["intervals"].get("Q1_success_rate", (None, None))
        shape = "circle"
        if row["kind"] == "single-agent":
            shape = "square" if budgeted(system)[0] in CONTROLS else "diamond"
        yield Point(numbers[system], called(system), tokens, success, low, high, shape)


def _differing(
    benchmark: str,
    tasks: Sequence[str],
    systems: Sequence[str],
    rates: Mapping[str, Mapping[str, float]],
    headers: Mapping[str, Header],
) -> Iterator[tuple[str, str, tuple[tuple[str, str], ...]]]:
    """Tasks that not every system solved alike: id, page, and each system's share with the page of its first run."""
    for task in tasks:
        cells = tuple(
            (
                "–" if rates[system].get(task) is None else percent(rates[system][task]),
                run_path(benchmark, headers[system].receipt_id, task, 1),
            )
            for system in systems
        )
        yield task, task_path(benchmark, task), cells


def _coordination(order: Sequence[str], rows: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for system in order:
        if found := rows[system]["coordination"]:
            overhead = found["overhead"]
            yield (
                called(system),
                (
                    "–" if overhead is None else f"{difference(100 * overhead, 0)}%",
                    *(
                        figure(found[name], 2)
                        for name in ("messageDensity", "redundancy", "efficiency", "errorAmplification")
                    ),
                ),
            )


def _reliability(order: Sequence[str], rows: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Of systems that ran each task several times: success, pass@3 and pass^3 of three runs or more, stability."""
    for system in order:
        row = rows[system]
        repeats, values = row["runsPerTask"] or 2, row["descriptor"]
        if repeats > 1:
            names = ("Q1_success_rate", *(("pass_at_3", "pass_hat_3") if repeats > 2 else ()))
            yield (
                called(system),
                (*(percent(values.get(name)) for name in names), figure(values.get("stability"), 2)),
            )


def table(
    one: Experiment, systems: Sequence[str], numbers: Mapping[str, str], whole: Mapping[str, Any]
) -> list[tuple[str, str, str, list[Cell | None]]]:
    """Each system: number, name, kind, and its cells by benchmark."""
    best = {
        name: max((_rate(row) or 0.0 for row in held["systems"].values()), default=0.0)
        for name, held in whole["benchmarks"].items()
    }
    found = []
    for system in systems:
        cells: list[Cell | None] = []
        kind = ""
        for name, headers in one.receipts.items():
            row = whole["benchmarks"].get(name, {}).get("systems", {}).get(system)
            if row is None:
                cells.append(None)
                continue
            kind = row["kind"]
            cells.append(_cell(row, best[name], headers[system]))
        found.append((numbers[system], called(system), kind, cells))
    return found


def _cell(row: Mapping[str, Any], best: float, header: Header) -> Cell:
    success, tokens, economy = _rate(row), row["descriptor"]["C2_tokens_total"], row["economics"] or {}
    interval = row["intervals"].get("Q1_success_rate")
    regime = economy.get("regime") or "–"
    return Cell(
        success=percent(success),
        interval="" if interval is None else f"[{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]",
        heat=0 if row["kind"] == "baseline" else min(5, int((success or 0.0) * 6)),
        best=success is not None and success > 0 and success == best and row["kind"] != "baseline",
        tokens="–" if tokens is None else f"{tokens / 1000:,.1f}k" if tokens >= 1000 else f"{tokens:,.0f}",
        gain=_signed(economy.get("gain")),
        cost=_signed(economy.get("coordinationCost")),
        regime=regime,
        tone=_TONES.get(regime, ""),
        page=receipt_page_path(header.receipt_id),
    )


def _signed(value: float | None) -> str:
    return "–" if value is None else difference(value, 2)
