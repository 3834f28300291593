"""Findings that the home page quotes: read from front matter, in their order, and refused with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchsite.errors import InputError
from benchsite.pipeline.building.quoted_findings import written_findings


def write(prose: Path, name: str, text: str) -> None:
    (prose / "findings").mkdir(exist_ok=True)
    (prose / "findings" / name).write_text(text, encoding="utf-8")


def test_findings_come_in_their_order_and_pages_without_one_are_not_quoted(tmp_path: Path):
    write(tmp_path, "b.md", "---\ntitle: B\nfinding: 9 of 10\n  are ties.\norder: 2\n---\n# B\n")
    write(tmp_path, "a.md", "---\ntitle: A\nfinding: 3 of 4.\n---\n# A\n")
    write(tmp_path, "c.md", "---\ntitle: C\nfinding: '1: one'\norder: 1.5\n---\n")
    write(tmp_path, "index.md", "---\ntitle: Findings\n---\n# Findings\n")
    write(tmp_path, "plain.md", "# No front matter\n\nfinding: none\n")
    assert [tuple(one.finding) for one in written_findings(tmp_path)] == [
        ("C", "1: one", "findings/c/"),
        ("B", "9 of 10 are ties.", "findings/b/"),
        ("A", "3 of 4.", "findings/a/"),
    ]


def test_without_the_folder_there_are_none(tmp_path: Path):
    assert written_findings(tmp_path) == ()


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ("title: A\nfinding: 12", r"content/findings/a\.md, line 3: finding: must be text"),
        ("title: ''\nfinding: 1 of 2.", r"content/findings/a\.md, line 2: title: must be text"),
        ("finding: 1 of 2.", r"content/findings/a\.md: no title"),
        ("title: A\nfinding: x\norder: first", r"line 4: order: 'first' is not a number"),
        ("title: [A\nfinding: x", r"content/findings/a\.md"),
    ],
)
def test_malformed_front_matter_is_reported_with_its_file(tmp_path: Path, meta: str, message: str):
    write(tmp_path, "a.md", f"---\n{meta}\n---\n")
    with pytest.raises(InputError, match=message):
        written_findings(tmp_path)
