"""Figures of answers that a judge elsewhere read, and of the evidence that was retrieved for them; shown, never ranked.

Owns the receipt's member `answers`, from the run columns `judged`, `evidenceRecall`, `confidence` and `outcome`. Definitions follow
texttron/BrowseComp-Plus, `scripts_evaluation/evaluate_run.py`. `theme/verify/agents-answers.js` gives the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from benchsite.stats import exact_mean
from benchsite.tracks.agents.record.runs import TASK

__all__ = ["BIN", "answers", "binned_error"]

BIN: Final = 100
"""Runs of a bin: `beta` of the official `calib_err`."""


def answers(tasks: Sequence[str], runs: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the member `answers` of a receipt; None if no run states a verdict or a recall.

    `judgeSuccess` and `evidenceRecall` are means over tasks of the means of their runs. A run without a verdict counts as wrong, as
    in the official accuracy. A task counts for recall if all of its runs state one.

    Args:
        tasks: ids, in the order of the receipt.
        runs: the run columns.
    """
    judged, recall = _stated(runs.get("judged")), _stated(runs.get("evidenceRecall"))
    if judged is None and recall is None:
        return None
    places: dict[str, list[int]] = {task: [] for task in tasks}
    for i, task in enumerate(runs[TASK]):
        if task in places:
            places[task].append(i)
    held = [i for found in places.values() for i in found]
    return {
        "judgeSuccess": None
        if judged is None
        else _mean_of_tasks(places, [float(one is True) for one in judged]),
        "judgeVerdicts": 0 if judged is None else sum(judged[i] is not None for i in held),
        "judgeCalibrationError": None if judged is None else _error(runs, held, judged),
        "exactCalibrationError": _error(runs, held, _exact(runs["outcome"], judged)),
        "evidenceRecall": None if recall is None else _mean_of_tasks(places, recall),
    }


def binned_error(stated: Sequence[tuple[float, bool]]) -> float | None:
    """Return the RMS calibration error over bins of 100 runs, the first with the lowest confidence; in [0, 1].

    √ Σ 100 ÷ n × (mean confidence − share correct)², as `calib_err` with p = "2" has it: n ÷ 100 bins, rounded down, and the last
    one, with the remaining runs, isn't counted. None if no bin counts: the official script prints 0 below 200 runs.

    Args:
        stated: confidence and whether the answer is correct, by ascending confidence.
    """
    n = len(stated)
    terms = []
    for start in range(0, (n // BIN - 1) * BIN, BIN):
        held = stated[start : start + BIN]
        gap = math.fsum(value for value, _ in held) / BIN - sum(won for _, won in held) / BIN
        terms.append(BIN / n * (gap * gap))
    return math.sqrt(math.fsum(terms)) if terms else None


def _stated(column: Sequence[Any] | None) -> Sequence[Any] | None:
    """A column; None if no run states a value."""
    return None if column is None or all(cell is None for cell in column) else column


def _exact(outcomes: Sequence[str], judged: Sequence[bool | None] | None) -> Sequence[bool | None]:
    """Whether each run succeeded; None for a run without a verdict where others have one, so that both errors are of the same runs."""
    if judged is None:
        return [one == "success" for one in outcomes]
    return [
        None if verdict is None else one == "success" for one, verdict in zip(outcomes, judged, strict=True)
    ]


def _error(runs: Mapping[str, Any], places: Sequence[int], correct: Sequence[bool | None]) -> float | None:
    """The calibration error of the runs with a confidence and a decision; ties are ordered by task and number."""
    cells = runs.get("confidence") or [None] * len(correct)
    stated = sorted(
        (cells[i], runs[TASK][i], runs["run"][i], correct[i])
        for i in places
        if cells[i] is not None and correct[i] is not None
    )
    return binned_error([(value, won is True) for value, _, _, won in stated])


def _mean_of_tasks(places: Mapping[str, Sequence[int]], cells: Sequence[float | None]) -> float | None:
    means = []
    for found in places.values():
        values = [value for i in found if (value := cells[i]) is not None]
        if found and len(values) == len(found):
            means.append(exact_mean(values))
    return exact_mean(means) if means else None
