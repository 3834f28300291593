"""What a publish costs: git processes and readings of cosignatures do not grow with the drafts."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from publishing import measure
from snapshots import opened

from benchsite import canonical
from benchsite.environment import Credentials
from benchsite.log import Witnessing
from benchsite.pipeline import publish
from benchsite.pipeline.workspace import Workspace
from benchsite.repo._process import Git


def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts git processes and readings of the witnesses' lines while a publish runs."""
    found: Counter[str] = Counter()
    plain, of = Git.run, Witnessing.of.__func__  # type: ignore[attr-defined]

    def started(self: Git, *arguments: str, **named: Any) -> bytes:
        found["git"] += 1
        return plain(self, *arguments, **named)

    def witnessed(cls: type[Witnessing], *arguments: Any) -> Witnessing:
        found["witnesses"] += 1
        return of(cls, *arguments)

    monkeypatch.setattr(Git, "run", started)
    monkeypatch.setattr(Witnessing, "of", classmethod(witnessed))
    return found


def test_more_drafts_start_no_more_processes(
    begun: Workspace, credentials: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    """House B8: 71 git processes and, for each inbox draft, two readings of every cosignature."""
    first = measure(begun, "recency")
    paths = [first, *(_renamed(first, number) for number in range(1, 6))]
    found = counted(monkeypatch)
    publish.publish(begun, opened(begun), paths[:1], credentials, push=False)
    one = Counter(found)
    found.clear()
    publish.publish(begun, opened(begun), paths[1:], credentials, push=False)
    assert found["git"] <= one["git"] <= 16
    assert found["witnesses"] <= 2


def _renamed(path: Path, number: int) -> Path:
    document = json.loads(path.read_bytes())
    document["receiptId"] = f"0f8fad5b-d9cb-469f-a165-7086772895{number:02}"
    made = path.with_name(f"{document['receiptId']}.json")
    made.write_bytes(canonical.dumps(document))
    return made
