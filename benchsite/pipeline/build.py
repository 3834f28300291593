"""build: git -> verify everything -> History -> pages -> site.

The record is read from the commit HEAD names. Two passes stream over the receipts: the first verifies them and
keeps headers, the second renders one page each into the shell that mkdocs made once. The site is assembled
beside its place and swapped in whole, so a failed build leaves the old one standing.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from benchsite import canonical, executors, plugins, resources
from benchsite.addresses import evidence_page_path
from benchsite.errors import (
    BenchsiteError,
    InputError,
    IntegrityError,
    PrerequisiteError,
    ThemeError,
    TrackError,
)
from benchsite.history import Header, History, Step, Verdict
from benchsite.layout import CHECKPOINT_PATH, CONFIG, sort_of
from benchsite.log import Log
from benchsite.pipeline import browser
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.instance.methodology_store import Committed, MethodologyStore
from benchsite.pipeline.record import Record, evidence, sizes
from benchsite.pipeline.record.materials import uncompressed
from benchsite.pipeline.record.whole import DOCUMENTS, faults, pinned, refusal, require_whole
from benchsite.progress import Progress, silent
from benchsite.receipt import Document, envelope_schema
from benchsite.site import pages as site_pages
from benchsite.site.feeds import log_feed, sitemap
from benchsite.site.pages.log import served_checkpoint
from benchsite.site.render import Renderer
from benchsite.site.shell import RenderedPage, Shell, SiteConfig, build_shell, nav_of
from benchsite.site.trust import trust
from benchsite.track import Library, Page, Track
from benchsite.words import amount

_OURS: Final = frozenset(
    {"results", "keys", "methodology", "fixtures", "content", "theme", ".git", ".benchsite"}
)
MARKER: Final = ".benchsite-site"
_REPORT: Final = "report it to the maintainers of the track that made the page"


@dataclass(frozen=True, slots=True)
class Built:
    """A written site; `broken` lists receipts that did not verify and whose pages say so.

    `engine` is the hash of its verify.html without trust data, one for each release with the tracks that came with
    it. `notes` say which tracks could not be shown, and what else of the record is not whole.
    """

    site: Path
    history: History
    pages: int
    receipts: int
    broken: tuple[Header, ...]
    engine: str
    notes: tuple[str, ...] = ()


def build(instance: Instance, output: Path, *, progress: Progress = silent) -> Built:
    """Verify the record at HEAD and write the site.

    Raises:
        IntegrityError: the log does not verify, or a published methodology was edited.
        InputError: prose or configuration is malformed, the site is too large, a permanent URL vanished, or
            `output` is a folder that no build of ours made.
    """
    target = _checked_output(instance, output)
    log = Record.current(instance).log
    notes: list[str] = [*browser.engine().notes]
    if log is not None:
        notes += _absent_tracks(instance, log)
        require_whole(Record.at(instance), kinds=DOCUMENTS)
        found = (item for item in faults(Record.at(instance)) if sort_of(item.path) != "receipt")
        notes += [refusal(item).message for item in found]
    progress(0, 0, "verifying")
    history = Record.at(instance).history()
    notes += [
        f"{amount(count, 'receipt')} of track {track!r}: {why}"
        for (track, why), count in history.unchecked(instance.judges).items()
    ]
    staging = target.with_name(f".{target.name}.staging")
    shutil.rmtree(staging, ignore_errors=True)
    try:
        count = _assemble(instance, history, staging, progress, notes)
        _within_limit(instance, staging)
        _urls_stand(instance, staging)
        (staging / MARKER).write_text("made by benchsite build; the next build replaces this folder\n")
        _swap(staging, target)
    except OSError as error:
        raise InputError(
            f"cannot write {target}: {error.strerror}", hint="free some space or fix its mode"
        ) from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    broken = tuple(header for header in history if header.verdict is Verdict.INVALID)
    return Built(target, history, count, len(history), broken, browser.verifier().engine_hash, tuple(notes))


def _absent_tracks(instance: Instance, log: Log) -> Iterator[str]:
    """Tracks of receipts here that are not installed, or cannot be loaded: their receipts have pages without numbers."""
    tracks = {name for name, _ in log.methodologies} - set(instance.judges)
    for name in sorted(tracks):
        why = plugins.failures().get(name)
        said = why.message if why is not None else f"no track {name!r} is installed here"
        yield f"{said}: its receipts are shown without their numbers, and it has no leaderboards"


def _assemble(
    instance: Instance, history: History, staging: Path, progress: Progress, notes: list[str]
) -> int:
    """Every page and data file into the staging folder; the number of pages."""
    settings = instance.config
    renderer = Renderer(instance.judges, site_url=settings.site.site_url, images=settings.benchsite.images)
    pins = dict(history.log.methodologies) if history.log is not None else {}
    withdrawn = history.log.withdrawn if history.log is not None else {}
    documents = evidence.present(instance)
    # What no receipt pins came by another way than publish, and is not served.
    wanted = pinned(Record.at(instance)) - withdrawn.keys() if documents else frozenset()
    documents = {key: blob for key, blob in documents.items() if key in wanted}
    versions = MethodologyStore(Committed(instance.repository)).every()
    library = Library(versions, _fixtures(instance), pins, frozenset(documents))
    generated = list(_generated(instance, history, library, notes))
    rendered = []
    for page in (page for page in generated if page.data is None):
        try:
            rendered.append(_rendered(renderer, page))
        except ThemeError as error:
            notes.append(_left_out(instance, page, error))
    shell = build_shell(
        SiteConfig(
            docs_dir=_own_or_packaged(instance, "content"),
            theme_dir=_own_or_packaged(instance, "theme"),
            site_dir=staging,
            mkdocs_yml=instance.root / CONFIG,
            site_name=settings.site.site_name,
            site_url=settings.site.site_url,
            banner=settings.benchsite.banner,
            pages=rendered,
            nav=nav_of(instance.judges.values()),
        )
    )
    for page in generated:
        if page.data is not None:
            _write(staging, page.path, page.data)
    for sha256, blob_id in documents.items():
        held = uncompressed(instance.repository.blob(blob_id), sha256)
        _write(staging, evidence_page_path(sha256), held or b"")
    shared = (instance, renderer, shell, library, staging)
    paths = list(shell.prose)
    for done, path in enumerate(executors.run(_write_receipts, shared, history.headers), start=1):
        paths.append(path)
        if done % executors.CHUNK == 0 or done == len(history):
            progress(done, len(history), "rendering receipts")
    for page in sitemap(settings.site.site_url, paths):
        _write(staging, page.path, page.data or b"")
    return len(paths)


def _generated(instance: Instance, history: History, library: Library, notes: list[str]) -> Iterator[Page]:
    """Everything but the receipts' own pages; the front page last, because it quotes the boards."""
    found: list[Page] = []
    for track in instance.judges.values():
        try:
            found.extend([*track.pages(history, _bodies(instance, history), library), _schema(track)])
        except TrackError as error:
            notes.append(f"{error.message}: it has no leaderboards")
    made = {page.path for page in found}
    found.extend(site_pages.methodology(library, pages=made))
    found.extend(site_pages.receipts(history, instance.judges))
    if history.log is not None:
        checkpoint = instance.repository.read(CHECKPOINT_PATH) or b""
        site = instance.config.site
        feed = log_feed(
            history, history.log, tracks=instance.judges, site_url=site.site_url, site_name=site.site_name
        )
        engine = browser.verifier().engine_hash
        found.extend(
            site_pages.log(
                history.log,
                checkpoint,
                witnessing=history.witnessing,
                feed=feed,
                engine=engine,
                sizes=sizes.served(Record.at(instance)),
            )
        )
    found.extend(_verification(instance, history))
    yield from found
    yield site_pages.home(history, found, site_name=instance.config.site.site_name)


