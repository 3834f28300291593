from __future__ import annotations

import pytest
import workbench_files

from benchsite.tracks.agents.benchmarks.workbench.dataset import Dataset
from benchsite.tracks.agents.benchmarks.workbench.sandbox import Sandbox


@pytest.fixture(scope="session")
def dataset() -> Dataset:
    return workbench_files.dataset()


@pytest.fixture
def box(dataset: Dataset) -> Sandbox:
    return dataset.sandbox()
