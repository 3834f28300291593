"""Trials of Harbor with trajectories in ATIF, the Agent Trajectory Interchange Format 1.0 to 1.8 (Harbor's RFC 0001).

A folder of a job: of each trial `result.json` with its task, reward and exception, and `agent/trajectory.json`. A reward of 1 is a success;
`AgentTimeoutError` is a limit, another exception and a trial without a reward are errors of the infrastructure. Steps of subagents,
embedded or in the trial's folder, follow the step that delegates to them, and their actors are the subagents. A trajectory is read with its
continuations, `continued_trajectory_ref`, without the steps that those copy from earlier ones. Of a trial that benchsite exported, outcome and
score are read from the member `benchsite`. Refused: folders without a trial, unknown versions of the format, missing continuations.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from benchsite.errors import InputError
from benchsite.tracks.agents.importers.atif_steps import Author, Steps, microseconds_of, results
from benchsite.tracks.agents.importers.foreign_text import Scrubber
from benchsite.tracks.agents.importers.harness import Results, Score, listed_files
from benchsite.tracks.agents.importers.json_object import loaded, objects, part
from benchsite.tracks.agents.importers.run_lines import FOREIGN, StatedRun, stated
from benchsite.tracks.agents.trace.remainder import KEY

__all__ = ["read"]

EVALUATOR: Final = "the verifier of each Harbor task, as results state it; a reward of 1 is a success"
AGENT: Final = "agent"
"""The actor of a trial's own trajectory."""
MAX_DEPTH: Final = 20
"""Subagents of subagents that are read."""
MAX_STEPS: Final = 100_000
"""Steps of a trial with its subagents."""
_VERSION: Final = re.compile(r"ATIF-v1\.[0-8](\.[0-9]+)?")
_RESULT: Final = "result.json"


class _Trial(NamedTuple):
    """A trial: its folder with a slash, its result, the number of the run."""

    folder: str
    result: Mapping[str, Any]
    number: int


def read(files: Mapping[str, bytes]) -> Results:
    """Read the results of the trials; the trajectories are read one at a time.

    Raises:
        InputError: there is no trial, or a result is malformed.
    """
    found = {path: loaded(files, path) for path in files if path.rpartition("/")[2] == _RESULT}
    trials = _trials({path: one for path, one in found.items() if "task_name" in one})
    if not trials:
        raise InputError(f"no trial: no {_RESULT} in the folder has a task_name", hint=FOREIGN)
    agents = Counter(_agent(trial) for trial in trials)
    (agent, model), _ = agents.most_common(1)[0]
    if len(agents) > 1:
        names = "; ".join(f"{name}, {used or 'no model'}"[:100] for name, used in list(agents)[:5])
        raise InputError(
            f"{len(agents)} agents or models in the folder: {names}", hint="import each job alone"
        )
    sources = sorted({one for trial in trials if isinstance(one := trial.result.get("source"), str) and one})
    return Results(
        "job",
        f"harbor-{sources[0]}" if len(sources) == 1 else "harbor",
        EVALUATOR,
        f"Harbor, {', '.join(sources[:5]) if sources else 'dataset not stated'}",
        dict.fromkeys((str(trial.result["task_name"]) for trial in trials), "all"),
        max(trial.number for trial in trials),
        lambda: _runs(files, trials),
        lambda: listed_files(files, [f"{trial.folder}{_RESULT}" for trial in trials]),
        model=model,
        references=[f"agent in Harbor: {agent}"],
        scores=tuple(_scores([one for one in found.values() if "task_name" not in one], trials)),
    )


def _trials(results: Mapping[str, Mapping[str, Any]]) -> list[_Trial]:
    """The trials by task and start; the runs of a task are numbered in that order."""
    ordered = sorted(results.items(), key=lambda item: (str(item[1].get("started_at") or ""), item[0]))
    numbers: Counter[str] = Counter()
    trials = []
    for path, result in ordered:
        if not isinstance(result["task_name"], str) or not result["task_name"]:
            raise InputError(f"{path}: task_name: must be text", hint=FOREIGN)
        numbers[result["task_name"]] += 1
        own = part(result, KEY).get("run")
        number = own if type(own) is int and own >= 1 else numbers[result["task_name"]]
        trials.append(_Trial(path.removesuffix(_RESULT), result, number))
    return trials


def _agent(trial: _Trial) -> tuple[str, str | None]:
    """The agent with its version, and its model."""
    told = part(trial.result, "agent_info")
    model = part(told, "model_info").get("name")
    return f"{told.get('name') or 'unknown'} {told.get('version') or ''}".strip(), (
        model if isinstance(model, str) else None
    )


def _scores(jobs: Sequence[Mapping[str, Any]], trials: Sequence[_Trial]) -> Iterator[Score]:
    """The means that a job's own result states; they count a trial without a reward as 0, as `success` does."""
    is_binary = all(_reward(trial.result) in (None, 0, 1) for trial in trials)
    for job in jobs[:1]:
        for name, told in list(part(part(job, "stats"), "evals").items())[:5]:
            for metric in (told.get("metrics") or ())[:5] if isinstance(told, dict) else ():
                value = metric.get("mean") if isinstance(metric, dict) else None
                if isinstance(value, int | float) and not isinstance(value, bool):
                    yield Score(f"{name}, mean reward", float(value), "success" if is_binary else None)


