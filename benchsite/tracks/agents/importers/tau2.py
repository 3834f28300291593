"""Results of tau2-bench: one file, or a folder with `results.json` and `simulations/` (sierra-research/tau2-bench, `Results`).

Read of `info`: domain, number of trials, commit, models; of `tasks`: ids; of `simulations`: task, trial, reward, the reason that ended
it, messages, tokens and cost of the agent, duration. A reward of 1 within 1e-6 is a success, as in tau2's `is_successful`. An
`infrastructure_error` and a simulation without a reward are errors. Tool calls of the simulated user are told as what the agent was given.
Refused: results without tasks, and a `results.json` of a folder that is given alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.track.parts import Readable
from benchsite.tracks.agents.importers.foreign_text import Scrubber, fitted
from benchsite.tracks.agents.importers.harness import Results, listed, listed_files
from benchsite.tracks.agents.importers.json_object import loaded, part
from benchsite.tracks.agents.importers.json_stream import members
from benchsite.tracks.agents.importers.run_lines import FOREIGN, StatedRun, stated
from benchsite.tracks.agents.record.config import MAX_REPEATS

__all__ = ["read"]

EVALUATOR: Final = "tau2-bench's reward as its results state it; 1 is a success"
_RESULTS: Final = "results.json"
_SIMULATIONS: Final = "simulations/"
_NEAR: Final = 1e-6
_LIMITS: Final = {"max_steps": "iterations", "timeout": "seconds", "context_window_exceeded": "context"}
_ENDED: Final = frozenset({"user_stop", "agent_stop"})
_LISTED: Final = frozenset({"tasks", "simulations"})


def read(given: Readable | Mapping[str, bytes]) -> Results:
    """Read what precedes the simulations: of a file, or of the files of a folder by relative path.

    Raises:
        InputError: it is malformed, or no results of tau2-bench.
    """
    if isinstance(given, Mapping):
        return _folder(given)
    file = given
    info, tasks, has_runs, is_split = _head(file)
    if info is None or not (tasks or has_runs):
        raise InputError(
            f"{file.name}: no results of tau2-bench: info, tasks or simulations are missing", hint=FOREIGN
        )
    if not has_runs:
        hint = "name the folder: benchsite import tau2 FOLDER"
        why = "each is in a file of its folder" if is_split else "the list is empty"
        raise InputError(f"{file.name}: no simulations: {why}", hint=hint if is_split else FOREIGN)
    return _results(file, info, tasks)


class _Head(NamedTuple):
    """What a file says before its simulations; `is_split` if it names files that have them."""

    info: Mapping[str, Any] | None
    tasks: Sequence[str]
    has_runs: bool
    is_split: bool


def _head(file: Readable) -> _Head:
    """Read a file until it has given info, tasks and a simulation, else to its end."""
    info, tasks, has_runs, is_split = None, list[str](), False, False
    for member in members(file.chunks(), file.name, _LISTED):
        if member.name == "info":
            info = _object(member.value, f"{file.name}: info")
        elif member.name == "tasks" and member.item is not None:
            where = f"{file.name}: tasks: task {member.item}"
            tasks.append(_text(_object(member.value, where).get("id"), f"{where}: id"))
        has_runs |= member.name == "simulations" and member.item is not None
        is_split |= member.name == "simulation_index" and member.value is not None
        if has_runs and info is not None and tasks:
            break
    return _Head(info, tasks, has_runs, is_split)


class _Whole:
    """A file of a folder as a `Readable`."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name, self.path, self.size = name, name, len(data)
        self._data = data

    def chunks(self) -> Iterator[bytes]:
        """Yield its bytes at once."""
        yield self._data

    def sha256(self) -> str:
        """Return the SHA-256 of its bytes."""
        return canonical.sha256_hex(self._data)


def _folder(files: Mapping[str, bytes]) -> Results:
    """Read a folder with one file per simulation, or the one file that it has; simulations are read one at a time."""
    if _RESULTS not in files:
        raise InputError(f"no {_RESULTS} in the folder", hint=FOREIGN)
    file = _Whole(_RESULTS, files[_RESULTS])
    paths = sorted(path for path in files if path.startswith(_SIMULATIONS) and path.count("/") == 1)
    if not paths:
        return read(file)
    info, tasks, has_runs, _ = _head(file)
    if has_runs:
        raise InputError(
            f"{file.name}: simulations in the file and in {_SIMULATIONS}", hint="remove one of the two"
        )
    if info is None:
        raise InputError(f"{file.name}: no results of tau2-bench: info is missing", hint=FOREIGN)
    return replace(
        _results(file, info, tasks),
        runs=lambda: _runs_of(files, paths),
        files=lambda: listed_files(files, [_RESULTS, *paths]),
    )


def _runs_of(files: Mapping[str, bytes], paths: Sequence[str]) -> Iterator[StatedRun]:
    scrubber = Scrubber()
    for path in paths:
        yield _run(loaded(files, path), scrubber.name(path), scrubber)


