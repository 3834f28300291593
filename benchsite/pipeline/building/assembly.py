"""Every page and file of a site, into the folder that will be it.

Imports the template engine, mkdocs and numpy, and reads what does not depend on the receipts (`Assembly.ready`): `build`
has that done while other processes verify.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from benchsite.addresses import evidence_page_path, receipt_page_path
from benchsite.board import Boards, boards, standings
from benchsite.errors import InputError, ThemeError
from benchsite.history import History
from benchsite.layout import CONFIG
from benchsite.methodology import Methodology
from benchsite.pipeline.building import findings, links, output, pages
from benchsite.pipeline.building.many import Many, parents
from benchsite.pipeline.building.quoted_findings import Written, written_findings
from benchsite.pipeline.building.receipts import Receipts, Rendering, left_out, rendered
from benchsite.pipeline.building.sources import Gathered
from benchsite.pipeline.building.takeover import Place, Takeover
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.progress import Progress
from benchsite.site.feeds import sitemap
from benchsite.site.frame import SYSTEMS, NavItem, RenderedPage, SiteConfig
from benchsite.site.pages.home import Finding
from benchsite.site.render import Renderer
from benchsite.site.shell import Shell, build_shell
from benchsite.track import Library, Page

__all__ = ["Assembly", "Made"]


class Made(NamedTuple):
    """How many pages the site has, and the digests of receipt pages that the next build may take over."""

    pages: int
    digests: Mapping[str, str]


@dataclass(frozen=True)
class Assembly:
    """What is ready before the first receipt is verified; `schemas` are those of our own tracks, by name."""

    workspace: Workspace
    snapshot: Snapshot
    renderer: Renderer
    methodologies: Sequence[Methodology]
    schemas: Mapping[str, Sequence[Page]]

    @classmethod
    def ready(cls, workspace: Workspace, snapshot: Snapshot) -> Self:
        """Read the methodologies, and import and compile what makes the pages of our own tracks; other packages' wait."""
        settings, tracks = workspace.config, snapshot.tracks
        renderer = Renderer(
            tracks,
            site_url=settings.site.site_url,
            repository=links.repository(workspace),
            images=snapshot.config.benchsite.images,
        )
        own = {name: track for name, track in tracks.items() if track.is_own}
        renderer.compile(own)
        methodologies = snapshot.methodologies.every()
        for track in own.values():
            track.part("board")
        schemas = {
            name: pages.of_schemas(workspace, track.part("board").LEADERBOARD) for name, track in own.items()
        }
        return cls(workspace, snapshot, renderer, methodologies, schemas)

    def assemble(
        self,
        history: History,
        files: Gathered,
        pinned: AbstractSet[str],
        place: Place,
        notes: list[str],
        progress: Progress,
    ) -> Made:
        """Write every page and data file; adds a note for each page that is excluded.

        Args:
            history: the verified record.
            files: prose and theme.
            pinned: SHA-256 of the evidence that receipts pin.
            place: where the pages are written, and what may be taken over.
            notes: what `build` says at its end.
            progress: called with (done, total, label).
        """
        workspace, snapshot, staging = self.workspace, self.snapshot, place.staging
        library, served = pages.library(snapshot, history, self.methodologies, pinned, place.beside)
        progress(0, 0, "composing leaderboards")
        made = boards(history, snapshot.tracks.values(), pages.bodies(snapshot, history), library)
        written = written_findings(files.prose)
        composed = self._composed(history, made, library, [one.finding for one in written], notes)
        frames = self._frames(written, history, notes)

        def receipts(shell: Shell) -> Receipts:
            takeover = Takeover.of(workspace, snapshot, place, library, shell)
            notice = bool(workspace.config.benchsite.banner)
            return Receipts(
                snapshot, history, self.renderer, shell, library, staging, takeover, notice, standings(made)
            )

        progress(0, 0, "rendering prose")
        with Rendering(receipts) as rendering:
            config = _site_config(
                workspace, snapshot, files, staging, composed, links.header(history, snapshot.tracks), frames
            )
            shell = build_shell(config, rendering.start)
            for path, content in composed.data:
                if (files.prose / path).exists():
                    raise InputError(f"content/{path} has the path of a generated file", hint="move it")
                output.write(staging, path, content)
            for sha256 in served:
                output.write(staging, evidence_page_path(sha256), library.document(sha256) or b"")
            digests = rendering.finish(progress)
        shared = Many(snapshot, self.renderer, shell, staging, composed.many).write(notes)
        paths = [*shell.prose, *shared, *(receipt_page_path(header.receipt_id) for header in history)]
        for page in sitemap(workspace.config.site.site_url, paths):
            output.write(staging, page.path, page.data or b"")
        return Made(len(paths), digests)

    def _frames(self, written: Sequence[Written], history: History, notes: list[str]) -> Mapping[str, str]:
        """Render what frames the prose of findings, by path."""
        notes += findings.withdrawn(written, history)
        by_id = pages.bodies(self.snapshot, history)
        framed = findings.frames(written, history, self.snapshot.tracks, by_id)
        return {page.path: self.renderer.body(page) for page in framed}

    def _composed(
        self,
        history: History,
        made: Boards,
        library: Library,
        quoted: Sequence[Finding],
        notes: list[str],
    ) -> _Composed:
        """Compose every page but the receipts' own, and render those that mkdocs frames."""
        found = _Composed([], [], [])
        for page in pages.generated(
            self.workspace, self.snapshot, history, made, library, self.schemas, quoted, notes
        ):
            if page.data is not None:
                found.data.append((page.path, page.data))
            elif page.many:
                found.many.append(page)
            else:
                try:
                    found.ready.append(rendered(self.renderer, page))
                except ThemeError as error:
                    notes.append(left_out(self.snapshot, page, error))
        return found


class _Composed(NamedTuple):
    """Pages that mkdocs frames, pages of which a track has very many, and data files."""

    ready: list[RenderedPage]
    many: list[Page]
    data: list[tuple[str, bytes]]


def _site_config(
    workspace: Workspace,
    snapshot: Snapshot,
    files: Gathered,
    staging: Path,
    composed: _Composed,
    nav: Sequence[NavItem],
    frames: Mapping[str, str],
) -> SiteConfig:
    """Return what the prose and the composed pages are built with."""
    settings = workspace.config
    return SiteConfig(
        docs_dir=files.prose,
        theme_dir=files.theme,
        site_dir=staging,
        mkdocs_yml=workspace.root / CONFIG,
        site_name=settings.site.site_name,
        site_url=settings.site.site_url,
        banner=settings.benchsite.banner,
        pages=composed.ready,
        folders=parents(composed.many),
        nav=nav,
        frames=frames,
        repository=links.repository(workspace),
        license=links.license_path(snapshot),
        own=frozenset(item.path.removeprefix("content/") for item in snapshot.tree("content")),
        feeds=[
            path for path, _ in composed.data if path.endswith("/feed.xml") and not path.startswith(SYSTEMS)
        ],
        mirrors=snapshot.config.benchsite.mirrors,
        pictured={path.removesuffix("card.png") for path, _ in composed.data if path.endswith("/card.png")},
    )
