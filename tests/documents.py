"""The methodology documents that tests re-score under: those that came with this installation, and invented ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, Final, TypeVar

import yaml

from benchsite import methodology, resources
from benchsite.history import Materials
from benchsite.methodology import Methodology
from benchsite.methodology.parameters import KEYS
from benchsite.pipeline.snapshot import materials_without_record
from benchsite.track import Track
from benchsite.tracks.retrieval import TRACK

T = TypeVar("T", bound=Track)

MATERIALS: Final = materials_without_record()

PARAMETERS: Final[dict[str, Any]] = {
    "ks": [1, 5, 10],
    "maxK": 1000,
    "maxCuts": 20,
    "headlineK": 10,
    "z": 1.959963984540054,
    "confidence": 0.95,
    "bootstrapReplicates": 10000,
    "bootstrapLowRank": 250,
    "bootstrapHighRank": 9750,
    "fixedPointBits": 40,
    "flips": 10000,
    "level": 0.05,
    "discountsSha256": "83d701acf9ea6e6bb9eca1ae48b0be24ba714ac6bfe5230a3959254d92a4d304",
}
"""What retrieval 1.0.0 goes by: specs/retrieval.md."""


def version_files(document: bytes, text: bytes = b"# T\n") -> dict[str, bytes]:
    """The three files of a version, from one YAML document with all members and its prose.

    Without an `engine` the version names that of its track and major number.
    """
    members = yaml.safe_load(document)
    members.setdefault("engine", f"{members['track']}/{members['version'].partition('.')[0]}")
    words, inside = [], False
    for line in document.decode().splitlines(keepends=True):
        if re.match(r"[A-Za-z]", line):
            inside = line.partition(":")[0] in KEYS
        words += [] if inside else [line]
    return {
        methodology.DATA_FILE: "".join(words).encode(),
        methodology.PARAMETERS_FILE: json.dumps({key: members[key] for key in KEYS}).encode(),
        methodology.TEXT_FILE: text,
    }


def digest_of(track: str, version: str) -> str:
    """The digest of an installed version; that of no document where there is none."""
    folder = resources.folder("methodology") / track / version
    if not folder.is_dir():
        return "e" * 64
    return methodology.digest({name: (folder / name).read_bytes() for name in methodology.FILES})


def packaged(track: str, version: str) -> Methodology:
    """An installed version."""
    found = MATERIALS.methodology(digest_of(track, version))
    assert found is not None
    return found


def known(methodologies: Iterable[Methodology]) -> Materials:
    """The installed documents and these."""
    own = {item.sha256: item for item in methodologies}
    return Materials(lambda sha256: own.get(sha256) or MATERIALS.methodology(sha256))


def like(kind: type[T]) -> T:
    """The retrieval track, with what a subclass does otherwise."""
    return kind(**{field.name: getattr(TRACK, field.name) for field in fields(Track)})
