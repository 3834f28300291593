"""The picture that a link preview shows, one for each kind of page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

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


def card(path: str) -> tuple[str, str]:
    """The picture of a page's kind, by its name below `assets/cards/`, and its description."""
    if not path:
        return _HOME_CARD
    return _CARDS.get(path.partition("/")[0], _BOARD_CARD)
