"""The part for evaluators' ratings: what a sheet is, which sheets a receipt joins, and a blank one to fill in."""

from __future__ import annotations

from typing import Final

from benchsite.errors import UsageError
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.tracks.rubric import new_sheet

__all__ = ["blank", "digests", "is_sheet"]

_MARKS: Final = frozenset({"methodology", "template"})


def digests(document: Document) -> tuple[str, ...]:
    """The sha256 of each sheet that a receipt joins."""
    return tuple(document["config"]["sheets"])


def is_sheet(value: object) -> bool:
    """Whether a YAML document says at its top which methodology and template it was filled in for."""
    return isinstance(value, dict) and value.keys() >= _MARKS


def blank(rules: Methodology, template: str) -> str:
    """The sheet to fill in, its anchors as comments; raises `UsageError` naming the templates there are."""
    instrument = rules.data.instrument
    found = instrument.template(template) if instrument is not None else None
    if found is None:
        known = [item.slug for item in instrument.templates] if instrument is not None else []
        raise UsageError(
            f"rubric {rules.data.version} has no template {template!r}", hint=f"available: {', '.join(known)}"
        )
    return new_sheet.blank(rules, found)
