"""Logs of Inspect AI in their official layout, made by hand: which run each sample becomes."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from readable import Held

from benchsite.errors import InputError, PrerequisiteError, UsageError
from benchsite.progress import silent
from benchsite.tracks.agents.benchmarks import load
from benchsite.tracks.agents.importers import inspect_log
from benchsite.tracks.agents.importers.harness import Results, comparison, task_list
from benchsite.tracks.agents.importers.runs import Expected, finished
from benchsite.tracks.agents.record.payload_from_runs import Finished

ERROR = {"message": "sandbox lost", "traceback": "", "traceback_ansi": ""}
USAGE = {"m/x": {"input_tokens": 8, "output_tokens": 3, "total_tokens": 11}}
MESSAGES = [
    {"role": "user", "content": "Add 1 and 2, as in /home/ann/q.txt."},
    {
        "role": "assistant",
        "content": [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "I'll add."}],
        "tool_calls": [{"id": "c1", "function": "add", "arguments": {"a": 1, "b": 2}, "type": "function"}],
    },
    {
        "role": "tool",
        "content": "",
        "tool_call_id": "c1",
        "function": "add",
        "error": {"type": "timeout", "message": "too late"},
    },
    {"role": "assistant", "content": "3"},
]


def sample(name: Any, epoch: int, value: Any = None, **more: Any) -> dict[str, Any]:
    scores = {} if value is None else {"scores": {"match": {"value": value}}}
    return {
        "id": name,
        "epoch": epoch,
        "input": "Add.",
        "target": "3",
        "messages": MESSAGES,
        "model_usage": USAGE,
        "total_time": 0.5,
        **scores,
        **more,
    }


def log(*samples: dict[str, Any], status: str = "success", epochs: int = 2, **results: Any) -> bytes:
    names = list(dict.fromkeys(one["id"] for one in samples))
    score = {
        "name": "match",
        "scorer": "match",
        "reducer": "mean",
        "metrics": {
            "accuracy": {"name": "accuracy", "value": 0.625},
            "stderr": {"name": "stderr", "value": 0.125},
        },
        **results,
    }
    value = {
        "version": 2,
        "status": status,
        "eval": {
            "created": "2026-11-27T12:00:00+00:00",
            "task": "lab/adds",
            "dataset": {"name": "sums", "location": "/home/ann/sums.csv", "sample_ids": names},
            "model": "m/x",
            "config": {"epochs": epochs},
            "packages": {"inspect_ai": "0.3.285"},
        },
        "plan": {"name": "plan", "steps": []},
        "results": {"total_samples": len(samples), "completed_samples": len(samples), "scores": [score]},
        "stats": {"started_at": "2026-11-27T12:00:00+00:00", "completed_at": "2026-11-27T12:00:09+00:00"},
        "samples": list(samples),
    }
    return json.dumps(value).encode()


LIMIT = {"limit": {"type": "token", "limit": 500}}
ALL = (
    sample("a", 1, "C"),
    sample("a", 2, 0.5, **LIMIT),
    sample(7, 1, "I", error_retries=[ERROR]),
    sample(7, 2, error=ERROR),
    sample("c", 1, float("nan")),
    sample("c", 2, True),
)


def read(folder: Path, data: bytes, scorer: str | None = None, name: str = "log.json") -> Results:
    file = Held(name, data)
    file.path = str(folder / name)
    Path(file.path).write_bytes(data)
    return inspect_log.read(file, scorer)


def made(folder: Path, data: bytes, **more: Any) -> tuple[Results, list[Finished], Any]:
    found = read(folder, data)
    benchmark = load(task_list(found, "mine", found.evaluator), "mine")
    return found, *finished(
        found.runs(), found.name, benchmark, silent, expected=Expected(found.repeats, "", **more)
    )


@pytest.mark.usefixtures("inspect_ai")
def test_every_sample_of_every_epoch_becomes_a_run(tmp_path: Path) -> None:
    found, runs, notes = made(tmp_path, log(*ALL))
    assert (found.benchmark, found.model, found.repeats) == ("inspect-adds", "m/x", 2)
    assert found.evaluator == "Inspect AI's scorer match, as its log states it"
    assert list(found.tasks) == ["a", "7", "c"]
    assert [(run.task, run.run, run.graded and run.graded.score, run.error) for run in runs] == [
        ("7", 1, 0.0, ""),
        ("7", 2, None, "stated: error: sandbox lost"),
        ("a", 1, 1.0, ""),
        ("a", 2, 0.5, "stated: limit tokens: limit of Inspect AI: token 500"),
        ("c", 1, None, "stated: error: no score of match"),
        ("c", 2, 1.0, ""),
    ]
    told = {
        name: runs[2].traced[name] for name in ("tokens", "latencyMs", "toolCalls", "toolFailures", "steps")
    }
    # act, call, result, finalize: reasoning is not told.
    assert told == {"tokens": 11, "latencyMs": 500, "toolCalls": 1, "toolFailures": 1, "steps": 4}
    assert runs[2].steps[2].payload["observation"] == "too late"
    assert runs[2].answer == "3"
    assert b"/home/ann" not in runs[2].trace
    assert found.notes == ["1 attempt before a retry, not counted as runs"]
    # ((1 + 0.5)/2 + 0 + 1) / 3 = 1.75/3, over the runs that have a score
    assert list(comparison(found, runs))[1:] == [
        "stated: match, stderr, mean over epochs 0.125; no metric here is the same"
    ]
    assert "which differs by 0.042" in next(comparison(found, runs))
    assert notes[-1] == "replaced in texts: 0 keys, 6 absolute paths"


@pytest.mark.usefixtures("inspect_ai")
def test_a_stated_mean_is_compared_exactly_and_another_reducer_is_not(tmp_path: Path) -> None:
    samples = (sample("a", 1, "C"), sample("a", 2, "P"), sample("b", 1, "I"), sample("b", 2, "C"))
    found, runs, _ = made(tmp_path, log(*samples))
    # The mean of 0.75 and 0.5.
    assert next(comparison(found, runs)) == (
        "stated: match, accuracy, mean over epochs 0.625; here eval_avg_score 0.625, equal"
    )
    found, runs, _ = made(tmp_path, log(*samples, reducer="at_least_1"))
    assert next(comparison(found, runs)) == (
        "stated: match, accuracy, at_least_1 over epochs 0.625; no metric here is the same"
    )
    # Without a reducer Inspect takes the mean of the epochs, and leaves the score's field empty.
    found, runs, _ = made(tmp_path, log(*samples, reducer=None))
    assert next(comparison(found, runs)) == "stated: match, accuracy 0.625; here eval_avg_score 0.625, equal"


@pytest.mark.usefixtures("inspect_ai")
def test_a_cancelled_log_needs_permission(tmp_path: Path) -> None:
    data = log(*ALL[:3], status="cancelled")
    with pytest.raises(InputError, match="log.json: task 7 has 1 run") as refused:
        made(tmp_path, data)
    assert refused.value.message.endswith("every task needs the runs 1 to 2")
    found, runs, notes = made(tmp_path, data, allow_missing=True)
    assert found.notes[0] == "the log's status is cancelled: its scores may be of fewer samples"
    assert [run.error for run in runs][1] == "stated: error: the file has no such run"
    assert notes[0] == "1 run not in the file, recorded as errors"


@pytest.mark.usefixtures("inspect_ai")
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (log(*ALL)[:-200], "log.json: no log that Inspect AI can read:"),
        (b"[1, 2]", "log.json: no log that Inspect AI can read:"),
        (log(), "log.json: no samples: the log's status is success"),
        (log(*ALL, ALL[0]), "log.json sample a, epoch 1: run 1 of task a occurs twice"),
        (
            log(sample("a", 1, 7.5), epochs=1),
            "log.json sample a, epoch 1: score match: 7.5 is outside 0 to 1",
        ),
        (log(sample("a", 1, {"x": 1}), epochs=1), "log.json sample a, epoch 1: score match: "),
        (log(sample("a", 1, "good"), epochs=1), "log.json sample a, epoch 1: score match: str is no number"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    with pytest.raises(InputError) as refused:
        made(tmp_path, data)
    assert refused.value.message.startswith(said)
    assert str(tmp_path) not in refused.value.message
    assert refused.value.hint


def test_an_archive_that_unpacks_to_more_than_memory_should_hold_is_refused(tmp_path: Path) -> None:
    """513 MiB of zeros pack into half a megabyte."""
    with (
        zipfile.ZipFile(tmp_path / "bomb.eval", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("samples/a_epoch_1.json", "w") as member,
    ):
        for _ in range(513):
            member.write(bytes(2**20))
    data = (tmp_path / "bomb.eval").read_bytes()
    with pytest.raises(
        InputError, match=r"^log\.eval: samples/a_epoch_1\.json unpacks to 537,919,488 bytes"
    ) as refused:
        read(tmp_path, data, name="log.eval")
    assert refused.value.hint


@pytest.mark.usefixtures("inspect_ai")
def test_an_unknown_scorer_names_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        read(tmp_path, log(*ALL), "model_graded")
    assert (refused.value.message, refused.value.hint) == (
        "log.json: no score named 'model_graded'",
        "available: match",
    )


def test_without_the_package_the_command_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    with pytest.raises(PrerequisiteError) as refused:
        read(tmp_path, log(*ALL))
    assert refused.value.hint == 'run: pip install "benchsite[inspect]"'
