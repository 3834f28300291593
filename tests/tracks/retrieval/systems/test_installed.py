"""Every installed system keeps the contract; skipped if its environment is not installed in this repository.

`make test` installs the group `lexical`; `make systems` installs the others, one at a time.
"""

from __future__ import annotations

import pytest
from examples import some
from installing import ROOT, marks_of, skip_unless_installed

from benchsite.pipeline.measure import adapters
from benchsite.pipeline.workspace import Workspace
from benchsite.tracks.retrieval.systems.catalog import SYSTEMS

OPTIONS = (
    ("lancedb", "search", "fts"),
    ("lancedb", "search", "hybrid"),
    ("langchain-bm25", "tokenizer", "words"),
    ("mempalace", "candidates", "union"),
    ("txtai", "search", "vector"),
    ("txtai", "search", "hybrid"),
)
"""Configurations beside the default one that differ in what is asked of the system."""


@pytest.mark.parametrize(
    ("name", "options"),
    some(
        [pytest.param(one.name, {}, id=one.name, marks=marks_of(one.name)) for one in SYSTEMS]
        + [
            pytest.param(name, {option: value}, id=f"{name}-{value}", marks=marks_of(name))
            for name, option, value in OPTIONS
        ],
        gate=3,
    ),
)
def test_an_installed_system_keeps_the_contract(name: str, options: dict[str, str]) -> None:
    skip_unless_installed(name)
    clauses = adapters.examined(name, options, workspace=Workspace(ROOT))
    assert [clause for clause in clauses if clause.state == "fail"] == []
    assert clauses[0].state == "pass"
