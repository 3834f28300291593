"""Summary of an experiment as text: Markdown tables for people, and one CSV row a system under the seed's field names.

Owns wording and layout, no number. A blank is a dash in Markdown and an empty cell in CSV.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite.tabular import csv_bytes
from benchsite.tracks.agents.scores import descriptor
from benchsite.tracks.agents.scores.experiment import rows
from benchsite.words import amount, figure, percent

_ECONOMY: Final = {
    "quality": "quality_Q",
    "cost": "cost_C",
    "utility": "utility_U",
    "gain": "gain_G",
    "coordinationCost": "coordination_cost_K",
    "netGain": "net_gain_dU",
    "regime": "regime",
    "rank": "rank_U",
    "rankGeometric": "rank_U_geometric",
}
_COORDINATION: Final = {
    "overhead": "overhead",
    "messageDensity": "message_density",
    "redundancy": "redundancy_of_artifacts",
    "efficiency": "efficiency",
    "errorAmplification": "error_amplification",
}
_CALIBRATION: Final = {"calibrationError": "calibration_error", "auroc": "auroc"}
_VERDICT: Final = {
    "reference": "reference",
    "difference": "success_difference",
    "pAdjusted": "p_adjusted",
    "tokenRatio": "token_ratio",
    "decided": "decided",
}
COLUMNS: Final = (
    *("benchmark", "system", "kind", "tasks", "runs", "errors"),
    *descriptor.METRICS,
    *("action_consistency", "sequence_consistency"),
    *descriptor.ALIASES,
    *descriptor.CHECKS,
    *_CALIBRATION.values(),
    *_ECONOMY.values(),
    *_COORDINATION.values(),
    *_VERDICT.values(),
    "accuracy_ratio",
)
"""Columns of `experiment_summary.csv`."""


def csv(document: Mapping[str, Any]) -> bytes:
    """Return one line a system and benchmark, under the names of the descriptor's fields and their aliases."""
    return csv_bytes(COLUMNS, [_record(document, *row) for row in rows(document)])


def _record(
    document: Mapping[str, Any], benchmark: str, system: str, row: Mapping[str, Any]
) -> dict[str, Any]:
    first = next(iter(row["comparisons"]), None)
    found = {
        "benchmark": benchmark,
        "system": system,
        "kind": row["kind"],
        "tasks": document["benchmarks"][benchmark]["tasks"],
        "runs": row["runs"],
        "errors": row["errors"],
        "accuracy_ratio": row["accuracyRatio"],
        **row["descriptor"],
    }
    for part, names in (
        (row["calibration"], _CALIBRATION),
        (row["economics"], _ECONOMY),
        (row["coordination"], _COORDINATION),
        (first, _VERDICT),
    ):
        found |= {column: None if part is None else part[name] for name, column in names.items()}
    return found


def markdown(document: Mapping[str, Any]) -> str:
    """Return the summary as Markdown: for each benchmark its verdict, then its tables."""
    parts = [part for name, held in document["benchmarks"].items() for part in _benchmark(name, held)]
    return "\n\n".join(parts) + "\n" if parts else "No benchmark has a run.\n"


