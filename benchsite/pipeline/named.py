"""Which receipt a person means: a path (drafts included), an id, the first characters of one, or a web address."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from benchsite import canonical
from benchsite.errors import InputError, UsageError
from benchsite.pipeline.snapshot import Snapshot, download
from benchsite.receipt import Receipt, ReceiptError, parse, parse_draft

__all__ = ["Named", "beside", "named", "parsed", "receipt_named"]


def beside(name: str) -> list[Path]:
    """The folder of a receipt that is named by its path: documents are looked for there."""
    is_path = "/" in name or name.endswith(".json")
    return [Path(name).parent] if is_path and not download.is_address(name) else []


class Named(NamedTuple):
    """A receipt's repository path, None for a file of its own; its bytes; the address it was downloaded from, or nothing."""

    path: str | None
    data: bytes
    address: str = ""


def named(snapshot: Snapshot | None, name: str) -> Named:
    """The receipt that a path, an address or an id names."""
    if download.is_address(name):
        address, data = download.receipt(name)
        return Named(None, data, address)
    # Path.exists raises where a name is too long to be a file's; this says no.
    if "/" in name or name.endswith(".json") or os.path.exists(name):  # noqa: PTH110
        return Named(None, _handed(Path(name)))
    if snapshot is None:
        raise UsageError(
            f"no such file: {name}, and no instance here to look up a receipt id",
            hint="name an existing file, or run it inside a clone of the repository",
        )
    return Named(*snapshot.receipt_bytes(name))


def _handed(path: Path) -> bytes:
    """A file's bytes, or one more than a receipt may have: too large is malformed, as it is in the browser."""
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"not a regular file: {path}", hint="name the receipt's own file")
        with path.open("rb") as source:
            return source.read(canonical.MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        address = download.with_scheme(str(path))
        hint = f"for a web address: {address}" if address else "check the path and its permissions"
        raise InputError(f"{reason}: {path}", hint=hint) from None


def receipt_named(snapshot: Snapshot | None, name: str) -> Receipt:
    """The receipt or draft that a path, an id, the first characters of one, or a web address names; its signature is not checked.

    Raises:
        UsageError, InputError: there is none, or it cannot be read.
        ReceiptError: it is malformed; it is named.
    """
    try:
        return parsed(named(snapshot, name).data)
    except ReceiptError as error:
        raise ReceiptError(f"{name}: {error.message}", field=error.field, hint=error.hint) from None


def parsed(data: bytes) -> Receipt:
    """The bytes as a receipt, or as a draft where they have no signature; raises `ReceiptError`."""
    try:
        document = canonical.loads(data)
    except canonical.JsonError as error:
        raise ReceiptError(error.message, hint=error.hint) from None
    signed = isinstance(document, dict) and "signature" in document
    return parse(data) if signed else parse_draft(data)
