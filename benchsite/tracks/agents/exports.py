"""The part for files of other programs: a receipt's traces as trajectories of ATIF, and as spans of OpenTelemetry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from benchsite.receipt import Document
from benchsite.track.exported import EvidenceFormat
from benchsite.tracks.agents.exporters import atif, otel
from benchsite.tracks.agents.trace import archive

__all__ = ["evidence_formats", "formats"]

formats: Final[Mapping[str, Callable[[Document], str]]] = {}
evidence_formats: Final[Mapping[str, EvidenceFormat]] = {
    "atif": EvidenceFormat(archive.NAME, atif.files, is_folder=True),
    "otel": EvidenceFormat(archive.NAME, otel.files),
}
