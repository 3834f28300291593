"""The receipts' own pages and their exact bytes: taken over from the last build, or rendered into the shell.

A page depends on its receipt, its own status record, the standing of its methodology, the documents it quotes and the
shell, on nothing else (specs/site.md, "Architecture"): `key` is the digest of all of them. A page of the last build is
taken over where it has that key and its bytes still have the digest that the last build noted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import cast

from benchsite import executors
from benchsite.addresses import badge_path, receipt_page_path
from benchsite.board import Board
from benchsite.canonical.document import read_again
from benchsite.errors import IntegrityError, ThemeError, TrackError
from benchsite.history import Header, History, Step, Verdict
from benchsite.layout import FIXTURES
from benchsite.pipeline.building import links, output
from benchsite.pipeline.building.cache import Shown, Written
from benchsite.pipeline.building.headers import Headers
from benchsite.pipeline.instance import Instance
from benchsite.progress import Progress
from benchsite.receipt import Document
from benchsite.site import pages as site_pages
from benchsite.site.badge import badge
from benchsite.site.complaints import refuse_taken
from benchsite.site.render import Renderer
from benchsite.site.shell import RenderedPage, Shell
from benchsite.track import Library, Page

__all__ = ["Receipts", "document", "left_out", "rendered"]


@dataclass(frozen=True)
class Receipts:
    """What the pages of receipts are made from.

    Attributes:
        headers: what verification kept, and found in the last build's site.
        kept: what the last build noted of each page.
        release: the digest of what makes pages here.
    """

    instance: Instance
    history: History
    renderer: Renderer
    shell: Shell
    library: Library
    staging: Path
    headers: Headers
    kept: Mapping[str, Shown]
    release: str

    @contextmanager
    def started(self) -> Iterator[Callable[[Progress], dict[str, Written]]]:
        """Every page and receipt into `staging`, but those of the last build that stand, while the caller does other things.

        The function that is given waits for them; what was written, by receipt id.

        Raises:
            InputError: prose has the path of one of them, and mkdocs would write it too.
        """
        refuse_taken(self.shell.prose, (receipt_page_path(header.receipt_id) for header in self.history))
        frame = self._frame()
        keys = {header.receipt_id: self._key(header, frame) for header in self.history}
        found = {
            header.receipt_id: stands
            for header in self.history
            if (stands := self._standing(header, keys[header.receipt_id])) is not None
        }
        left = [at for at, header in enumerate(self.history) if header.receipt_id not in found]
        with executors.ahead(_written, self, left) as made:

            def finished(progress: Progress) -> dict[str, Written]:
                for done, (at, (page, shield, size)) in enumerate(zip(left, made, strict=True), start=1):
                    name = self.history.headers[at].receipt_id
                    shown = Shown(keys[name], page) if keys[name] and page else None
                    found[name] = Written(shown, shield, size, stands=False)
                    if done % executors.CHUNK == 0 or done == len(left):
                        progress(done, len(left), "rendering receipts")
                return found

            yield finished

    def _standing(self, header: Header, key: bytes) -> Written | None:
        """The page and the badge of a receipt that the last build's site has, if they would be made the same."""
        name = header.receipt_id
        shown, seen = self.kept.get(name), self.headers.pages.get(name)
        if not key or shown is None or seen is None or shown != (key, seen.page):
            return None
        if sha256(_badge(self.instance, header, sound=True)).digest() != seen.badge:
            return None
        return Written(shown, seen.badge, seen.size, stands=True)

    def _frame(self) -> bytes:
        """The digest of everything that all pages of receipts have in common."""
        library, settings = self.library, self.instance.config
        parts = (
            self.release,
            self.shell.parts,
            self.shell.holes,
            [methodology.reference for methodology in library.methodologies],
            sorted((place, str(named)) for place, named in library.pins.items()),
            [(item.path, item.blob_id, item.mode) for item in self.instance.repository.tree(FIXTURES)],
            settings.site.site_url,
            links.repository(self.instance),
            sorted(settings.benchsite.images.items()),
        )
        return sha256(repr(parts).encode()).digest()

    def _key(self, header: Header, frame: bytes) -> bytes:
        """The digest of all that the page of a receipt depends on; empty where it is to be made each time."""
        line = self.headers.lines.get(header.receipt_id)
        if line is None:
            return b""
        said = (header.reproduction, header.reproduced_by, header.registered, header.unranked)
        served = [name for name, _, _ in header.evidence if name in self.library.evidence]
        return sha256(b"".join((frame, line, repr((said, served)).encode()))).digest()


