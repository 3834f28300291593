"""The working tree of an instance, one git repository with its configuration, methodologies, fixtures and drafts.

What is measured is read from the working tree, here; what was published, from a commit (`benchsite.pipeline.record`).
Drafts and imported fixtures are in `.benchsite/`, which git ignores.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from benchsite import canonical, environment, plugins
from benchsite.errors import PrerequisiteError, UsageError
from benchsite.layout import DRAFTS, FIXTURES, IMPORTED, SCRATCH
from benchsite.pipeline.workspace.config import Config
from benchsite.pipeline.workspace.download_cache import DownloadCache
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.pipeline.workspace.methodology_store import MethodologyStore, WorkingTree
from benchsite.repo import GitError, Repository
from benchsite.track import Track

LARGEST_FIXTURE: Final = 512 * 1024 * 1024


class Workspace:
    """A repository prepared by `benchsite init`."""

    def __init__(self, root: Path) -> None:
        self.repository = Repository.open(root)
        self.root = self.repository.root
        self.config = Config.read(self.root)
        self.drafts = self.root / DRAFTS
        self.downloads = DownloadCache()
        """What mirrors served, by SHA-256: one fetch serves a whole command."""

    @cached_property
    def tracks(self) -> Mapping[str, Track]:
        """Track name to track, for verification."""
        return plugins.tracks()

    def refresh(self) -> None:
        """Read configuration and methodologies again, after the working tree moved to another commit."""
        self.config = Config.read(self.root)
        self.__dict__.pop("methodologies", None)

    def draft_paths(self) -> list[Path]:
        """Drafts waiting to be published, in name order."""
        return sorted(self.drafts.glob("*.json")) if self.drafts.is_dir() else []

    def fixture_path(self, fixture_id: str) -> Path:
        """Where a fixture's `fixture.json` lies: in the repository, else among the imported ones.

        Raises:
            UsageError: there is no such fixture.
        """
        for base in self._fixture_folders():
            path = base / fixture_id / "fixture.json"
            if os.path.isfile(path):  # noqa: PTH113 - a name too long is no path, and no error
                return path
        known = sorted(path.parent.name for path in self.fixture_paths())
        raise UsageError(
            f"no dataset named {fixture_id!r}",
            hint=f"available: {', '.join(known) or 'none'}; `benchsite fixture import` or `benchsite benchmark import` adds one",
        )

    def fixture_paths(self) -> Iterator[Path]:
        """Every fixture of the repository, then the imported ones, each group in name order."""
        for base in self._fixture_folders():
            yield from sorted(base.glob("*/fixture.json"))

    def imported(self, path: Path) -> bool:
        """Whether a fixture lies in `.benchsite/`, that is, was not cleared for redistribution."""
        return path.is_relative_to(self.root / SCRATCH)

    def _fixture_folders(self) -> tuple[Path, Path]:
        return self.root / FIXTURES, self.root / IMPORTED

    def fixture_bytes(self, fixture_id: str) -> bytes:
        """The bytes of a fixture; raises as `fixture_path`, or InputError where it cannot be read."""
        return read_bounded(self.fixture_path(fixture_id), LARGEST_FIXTURE)

    def fixture_digest(self, fixture_id: str) -> str:
        """The sha256 a receipt pins: of the canonical form of `fixture.json` as it is now."""
        return canonical.digest(canonical.loads(self.fixture_bytes(fixture_id), max_bytes=LARGEST_FIXTURE))

    @cached_property
    def methodologies(self) -> MethodologyStore:
        """The methodologies of the working tree."""
        return MethodologyStore(WorkingTree(self.root))

    def environment(self, commit: str | None) -> dict[str, Any]:
        """Return the `environment` member of a receipt composed now, from a working tree of a commit."""
        return environment.describe(self.repository.state(commit))


def optional_workspace(start: Path) -> Workspace | None:
    """The instance around a folder, None outside any: files can be verified without one."""
    try:
        return Workspace(start)
    except GitError:
        raise
    except PrerequisiteError:
        return None
