"""The body of a receipt that a History has verified, parsed once more from the bytes that its header names."""

from __future__ import annotations

from hashlib import sha256
from typing import cast

from benchsite.canonical.document import read_again
from benchsite.errors import IntegrityError
from benchsite.history import Header
from benchsite.receipt import Document

__all__ = ["document"]


def document(header: Header, data: bytes) -> Document:
    """Return the body of a verified receipt, whose strict reading its verification was.

    Raises:
        IntegrityError: these are not the bytes that were verified.
    """
    if sha256(data).hexdigest() != header.sha256:
        raise IntegrityError(
            "a verified receipt changed while the record was being read", hint="run the command once more"
        )
    return cast("Document", read_again(data))
