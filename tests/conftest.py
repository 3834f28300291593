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
