"""What a site's links to the outside need from the instance: its repository on the web, its license, its own URL."""

from __future__ import annotations

from typing import Final

from benchsite.layout import CONFIG
from benchsite.pipeline.instance import Instance
from benchsite.site.repository import Hosted, hosted

__all__ = ["license_path", "missing", "repository"]

REMOTE: Final = "origin"
_LICENSES: Final = ("LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING")


def repository(instance: Instance) -> Hosted | None:
    """`repo_url` of the settings, else the `origin` remote, as a web address."""
    return hosted(instance.config.site.repo_url, instance.repository.remote_address(REMOTE))


def license_path(instance: Instance) -> str:
    """The license that the commit has at its top, or empty."""
    names = set(instance.repository.top_names())
    return next((name for name in _LICENSES if name in names), "")


def missing(instance: Instance) -> list[str]:
    """What `build` and `status` say of links that the site cannot have."""
    said = []
    if repository(instance) is None:
        absent = instance.repository.remote_address(REMOTE) is None
        why = f"there is no remote {REMOTE}" if absent else f"{REMOTE} has no web address"
        said.append(f"no links to the repository: {CONFIG} sets no repo_url, and {why}")
    if not instance.config.site.site_url:
        said.append(f"no sitemap, canonical URLs or citation URLs: {CONFIG} sets no site_url")
    return said
