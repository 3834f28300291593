"""A build leaves the site as it is only where nothing that it is made from, and nothing of it, has changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import commit
from rebuilding import new_configuration, new_prose, new_theme, tree

from benchsite.pipeline import build
from benchsite.pipeline.instance import Instance


def altered(site: Path) -> None:
    """One byte of one page, the size kept."""
    page = site / "index.html"
    page.write_bytes(page.read_bytes()[:-2] + b"!\n")


def linked(site: Path) -> None:
    """The same bytes behind a link."""
    page = site / "index.html"
    page.rename(site.parent / "elsewhere.html")
    page.symlink_to(site.parent / "elsewhere.html")


SITE: dict[str, Callable[[Path], object]] = {
    "altered": altered,
    "linked": linked,
    "a file more": lambda site: (site / "receipts" / "more.html").write_text("more"),
    "a file less": lambda site: (site / "index.html").unlink(),
    "no receipts": lambda site: shutil.rmtree(site / "results"),
    "gone": shutil.rmtree,
}


@pytest.fixture
def site(small: Instance) -> Path:
    site = build.build(small, small.root.parent / "site").site
    assert build.build(small, site).was_current
    return site


@pytest.mark.parametrize("how", sorted(SITE))
def test_a_site_that_was_changed_is_built_again(small: Instance, site: Path, how: str) -> None:
    before = tree(site)
    SITE[how](site)
    built = build.build(small, site)
    assert not built.was_current
    assert not any(path.is_symlink() for path in site.rglob("*"))
    assert tree(site) == before


@pytest.mark.parametrize("change", [new_prose, new_theme, new_configuration])
def test_a_source_in_the_working_tree_that_was_changed_is_noticed(
    small: Instance, site: Path, change: Callable[..., object]
) -> None:
    change(small, {})
    assert not build.build(small, site).was_current
    assert build.build(small, site).was_current


def test_any_commit_is_noticed(small: Instance, site: Path) -> None:
    commit(small, {"notes.txt": b"nothing of the site"})
    assert not build.build(small, site).was_current


def test_full_builds_again(small: Instance, site: Path) -> None:
    assert not build.build(small, site, full=True).was_current


@pytest.mark.parametrize(
    "setting",
    [
        "copyright: !ENV [NAME, nobody]",
        "INHERIT: base.yml",
        "hooks: [hook.py]",
        "plugins: [search]",
        "extra_css: [more.css]",
    ],
)
def test_what_mkdocs_may_read_besides_is_built_each_time(small: Instance, site: Path, setting: str) -> None:
    """Each of these reads a file or a variable that is not among the sources."""
    (small.root / "base.yml").write_text("copyright: ours\n")
    (small.root / "hook.py").write_text("")
    path = small.root / "mkdocs.yml"
    path.write_text(f"{setting}\n{path.read_text()}")
    small.refresh()
    build.build(small, site)
    assert not build.build(small, site).was_current


def test_a_link_among_the_sources_is_a_doubt(small: Instance, site: Path) -> None:
    """What it leads to may change without a trace."""
    (small.root.parent / "words.md").write_text("# Words\n")
    (small.root / "content/words.md").symlink_to(small.root.parent / "words.md")
    build.build(small, site)
    assert not build.build(small, site).was_current
    (small.root.parent / "words.md").write_text("# Other words\n")
    build.build(small, site)
    assert b"Other words" in (site / "words/index.html").read_bytes()