def _reward(result: Mapping[str, Any]) -> float | None:
    """The reward of a trial: the one called `reward`, or the only one; None without one."""
    told = part(result, "verifier_result")
    rewards = told.get("rewards")
    value = told.get("reward")
    if isinstance(rewards, dict):
        value = rewards.get("reward", next(iter(rewards.values())) if len(rewards) == 1 else None)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _runs(files: Mapping[str, bytes], trials: Sequence[_Trial]) -> Iterator[StatedRun]:
    scrubber = Scrubber()
    for trial in trials:
        path = f"{trial.folder}agent/trajectory.json"
        where = scrubber.name(f"{trial.folder}{_RESULT}")
        line = {
            "task": scrubber.name(trial.result["task_name"]),
            "run": trial.number,
            **_ending(trial.result, where),
            "latencyMs": _duration(part(trial.result, "agent_execution")),
        }
        run = stated(line, where)
        yield (
            run.with_events(_events(files, path, trial.folder, run.line.latency_ms)) if path in files else run
        )


def _events(
    files: Mapping[str, bytes], path: str, folder: str, duration: float | None
) -> Sequence[Mapping[str, Any]]:
    """The events of a trial; the last has the duration of the whole, unless the file states latencies."""
    walked, made = _bounded(_walked(files, path, folder), path), Steps()
    steps = [one.step for one in walked]
    is_ours = _stated_actor(loaded(files, path)) is not None
    has_tokens, has_costs = is_ours or _tokens(steps) is not None, is_ours or _cost(steps) is not None
    for one in walked:
        author = one.author._replace(has_tokens=has_tokens, has_costs=has_costs)
        made.add(one.step, author, path, one.delegated)
    events = made.finished()
    if duration is not None and not any(event.get("latency_ms") is not None for event in events):
        events[-1]["latency_ms"] = duration
    return events


