"""Token counts that a server states: each one that can be right, and None for any other, never 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchsite.canonical import MAX_INTEGER
from benchsite.tracks.agents.models import Usage

__all__ = ["usage"]


def usage(stated: object) -> Usage:
    """Return the usage of an answer in OpenAI's protocol; cached and reasoning tokens are part of input and output."""
    if not isinstance(stated, dict):
        return Usage()
    tokens_in = _count(stated, "prompt_tokens") or None  # a prompt has tokens
    tokens_out = _count(stated, "completion_tokens")
    cached = _count(stated.get("prompt_tokens_details"), "cached_tokens")
    reasoning = _count(stated.get("completion_tokens_details"), "reasoning_tokens")
    return Usage(tokens_in, tokens_out, _part(cached, tokens_in), _part(reasoning, tokens_out))


def _count(stated: object, name: str) -> int | None:
    value: Any = stated.get(name) if isinstance(stated, Mapping) else None
    return value if type(value) is int and 0 <= value <= MAX_INTEGER else None


def _part(part: int | None, whole: int | None) -> int | None:
    """A number of tokens that is part of another; None if it is larger than the whole."""
    return part if part is not None and whole is not None and part <= whole else None
