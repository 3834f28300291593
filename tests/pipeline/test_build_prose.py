"""An instance's `content/` is added to the prose that comes with benchsite, file by file."""

from __future__ import annotations

import base64
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from examples import some
from publishing import git
from rebuilding import Secrets, tree
from snapshots import log_of, opened

from benchsite import resources
from benchsite.addresses import receipt_page_path
from benchsite.errors import BenchsiteError, InputError
from benchsite.pipeline import build
from benchsite.pipeline import preview as previews
from benchsite.pipeline.workspace import Workspace


@pytest.fixture
def content(small: Workspace) -> Path:
    """The instance's own prose: one page, `about.md`; benchsite's has one too, `docs/cli.md`."""
    return small.root / "content"


def add(instance: Workspace) -> None:
    """Have git track the prose and the theme, which a site is made from."""
    for name in ("content", "theme"):
        if (instance.root / name).exists():
            git(instance.root, "add", "--force", name)


def built(instance: Workspace, site: Path) -> build.Built:
    add(instance)
    return build.build(instance, opened(instance), site)


def previewed(instance: Workspace, site: Path) -> build.Built:
    add(instance)
    return previews.preview(instance, opened(instance), site)


def unadded(instance: Workspace, site: Path) -> build.Built:
    return build.build(instance, opened(instance), site)


def unadded_preview(instance: Workspace, site: Path) -> build.Built:
    return previews.preview(instance, opened(instance), site)


def page(site: Path, path: str) -> str:
    return (site / path / "index.html").read_text(encoding="utf-8")


def test_own_files_are_added_and_ours_stay(small: Workspace, content: Path, tmp_path: Path) -> None:
    (content / "CNAME").write_text("bench.example.org\n")
    (content / "about.md").write_text("# About\n\nSee [the commands](docs/cli.md).\n")
    site = built(small, tmp_path / "site").site
    assert (site / "CNAME").read_text() == "bench.example.org\n"
    assert 'href="../docs/cli/"' in page(site, "about")
    assert "Commands" in page(site, "docs/cli")


def test_an_own_file_replaces_ours_of_the_same_path(small: Workspace, content: Path, tmp_path: Path) -> None:
    (content / "docs").mkdir()
    (content / "docs/cli.md").write_text("# Our commands\n\nSee [about](../about.md).\n")
    site = built(small, tmp_path / "site").site
    assert "Our commands" in page(site, "docs/cli")
    assert 'href="../../about/"' in page(site, "docs/cli")
    assert (resources.folder("content") / "docs/cli.md").read_text() == "# Commands\n\nWords.\n", (
        "ours is only read"
    )


def test_a_link_to_no_page_is_named_by_its_own_file(small: Workspace, content: Path, tmp_path: Path) -> None:
    (content / "about.md").write_text("# About\n\nSee [more](docs/more.md).\n")
    with pytest.raises(BenchsiteError) as caught:
        built(small, tmp_path / "site")
    assert "content/about.md" in str(caught.value)
    assert "docs/more.md" in str(caught.value)


@pytest.mark.parametrize("whose", some(["own", "packaged"], gate=1))
def test_addresses_that_either_promises_must_answer(
    small: Workspace, content: Path, tmp_path: Path, whose: str
) -> None:
    promised = "about/\ndocs/cli/\n"
    for folder in (content, resources.folder("content")):
        (folder / "urls.txt").write_text(promised)
    built(small, tmp_path / "site")
    folder = content if whose == "own" else resources.folder("content")
    (folder / "urls.txt").write_text(f"{promised}gone/\n")
    with pytest.raises(InputError, match=r"urls\.txt, line 3: /gone/"):
        built(small, tmp_path / "site")