def _benchmark(name: str, held: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {name}"
    yield held["verdict"]["sentence"]
    if held["perturbation"]:
        yield f"Perturbed: {held['perturbation']}. Not comparable with unperturbed runs."
    systems = held["systems"]
    yield _table("Outcome", systems, _OUTCOME)
    stated = {name: row for name, row in systems.items() if row["economics"] is not None}
    if stated:
        yield _table("Economics", stated, _ECONOMICS)
        yield " ".join(_economics_notes(held))
    if any(row["coordination"] for row in systems.values()):
        multi = {name: row for name, row in systems.items() if row["coordination"]}
        yield _table(f"Coordination, compared with {held['single']}", multi, _COORDINATED)
    if any((row["runsPerTask"] or 2) > 1 for row in systems.values()):
        yield _table("Reliability", systems, _RELIABILITY)
    compared = [one["sentence"] for row in systems.values() for one in row["comparisons"]]
    if compared:
        yield "### Comparisons\n\n" + "\n".join(f"- {said}" for said in compared)


def _economics_notes(held: Mapping[str, Any]) -> Iterator[str]:
    notes = held["economics"]
    if notes["blank"]:
        yield f"No system states {', '.join(notes['blank'])}."
    if notes["equal"]:
        yield f"Equal for all systems, so in no mean: {', '.join(notes['equal'])}."
    yield "Costs are scaled over the systems of this table."
    if notes["rankSpread"] is not None:
        yield f"With geometric means, ranks of U change by at most {amount(notes['rankSpread'], 'place')}."


Cell = Callable[[Mapping[str, Any]], str]


def _of(name: str, digits: int = 3, part: str = "descriptor") -> Cell:
    return lambda row: figure((row[part] or {}).get(name), digits)


def _success(row: Mapping[str, Any]) -> str:
    """`62.0% [44.1%, 77.6%]`; with errors, the bracket of both conventions."""
    low, high = row["intervals"].get("Q1_success_rate", (None, None))
    ci = "" if low is None else f" [{percent(low)}, {percent(high)}]"
    valid = f"; errors excluded {percent(row['descriptor']['success_rate_valid'])}" if row["errors"] else ""
    return f"{percent(row['descriptor']['Q1_success_rate'])}{ci}{valid}"


def _ranks(row: Mapping[str, Any]) -> str:
    one = row["economics"]
    return "–" if one["rank"] is None else f"{one['rank']} ({one['rankGeometric']})"


_OUTCOME: Final[Sequence[tuple[str, Cell]]] = (
    ("success, 95% CI", _success),
    ("completion", lambda row: percent(row["descriptor"]["Q2_completion_rate"])),
    ("pass^3", _of("pass_hat_3")),
    ("tokens", _of("C2_tokens_total", 0)),
    ("tokens ÷ success", lambda row: figure(row["tokensPerSuccess"], 0)),
    ("USD", _of("C3_cost_total", 4)),
    ("latency p95, ms", _of("C1_latency_p95", 1)),
    ("tool calls", _of("C4_tool_calls_total", 2)),
    ("runs", lambda row: str(row["runs"])),
    ("errors", lambda row: str(row["errors"])),
)
_ECONOMICS: Final[Sequence[tuple[str, Cell]]] = (
    ("Q", _of("quality", part="economics")),
    ("C", _of("cost", part="economics")),
    ("U", _of("utility", part="economics")),
    ("G", _of("gain", part="economics")),
    ("K", _of("coordinationCost", part="economics")),
    ("ΔU", _of("netGain", part="economics")),
    ("regime", lambda row: row["economics"]["regime"] or "–"),
    ("rank of U (geometric)", _ranks),
)
_COORDINATED: Final[Sequence[tuple[str, Cell]]] = (
    ("O%", lambda row: percent(row["coordination"]["overhead"])),
    ("messages per turn", _of("messageDensity", part="coordination")),
    ("redundancy", _of("redundancy", part="coordination")),
    ("efficiency", _of("efficiency", part="coordination")),
    ("error amplification", _of("errorAmplification", part="coordination")),
    ("tasks", lambda row: str(row["coordination"]["counted"])),
)
_RELIABILITY: Final[Sequence[tuple[str, Cell]]] = (
    ("outcome", _of("stability")),
    ("actions", _of("action_consistency")),
    ("sequence", _of("sequence_consistency")),
    ("CV of tokens", _of("tokens_cv")),
    ("CV of latency", _of("latency_cv")),
    ("Brier", _of("brier_score")),
    ("calibration error", _of("calibrationError", part="calibration")),
    ("AUROC", _of("auroc", part="calibration")),
    ("accuracy ratio", lambda row: figure(row["accuracyRatio"])),
)


def _table(title: str, systems: Mapping[str, Mapping[str, Any]], columns: Sequence[tuple[str, Cell]]) -> str:
    """A titled table, its columns padded so that a terminal shows it too."""
    lines = [["system", *(label for label, _ in columns)]]
    lines += [[name, *(cell(row) for _, cell in columns)] for name, row in systems.items()]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    padded = [[cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines]
    padded.insert(1, ["-" * width for width in widths])
    return f"### {title}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in padded)
