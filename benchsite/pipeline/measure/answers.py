"""Where expected answers are on this machine, as far as benchsite put them there: hidden from measured programs.

Datasets and benchmarks, the evidence that repeats them, the scratch folder, and the git objects of all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from benchsite import resources
from benchsite.errors import PrerequisiteError
from benchsite.layout import EVIDENCE, FIXTURE_FILE, FIXTURES, SCRATCH
from benchsite.pipeline.workspace import Workspace

__all__ = ["answers"]


def answers(workspace: Workspace | None) -> tuple[str, ...]:
    """Return the files and folders with expected answers, of an instance and of the installed package."""
    found = list(_datasets(_packaged()))
    if workspace is not None:
        found += _datasets(workspace.root / FIXTURES)
        found += (workspace.root / SCRATCH, workspace.root / EVIDENCE)
        for folder in workspace.repository.git_folders():
            found += (folder, *_borrowed(folder / "objects", set()))
    return tuple(dict.fromkeys(map(str, found)))


def _packaged() -> Path:
    try:
        return resources.folder(FIXTURES)
    except PrerequisiteError:  # an incomplete installation has none to hide
        return Path(FIXTURES)


def _datasets(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*/{FIXTURE_FILE}"))


def _borrowed(objects: Path, seen: set[Path]) -> Iterator[Path]:
    """Yield the object folders of other repositories that this one reads from (`git clone --shared`)."""
    lines: list[str] = []
    with suppress(OSError):
        lines = (objects / "info/alternates").read_text("utf-8", "surrogateescape").splitlines()
    for line in lines:
        other = objects / line
        if line and not line.startswith("#") and other not in seen:
            seen.add(other)
            yield other
            yield from _borrowed(other, seen)
