"""Results of mini-swe-agent on SWE-bench: a folder of `*.traj.json`, with `preds.json` and the evaluation's report.

Trajectories have format `mini-swe-agent-1` or `-1.1` (docs/usage/output_files.md of SWE-agent/mini-swe-agent), with messages of chat
completions or of the Responses API (`models/litellm_response_model.py`). The report is the JSON file of SWE-bench's own evaluation, known
by its list `resolved_ids`. An instance is a task with one run; the report decides it. Each command of the agent is a call of the tool
`bash`. Refused: a folder without a report or with two, and an instance with two trajectories.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeGuard

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.agents.importers.foreign_text import Scrubber, truncated
from benchsite.tracks.agents.importers.harness import Results, Score
from benchsite.tracks.agents.importers.json_object import loaded, objects, part
from benchsite.tracks.agents.importers.run_lines import FOREIGN, MAX_ANSWER, StatedRun, stated
from benchsite.words import amount

__all__ = ["read"]

EVALUATOR: Final = "SWE-bench's evaluation, as its report states it: resolved or not"
_TRAJECTORY: Final = ".traj.json"
_REPORTED: Final = (
    "submitted_ids",
    "completed_ids",
    "incomplete_ids",
    "resolved_ids",
    "unresolved_ids",
    "error_ids",
)
_OWN_FAULT: Final = frozenset(
    {"Submitted", "RepeatedFormatError", "FormatError", "LimitsExceeded", "TimeExceeded", ""}
)
"""Statuses at the end of a run that are no error of the infrastructure."""
_COMMAND: Final = re.compile(r"```(?:bash|sh|mswea_bash_command)[ \t]*\n(.*?)\n?```", re.DOTALL)
_COUNTS: Final = (("prompt_tokens", "completion_tokens"), ("input_tokens", "output_tokens"))
"""Names of input and output tokens: of chat completions, and of the Responses API."""
MAX_FILES: Final = 999


def read(files: Mapping[str, bytes]) -> Results:
    """Read the report and the names of the trajectories.

    Raises:
        InputError: they are malformed, or there is no report.
    """
    paths = _trajectories(files)
    name, report = _report(files)
    ids = {one: None for key in _REPORTED for one in _ids(report, key, name)}
    if unknown := [one for one in paths if one not in ids]:
        raise InputError(
            f"{paths[unknown[0]]}: instance {unknown[0][:80]!r} is not in the report {name}",
            hint="evaluate all predictions, or remove the trajectory",
        )
    lost = set(_ids(report, "incomplete_ids", name)) - paths.keys()
    first = loaded(files, next(iter(paths.values()))) if paths else {}
    info = part(first, "info")
    model = _model(files, paths.values())
    _require_consistent(report, name)
    total, resolved = report.get("total_instances"), report.get("resolved_instances")
    counted = resolved if type(resolved) is int else len(_ids(report, "resolved_ids", name))
    share = counted / total if type(total) is int and total > 0 else None
    absent = [one for one in _ids(report, "completed_ids", name) if one not in paths] if paths else []
    return Results(
        name,
        "swe-bench",
        EVALUATOR,
        f"SWE-bench, instances of the report {name}",
        dict.fromkeys(ids, "all"),
        1,
        lambda: _runs(files, paths, report, [one for one in ids if one not in lost]),
        lambda: _files(files, [name, *(["preds.json"] if "preds.json" in files else []), *paths.values()]),
        model=model,
        references=[
            f"mini-swe-agent {info.get('mini_version') or 'of unknown version'}",
            f"format {first.get('trajectory_format') or 'not stated'}",
        ],
        scores=[Score("resolved, of all instances", share, "success")] if share is not None else (),
        notes=_notes(paths, absent),
    )


def _notes(paths: Mapping[str, str], absent: Sequence[str]) -> list[str]:
    """What the person who imports the results should know about missing trajectories."""
    if not paths:
        return ["no trajectories: steps and costs are blank"]
    if absent:
        first = Scrubber().name(absent[0])
        return [f"{amount(len(absent), 'completed instance')} without a trajectory, such as {first}"]
    return []


def _require_consistent(report: Mapping[str, Any], name: str) -> None:
    """Raise `InputError` if a report lists an instance twice, or as resolved and unresolved."""
    resolved, unresolved = (_ids(report, key, name) for key in ("resolved_ids", "unresolved_ids"))
    if twice := [one for one, times in Counter(resolved).items() if times > 1]:
        raise InputError(
            f"{name}: resolved_ids: {twice[0][:80]!r} occurs twice",
            hint="repeat the evaluation, or correct the report",
        )
    if both := sorted(set(resolved) & set(unresolved)):
        raise InputError(
            f"{name}: instance {both[0][:80]!r} is in resolved_ids and in unresolved_ids",
            hint="repeat the evaluation, or correct the report",
        )


def _trajectories(files: Mapping[str, bytes]) -> dict[str, str]:
    """Path by instance."""
    found: dict[str, str] = {}
    for path in files:
        if path.endswith(_TRAJECTORY):
            instance = path.rpartition("/")[2].removesuffix(_TRAJECTORY)
            if instance in found:
                raise InputError(
                    f"{path}: instance {instance[:80]!r} has another trajectory, {found[instance]}",
                    hint="give the folder of one run",
                )
            found[instance] = path
    return found


def _model(files: Mapping[str, bytes], paths: Iterable[str]) -> str | None:
    """The model that the trajectories state; one without a model has that of the others."""
    found: dict[str, None] = {}
    for path in paths:
        name = part(part(part(loaded(files, path), "info"), "config"), "model").get("model_name")
        if isinstance(name, str):
            found[name] = None
    if len(found) > 1:
        names = "; ".join(name[:100] for name in list(found)[:5])
        raise InputError(f"{len(found)} models in the folder: {names}", hint="import each run alone")
    return next(iter(found), None)


def _report(files: Mapping[str, bytes]) -> tuple[str, Mapping[str, Any]]:
    """The one file with `resolved_ids`."""
    found = {}
    for path in files:
        if (
            path.endswith(".json")
            and not path.endswith(_TRAJECTORY)
            and path.rpartition("/")[2] != "preds.json"
        ):
            value = loaded(files, path)
            if isinstance(value.get("resolved_ids"), list):
                found[path] = value
    if len(found) != 1:
        names = ", ".join(list(found)[:5])
        raise InputError(
            f"{len(found)} reports with resolved_ids in the folder{f': {names}' if names else ''}",
            hint="put the report of SWE-bench's evaluation into the folder, and no other",
        )
    return next(iter(found.items()))


def _files(files: Mapping[str, bytes], paths: Sequence[str]) -> list[dict[str, Any]]:
    """The files as a receipt lists them; above 1,000, the rest as one entry over their hashes."""
    listed: list[dict[str, Any]] = [
        {"name": path, "sha256": canonical.sha256_hex(files[path]), "size": len(files[path])}
        for path in paths
    ]
    if len(listed) <= MAX_FILES:
        return listed
    rest = listed[MAX_FILES:]
    digest = canonical.digest({one["name"]: one["sha256"] for one in rest})
    return [
        *listed[:MAX_FILES],
        {
            "name": f"{len(rest)} more, SHA-256 of their hashes",
            "sha256": digest,
            "size": sum(one["size"] for one in rest),
        },
    ]


def _runs(
    files: Mapping[str, bytes], paths: Mapping[str, str], report: Mapping[str, Any], ids: Sequence[str]
) -> Iterator[StatedRun]:
    """One run of each instance."""
    scrubber = Scrubber()
    resolved, failed = set(report["resolved_ids"]), set(report.get("error_ids") or ())
    for instance in ids:
        where = paths.get(instance) or f"instance {scrubber.name(instance)}"
        told = loaded(files, paths[instance]) if instance in paths else {}
        info = part(told, "info")
        messages = told.get("messages")
        messages = messages if isinstance(messages, list) else []
        submission = info.get("submission")
        line = {
            "task": scrubber.name(instance),
            **_ending(info, is_resolved=instance in resolved, is_error=instance in failed),
            "tokens": _tokens(messages),
            "costUsd": part(info, "model_stats").get("instance_cost"),
            "latencyMs": _duration(messages),
            "messages": list(_messages(messages, where)) or None,
            "answer": truncated(submission, MAX_ANSWER)
            if isinstance(submission, str) and submission
            else None,
        }
        yield stated(line, where)


def _ending(info: Mapping[str, Any], *, is_resolved: bool, is_error: bool) -> dict[str, Any]:
    """The outcome: the report's, and why the agent ended if it is no success."""
    status = info.get("exit_status")
    status = status if isinstance(status, str) else ""
    if is_resolved:
        return {"outcome": "success"}
    limit = _limit(status, info)
    if limit is not None:
        return {"outcome": "limit", "limit": limit, "error": status}
    if status not in _OWN_FAULT:
        return {"outcome": "error", "error": status}
    if is_error:
        return {"outcome": "error", "error": "the evaluation ended in an error"}
    return {"outcome": "failure", "error": status if status not in {"", "Submitted"} else None}


