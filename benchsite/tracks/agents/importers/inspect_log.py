"""Logs of Inspect AI (UKGovernmentBEIS/inspect_ai), `.eval` and `.json`, read by its own package.

Each sample of each epoch is a run. The declared evaluator is a scorer of the log: the first, unless another is chosen. Its value decides
as Inspect's own `value_to_float` does: 1 is a success, and so is no other number. An error of a sample and a sample without a value are
errors of the infrastructure, as Inspect leaves both out of its metrics. Attempts before a retry are counted in a note, never as runs.
Refused: scores outside 0 to 1, a sample that occurs twice, and logs without a sample.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from benchsite.errors import InputError, PrerequisiteError, UsageError
from benchsite.track.parts import Readable
from benchsite.tracks.agents.importers.foreign_text import Scrubber
from benchsite.tracks.agents.importers.harness import Results, Score, listed
from benchsite.tracks.agents.importers.run_lines import FOREIGN, StatedRun, stated
from benchsite.words import amount

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample, EvalScore

__all__ = ["read"]

INSTALL: Final = 'pip install "benchsite[inspect]"'
_LIMITS: Final = {
    "token": "tokens",
    "message": "messages",
    "time": "seconds",
    "working": "seconds",
    "cost": "cost",
    "context": "context",
}
_VALUES: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_UNREAD: Final = frozenset({"events", "store", "events_data", "timelines", "metadata"})
_AT_ONCE: Final = 32
"""Samples that are read at once: the file's directory is read once for them."""
_MOST: Final = 512 * 2**20
"""Bytes of a member of an `.eval` file, unpacked: Inspect AI holds one whole."""


def read(file: Readable, scorer: str | None = None) -> Results:
    """Read the header of a log and its list of samples.

    Raises:
        PrerequisiteError: Inspect AI is not installed.
        InputError: it is no log, has no sample, or would unpack to more than memory should hold.
        UsageError: it has no such scorer.
    """
    _require_bounded(file)
    log, samples = _header(file)
    if not samples:
        raise InputError(f"{file.name}: no samples: the log's status is {log.status}", hint=FOREIGN)
    names = [score.name for score in log.results.scores] if log.results is not None else []
    chosen = _scorer(
        file.name, log, names or sorted({name for one in samples for name in one.scores or {}}), scorer
    )
    tasks = dict.fromkeys((str(one) for one in log.eval.dataset.sample_ids or ()), "")
    tasks |= dict.fromkeys((str(one.id) for one in samples), "")
    task = log.eval.task.rpartition("/")[2] or "task"
    notes = list(_notes(log, samples))
    keys = [(one.id, one.epoch) for one in samples]
    used = log.eval.packages.get("inspect_ai")
    return Results(
        file.name,
        f"inspect-{task}",
        f"Inspect AI's scorer {chosen}, as its log states it",
        f"Inspect AI, task {task}, dataset {log.eval.dataset.name or 'not named'}",
        dict.fromkeys(tasks, task),
        max(log.eval.config.epochs or 1, *(epoch for _, epoch in keys)),
        lambda: _runs(file, keys, chosen),
        lambda: listed(file),
        model=log.eval.model,
        references=[f"Inspect AI {used or 'of unknown version'}, task {log.eval.task}, status {log.status}"],
        scores=tuple(_scores(log, chosen)),
        notes=notes,
    )


def _package(name: str) -> Any:
    """The module of Inspect AI that reads logs."""
    try:
        from inspect_ai import log  # noqa: PLC0415 - an extra
        from inspect_ai.log import read_eval_log_samples_by_id  # noqa: F401, PLC0415 - since 2026
    except ImportError:
        raise PrerequisiteError(
            f"{name}: reading it needs Inspect AI, which is not installed, or too old", hint=f"run: {INSTALL}"
        ) from None
    return log


