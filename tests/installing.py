"""Tests of third-party systems: which of them `make test` installs, and where."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from benchsite.isolation.environments.installed import state
from benchsite.layout import ENVIRONMENTS
from benchsite.tracks.retrieval.systems.catalog import system

ROOT = Path(__file__).resolve().parent.parent
INSTALLED_BY_MAKE_TEST = "lexical"


def marks_of(name: str) -> Sequence[pytest.MarkDecorator]:
    """`full` for a system of a group that only `make systems` installs."""
    one = system(name)
    assert one is not None
    return () if one.group == INSTALLED_BY_MAKE_TEST else (pytest.mark.full,)


def skip_unless_installed(name: str) -> None:
    one = system(name)
    assert one is not None
    if state(one, str(ROOT / ENVIRONMENTS)) != "installed":
        pytest.skip(f"benchsite adapter install {name}")
