"""The methodologies and the benchmark data that re-scoring is given, each by the SHA-256 that a receipt names.

A version is looked for in folders of the caller, in the commit, in the working tree and among the installed ones. Bytes
count only under their own digest, so that no place has to be trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from benchsite import canonical, resources
from benchsite.errors import BenchsiteError, InputError
from benchsite.layout import FIXTURES, IMPORTED, METHODOLOGY
from benchsite.methodology import Methodology
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.pipeline.workspace.methodology_store import Folder, MethodologyStore, WorkingTree

__all__ = ["LARGEST_FIXTURE", "fixture_data", "is_installed", "methodology_lookup"]

LARGEST_FIXTURE: Final = 512 * 1024 * 1024


def methodology_lookup(
    folders: Sequence[Path], committed: MethodologyStore | None = None, root: Path | None = None
) -> Callable[[str], Methodology | None]:
    """Return the function that finds a methodology by its digest.

    Args:
        folders: each has the files of one version.
        committed: the versions of a commit.
        root: a working tree, whose versions may not be committed yet.
    """
    stores = [MethodologyStore(Folder(path)) for path in folders]
    stores += [committed] if committed is not None else []
    stores += [MethodologyStore(WorkingTree(root))] if root is not None else []
    stores.append(_installed())

    @cache
    def lookup(sha256: str) -> Methodology | None:
        found = (store.of_digest(sha256) for store in stores)
        return next((document for document in found if document is not None), None)

    return lookup


@cache
def _installed() -> MethodologyStore:
    return MethodologyStore(WorkingTree(resources.folder(METHODOLOGY).parent))


def is_installed(sha256: str) -> bool:
    """Whether a methodology of this digest came with the installation."""
    return _installed().of_digest(sha256) is not None


def fixture_data(root: Path, name: str, sha256: str) -> bytes | None:
    """Return the data of a fixture or benchmark of this digest; None if it is absent.

    Raises:
        InputError: the data under this name has another digest.
    """
    others = []
    for base in (root / FIXTURES, root / IMPORTED):
        with suppress(BenchsiteError):
            path = base / name / "fixture.json"
            if not path.is_file():
                continue
            data = read_bounded(path, LARGEST_FIXTURE)
            found = canonical.digest(canonical.loads(data, max_bytes=LARGEST_FIXTURE))
            if found == sha256:
                return data
            others.append(found)
    if others:
        raise InputError(
            f"benchmark {name} at hand is other data (SHA-256 {others[0][:12]}…) than the receipt names ({sha256[:12]}…)",
            hint="import the data that the receipt names in another clone",
        )
    return None
