"""How a long piece of work tells how far it is: one shape of callback, and the one that says nothing."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int, str], None]
"""Given are what is done, the total (0 where it is not known), and what is being done."""


def silent(_done: int, _total: int, _label: str) -> None:
    """Say nothing."""
