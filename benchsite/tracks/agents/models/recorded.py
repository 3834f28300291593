"""Recorded completions: the form of one in a file, and the digest of a request.

A completion is a JSON object with `text`, or `calls` (a list of `{tool, arguments}`), and perhaps `finishReason`,
`responded`, `tokensIn`, `tokensOut`, `costUsd`. The digest of a request is that of its messages, the names of its tools
and its settings, as canonical JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from benchsite import canonical
from benchsite.canonical import Json, JsonError
from benchsite.errors import InputError
from benchsite.schema import Schema, Text, first_fault
from benchsite.tracks.agents.models import Completion, Message, Usage
from benchsite.tracks.agents.tools import Call, Tool

__all__ = ["RecordedCompletion", "read_file", "request_sha256"]

_MOST: int = 100_000


class _RecordedCall(Schema):
    tool: Text
    arguments: dict[str, Any]


class RecordedCompletion(Schema):
    """One completion of a file; members as in `Completion`."""

    request: str | None = None
    text: str | None = None
    calls: Annotated[tuple[_RecordedCall, ...], Field(strict=False, max_length=100)] = ()
    finish_reason: Text = "stop"
    responded: Text | None = None
    tokens_in: Annotated[int, Field(ge=0)] | None = None
    tokens_out: Annotated[int, Field(ge=0)] | None = None
    cost_usd: Annotated[float, Field(ge=0)] | None = None

    def completion(self, responded: str) -> Completion:
        """Return the completion; `responded` names the model if the record does not."""
        return Completion(
            self.text,
            tuple(Call(call.tool, call.arguments) for call in self.calls),
            self.finish_reason,
            self.responded or responded,
            Usage(self.tokens_in, self.tokens_out),
            self.cost_usd,
        )


_FILE = TypeAdapter(Annotated[list[RecordedCompletion], Field(max_length=_MOST, fail_fast=True)])


def read_file(path: str, provider: str) -> tuple[list[RecordedCompletion], str]:
    """Return the completions of a file, a JSON list, and the SHA-256 of its bytes.

    Raises:
        InputError: it cannot be read or is malformed.
    """
    try:
        data = Path(path).read_bytes()
        return _FILE.validate_python(canonical.loads(data)), canonical.sha256_hex(data)
    except OSError as error:
        raise InputError(
            f"model {provider}: {path}: {error.strerror}",
            hint=f"name a JSON file of completions: --model {provider}:FILE",
        ) from None
    except JsonError as error:
        raise InputError(f"model {provider}: {path}: {error.message}", hint=error.hint) from None
    except ValidationError as error:
        place, fault = first_fault(error)
        raise InputError(
            f"model {provider}: {path}: {place or 'file'}: {fault}", hint="a file is a list of completions"
        ) from None


def request_sha256(messages: Sequence[Message], tools: Sequence[Tool], settings: Mapping[str, Json]) -> str:
    """Return the digest that names a request."""
    return canonical.digest(
        {
            "messages": [dict(message) for message in messages],
            "tools": [tool.name for tool in tools],
            "settings": dict(settings),
        }
    )
