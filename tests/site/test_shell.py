from __future__ import annotations

import hashlib
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from shell_sites import PAGES, configure, header_links, read

from benchsite.errors import BenchsiteError, InputError
from benchsite.site.repository import Hosted
from benchsite.site.shell import RenderedPage, Shell, build_shell, nav_of
from benchsite.tracks.retrieval import TRACK as RETRIEVAL
from benchsite.tracks.rubric import TRACK as RUBRIC


def test_generated_bodies_bypass_markdown_and_titles_are_escaped(tmp_path: Path, root: Path):
    config = configure(tmp_path, root)
    build_shell(config)
    page = read(config, "retrieval")
    assert "<p>*not markdown*</p>" in page
    assert "<title>Boards &lt;b&gt; · tried</title>" in page
    assert '<meta name="description" content="Say &#34;so&#34;.">' in page
    assert "<title>tried</title>" in read(config, "")


def test_prose_passes_through_markdown_and_lists_only_prose_beside_it(tmp_path: Path, root: Path):
    config = configure(tmp_path, root, prose="# Hello\n\n| a | b |\n|---|--:|\n| x | 1 |\n")
    build_shell(config)
    page = read(config, "docs/hello")
    assert '<div class="scroll"' in page
    side = page[page.index('<nav class="side"') : page.index('<main id="main"')]
    assert "Hello" in side
    assert "Boards" not in side


def test_the_shell_page_itself_is_never_written(tmp_path: Path, root: Path):
    config = configure(tmp_path, root)
    shell = build_shell(config)
    assert not (config.site_dir / "receipts").exists()
    assert "benchsite-body" not in "".join(shell.parts)
    assert shell.prose == {"": "index.md", "docs/hello/": "docs/hello.md", "retrieval/": "retrieval/index.md"}


def test_a_receipt_page_is_the_frame_with_its_own_body(tmp_path: Path, root: Path):
    shell = build_shell(configure(tmp_path, root))
    page = shell.wrap(RenderedPage("receipts/ab/abc/", "A <x>\u202e", "About & more", b"<p>body</p>"))
    assert "<title>A &lt;x&gt;\\u202e · tried</title>" in page
    assert '<link rel="canonical" href="https://bench.invalid/sub/receipts/ab/abc/">' in page
    assert 'href="../../../assets/site.css"' in page
    assert '<a href="../../../retrieval/">Retrieval</a>' in page
    assert page.count("<p>body</p>") == 1


def test_a_page_at_another_depth_is_refused_because_its_links_would_not_fit(tmp_path: Path, root: Path):
    shell = build_shell(configure(tmp_path, root))
    with pytest.raises(ValueError, match="as deep"):
        shell.wrap(RenderedPage("receipts/abc/", "", "", b""))


def test_a_folder_of_very_many_pages_has_a_frame_of_its_own(tmp_path: Path, root: Path):
    config = configure(tmp_path, root, folders=["retrieval/small/tasks/"])
    shell = build_shell(config)
    page = shell.wrap(RenderedPage("retrieval/small/tasks/q-1/", "q-1", "About", b"<p>body</p>"))
    assert not (config.site_dir / "retrieval" / "small").exists()
    assert shell.prose == {"": "index.md", "docs/hello/": "docs/hello.md", "retrieval/": "retrieval/index.md"}
    assert '<link rel="canonical" href="https://bench.invalid/sub/retrieval/small/tasks/q-1/">' in page
    assert 'href="../../../../assets/site.css"' in page
    assert '<a href="../../../../retrieval/" aria-current="true">Retrieval</a>' in page
    assert "<title>q-1 · tried</title>" in page
    assert page.count("<p>body</p>") == 1
    receipt = shell.wrap(RenderedPage("receipts/ab/abc/", "t", "d", b"b"))
    assert '<a href="../../../retrieval/">Retrieval</a>' in receipt
    with pytest.raises(ValueError, match="as deep"):
        shell.wrap(RenderedPage("retrieval/small/other/q-1/", "", "", b""))


def test_header_entries_without_a_page_are_left_out_and_docs_lead_to_the_first_page(
    tmp_path: Path, root: Path
):
    config = configure(tmp_path, root)
    build_shell(config)
    page = read(config, "")
    menu, wide = header_links(page)
    expected = [
        "./retrieval/",
        "./verify.html",  # a file, which every build writes
        "./docs/hello/",
    ]
    assert [path for path, _ in wide] == expected
    assert [path for path, _ in menu] == expected
    assert [word for _, word in wide] == ["Leaderboards", "Verify", "Docs"]


