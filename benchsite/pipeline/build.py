"""build: git -> verify everything -> History -> pages -> site.

The record is read from the commit HEAD names. Two passes stream over the receipts: the first verifies them and
keeps headers, the second renders one page each into the shell that mkdocs made once. The site is assembled
beside its place and swapped in whole, so a failed build leaves the old one standing. What the last build of the same
site verified and rendered is taken over where nothing that it depends on has changed (`building.cache`): the site is the
same, byte for byte, as one that was built in full. Where nothing at all has changed, it is left as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchsite import plugins, resources, temporary
from benchsite.addresses import evidence_page_path, receipt_page_path
from benchsite.errors import InputError, ThemeError
from benchsite.history import Header, History, Verdict
from benchsite.layout import CONFIG, sort_of
from benchsite.log import Log
from benchsite.pipeline import browser
from benchsite.pipeline.building import cache, links, output, pages, unchanged
from benchsite.pipeline.building.headers import Headers
from benchsite.pipeline.building.many import Many, parents
from benchsite.pipeline.building.output import MARKER
from benchsite.pipeline.building.receipts import Receipts, Written, left_out, rendered
from benchsite.pipeline.building.shards import standing
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.instance.scratch import is_committed
from benchsite.pipeline.record import Record
from benchsite.pipeline.record.whole import Whole, listed_evidence, refusal
from benchsite.progress import Progress, silent
from benchsite.receipt import absent_track
from benchsite.site.feeds import sitemap
from benchsite.site.frame import RenderedPage, SiteConfig, nav_of
from benchsite.site.render import Renderer
from benchsite.site.shell import build_shell
from benchsite.words import amount

__all__ = ["MARKER", "Built", "Renderer", "beside", "build"]


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
        full: take over nothing from the last build.
        progress: called with (done, total, label).

    Raises:
        IntegrityError: the log does not verify, or a published methodology was edited.
        InputError: prose or configuration is malformed, the site is too large, a permanent URL vanished, or
            `site` is a folder that no build of ours made.
    """
    target = output.checked(instance, site)
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
            sources = "" if notes else unchanged.sources(record, release, _folders(instance))
            if kept.whole is not None and unchanged.stands(kept.whole, target, sources):
                return Built(target, kept.whole.pages, kept.whole.receipts, (), engine, was_current=True)
            with cache.keeping(instance.root, release, state) as keeping, _joined(_prose(instance)) as prose:
                headers = Headers(record, kept, keeping, target, progress)
                history = _verified(record, headers, notes)
                pinned, damage = beside(record, history)
                notes += damage
                parts = Site(staging, prose, headers, kept.pages, release, pinned)
                made = _assemble(instance, history, parts, progress, notes)
                digest = _swapped_in(instance, staging, target, history, made)
                for name, page in made.receipts.items():
                    if page.shown is not None:
                        keeping.page(name, page.shown)
                same = sources and sources == unchanged.sources(record, release, _folders(instance))
                if same and digest and not notes:
                    keeping.site(cache.Whole(sources, digest, made.pages, len(history)))
    except OSError as error:
        raise InputError(
            f"cannot write {target}: {error.strerror}", hint="free disk space, or fix its permissions"
        ) from None
    broken = tuple(header for header in history if header.verdict is Verdict.INVALID)
    return Built(target, made.pages, len(history), broken, engine, tuple(notes), len(damage), history=history)


def _verified(record: Record, headers: Headers, notes: list[str]) -> History:
    """The record's history; adds a note for each reason why receipts of it could not be checked."""
    history = record.history(headers.spread)
    notes += [
        f"{amount(count, 'receipt')} of track {track!r}: {why}"
        for (track, why), count in history.unchecked(record.instance.tracks).items()
    ]
    return history


def _swapped_in(instance: Instance, staging: Path, target: Path, history: History, made: _Made) -> str:
    """Put a new site into its place; its digest, empty where the next build is to look at each of its receipts."""
    folders = standing(history, made.receipts, target, staging)
    contents = unchanged.contents(history, made.receipts, staging)
    output.within_limit(instance, contents.size)
    for folder in _prose(instance):
        output.urls_stand(folder, staging, target, folders)
    output.swap(staging, target, folders)
    return contents.digest


