"""Importers: another project's dataset, as bytes, into the object of a `fixture.json`.

Pure functions. The data stays with the user who imports it; its license is in the fixture.
"""

from __future__ import annotations

from typing import Final

from benchsite.tracks.retrieval.importers import locomo

__all__ = ["IMPORTERS"]

IMPORTERS: Final = {"locomo": locomo.convert}
"""Kind of dataset to the function that reads it."""
