"""What a commit may do to the record, decided one file of one commit at a time (specs/log.md, "Git audit").

Allowed: segments and the list of sizes growing by whole lines, the checkpoint and the cosignatures moving forward,
`keys/manifest.json` and `keys/receipt-signing.pub` regenerated from the log, evidence that the log withdrew vanishing, an inbox and prose
changing at will. Rules and data may change until the log names them. Everything else is created once and stays.

What needs no bytes is decided as the pass goes by. The rest is kept for `Later`, which reads in batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from benchsite.layout import CONFIG, evidence_sha256, sort_of
from benchsite.log import Log
from benchsite.methodology import DATA_FILE, TEXT_FILE
from benchsite.pipeline.audit.growth import Growth
from benchsite.pipeline.record.findings import Finding, Kind
from benchsite.repo import REGULAR, Revision

_LINK: Final = "120000"
_SUBMODULE: Final = "160000"
_NAMES: Final = {_LINK: "a symbolic link", _SUBMODULE: "a submodule", **dict.fromkeys(REGULAR, "a file")}


@dataclass(slots=True)
class Later:
    """Revisions that cannot be judged without reading what they point to, newest first."""

    checkpoints: list[Revision] = field(default_factory=list)
    others: list[Revision] = field(default_factory=list)


class Rules:
    """Judges revisions; `log` is the newest log that opens, None where there is none."""

    def __init__(self, log: Log | None, growth: Growth, names_at: Callable[[Revision, int], bool]) -> None:
        """`names_at` says whether the log before a revision holds the entry of an index."""
        self._log = log
        self._growth = growth
        self._names_at = names_at
        self.later = Later()

    def findings(self, revision: Revision) -> Iterator[Finding]:
        """What is wrong with a revision, as far as it shows without reading."""
        top = revision.path.partition("/")[0]
        if revision.path == CONFIG:
            self.later.others.append(revision)
        elif top in ("methodology", "fixtures"):
            yield from self._document(revision)
        elif revision.status == "T":
            was, now = (_NAMES.get(mode, mode) for mode in (revision.old_mode, revision.new_mode))
            yield found(revision, Kind.TYPE_CHANGED, f"it was {was} and became {now}")
        else:
            yield from self._record(revision)

    def _record(self, revision: Revision) -> Iterator[Finding]:
        sort = sort_of(revision.path)
        if sort == "free":
            return
        if revision.status == "D":
            if sort != "evidence" or not self._withdrawn(revision.path):
                yield found(revision, Kind.DELETED, "it was removed")
        elif revision.old_id == revision.new_id:
            yield found(
                revision,
                Kind.MODE_CHANGED,
                f"its mode was {revision.old_mode} and became {revision.new_mode}",
            )
        elif revision.new_mode not in REGULAR:
            yield found(revision, Kind.EDITED, f"{_NAMES.get(revision.new_mode, 'it')} points elsewhere now")
        elif sort in ("segment", "sizes"):
            fault = self._growth.fault(revision.path, revision.old_id, revision.new_id)
            if fault is not None:
                kind, said = fault
                yield found(revision, kind if sort == "segment" else Kind.SIZES, said)
        elif sort == "checkpoint":
            self.later.checkpoints.append(revision)
        elif sort in ("cosignatures", "manifest", "current"):
            self.later.others.append(revision)
        else:
            kind = Kind.KEY_FILE if sort == "key" else Kind.EDITED
            yield found(revision, kind, "its bytes were changed")

    def _withdrawn(self, path: str) -> bool:
        return self._log is not None and evidence_sha256(path) in self._log.withdrawn

    def _document(self, revision: Revision) -> Iterator[Finding]:
        """Rules and data, from the commit on whose log names them."""
        index = self.named(revision.path)
        if index is None or not self._names_at(revision, index):
            return
        if revision.path.startswith("fixtures/"):
            self.later.others.append(revision)
        else:
            verb = "removed" if revision.status == "D" else "changed"
            yield found(revision, Kind.METHODOLOGY, f"it was {verb} after entry {index} of the log named it")

    def named(self, path: str) -> int | None:
        """The index of the entry that fixed a methodology's or fixture's file, None where no entry did."""
        parts = path.split("/")
        if self._log is None:
            return None
        if parts[0] == "fixtures" and len(parts) == 3 and parts[2] == "fixture.json":
            named = self._log.fixtures.get(parts[1])
        elif parts[0] == "methodology" and len(parts) == 4 and parts[3] in (DATA_FILE, TEXT_FILE):
            named = self._log.methodologies.get((parts[1], parts[2]))
        else:
            named = None
        return named.index if named is not None else None


def found(revision: Revision, kind: Kind, detail: str) -> Finding:
    """A finding about one file of one commit."""
    before, after = (blob_id if blob_id.strip("0") else "" for blob_id in (revision.old_id, revision.new_id))
    return Finding(kind, revision.path, detail, revision.commit, revision.day, before, after)
