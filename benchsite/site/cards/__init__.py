"""The picture that a link preview shows of a page: its leaderboard's or system's, else one for each kind of page.

`pictures` draws the former, and only for a site with an address: a preview needs the whole address of a picture.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from benchsite.addresses import card_path, subject_path

__all__ = ["card"]

_RECEIPT: Final = ("receipt", "A signed receipt of a benchmark run")
_CARDS: Final[Mapping[str, tuple[str, str]]] = {
    "receipts": _RECEIPT,
    "verify.html": _RECEIPT,
    "methodology": ("methodology", "Versioned scoring rules of a benchmark"),
    "log": ("log", "The public log of a benchmark"),
    "docs": ("docs", "Documentation of benchsite"),
}
_HOME_CARD: Final = ("home", "Benchmark results that anyone can verify")
_BOARD_CARD: Final = ("leaderboard", "A leaderboard with confidence intervals and ties")


_PICTURED: Final = (
    "The best rows of a leaderboard with confidence intervals",
    "The results of a system with ranks",
)


def card(path: str, pictured: AbstractSet[str] = frozenset()) -> tuple[str, str]:
    """The picture of a page by its path on the site, and its description; `pictured` are the folders with their own."""
    if not path:
        picture, about = _HOME_CARD
        return f"assets/cards/{picture}.png", about
    top, _, rest = path.partition("/")
    folder = f"{top}/{rest.partition('/')[0]}/"
    if folder in pictured:
        return card_path(folder), _PICTURED[folder.startswith(subject_path(""))]
    picture, about = _CARDS.get(top, _BOARD_CARD)
    return f"assets/cards/{picture}.png", about
