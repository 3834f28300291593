"""Checking one receipt: bytes -> parse -> signature -> log -> re-score -> verdict.

The same steps, in the same order, as specs/verify.md gives the browser. Nothing here reads a file, and a key
that a receipt carries is never used: keys come from the log's own events, or from the person who asks.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from benchsite import canonical, signing
from benchsite.canonical import JsonError
from benchsite.errors import BenchsiteError, InputError, TrackError
from benchsite.history.placing import doubts_of, event_words, gravest, logged_words
from benchsite.history.rescoring import UncheckedError, rescore_steps, rescored
from benchsite.history.sentences import said
from benchsite.history.verdict import (
    NO_MATERIALS,
    Examination,
    Materials,
    Rescore,
    Rescoring,
    Scorer,
    Step,
    Target,
    Verdict,
)
from benchsite.layout import receipt_path
from benchsite.log import (
    DisputeEntry,
    KeyStatus,
    Log,
    ReceiptEntry,
    WithdrawEvidenceEntry,
    Witnessing,
    key_status,
)
from benchsite.receipt import Receipt, ReceiptError, UnclaimedSchema, UnsupportedSchema, parse

_NOT_RESCORED = Rescoring(Rescore.NOT_RESCORABLE, "the file could not be read as a receipt")


@dataclass(slots=True)
class _Findings:
    """The steps taken so far, and what they have established."""

    steps: list[Step] = field(default_factory=list)
    verdict: Verdict = Verdict.SIGNED_ONLY
    rescoring: Rescoring = _NOT_RESCORED
    receipt: Receipt | None = None
    index: int | None = None
    needed: frozenset[str] = frozenset()
    target: Target | None = None
    lacking: Step | None = None
    """Why this installation cannot check the numbers; the signature and the log are checked all the same."""

    def ok(self, name: str, detail: str) -> None:
        self.steps.append(Step(name, "pass", detail))

    def warn(self, name: str, detail: str, at: str = "") -> None:
        self.steps.append(Step(name, "warning", detail, at))

    def lack(self, error: UncheckedError) -> None:
        """The numbers cannot be checked here."""
        self.lacking = Step("schema", "not checked", error.message, error.field, error.hint)
        self.steps.append(self.lacking)

    def close(self) -> Examination:
        return Examination(
            self.verdict, self.rescoring.rescore, tuple(self.steps), self.rescoring, self.receipt, self.index
        )


class _Stop(Exception):  # noqa: N818 - control flow inside this module, never seen outside
    """A step that ends the examination with its verdict."""

    def __init__(self, verdict: Verdict, step: Step) -> None:
        super().__init__(step.detail)
        self.verdict = verdict
        self.step = step


def _invalid(name: str, detail: str, at: str = "", *, said_by: BenchsiteError | None = None) -> _Stop:
    return _Stop(Verdict.INVALID, Step(name, "fail", detail, at, said_by.hint if said_by is not None else ""))


def _unsupported(name: str, at: str, error: UnsupportedSchema) -> _Stop:
    return _Stop(Verdict.UNSUPPORTED, Step(name, "not checked", error.message, at, error.hint))


def examine(
    data: bytes,
    *,
    log: Log | None,
    scorers: Mapping[str, Scorer],
    materials: Materials = NO_MATERIALS,
    witnessing: Witnessing | None = None,
    supplied_key: bytes | None = None,
    path: str | None = None,
    deep: bool = False,
) -> Examination:
    """Check one receipt and say what can be said of it.

    Args:
        data: the file's bytes.
        log: the verified log to look it up in, `None` outside an instance.
        scorers: track name to the track that can re-score it.
        materials: the methodologies and the evidence that are at hand.
        witnessing: what trusted witnesses have seen of this log; `None` where nobody asks.
        supplied_key: raw 32-byte public key the caller trusts, for receipts of another log.
        path: the repository path the bytes were read from; `None` for a file handed over. A
            record in the repository must be exactly canonical, be where its id says, and know its signer.
        deep: re-score everything, bootstrap intervals included.

    Returns:
        An examination; bad input is a verdict, never an exception.
    """
    found = _Findings()
    try:
        receipt = found.receipt = _parse(found, data, path)
        _canonical(found, receipt, in_repository=path is not None)
        _scored(found, receipt, scorers, materials, deep=deep)
        _signature(found, receipt, log, supplied_key, in_repository=path is not None)
        if found.verdict is not Verdict.UNKNOWN_SIGNER and log is not None:
            _in_log(found, receipt, log, witnessing)
    except _Stop as stop:
        found.steps.append(stop.step)
        found.verdict = stop.verdict
        if log is not None:
            _bytes_as_logged(found, data, path, log)
    if found.lacking is not None and found.verdict is not Verdict.INVALID:
        found.verdict = Verdict.UNSUPPORTED
    if found.rescoring is not _NOT_RESCORED:
        found.steps.extend(rescore_steps(found.rescoring))
    elif found.lacking is not None:
        found.rescoring = replace(_NOT_RESCORED, reason=found.lacking.detail)
    return found.close()


def _parse(found: _Findings, data: bytes, path: str | None) -> Receipt:
    try:
        receipt = parse(data)
    except JsonError as error:
        raise _invalid("parse", error.message, said_by=error) from None
    except ReceiptError as error:
        why = said("draft") if error.field == "signature" else error.message
        raise _invalid("parse", why, error.field, said_by=error) from None
    except UnsupportedSchema as error:
        if path is not None and isinstance(error, UnclaimedSchema):
            why = f"{path} is not a receipt: {error.message}"
            raise _invalid("parse", why, "schemaVersion", said_by=error) from None
        raise _unsupported("parse", "schemaVersion", error) from None
    if path is not None and path != receipt_path(receipt.receipt_id):
        raise _invalid("parse", f"{path} holds receipt {receipt.receipt_id}", "receiptId")
    found.ok("parse", said("parsed", bytes=len(data), schema=receipt.schema))
    return receipt


def _bytes_as_logged(found: _Findings, data: bytes, path: str | None, log: Log) -> None:
    """What is invalid or cannot be read here is not what was published where the log records another hash for it."""
    if any(step.name == "log" and step.state == "fail" for step in found.steps):
        return
    if found.verdict is Verdict.INVALID and found.receipt is not None:
        index, written = log.receipts.get(found.receipt.receipt_id), found.receipt.file_bytes()
    elif found.verdict is Verdict.UNSUPPORTED and path is not None:
        index, written = log.index_of_path(path), data
    else:
        return
    entry = log.entry(index) if index is not None else None
    if index is None or not isinstance(entry, ReceiptEntry):
        return
    if entry.sha256 != canonical.sha256_hex(written):
        found.steps.append(Step("log", "fail", said("other-bytes", index=index), "sha256"))
        found.verdict = Verdict.INVALID


def _canonical(found: _Findings, receipt: Receipt, *, in_repository: bool) -> None:
    if receipt.is_canonical:
        found.ok("canonical", said("canonical"))
    elif in_repository:
        raise _invalid("canonical", "a published file must be in canonical form, byte for byte")
    else:
        found.warn("canonical", said("rewritten"))


def _scored(
    found: _Findings, receipt: Receipt, scorers: Mapping[str, Scorer], materials: Materials, *, deep: bool
) -> None:
    """Check the track's own keys and score again; `lacking` says why where this installation cannot."""
    try:
        scorer, found.rescoring = rescored(receipt, scorers, materials, deep=deep)
        found.needed, found.target = scorer.needs(receipt.document), scorer.target(receipt.document)
    except ReceiptError as error:
        raise _invalid("schema", error.message, error.field, said_by=error) from None
    except UncheckedError as error:
        found.lack(error)
    except TrackError as error:
        found.rescoring = _NOT_RESCORED
        found.lack(UncheckedError.of("track", error))
    else:
        found.ok("schema", said("fields", track=receipt.track))


