"""A build leaves the site as it is only where nothing that it is made from, and nothing of it, has changed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest
from builders import commit
from publishing import git
from rebuilding import new_configuration, new_prose, new_theme, published, tree

from benchsite import plugins, resources
from benchsite.pipeline import build
from benchsite.pipeline.building import cache, output, unchanged
from benchsite.pipeline.building import sources as site_sources
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.record import Record


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


def sources(instance: Instance, release: str = "one") -> str:
    return unchanged.sources(Record.at(instance), release, site_sources.folders(instance))


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
    with closing(cache.load(small.root, cache.release_of(small.tracks, plugins.failures()))) as kept:
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
    seen = [sources(small, "one"), sources(small, "two")]
    for change in (new_prose, new_theme, new_configuration):
        change(small, {})
        seen.append(sources(small, "one"))
    commit(small, {"notes.txt": b"nothing of the site"})
    seen.append(sources(small, "one"))
    assert "" not in seen
    assert len(set(seen)) == len(seen)
    assert sources(small, "one") == seen[-1]


@pytest.mark.parametrize(
    "setting",
    [
        "copyright: !ENV [NAME, ours]",
        "copyright: !%45NV [NAME, ours]",
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
    assert sources(small, "one") == ""


def test_a_doubt_costs_the_next_build_no_verdict(small: Instance, site: Path) -> None:
    path = small.root / "mkdocs.yml"
    path.write_text(f"extra_css: [more.css]\n{path.read_text()}")
    small.refresh()
    build.build(small, site)
    with closing(cache.load(small.root, cache.release_of(small.tracks, plugins.failures()))) as kept:
        assert (kept.whole, len(kept)) == (None, len(published(small)))


def test_an_extension_that_reads_other_files_is_a_doubt(small: Instance) -> None:
    path = small.root / "mkdocs.yml"
    settings = path.read_text()
    assert sources(small, "one")
    for extension in ("pymdownx.snippets", "pymdownx.snippets: {base_path: [..]}"):
        path.write_text(settings.replace("  - tables\n", f"  - tables\n  - {extension}\n"))
        small.refresh()
        assert sources(small, "one") == "", extension


def test_a_link_among_the_sources_is_a_doubt(small: Instance, site: Path) -> None:
    """What it leads to may change without a trace."""
    (small.root / "words.md").write_text("# Words\n")
    (small.root / "content/words.md").symlink_to(small.root / "words.md")
    build.build(small, site)
    (small.root / "words.md").write_text("# Other words\n")
    assert not build.build(small, site).was_current
    assert b"Other words" in (site / "words/index.html").read_bytes()


def test_the_theme_and_the_prose_of_the_checkout_are_sources_where_there_are_no_own_ones(
    small: Instance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a checkout they change without a release; verify.html is made from them whatever theme an instance has."""
    new_theme(small, {})
    shutil.rmtree(small.root / "content", ignore_errors=True)
    for name in ("content", "theme"):
        shutil.copytree(resources.folder(name), tmp_path / name)
    monkeypatch.setattr(resources, "folder", lambda name: tmp_path / name)
    seen = [sources(small)]
    for path in ("content/docs/cli.md", "theme/main.html"):
        (tmp_path / path).write_bytes((tmp_path / path).read_bytes() + b"\nmore\n")
        seen.append(sources(small))
    assert "" not in seen
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("word", ["build_date_utc", "page.update_date"])
def test_a_theme_that_shows_the_day_is_a_doubt(small: Instance, word: str) -> None:
    new_theme(small, {})
    assert sources(small)
    (small.root / "theme/main.html").write_text("{{ " + word + " }}")
    assert sources(small) == ""


def test_a_commit_or_settings_that_the_build_has_not_read_are_a_doubt(small: Instance) -> None:
    """What changes after a build began, while it waits for another one for instance, is not in its site."""
    record = Record.at(small)
    assert unchanged.sources(record, "one", ())
    settings = (small.root / "mkdocs.yml").read_text()
    (small.root / "mkdocs.yml").write_text(f"copyright: theirs\n{settings}")
    assert unchanged.sources(record, "one", ()) == ""
    (small.root / "mkdocs.yml").write_text(settings)
    assert unchanged.sources(record, "one", ())
    commit(small, {"notes.txt": b"more"})
    assert unchanged.sources(record, "one", ()) == ""


def test_a_commit_while_a_build_waits_is_in_the_next_site(
    small: Instance, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another build holds the folder, and a receipt is gone from the record when it lets go."""
    gone = published(small)[0]
    staged = output.staged

    def waiting(target: Path) -> AbstractContextManager[Path]:
        monkeypatch.setattr(output, "staged", staged)
        commit(small, {}, removes=(f"results/published/{gone[:2]}/{gone}.json",))
        return staged(target)

    monkeypatch.setattr(output, "staged", waiting)
    build.build(small, site)
    assert not build.build(small, site).was_current
    assert b"missing" in (site / f"receipts/{gone[:2]}/{gone}/index.html").read_bytes()


def test_a_shallow_clone_is_a_doubt(small: Instance, tmp_path: Path) -> None:
    commit(small, {"notes.txt": b"more"})
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{small.root}", "clone")
    assert sources(Instance(tmp_path / "clone")) == ""


def test_the_mode_of_new_files_is_a_source(small: Instance) -> None:
    """A site made under umask 077 is not one that a web server of another user can read."""
    before = sources(small)
    mask = os.umask(0o077)
    try:
        assert sources(small) != before
        assert os.umask(0o077) == 0o077, "asking leaves it as it is"
    finally:
        os.umask(mask)
    assert sources(small) == before
