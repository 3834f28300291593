"""Every page and file of a site, into the folder that will be it.

Imports the template engine, mkdocs and numpy, and reads what does not depend on the receipts (`Assembly.ready`): `build`
has that done while other processes verify.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import NamedTuple, Self

from benchsite.addresses import evidence_page_path, receipt_page_path
from benchsite.errors import InputError, ThemeError
from benchsite.history import History
from benchsite.layout import CONFIG
from benchsite.methodology import Methodology
from benchsite.pipeline.building import links, output, pages, sources
from benchsite.pipeline.building.cache import Written
from benchsite.pipeline.building.many import Many, parents
from benchsite.pipeline.building.receipts import Receipts, left_out, rendered
from benchsite.pipeline.building.sources import Site
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.instance.methodology_store import Committed, MethodologyStore
from benchsite.progress import Progress
from benchsite.site.feeds import sitemap
from benchsite.site.frame import RenderedPage, SiteConfig, nav_of
from benchsite.site.render import Renderer
from benchsite.site.shell import Shell, build_shell
from benchsite.track import Page

__all__ = ["Assembly", "Made"]


class Made(NamedTuple):
    """How many pages the site has, and what became of each receipt's."""

    pages: int
    receipts: Mapping[str, Written]


@dataclass(frozen=True)
class Assembly:
    """What is ready before the first receipt is verified; `schemas` are those of our own tracks, by name."""

    instance: Instance
    renderer: Renderer
    methodologies: Sequence[Methodology]
    schemas: Mapping[str, Page]

    @classmethod
    def ready(cls, instance: Instance) -> Self:
        """Read the methodologies, and import and compile what makes the pages of our own tracks; other packages' wait."""
        settings = instance.config
        renderer = Renderer(
            instance.tracks,
            site_url=settings.site.site_url,
            repository=links.repository(instance),
            images=settings.benchsite.images,
        )
        own = {name: track for name, track in instance.tracks.items() if track.is_own}
        renderer.compile(own)
        methodologies = MethodologyStore(Committed(instance.repository)).every()
        for track in own.values():
            track.part("board")
        return cls(instance, renderer, methodologies, {name: pages.schema(own[name]) for name in own})

    def assemble(self, history: History, site: Site, progress: Progress, notes: list[str]) -> Made:
        """Write every page and data file; adds a note for each page that is excluded."""
        instance, staging = self.instance, site.staging
        library, served = pages.library(instance, history, self.methodologies, site.pinned)
        progress(0, 0, "composing leaderboards")
        ready, data, many = [], [], []
        for page in pages.generated(instance, history, library, self.schemas, notes):
            if page.data is not None:
                data.append((page.path, page.data))
            elif page.many:
                many.append(page)
            else:
                try:
                    ready.append(rendered(self.renderer, page))
                except ThemeError as error:
                    notes.append(left_out(instance, page, error))
        progress(0, 0, "rendering prose")
        with ExitStack() as stack:
            finished: list[Callable[[Progress], Mapping[str, Written]]] = []

            def start(shell: Shell) -> None:
                receipts = Receipts(
                    instance=instance,
                    history=history,
                    renderer=self.renderer,
                    shell=shell,
                    library=library,
                    staging=staging,
                    headers=site.headers,
                    kept=site.pages,
                    release=site.release,
                )
                finished.append(stack.enter_context(receipts.started()))

            config = _shell(instance, site, ready, parents(many), [path for path, _ in data])
            shell = build_shell(config, start)
            for path, content in data:
                if (site.prose / path).exists():
                    raise InputError(f"content/{path} has the path of a generated file", hint="move it")
                output.write(staging, path, content)
            for sha256 in served:
                output.write(staging, evidence_page_path(sha256), library.document(sha256) or b"")
            made = finished[0](progress)
        shared = Many(instance, self.renderer, shell, staging, many).write(notes)
        paths = [*shell.prose, *shared, *(receipt_page_path(header.receipt_id) for header in history)]
        for page in sitemap(instance.config.site.site_url, paths):
            output.write(staging, page.path, page.data or b"")
        return Made(len(paths), made)


def _shell(
    instance: Instance, site: Site, ready: list[RenderedPage], folders: list[str], data: list[str]
) -> SiteConfig:
    """What the prose and the composed pages are built with; `data` are the paths of data files."""
    settings = instance.config
    return SiteConfig(
        docs_dir=site.prose,
        theme_dir=sources.themes(instance)[0],
        site_dir=site.staging,
        mkdocs_yml=instance.root / CONFIG,
        site_name=settings.site.site_name,
        site_url=settings.site.site_url,
        banner=settings.benchsite.banner,
        pages=ready,
        folders=folders,
        nav=nav_of(instance.tracks.values()),
        repository=links.repository(instance),
        license=links.license_path(instance),
        own=frozenset(item.path.removeprefix("content/") for item in instance.repository.tree("content")),
        feeds=[path for path in data if path.endswith("/feed.xml")],
    )
