"""Every module of the package that can be imported here: adapters of systems import them, and no system is installed."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import benchsite

_ADAPTERS = "benchsite.tracks.retrieval.adapters."


def modules() -> Iterator[tuple[str, ModuleType]]:
    """Each module with its name, without `__main__`."""
    for found in pkgutil.walk_packages(benchsite.__path__, "benchsite."):
        if found.name.endswith("__main__"):
            continue
        try:
            yield found.name, importlib.import_module(found.name)
        except ModuleNotFoundError as missing:
            if not found.name.startswith(_ADAPTERS) or (missing.name or "").startswith("benchsite"):
                raise