def test_a_change_of_either_is_built(small: Workspace, content: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    built(small, site)
    for path, place in (
        (content / "about.md", "about"),
        (resources.folder("content") / "docs/cli.md", "docs/cli"),
    ):
        path.write_text("# Title\n\nNew words.\n")
        built(small, site)
        assert "New words" in page(site, place)


def test_a_file_in_place_of_a_folder_is_refused(small: Workspace, content: Path, tmp_path: Path) -> None:
    (content / "docs").write_text("no folder\n")
    with pytest.raises(InputError, match="content/docs "):
        built(small, tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_packaged_folders_may_be_read_only(small: Workspace, content: Path, tmp_path: Path) -> None:
    (content / "docs").mkdir()
    (content / "docs/own.md").write_text("# Own\n\nWords.\n")
    folder = resources.folder("content") / "docs"
    mode = folder.stat().st_mode
    folder.chmod(0o555)
    try:
        site = built(small, tmp_path / "site").site
    finally:
        folder.chmod(mode)
    assert "Words" in page(site, "docs/own")


def test_a_file_that_is_none_is_named(small: Workspace, content: Path, tmp_path: Path) -> None:
    """Root reads every file, so that a named pipe is what cannot be copied here."""
    (content / "pipe.md").write_text("# Pipe\n")
    add(small)
    (content / "pipe.md").unlink()
    os.mkfifo(content / "pipe.md")
    with pytest.raises(InputError, match=r"content/pipe\.md "):
        build.build(small, opened(small), tmp_path / "site")


@pytest.mark.parametrize("file", some(["{path}/index.md", "{path}.md", "receipts/00/00000000.md"], gate=1))
def test_prose_at_the_path_of_a_receipt_is_refused(
    small: Workspace, content: Path, tmp_path: Path, file: str
) -> None:
    """Mkdocs would write it while the receipt's page is written; the last path is that of the frame of them all."""
    path = receipt_page_path(opened(small).published[0].path[-41:-5]).rstrip("/")
    place = content / file.format(path=path)
    place.parent.mkdir(parents=True)
    place.write_text("# Mine\n")
    with pytest.raises(InputError, match=rf"content/{place.relative_to(content)} has the path"):
        built(small, tmp_path / "site")
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("again", [built, previewed])
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
    small: Workspace, content: Path, tmp_path: Path, target: str, name: str, again: Callable[..., object]
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


@pytest.mark.full
def test_a_link_within_the_repository_is_followed_and_left_out_of_a_preview(
    small: Workspace, content: Path, tmp_path: Path
) -> None:
    (small.root / "notes").mkdir()
    (small.root / "notes/words.md").write_text("# Words of notes\n")
    git(small.root, "add", "notes")
    (content / "notes").symlink_to("../notes")
    built(small, tmp_path / "site")
    assert b"Words of notes" in (tmp_path / "site/notes/words/index.html").read_bytes()
    shown = previewed(small, tmp_path / "preview")
    assert not (tmp_path / "preview/notes").exists()
    assert any(note.startswith("content/notes ") for note in shown.notes)


@pytest.mark.parametrize("again", [built, previewed])
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
    small: Workspace,
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
    some(
        [
            "results/published/aa/aaaaaaaa-0000-4000-8000-000000000000.json",
            "results/log/extra",
            "keys/mine.pub",
            "api/v1/schema/rubric.json",
        ],
        gate=1,
    ),
)
def test_a_file_that_would_look_like_the_records_is_refused(
    small: Workspace, content: Path, tmp_path: Path, path: str
) -> None:
    """What a site serves below results/ and keys/ is what was published, and generated data is not replaced unsaid."""
    (content / path).parent.mkdir(parents=True)
    (content / path).write_text("{}")
    with pytest.raises(
        InputError, match=f"^{re.escape('content/' + path.split('/', maxsplit=1)[0])}"
    ) as caught:
        built(small, tmp_path / "site")
    assert caught.value.hint == "move it"


KEY = b"-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA" + b"A" * 40 + b"\n-----END PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    "name", some(["content/secret.txt", "content/deep/secret.md", "theme/secret.js"], gate=1)
)
def test_a_file_that_git_does_not_track_is_not_served_and_is_named(
    small: Workspace, tmp_path: Path, name: str
) -> None:
    if name.startswith("theme"):
        shutil.copytree(resources.folder("theme"), small.root / "theme")
        git(small.root, "add", "theme")
    file = small.root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("PLANTED words\n")
    (small.root / "content/.swp").write_text("PLANTED words\n")
    made = build.build(small, opened(small), tmp_path / "site")
    assert not [path for path, data in tree(made.site).items() if b"PLANTED words" in data]
    assert [note for note in made.notes if name in note and "git does not track" in note]
    assert not [note for note in made.notes if ".swp" in note]
    git(small.root, "add", name)
    made = build.build(small, opened(small), tmp_path / "site")
    assert [path for path, data in tree(made.site).items() if b"PLANTED words" in data]
    assert not made.notes


def test_uncommitted_edits_of_tracked_prose_are_served(
    small: Workspace, content: Path, tmp_path: Path
) -> None:
    add(small)
    (content / "about.md").write_text("# About\n\nEdited words.\n")
    assert "Edited words" in page(build.build(small, opened(small), tmp_path / "site").site, "about")
    assert "Edited words" in page(previews.preview(small, opened(small), tmp_path / "preview").site, "about")


@pytest.mark.parametrize("again", [unadded, unadded_preview])
@pytest.mark.parametrize("target", ["../.env", "../private", "../private/notes.md"])
def test_a_tracked_link_to_what_git_does_not_track_is_refused(
    small: Workspace, content: Path, tmp_path: Path, target: str, again: Callable[..., object]
) -> None:
    (small.root / ".env").write_text("TOKEN=1\n")
    (small.root / "private").mkdir()
    (small.root / "private/notes.md").write_text("# Notes\n")
    (content / "page.md").symlink_to(target)
    git(small.root, "add", "content")
    with pytest.raises(InputError, match=r"^content/page\.md is a symbolic link"):
        again(small, tmp_path / "site")


def test_of_a_linked_folder_only_tracked_files_are_served(
    small: Workspace, content: Path, tmp_path: Path
) -> None:
    (small.root / "notes").mkdir()
    (small.root / "notes/words.md").write_text("# Words of notes\n")
    (content / "notes").symlink_to("../notes")
    git(small.root, "add", "notes", "content")
    (small.root / "notes/draft.txt").write_text("a secret")
    made = build.build(small, opened(small), tmp_path / "site")
    assert "Words of notes" in page(made.site, "notes/words")
    assert not (made.site / "notes/draft.txt").exists()
    assert [note for note in made.notes if "content/notes/draft.txt" in note]


@pytest.mark.parametrize("again", [built, previewed])
@pytest.mark.parametrize("name", ["content/key.txt", "content/page.md", "theme/key.pem"])
@pytest.mark.parametrize("form", ["pem", "seed"])
def test_a_private_key_stops_the_build(
    small: Workspace, tmp_path: Path, secrets: Secrets, name: str, form: str, again: Callable[..., object]
) -> None:
    seed = base64.b64encode(bytes([1]) * 32)  # of the first of `secrets`
    assert secrets["root"].public in {key.public_key for key in log_of(small).keyring}
    file = small.root / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(KEY if form == "pem" else b"seed: " + seed + b"\n")
    with pytest.raises(InputError, match=f"^{re.escape(name)}: .*private key") as caught:
        again(small, tmp_path / "site")
    assert "replace the key" in caught.value.hint
    assert not (tmp_path / "site").exists()
