"""A page of the theme split at its tokens, so that ten thousand bodies are wrapped without mkdocs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from html import escape
from typing import Final

from benchsite.errors import ThemeError
from benchsite.site import cards, formats
from benchsite.site.frame import RenderedPage

__all__ = ["ANY", "SHELL_PATH", "TOKENS", "Shell", "parent"]

ANY: Final = "00000000/"
"""The last part of the path of a page that is split, in place of a name."""
SHELL_PATH: Final = f"receipts/00/{ANY}"
TOKENS: Final = {
    name: f"benchsite-{name}-0f1e2d" for name in ("title", "description", "path", "body", "card", "said")
}
_SPLIT: Final = re.compile("|".join(TOKENS.values()))


@dataclass(frozen=True, slots=True)
class Shell:
    """A page at receipt depth, split at its tokens.

    Attributes:
        prose: the site paths that mkdocs writes, and the Markdown file of each; a generated page has a virtual one.
        folders: the same for the pages of each folder of `SiteConfig.folders`.
        pictured: the folders whose pages have the picture of their leaderboard or system.
    """

    parts: tuple[str, ...]
    holes: tuple[str, ...]
    prose: Mapping[str, str] = field(default_factory=dict)
    folders: Mapping[str, Shell] = field(default_factory=dict)
    pictured: AbstractSet[str] = frozenset()

    @classmethod
    def of(cls, html: str) -> Shell:
        """Split a rendered shell page at its tokens."""
        names = {token: name for name, token in TOKENS.items()}
        holes = tuple(names[token] for token in _SPLIT.findall(html))
        if holes.count("body") != 1:
            raise ThemeError("theme: main.html must print page.content exactly once")
        return cls(tuple(_SPLIT.split(html)), holes)

    def wrap(self, page: RenderedPage) -> str:
        """The whole document of a receipt's page, or of a page in one of `folders`.

        Raises:
            ValueError: the page is in none of them and not at receipt depth, so its links would not fit.
        """
        frame = self.folders.get(parent(page.path), self)
        if frame is self and page.path.count("/") != SHELL_PATH.count("/"):
            raise ValueError(f"/{page.path} is not as deep as /{SHELL_PATH}")
        shown = page.picture if page.picture in self.pictured else page.path
        picture, about = cards.card(shown, self.pictured)
        filling = {
            "card": picture,
            "said": about,
            "title": escape(formats.plain_name(page.title)),
            "description": escape(formats.plain_name(page.description)),
            "path": escape(page.path),
            "body": page.body.decode(),
        }
        out = [frame.parts[0]]
        for hole, part in zip(frame.holes, frame.parts[1:], strict=True):
            out += (filling[hole], part)
        return "".join(out)


def parent(path: str) -> str:
    """The folder that a page is in: `agents/workbench/tasks/` of `agents/workbench/tasks/email-001/`."""
    return path.rstrip("/").rpartition("/")[0] + "/"
