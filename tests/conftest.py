"""What every test may ask for: the third-party material folder, and the project's own vectors."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from compiling import remember_templates
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

import benchsite.plugins  # noqa: F401 - tracks that are imported directly find their plug-ins too

ROOT = Path(__file__).resolve().parent.parent

# No timing assertions: hypothesis's deadline is one, and the machine is shared.
settings.register_profile(
    "full",
    deadline=None,
    derandomize=False,  # whatever it is on a CI machine, where hypothesis sets it on its own
    database=DirectoryBasedExampleDatabase(ROOT / ".hypothesis" / "examples"),
    max_examples=1_000,
    suppress_health_check=[HealthCheck.too_slow],
)
# Examples come from the test's own text: the gate says the same of the same code every time, so that a change
# is refused for what it changed. `make test-full` is where new examples are looked for.
settings.register_profile("default", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("default")
remember_templates()

# Commands in CI read no cache of an earlier build or log. The tests that are about this set the variable themselves.
os.environ.pop("CI", None)


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


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Puts `tests/hostile` on the module search path; called with a name, it gives that file's path."""
    folder = ROOT / "tests" / "hostile"
    monkeypatch.syspath_prepend(str(folder))
    return lambda name: folder / name