def _limit(status: str, info: Mapping[str, Any]) -> str | None:
    """The limit that ended a run; None for none, or if it cannot be told."""
    if status == "TimeExceeded":
        return "seconds"
    if status == "ContextWindowExceededError":
        return "context"
    agent, used = part(part(info, "config"), "agent"), part(info, "model_stats")
    for limit, name, count in (
        ("iterations", "step_limit", "api_calls"),
        ("cost", "cost_limit", "instance_cost"),
    ):
        most, spent = agent.get(name), used.get(count)
        if status == "LimitsExceeded" and _is_number(most) and _is_number(spent) and 0 < most <= spent:
            return limit
    return None


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _tokens(messages: Sequence[Any]) -> int | None:
    """Input and output tokens; None unless every message of the model states them."""
    total, count = 0, 0
    for message in messages:
        if isinstance(message, dict) and (message.get("role") == "assistant" or _is_response(message)):
            told = message if _is_response(message) else part(part(message, "extra"), "response")
            usage, names = part(told, "usage"), _COUNTS[_is_response(message)]
            given, made = (usage.get(name) for name in names)
            if type(given) is not int or type(made) is not int or min(given, made) < 0:
                return None
            total, count = total + given + made, count + 1
    return total if count else None


def _duration(messages: Sequence[Any]) -> float | None:
    """Milliseconds between the first and the last message; None if the clock is not told, or ran backwards."""
    times = [part(message, "extra").get("timestamp") for message in messages if isinstance(message, dict)]
    known = [time for time in times if _is_number(time)]
    return (known[-1] - known[0]) * 1000 if len(known) > 1 and known[-1] >= known[0] else None


