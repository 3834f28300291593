"""Whose name commits and receipts carry where git was told none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from commands import Run

FALLBACK = "commits and receipts name benchsite <benchsite@localhost> as author"
COMMANDS = 'git config user.name "Your Name" && git config user.email you@example.org'


@pytest.mark.stories
def test_a_missing_git_identity_is_told_where_something_will_carry_it(benchsite: Run, tmp_path: Path) -> None:
    made = benchsite("init", "site")
    site = tmp_path / "site"
    begun = benchsite("keys", "init", "--out", tmp_path / "kept", cwd=site)
    measured = benchsite(
        "run", "retrieval", "--adapter", "recency", "--fixture", "three-notebooks-v1", cwd=site
    )
    for ran in (made, begun, measured):
        assert ran.code == 0, ran.err
        assert ran.err.count(FALLBACK) == 1
        assert f"  hint: {COMMANDS}\n" in ran.err
    subprocess.run(["git", "-C", str(site), "config", "user.name", "Ada"], check=True)
    half = benchsite("run", "retrieval", "--adapter", "recency", "--fixture", "three-notebooks-v1", cwd=site)
    assert "receipts name Ada <benchsite@localhost> as author\n  hint: git config user.email you@" in half.err
    subprocess.run(["git", "-C", str(site), "config", "user.email", "ada@example.org"], check=True)
    said = benchsite("run", "retrieval", "--adapter", "recency", "--fixture", "three-notebooks-v1", cwd=site)
    assert "as author" not in said.err
    planned = benchsite("run", "--dry-run", cwd=site, GITHUB_ACTIONS="true")
    assert "as author" not in planned.err