def _verification(instance: Instance, history: History) -> Iterator[Page]:
    """Everything that verification in a browser needs."""
    log, witnessing = history.log, history.witnessing
    checkpoint = instance.repository.read(CHECKPOINT_PATH) or b""
    data = trust(
        log,
        site=instance.config.site.site_name,
        roots=instance.config.benchsite.root_keys,
        checkpoint=served_checkpoint(log, checkpoint, witnessing) if log is not None else b"",
        witnesses=witnessing.witnesses if witnessing is not None else (),
        mirrors=instance.config.benchsite.mirrors,
    )
    return site_pages.verify(browser.verifier(), browser.verify_files(), data, log)


def _schema(track: Track) -> Page:
    """JSON Schema of a track's receipts: the shared envelope and the track's own keys in one object."""
    shared, own = envelope_schema(), track.schema()
    joined = {
        **shared,
        "$defs": {**shared.get("$defs", {}), **own.get("$defs", {})},
        "properties": {**shared["properties"], **own["properties"]},
        "required": sorted({*shared["required"], *own["required"]}),
    }
    data = json.dumps(joined, indent=1, sort_keys=True).encode() + b"\n"
    return Page(path=f"api/v1/schema/{track.name}.json", data=data)


def _left_out(instance: Instance, page: Page, error: ThemeError) -> str:
    """The note for a page whose template fails; raises the error where the template is none of another package."""
    track = instance.judges.get(page.template.partition("/")[0])
    if track is None or track.is_own:
        raise error
    return f"track {track.name!r} failed: {error.message}: the page is left out"


def _rendered(renderer: Renderer, page: Page) -> RenderedPage:
    return RenderedPage(page.path, page.title, page.description, renderer.body(page))


def _write_receipts(shared: Any, headers: Sequence[Header]) -> list[str]:
    """A chunk of receipts; the site paths of their pages."""
    instance, renderer, shell, library, staging = shared
    return [_write_receipt(instance, header, renderer, shell, library, staging) for header in headers]


