"""Parts of a temporary file, read back in any order."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from benchsite.errors import PrerequisiteError
from benchsite.tracks.agents.spool import Spool


def test_parts_are_read_back_while_others_are_written() -> None:
    spool = Spool()
    first, empty, second = spool.keep(b"one\n" * 1000), spool.keep(b""), spool.keep(b"two")
    assert (second(), empty(), first()) == (b"two", b"", b"one\n" * 1000)
    third = spool.keep(b"three")
    assert (first(), third(), second()) == (b"one\n" * 1000, b"three", b"two")


def test_a_folder_that_cannot_be_written_is_named_with_what_helps(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    with pytest.raises(PrerequisiteError, match="temporary file: no such file") as found:
        Spool()
    assert "TMPDIR" in found.value.hint


def test_a_full_disk_is_named() -> None:
    spool = Spool()
    with Path("/dev/full").open("r+b", buffering=0) as full:
        spool._file = full
        with pytest.raises(PrerequisiteError, match="no space left"):
            spool.keep(b"x")
