"""What a build composes before it renders: every page and data file but the receipts' own, and what they may quote."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from typing import Any

from benchsite import __version__, canonical
from benchsite.addresses import FEED_PATH, is_slug
from benchsite.board import Boards, Declared, Leaderboard, Past, subjects, track_pages
from benchsite.canonical import Json
from benchsite.errors import BenchsiteError, TrackError
from benchsite.history import History, Rescore, Verdict
from benchsite.layout import CHECKPOINT_PATH, FIXTURES, fixture_path
from benchsite.log import utc_text
from benchsite.methodology import Methodology
from benchsite.pipeline import browser
from benchsite.pipeline.building import links, output
from benchsite.pipeline.building.body import document
from benchsite.pipeline.building.takeover import no_evidence
from benchsite.pipeline.snapshot import Snapshot, sizes
from benchsite.pipeline.workspace import Workspace
from benchsite.receipt import Document
from benchsite.site import pages as site_pages
from benchsite.site.cards.pictures import pictures
from benchsite.site.feeds import Feeds
from benchsite.site.pages.home import Finding
from benchsite.site.pages.log import quotes, served_checkpoint
from benchsite.site.pages.receipts import Naming
from benchsite.site.render import site_root
from benchsite.site.trust import Shown, trust
from benchsite.track import FixtureFiles, Library, Page


def library(
    snapshot: Snapshot,
    history: History,
    methodologies: Sequence[Methodology],
    pinned: AbstractSet[str],
    beside: Callable[[str], bytes | None] = no_evidence,
) -> tuple[Library, frozenset[str]]:
    """What pages may quote, and the SHA-256 of each evidence file that is served.

    `beside` finds evidence that the commit does not have; the site serves it too.
    """
    log = history.log
    # What no receipt pins came by another way than publish, and is not served.
    wanted = pinned - (log.withdrawn.keys() if log is not None else set())
    documents = {key: blob for key, blob in snapshot.evidence.present().items() if key in wanted}
    more = frozenset(name for name in wanted - documents.keys() if beside(name) is not None)
    served = frozenset(documents) | more
    fixtures = _Fixtures(snapshot)
    committed = snapshot.evidence.documents(documents)
    found = Library(
        methodologies,
        fixtures.document,
        dict(log.methodologies) if log is not None else {},
        served,
        lambda name: beside(name) if name in more else committed(name),
        fixtures.listed,
    )
    return found, served


def generated(
    workspace: Workspace,
    snapshot: Snapshot,
    history: History,
    made_boards: Boards,
    library: Library,
    schemas: Mapping[str, Sequence[Page]],
    findings: Sequence[Finding],
    notes: list[str],
) -> Iterator[Page]:
    """Everything but the receipts' own pages; the front page last, because it quotes the boards.

    `schemas` holds the files that are made already, by track; `findings` are those that the home page may quote.
    """
    by_id = bodies(snapshot, history)
    found: list[Page] = []
    for name, of_track in made_boards.tracks.items():
        try:
            pages = [*track_pages(of_track, by_id, library)]
            found.extend([*pages, *(schemas.get(name) or of_schemas(workspace, of_track.about))])
        except TrackError as error:
            made_boards = made_boards.without(name, error)
    notes += [f"{error.message}: it has no leaderboards" for error in made_boards.failures.values()]
    made = {page.path for page in found}
    found.extend(site_pages.methodology(library, pages=made))
    declared = {key: Declared(**dict(one)) for key, one in workspace.config.benchsite.subjects.items()}
    named = subjects(made_boards, history, declared)
    notice = bool(workspace.config.benchsite.banner)
    found.extend(site_pages.subjects(named, Past(made_boards, history), notice=notice))
    site = workspace.config.site
    if site.site_url and not notice:  # a picture has no room for a notice
        found.extend(pictures(made_boards.current, named, site=site.site_name))
    found.extend(site_pages.receipts(history, snapshot.tracks, Naming.of(made_boards, named)))
    leaderboards = [of_track.about for of_track in made_boards.tracks.values()]
    root = site_root(site.site_url)
    found.extend(site_pages.shared_schemas(snapshot.tracks, leaderboards, root))
    if history.log is not None:
        checkpoint = snapshot.checkpoint
        quoted = quotes(history, snapshot.tracks)
        committed = utc_text(snapshot.committed_at(CHECKPOINT_PATH))
        feeds = Feeds(history, history.log, quoted, site.site_url, site.site_name, committed)
        found.extend(feeds.pages(named))
        engine = browser.verifier().engine_hash
        found.extend(
            site_pages.log(
                history.log,
                checkpoint,
                quoted=quoted,
                witnessing=history.witnessing,
                feed=feeds.log() if history.log.size else b"",
                engine=engine,
                sizes=sizes.served(snapshot),
            )
        )
    found.extend(_verification(workspace, snapshot, history))
    found.extend(site_pages.search(library, made))
    found.append(site_pages.home(history, made_boards, site_name=site.site_name, findings=findings))
    while found:  # each page can be forgotten once it is rendered
        yield found.pop(0)


def _verification(workspace: Workspace, snapshot: Snapshot, history: History) -> Iterator[Page]:
    """Everything that verification in a browser needs."""
    data = trust_data(workspace, snapshot, history)
    return site_pages.verify(
        browser.verifier(),
        browser.verify_files(),
        data,
        history.log,
        site_root(workspace.config.site.site_url),
    )


def trust_data(workspace: Workspace, snapshot: Snapshot, history: History) -> bytes:
    """Return the site's trust data."""
    log, witnessing = history.log, history.witnessing
    return trust(
        log,
        site=workspace.config.site.site_name,
        roots=snapshot.config.benchsite.root_keys,
        checkpoint=served_checkpoint(log, snapshot.checkpoint, witnessing) if log is not None else b"",
        witnesses=witnessing.witnesses if witnessing is not None else (),
        mirrors=snapshot.config.benchsite.mirrors,
        shown=Shown(
            banner=workspace.config.benchsite.banner,
            sample=_sample(history),
            nav=links.header(history, snapshot.tracks),
            links=links.footer(workspace, snapshot, FEED_PATH if log is not None and log.size else ""),
            version=__version__,
        ),
    )


