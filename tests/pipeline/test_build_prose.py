"""An instance's `content/` is added to the prose that comes with benchsite, file by file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from benchsite import resources
from benchsite.addresses import receipt_page_path
from benchsite.errors import BenchsiteError, InputError
from benchsite.pipeline import build
from benchsite.pipeline import preview as previews
from benchsite.pipeline.building import output
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.record import Record


@pytest.fixture
def content(small: Instance) -> Path:
    """The instance's own prose: one page, `about.md`; benchsite's has one too, `docs/cli.md`."""
    return small.root / "content"


def page(site: Path, path: str) -> str:
    return (site / path / "index.html").read_text(encoding="utf-8")


def test_own_files_are_added_and_ours_stay(small: Instance, content: Path, tmp_path: Path) -> None:
    (content / "CNAME").write_text("bench.example.org\n")
    (content / "about.md").write_text("# About\n\nSee [the commands](docs/cli.md).\n")
    site = build.build(small, tmp_path / "site").site
    assert (site / "CNAME").read_text() == "bench.example.org\n"
    assert 'href="../docs/cli/"' in page(site, "about")
    assert "Commands" in page(site, "docs/cli")


def test_an_own_file_replaces_ours_of_the_same_path(small: Instance, content: Path, tmp_path: Path) -> None:
    (content / "docs").mkdir()
    (content / "docs/cli.md").write_text("# Our commands\n\nSee [about](../about.md).\n")
    site = build.build(small, tmp_path / "site").site
    assert "Our commands" in page(site, "docs/cli")
    assert 'href="../../about/"' in page(site, "docs/cli")
    assert (resources.folder("content") / "docs/cli.md").read_text() == "# Commands\n\nWords.\n", (
        "ours is only read"
    )


def test_a_link_to_no_page_is_named_by_its_own_file(small: Instance, content: Path, tmp_path: Path) -> None:
    (content / "about.md").write_text("# About\n\nSee [more](docs/more.md).\n")
    with pytest.raises(BenchsiteError) as caught:
        build.build(small, tmp_path / "site")
    assert "content/about.md" in str(caught.value)
    assert "docs/more.md" in str(caught.value)


@pytest.mark.parametrize("whose", ["own", "packaged"])
def test_addresses_that_either_promises_must_answer(
    small: Instance, content: Path, tmp_path: Path, whose: str
) -> None:
    promised = "about/\ndocs/cli/\n"
    for folder in (content, resources.folder("content")):
        (folder / "urls.txt").write_text(promised)
    build.build(small, tmp_path / "site")
    folder = content if whose == "own" else resources.folder("content")
    (folder / "urls.txt").write_text(f"{promised}gone/\n")
    with pytest.raises(InputError, match=r"urls\.txt, line 3: /gone/"):
        build.build(small, tmp_path / "site")


def test_a_change_of_either_is_built(small: Instance, content: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    build.build(small, site)
    for path, place in (
        (content / "about.md", "about"),
        (resources.folder("content") / "docs/cli.md", "docs/cli"),
    ):
        path.write_text("# Title\n\nNew words.\n")
        build.build(small, site)
        assert "New words" in page(site, place)


def test_a_file_in_place_of_a_folder_is_refused(small: Instance, content: Path, tmp_path: Path) -> None:
    (content / "docs").write_text("no folder\n")
    with pytest.raises(InputError, match="content/docs "):
        build.build(small, tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_packaged_folders_may_be_read_only(small: Instance, content: Path, tmp_path: Path) -> None:
    (content / "docs").mkdir()
    (content / "docs/own.md").write_text("# Own\n\nWords.\n")
    folder = resources.folder("content") / "docs"
    mode = folder.stat().st_mode
    folder.chmod(0o555)
    try:
        site = build.build(small, tmp_path / "site").site
    finally:
        folder.chmod(mode)
    assert "Words" in page(site, "docs/own")


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    """Root reads every file, so that a named pipe is what cannot be copied here."""
    (tmp_path / "prose").mkdir()
    os.mkfifo(tmp_path / "prose" / "pipe.md")
    with pytest.raises(InputError, match=r"content/pipe\.md "):
        output.copied(tmp_path / "prose", tmp_path / "joined")


@pytest.mark.parametrize("file", ["{path}/index.md", "{path}.md", "receipts/00/00000000.md"])
def test_prose_at_the_path_of_a_receipt_is_refused(
    small: Instance, content: Path, tmp_path: Path, file: str
) -> None:
    """Mkdocs would write it while the receipt's page is written; the last path is that of the frame of them all."""
    path = receipt_page_path(Record.current(small).published[0].path[-41:-5]).rstrip("/")
    place = content / file.format(path=path)
    place.parent.mkdir(parents=True)
    place.write_text("# Mine\n")
    with pytest.raises(InputError, match=rf"content/{place.relative_to(content)} has the path"):
        build.build(small, tmp_path / "site")
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("again", [build.build, previews.preview])
@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("../outside", "content/folder"),
        ("../outside/secret.md", "content/page.md"),
        ("../outside/secret.txt", "theme/file.txt"),
        (".git", "content/git"),
        (".git/config", "content/deep/config.md"),
        (".benchsite", "content/scratch"),
        ("vendor/.git", "content/vendored"),
        (".", "content/all"),
        ("content", "content/around"),
    ],
)
def test_a_link_to_what_is_not_published_is_refused(
    small: Instance, content: Path, tmp_path: Path, target: str, name: str, again: Callable[..., object]
) -> None:
    """One link in a pull request would publish files of the machine that builds."""
    outside = small.root.parent / "outside"
    outside.mkdir(exist_ok=True)
    for secret in ("secret.md", "secret.txt"):
        (outside / secret).write_text("a secret")
    (small.root / ".benchsite").mkdir(exist_ok=True)
    (small.root / "vendor/.git").mkdir(parents=True)
    link = small.root / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to((small.root / target).resolve())
    with pytest.raises(InputError, match=f"^{re.escape(name)} ") as caught:
        again(small, tmp_path / "site")
    assert caught.value.hint
    assert not (tmp_path / "site").exists()


