"""Signed heads: every past version of the checkpoint, and those that somebody remembers from elsewhere.

A head that agrees with today's log about its first `size` entries is harmless whoever signed it, so signatures are
checked only of heads that do not agree: signed by a log key that counts, such a head is one half of a split view, and
both halves are kept as evidence; otherwise it is a broken file. A head larger than the log is never called a fork: a
clone that is behind cannot know.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from benchsite import executors
from benchsite.errors import InputError
from benchsite.layout import SIZES_PATH
from benchsite.log import Checkpoint, KeyStatus, Log, Note, NoteError, key_status
from benchsite.pipeline.audit.rules import found
from benchsite.pipeline.record.findings import Finding, Kind
from benchsite.repo import Revision, write_atomically

Read = Callable[[Sequence[str]], Iterator[bytes]]
"""Many blobs at once: ids to bytes in the same order; other processes call it too."""
Signer = Literal["in force", "compromised", "out of force", "no log key"]
_COMPROMISED: Final = "by a compromised key, above the size up to which it is trusted"
_SHOWN: Final = 5
"""How many sizes a finding names."""
_OUT: Final = "by a log key that was not valid at that size"


@dataclass(frozen=True, slots=True)
class Head:
    """A checkpoint file and what is wrong with it; `checkpoint` is None where it cannot be read."""

    data: bytes
    checkpoint: Checkpoint | None
    fault: tuple[Kind, str] | None = None


@dataclass(slots=True)
class Heads:
    """Heads against one log; collects what proves a split view.

    `count` is the number of past versions looked at, `views` the signed heads that contradict the log, `agreed` the
    blob of a past version by its size.
    """

    log: Log
    count: int = 0
    views: list[Head] = field(default_factory=list)
    agreed: dict[int, str] = field(default_factory=dict)
    _sizes: dict[str, int | None] = field(default_factory=dict)

    def past(self, revisions: Sequence[Revision], read: Read) -> Iterator[Finding]:
        """What is wrong with the versions of the checkpoint that these commits left."""
        yield from self._versions({item.new_id: item for item in revisions}, "", read)

    def order(self, revisions: Sequence[Revision], read: Read) -> Iterator[Finding]:
        """What is wrong with the order versions came in, and with those that were only ever replaced."""
        replaced = {item.old_id: item for item in reversed(revisions)}
        yield from self._versions(replaced, "the version this commit replaced: ", read)
        for revision in revisions:
            was, now = self._sizes[revision.old_id], self._sizes[revision.new_id]
            if was is not None and now is not None and now < was:
                yield found(revision, Kind.CHECKPOINT, f"it moved back from {was} entries to {now}")

    def listed(self, sizes: Collection[int], *, all_seen: bool) -> Iterator[Finding]:
        """What is wrong with the list of sizes, given the heads that were seen; `all_seen`: there are no others."""
        signed = {*self.agreed, self.log.size}
        wrong = [("it lacks sizes that had a checkpoint", signed.difference(sizes))]
        if all_seen:
            wrong.append(("it lists sizes that never had a checkpoint", set(sizes) - signed))
        said = "; ".join(f"{what}: {_some(which)}" for what, which in wrong if which)
        if said:
            yield Finding(Kind.SIZES, SIZES_PATH, said)

    def _versions(self, versions: Mapping[str, Revision], which: str, read: Read) -> Iterator[Finding]:
        fresh = [blob_id for blob_id in versions if blob_id not in self._sizes]
        for blob_id, seen in zip(fresh, executors.run(_read, (self, read), fresh), strict=True):
            self.count += 1
            if isinstance(seen, int):
                self._sizes[blob_id] = seen
                self.agreed[seen] = blob_id
                continue
            self._sizes[blob_id] = seen.checkpoint.size if seen.checkpoint is not None else None
            self._keep(seen)
            if seen.fault is not None:
                yield found(versions[blob_id], seen.fault[0], which + seen.fault[1])

    def _keep(self, head: Head) -> None:
        """A signed head that contradicts the log is one half of a split view."""
        if head.fault is not None and head.fault[0] is Kind.SPLIT_VIEW:
            self.views.append(head)

    def read(self, data: bytes) -> Head:
        """A checkpoint file compared with the log."""
        try:
            note = Note.parse(data)
            checkpoint = Checkpoint.parse(note.text)
        except NoteError as error:
            return Head(data, None, (Kind.CHECKPOINT, error.message))
        if checkpoint.origin != self.log.origin:
            said = f"it names the log {checkpoint.origin}, and this is {self.log.origin}"
            return Head(data, checkpoint, (Kind.CHECKPOINT, said))
        if checkpoint.size > self.log.size:
            said = f"it names {checkpoint.size} entries, and the log has {self.log.size}"
            return Head(data, checkpoint, (Kind.CHECKPOINT, said))
        if checkpoint.root == self.log.root(checkpoint.size):
            return Head(data, checkpoint)
        return self._contradicting(data, note, checkpoint)

    def _contradicting(self, data: bytes, note: Note, checkpoint: Checkpoint) -> Head:
        signer = self._signer(note, checkpoint.size)
        said = f"its root is not that of the log's first {checkpoint.size:,} entries"
        if signer == "in force":
            return Head(data, checkpoint, (Kind.SPLIT_VIEW, f"the log's own key signed it, and {said}"))
        who = {"compromised": f", signed {_COMPROMISED}", "out of force": f", signed {_OUT}"}
        return Head(data, checkpoint, (Kind.CHECKPOINT, said + who.get(signer, ", and no log key signed it")))

    def _signer(self, note: Note, size: int) -> Signer:
        """Whose signature a head carries: of several, the one that counts most."""
        worth: list[Signer] = []
        for record in self.log.keyring:
            if record.role != "log":
                continue
            try:
                note.check_signed(self.log.origin, [record.public_key])
            except NoteError:
                continue
            limit = record.trusted_below_index
            if key_status(record, size - 1) is KeyStatus.TRUSTED:
                worth.append("in force")
            elif limit is not None and size > limit:
                worth.append("compromised")
            else:
                worth.append("out of force")
        order: tuple[Signer, ...] = ("in force", "compromised", "out of force")
        return next((signer for signer in order if signer in worth), "no log key")

    def remembered(self, name: str, data: bytes) -> tuple[list[Finding], list[str]]:
        """(findings, notes) about a checkpoint from another clone, a witness or the site.

        Raises:
            InputError: the file is no signed checkpoint.
        """
        try:
            note = Note.parse(data)
            checkpoint = Checkpoint.parse(note.text)
        except NoteError as error:
            raise InputError(
                f"{name}: {error.message}", hint="name a file such as results/log/checkpoint"
            ) from None
        if checkpoint.origin != self.log.origin:
            said = f"it names the log {checkpoint.origin}, and this is {self.log.origin}"
            return [Finding(Kind.NOT_OUR_CHECKPOINT, name, said)], []
        signer = self._signer(note, checkpoint.size)
        if signer == "compromised":
            return [], [f"{name} is not used: signed {_COMPROMISED}"]
        if signer != "in force":
            who = _OUT if signer == "out of force" else "by none of this log's keys"
            return [Finding(Kind.NOT_OUR_CHECKPOINT, name, f"it is signed {who}")], []
        if checkpoint.size > self.log.size:
            said = (
                f"it names {checkpoint.size} entries and the log here has {self.log.size}: this clone is stale, behind the "
                "checkpoint you gave, or entries were removed; fetch, then re-run the audit"
            )
            return [Finding(Kind.STALE, name, said)], []
        head = self.read(data)
        self._keep(head)
        if head.fault is not None:
            return [Finding(head.fault[0], name, head.fault[1])], []
        return [], [f"{name} agrees: the log is consistent with its {checkpoint.size:,} entries"]

    def view(self, data: bytes) -> None:
        """Keep a signed head as one half of a split view that was found by other means than its root."""
        self.views.append(Head(data, Checkpoint.parse(Note.parse(data).text)))

    def export(self, folder: Path, read: Callable[[str], bytes], head: bytes) -> tuple[list[str], list[str]]:
        """(paths, notes): both halves of every split view as files; `head` is our newest checkpoint."""
        files: dict[str, bytes] = {}
        for view in self.views:
            size = view.checkpoint.size if view.checkpoint is not None else 0
            files[f"{size}-theirs-{len(files):03}.checkpoint"] = view.data
            ours = self.agreed.get(size)
            files[f"{size}-ours.checkpoint"] = read(ours) if ours is not None else head
        try:
            if files:
                folder.mkdir(parents=True, exist_ok=True)
            for name, data in files.items():
                write_atomically(folder / name, data)
        except (InputError, OSError) as error:
            return [], [f"the evidence could not be written to {folder}: {error}"]
        return [str(folder / name) for name in files], []


def _read(shared: tuple[Heads, Read], ids: Sequence[str]) -> list[int | Head]:
    """Work for `executors`: of each version the size that it agrees with the log about, or the head itself where it does not."""
    heads, read = shared
    seen = map(heads.read, read(ids))
    return [head if head.fault or head.checkpoint is None else head.checkpoint.size for head in seen]


def _some(sizes: Collection[int]) -> str:
    more = f" and {len(sizes) - _SHOWN} more" if len(sizes) > _SHOWN else ""
    return ", ".join(map(str, sorted(sizes)[:_SHOWN])) + more