def _sample(history: History) -> str:
    """The newest receipt that is logged and re-scored without a difference; empty without one."""
    logged = (Verdict.LOGGED, Verdict.WITNESSED)
    sound = (item for item in history if item.verdict in logged and item.rescore is Rescore.MATCHES)
    newest = max(sound, key=lambda header: header.index or 0, default=None)
    return newest.receipt_id if newest is not None else ""


def of_schemas(workspace: Workspace, about: Leaderboard) -> list[Page]:
    """The JSON Schemas of a track's files."""
    return list(site_pages.track_schemas(about, site_root(workspace.config.site.site_url)))


def bodies(snapshot: Snapshot, history: History) -> Callable[[str], Document]:
    """Return a function from a receipt's id to its body, which raises for receipts that can't be quoted."""

    def body(receipt_id: str) -> Document:
        header = history.get(receipt_id)
        if header is None or not header.quotable:
            raise BenchsiteError(
                f"receipt {receipt_id} failed verification: its scores are hidden", hint=output.REPORT
            )
        return document(header, snapshot.repository.blob(header.blob_id))

    return body


class _Fixtures:
    """Fixtures that the commit holds, that is, that may be shown; each is read once while few are asked for."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._read = lru_cache(maxsize=8)(self._uncached)

    def document(self, fixture_id: str, sha256: str) -> Mapping[str, Any] | None:
        """Return a fixture by id and content."""
        value, found = self._read(fixture_id)
        return value if isinstance(value, dict) and found == sha256 else None

    def listed(self) -> Sequence[FixtureFiles]:
        """Return every fixture in order of ids."""
        return self._listed

    @cached_property
    def _listed(self) -> Sequence[FixtureFiles]:
        folders: dict[str, list[str]] = {}
        for item in self._snapshot.tree(FIXTURES):
            folders.setdefault(item.path.split("/")[1], []).append(item.path)
        return [
            FixtureFiles(name, sha256, tuple(paths))
            for name, paths in sorted(folders.items())
            if is_slug(name) and fixture_path(name) in paths and (sha256 := self._read(name)[1])
        ]

    def _uncached(self, fixture_id: str) -> tuple[Json, str]:
        value = self._snapshot.fixture(fixture_id)
        return value, canonical.digest(value) if isinstance(value, dict) else ""
