"""The words of the broken relations of a receipt: one message a code.

Owns what `violations` says here and in the browser: `theme/verify/sentences-agents.js` is written from this module
(`make reference`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MESSAGES: Final[Mapping[str, str]] = {
    "out-of-range": "{metric} is {value}; a share is in [0, 1] and a mean of counts is not negative.",
    "impossible-interval": (
        "The 95% CI of {metric} is [{low}, {high}]; it must ascend within the range of the metric."
    ),
    "duplicate-task": "Task {task} is listed {times} times.",
    "task-count": "The run has {asked} tasks but tasks lists {count}. A task that failed is counted, never excluded.",
    "unknown-task": "Run {run} is of task {task}, which tasks does not list.",
    "run-count": "Task {task} must have the runs 1 to {runs}, each once; it has {listed}.",
    "limit-outcome": "Run {run} of task {task} ended with {outcome} but its limit is {limit}.",
    "harmful-success": "Run {run} of task {task} is a success and harmful at once.",
    "complete-error": "Run {run} of task {task} is complete and ended with error.",
    "part-above-whole": "Run {run} of task {task} has {some} {part} among {every} {whole}.",
}

TERMS: Final[Mapping[str, str]] = {
    "toolCalls": "tool calls",
    "steps": "steps",
    "backtracks": "backtracks",
    "verifies": "verifications",
    "handoffs": "handoffs",
    "loopNum": "repeats",
    "loopDen": "events that could repeat",
}
"""What the messages call a column."""