def _ending(result: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The outcome of a trial, its score, its limit or its error."""
    own = part(result, KEY)
    if own.get("outcome") is not None:
        return {name: own.get(name) for name in ("outcome", "score", "limit", "error")}
    reward, error = _reward(result), part(result, "exception_info").get("exception_type")
    error = error if isinstance(error, str) else None
    if reward is not None and not 0 <= reward <= 1:
        raise InputError(f"{where}: reward {reward:g} is outside 0 to 1", hint=FOREIGN)
    if reward == 1:
        return {"outcome": "success", "score": reward}
    if error == "AgentTimeoutError":
        return {"outcome": "limit", "limit": "seconds", "score": reward, "error": error}
    if error is not None or reward is None:
        return {"outcome": "error", "error": error or "no reward"}
    return {"outcome": "failure", "score": reward}


def _bounded(steps: Iterator[_Walked], path: str) -> list[_Walked]:
    found = list(itertools.islice(steps, MAX_STEPS + 1))
    if len(found) > MAX_STEPS:
        raise InputError(f"{path}: more than {MAX_STEPS:,} steps with those of subagents", hint=FOREIGN)
    return found


class _Walked(NamedTuple):
    """A step, who acts in it, and the subagents of its calls."""

    step: Mapping[str, Any]
    author: Author
    delegated: Mapping[str, Sequence[str]]


class _Trajectory(NamedTuple):
    """A trajectory: its object, its file, who acts in it, how deep it is."""

    told: Mapping[str, Any]
    path: str
    author: Author
    depth: int = 1


def _walked(files: Mapping[str, bytes], path: str, folder: str) -> Iterator[_Walked]:
    """The steps of a trial, those of a subagent after the first step that refers to it."""
    told = loaded(files, path)
    root = _Trajectory(told, path, Author(_stated_actor(told) or AGENT, _model(told)))
    yield from _of(root, files, folder, {path}, {AGENT, _name(told) or AGENT})


def _of(
    one: _Trajectory, files: Mapping[str, bytes], folder: str, used: set[str], taken: set[str]
) -> Iterator[_Walked]:
    """The steps of a trajectory and of its continuations; the files of the trial that are read are added to `used`."""
    at: _Trajectory | None = one
    while at is not None:
        yield from _own(at, files, folder, used, taken)
        at = _continuation(at, files, folder, used)


def _continuation(
    one: _Trajectory, files: Mapping[str, bytes], folder: str, used: set[str]
) -> _Trajectory | None:
    """The trajectory that continues one in another file of the trial, unless it was read already; raises `InputError`."""
    place = one.told.get("continued_trajectory_ref")
    if place is None:
        return None
    beside = f"{one.path.rpartition('/')[0]}/{place}"
    if not beside.startswith(folder) or beside not in files:
        raise InputError(
            f"{one.path}: continued_trajectory_ref: the trial has no file {str(place)[:80]!r}",
            hint="copy the trial's whole folder, or remove its trajectory.json to import it without steps",
        )
    if beside in used:
        return None
    used.add(beside)
    told = loaded(files, beside)
    author = one.author._replace(model=_model(told) or one.author.model)
    return one._replace(told=told, path=beside, author=author)


def _own(
    one: _Trajectory, files: Mapping[str, bytes], folder: str, used: set[str], taken: set[str]
) -> Iterator[_Walked]:
    """The steps of a trajectory's own file; those that are copied from an earlier trajectory count there."""
    version = one.told.get("schema_version")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        raise InputError(
            f"{one.path}: schema_version {str(version)[:40]!r} is unknown",
            hint="known: ATIF-v1.0 to ATIF-v1.8",
        )
    steps = one.told.get("steps")
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise InputError(f"{one.path}: steps: must be a list of objects", hint=FOREIGN)
    if one.depth > MAX_DEPTH:
        raise InputError(f"{one.path}: more than {MAX_DEPTH} subagents within one another", hint=FOREIGN)
    embedded = {inner.get("trajectory_id"): inner for inner in objects(one.told.get("subagent_trajectories"))}
    for step in steps:
        if step.get("is_copied_context") is True:
            continue
        inner, delegated = list[_Trajectory](), dict[str, list[str]]()
        for call, reference in _references(step):
            found = _referred(reference, one, embedded, files, folder, used)
            if found is not None:
                found = found._replace(author=_author(found, taken))
                inner.append(found)
                delegated.setdefault(call, []).append(found.author.actor)
        yield _Walked(step, one.author, delegated)
        for found in inner:
            yield from _of(found, files, folder, used, taken)


def _referred(
    reference: Mapping[str, Any],
    one: _Trajectory,
    embedded: dict[Any, Mapping[str, Any]],
    files: Mapping[str, bytes],
    folder: str,
    used: set[str],
) -> _Trajectory | None:
    """The trajectory of a reference, if it is embedded or in the trial's folder, and was not read yet."""
    name, place = reference.get("trajectory_id"), reference.get("trajectory_path")
    beside = f"{one.path.rpartition('/')[0]}/{place}" if isinstance(place, str) else ""
    if isinstance(name, str) and name in embedded:
        told = {"schema_version": one.told["schema_version"], **embedded.pop(name)}
        return _Trajectory(told, one.path, one.author, one.depth + 1)
    if beside.startswith(folder) and beside in files and beside not in used:
        used.add(beside)
        return _Trajectory(loaded(files, beside), beside, one.author, one.depth + 1)
    return None


def _author(one: _Trajectory, taken: set[str]) -> Author:
    """Who acts in a subagent's trajectory: its agent, told from the agent that it is part of by the trajectory's id or file."""
    stated_by = _stated_actor(one.told)
    name = _name(one.told) or "subagent"
    if stated_by is None and name in taken:
        told = one.told.get("trajectory_id")
        own = told if isinstance(told, str) and told else one.path.rpartition("/")[2].removesuffix(".json")
        name = Scrubber().name(f"{name} {own}")
    return Author(stated_by if stated_by is not None else name, _model(one.told) or one.author.model)


def _name(told: Mapping[str, Any]) -> str | None:
    name = part(told, "agent").get("name")
    return Scrubber().name(name) if isinstance(name, str) and name else None


def _model(told: Mapping[str, Any]) -> str | None:
    model = part(told, "agent").get("model_name")
    return model if isinstance(model, str) and model else None


def _stated_actor(told: Mapping[str, Any]) -> str | None:
    """The actor that benchsite wrote into a trajectory of its own."""
    actor = part(part(told, "extra"), KEY).get("actor")
    return Scrubber().name(actor) if isinstance(actor, str) and actor else None


def _references(step: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The references to subagents, each with the call whose result it is."""
    for result in results(step):
        told, call = result.get("subagent_trajectory_ref"), result.get("source_call_id")
        for one in told if isinstance(told, list) else [told]:
            if isinstance(one, dict):
                yield (call if isinstance(call, str) else ""), one


def _metrics(steps: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [part(step, "metrics") for step in steps if step.get("source") == "agent"]


def _tokens(steps: Sequence[Mapping[str, Any]]) -> int | None:
    """Input and output tokens; None unless some step states them, and no step states one of the two only."""
    total, is_known = 0, False
    for told in _metrics(steps):
        counts = [told.get("prompt_tokens"), told.get("completion_tokens")]
        if counts == [None, None]:
            continue
        for count in counts:
            if type(count) is not int or count < 0:
                return None
            total, is_known = total + count, True
    return total if is_known else None


def _cost(steps: Sequence[Mapping[str, Any]]) -> float | None:
    costs = [one["cost_usd"] for one in _metrics(steps) if one.get("cost_usd") is not None]
    is_told = bool(costs) and all(isinstance(cost, int | float) and cost >= 0 for cost in costs)
    try:
        return math.fsum(costs) if is_told else None
    except OverflowError:
        return None


def _duration(timing: Mapping[str, Any]) -> float | None:
    """Milliseconds of a phase; None if the clock is not told, or ran backwards."""
    start, end = (microseconds_of(timing.get(name)) for name in ("started_at", "finished_at"))
    return None if start is None or end is None or end < start else (end - start) / 1000
