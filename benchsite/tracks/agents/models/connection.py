"""Connection settings of a model's provider, and the model made of `PROVIDER:TEXT` with such settings.

    [models.default]
    model = "openai:gpt-4o-mini"
    api_key_env = "MY_KEY"
    temperature = 0.2

A provider that has settings has a class method `from_settings(text, settings)` with a `Settings` of its own or this one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import ConfigDict, Field, StringConstraints, ValidationError

from benchsite.canonical import Json
from benchsite.errors import InputError, UsageError
from benchsite.schema import Bounded, first_fault
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.models import Model

__all__ = ["Connection", "Defaults", "connect", "read_settings", "requested_name", "shaping"]

ADDRESS: Final = r"^https?://[^\s@?#]+$"
VARIABLE: Final = r"^[A-Za-z_][A-Za-z0-9_]{0,99}$"
Omitted = Literal["temperature", "seed", "max_tokens", "tool_choice", "schema"]


class Defaults(Bounded):
    """Settings of completions that a model has for every provider; what a system asks for goes before."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    temperature: Annotated[float, Field(ge=0, le=10)] | None = None
    seed: Annotated[int, Field(ge=0, le=2**53 - 1)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    omit: Annotated[tuple[Omitted, ...], Field(strict=False)] = ()

    def applied(self, settings: Mapping[str, Json]) -> dict[str, Json]:
        """Return the settings of a completion, completed by the defaults, without what is never sent."""
        own = {name: getattr(self, name) for name in ("temperature", "seed", "max_tokens")}
        found = {name: value for name, value in own.items() if value is not None} | dict(settings)
        return {name: value for name, value in found.items() if name not in self.omit and value is not None}


class Connection(Defaults):
    """How a server that speaks the protocol of OpenAI is reached.

    Attributes:
        base_url: address up to `/v1`; None for the variable `OPENAI_BASE_URL`, then for OpenAI's own.
        api_key_env: name of the variable with the key; None for `OPENAI_API_KEY`, which is never sent to a `base_url`.
        tools: `native` sends tools as the protocol has them, `schema` describes them in the system message.
        timeout_s: seconds for one attempt, the answer included.
        max_retries: further attempts after a 408, 409, 429, 5xx or a lost connection, with increasing delays.
        omit: settings that are never sent, for models that refuse them.
        extra_body: further members of each request, for settings that only one server has.
    """

    base_url: Annotated[str, StringConstraints(pattern=ADDRESS)] | None = None
    api_key_env: Annotated[str, StringConstraints(pattern=VARIABLE)] | None = None
    tools: Literal["native", "schema"] = "native"
    timeout_s: Annotated[float, Field(gt=0, le=86_400)] = 120.0
    max_retries: Annotated[int, Field(ge=0, le=20)] = 4
    extra_body: dict[str, Any] = Field(default_factory=dict)


Read = TypeVar("Read", bound=Bounded)


def read_settings(model: type[Read], text: str, settings: Mapping[str, object]) -> Read:
    """Return the settings of a model as an object.

    Raises:
        InputError: one is unknown or has a wrong value; the message names its key.
    """
    try:
        return model.model_validate(dict(settings))
    except ValidationError as error:
        place, fault = first_fault(error)
        known = ", ".join(model.model_fields)
        raise InputError(
            f"model {text}: {place or 'settings'}: {fault}", hint=f"available: {known}"
        ) from None


_REACHING: Final = frozenset({"base_url", "api_key_env", "timeout_s", "max_retries"})
"""Settings of which no answer depends."""


def shaping(settings: Mapping[str, object]) -> dict[str, object]:
    """Return the settings that answers depend on."""
    return {name: value for name, value in settings.items() if name not in _REACHING}


def requested_name(text: str) -> str:
    """Return the name that a model of `PROVIDER:TEXT` is requested by, without connecting."""
    provider, _, name = text.partition(":")
    if provider == "simulated":  # as its models name themselves: by their seed, unless it is 0
        return f"simulated:{int(name)}" if name.isdecimal() and int(name) else provider
    return name or provider


def connect(text: str, settings: Mapping[str, object] | None = None) -> Model:
    """Return the model of `PROVIDER:TEXT`.

    Args:
        settings: of its provider; unknown ones are refused.

    Raises:
        UsageError: no such provider is installed, or it has no settings.
        InputError: a setting or a file of the provider is malformed.
        PrerequisiteError: a package, a key or a local file is missing.
    """
    provider, _, name = text.partition(":")
    factory = TRACK.plugin("model", provider)
    if not settings:
        made: Model = factory(name)
        return made
    if not hasattr(factory, "from_settings"):
        raise UsageError(
            f"model {text}: provider {provider} has no settings", hint=f"remove {', '.join(settings)}"
        )
    return factory.from_settings(name, settings)  # type: ignore[no-any-return]
