from __future__ import annotations

import os
from pathlib import Path

from benchsite import temporary
from benchsite.isolation.change_detection import differing, look


def test_what_is_added_removed_or_changed_is_named(tmp_path: Path) -> None:
    for name in ("same", "gone", "edited", "back"):
        (tmp_path / name).write_text("1234")
    _wait_for_a_later_time(tmp_path / "back", tmp_path.with_name("probe"))
    before = look([str(tmp_path), str(tmp_path / "missing")])
    (tmp_path / "gone").unlink()
    (tmp_path / "edited").write_text("5678")
    then = (tmp_path / "back").stat()
    (tmp_path / "back").write_text("5678")
    os.utime(tmp_path / "back", ns=(then.st_atime_ns, then.st_mtime_ns))
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "new").write_text("")
    (tmp_path / "missing").symlink_to("/")
    found = differing(before, look([str(tmp_path), str(tmp_path / "missing")]))
    assert [Path(path).name for path in found] == ["back", "new", "edited", "gone", "missing"]


def _wait_for_a_later_time(file: Path, probe: Path) -> None:
    """Older kernels give all files that change within 4 ms the same time."""
    while not probe.exists() or probe.stat().st_ctime_ns <= file.stat().st_ctime_ns:
        probe.touch()


def test_folders_nested_beyond_a_path_are_a_difference(tmp_path: Path) -> None:
    before = look([str(tmp_path)])
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(2500):
        os.mkdir("dd", dir_fd=here)
        inner = os.open("dd", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    assert differing(before, look([str(tmp_path)]))
    temporary.discard(tmp_path / "dd")
