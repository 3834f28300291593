"""The words of what is wrong with a receipt or its traces: one message a code for broken relations, then the rest.

Owns what `violations`, `columns`, `pack` and the models say here and in the browser: `theme/verify/sentences-agents.js` is written from this module
(`make reference`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from benchsite.words import message

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
    "error-success": "Run {run} of task {task} is a success, but {name} says that an error ended it.",
    "partial-native": "Run {run} of task {task} was measured by benchsite, but its trace leaves steps out.",
    "unbudgeted-limit": "Run {run} of task {task} ended with limit {limit} but its budget has no such limit.",
    "above-budget": "Run {run} of task {task} has {some} {part} but its budget is {most}.",
    "no-model": "Run {run} of task {task} has {part} but the system has no model.",
    "part-above-whole": "Run {run} of task {task} has {some} {part} among {every} {whole}.",
}

DETAILS: Final[Mapping[str, str]] = {
    "no-traces": "the receipt pins no traces",
    "no-actions": "the receipt pins no actions",
    "not-at-hand": "{name} is not at hand (SHA-256 {sha256})",
    "not-evaluated": (
        "benchmark {id} (SHA-256 {sha256}…) was not evaluated: run `benchsite rescore --evaluate`, after "
        "`benchsite benchmark import {id} PATH` if the clone lacks it"
    ),
    "stated": "outcomes are as stated by the imported file; declared evaluator, not run here: {evaluator}",
    "traces-differ": "{count} of {total} values differ from the traces; first {field}",
    "traces-match": "all {total} values of the traced columns follow from {name}",
    "evidence-differs": (
        "{count} differences between the traces, the actions and the outcomes of the runs; first {field}"
    ),
    "evidence-agrees": "traces and actions record the same actions and errors for all {total} runs",
    "action-of": "action of event {event}",
    "call-of": "tool and input of event {event}",
    "agreement-unchecked": "whether traces and actions agree was not checked: {why}",
    "as-recorded": "as in the receipt",
    "no-action": "must be text, or an object of tool and arguments",
    "half-line": "last line without line feed: {where}",
    "no-run-yet": "events before the first run: {where}",
    "run-too-long": "run {run} of task {task} has more than {events} events or {bytes} bytes: {where}",
    "run-twice": "run {run} of task {task} occurs twice: {where}",
    "actions-too-long": "the actions of {whose} have more than {most} characters: {where}",
    "line-too-long": "line above {bytes} bytes: {where}",
    "id-twice": "id occurs twice: {where}",
    "columns-uneven": "columns of unequal length",
    "domains-many": "the tasks are of more than {most} domains",
    "ks-unordered": "ks must ascend, each once",
    "perturbed-runs": "perturbed runs: {what}",
    "label-published": "published as {name}",
    "label-model": "model {name}",
    "label-role": "{role}: model {name}",
    "label-tools-all": "all tools",
    "label-tools-domains": "tools of the domain",
    "label-perturbed": "perturbed: {what}",
    "label-runs": "{count} runs per task",
}
"""What a step and a label say, and of traces and fields that are refused why."""

TERMS: Final[Mapping[str, str]] = {
    "toolCalls": "tool calls",
    "steps": "steps",
    "backtracks": "backtracks",
    "verifies": "verifications",
    "handoffs": "handoffs",
    "turns": "turns",
    "loopNum": "repeats",
    "loopDen": "events that could repeat",
    "tokens": "tokens",
    "costUsd": "a cost",
}
"""What the messages call a column."""

said: Final = partial(message, DETAILS)
"""A detail with its braces filled in."""
