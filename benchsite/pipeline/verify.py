"""verify and rescore: the same examination for a file, a draft, or the whole record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchsite import executors, plugins, signing
from benchsite.errors import BenchsiteError, InputError, PrerequisiteError
from benchsite.history import (
    SENTENCES,
    Examination,
    Materials,
    Rescore,
    Rescoring,
    Verdict,
    examine,
    missing,
    rescored,
    said,
)
from benchsite.layout import receipt_path, sort_of
from benchsite.log import Log
from benchsite.pipeline.named import Named, beside, named, parsed
from benchsite.pipeline.snapshot import Snapshot, materials_without_record
from benchsite.pipeline.snapshot.integrity import faults, refusal
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.receipt import ReceiptError, UnsupportedSchema, parse_draft
from benchsite.words import shown_path

_LARGEST_KEY = 64 * 1024


@dataclass(frozen=True, slots=True)
class Checked:
    """A receipt as it was named, and what the examination found; `error` where it could not be read.

    `about` is the system and what it was run on, in words; empty where the file could not be trusted to name them.
    `address` is where the file was downloaded from, empty for a file on this machine; `log` is the log that it was compared
    with, None for none.
    """

    path: str
    receipt_id: str | None
    examination: Examination | None
    error: BenchsiteError | None = None
    about: str = ""
    address: str = ""
    log: Log | None = None

    @property
    def exit_code(self) -> int:
        """The examination's, or the reading error's."""
        if self.examination is not None:
            return self.examination.exit_code
        return self.error.exit_code if self.error is not None else 1

    @property
    def has_no_log_for_signer(self) -> bool:
        """Whether the signer is unknown only because there was no log to look it up in."""
        seen = self.examination
        return seen is not None and seen.verdict is Verdict.UNKNOWN_SIGNER and self.log is None

    def hint(self, key: bytes | None) -> str:
        """The next step of what stopped the check, or of a signature not checked against the raw public key `key`."""
        seen = self.examination
        if seen is None:
            return self.error.hint if self.error is not None else ""
        if advice := _advice(seen):
            return advice
        if seen.verdict is not Verdict.UNKNOWN_SIGNER or seen.signature_checked or seen.receipt is None:
            return ""
        needed = seen.receipt.fingerprint
        if key is None:
            clone = "" if self.log is not None else "clone the site's repository and run it there, or "
            return f"{clone}benchsite verify --key PEM, with the public key {needed} from a source you trust"
        return f"supply the public key {needed}; the key supplied is {signing.fingerprint(key)}"


def _about(seen: Examination) -> str:
    """`bm25 1.0.0 (stopwords) on three-notebooks-v1`, of a receipt whose fields were found valid."""
    if seen.receipt is None or seen.verdict in (Verdict.INVALID, Verdict.UNSUPPORTED):
        return ""
    summary = plugins.track(seen.receipt.track).summary(seen.receipt.document, None)
    return f"{summary.subject} on {summary.target}"


def _advice(seen: Examination) -> str:
    """The next step that the first error among the steps names."""
    return next((step.hint for step in seen.steps if step.hint), "")


def exit_code(codes: Sequence[int]) -> int:
    """Of several receipts: 3 before 4 before 5 (DESIGN.md)."""
    return next((code for code in (3, 4, 5, 2, 1) if code in codes), 0)


def supplied_key(path: Path) -> bytes:
    """The raw public key in a PEM file the user trusts.

    Raises:
        InputError: it is not an Ed25519 public key.
    """
    try:
        return signing.load_public_pem(read_bounded(path, _LARGEST_KEY).decode("ascii"))
    except UnicodeDecodeError:
        raise InputError(
            f"not a PEM file: {path}", hint="name a public key such as keys/receipt-signing.pub"
        ) from None


def verify(
    snapshot: Snapshot | None,
    names: Sequence[str],
    *,
    everything: bool = False,
    key: bytes | None = None,
    methodologies: Sequence[Path] = (),
    deep: bool = False,
    documents: bool = True,
) -> Iterator[Checked]:
    """Examine receipts by path, id or prefix, or every published one.

    Args:
        snapshot: the record with the log and the published receipts; None outside any instance.
        names: paths, ids, prefixes.
        everything: every receipt the log names, and every published file it does not.
        key: raw public key for receipts of another log.
        methodologies: folders with the documents of versions that are not in the record.
        deep: re-score bootstrap intervals too.
        documents: keep the receipt of each examination; without, `everything` uses every core, and only what has a
            problem keeps its receipt.
    """
    if everything:
        if snapshot is None:
            raise PrerequisiteError(
                "no instance here: --all verifies every receipt of one",
                hint="run it inside a clone of the repository",
            )
        yield from _everything(snapshot, methodologies, deep=deep, documents=documents)
    log = (
        snapshot.log if snapshot is not None else None
    )  # a record that contradicts itself fails before any name
    for name in names:
        try:
            path, data, address = named(snapshot, name)
        except BenchsiteError as error:
            yield Checked(name, None, None, error)
            continue
        folders = [*methodologies, *beside(name)]
        try:
            seen = examined(snapshot, data, key=key, methodologies=folders, name=name, path=path, deep=deep)
        except PrerequisiteError as error:
            yield Checked(name, None, None, error)
            continue
        yield Checked(path or name, seen.receipt_id, seen, about=_about(seen), address=address, log=log)


def examined(
    snapshot: Snapshot | None,
    data: bytes,
    *,
    key: bytes | None = None,
    methodologies: Sequence[Path] = (),
    name: str = "this file",
    path: str | None = None,
    deep: bool = False,
) -> Examination:
    """Examine one receipt; the arguments are those of `verify` and of `history.examine`.

    Args:
        snapshot: as for `verify`.
        data: the file's bytes.
        key: as for `verify`.
        methodologies: as for `verify`.
        name: what messages call it.
        path: the path in the record that the bytes were read from; None for a file that was handed over.
        deep: as for `verify`.

    Raises:
        PrerequisiteError: it is a draft.
    """
    log = snapshot.log if snapshot is not None else None
    seen = examine(
        data,
        log=log,
        scorers=plugins.tracks(),
        materials=_materials(snapshot, methodologies),
        witnessing=snapshot.witnessing if snapshot is not None else None,
        supplied_key=key,
        path=path,
        deep=deep,
    )
    if path is None and _is_draft(seen, data, log):
        raise _draft(name)
    return seen


def _materials(snapshot: Snapshot | None, folders: Sequence[Path], *, evaluate: bool = False) -> Materials:
    """Return what re-scoring is given, inside a repository or outside."""
    if snapshot is None:
        return materials_without_record(folders)
    return snapshot.materials_with(folders, evaluate=evaluate)


def _is_draft(seen: Examination, data: bytes, log: Log | None) -> bool:
    """Whether all that a file lacks is its signature; a logged receipt that lost its own is not a draft."""
    if seen.failed is None or seen.failed.field != "signature":
        return False
    try:
        draft = parse_draft(data)
    except ReceiptError:
        return False
    return log is None or draft.receipt_id not in log.receipts


def _draft(name: str) -> PrerequisiteError:
    return PrerequisiteError(
        f"{said('draft')}: {name}",
        hint=f"run benchsite rescore {name} to check its scores, benchsite publish to sign and log it",
    )


class _Filed(NamedTuple):
    """A receipt as the log or the tree names it: `blob_id` is None where the file is gone."""

    path: str
    blob_id: str | None
    logged: tuple[str, int] | None


class _Shared(NamedTuple):
    """What every examination of one record is given; `documents` as for `verify`."""

    read: Callable[[str], bytes]
    examine: Callable[..., Examination]
    documents: bool


def _everything(
    snapshot: Snapshot, methodologies: Sequence[Path], *, deep: bool, documents: bool
) -> Iterator[Checked]:
    log = snapshot.log
    files = {item.path: item.blob_id for item in snapshot.published}
    logged = log.receipts if log is not None else {}
    places = {receipt_path(receipt_id): (receipt_id, index) for receipt_id, index in logged.items()}
    units = [_Filed(path, files.get(path), places.get(path)) for path in dict.fromkeys((*places, *files))]
    alike = partial(
        examine,
        log=log,
        scorers=plugins.tracks(),
        materials=snapshot.materials_with(methodologies),
        witnessing=snapshot.witnessing,
        deep=deep,
    )
    shared = _Shared(snapshot.repository.blob, alike, documents)
    for checked in (executors.inline if documents else executors.run)(_check_some, shared, units):
        yield replace(checked, log=log)
    # What is wrong with receipts themselves is said above, by examining each.
    told: set[str] = set()
    for finding in faults(snapshot) if log is not None else ():
        if sort_of(finding.path) != "receipt" and finding.path not in told:
            told.add(finding.path)
            yield Checked(shown_path(finding.path), None, None, refusal(finding))


def _check_some(shared: _Shared, units: Sequence[_Filed]) -> list[Checked]:
    """What is found of some receipts: the unit of work that processes share."""
    found = []
    for path, blob_id, logged in units:
        if blob_id is None:
            receipt_id, index = logged or (None, 0)
            found.append(Checked(path, receipt_id, missing(path, index)))
            continue
        seen = shared.examine(shared.read(blob_id), path=path)
        checked = Checked(path, seen.receipt_id, seen, about=_about(seen))
        # A document costs as much to hand over as to parse; of a good receipt only its verdict is told.
        if not shared.documents and checked.exit_code == 0:
            checked = replace(checked, examination=replace(seen, receipt=None))
        found.append(checked)
    return found


@dataclass(frozen=True, slots=True)
class Rescored:
    """A receipt or draft re-scored, bootstrap intervals included."""

    path: str
    receipt_id: str
    rescoring: Rescoring | None
    error: BenchsiteError | None = None
    address: str = ""

    @property
    def exit_code(self) -> int:
        """3 where a number differs or an invariant is broken, or the error's own."""
        if self.rescoring is None:
            return self.error.exit_code if self.error is not None else 1
        broken = self.rescoring.rescore is Rescore.DIFFERS or self.rescoring.violations
        return 3 if broken else 0


