"""Third-party systems that a track can measure: what each one needs to be installed."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["NeededProgram", "System"]


class NeededProgram(NamedTuple):
    """A program of the machine that a system starts.

    Attributes:
        name: as messages call it.
        places: patterns of absolute paths, the first that exists wins.
        install: the command that installs it.
    """

    name: str
    places: tuple[str, ...]
    install: str


class System(NamedTuple):
    """A third-party system: its adapter is the entry point of the same name.

    Attributes:
        name: of its adapter.
        group: of its environment, and of the extra with the same requirements.
        requirements: pinned, as `tantivy==0.27.0`, the measured distribution first.
        without_dependencies: pinned, installed without what they ask for.
        python: the oldest Python that it runs on.
        sqlite_extensions: whether Python's `sqlite3` must load extensions.
        programs: programs of the machine that it starts.
        backend: name of the bare system that a product is built on; empty for none.
    """

    name: str
    group: str
    requirements: tuple[str, ...]
    without_dependencies: tuple[str, ...] = ()
    python: tuple[int, int] = (3, 11)
    sqlite_extensions: bool = False
    programs: tuple[NeededProgram, ...] = ()
    backend: str = ""

    @property
    def pins(self) -> tuple[str, ...]:
        """All that it is installed with."""
        return (*self.requirements, *self.without_dependencies)
