"""Every installed system keeps the contract; skipped if its environment is not installed in this repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchsite.isolation.environments.installed import state
from benchsite.layout import ENVIRONMENTS
from benchsite.pipeline.measure import adapters
from benchsite.pipeline.workspace import Workspace
from benchsite.tracks.retrieval.systems.catalog import SYSTEMS

ROOT = Path(__file__).resolve().parents[4]


OPTIONS = (
    ("lancedb", "search", "fts"),
    ("lancedb", "search", "hybrid"),
    ("langchain-bm25", "tokenizer", "words"),
    ("mempalace", "candidates", "union"),
    ("txtai", "search", "vector"),
    ("txtai", "search", "hybrid"),
)
"""Configurations beside the default one that differ in what is asked of the system."""


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "options"),
    [pytest.param(one.name, {}, id=one.name) for one in SYSTEMS]
    + [pytest.param(name, {option: value}, id=f"{name}-{value}") for name, option, value in OPTIONS],
)
def test_an_installed_system_keeps_the_contract(name: str, options: dict[str, str]) -> None:
    (one,) = (one for one in SYSTEMS if one.name == name)
    if state(one, str(ROOT / ENVIRONMENTS)) != "installed":
        pytest.skip(f"benchsite adapter install {name}")
    clauses = adapters.examined(name, options, workspace=Workspace(ROOT))
    assert [clause for clause in clauses if clause.state == "fail"] == []
    assert clauses[0].state == "pass"
