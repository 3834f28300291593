"""What `benchsite import` costs with large files: memory for run files and spans of a size, against a tenth of it.

A run has five long tool results, of which a trace keeps the start. Spans of twenty traces alternate; most of their bytes are prompts,
which no event is made of. Results of tau2-bench have four trials of 114 tasks, as its telecom domain does, with 100 messages each;
a text is there twice, since `raw_data` repeats it. Their time is that of 266 MB, and `json_ratio` is that to a parse by `json.load`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from benchsite.pipeline import init
from tests.bench.measurement import Gate, Numbers
from tests.bench.spending import medians, ratio, spent

UNIT = "MB"
SIZE = 200
TINY = 1
ROUNDS = 1
GATES = {
    "runs.largest_mb": Gate(150),
    "runs.memory_ratio": Gate(1.3),
    "spans.largest_mb": Gate(150),
    "spans.memory_ratio": Gate(1.3),
    "tau2.largest_mb": Gate(150),
    "tau2.s_for_266_mb": Gate(10),
}
TASKS = 20
TAU2_TASKS, TAU2_TRIALS, TAU2_MESSAGES = 114, 4, 100
TEXT = "The quick brown fox jumps over the lazy dog. " * 1000
START = 1_764_244_800 * 10**9
COMMAND = (sys.executable, "-m", "benchsite")


def measure(size: int, rounds: int) -> Numbers:
    """The median of each figure, and the ratio of the largest process to that of the tenth."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        root = init.init(folder / "instance", name="bench", origin="bench.invalid/log").root
        tasks = {"id": "bench", "evaluator": "a person", "license": "CC0-1.0", "source": "none"}
        listed = {**tasks, "tasks": [f"task-{number}" for number in range(TASKS)]}
        (folder / "list.json").write_text(json.dumps(listed))
        spent([*COMMAND, "benchmark", "import", "task-list", "../list.json"], cwd=root)
        found: dict[str, dict[str, float]] = {}
        for kind, round_of, form in (
            ("runs", runs_of, ("runs", "--benchmark", "bench")),
            ("spans", spans_of, ("otel",)),
        ):
            command = [*COMMAND, "import", *form, "--system", "s", "--version", "1", "../file.jsonl"]
            small, large = (
                _spent(command, root, folder / "file.jsonl", round_of, most, rounds)
                for most in (size * 100_000, size * 1_000_000)
            )
            peaks = ([one["largest_mb"] for one in these] for these in (large, small))
            found[kind] = {**medians(large), "memory_ratio": ratio(*peaks)}
        return {**found, "tau2": _tau2(root, folder / "results.json", size, rounds)}


def _tau2(root: Path, file: Path, size: int, rounds: int) -> dict[str, float]:
    """Write results of `size` MB, import and parse them in turns."""
    file.write_text(json.dumps(tau2_of(size * 1_000_000)), encoding="ascii")
    command = [*COMMAND, "import", "tau2", "--system", "s", "--version", "1", "../results.json"]
    parse = [sys.executable, "-c", "import json; json.load(open('../results.json'))"]
    both = [(spent(command, cwd=root), spent(parse, cwd=root)) for _ in range(rounds)]
    found = medians([imported for imported, _ in both])
    seconds = ([one["wall_s"] for one in these] for these in zip(*both, strict=True))
    return {
        **found,
        "s_for_266_mb": found["wall_s"] * 266_000_000 / file.stat().st_size,
        "json_ratio": ratio(*seconds),
    }


def _spent(
    command: list[str],
    root: Path,
    file: Path,
    round_of: Callable[[int], Iterator[dict[str, Any]]],
    most: int,
    rounds: int,
) -> list[dict[str, float]]:
    """Write a file of at least `most` bytes, in whole rounds of the tasks, and import it."""
    with file.open("w", encoding="ascii") as target:
        for number in count(1):
            for line in round_of(number):
                target.write(json.dumps(line) + "\n")
            if target.tell() >= most:
                break
    return [spent(command, cwd=root) for _ in range(rounds)]


def runs_of(number: int) -> Iterator[dict[str, Any]]:
    """A run of each task."""
    for task in range(TASKS):
        messages: list[dict[str, Any]] = [{"role": "user", "content": f"Do task {task}."}]
        for call in range(5):
            used = {"tool": "read", "arguments": {"path": f"{number}/{call}.py"}}
            messages.append({"role": "assistant", "content": "I look.", "calls": [used]})
            messages.append({"role": "tool", "content": TEXT})
        messages.append({"role": "assistant", "content": "Done."})
        yield {"task": f"task-{task}", "run": number, "success": task % 2 == 0, "messages": messages}


def spans_of(number: int) -> Iterator[dict[str, Any]]:
    """The spans of a trace of each task, one of each in turn."""
    prompt = json.dumps([{"role": "user", "parts": [{"type": "text", "content": TEXT[:9000]}]}])
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.input.messages": prompt}
    for place in range(11):
        for task in range(TASKS):
            ended = {"test.case.name": f"task-{task}", "test.case.result.status": "pass"}
            start = START + number * 10**10 + place * 10**8
            span = {
                "traceId": f"{number * TASKS + task:032x}",
                "spanId": f"{place + 1:016x}",
                "startTimeUnixNano": str(start),
                "endTimeUnixNano": str(start + 10**7),
                "attributes": [
                    {"key": key, "value": {"stringValue": text}}
                    for key, text in (ended if place == 0 else chat).items()
                ],
            }
            yield {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def tau2_of(most: int) -> dict[str, Any]:
    """Results of about `most` bytes."""
    long = (TEXT * 10)[: most // (TAU2_TASKS * TAU2_TRIALS * TAU2_MESSAGES * 2)]
    info = {
        "num_trials": TAU2_TRIALS,
        "environment_info": {"domain_name": "telecom"},
        "agent_info": {"implementation": "llm_agent", "llm": "m"},
        "user_info": {"implementation": "user_simulator", "llm": "m"},
    }
    return {
        "info": info,
        "tasks": [{"id": f"task-{task}"} for task in range(TAU2_TASKS)],
        "simulations": [
            {
                "task_id": f"task-{task}",
                "trial": trial,
                "duration": 120.5,
                "termination_reason": "user_stop",
                "agent_cost": 0.5,
                "reward_info": {"reward": float(task % 2)},
                "messages": [_tau2_message(place, long) for place in range(TAU2_MESSAGES)],
            }
            for trial in range(TAU2_TRIALS)
            for task in range(TAU2_TASKS)
        ],
    }


def _tau2_message(place: int, text: str) -> dict[str, Any]:
    """The user, a call, its result, and the agent in turn."""
    used = {"prompt_tokens": 5000, "completion_tokens": 100}
    call = {
        "id": f"call_{place // 4}",
        "name": "get_bill",
        "arguments": {"bill_id": place},
        "requestor": "assistant",
    }
    match place % 4:
        case 0:
            said: dict[str, Any] = {"role": "user", "content": text}
        case 1:
            said = {"role": "assistant", "content": text, "tool_calls": [call], "usage": used}
        case 2:
            return {"role": "tool", "id": f"call_{place // 4}", "content": text * 2, "error": False}
        case _:
            said = {"role": "assistant", "content": text, "usage": used}
    return {**said, "turn_idx": place, "raw_data": {"message": text}}
