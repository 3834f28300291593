"""`results/inbox/`: drafts that submitters send by pull request, and what becomes of them.

Only committed files count. A draft is taken for what it says it measured and for nothing else: it is published as
submitted (`ranBy.kind`, whatever the file says), under our signature, once its numbers follow from its evidence. The
signature attests the receipt and the re-score, never the execution.

Refuses links, files of another name than their receipt's id, files larger than a draft may be, and drafts that act
on the record: only its maintainer supersedes a receipt or reports a run that the log announced.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple, Self

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.errors import BenchsiteError, InputError
from benchsite.layout import INBOX, inbox_path
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.receipt import Receipt, ReceiptError, UnsupportedSchema, compose, parse_draft
from benchsite.repo import TreeFile
from benchsite.words import shown_path

_LONGEST_FAULT: Final = 200
"""Characters of an exception's text that a refusal quotes."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A file of the committed inbox: the draft as it would be published, or why it cannot be."""

    path: str
    draft: Receipt | None = None
    error: BenchsiteError | None = None
    blob_id: str = ""


def sent(snapshot: Snapshot) -> tuple[Sent, ...]:
    """Return every file of the committed inbox but its placeholder, in name order."""
    files = [item for item in snapshot.tree(INBOX) if item.path != f"{INBOX}/.gitkeep"]
    log = snapshot.log if files else None
    published = log.receipts if log is not None else {}
    return tuple(
        replace(_looked_at(_File.held(snapshot, item), published), blob_id=item.blob_id) for item in files
    )


def place(workspace: Workspace, path: Path) -> str | None:
    """The repository path of a file of the inbox, links not followed; None for any other file."""
    located = path.parent.resolve() / path.name
    root = workspace.root.resolve()
    return located.relative_to(root).as_posix() if located.is_relative_to(root / INBOX) else None


def accepted(found: Mapping[str, Sent], name: str) -> Receipt:
    """The draft of a file among those of the inbox, as it will be published.

    Raises:
        InputError: it is not committed, or cannot be published.
    """
    item = found.get(name)
    if item is None:
        raise InputError(
            f"{shown_path(name)} is not committed",
            hint="commit submitted drafts, for example by merging the pull request",
        )
    if item.draft is None:
        raise item.error or InputError(f"{shown_path(name)} is not a draft receipt", hint="look at the file")
    return item.draft


def submitted(draft: Receipt) -> Receipt:
    """The draft as it is published: run by its submitter, everything but `ranBy.kind` as it was sent."""
    ran_by = {**draft.document["ranBy"], "kind": "submitted"}
    return compose({**draft.document, "ranBy": ran_by})


@contextmanager
def contained(name: str) -> Iterator[None]:
    """Turn any exception that a submitter's draft causes into the refusal of that draft.

    Raises:
        InputError: something that is not a `BenchsiteError` was raised; its type is named.
    """
    try:
        yield
    except BenchsiteError:
        raise
    except Exception as fault:
        kind = type(fault).__name__
        try:
            text = shown_path(str(fault))[:_LONGEST_FAULT]
        except Exception:  # noqa: BLE001 - an exception whose own text cannot be made
            text = ""
        raise InputError(
            f"{name} cannot be checked: its data cause {shown_path(kind)}{f': {text}' if text else ''}",
            hint="inspect its evidence; report the error to the maintainers of benchsite or of the track",
        ) from fault


def has_committed(snapshot: Snapshot, receipt_id: str, blob_id: str) -> bool:
    """Whether the committed inbox has a draft as this blob."""
    return [item.blob_id for item in snapshot.tree(inbox_path(receipt_id))] == [blob_id]


def same(one: Receipt, other: Receipt) -> bool:
    """Whether two drafts are of one run, whatever `ranBy` says."""
    return submitted(one).data == submitted(other).data


def holds_same(snapshot: Snapshot, draft: Receipt) -> bool:
    """Whether the committed inbox has this draft, which leaves it when it is published."""
    data = snapshot.read(inbox_path(draft.receipt_id))
    try:
        return data is not None and same(parse_draft(data), draft)
    except (ReceiptError, UnsupportedSchema, JsonError):
        return False


