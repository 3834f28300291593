"""The one error of a log that is not what its rules say: an entry, a segment, the manifest, or all of them together.

Owns the next step they share. What is wrong with a signed note alone is `benchsite.log.note.NoteError`.
"""

from __future__ import annotations

from benchsite.errors import IntegrityError


class LogError(IntegrityError):
    """Entries that break a rule of the log, or files that do not hold what the log says."""

    next_step = "`benchsite audit` names the commit that changed it; restore the file from git"