def _write_receipt(
    instance: Instance, header: Header, renderer: Renderer, shell: Shell, library: Library, staging: Path
) -> str:
    """A receipt's page and its exact bytes; a file that cannot be trusted gets a page that says so."""
    data = instance.repository.blob(header.blob_id) if header.blob_id else None
    page = _receipt_page(instance, header, data, library)
    try:
        made = _rendered(renderer, page)
    except ThemeError as error:
        said = TrackError(_left_out(instance, page, error))
        made = _rendered(renderer, _without_numbers(header, said))
    _write(staging, f"{page.path}index.html", shell.wrap(made).encode())
    if data is not None:
        _write(staging, header.path, data)
    return str(page.path)


def _receipt_page(instance: Instance, header: Header, data: bytes | None, library: Library) -> Page:
    """The track's page of a receipt; the plain one where nothing may be quoted, or the track fails."""
    if not header.quotable or data is None:
        return site_pages.untrusted(header)
    try:
        page: Page = instance.judges[header.track].receipt_page(header, _document(data), library)
    except TrackError as error:
        return _without_numbers(header, error)
    return page


def _without_numbers(header: Header, error: TrackError) -> Page:
    """The plain page of a receipt whose track fails to show it."""
    step = Step("page", "skip", error.message, "track", error.hint)
    return site_pages.untrusted(replace(header, verdict=Verdict.UNSUPPORTED, steps=(*header.steps, step)))


def _document(data: bytes) -> Document:
    value = canonical.loads(data)
    if not isinstance(value, dict):
        raise IntegrityError(
            "a verified receipt changed while the site was being built",
            hint="run `benchsite build` once more",
        )
    return value


def _bodies(instance: Instance, history: History) -> Callable[[str], Document]:
    def body(receipt_id: str) -> Document:
        header = history.get(receipt_id)
        if header is None or not header.quotable:
            raise BenchsiteError(f"no page may quote receipt {receipt_id}", hint=_REPORT)
        return _document(instance.repository.blob(header.blob_id))

    return body


def _fixtures(instance: Instance) -> Callable[[str, str], Mapping[str, Any] | None]:
    """Fixtures that the commit holds, that is, that may be shown, by id and content."""

    @lru_cache(maxsize=8)
    def fixture(fixture_id: str, sha256: str) -> Mapping[str, Any] | None:
        value = instance.committed_fixture_value(fixture_id)
        return value if isinstance(value, dict) and canonical.digest(value) == sha256 else None

    return fixture


def _own_or_packaged(instance: Instance, name: str) -> Path:
    """The instance's own folder of prose or theme, else the one that came with benchsite."""
    own = instance.root / name
    return own if own.is_dir() else resources.folder(name)


def _checked_output(instance: Instance, output: Path) -> Path:
    target = output.resolve()
    if target == instance.root or instance.root.is_relative_to(target):
        raise InputError(
            f"{output} holds the repository itself", hint="name a folder of its own with --output"
        )
    inside = target.relative_to(instance.root).parts[0] if target.is_relative_to(instance.root) else ""
    if inside in _OURS:
        raise InputError(
            f"{output} lies in {inside}/, which holds sources", hint="name a folder of its own with --output"
        )
    if target.exists() and not target.is_dir():
        raise InputError(f"{output} is not a folder", hint="name a folder of its own with --output")
    if target.is_dir() and any(target.iterdir()) and not (target / MARKER).is_file():
        raise InputError(
            f"{output} holds files that no build of ours made", hint="name an empty folder with --output"
        )
    if not target.parent.is_dir():
        raise PrerequisiteError(f"{target.parent} does not exist", hint="make it first")
    return target


def _within_limit(instance: Instance, staging: Path) -> None:
    limit = instance.config.benchsite.site_size_limit_mb * 1_000_000
    size = sum(path.stat().st_size for path in staging.rglob("*") if path.is_file())
    if size > limit:
        raise InputError(
            f"the site has {size / 1e6:,.0f} MB, above site_size_limit_mb ({limit / 1e6:,.0f})",
            hint="raise extra.benchsite.site_size_limit_mb if your host allows it",
        )


def _urls_stand(instance: Instance, staging: Path) -> None:
    """Every URL that was ever promised in `content/urls.txt` still answers."""
    promised = _own_or_packaged(instance, "content") / "urls.txt"
    if not promised.is_file():
        return
    for number, line in enumerate(promised.read_text(encoding="utf-8").splitlines(), start=1):
        path = line.strip()
        if path and not path.startswith("#") and not _answers(staging, path):
            raise InputError(
                f"content/urls.txt, line {number}: /{path} was promised and is not built",
                hint="bring the page back, or leave a page there that points to the new place",
            )


def _answers(staging: Path, path: str) -> bool:
    return (staging / path / "index.html" if path.endswith("/") else staging / path).is_file()


def _write(staging: Path, path: str, data: bytes) -> None:
    target = staging / path
    if ".." in target.parts or target.is_absolute() is not staging.is_absolute():
        raise IntegrityError(f"a page would be written outside the site: {path!r}", hint=_REPORT)
    try:
        target.write_bytes(data)
    except FileNotFoundError:  # the first file in its folder
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def _swap(staging: Path, target: Path) -> None:
    """Put the new site in place of the old one."""
    old = target.with_name(f".{target.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    staging.rename(target)
    shutil.rmtree(old, ignore_errors=True)
