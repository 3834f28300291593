"""Two datasets of four turns with labels by hand, and a receipt on them, for tests of grids."""

from __future__ import annotations

import json
from typing import Any


def fixture(name: str, **labels: list[str]) -> bytes:
    """Four turns of three sessions, two labeled queries and one without evidence."""
    sessions = {"t1": 1, "t2": 1, "t3": 2, "t4": 3}
    expected = {"q1": ["t1", "t3"], "q2": ["t4"], "q3": list[str](), **labels}
    document = {
        "id": name,
        "benchmark": "small",
        "granularity": "turn",
        "items": [
            {"id": turn, "scope": "s", "content": turn, "metadata": {"session": session}}
            for turn, session in sessions.items()
        ],
        "queries": [
            {
                "id": query,
                "query": query,
                "scope": "s",
                "category": "b" if query == "q3" else "a",
                "expected": [{"id": turn, "grade": 1} for turn in turns],
            }
            for query, turns in expected.items()
        ],
        "license": "CC0-1.0",
        "source": "tests",
    }
    return json.dumps(document).encode()


DATA = {"small": fixture("small"), "small-errata": fixture("small-errata", q2=["t1"])}


def receipt(name: str = "bm25", **retrieved: list[str]) -> dict[str, Any]:
    rankings = {"q1": ["t2", "t3", "t1"], "q2": ["t4"], "q3": ["t1"], **retrieved}
    return {
        "receiptId": name,
        "track": "retrieval",
        "adapter": {"name": name, "version": "1"},
        "config": {"k": [1, 3]},
        "fixture": {"id": "small"},
        "perQuery": [{"queryId": query, "retrieved": found} for query, found in rankings.items()],
    }
