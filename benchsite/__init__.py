"""Benchmark runs as signed, logged, re-scorable receipts in git, and the site that shows them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchsite.api import Record, verify

__all__ = ["Record", "__version__", "verify"]
__version__ = "0.1.0"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    """`Record` and `verify` of `benchsite.api`, imported when they are asked for: the command line starts without them."""
    if name in ("Record", "verify"):
        return getattr(import_module("benchsite.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
