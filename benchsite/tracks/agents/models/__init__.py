"""The contract of a model: messages and tools in, text or tool calls out (specs/agents.md, "Interfaces").

Models run in the harness, which holds their keys; a system asks for completions over its channel, so that tokens and cost
are counted where the system cannot change them. A provider is one class with two attributes and one method, registered
under the entry point `benchsite.agents.models`; it is built with the text after the colon of `--model PROVIDER:TEXT`.
Optional: the class method `from_settings(text, settings)` (`connection`), and the method `for_run(run)`, which returns the
model for one run if answers depend on it, as those of a recording do.

A message has `role` and `content`, a text:

- `system` and `user` messages have nothing else;
- an `assistant` message may have `calls`, a list of `{tool, arguments}`;
- one `tool` message follows for each of these calls, in their order, with the result as text.

Settings, all optional: `temperature` (≥ 0), `seed`, `max_tokens`, `tool_choice` (`auto`, `required`, `none`), and
`schema`, the JSON Schema that the text of the answer must match. A provider ignores those that it has no use for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from benchsite.canonical import Json
from benchsite.errors import BenchsiteError
from benchsite.tracks.agents.tools import Call, Tool

__all__ = ["Completion", "Message", "Model", "ProviderError", "Usage", "for_run"]

Message: TypeAlias = Mapping[str, Json]
"""One message of a conversation, as the module describes it."""


class ProviderError(BenchsiteError):
    """A provider did not answer: infrastructure, recorded as outcome `error`.

    `permanent` says that repeating cannot help: the key is not accepted, the model is unknown, the credit is used up.
    """

    next_step = "repeat the run when the provider answers, or record its completions first"

    def __init__(self, message: str, *, hint: str = "", permanent: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.permanent = permanent


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one completion; None is not stated by the provider, never 0.

    Cached tokens are part of `tokens_in`, reasoning tokens part of `tokens_out`.
    """

    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    tokens_reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered.

    Attributes:
        text: None if the model wrote nothing.
        finish_reason: as the provider names it; `length` also for a text that was cut here, `context_length` if the
            conversation is too long for the model, `unknown` if it is not stated.
        responded: the model that responded, as the provider names it.
        cost_usd: US dollars; None if the model has no price.
        latency_ms: milliseconds that the harness waited for it; stated to systems only.
        recalled: whether it comes from a recording, so that its latency is blank.
    """

    text: str | None
    calls: tuple[Call, ...] = ()
    finish_reason: str = "stop"
    responded: str = ""
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    latency_ms: float | None = None
    recalled: bool = field(default=False, compare=False)


class Model(Protocol):
    """A model that completes conversations.

    Attributes:
        requested: its name as it is requested, recorded in the receipt.
        simulated: whether no real model answers; its receipts are marked and never ranked.
        sha256: of the files that its answers come from; None for a model that a provider serves.
    """

    requested: str
    simulated: bool
    sha256: str | None

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool], settings: Mapping[str, Json]
    ) -> Completion:
        """Complete a conversation.

        Raises:
            ProviderError: the provider failed.
        """


def for_run(model: Model, run: str) -> Model:
    """Return the model for one run, named as long as the experiment lives; most models are the same for every run."""
    own = getattr(model, "for_run", None)
    return model if own is None else own(run)
