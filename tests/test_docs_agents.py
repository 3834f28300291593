"""The page about agents does what it says, where WorkBench's published files are at hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from console import commands, execute

PAGE = Path(__file__).resolve().parent.parent / "content/docs/agents.md"


@pytest.mark.full
@pytest.mark.stories
def test_the_page_does_what_it_says(shared: Path, tmp_path: Path) -> None:
    published = shared / "data/workbench"
    if not published.is_dir():
        pytest.skip("WorkBench is not at hand")
    text = re.sub(r"<!-- not executed: needs files.*?-->\n", "", PAGE.read_text(encoding="utf-8"))
    found = commands(text)
    assert len(found) == 16
    (tmp_path / "WorkBench").mkdir()
    (tmp_path / "WorkBench/data").symlink_to(published)
    who = {
        f"GIT_{role}_{part}": "reader@bench.invalid"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    execute(found, PAGE.name, cwd=tmp_path, home=tmp_path / "home", **who)
