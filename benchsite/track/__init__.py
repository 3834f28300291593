"""What a track is, what it is given, and what it gives back.

A track is a package with modules of agreed names (DESIGN.md, "The house"); `Track` names the package and imports a
part when it is asked for, so that building the site imports no runner. A track looks nothing up: the pipeline resolves
targets, subjects and methodologies and passes them in. What a package of others raises is contained: a `TrackError`
names the track and the part, and benchsite goes on without it.
"""

from benchsite.track._track import Track
from benchsite.track.console import Console
from benchsite.track.page import Bodies, FixtureFiles, Library, Metric, Newer, Page
from benchsite.track.parts import (
    Clause,
    Command,
    Described,
    Fixtures,
    Imported,
    Runner,
    Sheets,
    Subjects,
)
from benchsite.track.system import NeededProgram, System
from benchsite.track.table import DataColumn, Items
from benchsite.track.work import (
    COMMAND,
    IN_GIT,
    LARGEST_EVIDENCE,
    NOTHING,
    PROGRAMS,
    AlreadyMeasuredError,
    Evidence,
    Grant,
    Measurement,
    Plan,
    Resolved,
    RunContext,
    Work,
    suite_entry,
)

__all__ = [
    "COMMAND",
    "IN_GIT",
    "LARGEST_EVIDENCE",
    "NOTHING",
    "PROGRAMS",
    "AlreadyMeasuredError",
    "Bodies",
    "Clause",
    "Command",
    "Console",
    "DataColumn",
    "Described",
    "Evidence",
    "FixtureFiles",
    "Fixtures",
    "Grant",
    "Imported",
    "Items",
    "Library",
    "Measurement",
    "Metric",
    "NeededProgram",
    "Newer",
    "Page",
    "Plan",
    "Resolved",
    "RunContext",
    "Runner",
    "Sheets",
    "Subjects",
    "System",
    "Track",
    "Work",
    "suite_entry",
]