def _kept(instance: Instance, release: str, *, full: bool) -> cache.BuildCache:
    """What the last build left; nothing where all is to be made, or the commit brings a cache, which is never authority."""
    if full or is_committed(instance.repository):
        return cache.BuildCache()
    return cache.load(instance.root, release)


class Site(NamedTuple):
    """What a site is made from besides the record: `pages` as the last build noted them, `pinned` what receipts name."""

    staging: Path
    prose: Path
    headers: Headers
    pages: Mapping[str, cache.Shown]
    release: str
    pinned: frozenset[str]


class _Made(NamedTuple):
    """How many pages the site has, and what became of each receipt's."""

    pages: int
    receipts: Mapping[str, Written]


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


def _assemble(
    instance: Instance, history: History, site: Site, progress: Progress, notes: list[str]
) -> _Made:
    """Every page and data file into the staging folder."""
    settings, staging = instance.config, site.staging
    renderer = Renderer(
        instance.tracks,
        site_url=settings.site.site_url,
        repository=links.repository(instance),
        images=settings.benchsite.images,
    )
    library, served = pages.library(instance, history, site.pinned)
    progress(0, 0, "composing leaderboards")
    ready, data, many = [], [], []
    for page in pages.generated(instance, history, library, notes):
        if page.data is not None:
            data.append((page.path, page.data))
        elif page.many:
            many.append(page)
        else:
            try:
                ready.append(rendered(renderer, page))
            except ThemeError as error:
                notes.append(left_out(instance, page, error))
    progress(0, 0, "rendering prose")
    shell = build_shell(_shell(instance, site, ready, parents(many), [path for path, _ in data]))
    for path, content in data:
        output.write(staging, path, content)
    for sha256 in served:
        output.write(staging, evidence_page_path(sha256), library.document(sha256) or b"")
    made = Receipts(
        instance=instance,
        history=history,
        renderer=renderer,
        shell=shell,
        library=library,
        staging=staging,
        headers=site.headers,
        kept=site.pages,
        release=site.release,
    ).write(progress)
    shared = Many(instance, renderer, shell, staging, many).write(notes)
    paths = [*shell.prose, *shared, *(receipt_page_path(header.receipt_id) for header in history)]
    for page in sitemap(settings.site.site_url, paths):
        output.write(staging, page.path, page.data or b"")
    return _Made(len(paths), made)


def _shell(
    instance: Instance, site: Site, pages: list[RenderedPage], folders: list[str], data: list[str]
) -> SiteConfig:
    """What the prose and the composed pages are built with; `data` are the paths of data files."""
    settings = instance.config
    return SiteConfig(
        docs_dir=site.prose,
        theme_dir=_themes(instance)[0],
        site_dir=site.staging,
        mkdocs_yml=instance.root / CONFIG,
        site_name=settings.site.site_name,
        site_url=settings.site.site_url,
        banner=settings.benchsite.banner,
        pages=pages,
        folders=folders,
        nav=nav_of(instance.tracks.values()),
        repository=links.repository(instance),
        license=links.license_path(instance),
        own=frozenset(item.path.removeprefix("content/") for item in instance.repository.tree("content")),
        feeds=[path for path in data if path.endswith("/feed.xml")],
    )


def _prose(instance: Instance) -> tuple[Path, ...]:
    """The folders of prose: what came with benchsite, then the instance's own, whose files are added or replace ours."""
    packaged, own = resources.folder("content"), instance.root / "content"
    return (packaged, own) if own.is_dir() and not own.samefile(packaged) else (packaged,)


def _themes(instance: Instance) -> tuple[Path, Path]:
    """The theme of the pages, the instance's own if there is one, and benchsite's, which verify.html always uses."""
    own, packaged = instance.root / "theme", resources.folder("theme")
    return own if own.is_dir() else packaged, packaged


def _folders(instance: Instance) -> tuple[Path, ...]:
    """Every folder that pages are made from besides the record."""
    return (*_prose(instance), *_themes(instance))


@contextmanager
def _joined(folders: Sequence[Path]) -> Iterator[Path]:
    """One folder with the files of all of them, a later folder's file in place of an earlier one's.

    Raises:
        InputError: a file cannot be read, or has the path of a folder of another.
    """
    if len(folders) == 1:
        yield folders[0]
        return
    with temporary.folder("benchsite-prose-") as made:
        joined = made / "content"
        for folder in folders:
            output.copied(folder, joined)
        yield joined
