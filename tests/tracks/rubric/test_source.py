from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
import rubric_sheets
from pydantic import ValidationError

from benchsite.errors import InputError
from benchsite.tracks.rubric import sheet
from benchsite.tracks.rubric.sheet import Source
from benchsite.tracks.rubric.source import Exhibits, read_sheet
from benchsite.yaml_document import YamlDocument

PLACE = ("universal", "U1", "evidence", 0)


@pytest.fixture
def filled(tmp_path: Path) -> YamlDocument:
    """A sheet in a folder of its own, so that there is something outside."""
    folder = tmp_path / "sheets"
    folder.mkdir()
    return sheet.load(rubric_sheets.text().encode(), where=str(folder / "a.yaml"))


@pytest.fixture
def folder(tmp_path: Path, filled: YamlDocument) -> Path:
    return tmp_path / "sheets"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def refused(filled: YamlDocument, **source: str) -> str:
    with pytest.raises(InputError) as caught:
        Exhibits().pin(filled, PLACE, source)
    line = rubric_sheets.line_of(rubric_sheets.text(), "U1")
    assert f"a.yaml, line {line}: universal.U1.evidence.0." in caught.value.message
    assert caught.value.hint
    return caught.value.message


def test_words_stand_for_themselves(filled: YamlDocument) -> None:
    exhibits = Exhibits()
    found = exhibits.pin(filled, PLACE, {"excerpt": "It said “no”."})
    assert found == {"sha256": sha256("It said “no”.".encode()), "excerpt": "It said “no”."}
    assert exhibits.evidence == ()


def test_a_file_is_pinned_once_whoever_names_it(filled: YamlDocument, folder: Path) -> None:
    (folder / "t").mkdir()
    (folder / "t/one.md").write_bytes(b"# One\n")
    (folder / "same.txt").write_bytes(b"# One\n")
    (folder / "two.jsonl").write_bytes(b"{}\n")
    (folder / "three.json").write_bytes(b"{}")
    (folder / "four.log").write_bytes(b".")
    exhibits = Exhibits()
    names = ("./t/one.md", "t/../t/one.md", "same.txt", "two.jsonl", "three.json", "four.log")
    pinned = [exhibits.pin(filled, PLACE, {"file": name}) for name in names]
    assert pinned[0] == pinned[1] == pinned[2] == {"sha256": sha256(b"# One\n"), "excerpt": None}
    assert [(item.name, item.media_type, item.data) for item in exhibits.evidence] == [
        ("t/one.md", "text/markdown", b"# One\n"),
        ("two.jsonl", "application/x-ndjson", b"{}\n"),
        ("three.json", "application/json", b"{}"),
        ("four.log", "text/plain", b"."),
    ]


@pytest.mark.parametrize("data", [b"", b" \r\n\t", "\u200b\n".encode()])
def test_a_file_that_shows_nothing_is_no_evidence(filled: YamlDocument, folder: Path, data: bytes) -> None:
    (folder / "t.txt").write_bytes(data)
    with pytest.raises(InputError, match=r"universal\.U1\.evidence\.0\.file: t\.txt .*empty"):
        Exhibits().pin(filled, PLACE, {"file": "t.txt"})


@pytest.mark.parametrize("excerpt", ["two\nthree", "two\nthree\n", "\none", "four"])
@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\r"])
def test_an_excerpt_occurs_in_its_file_however_lines_end(
    filled: YamlDocument, folder: Path, excerpt: str, ends: bytes
) -> None:
    data = ends.join([b"one", b"two", b"three", b"four"])
    (folder / "t.txt").write_bytes(data)
    found = Exhibits().pin(filled, PLACE, {"file": "t.txt", "excerpt": excerpt})
    assert found == {"sha256": sha256(data), "excerpt": excerpt}


@pytest.mark.parametrize("excerpt", ["\n", " ", "\u2003\n"])
def test_an_excerpt_without_words_is_none(excerpt: str) -> None:
    with pytest.raises(ValidationError, match="excerpt is blank"):
        Source(excerpt=excerpt)


def test_words_that_are_not_in_the_file_are_refused(filled: YamlDocument, folder: Path) -> None:
    (folder / "t.txt").write_bytes(b"one two\n")
    message = refused(filled, file="t.txt", excerpt="one  two")
    assert ".excerpt: the excerpt is not in t.txt" in message


def test_a_file_must_lie_beside_the_sheet(filled: YamlDocument, folder: Path) -> None:
    outside = folder.parent / "secret.txt"
    outside.write_text("x")
    (folder / "link.txt").symlink_to(outside)
    (folder / "loop").symlink_to("loop")
    (folder / "inside.txt").write_text("y")
    (folder / "good.txt").symlink_to("inside.txt")
    assert "is an absolute path" in refused(filled, file=str(outside))
    assert "path escapes the sheet's folder" in refused(filled, file="../secret.txt")
    assert "path escapes the sheet's folder" in refused(filled, file="link.txt")
    assert "loop" in refused(filled, file="loop")
    assert "there is no nothing.txt beside the sheet" in refused(filled, file="nothing.txt")
    assert "there is no a/b.txt" in refused(filled, file="a/b.txt")
    assert Exhibits().pin(filled, PLACE, {"file": "good.txt"})["sha256"] == sha256(b"y")


def test_a_file_must_be_a_file(filled: YamlDocument, folder: Path) -> None:
    (folder / "sub").mkdir()
    os.mkfifo(folder / "pipe")
    assert "sub is a folder" in refused(filled, file="sub")
    assert ". is a folder" in refused(filled, file=".")
    assert "pipe is not a regular file" in refused(filled, file="pipe")
    assert "file name too long" in refused(filled, file="é" * 180)


def test_a_file_must_be_text_of_a_size_git_can_hold(filled: YamlDocument, folder: Path) -> None:
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "nul.txt").write_bytes(b"a\0b")
    (folder / "just.txt").write_bytes(b"x" * 5_000_000)
    (folder / "huge.txt").write_bytes(b"x" * (5_000_000 + 1))
    for name in ("picture.png", "nul.txt"):
        assert f"{name} is not a text file in UTF-8" in refused(filled, file=name)
    assert "huge.txt has more than 5,000,000 bytes" in refused(filled, file="huge.txt")
    Exhibits().pin(filled, PLACE, {"file": "just.txt"})


def test_a_sheet_is_not_read_whole_when_it_is_larger_than_any(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"#" * 10_000_000)
    with pytest.raises(InputError, match=r"a\.yaml .*1,048,576 bytes") as caught:
        read_sheet(path)
    assert "separate evidence files" in caught.value.hint


def test_what_is_no_file_is_no_sheet(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_sheet(tmp_path / "none.yaml")
    with pytest.raises(InputError, match="regular file"):
        read_sheet(tmp_path)
    with pytest.raises(InputError, match="name too long"):
        read_sheet(tmp_path / ("n" * 300))