def test_a_link_within_the_repository_is_followed_and_left_out_of_a_preview(
    small: Instance, content: Path, tmp_path: Path
) -> None:
    (small.root / "notes").mkdir()
    (small.root / "notes/words.md").write_text("# Words of notes\n")
    (content / "notes").symlink_to("../notes")
    build.build(small, tmp_path / "site")
    assert b"Words of notes" in (tmp_path / "site/notes/words/index.html").read_bytes()
    built = previews.preview(small, tmp_path / "preview")
    assert not (tmp_path / "preview/notes").exists()
    assert any(note.startswith("content/notes ") for note in built.notes)


@pytest.mark.parametrize("again", [build.build, previews.preview])
@pytest.mark.parametrize(
    ("name", "data", "shown"),
    [
        (b"notes.md", b"# caf\xe9\n", "content/notes.md"),
        (b"notes.markdown", b"\xff\xfe#\x00", "content/notes.markdown"),
        (b"caf\xe9.md", b"# ok\n", r"content/caf\xe9.md"),
        (b"caf\xe9.png", b"", r"content/caf\xe9.png"),
    ],
)
def test_what_is_not_utf8_is_refused_by_its_name(
    small: Instance,
    content: Path,
    tmp_path: Path,
    name: bytes,
    data: bytes,
    shown: str,
    again: Callable[..., object],
) -> None:
    Path(os.fsdecode(os.fsencode(content) + b"/" + name)).write_bytes(data)
    with pytest.raises(InputError, match=f"^{re.escape(shown)}\\b") as caught:
        again(small, tmp_path / "site")
    assert caught.value.hint


@pytest.mark.parametrize(
    "path",
    [
        "results/published/aa/aaaaaaaa-0000-4000-8000-000000000000.json",
        "results/log/extra",
        "keys/mine.pub",
        "api/v1/schema/rubric.json",
    ],
)
def test_a_file_that_would_look_like_the_records_is_refused(
    small: Instance, content: Path, tmp_path: Path, path: str
) -> None:
    """What a site serves below results/ and keys/ is what was published, and generated data is not replaced unsaid."""
    (content / path).parent.mkdir(parents=True)
    (content / path).write_text("{}")
    with pytest.raises(
        InputError, match=f"^{re.escape('content/' + path.split('/', maxsplit=1)[0])}"
    ) as caught:
        build.build(small, tmp_path / "site")
    assert caught.value.hint == "move it"
