"""Task lists: read, made from what a person wrote, and refused with the place of the fault."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchsite import canonical
from benchsite.errors import InputError, UsageError
from benchsite.tracks.agents.benchmarks import evaluator_of, load
from benchsite.tracks.agents.benchmarks.task_list.document import convert

WRITTEN: dict[str, Any] = {
    "id": "mine",
    "evaluator": "two people, independently",
    "license": "CC0-1.0",
    "source": "https://example.org/mine",
    "tasks": ["a", {"id": "Repo__issue-1", "domain": "repo", "query": "Fix it."}],
}


def made(**changes: Any) -> bytes:
    return convert({"mine.json": json.dumps({**WRITTEN, **changes}).encode()}).data


def test_a_written_list_becomes_a_benchmark_with_a_declared_evaluator() -> None:
    found = load(made(), "mine")
    assert evaluator_of(found) == "two people, independently"
    assert [(task.id, task.domain, task.query) for task in found.tasks] == [
        ("a", "all", ""),
        ("repo-issue-1", "repo", "Fix it."),
    ]
    assert found.sha256 == canonical.digest(json.loads(made()))
    assert found.by_name == {"a": "a", "repo-issue-1": "repo-issue-1", "Repo__issue-1": "repo-issue-1"}  # type: ignore[attr-defined]
    for call in (
        lambda: found.grade("a", (), None, ""),
        lambda: found.open("a"),
        lambda: found.example("t", int),
    ):
        with pytest.raises(UsageError, match="mine is a task list"):
            call()


def test_a_long_id_keeps_a_digest_of_the_whole() -> None:
    long = "x" * 200
    ((task,), digest) = load(made(tasks=[long]), "m").tasks, canonical.sha256_hex(long.encode())[:8]
    assert task.id == "x" * 71 + "-" + digest


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"evaluator": None}, "evaluator: "),
        ({"evaluator": "  "}, "evaluator: "),
        ({"evaluator": "x" * 201}, "evaluator: "),
        ({"license": ""}, "license: "),
        ({"id": "Not a slug"}, "id: "),
        ({"kind": "workbench"}, "kind: "),
        ({"tasks": []}, "tasks: "),
        ({"tasks": [7]}, "tasks.0: "),
        ({"tasks": ["!"]}, "tasks.0.id: "),
        ({"tasks": ["a", "b", "a"]}, "task 'a' occurs twice"),
        ({"tasks": ["A b", "a-b"]}, "task 'a-b' occurs twice"),
        ({"tasks": {}}, "must be an object whose `tasks` is a list"),
        ({"graders": "x"}, "graders: "),
    ],
)
def test_what_is_wrong_is_named(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refused:
        made(**changes)
    assert refused.value.message.startswith("task list mine.json: ")
    assert said in refused.value.message, refused.value.message
    assert refused.value.hint


def test_bytes_that_are_no_json_are_refused() -> None:
    for data in (b"", b"\xff", b"[1]", b'{"tasks": NaN}', b"\xef\xbb\xbf"):
        with pytest.raises(InputError, match="task list mine.json: "):
            convert({"mine.json": data})
