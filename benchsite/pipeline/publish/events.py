"""What is said of a receipt after it was published: retracted, superseded, disputed, its evidence withdrawn.

And what is said where there is none: that a subject is not measured, and why.

Each is one entry at the end of the log. The receipt, its file and its page stay; verification reads the entries and
gives the new verdict, and boards follow.
"""

from __future__ import annotations

import re
from typing import Any, Final

from benchsite import canonical
from benchsite.canonical import Json
from benchsite.environment import Credentials
from benchsite.errors import InputError, IntegrityError, UsageError
from benchsite.layout import evidence_path, receipt_path
from benchsite.log import DeclineEntry, DisputeEntry, Entry, Log, RetractEntry, SupersedeEntry, validate_entry
from benchsite.pipeline.record.append import Appended, Batch, append
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.progress import Progress, silent
from benchsite.receipt import Document

_HOST: Final = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]{1,5})?([/?#]|$)")
_SAME: Final = "name a receipt of the same track and subject"
_PROSE: Final = "a reason is one line of at most 2,000 printable characters"
_WEB: Final = "a web address: https://, host, path; no user name or password"


def receipt_named(snapshot: Snapshot, name: str) -> str:
    """The id of the logged receipt with this id, or this unique beginning of one.

    Raises:
        UsageError: none, or more than one, answers to the name.
        PrerequisiteError: the log has not begun.
    """
    found = [receipt_id for receipt_id in snapshot.require_log().receipts if receipt_id.startswith(name)]
    if not name or not found:
        raise UsageError(
            f"receipt {name!r} is not in the log", hint="run `benchsite verify --all` to list them"
        )
    if len(found) > 1:
        raise UsageError(f"{name!r} matches {len(found)} receipt ids", hint="give more characters")
    return found[0]


def retraction(receipt_id: str, reason: str) -> Entry:
    """The entry that withdraws a receipt; raises `InputError` where the reason is not one line of prose."""
    return _entry("retract", {"receiptId": receipt_id, "reason": reason}, _PROSE)


def succession(snapshot: Snapshot, receipt_id: str, by: str) -> Entry:
    """The entry that puts one published receipt in the place of an older one.

    Raises:
        UsageError: they are one receipt, differ in track or subject, or the new one is a reproduction.
    """
    if receipt_id == by:
        raise UsageError(f"{by} cannot supersede itself", hint="benchsite supersede OLD NEW")
    logged = snapshot.require_log().receipts
    if receipt_id in logged and logged.get(by, len(logged)) < logged[receipt_id]:
        raise UsageError(
            f"{by} is older than {receipt_id}", hint=f"swap them: benchsite supersede {by} {receipt_id}"
        )
    try:
        may_replace(snapshot, receipt_id, _document(snapshot, by))
    except IntegrityError as error:
        raise UsageError(error.message, hint=error.hint) from None
    return _entry("supersede", {"receiptId": receipt_id, "by": by}, "give the two receipt ids in full")


def dispute(receipt_id: str, url: str) -> Entry:
    """The entry that links an objection to a receipt; raises `InputError` where the URL is none."""
    if not _HOST.match(url):
        raise InputError(f"dispute: url: {url[:60]!r} cannot be logged", hint=_WEB)
    return _entry("dispute", {"receiptId": receipt_id, "url": url}, _WEB)


def withdrawal(sha256: str, reason: str) -> Entry:
    """The entry that lets evidence vanish; raises `InputError` where the hash or the reason is malformed."""
    hint = "64 lower-case hex digits, as a receipt's `evidence` lists them; " + _PROSE
    return _entry("withdraw-evidence", {"sha256": sha256, "reason": reason}, hint)


def refusal(
    workspace: Workspace, snapshot: Snapshot, track: str, subject: str, target: str, reason: str
) -> Entry:
    """The entry that says why a subject is not measured.

    Raises:
        InputError: a part cannot be logged.
        UsageError: the track or the target is unknown here, or a ranked receipt measures the subject on it. Any
            target is taken in a track whose targets are no datasets.
    """
    fields: dict[str, Json] = {"track": track, "subject": subject, "target": target, "reason": reason}
    hint = "a track, a subject's name and a target's id, as a leaderboard has them; " + _PROSE
    entry = _entry("decline", fields, hint)
    history = snapshot.history()
    known = {*workspace.tracks, *(header.track for header in history if header.quotable)}
    if track not in known:
        raise UsageError(f"decline: no track {track!r}", hint=f"available: {', '.join(sorted(known))}")
    there = [(header, header.summary) for header in history if header.track == track and header.summary]
    targets = {summary.target for _, summary in there} | {
        path.parent.name for path in workspace.fixture_paths()
    }
    measures_datasets = track in workspace.tracks and workspace.tracks[track].fixtures is not None
    if measures_datasets and target not in targets:
        raise UsageError(
            f"decline: {target!r} is no dataset here, and no receipt measures on it",
            hint=f"available: {', '.join(sorted(targets))}",
        )
    for header, summary in there:
        if (
            header.ranked
            and summary.target == target
            and subject in (summary.subject.name, summary.subject.label)
        ):
            raise UsageError(
                f"decline: receipt {header.receipt_id} measures {subject!r} on {target!r}",
                hint="run `benchsite retract` to withdraw a receipt",
            )
    return entry


def _entry(kind: str, fields: dict[str, Json], hint: str) -> Entry:
    reason = fields.get("reason", "x")
    if not str(reason).strip() or not str(reason).isprintable():
        raise InputError(f"{kind}: reason: {str(reason)[:60]!r} cannot be logged", hint=hint)
    try:
        return validate_entry({"v": 1, "type": kind, **fields})
    except InputError as error:
        field = error.message.removeprefix(f"log entry: {kind}: ").partition(":")[0]
        shown = str(fields.get(field, ""))[:60]
        raise InputError(f"{kind}: {field}: {shown!r} cannot be logged", hint=hint) from None


def announce(
    workspace: Workspace,
    credentials: Credentials,
    entry: Entry,
    *,
    push: bool,
    progress: Progress = silent,
) -> Appended:
    """Log one event; the file of withdrawn evidence leaves the tree in the same commit.

    Raises:
        UsageError: the log says so already, or its rules do not allow it (a second successor, a successor older
            than the receipt).
        PrerequisiteError: as `append` does.
    """

    def stage(batch: Batch) -> None:
        _require_new(batch.snapshot, batch.new.log, entry)
        try:
            batch.new.append(entry)
        except IntegrityError as error:
            raise UsageError(error.message, hint="run `benchsite log events` for earlier entries") from None
        batch.subject = f"log: {entry.type}"
        # The words of an event stay in the log, where every reader escapes them; `git log` would not.
        fields = entry.model_dump(by_alias=True, include={"receipt_id", "by", "sha256"})
        batch.lines += [f"{name}: {value}" for name, value in fields.items()]

    return append(workspace, credentials, stage, push=push, progress=progress)


def _require_new(snapshot: Snapshot, log: Log, entry: Entry) -> None:
    match entry:
        case RetractEntry():
            said = [at for at, event in log.events_about(entry.receipt_id) if isinstance(event, RetractEntry)]
        case DisputeEntry() | SupersedeEntry():
            said = [at for at, event in log.events_about(entry.receipt_id) if event == entry]
        case DeclineEntry():
            at = log.declined.get((entry.track, entry.subject, entry.target))
            said = [at] if at is not None else []
        case _:
            sha256 = getattr(entry, "sha256", "")
            at = log.withdrawn.get(sha256)
            # A file that lies there all the same is withdrawn once more, so that it leaves.
            gone = snapshot.read(evidence_path(sha256)) is None
            said = [at] if at is not None and gone else []
    if said:
        raise UsageError(
            f"already logged: entry {said[0]}",
            hint="run `benchsite log events` to see it, or `benchsite publish` to push unpublished commits",
        )


def may_replace(snapshot: Snapshot, replaced: str, document: Document) -> None:
    """Only a logged receipt of the same track and subject can be superseded; raises `IntegrityError`.

    A reproduction takes nobody's place: it is never ranked, and the result it repeats would leave the board.
    """
    by, track = document["receiptId"], str(document["track"])
    old = _document(snapshot, replaced)
    if document.get("reproduces") is not None:
        raise IntegrityError(
            f"{by} is a reproduction and cannot supersede {replaced}",
            hint="run it with `benchsite run` to replace a result",
        )
    if old.get("track") != track:
        raise IntegrityError(f"{by} supersedes {replaced}, a receipt of another track", hint=_SAME)
    mine, theirs = snapshot.summary(document).subject.name, snapshot.summary(old).subject.name
    if mine != theirs:
        raise IntegrityError(
            f"{by} supersedes {replaced}, a receipt of another subject ({theirs}, not {mine})", hint=_SAME
        )


def _document(snapshot: Snapshot, receipt_id: str) -> dict[str, Any]:
    """The body of a logged receipt; raises `IntegrityError` where there is none."""
    log = snapshot.require_log()
    data = snapshot.read(receipt_path(receipt_id)) if receipt_id in log.receipts else None
    value = canonical.loads(data) if data is not None else None
    if not isinstance(value, dict):
        raise IntegrityError(
            f"receipt {receipt_id} is not in the log",
            hint="run `benchsite publish` to log a draft, or `git pull` to fetch published receipts",
        )
    return value
