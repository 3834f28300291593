"""Pages of which a track has very many: rendered into the frame of their folder, as receipts' pages are into theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchsite import executors
from benchsite.errors import ThemeError
from benchsite.pipeline.building import output
from benchsite.pipeline.building.receipts import left_out, rendered
from benchsite.pipeline.snapshot import Snapshot
from benchsite.site.complaints import refuse_taken
from benchsite.site.render import Renderer
from benchsite.site.shell import Shell, parent
from benchsite.track import Page

__all__ = ["Many", "parents"]


def parents(pages: Sequence[Page]) -> list[str]:
    """What holds these pages."""
    return sorted({parent(page.path) for page in pages})


@dataclass(frozen=True)
class Many:
    """These pages, and what they are made from."""

    snapshot: Snapshot
    renderer: Renderer
    shell: Shell
    staging: Path
    pages: Sequence[Page]

    def write(self, notes: list[str]) -> Iterator[str]:
        """Every page into `staging`; yields the paths, and adds a note for each page that is excluded.

        Raises:
            InputError: prose has the path of one of them.
        """
        refuse_taken(self.shell.prose, (page.path for page in self.pages))
        said = executors.run(_written, self, range(len(self.pages)))
        for page, note in zip(self.pages, said, strict=True):
            if note:
                notes.append(note)
            else:
                yield page.path


def _written(many: Many, places: Sequence[int]) -> list[str]:
    """Work for `executors`: of each page, why it is excluded; empty where it was written."""
    return [_one(many, many.pages[at]) for at in places]


def _one(many: Many, page: Page) -> str:
    try:
        made = rendered(many.renderer, page)
    except ThemeError as error:
        return left_out(many.snapshot, page, error)
    output.write(many.staging, f"{page.path}index.html", many.shell.wrap(made).encode())
    return ""
