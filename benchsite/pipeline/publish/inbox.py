"""`results/inbox/`: drafts that strangers send by pull request, and what becomes of them.

Only committed files count. A draft is taken for what it says it measured and for nothing else: it is published as
run by somebody else (`ranBy.kind` is `submitted`, whatever the file says), under our signature, once its numbers
follow from its evidence. The signature attests the receipt and the re-score, never the execution.

Refuses links, files of another name than their receipt's id, files larger than a draft may be, and drafts that act
on the record: nobody but its keeper supersedes a receipt or reports a run that the keeper announced.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.errors import InputError
from benchsite.layout import INBOX
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.instance.files import read_bounded
from benchsite.receipt import Receipt, ReceiptError, UnsupportedSchema, compose, parse_draft
from benchsite.repo import TreeFile
from benchsite.words import shown_path


@dataclass(frozen=True, slots=True)
class Sent:
    """A file of the inbox at HEAD; `error` says why it cannot be published, None where nothing speaks against it."""

    path: str
    error: InputError | None = None


def sent(instance: Instance) -> tuple[Sent, ...]:
    """Every file of the inbox at HEAD but its placeholder, in name order."""
    return _sent(instance, INBOX)


def _sent(instance: Instance, place: str) -> tuple[Sent, ...]:
    """The files at and below a path of the inbox."""
    files = [item for item in instance.repository.tree(place) if item.path != f"{INBOX}/.gitkeep"]
    log = instance.open_log() if files else None
    published = log.receipts if log is not None else {}
    return tuple(_looked_at(instance, item, published) for item in files)


def paths(instance: Instance) -> list[Path]:
    """The drafts of the inbox as `publish` reads them; a file that is none which may be published stops no other."""
    return [instance.root / item.path for item in sent(instance) if item.error is None]


def accepted(instance: Instance, path: Path) -> Path:
    """A file of the inbox that somebody named.

    Raises:
        InputError: it is not committed, or none that may be published.
    """
    name = _located(path).relative_to(instance.root.resolve()).as_posix()
    found = next((item for item in _sent(instance, name) if item.path == name), None)
    if found is None:
        raise InputError(
            f"{name} is not committed",
            hint="what strangers send comes in by a commit, such as a merged pull request",
        )
    if found.error is not None:
        raise found.error
    return instance.root / name


def holds(instance: Instance, path: Path) -> bool:
    """Whether a file, or a link to one, lies in the inbox."""
    return _located(path).is_relative_to(instance.root.resolve() / INBOX)


def _located(path: Path) -> Path:
    """Where a path lies, without following it when it is a link."""
    return path.parent.resolve() / path.name


def submitted(draft: Receipt) -> Receipt:
    """The draft as it is published: run by somebody else, everything but `ranBy.kind` as it was sent."""
    ran_by = {**draft.document["ranBy"], "kind": "submitted"}
    return compose({**draft.document, "ranBy": ran_by})


def _looked_at(instance: Instance, item: TreeFile, published: Collection[str]) -> Sent:
    shown = shown_path(item.path)
    try:
        _check(instance, item, shown, published)
    except InputError as error:
        return Sent(shown, error)
    return Sent(item.path)


def _check(instance: Instance, item: TreeFile, shown: str, published: Collection[str]) -> None:
    """Refuse a file that is no draft which a stranger may send; raises `InputError` naming it."""
    remove = f"send it back, and remove it in a commit: git rm {shown}"
    if item.mode != "100644":
        raise InputError(f"{shown} is not a regular file (git mode {item.mode})", hint=remove)
    file = instance.root / item.path
    if file.is_symlink() or not file.is_file():
        raise InputError(
            f"{shown} is committed and not in the working tree", hint="git restore results/inbox"
        )
    read_bounded(file, canonical.MAX_BYTES)
    try:
        draft = parse_draft(instance.repository.blob(item.blob_id))
    except (ReceiptError, UnsupportedSchema, JsonError) as error:
        signed = isinstance(error, ReceiptError) and error.field == "signature"
        said = "it carries a signature" if signed else error.message
        raise InputError(f"{shown} is no draft: {said}", hint=remove) from None
    if item.path != f"{INBOX}/{draft.receipt_id}.json":
        raise InputError(
            f"{shown} holds draft {draft.receipt_id}", hint=f"its name is {draft.receipt_id}.json"
        )
    if draft.receipt_id in published:
        raise InputError(f"{shown} holds a receipt that is published already", hint=remove)
    if not draft.is_canonical:
        raise InputError(f"{shown} is not canonical JSON", hint=f"benchsite canonicalize {shown}")
    for field, words in _NOT_THEIRS.items():
        if draft.document[field] is not None:
            raise InputError(f"{shown}: {field}: a draft sent by somebody else cannot {words}", hint=remove)


_NOT_THEIRS: Final = {
    "supersedes": "supersede a receipt",
    "intentId": "report a run that this log announced",
}
