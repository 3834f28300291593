"""build: git -> verify everything -> History -> pages -> site.

The record is read from the commit HEAD names. Two passes stream over the receipts: the first verifies them and
keeps headers, the second renders one page each into the frame that mkdocs made once. Other processes do both, while this
one imports and reads what makes pages, and then renders everything else. The site is assembled
beside its place and swapped in whole, so a failed build leaves the old one standing. What the last build of the same
site verified and rendered is taken over where nothing that it depends on has changed (`building.cache`): the site is the
same, byte for byte, as one that was built in full. Where nothing at all has changed, it is left as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from benchsite import environment, plugins
from benchsite.errors import InputError
from benchsite.history import Header, History, Verdict
from benchsite.layout import sort_of
from benchsite.log import Log
from benchsite.pipeline import browser
from benchsite.pipeline.building import cache, output, sources, unchanged
from benchsite.pipeline.building.headers import Headers
from benchsite.pipeline.building.output import MARKER
from benchsite.pipeline.building.shards import standing
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.instance.scratch import is_committed
from benchsite.pipeline.record import Record
from benchsite.pipeline.record.whole import Whole, listed_evidence, refusal
from benchsite.progress import Progress, silent
from benchsite.receipt import absent_track
from benchsite.words import amount

if TYPE_CHECKING:
    from benchsite.pipeline.building.assembly import Assembly, Made

__all__ = ["MARKER", "Built", "beside", "build"]


@dataclass(frozen=True, slots=True)
class Built:
    """A site; `broken` lists receipts that did not verify and whose pages say so.

    `engine` is the hash of its verify.html without trust data, one for each release with the tracks that came with it.
    `notes` say which tracks could not be shown, and what else of the record is not whole, which `damaged` counts.
    `was_current`: nothing had changed since the last build, nothing was written, and `history` is None.
    """

    site: Path
    pages: int
    receipts: int
    broken: tuple[Header, ...]
    engine: str
    notes: tuple[str, ...] = ()
    damaged: int = 0
    was_current: bool = False
    history: History | None = None


def build(instance: Instance, site: Path, *, full: bool = False, progress: Progress = silent) -> Built:
    """Verify the record at HEAD and write the site.

    Args:
        instance: what is published.
        site: the folder.
        full: take over nothing from the last build, as in CI.
        progress: called with (done, total, label).

    Raises:
        IntegrityError: the log does not verify, or a published methodology was edited.
        InputError: prose or configuration is malformed, the site is too large, a permanent URL vanished, or
            `site` is a folder that no build of ours made.
    """
    target = output.checked(instance, site)
    full = full or environment.in_ci()
    instance.reads_whole |= full
    record = Record.current(instance)
    notes: list[str] = [*browser.engine().notes]
    if record.log is not None:
        notes += _absent_tracks(instance, record.log)
        for finding in Whole(record, record.log).documents():
            raise refusal(finding)
    progress(0, 0, "verifying")
    release = cache.release_of(instance.tracks, plugins.failures())
    state = (
        cache.LogState(record.log.size, record.log.root().hex()) if record.log is not None else cache.EMPTY
    )
    engine = browser.verifier().engine_hash
    try:
        with output.staged(target) as staging, closing(_kept(instance, release, full=full)) as kept:
            progress(0, 0, "comparing")
            made_from = "" if notes else unchanged.sources(record, release, sources.folders(instance))
            if kept.whole is not None and unchanged.stands(kept.whole, target, made_from):
                return Built(target, kept.whole.pages, kept.whole.receipts, (), engine, was_current=True)
            sources.check(instance)
            keeping = cache.keeping(instance.root, release, state)
            with keeping as keeper, sources.joined(sources.prose(instance)) as prose:
                assembly = lru_cache(lambda: _ready(record))
                headers = Headers(record, kept, keeper, target, progress, meanwhile=assembly)
                history = _verified(record, headers, notes)
                pinned, damage = beside(record, history)
                notes += damage
                parts = sources.Site(staging, prose, headers, kept.pages, release, pinned)
                made = assembly().assemble(history, parts, progress, notes)
                digest = _swapped_in(instance, staging, target, history, made)
                for name, page in made.receipts.items():
                    if page.shown is not None:
                        keeper.page(name, page.shown)
                same = made_from and made_from == unchanged.sources(
                    record, release, sources.folders(instance)
                )
                if same and digest and not notes:
                    keeper.site(cache.Whole(made_from, digest, made.pages, len(history)))
    except OSError as error:
        raise InputError(
            f"cannot write {target}: {error.strerror}", hint="free disk space, or fix its permissions"
        ) from None
    broken = tuple(header for header in history if header.verdict is Verdict.INVALID)
    return Built(target, made.pages, len(history), broken, engine, tuple(notes), len(damage), history=history)


def _ready(record: Record) -> Assembly:
    """Import and read what makes pages."""
    from benchsite.pipeline.building.assembly import Assembly  # noqa: PLC0415 - while other processes verify

    return Assembly.ready(record.instance)


def _verified(record: Record, headers: Headers, notes: list[str]) -> History:
    """The record's history; adds a note for each reason why receipts of it could not be checked."""
    history = record.history(headers.spread)
    notes += [
        f"{amount(count, 'receipt')} of track {track!r}: {why}"
        for (track, why), count in history.unchecked(record.instance.tracks).items()
    ]
    return history


def _swapped_in(instance: Instance, staging: Path, target: Path, history: History, made: Made) -> str:
    """Put a new site into its place; its digest, empty where the next build is to look at each of its receipts."""
    folders = standing(history, made.receipts, target, staging)
    contents = unchanged.contents(history, made.receipts, staging)
    output.within_limit(instance, contents.size)
    for folder in sources.prose(instance):
        output.urls_stand(folder, staging, target, folders)
    output.swap(staging, target, folders)
    return contents.digest


def _kept(instance: Instance, release: str, *, full: bool) -> cache.BuildCache:
    """What the last build left; nothing where all is to be made, or the commit brings a cache, which is never authority."""
    if full or is_committed(instance.repository):
        return cache.BuildCache()
    return cache.load(instance.root, release)


def beside(record: Record, history: History) -> tuple[frozenset[str], list[str]]:
    """The evidence that receipts pin, and what else of the record is not whole."""
    if record.log is None:
        return frozenset(), []
    read = record.instance.repository.blob
    whole = Whole(record, record.log)
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


def _absent_tracks(instance: Instance, log: Log) -> Iterator[str]:
    """Tracks of receipts here that are not installed, or cannot be loaded: their receipts have pages without numbers."""
    tracks = {name for name, _ in log.methodologies} - set(instance.tracks)
    for name in sorted(tracks):
        why = plugins.failures().get(name)
        said = absent_track(name) if why is None else why
        yield f"{said.message}: its receipts are shown without scores, and it has no leaderboards"
