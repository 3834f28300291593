"""The list of data files on the API page, compared with the files of a built site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from snapshots import opened

from benchsite import plugins
from benchsite.board.dictionary import leaderboard_columns
from benchsite.pipeline.build import build
from benchsite.pipeline.workspace import Workspace

PAGE = Path(__file__).parents[2] / "content/docs/api.md"
ABSENT = {
    "log/cosignatures": "the sample record has no witness",
    "results/evidence/<aa>/<sha256>.<ext>": "and no evidence file",
    "sitemap.xml": "its site has no URL",
}
MARKER = ".benchsite-site"
"""What `build` knows its own folder by; no data."""


def endpoints() -> dict[str, re.Pattern[str]]:
    """Each listed path with its pattern; a second name in a cell is a sibling file or another extension of the first."""
    section = PAGE.read_text(encoding="utf-8").partition("## Endpoints")[2].partition("\n## ")[0]
    found = {}
    for line in section.splitlines():
        names = re.findall(r"`([^`]+)`", line.split("|")[1]) if line.startswith("|") else []
        for written in names:
            name = written
            if written.startswith("."):
                name = re.sub(r"\.\w+$", written, names[0])
            elif "/" in names[0] and "/" not in written:
                name = names[0].rpartition("/")[0] + "/" + written
            found[name] = re.compile(re.sub(r"<\w+>", "[^/]+", re.escape(name).replace("…", ".+")))
    return found


def test_every_data_file_is_listed_and_every_listed_file_is_served(
    published: Workspace, tmp_path: Path
) -> None:
    build(published, opened(published), tmp_path / "site")
    files = {
        path.relative_to(tmp_path / "site").as_posix()
        for path in (tmp_path / "site").rglob("*")
        if path.is_file()
    }
    data = {name for name in files - {MARKER} if not name.startswith("assets/") and ".html" not in name}
    known = endpoints()
    assert [name for name in sorted(data) if not any(p.fullmatch(name) for p in known.values())] == []
    unserved = {name for name, pattern in known.items() if not any(map(pattern.fullmatch, files))}
    assert unserved == ABSENT.keys()


@pytest.mark.parametrize("name", ["retrieval", "agents", "rubric"])
def test_every_column_of_a_leaderboard_is_described_with_its_type(name: str) -> None:
    described = leaderboard_columns(plugins.track(name).part("board").LEADERBOARD)
    assert [one.name for one in described if not one.description or one.kind == "any"] == []
