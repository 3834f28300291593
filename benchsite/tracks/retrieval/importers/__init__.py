"""Importers: another project's data set, as bytes, into the object of a `fixture.json`.

Pure functions. The data stays with whoever imports it; its licence travels in the fixture.
"""

from __future__ import annotations

from typing import Final

from benchsite.tracks.retrieval.importers import locomo

__all__ = ["IMPORTERS"]

IMPORTERS: Final = {"locomo": locomo.convert}
"""Kind of data set to the function that reads it."""
