"""Receipt pages that a build takes over from the previous site: `.benchsite/pages.json`.

A receipt page depends on its receipt, its status record and place on its leaderboard, its documents and the shell, on nothing else
(specs/site.md, "Architecture"): `key` is the digest of all of them. The file notes, for each receipt, one digest of
key, page and badge. A build verifies every receipt, computes its key, and takes the page over if the bytes in the
previous site have the noted digest; nothing else that the file says is believed.

Refuses a file that a commit brings. A program of this user that writes both a page and its digest can change that page,
as it could in the built site; `--full` and CI take nothing over.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.metadata import distributions
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import benchsite
from benchsite.addresses import badge_path, receipt_page_path
from benchsite.errors import BenchsiteError
from benchsite.history import Header, Step
from benchsite.layout import FIXTURES, PAGE_DIGESTS
from benchsite.pipeline.building import links, output
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.pipeline.workspace.scratch import is_committed, require_folder
from benchsite.repo import write_atomically
from benchsite.track import Library

if TYPE_CHECKING:
    from benchsite.site.shell import Shell

__all__ = ["Place", "ReceiptFiles", "Takeover", "previous_digests", "write_digests"]

_LARGEST: Final = 64 * 1024 * 1024


def no_evidence(_sha256: str) -> bytes | None:
    """Return None: the site serves what the commit has."""
    return None


class Place(NamedTuple):
    """The folder of a new site, the previous site, and the digests that its build noted of receipt pages.

    `beside` finds evidence that the commit does not have and the site serves too.
    """

    staging: Path
    previous: Path
    digests: Mapping[str, str]
    beside: Callable[[str], bytes | None] = no_evidence


class ReceiptFiles(NamedTuple):
    """The page of a receipt and its badge."""

    page: bytes
    badge: bytes

    def digest(self, key: bytes) -> str:
        """Return the digest of key, page and badge."""
        parts = (key, sha256(self.page).digest(), sha256(self.badge).digest())
        return sha256(b"".join(parts)).hexdigest()


@dataclass(frozen=True)
class Takeover:
    """Receipt pages of the previous site; `shared` is the digest of everything that all of them have in common."""

    place: Place
    library: Library
    shared: bytes

    @classmethod
    def of(
        cls, workspace: Workspace, snapshot: Snapshot, place: Place, library: Library, shell: Shell
    ) -> Takeover:
        """Compute what all receipt pages of a build have in common."""
        settings = workspace.config
        parts = (
            _release(workspace),
            shell.parts,
            shell.holes,
            [methodology.reference for methodology in library.methodologies],
            sorted((place, str(named)) for place, named in library.pins.items()),
            [(item.path, item.blob_id, item.mode) for item in snapshot.tree(FIXTURES)],
            settings.site.site_url,
            links.repository(workspace),
            sorted(snapshot.config.benchsite.images.items()),
            settings.benchsite.banner,
        )
        return cls(place, library, sha256(repr(parts).encode()).digest())

    def key(self, header: Header) -> bytes:
        """Return the digest of all that a receipt page depends on.

        The size of the log is no part of it: a page names the index of its receipt alone.
        """
        status = replace(header, steps=tuple(map(_without_log_size, header.steps)))
        served = [name for name, _, _ in header.evidence if name in self.library.evidence]
        return sha256(self.shared + repr((status, served)).encode()).digest()

    def files(self, header: Header, key: bytes) -> ReceiptFiles | None:
        """Return page and badge from the previous site if they are those of this key."""
        noted = self.place.digests.get(header.receipt_id)
        if noted is None:
            return None
        page = output.content(self.place.previous / receipt_page_path(header.receipt_id) / "index.html")
        badge = output.content(self.place.previous / badge_path(header.receipt_id))
        if page is None or badge is None:
            return None
        found = ReceiptFiles(page, badge)
        return found if found.digest(key) == noted else None


def _without_log_size(step: Step) -> Step:
    return replace(step, detail="") if (step.name, step.state) == ("log", "pass") else step


def previous_digests(workspace: Workspace, snapshot: Snapshot) -> Mapping[str, str]:
    """Read the digests of the last build; none if the file is absent, damaged or brought by a commit."""
    with suppress(BenchsiteError, ValueError, RecursionError):
        if not is_committed(snapshot.top_names()):
            require_folder(workspace.root, make=False)
            found = json.loads(read_bounded(workspace.root / PAGE_DIGESTS, _LARGEST))
            return found if isinstance(found, dict) else {}
    return {}


def write_digests(workspace: Workspace, snapshot: Snapshot, digests: Mapping[str, str]) -> None:
    """Note the digests for the next build; if the file cannot be written, that build renders every page."""
    with suppress(BenchsiteError):
        if not is_committed(snapshot.top_names()):
            require_folder(workspace.root)
            write_atomically(workspace.root / PAGE_DIGESTS, json.dumps(digests).encode())


def _release(workspace: Workspace) -> str:
    """Return the digest of what makes pages: benchsite's files, Python, and every installed distribution."""
    package = Path(benchsite.__file__).parent
    names = [path for path in package.rglob("*") if path.is_file() and path.parent.name != "__pycache__"]
    contents = [(str(path), sha256(path.read_bytes()).hexdigest()) for path in sorted(names)]
    packages = sorted({f"{one.name} {one.version}" for one in distributions()})
    return sha256(repr((contents, packages, sys.version, sorted(workspace.tracks))).encode()).hexdigest()