def test_the_header_has_four_words_and_the_leaderboards_are_a_menu_that_needs_no_script(
    tmp_path: Path, root: Path
):
    pages = (
        *PAGES,
        RenderedPage("rubric/", "Rated", "", b""),
        RenderedPage("systems/", "Systems", "", b""),
        RenderedPage("receipts/", "Receipts", "", b""),
        RenderedPage("log/", "Log", "", b""),
    )
    config = configure(tmp_path, root, pages=pages, nav=nav_of([RETRIEVAL, RUBRIC]))
    build_shell(config)
    page = read(config, "rubric")
    menu, wide = header_links(page)
    assert [word for _, word in menu] == ["Retrieval", "Rated agents", "Systems", "Verify", "Docs"]
    assert [word for _, word in wide] == ["Systems", "Verify", "Docs"]
    assert '<summary class="current"><span class="wide">Leaderboards</span>' in page
    assert page.count('aria-current="true"') == 1
    foot = page[page.index("<footer") :]
    assert re.findall(r'href="([^"]+)">([^<]+)</a>', foot) == [
        ("../receipts/", "Receipts"),
        ("../log/", "Log"),  # methodology/ isn't a page of this site
    ]


def test_a_header_without_leaderboards_leads_to_none(tmp_path: Path, root: Path):
    config = configure(tmp_path, root, nav=nav_of([]))
    build_shell(config)
    page = read(config, "")
    assert [word for _, word in header_links(page)[1]] == ["Verify", "Docs"]
    assert "Leaderboards" not in page


def test_every_page_carries_the_policy_first_and_nothing_inline(tmp_path: Path, root: Path):
    config = configure(tmp_path, root, banner="DEMO & <b>")
    shell = build_shell(config)
    pages = [path.read_text() for path in config.site_dir.rglob("*.html")]
    pages.append(shell.wrap(RenderedPage("receipts/ab/c/", "t", "d", b"b")))
    assert len(pages) == 5
    for page in pages:
        head = page[page.index("<head>") + 6 :].lstrip()
        assert head.startswith('<meta http-equiv="Content-Security-Policy" content="default-src \'none\';')
        assert not re.search(r"\sstyle=", page)
        scripts = re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL)
        assert len(scripts) == 1
        assert all("src=" in attributes and not content for attributes, content in scripts)
        assert "DEMO &amp; &lt;b&gt;" in page
        assert "://" not in re.sub(r"https://bench\.invalid/sub/", "", page)


def test_the_stock_theme_brings_no_file(tmp_path: Path, root: Path):
    config = configure(tmp_path, root)
    build_shell(config)
    theme = {path.relative_to(root / "theme").as_posix() for path in (root / "theme").rglob("*")}
    assets = {
        path.relative_to(config.site_dir).as_posix() for path in (config.site_dir / "assets").rglob("*")
    }
    assert assets <= theme
    assert not (config.site_dir / "sitemap.xml.gz").exists()


def test_search_holds_prose_and_no_generated_page(tmp_path: Path, root: Path):
    config = configure(tmp_path, root)
    build_shell(config)
    index = (config.site_dir / "search" / "search_index.json").read_text()
    assert "docs/hello/" in index
    assert "retrieval/" not in index
    assert "receipts/" not in index


def test_the_page_for_lost_visitors_uses_absolute_addresses(tmp_path: Path, root: Path):
    config = configure(tmp_path, root)
    build_shell(config)
    page = (config.site_dir / "404.html").read_text()
    assert 'href="/sub/assets/site.css"' in page
    assert 'href="/sub/retrieval/"' in page