def _messages(messages: Sequence[Any], where: str) -> Iterator[dict[str, Any]]:
    """The messages in the form of `messages`: commands as calls of `bash`, and what they print as results."""
    waiting: list[str] = []
    for place, told in enumerate(messages, 1):
        if not isinstance(told, dict):
            raise InputError(f"{where}: messages: message {place}: must be an object", hint=FOREIGN)
        role, content, extra = told.get("role"), told.get("content"), part(told, "extra")
        if role == "exit" or "exit_status" in extra:
            continue
        if role == "assistant":
            made: dict[str, Any] = {"role": role, "content": content}
            if isinstance(told.get("tool_calls"), list):
                made["tool_calls"] = told["tool_calls"]
            else:
                commands = _commands(content, extra)
                waiting = [f"{place}.{number}" for number in range(len(commands))]
                made["calls"] = [
                    {"id": one, "tool": "bash", "arguments": {"command": command}}
                    for one, command in zip(waiting, commands, strict=True)
                ]
            yield made
        elif _is_response(told):
            yield _responded(told)
        elif told.get("type") == "function_call_output":
            yield _result(told.get("call_id"), told.get("output"), extra)
        elif role == "user" and waiting:
            yield _result(waiting.pop(0), content, extra)
        elif role == "tool":
            yield _result(told.get("tool_call_id"), content, extra)
        else:
            yield {key: told[key] for key in ("role", "content") if key in told}


def _is_response(message: Mapping[str, Any]) -> bool:
    return message.get("object") == "response"


def _responded(told: Mapping[str, Any]) -> dict[str, Any]:
    """A response of the Responses API as a message; its reasoning is left out, as that of other messages."""
    items = objects(told.get("output"))
    return {
        "role": "assistant",
        "content": [
            said for item in items if item.get("type") == "message" for said in objects(item.get("content"))
        ],
        "tool_calls": [
            {"id": item.get("call_id"), "name": item.get("name"), "arguments": item.get("arguments")}
            for item in items
            if item.get("type") == "function_call"
        ],
    }


def _result(call: Any, content: Any, extra: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a command; it failed if it returned another code than 0, or didn't end."""
    is_error = extra.get("returncode") not in (None, 0) or bool(extra.get("exception_info"))
    return {"role": "tool", "tool_call_id": call, "content": content, "is_error": is_error}


def _commands(content: Any, extra: Mapping[str, Any]) -> list[str]:
    """The commands of a message: those that the agent parsed, or its blocks of code in format 1."""
    actions = extra.get("actions")
    if isinstance(actions, list):
        found = [one.get("command") if isinstance(one, dict) else one for one in actions]
        return [one for one in found if isinstance(one, str)]
    return _COMMAND.findall(content) if isinstance(content, str) else []


def _ids(report: Mapping[str, Any], key: str, name: str) -> list[str]:
    found = report.get(key) or []
    if not isinstance(found, list) or not all(isinstance(one, str) and one for one in found):
        raise InputError(f"{name}: {key}: must be a list of ids", hint=FOREIGN)
    return found
