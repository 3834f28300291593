"""Whether a draft lists the tasks of its benchmark, and which tasks a repeated run decided otherwise.

A receipt carries its own evidence, so that it can be scored with nothing else; that evidence is worth as much as its
agreement with the benchmark that it names. `publish` compares each draft with the benchmark before it signs. Repeated
runs are compared by their outcomes; times differ in every run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite.errors import IntegrityError
from benchsite.receipt import Document
from benchsite.track import Resolved
from benchsite.tracks.agents.benchmarks import edition_of, evaluator_of, load
from benchsite.tracks.agents.record import action_log
from benchsite.tracks.agents.record.columns import pinned
from benchsite.tracks.agents.record.payload_from_runs import needs_action
from benchsite.tracks.agents.trace import archive

_COMPARED: Final = ("outcome", "limit", "completion", "harmful", "score")


def hold_against(document: Document, resolved: Resolved) -> None:
    """Compare the benchmark's facts and every task, in order, with the benchmark; demand the evidence of every run.

    Raises:
        IntegrityError: the first thing that is not the benchmark's, by task and field.
    """
    for name in (action_log.NAME, archive.NAME):
        if pinned(document, name) is None:
            raise IntegrityError(
                f"draft {document['receiptId']}: its evidence {name} is not pinned",
                hint="the draft was edited: re-run or import it",
            )
    benchmark = load(resolved.target, where=document["benchmark"]["id"])
    tasks = benchmark.tasks[: document["config"]["limit"]]
    wanted = {
        "benchmark.tasks": (document["benchmark"]["tasks"], len(benchmark.tasks)),
        "benchmark.publish": (document["benchmark"]["publish"], benchmark.publish),
        "benchmark.edition": (document["benchmark"].get("edition") or "", edition_of(benchmark)),
        "benchmark.evaluator": (document["benchmark"].get("evaluator") or "", evaluator_of(benchmark)),
        "tasks.id": (document["tasks"]["id"], [task.id for task in tasks]),
        "tasks.domain": (document["tasks"]["domain"], [task.domain for task in tasks]),
        "tasks.needsAction": (document["tasks"].get("needsAction"), needs_action(tasks)),
    }
    for field, (stated, expected) in wanted.items():
        if stated != expected:
            raise IntegrityError(
                f"draft {document['receiptId']}: {field} differs from benchmark {benchmark.id}{_first(stated, expected)}",
                hint="the draft was edited or made from another benchmark: re-run or import it",
            )
    if benchmark.publish != "full":
        for name in (action_log.NAME, archive.NAME):
            if not (pinned(document, name) or {}).get("mirrored"):
                raise IntegrityError(
                    f"draft {document['receiptId']}: {name} of this benchmark is kept outside git",
                    hint="the draft was edited: re-run or import it",
                )


def _first(stated: Any, expected: Any) -> str:
    """Where two columns differ first; empty for other values."""
    if not isinstance(stated, list) or not isinstance(expected, list):
        return ""
    pairs = enumerate(zip(stated, expected, strict=False))
    at = next((i for i, (one, other) in pairs if one != other), min(len(stated), len(expected)))
    return f", first at task {at + 1:,}"


def differing(document: Document, again: Document) -> Iterator[tuple[str, str]]:
    """(task id and run, difference in words), in the order of the first receipt, then runs it does not have."""
    repeated = _runs(again)
    for name, run in _runs(document).items():
        other = repeated.pop(name, None)
        if other is None:
            yield name, "missing from the second run"
        elif run != other:
            yield (
                name,
                "; ".join(
                    f"{field} {run[field]} became {other[field]}"
                    for field in _COMPARED
                    if run[field] != other[field]
                ),
            )
    for name in repeated:
        yield name, "missing from the first run"


def _runs(document: Document) -> dict[str, Mapping[str, Any]]:
    runs = document["runs"]
    blank = [None] * len(runs["taskId"])
    columns = {field: runs.get(field) or blank for field in _COMPARED}
    return {
        f"{task}, run {number}": {field: column[i] for field, column in columns.items()}
        for i, (task, number) in enumerate(zip(runs["taskId"], runs["run"], strict=True))
    }
