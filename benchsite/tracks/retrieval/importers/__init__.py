"""Importers: another project's data set, as bytes, into the object of a `fixture.json`.

Pure functions. The data stays with whoever imports it; its licence travels in the fixture.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from benchsite.tracks.retrieval.importers import locomo

__all__ = ["IMPORTERS"]

IMPORTERS: Final[Mapping[str, locomo.Convert]] = {"locomo": locomo.convert}
"""Kind of data set to the function that reads it."""
