from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchsite import temporary


def nest(folder: Path, depth: int) -> None:
    """Folders below one another, deeper than a path can say."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


def test_a_folder_is_removed_whatever_is_in_it(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    with temporary.folder("benchsite-test-") as folder:
        nest(folder, 3000)
        (folder / "link").symlink_to(outside)
        (folder / "-rf").write_text("a name like an option")
        (folder / "locked").mkdir()
        (folder / "locked" / "file").write_text("x")
        (folder / "locked").chmod(0)
    assert not folder.exists()
    assert (outside / "kept").read_text() == "kept"


def test_removal_never_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary.discard(tmp_path / "not there")
    (tmp_path / "there").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))
    temporary.discard(tmp_path / "there")
    assert (tmp_path / "there").exists()
