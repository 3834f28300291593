"""What commands of a track print with, as a protocol that the command line keeps."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from benchsite.progress import Progress
from benchsite.track.work import RunContext

__all__ = ["Console"]


class Console(Protocol):
    """How commands of a track print; the object of their click context (`click.pass_obj`)."""

    def say(self, text: str) -> None:
        """Print a line on stdout."""

    def note(self, text: str) -> None:
        """Print a line for the person on stderr."""

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print a table."""

    def emit(self, value: Any) -> None:
        """Print one JSON value on stdout."""

    def progress(self, title: str) -> AbstractContextManager[Progress]:
        """Show a progress bar on a terminal while the context is open."""

    def context(self) -> AbstractContextManager[RunContext]:
        """Give what a runner may know of the outside, to start a program; it is granted nothing."""
