"""What tests build instances from: a small fixture, pieces of work, commits behind benchsite's back."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from benchsite.pipeline.workspace import Workspace
from benchsite.repo.head import resolve_head
from benchsite.track import Work

FIXTURE = "small-v1"


def small_fixture() -> dict[str, Any]:
    """Two scopes, twelve items, eight queries: small enough to know the answers by heart."""
    texts = {
        "a": [
            "the cat sleeps on the mat",
            "a dog barks",
            "rain falls",
            "the cat eats fish",
            "snow melts",
            "bread bakes",
        ],
        "b": [
            "trains run late",
            "the bridge is red",
            "a red train",
            "boats sail",
            "the harbour light",
            "fog at sea",
        ],
    }
    items = [
        {
            "id": f"{scope}{place}",
            "scope": scope,
            "content": text,
            "timestamp": f"2026-01-{place + 1:02}T00:00:00Z",
            "metadata": {},
        }
        for scope, lines in texts.items()
        for place, text in enumerate(lines)
    ]
    asked = [
        ("a", "where does the cat sleep", ["a0"], "where"),
        ("a", "what does the cat eat", ["a3"], "what"),
        ("a", "which animal barks", ["a1"], "what"),
        ("b", "what is red", ["b1", "b2"], "what"),
        ("b", "which boats sail", ["b3"], "what"),
        ("b", "where is the light", ["b4"], "where"),
        ("b", "who lives in the tower", [], "nobody"),
        ("a", "zzz", ["a5"], "where"),
    ]
    queries = [
        {
            "id": f"q{place}",
            "query": text,
            "scope": scope,
            "expected": [{"id": name, "grade": 1} for name in expected],
            "category": category,
            "answerable": bool(expected),
            "split": "seen",
        }
        for place, (scope, text, expected, category) in enumerate(asked)
    ]
    return {
        "id": FIXTURE,
        "benchmark": "tests",
        "subset": "all",
        "description": "Twelve sentences.",
        "granularity": "turn",
        "items": items,
        "queries": queries,
        "license": "CC0-1.0",
        "source": "written for the tests",
        "notes": "",
    }


def retrieval_work(adapter: str, **changes: Any) -> Work:
    request = {
        "ks": (1, 5, 10),
        "seed": 7,
        "limit": None,
        "repeats": 1,
        "timeout": 20.0,
        "strict": False,
        "options": {},
        **changes,
    }
    return Work("retrieval", adapter, FIXTURE, "", request)


def commit(instance: Workspace, files: dict[str, bytes], *, removes: tuple[str, ...] = ()) -> None:
    """A commit made behind benchsite's back."""
    repository = instance.repository
    parent = resolve_head(repository)
    made = repository.build_commit(files, removes=removes, parent=parent, message="by hand")
    repository.advance(made, expected=parent)
    repository.materialise([*files, *removes], "HEAD")


def pack(root: Path) -> None:
    """Keep a template's history in one file: it is copied for every test, and removed after it."""
    subprocess.run(["git", "-C", str(root), "repack", "-adq"], check=True)
    shutil.rmtree(root / ".git/hooks", ignore_errors=True)  # samples, which run nothing
