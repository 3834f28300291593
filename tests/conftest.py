"""What every test may ask for: the third-party material folder, and the project's own vectors."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No timing assertions: hypothesis's deadline is one, and the machine is shared.
settings.register_profile("default", deadline=None)
settings.register_profile(
    "full", deadline=None, max_examples=1_000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("default")

ROOT = Path(__file__).resolve().parent.parent
ON_ONE_WORKER = frozenset({"browser", "lighthouse", "parity"})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Folders that start browsers and build sites for all of their tests run on one worker each."""
    for item in items:
        folder = item.path.relative_to(ROOT / "tests").parts[0]
        if folder in ON_ONE_WORKER:
            item.add_marker(pytest.mark.xdist_group(folder))


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def vectors() -> Path:
    return ROOT / "tests" / "vectors"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Third-party vectors and data, which are never part of this repository."""
    folder = Path(os.environ.get("BENCHSITE_SHARED", ROOT.parent / "shared"))
    if not (folder / "vectors").is_dir():
        pytest.skip(f"third-party material is not at {folder}: set BENCHSITE_SHARED")
    return folder
