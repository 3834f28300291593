"""A site of one prose page and two generated ones, as the shell is asked for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchsite.site.shell import RenderedPage, SiteConfig, nav_of
from benchsite.tracks.retrieval import TRACK as RETRIEVAL

PAGES = (
    RenderedPage("", "Front", "The front.", b"<h1>Front</h1>"),
    RenderedPage("retrieval/", "Boards <b>", 'Say "so".', b"<h1>Boards</h1><p>*not markdown*</p>"),
)


def configure(
    tmp_path: Path,
    root: Path,
    pages: Sequence[RenderedPage] = PAGES,
    prose: str = "# Hello\n\nText.\n",
    **changes: Any,
) -> SiteConfig:
    content = tmp_path / "content"
    (content / "docs").mkdir(parents=True, exist_ok=True)
    (content / "docs" / "hello.md").write_text(prose)
    (tmp_path / "mkdocs.yml").write_text(changes.pop("yaml", "site_name: ignored\n"))
    values: dict[str, Any] = {
        "docs_dir": content,
        "theme_dir": root / "theme",
        "site_dir": tmp_path / "site",
        "mkdocs_yml": tmp_path / "mkdocs.yml",
        "site_name": "tried",
        "site_url": "https://bench.invalid/sub/",
        "pages": pages,
        "nav": nav_of([RETRIEVAL]),
        **changes,
    }
    return SiteConfig(**values)


def read(config: SiteConfig, path: str) -> str:
    return (config.site_dir / path / "index.html").read_text(encoding="utf-8")


def header_links(page: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Path and word of the links of the menu, and of those beside it."""
    nav = re.search(r'<nav aria-label="Site">(.*?)</details>(.*?)</nav>', page)
    assert nav is not None
    menu, wide = (re.findall(r'<a[^>]* href="([^"]+)"[^>]*>([^<]+)</a>', part) for part in nav.groups())
    return menu, wide