def digest(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_two_builds_are_byte_identical(tmp_path: Path, root: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, two = configure(tmp_path / "a", root), configure(tmp_path / "b", root)
    assert build_shell(one) == build_shell(two)
    assert digest(one.site_dir) == digest(two.site_dir)


def test_a_dead_link_in_prose_is_named_with_file_and_line(tmp_path: Path, root: Path):
    config = configure(tmp_path, root, prose="# Hello\n\nSee [that](nowhere.md).\n")
    with pytest.raises(InputError, match=r"content/docs/hello\.md:3: .*'nowhere\.md'"):
        build_shell(config)


def test_malformed_configuration_is_the_configurations_fault(tmp_path: Path, root: Path):
    config = configure(tmp_path, root, yaml="site_name: x\nmarkdown_extensions: [no_such_extension]\n")
    with pytest.raises(InputError, match=r"mkdocs\.yml.*no_such_extension") as found:
        build_shell(config)
    assert "mkdocs.yml" in found.value.hint


def test_prose_where_a_generated_page_belongs_is_refused(tmp_path: Path, root: Path):
    config = configure(tmp_path, root)
    (config.docs_dir / "index.md").write_text("# Mine\n")
    with pytest.raises(InputError, match=r"content/index\.md .*generated page"):
        build_shell(config)


def test_nothing_is_printed_and_the_loggers_are_left_as_they_were(
    tmp_path: Path, root: Path, capfd: pytest.CaptureFixture[str]
):
    build_shell(configure(tmp_path, root))
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
    assert logging.getLogger("mkdocs").propagate
    assert logging.getLogger("mkdocs").handlers == []


def test_a_theme_without_a_body_is_the_themes_fault():
    with pytest.raises(BenchsiteError, match=r"main\.html .*page\.content"):
        Shell.of("<html></html>")


@pytest.mark.parametrize("site_url", ["https://bench.invalid/sub", "https://bench.invalid/sub/"])
def test_a_shared_link_has_title_text_picture_and_one_address(tmp_path: Path, root: Path, site_url: str):
    config = configure(tmp_path, root, site_url=site_url)
    shell = build_shell(config)
    page = shell.wrap(RenderedPage("receipts/ab/c/", "A <t>", "About & more", b"b"))
    found = dict(re.findall(r'<meta property="og:([a-z:_]+)" content="([^"]*)">', page))
    assert found == {
        "title": "A &lt;t&gt;",
        "description": "About &amp; more",
        "site_name": "tried",
        "type": "article",
        "url": "https://bench.invalid/sub/receipts/ab/c/",
        "image": "https://bench.invalid/sub/assets/cards/receipt.png",
        "image:alt": "A signed receipt of a benchmark run",
    }
    assert {path.read_bytes()[16:24].hex() for path in (config.site_dir / "assets" / "cards").iterdir()} == {
        "000004b000000276"
    }
    assert '<meta property="og:type" content="website">' in read(config, "")


def test_without_an_address_nothing_claims_one(tmp_path: Path, root: Path):
    config = configure(tmp_path, root, site_url="")
    build_shell(config)
    page = read(config, "retrieval")
    assert 'property="og:title"' in page
    assert "og:url" not in page
    assert "og:image" not in page
    assert "canonical" not in page


def test_every_page_links_repository_license_and_feed_and_prose_its_source(tmp_path: Path, root: Path):
    feeds = ("log/feed.xml", "retrieval/x/feed.xml")
    pages = (*PAGES, RenderedPage("retrieval/x/", "X", "", b""))
    here = Hosted("https://code.invalid/lab/bench")
    more: dict[str, Any] = {"license": "LICENSE", "feeds": feeds, "own": {"docs/hello.md"}}
    config = configure(tmp_path, root, pages=pages, repository=here, **more)
    shell = build_shell(config)
    receipt = shell.wrap(RenderedPage("receipts/ab/c/", "t", "d", b"b"))
    for page in (read(config, ""), read(config, "docs/hello"), receipt):
        assert page.count('href="https://code.invalid/lab/bench"') == 1
        assert 'href="https://code.invalid/lab/bench/blob/HEAD/LICENSE"' in page
        assert "benchsite 0." in page[page.index("<footer") :]
    edit = 'href="https://code.invalid/lab/bench/edit/HEAD/content/docs/hello.md"'
    assert edit in read(config, "docs/hello")
    assert "/edit/" not in receipt
    announced = re.compile(
        r'<link rel="alternate" type="application/atom\+xml" title="[^"]*" href="([^"]+)">'
    )
    assert announced.findall(receipt) == ["../../../log/feed.xml"]
    assert announced.findall(read(config, "retrieval/x")) == [
        "../../log/feed.xml",
        "../../retrieval/x/feed.xml",
    ]


def test_prose_that_came_with_benchsite_has_no_link_to_edit_it_here(tmp_path: Path, root: Path):
    here = Hosted("https://code.invalid/lab/bench")
    config = configure(tmp_path, root, repository=here, own={"docs/other.md"})
    build_shell(config)
    assert "/edit/" not in read(config, "docs/hello")


def test_a_permalink_names_its_canonical_page_to_readers_and_to_search_engines(tmp_path: Path, root: Path):
    frozen = RenderedPage("retrieval/x/1.0.0/", "X", "", b"body", canonical="retrieval/x/")
    config = configure(tmp_path, root, pages=(*PAGES, frozen))
    build_shell(config)
    page = read(config, "retrieval/x/1.0.0")
    assert '<link rel="canonical" href="https://bench.invalid/sub/retrieval/x/">' in page
    assert '<a href="../../../retrieval/x/">the leaderboard</a>' in page
    assert "Permalink" not in read(config, "retrieval")


def test_the_page_of_a_system_announces_its_own_feed(tmp_path: Path, root: Path):
    config = configure(tmp_path, root, folders=["systems/"], feeds=["log/feed.xml"])
    page = build_shell(config).wrap(RenderedPage("systems/a/", "A & B", "", b""))
    announced = re.findall(r'<link rel="alternate" [^>]* title="([^"]*)" href="([^"]+)">', page)
    assert announced == [("tried: log", "../../log/feed.xml"), ("A &amp; B", "../../systems/a/feed.xml")]
