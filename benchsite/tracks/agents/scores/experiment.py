"""Summary of an experiment: every number of every system on every benchmark, and one verdict per benchmark.

Owns the document that `experiment summarize` writes: plain JSON, null for a blank, computed from the columns of receipts or
drafts alone. What a number means is the business of `scoring`, `economics`, `coordination` and `verdict`. Refuses systems of one
benchmark that ran other tasks, other data or under another perturbation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from pydantic.alias_generators import to_camel

from benchsite.errors import InputError
from benchsite.tracks.agents.record.config import perturbation_words
from benchsite.tracks.agents.scores import descriptor, scoring
from benchsite.tracks.agents.scores.coordination import Coordination, coordinate
from benchsite.tracks.agents.scores.descriptor import Evaluation
from benchsite.tracks.agents.scores.economics import Economics, economics
from benchsite.tracks.agents.scores.reliability import accuracy_ratio
from benchsite.tracks.agents.scores.verdict import (
    ByTask,
    Verdict,
    adjusted,
    compare,
    require_same_tasks,
    sentence,
)
from benchsite.tracks.agents.systems.names import CONTROLS, budgeted

SINGLE: Final = "sas"
REFERENCES: Final = (*CONTROLS, SINGLE)
"""What multi-agent systems are compared with. Of a control at several budgets, each system has the one next to its tokens."""

Kind = Literal["baseline", "single-agent", "multi-agent"]


@dataclass(frozen=True, slots=True)
class Measured:
    """One system on one benchmark, as a receipt or a draft holds it.

    Attributes:
        tasks, runs: the receipt's members.
        sha256: of the benchmark's data.
        perturbation: what was perturbed, in words; empty for nothing.
        evaluations: what the evaluator's records say, by task; they must agree with the columns.
    """

    kind: Kind
    tasks: Mapping[str, Any]
    runs: Mapping[str, Any]
    sha256: str
    perturbation: str = ""
    evaluations: Mapping[str, Sequence[Evaluation]] | None = None

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Measured:
        """Read the members of a receipt or a draft."""
        return cls(
            document["system"]["kind"],
            document["tasks"],
            document["runs"],
            document["benchmark"]["sha256"],
            perturbation_words(document["config"]),
        )


def summary(
    benchmarks: Mapping[str, Mapping[str, Measured]],
    *,
    unperturbed: Mapping[str, Mapping[str, Measured]] | None = None,
) -> dict[str, Any]:
    """Return the summary of an experiment.

    Args:
        benchmarks: benchmark id to system name to what was measured.
        unperturbed: the same systems without perturbation, for the accuracy ratio.

    Raises:
        InputError: systems of a benchmark ran other tasks, other data or under another perturbation.
        IntegrityError: columns and the evaluator's records disagree.
    """
    plain = unperturbed or {}
    return {
        "benchmarks": {name: _benchmark(name, held, plain.get(name, {})) for name, held in benchmarks.items()}
    }


def _benchmark(name: str, systems: Mapping[str, Measured], plain: Mapping[str, Measured]) -> dict[str, Any]:
    _require_comparable(name, systems)
    runs = {system: scoring.runs_of(one.runs) for system, one in systems.items()}
    try:
        require_same_tasks(runs)
    except InputError as error:
        raise InputError(f"benchmark {name}: {error.message}", hint=error.hint) from None
    seed = int(next(iter(systems.values())).sha256[:16], 16) if systems else 0
    rows = {system: _system(one, runs[system], seed) for system, one in systems.items()}
    measured = [system for system, one in systems.items() if one.kind != "baseline"]
    found = economics({system: rows[system]["descriptor"] for system in measured}, SINGLE)
    families = _families(systems, runs, rows, seed)
    headline = _headline(systems, families)
    for system, row in rows.items():
        row["economics"] = _economy(found, system)
        row["coordination"] = _coordination(systems[system], runs, system)
        row["accuracyRatio"] = accuracy_ratio(runs[system], _plain_runs(plain, system))
        row["comparisons"] = [_verdict(one) for family in families for one in family if one.system == system]
    return {
        "tasks": len(next(iter(runs.values()), {})),
        "single": found.single,
        "reference": headline["reference"],
        "perturbation": next((one.perturbation for one in systems.values()), "") or None,
        "systems": rows,
        "economics": {
            "blank": list(found.blank),
            "equal": list(found.equal),
            "rankSpread": found.rank_spread,
        },
        "verdict": headline,
    }


def _require_comparable(name: str, systems: Mapping[str, Measured]) -> None:
    """Raise `InputError` if systems ran other data, or under another perturbation."""
    for what, values in (
        ("data", {system: one.sha256[:12] for system, one in systems.items()}),
        ("perturbation", {system: one.perturbation or "none" for system, one in systems.items()}),
    ):
        first = next(iter(values), "")
        other = next((system for system, value in values.items() if value != values[first]), None)
        if other is not None:
            raise InputError(
                f"benchmark {name}: different {what}: {first} {values[first]}, {other} {values[other]}",
                hint="summarize them as separate experiments",
            )


def _system(measured: Measured, runs: ByTask, seed: int) -> dict[str, Any]:
    """What follows from the columns of one system alone."""
    for task, evaluations in (measured.evaluations or {}).items():
        descriptor.describe(runs[task], evaluations=evaluations, task=task)
    sections = scoring.score(measured.tasks, measured.runs).sections(seed=seed)
    values = sections["timing"] | sections["scores"]
    outcomes = measured.runs["outcome"]
    fields = {field: scoring.name_in_scores(field) for field in (*descriptor.METRICS, *scoring.CONSISTENT)}
    means = {field: values.get(name) for field, name in fields.items()}
    same = {**descriptor.ALIASES, **descriptor.CHECKS}
    repeats = {len(one) for one in runs.values()}
    return {
        "kind": measured.kind,
        "runs": len(outcomes),
        "runsPerTask": repeats.pop() if len(repeats) == 1 else None,
        "errors": sum(outcome == "error" for outcome in outcomes),
        "tokensPerSuccess": _ratio(means["C2_tokens_total"], means["Q1_success_rate"]),
        "descriptor": means | {alias: means[field] for alias, field in same.items()},
        "tasksCounted": _by_field(fields, {k: one["den"] for k, one in sections["denominators"].items()}),
        "intervals": _by_field(
            fields, {name: [one["low"], one["high"]] for name, one in sections["intervals"].items()}
        ),
        "calibration": sections.get("calibration"),
    }


def _ratio(above: float | None, below: float | None) -> float | None:
    return None if above is None or not below else above / below


def _by_field(fields: Mapping[str, str], found: Mapping[str, Any]) -> dict[str, Any]:
    return {field: found[name] for field, name in fields.items() if name in found}


def _economy(found: Economics, system: str) -> dict[str, Any] | None:
    """The economics of a system; None for a baseline, which spends nothing that can be compared."""
    one = found.systems.get(system)
    return None if one is None else _camel(asdict(one)) | {"rankSpread": one.rank_spread}


def _coordination(measured: Measured, runs: Mapping[str, ByTask], system: str) -> dict[str, Any] | None:
    if measured.kind != "multi-agent" or SINGLE not in runs:
        return None
    found: Coordination = coordinate(runs[system], runs[SINGLE])
    return _camel(asdict(found))


def _plain_runs(plain: Mapping[str, Measured], system: str) -> ByTask:
    return scoring.runs_of(plain[system].runs) if system in plain else {}


def _families(
    systems: Mapping[str, Measured],
    runs: Mapping[str, ByTask],
    rows: Mapping[str, Mapping[str, Any]],
    seed: int,
) -> list[list[Verdict]]:
    """The multi-agent systems compared with each reference that was run: one family a reference."""
    multi = [system for system, one in systems.items() if one.kind == "multi-agent"]
    found = []
    for reference in REFERENCES:
        held = [name for name in runs if budgeted(name)[0] == reference]
        if held and multi:
            pairs = [
                (system, _nearest(held, rows[system]["descriptor"]["C2_tokens_total"])) for system in multi
            ]
            found.append(
                adjusted(
                    [compare(system, runs[system], other, runs[other], seed=seed) for system, other in pairs]
                )
            )
    return found


def _nearest(controls: Sequence[str], tokens: float | None) -> str:
    """The control whose budget is next to these tokens of a run; the largest if they aren't stated, or if two are as near."""

    def distance(name: str) -> tuple[float, int]:
        budget = budgeted(name)[1] or 0
        return (0.0 if tokens is None else abs(budget - tokens), -budget)

    return min(controls, key=distance)