def _signature(
    found: _Findings, receipt: Receipt, log: Log | None, supplied: bytes | None, *, in_repository: bool
) -> None:
    """Find the key by fingerprint, then verify; `signature` is the only member left uncovered."""
    fingerprint = receipt.fingerprint
    record = log.keyring.get(fingerprint) if log is not None else None
    if record is not None and record.role != "receipt":
        at = "signature.publicKeyFingerprint"
        raise _invalid("key", said("wrong-role", role=record.role), at)
    key = record.public_key if record is not None else supplied
    if record is None and in_repository:
        at = "signature.publicKeyFingerprint"
        raise _invalid("key", "not in the log: no key with this fingerprint was ever added", at)
    if key is None:
        found.verdict = Verdict.UNKNOWN_SIGNER
        found.warn("key", _foreign(receipt))
        found.steps.append(Step("signature", "not checked", said("key-needed")))
        return
    if signing.fingerprint(key) != fingerprint:
        found.verdict = Verdict.UNKNOWN_SIGNER
        found.warn("key", said("other-key", named=fingerprint, given=signing.fingerprint(key)))
        found.steps.append(Step("signature", "not checked", said("wrong-key")))
        return
    found.ok("key", fingerprint if record is not None else said("supplied-key", key=fingerprint))
    if not signing.verify(key, receipt.signed_bytes(), _signature_bytes(receipt)):
        raise _invalid("signature", said("signature-wrong"), "signature.value")
    found.ok("signature", said("signed"))
    if record is None:
        found.verdict = Verdict.UNKNOWN_SIGNER


def _signature_bytes(receipt: Receipt) -> bytes:
    """The signature's 64 bytes; none at all where its text is not the canonical base64url of any."""
    try:
        return signing.decode_base64url(receipt.signature["value"]) if receipt.signature else b""
    except InputError:
        return b""


def _foreign(receipt: Receipt) -> str:
    """What is said of a key that is not known here."""
    head = receipt.document.get("logHead")
    if not head:
        return said("foreign-key", key=receipt.fingerprint)
    return said("foreign-log", key=receipt.fingerprint, origin=head["origin"])


