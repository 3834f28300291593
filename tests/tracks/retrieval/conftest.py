"""A run context with the real monotonic clock."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchsite.track import NOTHING


@pytest.fixture
def context(tmp_path: Path) -> Any:
    """Has the fields of `benchsite.track.RunContext`; `reported` collects the calls of `progress`."""
    reported: list[tuple[int, int, str]] = []
    return SimpleNamespace(
        now=lambda: "2026-01-01T00:00:00Z",
        perf_counter_ns=time.perf_counter_ns,
        load_average=lambda: 0.5,
        cores=2,
        progress=lambda *report: reported.append(report),
        reported=reported,
        temp_dir=str(tmp_path),
        grants=lambda _subject: NOTHING,
        sealed=(),
        answers=(),
        watched=(),
        keys=(),
        traces="",
    )