def in_working_tree(workspace: Workspace, snapshot: Snapshot) -> tuple[Sent, ...]:
    """As `sent`, as if the working tree were committed as it is: for a preview, and for nothing that is published."""
    changed = [path for path in workspace.repository.changed_paths(INBOX) if path != f"{INBOX}/.gitkeep"]
    log = snapshot.log if changed else None
    published = log.receipts if log is not None else {}
    there = [path for path in changed if os.path.lexists(workspace.root / path)]
    return (
        *(item for item in sent(snapshot) if item.path not in changed),
        *(_looked_at_on_disk(workspace, path, published) for path in there),
    )


def _looked_at_on_disk(workspace: Workspace, path: str, published: Collection[str]) -> Sent:
    odd = InputError(f"{shown_path(path)} is not a regular file", hint="inspect it, and remove it")
    if place(workspace, workspace.root / path) != path:  # nothing is read through a link
        return Sent(shown_path(path), error=odd)
    try:
        return _looked_at(_File.on_disk(workspace, path), published)
    except OSError:
        return Sent(shown_path(path), error=odd)


class _File(NamedTuple):
    """A file of the inbox, with the mode that git gives it; `read` gives None where it is too large."""

    path: str
    mode: str
    read: Callable[[], bytes | None]

    @classmethod
    def held(cls, snapshot: Snapshot, item: TreeFile) -> Self:
        """As the commit has it."""

        def read() -> bytes | None:
            small = snapshot.repository.size(item.blob_id) <= canonical.MAX_BYTES
            return snapshot.repository.blob(item.blob_id) if small else None

        return cls(item.path, item.mode, read)

    @classmethod
    def on_disk(cls, workspace: Workspace, path: str) -> Self:
        """As it is in the working tree."""
        file = workspace.root / path
        about = file.lstat()
        regular = stat.S_ISREG(about.st_mode)
        bits = (0o755 if about.st_mode & stat.S_IXUSR else 0o644) if regular else 0

        def read() -> bytes | None:
            small = about.st_size <= canonical.MAX_BYTES
            return read_bounded(file, canonical.MAX_BYTES) if small else None

        return cls(path, f"{stat.S_IFMT(about.st_mode) | bits:o}", read)


def _looked_at(file: _File, published: Collection[str]) -> Sent:
    try:
        with contained(shown_path(file.path)):
            return Sent(file.path, submitted(_read(file, shown_path(file.path), published)))
    except BenchsiteError as error:
        return Sent(shown_path(file.path), error=error)


def _read(file: _File, shown: str, published: Collection[str]) -> Receipt:
    """The draft of a file; raises `InputError` naming the file where a submitter may not send it."""
    remove = f"tell the submitter, and remove it in a commit: git rm {shown}"
    if file.mode != "100644":
        raise InputError(f"{shown} is not a regular file (git mode {file.mode})", hint=remove)
    data = file.read()
    if data is None:
        raise InputError(f"{shown} is larger than {canonical.MAX_BYTES:,} bytes", hint=remove)
    try:
        draft = parse_draft(data)
    except (ReceiptError, UnsupportedSchema, JsonError) as error:
        signed = isinstance(error, ReceiptError) and error.field == "signature"
        said = "it carries a signature" if signed else error.message
        raise InputError(f"{shown} is not a draft receipt: {said}", hint=remove) from None
    if file.path != inbox_path(draft.receipt_id):
        raise InputError(
            f"{shown} holds draft {draft.receipt_id}", hint=f"its name is {draft.receipt_id}.json"
        )
    if draft.receipt_id in published:
        raise InputError(f"{shown} is already published", hint=remove)
    if not draft.is_canonical:
        raise InputError(f"{shown} is not canonical JSON", hint=f"benchsite canonicalize {shown}")
    for field, words in _NOT_THEIRS.items():
        if draft.document[field] is not None:
            raise InputError(f"{shown}: {field}: a submitted draft cannot {words}", hint=remove)
    return draft


_NOT_THEIRS: Final = {
    "supersedes": "supersede a receipt",
    "intentId": "report a run that this log pre-registered",
}
