"""What the demands of a version say of a receipt: codes with their fields, and sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rubric_receipts import SIX, draft
from rubric_rules import RULES

from benchsite.history import Violation
from benchsite.tracks.rubric.violations import violations

Document = dict[str, Any]
Edit = Callable[[Document], Any]


def found(document: Document) -> list[Violation]:
    """The violations of a receipt by the rules of its version."""
    return list(violations(document, RULES[document["methodology"]["version"]]))


def codes(document: Document) -> list[tuple[str, str]]:
    """(code, field) of each violation."""
    return [(item.code, item.field) for item in found(document)]


def messages(document: Document) -> str:
    """All sentences, one a line."""
    return "\n".join(item.message for item in found(document))


def edited(version: str, edit: Edit) -> Document:
    """A receipt that its version accepts, changed."""
    document = draft(version, SIX)
    edit(document)
    return document
