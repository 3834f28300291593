"""The receipt pages, badges and exact bytes of receipts: taken over from the previous site, or rendered into the shell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from benchsite import executors
from benchsite.addresses import badge_path, board_path, receipt_page_path
from benchsite.board import Board, Standing
from benchsite.errors import ThemeError, TrackError
from benchsite.history import Header, History, Step, Verdict
from benchsite.pipeline.building import output
from benchsite.pipeline.building.body import document
from benchsite.pipeline.building.takeover import ReceiptFiles, Takeover
from benchsite.pipeline.snapshot import Snapshot
from benchsite.progress import Progress
from benchsite.site import pages as site_pages
from benchsite.site.badge import badge
from benchsite.site.complaints import refuse_taken
from benchsite.site.render import Renderer
from benchsite.site.shell import RenderedPage, Shell
from benchsite.track import Library, Page

__all__ = ["Receipts", "Rendering", "left_out", "rendered"]


@dataclass(frozen=True)
class Receipts:
    """What receipt pages are made from, and `staging`, the folder that they are written to.

    `standings` has a receipt's place on its leaderboard, by its id.
    """

    snapshot: Snapshot
    history: History
    renderer: Renderer
    shell: Shell
    library: Library
    staging: Path
    takeover: Takeover
    has_notice: bool
    standings: Mapping[str, Standing]


class Rendering:
    """Receipt pages that other processes write while mkdocs builds the prose; a context that ends the processes."""

    def __init__(self, receipts: Callable[[Shell], Receipts]) -> None:
        self._receipts = receipts
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def start(self, shell: Shell) -> None:
        """Start to write every page into the shell.

        Raises:
            InputError: prose has the path of one of them, and mkdocs would write it too.
        """
        receipts = self._receipts(shell)
        self._history = receipts.history
        refuse_taken(shell.prose, (receipt_page_path(header.receipt_id) for header in self._history))
        places = range(len(self._history))
        self._made = self._stack.enter_context(executors.ahead(_written, receipts, places))

    def finish(self, progress: Progress) -> Mapping[str, str]:
        """Wait for all pages; return what the next build may take over, receipt id to digest."""
        digests = {}
        for done, (header, digest) in enumerate(zip(self._history, self._made, strict=True), start=1):
            if digest:
                digests[header.receipt_id] = digest
            if done % executors.CHUNK == 0 or done == len(self._history):
                progress(done, len(self._history), "rendering receipts")
        return digests


def _written(receipts: Receipts, places: Sequence[int]) -> list[str]:
    """Write the files of some receipts; return the digest of each that may be taken over, else empty."""
    headers = [receipts.history.headers[at] for at in places]
    contents = receipts.snapshot.repository.blobs([header.blob_id for header in headers if header.blob_id])
    return [_one(receipts, header, next(contents) if header.blob_id else None) for header in headers]


def _one(receipts: Receipts, header: Header, data: bytes | None) -> str:
    """A receipt's page, its badge and its exact bytes; a file that cannot be trusted gets a page that says so."""
    track = receipts.snapshot.tracks.get(header.track)
    if found := receipts.standings.get(header.receipt_id):
        header = replace(header, standing=found.words, worth=found.short)
    # What the pages of another package's track depend on is not known.
    key = receipts.takeover.key(header) if header.quotable and track is not None and track.is_own else b""
    taken = receipts.takeover.files(header, key) if key else None
    made, is_sound = (taken, True) if taken is not None else _made(receipts, header, data)
    output.write(receipts.staging, f"{receipt_page_path(header.receipt_id)}index.html", made.page)
    output.write(receipts.staging, badge_path(header.receipt_id), made.badge)
    if data is not None:
        output.write(receipts.staging, header.path, data)
    return made.digest(key) if key and is_sound else ""


def _made(receipts: Receipts, header: Header, data: bytes | None) -> tuple[ReceiptFiles, bool]:
    """Render page and badge; also return whether the page is the one that its track meant."""
    page, is_sound = _page(receipts, header, data)
    if header.standing and header.summary is not None:
        page = replace(page, picture=board_path(header.track, header.summary.target))
    html = receipts.shell.wrap(page).encode()
    return ReceiptFiles(html, _badge(receipts, header, sound=is_sound)), is_sound


def _badge(receipts: Receipts, header: Header, *, sound: bool) -> bytes:
    """The badge of a receipt; without numbers where its page has none, because the file or its track failed."""
    notice = receipts.has_notice
    if not sound or header.summary is None:
        return badge(header, None, notice=notice)
    metric = receipts.snapshot.tracks[header.track].metric(header.summary.headline.metric)
    return badge(header, metric, notice=notice)


def _page(receipts: Receipts, header: Header, data: bytes | None) -> tuple[RenderedPage, bool]:
    """The page of a receipt, and whether it is the one that its track meant."""
    snapshot, renderer = receipts.snapshot, receipts.renderer
    if not header.quotable or data is None:
        return rendered(renderer, site_pages.untrusted(header)), False
    try:
        page: Page = snapshot.tracks[header.track].receipt_page(
            header, document(header, data), receipts.library
        )
    except TrackError as error:
        return rendered(renderer, _without_numbers(header, error)), False
    try:
        return rendered(renderer, page), True
    except ThemeError as error:
        said = TrackError(left_out(snapshot, page, error, header.track))
        return rendered(renderer, _without_numbers(header, said)), False


def _without_numbers(header: Header, error: TrackError) -> Page:
    """The plain page of a receipt whose track fails to show it."""
    step = Step("page", "not checked", error.message, "track", error.hint)
    return site_pages.untrusted(replace(header, verdict=Verdict.UNSUPPORTED, steps=(*header.steps, step)))


def left_out(snapshot: Snapshot, page: Page, error: ThemeError, made_by: str = "") -> str:
    """Return the note for a page of another package's track whose template fails.

    Args:
        made_by: name of the track that made it; otherwise the folder of its template or of the page is that.

    Raises:
        ThemeError: no track of another package made it.
    """
    names = (made_by,) if made_by else (page.template.partition("/")[0], page.path.partition("/")[0])
    track = next((track for name in names if (track := snapshot.tracks.get(name)) and not track.is_own), None)
    if track is None:
        raise error
    return f"track {track.name!r} failed: {error.message}: the page is excluded"


def rendered(renderer: Renderer, page: Page) -> RenderedPage:
    """A page with its body; the permalink of the current methodology version names the leaderboard as canonical."""
    board: Board | None = page.context.get("board") if page.context.get("frozen") else None
    canonical = board.path if board is not None and not board.newer else ""
    return RenderedPage(page.path, page.title, page.description, renderer.body(page).encode(), canonical)
