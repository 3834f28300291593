"""Paths of a track's pages: what a file system and an address can both hold, each once."""

from __future__ import annotations

from typing import Final

from benchsite.unseen import escaped

__all__ = ["misplaced"]

LONGEST_NAME: Final = 200
"""Bytes of one part of a path; file systems allow 255."""
LONGEST: Final = 1_000


def misplaced(path: str, track: str, files: set[str], folders: set[str]) -> str:
    """Return why a page cannot be there, or nothing; the path is then added to `files` and its folders to `folders`.

    Args:
        path: of the page; one that ends in `/` is the folder's `index.html`.
        track: name of the track.
        files: paths of the pages before it.
        folders: the folders that they are in.
    """
    parts = f"{path}index.html".split("/") if path.endswith("/") else path.split("/")
    if not path.startswith((f"{track}/", f"api/v1/{track}/")) or ".." in parts:
        return f"is not below /{track}/"
    if any(part in ("", ".") or "\\" in part or escaped(part) != part for part in parts):
        return "is not a path"
    if len(path.encode("utf-8")) > LONGEST or any(len(part.encode("utf-8")) > LONGEST_NAME for part in parts):
        return "is too long for a path"
    file = "/".join(parts)
    above = {"/".join(parts[:end]) for end in range(1, len(parts))}
    if file in files or file in folders or above & files:
        return "is made twice" if file in files else "is a file and a folder"
    files.add(file)
    folders |= above
    return ""
