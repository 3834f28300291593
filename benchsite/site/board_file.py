"""A leaderboard as one file that verifies itself offline: verify.html with the statement, the log and the receipts in it.

The file's trust data has one member more, `board`, which the engine hash does not cover. A visitor who drops the file on a
saved verify page verifies it by the keys of that page; one who opens it alone trusts the keys in the file.
"""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from benchsite import canonical

__all__ = ["carried", "is_page", "stated_in", "with_board"]

_TRUST: Final = re.compile(rb'<script type="application/json" id="trust">(.*?)</script>', re.DOTALL)


def carried(
    statement: Mapping[str, Any],
    *,
    checkpoint: bytes,
    entries: Iterable[bytes],
    receipts: Iterable[bytes],
    documents: Sequence[bytes] = (),
    cosignatures: bytes = b"",
) -> dict[str, Any]:
    """Return what a file carries of a leaderboard.

    Args:
        statement: of `benchsite.board.statement`.
        checkpoint: the signed note over all `entries`.
        entries: of the log, from the first.
        receipts: the bytes of every published file that an entry of the statement's log names.
        documents: the files of methodologies that a release may not have.
        cosignatures: lines of earlier checkpoints.
    """
    return {
        "statement": dict(statement),
        "checkpoint": checkpoint.decode("utf-8"),
        "cosignatures": cosignatures.decode("utf-8"),
        "entries": _packed(entries),
        "receipts": _packed(receipts),
        "documents": [one.decode("utf-8") for one in documents],
    }


def _packed(lines: Iterable[bytes]) -> str:
    """Canonical JSON has no line feed: each value is a line."""
    return b64encode(gzip.compress(b"\n".join(lines), mtime=0)).decode("ascii")


def with_board(trust: bytes, board: Mapping[str, Any]) -> bytes:
    """Return a site's trust data with a leaderboard in it."""
    value = canonical.loads(trust)
    assert isinstance(value, dict)  # noqa: S101 - `benchsite.site.trust` made it
    return canonical.dumps({**value, "board": dict(board)})


def is_page(data: bytes) -> bool:
    """Whether bytes are a page, and not a statement alone."""
    return data.lstrip()[:14].lower() == b"<!doctype html"


def stated_in(data: bytes) -> Any:
    """Return what a saved page states of a leaderboard, unchecked; None if it carries none."""
    found = _TRUST.search(data)
    try:
        value = json.loads(found[1]) if found is not None else None
    except ValueError:
        return None
    board = value.get("board") if isinstance(value, dict) else None
    return board.get("statement") if isinstance(board, dict) else None
