"""What the build hands to the site beyond pages: the sitemap, the announced images, the number of pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from publishing import git
from snapshots import opened

from benchsite.errors import IntegrityError
from benchsite.pipeline import build
from benchsite.pipeline.building import assembly, output
from benchsite.pipeline.workspace import Workspace


@pytest.fixture
def addressed(published: Workspace) -> Workspace:
    """The instance with an address of its own and an announced image."""
    path = published.root / "mkdocs.yml"
    text = path.read_text().replace('site_url: ""', "site_url: https://bench.invalid/sub")
    path.write_text(text.replace("    root_keys:", "    images: {v1: 'sha256:9c'}\n    root_keys:"))
    git(published.root, "commit", "-qam", "an address and an image")
    return Workspace(published.root)


def test_the_sitemap_lists_exactly_the_pages_that_were_written(addressed: Workspace, tmp_path: Path) -> None:
    made = build.build(addressed, opened(addressed), tmp_path / "site")
    listed = re.findall(r"<loc>(.*?)</loc>", (made.site / "sitemap.xml").read_text())
    pages = {path.parent.relative_to(made.site).as_posix() for path in made.site.rglob("index.html")}
    assert {
        address.removeprefix("https://bench.invalid/sub/").rstrip("/") or "." for address in listed
    } == pages
    assert listed == sorted(listed)
    assert len(listed) == made.pages


def test_every_announced_picture_exists_and_a_receipt_has_its_leaderboard_s(
    addressed: Workspace, tmp_path: Path
) -> None:
    site = build.build(addressed, opened(addressed), tmp_path / "site").site
    announced = {
        page.parent.relative_to(site).as_posix(): re.findall(
            r'"og:image" content="https://bench.invalid/sub/(.*?)"', page.read_text()
        )
        for page in site.rglob("index.html")
    }
    assert all(len(found) == 1 and (site / found[0]).is_file() for found in announced.values())
    [board] = {path.parent.relative_to(site).as_posix() for path in site.glob("retrieval/*/card.png")}
    receipts = {
        found[0] for path, found in announced.items() if path.startswith("receipts/") and "/" in path[9:]
    }
    assert receipts == {f"{board}/card.png"}
    assert announced[board] == [f"{board}/card.png"]


@pytest.mark.full
@pytest.mark.stories
def test_without_an_address_no_sitemap_is_written(published: Workspace, tmp_path: Path) -> None:
    site = build.build(published, opened(published), tmp_path / "site").site
    assert not (site / "sitemap.xml").exists()
    assert not [*site.rglob("card.png")]


@pytest.mark.full
@pytest.mark.stories
def test_announced_images_reach_the_checklist(
    addressed: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []

    class Renderer(assembly.Renderer):
        def __init__(self, *args: object, images: object = None, **options: object) -> None:
            told.append(images)
            super().__init__(*args, images=images, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(assembly, "Renderer", Renderer)
    build.build(addressed, opened(addressed), tmp_path / "site")
    assert told == [{"v1": "sha256:9c"}]


@pytest.mark.full
def test_the_limit_counts_every_byte_of_a_new_site_and_of_one_that_takes_over_pages(
    published: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []
    monkeypatch.setattr(
        output, "within_limit", lambda _instance, staging: counted.append(output._size(str(staging)))
    )
    for text in ("# One", "# Two, longer"):
        page = published.root / "content" / "own.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text(text)
        git(published.root, "add", "content")
        site = build.build(
            Workspace(published.root), opened(Workspace(published.root)), tmp_path / "site"
        ).site
        files = [path for path in site.rglob("*") if path.is_file() and path.name != build.MARKER]
        assert counted.pop() == sum(path.stat().st_size for path in files)
        assert not counted


@pytest.mark.parametrize("path", ["/x.html", "../x.html", "a/../../x.html"])
def test_no_page_is_written_outside_the_site(tmp_path: Path, path: str) -> None:
    with pytest.raises(IntegrityError, match="outside the site"):
        output.write(tmp_path / "site", path, b"")
    assert not list(tmp_path.iterdir())
