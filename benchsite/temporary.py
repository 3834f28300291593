"""Temporary folders that code we do not trust writes to, and their removal whatever was put there.

Owns removal of such a folder: folders nested beyond Python's recursion or open file limits, and folders without
permissions. Refuses to raise: what cannot be removed is left in the system's temporary folder.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["discard", "folder"]


@contextmanager
def folder(prefix: str) -> Iterator[Path]:
    """A new private folder, removed afterwards with everything in it."""
    made = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        yield made
    finally:
        discard(made)


def discard(path: Path) -> None:
    """Remove a folder and what is in it; links are removed, never followed.

    `shutil.rmtree` is recursive, so 3,000 nested folders end it with a RecursionError. `chmod` and `rm` walk without
    recursion and by descriptors, so neither depth nor the length of a path stops them.
    """
    for program, *options in (("rm", "-rf"), ("chmod", "-R", "u+rwx"), ("rm", "-rf")):
        found = shutil.which(program)
        if found is not None and path.exists():
            subprocess.run([found, *options, "--", str(path)], capture_output=True, check=False)
