"""The benchmark of the hand-made set, with its targets in a cache folder of the test."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scicode_set import converted, write

from benchsite import canonical
from benchsite.isolation import data_files
from benchsite.tracks.agents.benchmarks.scicode.benchmark import SciCode, read


@pytest.fixture
def benchmark_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., SciCode]:
    """Import the set, keep its targets, and read the benchmark, with other members if given."""

    def make(**members: Any) -> SciCode:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        folder = write(tmp_path / "SciCode")
        document = json.loads(converted(folder).data)
        data_files.keep(data_files.described(folder / "eval/data/test_data.h5", "test_data.h5"))
        return read(canonical.dumps({**document, **members}), "scicode-dev")

    return make
