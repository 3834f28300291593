"""A build that has nothing to do: the last site was made from all of this, and still has every byte of it.

`sources` is the digest of what a site is made from, `digest` that of a site. Where both are as the last build noted, the
site is the one that this build would make. A doubt means that it is made again: settings of mkdocs that may read other
files, run code or depend on the environment; a page that may carry the day; links among the sources; a commit or settings
that changed while the build ran; a shallow clone; tracks of other packages; a receipt that is not in good order; a file of
the site that is altered, missing or one too many.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchsite import executors, yaml_document
from benchsite.addresses import badge_path, receipt_page_path
from benchsite.errors import BenchsiteError
from benchsite.history import History
from benchsite.layout import CONFIG
from benchsite.pipeline.building import links, output
from benchsite.pipeline.building.cache import Whole, Written
from benchsite.pipeline.record import Record
from benchsite.repo import Past

__all__ = ["Contents", "contents", "sources", "stands"]

_SETTINGS: Final = frozenset(
    {"site_name", "site_url", "site_description", "site_author", "copyright", "repo_url", "repo_name"}
    | {"edit_uri", "nav", "extra", "theme", "docs_dir", "markdown_extensions"}
)
_EXTENSIONS: Final = frozenset({"admonition", "attr_list", "def_list", "footnotes", "tables", "toc"})
"""Of Markdown: these read no file but the page itself."""
_DAY: Final = re.compile(rb"build_date_utc|update_date")
"""What mkdocs tells templates of the day of the build."""


def sources(record: Record, release: str, folders: Sequence[Path]) -> str:
    """The digest of what a site is made from; empty where it cannot be known.

    Args:
        record: the commit that the build reads; it must be the one that HEAD still names.
        release: what reads receipts and makes pages.
        folders: prose and themes.
    """
    instance = record.instance
    if record.commit is None or not all(track.is_own for track in instance.tracks.values()):
        return ""
    try:
        Past(instance.root).require_whole()  # of a shallow clone, what is behind HEAD may come later
        settings = (instance.root / CONFIG).read_bytes()
        read = yaml_document.load(settings, CONFIG, tags="refused").value
        if record.commit != instance.repository.head() or read != instance.config.document.value:
            return ""
        if not _is_plain(read):
            return ""
        web = links.repository(instance)
        found = sha256(repr((release, record.commit, settings, web, _umask())).encode())
        for number, folder in enumerate(folders):
            files = {path: output.content(folder / path) for path in sorted(_files(folder))}
            if any(data is None or _DAY.search(data) for data in files.values()):
                return ""
            for path, data in files.items():
                found.update(repr((number, path, sha256(data or b"").digest())).encode())
    except (OSError, ValueError, BenchsiteError):
        return ""
    return found.hexdigest()


def _is_plain(settings: Mapping[str, Any]) -> bool:
    """Whether mkdocs reads prose and theme with these settings, and nothing else."""
    extensions = settings.get("markdown_extensions") or []
    names = [next(iter(item), None) if isinstance(item, dict) else item for item in extensions]
    return settings.keys() <= _SETTINGS and _EXTENSIONS.issuperset(names)


def _umask() -> int:
    """The mode that new files are not given; asking changes it for a moment."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def stands(whole: Whole, site: Path, made_from: str) -> bool:
    """Whether a site that is made from this has been built, and has not changed since."""
    if not made_from or whole.sources != made_from:
        return False
    try:
        return _joined(_hashed(site, _pages(site))) == whole.site
    except (OSError, ValueError):
        return False


class Contents(NamedTuple):
    """How many bytes a site has, and its digest."""

    size: int
    digest: str


def contents(history: History, written: Mapping[str, Written], staging: Path) -> Contents:
    """What a new site holds before its swap; no digest where one of its receipts is to be looked at each time.

    What became of each receipt is known, so that of its files no size is asked for and none is read again.

    Args:
        history: its receipts.
        written: their pages.
        staging: the new site, but for pages and receipts that the swap moves into it.
    """
    known: dict[str, bytes] = {}
    size, others, is_sound = 0, [], True
    for header in history:
        page = written[header.receipt_id]
        size += page.size + header.size
        is_sound = is_sound and page.shown is not None and header.quotable
        known[f"{receipt_page_path(header.receipt_id)}index.html"] = page.shown.page if page.shown else b""
        known[badge_path(header.receipt_id)] = page.badge
        if header.blob_id:
            known[header.path] = bytes.fromhex(header.sha256)
    for path, entry in _entries(staging):
        if path not in known:
            others.append(path)
            size += entry.stat(follow_symlinks=False).st_size
    if not is_sound:
        return Contents(size, "")
    try:
        return Contents(size, _joined({**known, **_hashed(staging, others)}))
    except (OSError, ValueError):
        return Contents(size, "")


def _pages(site: Path) -> Iterator[str]:
    """Every file of a site but the marker, which says nothing."""
    return (path for path in _files(site) if path != output.MARKER)


def _files(folder: Path) -> Iterator[str]:
    """The path of every file below a folder; raises `ValueError` at anything that is neither file nor folder."""
    if folder.is_symlink():
        raise ValueError(folder)
    for path, entry in _entries(folder):
        if not entry.is_file(follow_symlinks=False):
            raise ValueError(entry.path)
        yield path


def _entries(folder: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Everything below a folder but folders, with its path."""
    top, left = f"{folder}/", [""]
    while left:
        below = left.pop()
        with os.scandir(top + below) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    left.append(f"{below}{entry.name}/")
                else:
                    yield f"{below}{entry.name}", entry


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
