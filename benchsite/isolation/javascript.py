"""Static search of the files that a Node.js program imports by a relative path; installed packages are pinned by version."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchsite.errors import InputError

__all__ = ["local_files"]

MAX_FILES: Final = 2_000
MAX_BYTES: Final = 64 * 2**20
_RELATIVE: Final = re.compile(
    rb"""(?:require\s*\(|import\s*\(|from|import)\s*(["'])(\.{1,2}/[^"'\n]{1,500})\1"""
)
_ENDINGS: Final = ("", ".js", ".mjs", ".cjs", ".json", ".node", "/index.js", "/index.mjs", "/index.cjs")


def local_files(script: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the path from the script's folder, and the bytes, of each file that a script imports, directly or not.

    Raises:
        InputError: there are more than 2,000 files or 64 MiB.
    """
    start = script.resolve()
    waiting, seen = [start], {start}
    size = 0
    while waiting:
        path = waiting.pop()
        try:
            data = path.read_bytes()
        except OSError:
            continue
        size += len(data)
        if len(seen) > MAX_FILES or size > MAX_BYTES:
            raise InputError(
                f"source of {script.name}: more than {MAX_FILES:,} local files or {MAX_BYTES // 2**20} MiB",
                hint="install what it imports as a package: its version is recorded instead of its files",
            )
        if path != start:
            yield Path(os.path.relpath(path, start.parent)).as_posix(), data
        for found in _imported(path, data):
            if found not in seen:
                seen.add(found)
                waiting.append(found)


def _imported(path: Path, data: bytes) -> Iterator[Path]:
    for _, name in _RELATIVE.findall(data):
        target = (path.parent / name.decode("utf-8", "replace")).as_posix()
        try:
            found = next((one for end in _ENDINGS if (one := Path(f"{target}{end}")).is_file()), None)
        except (OSError, ValueError):
            continue
        if found is not None:
            yield found.resolve()
