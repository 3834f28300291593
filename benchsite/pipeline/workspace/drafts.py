"""Drafts: unsigned receipts in `.benchsite/drafts/`, canonical bytes, named by their id."""

from __future__ import annotations

from pathlib import Path

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.layout import DRAFTS
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.pipeline.workspace.scratch import require_folder
from benchsite.receipt import Receipt, ReceiptError, UnsupportedSchema, parse_draft
from benchsite.repo import write_atomically
from benchsite.words import shown_path

LARGEST_DRAFT = canonical.MAX_BYTES - 1024
"""Room is left for the signature."""


def save(workspace: Workspace, draft: Receipt) -> Path:
    """Write a draft where `publish` looks for it."""
    path = require_folder(workspace.root, DRAFTS) / f"{draft.receipt_id}.json"
    write_atomically(path, draft.file_bytes())
    return path


def load(path: Path) -> Receipt:
    """Read a draft.

    Raises:
        InputError: the file cannot be read, is no draft of the current schema, or is not canonical bytes.
    """
    data = read_bounded(path, canonical.MAX_BYTES)
    shown = shown_path(str(path))
    try:
        draft = parse_draft(data)
    except (ReceiptError, UnsupportedSchema, canonical.JsonError) as error:
        raise InputError(f"draft {shown}: {error.message}", hint="re-run it, or move the file away") from None
    if not draft.is_canonical:
        raise InputError(f"draft {shown} is not canonical JSON", hint=f"benchsite canonicalize {shown}")
    return draft