def _require_bounded(file: Readable) -> None:
    """Refuse an archive with a member that is far larger than a sample; what is no archive is judged by its reader."""
    if not zipfile.is_zipfile(file.path):
        return
    try:
        with zipfile.ZipFile(file.path) as archive:
            found = next((one for one in archive.infolist() if one.file_size > _MOST), None)
    except zipfile.BadZipFile as error:
        raise _unreadable(file, error) from None
    if found is not None:
        raise InputError(
            f"{file.name}: {Scrubber().name(found.filename)} unpacks to {found.file_size:,} bytes, above {_MOST:,}",
            hint="give a log as Inspect AI wrote it",
        )


def _header(file: Readable) -> tuple[EvalLog, Sequence[Any]]:
    package = _package(file.name)
    try:
        log = package.read_eval_log(file.path, header_only=True)
        return log, package.read_eval_log_sample_summaries(file.path)
    except Exception as error:  # noqa: BLE001 - whatever its reader raises for a file that is no log
        raise _unreadable(file, error) from None


def _unreadable(file: Readable, error: Exception) -> InputError:
    text = str(error).strip().partition("\n")[0].replace(file.path, file.name)[:200]
    return InputError(
        f"{file.name}: no log that Inspect AI can read: {type(error).__name__}{f': {text}' if text else ''}",
        hint="give a complete .eval or .json log; a newer Inspect AI may be needed",
    )


def _scorer(name: str, log: EvalLog, names: Sequence[str], wanted: str | None) -> str:
    """The name of the score that decides."""
    available = ", ".join(one[:80] for one in names[:10]) or "none"
    if wanted is not None and wanted not in names:
        raise UsageError(f"{name}: no score named {wanted[:80]!r}", hint=f"available: {available}")
    if wanted is None and not names:
        raise InputError(f"{name}: no sample has a score", hint=f"score the log first: inspect score {name}")
    headline = getattr(log.results, "headline", None)
    first = headline.score if headline is not None and headline.score in names else names[0] if names else ""
    return wanted or first


def _notes(log: EvalLog, samples: Sequence[Any]) -> Iterator[str]:
    """What is unusual about the log."""
    if log.status != "success":
        yield f"the log's status is {log.status}: its scores may be of fewer samples"
    if retries := sum(one.retries or 0 for one in samples):
        yield f"{amount(retries, 'attempt')} before a retry, not counted as runs"
    if log.invalidated:
        yield "the log is marked as invalidated"


def _scores(log: EvalLog, chosen: str) -> Iterator[Score]:
    """The metrics that the log states of the chosen score."""
    for score in log.results.scores if log.results is not None else ():
        if score.name != chosen:
            continue
        for metric in islice(score.metrics.values(), 20):
            if isinstance(metric.value, int | float) and math.isfinite(metric.value):
                yield Score(_named(score, metric.name), float(metric.value), _ours(log, score, metric.name))


def _named(score: EvalScore, metric: str) -> str:
    return f"{score.name}, {metric}" + (f", {score.reducer} over epochs" if score.reducer else "")


def _ours(log: EvalLog, score: EvalScore, metric: str) -> str | None:
    """Our metric of the same statistic: the mean score over tasks, of all runs that have one.

    Inspect reduces epochs by their mean if neither the score nor the configuration names a reducer, and names none then.
    """
    config = log.eval.config
    named = [score.reducer] if score.reducer else config.epochs_reducer or ["mean"]
    is_mean = named == ["mean"] or (config.epochs or 1) == 1
    return "eval_avg_score" if is_mean and metric in {"accuracy", "mean"} else None


def _runs(file: Readable, keys: Sequence[tuple[int | str, int]], scorer: str) -> Iterator[StatedRun]:
    """The samples that the log has, some at a time."""
    scrubber = Scrubber()
    for sample in _samples(file, keys):
        where = f"{file.name} sample {scrubber.name(str(sample.id))}, epoch {sample.epoch}"
        yield _run(sample, where, scorer, scrubber)


