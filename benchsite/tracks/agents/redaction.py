"""Secrets out of records: the values of credential variables never reach a file (specs/agents.md, "Artifacts")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

__all__ = ["REDACTED", "redacted"]

REDACTED: Final = "[redacted]"


def redacted(value: Any, secrets: Sequence[str]) -> Any:
    """Return a JSON value in which every occurrence of a secret is replaced, in keys too."""
    if not secrets:
        return value
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, REDACTED)
        return value
    if isinstance(value, Mapping):
        return {redacted(key, secrets): redacted(item, secrets) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [redacted(item, secrets) for item in value]
    return value
