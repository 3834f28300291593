"""Folders of files that are read when they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchsite.errors import InputError
from benchsite.pipeline.workspace import files
from benchsite.pipeline.workspace.files import Folder


def test_the_files_of_one_kind_are_named_by_relative_path(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/x.csv").write_bytes(b"1")
    (tmp_path / "y.csv").write_bytes(b"2")
    (tmp_path / "y.txt").write_bytes(b"3")
    (tmp_path / "folder.csv").mkdir()
    folder = Folder(tmp_path, ".csv", 10)
    assert dict(folder) == {"a/b/x.csv": b"1", "y.csv": b"2"}
    with pytest.raises(KeyError):
        folder["../y.csv"]


def test_links_lead_nowhere_and_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.csv").write_bytes(b"secret")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "below").symlink_to(outside)
    assert list(Folder(inside, ".csv", 10)) == []
    (said,) = caplog.messages
    assert said.startswith(f"folder passed over: below in {inside} is a symbolic link")
    (inside / "email").mkdir()
    (inside / "email/file.csv").symlink_to(outside / "secret.csv")
    with pytest.raises(InputError, match=r"^email/file\.csv .*symbolic link"):
        Folder(inside, ".csv", 10)


def test_a_file_above_the_limit_is_refused_when_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"12345")
    folder = Folder(tmp_path, ".csv", 4)
    with pytest.raises(InputError, match=r"x\.csv .*4 bytes"):
        folder["x.csv"]


def test_what_is_no_folder_and_too_many_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="not a folder"):
        Folder(tmp_path / "none", ".csv", 4)
    monkeypatch.setattr(files, "_MOST_FILES", 2)
    for name in "abc":
        (tmp_path / f"{name}.csv").write_bytes(b"")
    with pytest.raises(InputError, match=r"2 \.csv files"):
        Folder(tmp_path, ".csv", 4)


def test_files_of_several_kinds_are_listed(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv.gz", "c.gz", "d_meta.json"):
        (tmp_path / name).write_bytes(b"")
    assert list(Folder(tmp_path, (".csv", ".csv.gz"), 4)) == ["a.csv", "b.csv.gz"]
