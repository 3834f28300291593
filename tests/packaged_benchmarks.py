"""The benchmarks that ship with benchsite, for tests: their bytes, their tasks, and small documents of the same shape."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Final

from benchsite import canonical, resources
from benchsite.tracks.agents.benchmarks import Benchmark, load
from benchsite.tracks.agents.benchmarks.packaged import Packaged

ANSWERED: Final = ("arithmetic-tools", "kb-lookup", "table-ops")
"""Those that are graded by the answer and by calls; `code-repair` is graded by its tests."""
SHIPPED: Final = ("arithmetic-tools", "code-repair", "kb-lookup", "table-ops")


def data(name: str) -> bytes:
    """The bytes of a shipped document."""
    return (resources.folder("fixtures") / name / "fixture.json").read_bytes()


@cache
def shipped(name: str) -> Packaged:
    """A shipped benchmark."""
    found: Benchmark = load(data(name), name)
    assert isinstance(found, Packaged)
    return found


@cache
def raw(name: str) -> dict[str, Any]:
    """A shipped document as plain JSON."""
    found: dict[str, Any] = json.loads(data(name))
    return found


def small(**changes: Any) -> dict[str, Any]:
    """A document of two tasks."""
    step = {"tool": "calculator", "arguments": {"expression": "2 + 3"}, "result": "5"}
    task = {
        "domain": "easy",
        "split": "seen",
        "prompt": "question",
        "wording": "sum",
        "parameters": {},
    }
    return {
        "track": "agents",
        "id": "small",
        "kind": "arithmetic-tools",
        "license": "CC0-1.0",
        "source": "a test",
        "notes": "",
        "publish": "full",
        "prompts": {
            "question": {
                "instructions": "Answer with a number.",
                "examples": [{"query": "What is 2 + 3?", "steps": [step], "answer": "5"}],
            }
        },
        "data": {},
        "tasks": [
            {
                **task,
                "id": "one",
                "query": "What is 20 + 21?",
                "expected": {"form": "number", "answer": "41"},
            },
            {
                **task,
                "id": "two",
                "query": "What is 30 - 42?",
                "expected": {"form": "number", "answer": "-12"},
            },
        ],
        **changes,
    }


def read(document: dict[str, Any]) -> Benchmark:
    """A document, read as the harness reads it."""
    return load(canonical.dumps(document), "test")
