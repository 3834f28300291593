"""The settings grids that came with the package, each a TOML file beside this module."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

__all__ = ["packaged"]


def packaged() -> Mapping[str, bytes]:
    """Return the grids of this package by name."""
    found = (entry for entry in files(__package__).iterdir() if entry.name.endswith(".toml"))
    return {entry.name.removesuffix(".toml"): entry.read_bytes() for entry in found}
