"""The rule table: what one commit may do to one file of the record (specs/log.md, "Git audit").

`audit`, `check` and the push of `publish` ask `judge` about each file that a commit changes. Allowed are: segments and
`sizes` that grow by whole lines, a checkpoint that moves forward consistently, cosignatures that gain lines at the end,
key copies that follow the log, withdrawn evidence that disappears, the inbox and prose. A methodology or fixture may change until
the log names it, and `mkdocs.yml` keeps `origin` and `root_keys` from the log's first entry on. Every other file of
the record is created once, named by the log, and never changes.

Pure: bytes, modes and sizes of the log come in as arguments.
"""

from benchsite.pipeline.changes.change import FileChange, Judgment, Version, subject_of
from benchsite.pipeline.changes.checkpoints import SeenCheckpoint
from benchsite.pipeline.changes.documents import identity
from benchsite.pipeline.changes.published import Published
from benchsite.pipeline.changes.table import is_append_only, is_dated, judge, must_read

__all__ = [
    "FileChange",
    "Judgment",
    "Published",
    "SeenCheckpoint",
    "Version",
    "identity",
    "is_append_only",
    "is_dated",
    "judge",
    "must_read",
    "subject_of",
]
