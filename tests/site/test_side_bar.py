from __future__ import annotations

import re
from pathlib import Path

import pytest
from shell_sites import PAGES, configure, header_links, read

from benchsite.errors import InputError
from benchsite.site.shell import RenderedPage, SiteConfig, build_shell


def side_bar(page: str) -> list[str]:
    side = page[page.index('<nav class="side"') : page.index('<main id="main"')]
    return re.findall(r"<a[^>]*>([^<]+)</a>", side)


def test_the_side_bar_follows_the_order_that_pages_give_themselves(tmp_path: Path, root: Path):
    config = configure(tmp_path, root, prose="---\norder: 2\n---\n# Hello\n")
    for name, order in (("zebra", "order: 1\n"), ("apple", ""), ("beet", ""), ("cider", "order: 1.5\n")):
        (config.docs_dir / "docs" / f"{name}.md").write_text(f"---\n{order}---\n# {name.title()}\n")
    build_shell(config)
    assert side_bar(read(config, "docs/apple")) == ["Zebra", "Cider", "Hello", "Apple", "Beet"]
    assert ("./docs/zebra/", "Docs") in header_links(read(config, ""))[1]


def test_a_nav_of_the_instances_own_comes_before_any_order(tmp_path: Path, root: Path):
    yaml = "site_name: x\nnav:\n  - docs/zebra.md\n  - docs/hello.md\n"
    config = configure(tmp_path, root, prose="---\norder: 1\n---\n# Hello\n", yaml=yaml)
    (config.docs_dir / "docs" / "zebra.md").write_text("---\norder: 2\n---\n# Zebra\n")
    build_shell(config)
    assert side_bar(read(config, "docs/zebra")) == ["Zebra", "Hello"]


@pytest.mark.parametrize("order", ["first", "true", "[1]"])
def test_an_order_that_is_no_number_is_named_with_its_file(tmp_path: Path, root: Path, order: str):
    config = configure(tmp_path, root, prose=f"---\norder: {order}\n---\n# Hello\n")
    with pytest.raises(InputError, match=r"content/docs/hello\.md: `order` .*number"):
        build_shell(config)


def test_our_own_prose_starts_with_its_home_and_ends_with_troubleshooting(tmp_path: Path, root: Path):
    config = configure(
        tmp_path,
        root,
        pages=(
            *PAGES,
            RenderedPage("log/", "Log", "", b""),
            RenderedPage("methodology/", "Rules", "", b""),
            RenderedPage("receipts/", "Receipts", "", b""),
        ),
        docs_dir=root / "content",
    )
    build_shell(config)
    names = side_bar(read(config, "docs/quick-start"))
    assert names[:3] == ["Documentation", "Quick start", "Publish your first leaderboard"]
    assert names[-1] == "Troubleshooting"
    # Pages that moved keep their address and are in no menu.
    assert not {"Limitations", "Trust model", "Threats to validity"} & set(names)
    assert "What a receipt proves" in names


def groups(page: str) -> dict[str, list[str]]:
    side = page[page.index('<nav class="side"') : page.index('<main id="main"')]
    found = re.findall(r'<summary class="group">([^<]+)</summary><ul>(.*?)</ul>', side)
    return {title: re.findall(r"<a[^>]*>([^<]+)</a>", entries) for title, entries in found}


def write_group(config: SiteConfig, name: str, meta: str) -> None:
    (config.docs_dir / "docs" / f"{name}.md").write_text(f"---\n{meta}---\n# {name.title()}\n\n## Part\n")


def test_the_documentation_is_in_groups_and_its_home_lists_them(tmp_path: Path, root: Path):
    config = configure(tmp_path, root)
    write_group(config, "index", "title: Documentation\n")
    write_group(config, "apple", "group: Reference\n")
    write_group(config, "beet", "group: tutorial\norder: 2\ndescription: All of <it>.\n")
    write_group(config, "cider", "group: Tutorials\norder: 1\n")
    build_shell(config)
    expected = {"Tutorials": ["Cider", "Beet"], "How-to": ["Hello"], "Reference": ["Apple"]}
    page = read(config, "docs/beet")
    assert groups(page) == expected
    # Only the group of the current page is open: the list fits beside the text.
    side = page[page.index('<nav class="side"') : page.index('<main id="main"')]
    assert re.findall(r"<details( open)?><summary[^>]*>([^<]+)", side) == [
        (" open", "Tutorials"),
        ("", "How-to"),
        ("", "Reference"),
    ]
    assert re.findall(r'rel="(prev|next)" href="([^"]+)"', page) == [
        ("prev", "../cider/"),
        ("next", "../hello/"),
    ]
    assert (
        '<nav class="toc" aria-label="On this page"><p class="group">On this page</p><ul><li><a href="#part">'
        in page
    )
    home = read(config, "docs")
    assert re.findall(r"<h2[^>]*>([^<]+)</h2>", home)[-3:] == ["Tutorials", "How-to", "Reference"]
    assert "All of &lt;it&gt;." in home
    assert 'href="./docs/"' in read(config, "")


def test_a_page_that_the_documentations_home_links_is_not_listed_again(tmp_path: Path, root: Path):
    config = configure(tmp_path, root)
    write_group(config, "apple", "group: Reference\n")
    (config.docs_dir / "docs" / "index.md").write_text("# Docs\n\n## Reference\n\n[Apple](apple.md) first.\n")
    build_shell(config)
    home = read(config, "docs")
    main = home[home.index("<main") :]
    assert re.findall(r"<h2[^>]*>([^<]+)</h2>", main) == ["Reference", "How-to"]
    assert (main.count(">Apple<"), main.count("Hello</a></dt>")) == (
        2,
        1,
    )  # one of each in the list of all pages


def test_an_unknown_group_is_named_with_the_ones_there_are(tmp_path: Path, root: Path):
    config = configure(tmp_path, root, prose="---\ngroup: Misc\n---\n# Hello\n")
    with pytest.raises(InputError, match=r"content/docs/hello\.md: `group` .*'Misc'") as caught:
        build_shell(config)
    assert (
        caught.value.hint
        == "available: Tutorials, How-to, How-to: read, How-to: measure, How-to: publish, How-to: contribute, Explanation, Reference"
    )
