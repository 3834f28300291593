"""The published versions of the rubric methodology, and what they demand."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from benchsite import methodology, yaml_document
from benchsite.methodology import Methodology
from benchsite.tracks.rubric import engines

VERSIONS: Final = ("1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0")
FOLDER: Final = Path(__file__).parents[1] / "methodology" / "rubric"


@cache
def published(version: str) -> Methodology:
    """The document of a version, from our own repository."""
    files = {name: (FOLDER / version / name).read_bytes() for name in methodology.FILES}
    where = f"methodology/rubric/{version}"
    return methodology.parse(
        yaml_document.load(files["methodology.yaml"], where).value, files=files, where=where
    )


RULES: Final = {version: engines.rules(published(version)) for version in VERSIONS}
