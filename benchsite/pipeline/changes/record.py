"""Rules for the files under `results/` and `keys/`: create-only, append-only, or a copy of the log. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from benchsite.layout import MANIFEST_PATH, evidence_sha256, segment_number
from benchsite.log import SEGMENT
from benchsite.pipeline.changes.change import ALLOWED, FileChange, Judgment, Subject, Version, finding, found
from benchsite.pipeline.changes.published import Published
from benchsite.pipeline.findings import Kind


def judge_record(subject: Subject, change: FileChange, published: Published) -> Judgment:
    """Return what is wrong with a change to a file of the record."""
    if change.old is None:
        return _added(subject, change, published)
    if change.new is None:
        return _removed(subject, change, published)
    return _changed(subject, change, change.old, change.new, published)


def _added(subject: Subject, change: FileChange, published: Published) -> Judgment:
    """A file is created regular, and only if the log names it."""
    if change.new is None or not change.new.is_regular:
        kind = change.new.kind if change.new is not None else "absent"
        return found(change, Kind.SYMLINK, f"it is {kind}: results/ and keys/ hold regular files only")
    if _is_named(subject, change.path, published):
        return ALLOWED
    return found(change, *_UNNAMED.get(subject, (Kind.STRAY, "the log has no such file")))


def _is_named(subject: Subject, path: str, published: Published) -> bool:
    """Return whether the log, or a receipt that it names, says that this file exists."""
    log = published.log
    size = log.size if log is not None else 0
    named = {
        "free": True,
        "cosignatures": True,  # its lines are checked where they are read
        "stray": False,
        "receipt": log is not None and log.index_of_path(path) is not None,
        "evidence": evidence_sha256(path) in published.pinned,
        "segment": (segment_number(path) or 0) * SEGMENT < size,
        "checkpoint": size > 0,
        "sizes": size > 0,
    }
    return named.get(subject, path in published.key_paths)


_UNNAMED: Final[dict[str, tuple[Kind, str]]] = {
    "receipt": (Kind.FILE_WITHOUT_ENTRY, "no entry of the log names it"),
    "stray": (Kind.STRAY, "it is not a receipt, log file, key or inbox file"),
    "evidence": (Kind.UNPINNED, "no receipt pins it"),
    **dict.fromkeys(("key", "manifest", "current"), (Kind.KEY_FILE, "no key event of the log names it")),
}


def _removed(subject: Subject, change: FileChange, published: Published) -> Judgment:
    log = published.log
    withdrawn = subject == "evidence" and log is not None and evidence_sha256(change.path) in log.withdrawn
    if subject == "free" or withdrawn:
        return ALLOWED
    return found(change, Kind.DELETED, "it was removed")


def _changed(
    subject: Subject, change: FileChange, old: Version, new: Version, published: Published
) -> Judgment:
    """A file of the record that is there before and after."""
    if old.kind != new.kind:
        return found(change, Kind.TYPE_CHANGED, f"it was {old.kind} and became {new.kind}")
    if subject == "free":
        return ALLOWED
    if old.blob == new.blob:
        return found(change, Kind.MODE_CHANGED, f"its mode was {old.mode} and became {new.mode}")
    if not new.is_regular:
        return found(change, Kind.EDITED, f"{new.kind} points elsewhere now")
    rule = _RULES.get(subject)
    if rule is not None:
        return rule(change, old.data, new.data, published)
    return found(change, Kind.KEY_FILE if subject == "key" else Kind.EDITED, "its bytes were changed")


def _segment(change: FileChange, old: bytes, new: bytes, _: Published) -> Judgment:
    fault = growth_fault(old, new)
    return found(change, *fault) if fault is not None else ALLOWED


def _sizes(change: FileChange, old: bytes, new: bytes, _: Published) -> Judgment:
    fault = growth_fault(old, new)
    return found(change, Kind.SIZES, fault[1]) if fault is not None else ALLOWED


def growth_fault(before: bytes, after: bytes) -> tuple[Kind, str] | None:
    """Return what was done to a file of lines other than adding whole lines; None if nothing was."""
    if after.startswith(before) and before.endswith(b"\n") and after.endswith(b"\n"):
        return None
    if before.startswith(after):
        was, is_now = before.count(b"\n"), after.count(b"\n")
        return Kind.TRUNCATED, f"it had {was} lines and was cut to {is_now}"
    old, new = before.split(b"\n"), after.split(b"\n")
    pairs = enumerate(zip(old, new, strict=False), start=1)
    line = next((at for at, pair in pairs if pair[0] != pair[1]), len(old))
    if sorted(old) == sorted(new):
        return Kind.REORDERED, f"from line {line} on, the entries are in another order"
    return Kind.LOG_EDITED, f"line {line} was edited"


def _checkpoint(change: FileChange, old: bytes, new: bytes, published: Published) -> Judgment:
    if published.log is None:
        return ALLOWED
    was, now = (published.checkpoint(data, published.log) for data in (old, new))
    findings = [] if now.fault is None else [finding(change, *now.fault)]
    if was.size is not None and now.size is not None and now.size < was.size:
        detail = f"it moved back from {was.size} entries to {now.size}"
        findings.append(finding(change, Kind.CHECKPOINT, detail))
    if was.size == now.size and was.fault is None and now.fault is None:
        detail = f"its bytes were changed, and it still names {now.size} entries"
        findings.append(finding(change, Kind.EDITED, detail))
    if was.fault is None:
        return Judgment(tuple(findings))
    kind, detail = was.fault
    earlier = finding(change, kind, f"the version this commit replaced: {detail}")
    return Judgment(tuple(findings), (earlier,))


def _cosignatures(change: FileChange, old: bytes, new: bytes, _: Published) -> Judgment:
    """Lines are added at the end; in a merge also between those of one parent, which keep their order."""
    if new.startswith(old):
        return ALLOWED
    before, after = (data.splitlines(keepends=True) for data in (old, new))
    lost = Counter(before) - Counter(after)
    if lost:
        return found(change, Kind.COSIGNATURES, f"{lost.total()} of its lines were changed or removed")
    rest = iter(after)
    if change.merge and all(line in rest for line in before):
        return ALLOWED
    return found(change, Kind.COSIGNATURES, "its lines were reordered, or lines were added before its end")


def _copy(change: FileChange, old: bytes, new: bytes, published: Published) -> Judgment:
    legal = published.copies[change.path]
    was, now, size = legal.get(old), legal.get(new), change.size_after
    kind = Kind.MANIFEST if change.path == MANIFEST_PATH else Kind.KEY_FILE
    if now is None or not any(first <= size < end for first, end in now):
        return found(change, kind, f"it is not what the log's first {size} entries say")
    if was is None:
        return found(change, kind, "the version this commit replaced was never what the log said")
    return ALLOWED


_RULES: Final[dict[str, Callable[[FileChange, bytes, bytes, Published], Judgment]]] = {
    "segment": _segment,
    "sizes": _sizes,
    "checkpoint": _checkpoint,
    "cosignatures": _cosignatures,
    "manifest": _copy,
    "current": _copy,
}
