"""Recorded completions: the form of one in a file, and the digest of a request.

A completion is a JSON object with `text`, or `calls` (a list of `{tool, arguments}`), and perhaps `finishReason`,
`responded`, `tokensIn`, `tokensOut`, `tokensCached`, `tokensReasoning`, `costUsd`. A script is a list of them. A recording is
a file of lines: each also says in which `run` the model (`model`) was asked what (`request`) for the how-manieth time
(`occurrence`, from 0), or the `error` that the provider ended with instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import Field, TypeAdapter, ValidationError

from benchsite import canonical
from benchsite.canonical import Json, JsonError
from benchsite.errors import InputError
from benchsite.schema import Schema, Sha256Hex, Text, first_fault
from benchsite.tracks.agents.models import Completion, Message, Usage
from benchsite.tracks.agents.tools import Call, Tool

__all__ = ["Answer", "RecordedCompletion", "read_script", "request_sha256"]

_MOST: Final = 100_000
_Tokens = Annotated[int, Field(ge=0)]


class _RecordedCall(Schema):
    tool: Text
    arguments: dict[str, Any]


class RecordedCompletion(Schema):
    """One completion of a script; members as in `Completion`."""

    text: str | None = None
    calls: Annotated[tuple[_RecordedCall, ...], Field(strict=False, max_length=100)] = ()
    finish_reason: Text = "stop"
    responded: Text | None = None
    tokens_in: _Tokens | None = None
    tokens_out: _Tokens | None = None
    tokens_cached: _Tokens | None = None
    tokens_reasoning: _Tokens | None = None
    cost_usd: Annotated[float, Field(ge=0)] | None = None

    def completion(self, responded: str) -> Completion:
        """Return the completion; `responded` names the model if the record does not."""
        return Completion(
            self.text,
            tuple(Call(call.tool, call.arguments) for call in self.calls),
            self.finish_reason,
            self.responded or responded,
            Usage(self.tokens_in, self.tokens_out, self.tokens_cached, self.tokens_reasoning),
            self.cost_usd,
        )


class Answer(RecordedCompletion):
    """One line of a recording.

    Attributes:
        run: the run in which the model was asked; empty if it was asked outside of runs.
        occurrence: how often this run had made the same request before.
        error: why the provider did not answer.
    """

    run: Annotated[str, Field(max_length=500)]
    model: Text
    request: Sha256Hex
    occurrence: Annotated[int, Field(ge=0)]
    error: Annotated[str, Field(max_length=2_000)] | None = None

    @property
    def place(self) -> tuple[str, str, int]:
        """What the answer is found by, besides the model's name."""
        return self.run, self.request, self.occurrence

    @classmethod
    def of(cls, place: tuple[str, str, int], model: str, found: Completion | str) -> Self:
        """Return the line of a completion, or of the error that came instead."""
        run, request, occurrence = place
        members: dict[str, Any] = {"run": run, "model": model, "request": request, "occurrence": occurrence}
        if isinstance(found, str):
            return cls.model_validate({**members, "error": found[:2_000]})
        usage = asdict(found.usage)
        members |= {
            "text": found.text,
            "calls": [{"tool": call.tool, "arguments": dict(call.arguments)} for call in found.calls],
            "finishReason": found.finish_reason,
            "responded": found.responded or None,
            "costUsd": found.cost_usd,
            "tokensIn": usage["tokens_in"],
            "tokensOut": usage["tokens_out"],
            "tokensCached": usage["tokens_cached"],
            "tokensReasoning": usage["tokens_reasoning"],
        }
        return cls.model_validate(members)

    def line(self) -> bytes:
        """Return the line, canonical JSON without what is not stated."""
        return canonical.dumps(self.model_dump(by_alias=True, exclude_defaults=True, mode="json")) + b"\n"


_SCRIPT = TypeAdapter(Annotated[list[RecordedCompletion], Field(max_length=_MOST, fail_fast=True)])


def read_script(path: str, provider: str) -> tuple[list[RecordedCompletion], str]:
    """Return the completions of a script, a JSON list, and the SHA-256 of its bytes.

    Raises:
        InputError: it cannot be read or is malformed.
    """
    try:
        data = Path(path).read_bytes()
        return _SCRIPT.validate_python(canonical.loads(data)), canonical.sha256_hex(data)
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


def request_sha256(
    model: str,
    messages: Sequence[Message],
    tools: Sequence[Tool],
    settings: Mapping[str, Json],
    connection: Mapping[str, object] | None = None,
) -> str:
    """Return the digest that names a request.

    Args:
        model: its name as it is requested.
        settings: those that the system asked for.
        connection: settings of the provider that shape answers (`connection.shaping`).
    """
    return canonical.digest(
        {
            "model": model,
            "messages": [dict(message) for message in messages],
            "tools": [[tool.name, tool.description, dict(tool.parameters)] for tool in tools],
            "settings": dict(settings),
            "connection": {name: _plain(value) for name, value in (connection or {}).items()},
        }
    )


def _plain(value: object) -> Any:
    return list(value) if isinstance(value, tuple) else value