def _in_log(found: _Findings, receipt: Receipt, log: Log, witnessing: Witnessing | None) -> None:
    """Place the receipt in the log; the index decides which keys and methodologies were valid."""
    index = log.receipts.get(receipt.receipt_id)
    position = log.size if index is None else index
    key = log.keyring.get(receipt.fingerprint)
    worth = key_status(key, position) if key is not None else KeyStatus.OUTSIDE
    if worth is KeyStatus.OUTSIDE:
        at = "signature.publicKeyFingerprint"
        raise _invalid("key", said("key-outside", index=position), at)
    _composed_after(found, receipt, log, index)
    head = receipt.document.get("logHead")
    size = head["size"] if head is not None else None
    doubts = doubts_of(worth, witnessing, receipt.document["ranAt"], size)
    if index is None:
        found.warn("log", said("not-logged", size=log.size, origin=log.origin))
        for doubt in doubts:
            found.warn("events", doubt)
        found.verdict = Verdict.SUSPECT if doubts else Verdict.SIGNED_ONLY
        return
    entry = log.entry(index)
    if not isinstance(entry, ReceiptEntry) or entry.sha256 != canonical.sha256_hex(receipt.file_bytes()):
        raise _invalid("log", said("other-bytes", index=index), "sha256")
    found.index = index
    _documents(receipt, log, index, found.target)
    found.ok("log", logged_words(log, index))
    witnessed = _witnessed(found, index, witnessing)
    _withdrawn(found, receipt, log)
    standing_now = Verdict.WITNESSED if witnessed else Verdict.LOGGED
    found.verdict = _event_verdict(found, receipt.receipt_id, log, doubts) or standing_now


def _witnessed(found: _Findings, index: int, witnessing: Witnessing | None) -> bool:
    """Whether a trusted witness has cosigned a checkpoint that covers the entry."""
    if witnessing is None or not witnessing.witnesses:
        return False
    count = witnessing.witnesses_of(index)
    detail = said("cosigned", count=count, total=len(witnessing.witnesses))
    if count:
        found.ok("witness", detail)
    else:
        found.warn("witness", detail)
    return count > 0


def _withdrawn(found: _Findings, receipt: Receipt, log: Log) -> None:
    """Withdrawn evidence is a warning; scores computed from it can no longer be recomputed. A difference stays one."""
    for pinned in receipt.document.get("evidence") or ():
        index = log.withdrawn.get(pinned["sha256"])
        entry = log.entry(index) if index is not None else None
        if index is None or not isinstance(entry, WithdrawEvidenceEntry):
            continue
        detail = said("withdrawn", index=index, name=pinned["name"], reason=entry.reason)
        found.warn("evidence", detail, pinned["sha256"])
        if pinned["sha256"] in found.needed and found.rescoring.rescore is not Rescore.DIFFERS:
            reason = said("evidence-withdrawn", reason=entry.reason)
            found.rescoring = replace(found.rescoring, rescore=Rescore.NOT_RESCORABLE, reason=reason)


def _composed_after(found: _Findings, receipt: Receipt, log: Log, index: int | None) -> None:
    """The head the receipt saw must be one this log had, before the receipt's own entry."""
    head = receipt.document.get("logHead")
    if head is None:
        return
    position = log.size if index is None else index
    if head["origin"] != log.origin:
        raise _invalid("log", said("other-log", origin=head["origin"]), "logHead.origin")
    if index is None and head["size"] > log.size:
        found.warn("log", said("older-copy", seen=head["size"], size=log.size))
        return
    if head["size"] > position:
        raise _invalid("log", said("too-many-seen", size=head["size"]), "logHead.size")
    if base64.b64encode(log.root(head["size"])).decode() != head["root"]:
        raise _invalid("log", said("wrong-root", size=head["size"]), "logHead.root")


def _documents(receipt: Receipt, log: Log, index: int, target: Target | None) -> None:
    """The methodology and the data must be those that the log named before this receipt."""
    rules = receipt.document.get("methodology")
    if rules is not None:
        logged = log.methodologies.get((rules["id"], rules["version"]))
        if logged is None or logged.index > index or logged.sha256 != rules["sha256"]:
            raise _invalid("log", said("no-methodology"), "methodology.sha256")
    if target is None or target.sha256 is None:
        return
    known = log.fixtures.get(target.id)
    if known is None or known.index > index or known.sha256 != target.sha256:
        raise _invalid("log", said("no-data", id=target.id), f"{target.field}.sha256")


def _event_verdict(found: _Findings, receipt_id: str, log: Log, doubts: Sequence[str]) -> Verdict | None:
    """Doubts and later events speak in order of gravity, every one of them is listed; None where there are none."""
    events = log.events_about(receipt_id)
    for index, event in events:
        link = event.url if isinstance(event, DisputeEntry) else ""
        found.steps.append(Step("events", "warning", event_words(index, event), link=link))
    for doubt in doubts:
        found.warn("events", doubt)
    return gravest(events, doubts)


def missing(path: str, index: int) -> Examination:
    """What is said of a log entry whose file is gone."""
    step = Step("parse", "fail", f"file missing: {path}, named by log entry {index:,}", path)
    return replace(_Findings(verdict=Verdict.INVALID).close(), steps=(step,), index=index)
