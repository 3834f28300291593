"""A build leaves the site as it is only where nothing that it is made from, and nothing of it, has changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from builders import commit
from rebuilding import new_configuration, new_prose, new_theme, tree

from benchsite import plugins
from benchsite.pipeline import build
from benchsite.pipeline.building import cache, unchanged
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
    return build.build(small, small.root.parent / "site").site


def test_a_site_is_left_as_it_is_until_something_of_it_has_changed(small: Instance, site: Path) -> None:
    before = tree(site)
    assert build.build(small, site).was_current
    linked(site)
    assert not build.build(small, site).was_current
    assert not (site / "index.html").is_symlink()
    assert tree(site) == before
    assert not build.build(small, site, full=True).was_current


def test_every_change_of_a_site_is_seen(small: Instance, site: Path) -> None:
    with closing(cache.load(small.root, cache.release_of(small.judges, plugins.failures()))) as kept:
        whole = kept.whole
    assert whole is not None
    assert unchanged.stands(whole, site, whole.sources)
    assert not unchanged.stands(whole, site, "")
    assert not unchanged.stands(whole, site, "0" * 64)
    for name, change in SITE.items():
        other = shutil.copytree(site, site.with_name("other"))
        change(other)
        assert not unchanged.stands(whole, other, whole.sources), name
        shutil.rmtree(other, ignore_errors=True)


def test_every_change_of_a_source_is_seen(small: Instance) -> None:
    """Prose, theme and configuration of the working tree; any commit; the release that makes the pages."""
    seen = [unchanged.sources(small, "one"), unchanged.sources(small, "two")]
    for change in (new_prose, new_theme, new_configuration):
        change(small, {})
        seen.append(unchanged.sources(small, "one"))
    commit(small, {"notes.txt": b"nothing of the site"})
    seen.append(unchanged.sources(small, "one"))
    assert "" not in seen
    assert len(set(seen)) == len(seen)
    assert unchanged.sources(small, "one") == seen[-1]


@pytest.mark.parametrize(
    "setting",
    [
        "copyright: !ENV [NAME, ours]",
        "INHERIT: base.yml",
        "hooks: [hook.py]",
        "plugins: [search]",
        "extra_css: [more.css]",
    ],
)
def test_what_mkdocs_may_read_besides_is_a_doubt(small: Instance, setting: str) -> None:
    """Each of these reads a file or a variable that is not among the sources."""
    path = small.root / "mkdocs.yml"
    path.write_text(f"{setting}\n{path.read_text()}")
    small.refresh()
    assert unchanged.sources(small, "one") == ""


def test_an_extension_that_reads_other_files_is_a_doubt(small: Instance) -> None:
    path = small.root / "mkdocs.yml"
    settings = path.read_text()
    assert unchanged.sources(small, "one")
    for extension in ("pymdownx.snippets", "pymdownx.snippets: {base_path: [..]}"):
        path.write_text(settings.replace("  - tables\n", f"  - tables\n  - {extension}\n"))
        small.refresh()
        assert unchanged.sources(small, "one") == "", extension


def test_a_link_among_the_sources_is_a_doubt(small: Instance, site: Path) -> None:
    """What it leads to may change without a trace."""
    (small.root.parent / "words.md").write_text("# Words\n")
    (small.root / "content/words.md").symlink_to(small.root.parent / "words.md")
    build.build(small, site)
    (small.root.parent / "words.md").write_text("# Other words\n")
    assert not build.build(small, site).was_current
    assert b"Other words" in (site / "words/index.html").read_bytes()
