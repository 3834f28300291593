"""Judged answers and evidence recall of a receipt: Python and JavaScript compute them alike, to the last bit."""

from __future__ import annotations

import random
import shutil

import pytest
from invented_runs import draft, listed, scored
from rescoring import SIGNATURE, compare

from benchsite import canonical

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="PARITY NOT RUN: node is not installed")


@pytest.mark.parametrize("tasks", [199, 240, 350])
def test_judged_answers_and_recall_match(tasks: int):
    draw = random.Random(tasks)  # noqa: S311 - test data
    rows = listed(tasks)
    columns = {
        "taskId": rows["id"],
        "run": [1] * tasks,
        "outcome": draw.choices(("success", "failure"), k=tasks),
        "completion": [True] * tasks,
        # Ties cross the border of two bins.
        "confidence": [draw.choice([0.25, 0.5, 0.87]) for _ in range(tasks)],
        "judged": [draw.choice([True, True, False, False, None]) for _ in range(tasks)],
        "evidenceRecall": [draw.choice([None, 1 / 3, 0.5]) for _ in range(tasks)],
    }
    document = scored(draft(rows, columns, runs_per_task=1)) | {"signature": SIGNATURE}
    verdicts = sum(one is not None for one in columns["judged"])
    errors = {
        document["answers"][name] is None for name in ("judgeCalibrationError", "exactCalibrationError")
    }
    assert errors == {verdicts < 200}
    (said,) = compare([canonical.dumps(document).decode()])
    assert (said["rescore"], said["differences"]) == ("MATCHES", [])
    document["answers"]["judgeSuccess"] = 0.0
    (said,) = compare([canonical.dumps(document).decode()])
    assert [one["field"] for one in said["differences"]] == ["answers.judgeSuccess"]
