"""Pages and receipts of the last build that stand: moved into the new site by the folder, or linked one by one.

Receipts are in folders named by the first two digits of their ids, in `receipts/` and in `results/published/`. A folder
that holds exactly what the new site would is moved over at the swap, in two renames for any number of receipts.
"""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from benchsite.addresses import badge_path, receipt_page_path
from benchsite.history import Header, History
from benchsite.layout import receipt_path
from benchsite.pipeline.building import output
from benchsite.pipeline.building.cache import Written

__all__ = ["standing"]


def standing(history: History, written: Mapping[str, Written], site: Path, staging: Path) -> list[str]:
    """The folders of the last build that can be moved as they are; what stands elsewhere is linked.

    Args:
        history: the receipts of the new site.
        written: what became of each.
        site: the last build's.
        staging: the new one's.
    """
    shards: defaultdict[str, list[Header]] = defaultdict(list)
    for header in history:
        shards[header.receipt_id[:2]].append(header)
    found: list[str] = []
    for headers in shards.values():
        pages, files = _folders(headers[0])
        # Prose or a file of the same folder, if any, is there already.
        is_new = not (staging / pages).exists() and not (staging / files).exists()
        if (
            is_new
            and all(written[header.receipt_id].stands for header in headers)
            and _is_exact(site, headers)
        ):
            found += [pages, files]
            continue
        for header in headers:
            if written[header.receipt_id].stands:
                name = header.receipt_id
                for path in (f"{receipt_page_path(name)}index.html", badge_path(name), header.path):
                    output.take_over(site, staging, path)
    return found


def _folders(header: Header) -> tuple[str, str]:
    """The site folders of a receipt's page and of its bytes, each shared with others of the same first digits."""
    page = receipt_page_path(header.receipt_id).rstrip("/").rpartition("/")[0]
    return page, receipt_path(header.receipt_id).rpartition("/")[0]


def _is_exact(site: Path, headers: list[Header]) -> bool:
    """Whether the folders hold these receipts and nothing else; the files, and each page's own folder, have been read."""
    pages, files = (site / folder for folder in _folders(headers[0]))
    try:
        if not all(stat.S_ISDIR(os.lstat(folder).st_mode) for folder in (pages, files)):
            return False
        with os.scandir(pages) as entries:
            held = {item.name for item in entries if item.is_dir(follow_symlinks=False)}
        return (
            held == set(os.listdir(pages)) == {header.receipt_id for header in headers}  # noqa: PTH208 - names only
            and set(os.listdir(files)) == {f"{name}.json" for name in held}  # noqa: PTH208
        )
    except OSError:
        return False
