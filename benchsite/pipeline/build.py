"""build: one commit -> verify everything -> History -> pages -> site.

The record is a snapshot, which the caller opened. Two passes stream over the receipts: the first
verifies them and keeps headers, the second writes one page each into the frame that mkdocs made once. Other processes do
both, while this one imports what makes pages, and then renders everything else. The site is assembled beside its place
and swapped in whole, so a failed build leaves the old one standing. Every build verifies everything; a receipt page that
would be the same is taken over from the previous site (`building.takeover`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchsite import environment, executors, plugins
from benchsite.errors import InputError
from benchsite.history import Filed, Header, History, Verdict
from benchsite.layout import sort_of
from benchsite.pipeline import browser
from benchsite.pipeline.building import output, sources
from benchsite.pipeline.building.output import MARKER
from benchsite.pipeline.building.takeover import Place, no_evidence, previous_digests, write_digests
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.snapshot.integrity import Whole, listed_evidence, refusal
from benchsite.pipeline.workspace import Workspace
from benchsite.progress import Progress, silent
from benchsite.receipt import absent_track
from benchsite.words import amount

if TYPE_CHECKING:
    from benchsite.pipeline.building.assembly import Assembly

__all__ = ["MARKER", "Built", "build", "evidence_pins"]


@dataclass(frozen=True, slots=True)
class Built:
    """A site; `broken` lists receipts that did not verify and whose pages say so.

    `engine` is the hash of its verify.html without trust data, one for each release with the tracks that came with it.
    `notes` say which tracks could not be shown, and what else of the record is not whole, which `damaged` counts.
    """

    site: Path
    pages: int
    receipts: int
    broken: tuple[Header, ...]
    engine: str
    notes: tuple[str, ...] = ()
    damaged: int = 0


def build(
    workspace: Workspace,
    snapshot: Snapshot,
    site: Path,
    *,
    full: bool = False,
    beside: Callable[[str], bytes | None] = no_evidence,
    progress: Progress = silent,
) -> Built:
    """Verify the record and write the site.

    Args:
        workspace: the working tree with prose, theme and mkdocs.yml.
        snapshot: the record that is published.
        site: the folder.
        full: take over nothing from the previous site, as in CI.
        beside: evidence by SHA-256 that the commit does not have and the site serves too: a preview's transcripts.
        progress: called with (done, total, label).

    Raises:
        IntegrityError: the log does not verify, or a published methodology was edited.
        InputError: prose or configuration is malformed, the site is too large, a permanent URL vanished, or
            `site` is a folder that no build of ours made.
    """
    target = output.checked(workspace, site)
    notes = [*browser.engine().notes, *_absent_tracks(snapshot)]
    _require_documents(snapshot)
    own = sources.check(workspace, snapshot)
    notes += own.notes(workspace.root)
    digests = {} if full or environment.in_ci() else previous_digests(workspace, snapshot)
    try:
        with output.staged(target) as staging, sources.gathered(workspace, own) as files:
            assembly = lru_cache(lambda: _ready(workspace, snapshot))
            history = _verified(snapshot, progress, meanwhile=assembly)
            notes += _unchecked(snapshot, history)
            pinned, damage = evidence_pins(snapshot, history)
            notes += damage
            place = Place(staging, target, digests, beside)
            made = assembly().assemble(history, files, pinned, place, notes, progress)
            output.within_limit(workspace, staging)
            for folder, others in sources.promised(workspace):
                output.require_urls(folder, staging, but=others)
            output.swap(staging, target)
    except OSError as error:
        raise InputError(
            f"cannot write {target}: {error.strerror}", hint="free disk space, or fix its permissions"
        ) from None
    write_digests(workspace, snapshot, made.digests)
    broken = tuple(header for header in history if header.verdict is Verdict.INVALID)
    engine = browser.verifier().engine_hash
    return Built(target, made.pages, len(history), broken, engine, tuple(notes), len(damage))


def _require_documents(snapshot: Snapshot) -> None:
    """Raise IntegrityError if a methodology or fixture is not as the log pins it."""
    if snapshot.log is not None:
        for finding in Whole(snapshot, snapshot.log).documents():
            raise refusal(finding)


def _ready(workspace: Workspace, snapshot: Snapshot) -> Assembly:
    """Import and read what makes pages."""
    from benchsite.pipeline.building.assembly import Assembly  # noqa: PLC0415 - while other processes verify

    return Assembly.ready(workspace, snapshot)


def _verified(snapshot: Snapshot, progress: Progress, *, meanwhile: Callable[[], object]) -> History:
    """Verify every receipt in other processes, and call `meanwhile` in this one."""

    def spread(work: Any, shared: Any, files: Sequence[Filed]) -> Iterator[Header]:
        with executors.ahead(work, shared, files) as headers:
            meanwhile()
            for done, header in enumerate(headers, start=1):
                if done % executors.CHUNK == 0 or done == len(files):
                    progress(done, len(files), "verifying receipts")
                yield header

    progress(0, 0, "verifying")
    return snapshot.history(spread)


def _unchecked(snapshot: Snapshot, history: History) -> Iterator[str]:
    """Say why receipts of installed tracks could not be checked."""
    for (track, why), count in history.unchecked(snapshot.tracks).items():
        yield f"{amount(count, 'receipt')} of track {track!r}: {why}"


def evidence_pins(snapshot: Snapshot, history: History) -> tuple[frozenset[str], list[str]]:
    """The evidence that receipts pin, and what else of the record is not whole."""
    if snapshot.log is None:
        return frozenset(), []
    read = snapshot.repository.blob
    whole = Whole(snapshot, snapshot.log)
    pins = [
        (
            header.path,
            [{"sha256": name, "size": size, "mirrored": mirrored} for name, size, mirrored in header.evidence]
            if header.quotable
            else listed_evidence(read(header.blob_id)),
        )
        for header in history
        if header.blob_id and (header.evidence or not header.quotable)
    ]
    found = [item for item in whole.beside(pins) if sort_of(item.path) not in ("receipt", "free")]
    return frozenset(whole.pins), [refusal(item).message for item in found]


def _absent_tracks(snapshot: Snapshot) -> Iterator[str]:
    """Tracks of receipts here that are not installed, or cannot be loaded: their receipts have pages without numbers."""
    logged = snapshot.log.methodologies if snapshot.log is not None else ()
    for name in sorted({track for track, _ in logged} - set(snapshot.tracks)):
        why = plugins.failures().get(name)
        said = absent_track(name) if why is None else why
        yield f"{said.message}: its receipts are shown without scores, and it has no leaderboards"
