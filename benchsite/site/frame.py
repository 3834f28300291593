"""What the frame of every page says besides its body: header, footer, feeds, picture, groups of the documentation.

Plain values of the site's settings; `benchsite.site.shell` hands them to mkdocs and to `theme/main.html`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchsite import __version__
from benchsite.addresses import FEED_PATH, subject_path
from benchsite.errors import InputError
from benchsite.site import formats
from benchsite.site.repository import Hosted
from benchsite.track import Track

GROUPS: Final = (
    "Tutorials",
    "How-to",
    "How-to: read",
    "How-to: measure",
    "How-to: publish",
    "How-to: contribute",
    "Explanation",
    "Reference",
)
"""Of the documentation (diataxis.fr), in reading order."""

PROSE: Final = "<!-- prose -->"
"""The place of a page's prose in the HTML around it."""

_UNNAMED: Final = GROUPS.index("How-to")
_NAMES: Final = {
    name: at for at, title in enumerate(GROUPS) for name in (title.lower(), title.lower().rstrip("s"))
}


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page whose body is ready; `path` is empty for the home page and ends in `/` for every other.

    `body` is UTF-8: thousands of bodies wait for mkdocs, and as text one "…" makes each take twice the room.
    `canonical` is the path of the page that search engines should name instead; its own where empty.
    `picture` is the path of the page whose picture a link preview shows; its own where empty or without one.
    """

    path: str
    title: str
    description: str
    body: bytes
    canonical: str = ""
    picture: str = ""


@dataclass(frozen=True, slots=True)
class NavItem:
    """One entry of the header; it is current on every page below its path, and a menu if it has `items`."""

    title: str
    path: str
    items: tuple[NavItem, ...] = ()


SYSTEMS: Final = subject_path("")
"""The folder of the pages of systems, each with a feed beside it."""

PAGES: Final = (
    NavItem("Receipts", "receipts/"),
    NavItem("Methodology", "methodology/"),
    NavItem("Log", "log/"),
)
"""Pages of every site that the footer links to."""


def nav_of(tracks: Iterable[Track]) -> tuple[NavItem, ...]:
    """Return the header in four words: a menu of the leaderboards of these tracks, then what every site has.

    With one track the first word leads to its leaderboards; with several, to those of the home page.
    """
    boards = tuple(NavItem(track.title, f"{track.name}/") for track in tracks)
    path = boards[0].path if len(boards) == 1 else "#leaderboards"
    return (
        *([NavItem("Leaderboards", path, boards)] if boards else []),
        NavItem("Systems", "systems/"),
        NavItem("Verify", "verify.html"),
        NavItem("Docs", "docs/"),
    )


@dataclass(frozen=True, slots=True)
class SiteConfig:
    """What the frame needs to know.

    Attributes:
        docs_dir: hand-written prose, the instance's and what came with benchsite.
        own: which of its files are in the instance's repository, by their paths below `content/`.
        site_dir: emptied, then written.
        mkdocs_yml: the instance's configuration; its theme, docs_dir and site_dir are replaced by ours.
        banner: a line above every page, or empty.
        pages: generated pages, receipts not among them.
        folders: what holds so many pages that they share a frame, each ending in `/`; their pages are not in `pages`.
        nav: the header, left to right; an entry whose page does not exist is excluded.
        repository: where the instance's repository is on the web, None where that is unknown.
        license: the path of its license there, or empty.
        frames: HTML around the prose of a page, by its path, with `PROSE` in the place of the prose.
        feeds: the paths of the site's Atom feeds.
        mirrors: addresses of large evidence, which pages in `folders` may fetch.
        pictured: the folders of leaderboards and systems that have a picture for link previews.
    """

    docs_dir: Path
    theme_dir: Path
    site_dir: Path
    mkdocs_yml: Path
    site_name: str
    site_url: str = ""
    banner: str = ""
    pages: Sequence[RenderedPage] = ()
    folders: Sequence[str] = ()
    nav: Sequence[NavItem] = nav_of(())
    repository: Hosted | None = None
    license: str = ""
    own: AbstractSet[str] = frozenset()
    frames: Mapping[str, str] = field(default_factory=dict)
    feeds: Sequence[str] = ()
    mirrors: Sequence[str] = ()
    pictured: AbstractSet[str] = frozenset()


def name(config: SiteConfig) -> str:
    """The name of the site as its pages show it: on one line, nothing in it invisible."""
    return formats.plain_name(config.site_name)


def links(config: SiteConfig, source: str) -> Mapping[str, Any]:
    """The parts of the frame that lead away from a page: repository, version, and where to edit it.

    Args:
        source: the file below `docs_dir`; it can be edited where it is in the instance's repository.
    """
    repository = config.repository
    return {
        "repository": repository.url if repository else "",
        "edit": repository.edit(f"content/{source}") if repository and source in config.own else "",
        "version": __version__,
    }


def foot(
    repository: Hosted | None, license_path: str, feed: str, pages: Iterable[NavItem] = PAGES
) -> list[tuple[str, str]]:
    """Title and address of what the footer links to; what is unknown is left out.

    Args:
        license_path: the path of the license in the repository, or empty.
        feed: the path of an Atom feed below the site's root, or empty.
        pages: those of `PAGES` that the site has.
    """
    found = [
        *((item.title, item.path) for item in pages),
        ("Repository", repository.url if repository else ""),
        ("License", repository.file(license_path) if repository and license_path else ""),
        ("Atom feed", feed),
    ]
    return [(title, address) for title, address in found if address]


def feeds(config: SiteConfig, path: str) -> list[tuple[str, str]]:
    """Title and path of the feeds that a page announces: the log's, and that of the leaderboard it belongs to."""
    return [
        (f"{name(config)}: {'log' if feed == FEED_PATH else feed.split('/')[-2]}", feed)
        for feed in config.feeds
        if feed == FEED_PATH or path.startswith(feed.rpartition("/")[0] + "/")
    ]


def place(meta: Mapping[str, Any], source: str) -> tuple[int, float]:
    """The group of a page of the documentation and its order there, from its front matter.

    So that an instance needs no `nav` for the prose that came with benchsite. A page without a group is a how-to; one
    without an order comes after those that have one.

    Raises:
        InputError: `order` is not a number, or `group` is unknown.
    """
    order, group = meta.get("order", math.inf), meta.get("group")
    if isinstance(order, bool) or not isinstance(order, int | float):
        raise InputError(
            f"content/{source}: `order` is {order!r} and must be a number",
            hint="write `order: 3`, or remove it",
        )
    at = _UNNAMED if group is None else _NAMES.get(str(group).lower())
    if at is None:
        raise InputError(
            f"content/{source}: `group` is {str(group)[:80]!r}", hint=f"available: {', '.join(GROUPS)}"
        )
    return at, float(order)
