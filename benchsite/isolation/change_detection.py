"""Detection of changes under watched paths while a measured program runs.

Used where the system does not permit to make them read-only (`sandbox.level`). Compares what a program without
privileges cannot set back: a file's change time besides its size and number. Refuses to follow links.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

__all__ = ["Seen", "differing", "look"]

Seen = dict[str, tuple[int, ...]]


def look(paths: Iterable[str]) -> Seen:
    """Every file and link at or under the paths; what cannot be looked at has no numbers."""
    found: Seen = {}
    waiting = list(paths)
    while waiting:
        path = waiting.pop()
        try:
            entry = os.lstat(path)
        except FileNotFoundError:
            continue
        except OSError:
            found[path] = ()
            continue
        if not stat.S_ISDIR(entry.st_mode):
            found[path] = (entry.st_mode, entry.st_ino, entry.st_size, entry.st_mtime_ns, entry.st_ctime_ns)
            continue
        try:
            with os.scandir(path) as inside:
                waiting += (one.path for one in inside)
        except OSError:
            found[path] = ()
    return found


def differing(before: Seen, after: Seen) -> list[str]:
    """The paths that were added, removed or changed, in order."""
    return sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
