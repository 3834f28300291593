"""What every test may ask for: the third-party material folder, and the project's own vectors."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

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