def _verdict(one: Verdict) -> dict[str, Any]:
    found = _camel(asdict(one)) | {"difference": one.difference, "decided": one.is_decided}
    return found | {
        "interval": None if one.interval is None else list(one.interval),
        "sentence": sentence(one),
    }


def _headline(systems: Mapping[str, Measured], families: Sequence[Sequence[Verdict]]) -> dict[str, Any]:
    """The verdict on the multi-agent system with the highest success rate, against its control with the highest."""
    if families:
        best = max(families[0], key=lambda one: one.success).system
        against = [one for family in families for one in family if one.system == best]
        strictest = max(against, key=lambda one: one.reference_success)
        return {
            "system": best,
            "reference": strictest.reference,
            "decided": strictest.is_decided,
            "sentence": sentence(strictest),
        }
    lacking = (
        "no multi-agent system was run"
        if not any(one.kind == "multi-agent" for one in systems.values())
        else f"none of {', '.join(REFERENCES)} was run"
    )
    return {"system": None, "reference": None, "decided": False, "sentence": f"No verdict: {lacking}."}


def _camel(found: Mapping[str, Any]) -> dict[str, Any]:
    return {to_camel(name): value for name, value in found.items()}


def rows(document: Mapping[str, Any]) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
    """Yield benchmark, system and entry of each system of a summary."""
    for benchmark, held in document["benchmarks"].items():
        for system, row in held["systems"].items():
            yield benchmark, system, row