def rescore(
    snapshot: Snapshot | None,
    names: Sequence[str],
    *,
    everything: bool = False,
    methodologies: Sequence[Path] = (),
    evaluate: bool = False,
) -> Iterator[Rescored]:
    """Re-score receipts from the evidence that is at hand, drafts too; `evaluate` runs the benchmark's evaluator too."""
    for name in names:
        try:
            asked = named(snapshot, name)
            materials = _materials(snapshot, [*methodologies, *beside(name)], evaluate=evaluate)
            yield _rescore(name, asked, materials)
        except BenchsiteError as error:
            yield Rescored(name, "", None, error)
    if not everything:
        return
    found = verify(snapshot, (), everything=True, methodologies=methodologies, deep=True, documents=False)
    for checked in found:
        seen = checked.examination
        if seen is None:
            yield Rescored(checked.path, "", None, checked.error)
        elif seen.verdict is Verdict.INVALID:
            step = seen.failed
            reason = step.detail if step is not None else SENTENCES[seen.verdict]
            yield Rescored(
                checked.path, checked.receipt_id or "", None, ReceiptError(reason, hint=_advice(seen))
            )
        elif seen.verdict is Verdict.UNSUPPORTED:
            reason = next(
                (step.detail for step in seen.steps if step.state == "not checked"), SENTENCES[seen.verdict]
            )
            yield Rescored(
                checked.path, checked.receipt_id or "", None, UnsupportedSchema(reason, hint=_advice(seen))
            )
        else:
            yield Rescored(checked.path, checked.receipt_id or "", seen.rescoring)


def _rescore(name: str, asked: Named, materials: Materials) -> Rescored:
    receipt = parsed(asked.data)
    _, rescoring = rescored(receipt, plugins.tracks(), materials, deep=True)
    return Rescored(name, receipt.receipt_id, rescoring, address=asked.address)