def _written(receipts: Receipts, places: Sequence[int]) -> list[tuple[bytes, bytes, int]]:
    """Work for `executors`: of each receipt the digests of its page, empty where that is not to be kept, and badge; sizes."""
    headers = [receipts.history.headers[at] for at in places]
    contents = receipts.instance.repository.blobs([header.blob_id for header in headers if header.blob_id])
    return [_one(receipts, header, next(contents) if header.blob_id else None) for header in headers]


def _one(receipts: Receipts, header: Header, data: bytes | None) -> tuple[bytes, bytes, int]:
    """A receipt's page, its badge and its exact bytes; a file that cannot be trusted gets a page that says so."""
    made, sound = _page(receipts, header, data)
    html = receipts.shell.wrap(made).encode()
    output.write(receipts.staging, f"{receipt_page_path(header.receipt_id)}index.html", html)
    shield = _badge(receipts.instance, header, sound=sound)
    output.write(receipts.staging, badge_path(header.receipt_id), shield)
    if data is not None:
        output.write(receipts.staging, header.path, data)
    return sha256(html).digest() if sound else b"", sha256(shield).digest(), len(html) + len(shield)


def _badge(instance: Instance, header: Header, *, sound: bool) -> bytes:
    """The badge of a receipt; without numbers where its page has none, because the file or its track failed."""
    notice = bool(instance.config.benchsite.banner)
    if not sound or header.summary is None:
        return badge(header, None, notice=notice)
    metric = instance.tracks[header.track].metric(header.summary.headline.metric)
    return badge(header, metric, notice=notice)


def _page(receipts: Receipts, header: Header, data: bytes | None) -> tuple[RenderedPage, bool]:
    """The page of a receipt, and whether it is the one that its track meant."""
    instance, renderer = receipts.instance, receipts.renderer
    if not header.quotable or data is None:
        return rendered(renderer, site_pages.untrusted(header)), False
    try:
        page: Page = instance.tracks[header.track].receipt_page(
            header, document(header, data), receipts.library
        )
    except TrackError as error:
        return rendered(renderer, _without_numbers(header, error)), False
    try:
        return rendered(renderer, page), True
    except ThemeError as error:
        said = TrackError(left_out(instance, page, error))
        return rendered(renderer, _without_numbers(header, said)), False


def _without_numbers(header: Header, error: TrackError) -> Page:
    """The plain page of a receipt whose track fails to show it."""
    step = Step("page", "not checked", error.message, "track", error.hint)
    return site_pages.untrusted(replace(header, verdict=Verdict.UNSUPPORTED, steps=(*header.steps, step)))


def left_out(instance: Instance, page: Page, error: ThemeError) -> str:
    """The note for a page whose template fails; raises the error where the template is none of another package."""
    track = instance.tracks.get(page.template.partition("/")[0])
    if track is None or track.is_own:
        raise error
    return f"track {track.name!r} failed: {error.message}: the page is excluded"


def rendered(renderer: Renderer, page: Page) -> RenderedPage:
    """A page with its body; the permalink of the current methodology version names the leaderboard as canonical."""
    board: Board | None = page.context.get("board") if page.context.get("frozen") else None
    canonical = board.path if board is not None and not board.newer else ""
    return RenderedPage(page.path, page.title, page.description, renderer.body(page).encode(), canonical)


def document(header: Header, data: bytes) -> Document:
    """The body of a verified receipt, whose strict reading its verification was."""
    if sha256(data).hexdigest() != header.sha256:
        raise IntegrityError(
            "a verified receipt changed while the site was being built",
            hint="run `benchsite build` once more",
        )
    return cast("Document", read_again(data))
