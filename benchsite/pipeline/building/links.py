"""What a site's links to the outside need from the instance: its repository on the web, its license, its own URL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from benchsite.history import History
from benchsite.layout import CONFIG
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.site.frame import NavItem, foot, nav_of
from benchsite.site.repository import Hosted, hosted
from benchsite.track import Track

__all__ = ["footer", "header", "license_path", "missing", "repository"]

REMOTE: Final = "origin"
_LICENSES: Final = ("LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING")


def repository(workspace: Workspace) -> Hosted | None:
    """`repo_url` of the settings, else the `origin` remote, as a web address."""
    git = workspace.repository
    return hosted(workspace.config.site.repo_url, git.remote_address(REMOTE), git.below)


def license_path(snapshot: Snapshot) -> str:
    """The license that the commit has at its top, or empty."""
    names = set(snapshot.top_names())
    return next((name for name in _LICENSES if name in names), "")


def header(history: History, tracks: Mapping[str, Track]) -> tuple[NavItem, ...]:
    """The header of every page: of the leaderboards, those of tracks that the record says something of."""
    said = {one.track for found in (history, history.unreported) for one in found}
    said |= {entry.track for _, entry in history.declined}
    return nav_of(track for name, track in tracks.items() if name in said)


def footer(workspace: Workspace, snapshot: Snapshot, feed: str) -> list[tuple[str, str]]:
    """What the footer of verify.html links to; `feed` is the path of the log's, or empty."""
    return foot(repository(workspace), license_path(snapshot), feed)


def missing(workspace: Workspace) -> list[str]:
    """What `build` and `status` say of links that the site cannot have."""
    said = []
    if repository(workspace) is None:
        absent = workspace.repository.remote_address(REMOTE) is None
        why = f"there is no remote {REMOTE}" if absent else f"{REMOTE} has no web address"
        said.append(f"no links to the repository: {CONFIG} sets no repo_url, and {why}")
    if not workspace.config.site.site_url:
        said.append(f"no sitemap, canonical URLs or citation URLs: {CONFIG} sets no site_url")
    return said