def _results(file: Readable, info: Mapping[str, Any], tasks: Sequence[str]) -> Results:
    where = f"{file.name}: info"
    domain = part(info, "environment_info").get("domain_name")
    domain = domain if isinstance(domain, str) and domain else "unknown-domain"
    trials = info.get("num_trials")
    if type(trials) is not int or not 1 <= trials <= MAX_REPEATS:
        raise InputError(
            f"{where}: num_trials: must be a whole number from 1 to {MAX_REPEATS:,}", hint=FOREIGN
        )
    if len(set(tasks)) != len(tasks):
        raise InputError(f"{file.name}: tasks: an id occurs twice", hint=FOREIGN)
    agent, user = part(info, "agent_info"), part(info, "user_info")
    told = (
        ("tau2-bench, commit {}", info.get("git_commit")),
        ("agent: {}", agent.get("implementation")),
        ("user simulator: {}", user.get("llm")),
    )
    return Results(
        file.name,
        f"tau2-{domain}",
        EVALUATOR,
        f"tau2-bench, domain {domain}",
        dict.fromkeys(tasks, domain),
        trials,
        lambda: _runs(file),
        lambda: listed(file),
        model=agent["llm"] if isinstance(agent.get("llm"), str) else None,
        references=[form.format(value) for form, value in told if isinstance(value, str) and value],
    )


def _runs(file: Readable) -> Iterator[StatedRun]:
    """The simulations, one at a time."""
    scrubber = Scrubber()
    for member in members(file.chunks(), file.name, _LISTED):
        if member.name == "simulations" and member.item is not None:
            where = f"{file.name} simulation {member.item}"
            yield _run(_object(member.value, where), where, scrubber)


def _run(told: Mapping[str, Any], where: str, scrubber: Scrubber) -> StatedRun:
    trial, duration = told.get("trial"), told.get("duration")
    if type(trial) is not int or trial < 0:
        raise InputError(f"{where}: trial: must be a whole number from 0", hint=FOREIGN)
    messages = told.get("messages")
    is_told = isinstance(messages, list) and bool(messages)
    line = {
        "task": scrubber.name(_text(told.get("task_id"), f"{where}: task_id")),
        "run": trial + 1,
        **_ending(told, where),
        "tokens": _tokens(messages) if isinstance(messages, list) else None,
        "costUsd": told.get("agent_cost"),
        "latencyMs": duration * 1000 if isinstance(duration, int | float) else None,
        "messages": list(_messages(messages, where)) if isinstance(messages, list) and is_told else None,
    }
    return stated(line, where)


def _ending(told: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The outcome of a simulation, its score, its limit or its error."""
    reason, info = told.get("termination_reason"), told.get("reward_info")
    reason = reason if isinstance(reason, str) else "unknown"
    reward = info.get("reward") if isinstance(info, dict) else None
    if reason == "infrastructure_error" or reward is None:
        return {"outcome": "error", "error": f"{reason}{'' if reward is not None else ', no reward'}"}
    if not isinstance(reward, int | float) or isinstance(reward, bool) or not 0 <= reward <= 1 + _NEAR:
        raise InputError(f"{where}: reward: must be a number from 0 to 1", hint=FOREIGN)
    score = min(float(reward), 1.0)
    if score >= 1 - _NEAR:
        return {"outcome": "success", "score": score}
    if reason in _LIMITS:
        return {"outcome": "limit", "limit": _LIMITS[reason], "score": score, "error": reason}
    return {"outcome": "failure", "score": score, "error": None if reason in _ENDED else reason}


def _tokens(messages: Sequence[Any]) -> int | None:
    """Input and output tokens of the agent; None if no message states them."""
    used = [
        message["usage"]
        for message in messages
        if isinstance(message, dict)
        and message.get("role") == "assistant"
        and isinstance(message.get("usage"), dict)
    ]
    counts = [usage.get(name) for usage in used for name in ("prompt_tokens", "completion_tokens")]
    found = [count for count in counts if type(count) is int and count >= 0]
    return sum(found) if found and len(found) == len(counts) else None


def _messages(messages: Sequence[Any], where: str) -> Iterator[dict[str, Any]]:
    """The messages in the form of `messages`: the agent's calls are calls, the user's are given to the agent."""
    for place, message in enumerate(messages, 1):
        at = f"{where}: messages: message {place}"
        told = _object(message, at)
        if isinstance(told.get("tool_messages"), list):
            yield from (_result(_object(one, at)) for one in told["tool_messages"])
        elif told.get("role") == "tool":
            yield _result(told)
        elif told.get("role") == "user" and told.get("tool_calls"):
            yield {"role": "user", "content": f"[calls of the user] {_json(told['tool_calls'])}"}
        else:
            calls = {"tool_calls": told["tool_calls"]} if told.get("tool_calls") else {}
            yield {"role": told.get("role"), "content": told.get("content"), **calls}


def _result(told: Mapping[str, Any]) -> dict[str, Any]:
    if told.get("requestor") == "user":
        return {"role": "user", "content": f"[result for the user] {told.get('content') or ''}"}
    return {
        "role": "tool",
        "tool_call_id": told.get("id"),
        "content": told.get("content"),
        "is_error": told.get("error") is True,
    }


def _json(value: Any) -> str:
    return canonical.dumps(Scrubber().scrubbed(fitted(value))).decode("utf-8")


def _object(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{where}: must be an object", hint=FOREIGN)
    return value


def _text(value: Any, where: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        raise InputError(f"{where}: must be text", hint=FOREIGN)
    return value