def _samples(file: Readable, keys: Sequence[tuple[int | str, int]]) -> Iterator[EvalSample]:
    package = _package(file.name)
    try:
        if file.name.endswith(".json"):  # which is parsed whole at each reading
            yield from package.read_eval_log(file.path, resolve_attachments=True).samples or ()
            return
        for start in range(0, len(keys), _AT_ONCE):
            yield from package.read_eval_log_samples_by_id(
                file.path,
                keys[start : start + _AT_ONCE],
                resolve_attachments=True,
                exclude_fields=set(_UNREAD),
            )
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever its reader raises for a damaged sample
        raise _unreadable(file, error) from None


def _run(sample: EvalSample, where: str, scorer: str, scrubber: Scrubber) -> StatedRun:
    used = list(sample.model_usage.values())
    duration = sample.total_time
    line: dict[str, Any] = {
        "task": scrubber.name(str(sample.id)),
        "run": sample.epoch,
        **_ending(sample, where, scorer),
        "tokens": sum(one.total_tokens for one in used) if used else None,
        "costUsd": _cost(used),
        "latencyMs": duration * 1000 if duration is not None else None,
        "messages": [_message(message.model_dump(exclude_none=True)) for message in sample.messages] or None,
    }
    return stated(line, where)


def _cost(used: Sequence[Any]) -> float | None:
    costs = [getattr(one, "total_cost", None) for one in used]
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) if known and len(known) == len(costs) else None


def _ending(sample: EvalSample, where: str, scorer: str) -> dict[str, Any]:
    """The outcome of a sample, its score, its limit or its error."""
    if sample.error is not None:
        return {"outcome": "error", "error": sample.error.message}
    found = (sample.scores or {}).get(scorer)
    value = None if found is None else _number(found.value, f"{where}: score {scorer[:80]}")
    if value is None:
        return {"outcome": "error", "error": f"no score of {scorer[:80]}"}
    if value == 1:
        return {"outcome": "success", "score": value}
    if sample.limit is None:
        return {"outcome": "failure", "score": value}
    text = f"limit of Inspect AI: {sample.limit.type} {sample.limit.limit:g}"
    if sample.limit.type in _LIMITS:
        return {"outcome": "limit", "limit": _LIMITS[sample.limit.type], "score": value, "error": text}
    return {"outcome": "failure", "score": value, "error": text}


def _number(value: Any, where: str) -> float | None:
    """A score as a number, as Inspect's `value_to_float` has it; None if there is none (NaN)."""
    if isinstance(value, str):
        value = _VALUES.get(value, _VALUES.get(value.lower() if len(value) > 1 else value, value))
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{where}: {type(value).__name__} is no number", hint="choose another score: --scorer NAME"
        ) from None
    if math.isnan(number):
        return None
    if not 0 <= number <= 1:
        raise InputError(
            f"{where}: {number:g} is outside 0 to 1", hint="choose a score from 0 to 1: --scorer NAME"
        )
    return number


def _message(told: Mapping[str, Any]) -> dict[str, Any]:
    """A message in the form of `messages`."""
    content = told.get("content")
    if isinstance(content, list):
        content = [
            _part(part) for part in content if isinstance(part, dict) and part.get("type") != "reasoning"
        ]
    made: dict[str, Any] = {"role": told.get("role"), "content": content}
    if calls := told.get("tool_calls"):
        made["calls"] = [
            {"id": call.get("id"), "tool": call.get("function"), "arguments": call.get("arguments")}
            for call in calls
        ]
    if told.get("role") == "tool":
        made |= {"tool_call_id": told.get("tool_call_id"), "is_error": told.get("error") is not None}
        if told.get("error") is not None and not content:
            made["content"] = told["error"].get("message")
    return made


def _part(part: Mapping[str, Any]) -> Mapping[str, Any]:
    return (
        {"type": "text", "text": part["text"]}
        if isinstance(part.get("text"), str)
        else {"type": part.get("type")}
    )
