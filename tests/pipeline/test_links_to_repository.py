"""A site and its repository on the web: links, credentials that no page shows, and what changes when the address does."""

from __future__ import annotations

import subprocess
from pathlib import Path

from builders import commit
from rebuilding import tree
from snapshots import opened

from benchsite.layout import CHECKPOINT_PATH
from benchsite.pipeline import build
from benchsite.pipeline.building import links
from benchsite.pipeline.workspace import Workspace
from benchsite.site.repository import Hosted


def git(instance: Workspace, *arguments: str) -> str:
    run = ["git", "-C", str(instance.root), *arguments]
    return subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip()


def test_a_site_links_to_its_remote_and_shows_no_credentials(small: Workspace, tmp_path: Path) -> None:
    assert links.repository(small) is None
    assert [said.partition(":")[0] for said in links.missing(small)] == [
        "no links to the repository",
        "no sitemap, canonical URLs or citation URLs",
    ]
    site = tmp_path / "site"
    build.build(small, opened(small), site)
    git(small, "remote", "add", "origin", "https://user:s3cret@code.invalid/lab/bench.git")
    assert links.repository(small) == Hosted("https://code.invalid/lab/bench")
    assert len(links.missing(small)) == 1
    build.build(small, opened(small), site)
    pages = tree(site)
    assert not [path for path, data in pages.items() if b"s3cret" in data]
    receipt = next(
        data
        for path, data in pages.items()
        if path.startswith("receipts/") and path.count("/") == 3 and path.endswith(".html")
    )
    assert b"https://code.invalid/lab/bench/blob/HEAD/results/published/" in receipt
    git(small, "checkout", "--quiet", "-b", "topic")
    assert tree(build.build(small, opened(small), tmp_path / "other", full=True).site) == pages


def test_the_setting_comes_before_the_remote(small: Workspace) -> None:
    git(small, "remote", "add", "origin", "git@code.invalid:lab/bench.git")
    path = small.root / "mkdocs.yml"
    path.write_text("repo_url: https://mirror.invalid/lab/bench\n" + path.read_text())
    small.refresh()
    found = links.repository(small)
    assert found is not None
    assert found.url == "https://mirror.invalid/lab/bench"


def test_a_remote_without_a_web_address_is_said_to_have_none(small: Workspace) -> None:
    assert links.missing(small)[0].endswith("sets no repo_url, and there is no remote origin")
    git(small, "remote", "add", "origin", "/srv/git/bench")
    assert links.missing(small)[0].endswith("sets no repo_url, and origin has no web address")


def test_own_prose_can_be_edited_in_the_repository_and_packaged_prose_cannot(
    small: Workspace, tmp_path: Path
) -> None:
    git(small, "remote", "add", "origin", "https://code.invalid/lab/bench.git")
    commit(small, {"content/docs/house.md": b"# House rules\n", "content/docs/glossary.md": b"# Ours\n"})
    small.refresh()
    pages = tree(build.build(small, opened(small), tmp_path / "site").site)
    edited = {path: data for path, data in pages.items() if b">Edit this page<" in data}
    assert set(edited) == {"about/index.html", "docs/house/index.html", "docs/glossary/index.html"}
    assert (
        b'href="https://code.invalid/lab/bench/edit/HEAD/content/docs/house.md"'
        in edited["docs/house/index.html"]
    )


def test_the_checkpoint_has_the_date_of_its_commit(small: Workspace) -> None:
    said = git(small, "log", "-1", "--format=%ct", "--", CHECKPOINT_PATH)
    assert small.repository.committed_at(CHECKPOINT_PATH, rev="HEAD") == int(said)
    assert small.repository.committed_at("no/such/file", rev="HEAD") is None
