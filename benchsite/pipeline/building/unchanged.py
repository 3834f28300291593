"""A build that has nothing to do: the last site was made from all of this, and still has every byte of it.

`sources` is the digest of what a site is made from, `digest` that of a site. Where both are as the last build noted, the
site is the one that this build would make. A doubt means that it is made again: settings of mkdocs that may read other
files, run code or depend on the environment; links among the sources; tracks of other packages; a receipt that is not in
good order; a file of the site that is altered, missing or one too many.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from benchsite import executors
from benchsite.addresses import receipt_page_path
from benchsite.history import History
from benchsite.layout import CONFIG
from benchsite.pipeline.building import output
from benchsite.pipeline.building.cache import Whole
from benchsite.pipeline.building.receipts import Written
from benchsite.pipeline.instance import Instance

__all__ = ["digest", "sources", "stands"]

_SETTINGS: Final = frozenset(
    {"site_name", "site_url", "site_description", "site_author", "copyright", "repo_url", "repo_name"}
    | {"edit_uri", "nav", "extra", "theme", "docs_dir", "markdown_extensions"}
)
_EXTENSIONS: Final = frozenset({"admonition", "attr_list", "def_list", "footnotes", "tables", "toc"})
"""Of Markdown: these read no file but the page itself."""


def sources(instance: Instance, release: str) -> str:
    """The digest of what a site is made from; empty where it cannot be known."""
    head = instance.repository.head()
    if head is None or not all(track.is_own for track in instance.judges.values()):
        return ""
    try:
        settings = (instance.root / CONFIG).read_bytes()
        if b"!ENV" in settings or not _is_plain(instance.config.document.value):
            return ""
        found = sha256(repr((release, head, settings)).encode())
        for name in ("content", "theme"):
            folder = instance.root / name
            if os.path.lexists(folder):
                files = _hashed(folder, sorted(_files(folder)))
                found.update(repr((name, files)).encode())
    except (OSError, ValueError):
        return ""
    return found.hexdigest()


def _is_plain(settings: Mapping[str, Any]) -> bool:
    """Whether mkdocs reads prose and theme with these settings, and nothing else."""
    extensions = settings.get("markdown_extensions") or []
    names = [next(iter(item), None) if isinstance(item, dict) else item for item in extensions]
    return settings.keys() <= _SETTINGS and _EXTENSIONS.issuperset(names)


def stands(whole: Whole, site: Path, made_from: str) -> bool:
    """Whether a site that is made from this has been built, and has not changed since."""
    if not made_from or whole.sources != made_from:
        return False
    try:
        return _joined(_hashed(site, _pages(site))) == whole.site
    except (OSError, ValueError):
        return False


def digest(history: History, written: Mapping[str, Written], staging: Path) -> str:
    """The digest of a new site before its swap; empty where one of its receipts is to be looked at each time.

    Args:
        history: its receipts.
        written: their pages.
        staging: the new site, but for pages and receipts that the swap moves into it.
    """
    known: dict[str, bytes] = {}
    for header in history:
        page = written[header.receipt_id]
        if page.shown is None or not header.quotable:
            return ""
        known[f"{receipt_page_path(header.receipt_id)}index.html"] = page.shown.page
        known[header.path] = bytes.fromhex(header.sha256)
    try:
        others = [path for path in _pages(staging) if path not in known]
        return _joined({**known, **_hashed(staging, others)})
    except (OSError, ValueError):
        return ""


def _pages(site: Path) -> Iterator[str]:
    """Every file of a site but the marker, which says nothing."""
    return (path for path in _files(site) if path != output.MARKER)


def _files(folder: Path) -> Iterator[str]:
    """The path of every file below a folder; raises `ValueError` at anything that is neither file nor folder."""
    if folder.is_symlink():
        raise ValueError(folder)
    left = [""]
    while left:
        below = left.pop()
        with os.scandir(folder / below) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    left.append(f"{below}{entry.name}/")
                elif entry.is_file(follow_symlinks=False):
                    yield f"{below}{entry.name}"
                else:
                    raise ValueError(entry.path)


def _hashed(folder: Path, paths: Iterator[str] | Sequence[str]) -> dict[str, bytes]:
    """The SHA-256 of each of these files; raises `ValueError` where one cannot be read."""
    names = list(paths)
    return dict(zip(names, executors.run(_digests, folder, names), strict=True))


def _digests(folder: Path, paths: Sequence[str]) -> list[bytes]:
    """Work for `executors`."""
    found = []
    for path in paths:
        data = output.content(folder / path)
        if data is None:
            raise ValueError(path)
        found.append(sha256(data).digest())
    return found


def _joined(files: Mapping[str, bytes]) -> str:
    found = sha256()
    for path in sorted(files):
        found.update(repr((path, files[path])).encode())
    return found.hexdigest()
