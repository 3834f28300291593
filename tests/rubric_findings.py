"""What the demands of a version say of a receipt: codes with their fields, and sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rubric_receipts import SIX, draft

from benchsite.tracks.rubric.demands import violations

Document = dict[str, Any]
Edit = Callable[[Document], Any]


def codes(document: Document) -> list[tuple[str, str]]:
    """(code, field) of each violation."""
    return [(item.code, item.field) for item in violations(document)]


def messages(document: Document) -> str:
    """All sentences, one a line."""
    return "\n".join(item.message for item in violations(document))


def edited(version: str, edit: Edit) -> Document:
    """A receipt that its version accepts, changed."""
    document = draft(version, SIX)
    edit(document)
    return document
