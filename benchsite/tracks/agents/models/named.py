"""Models by what the command line or a file says of them: `PROVIDER:TEXT`, or a table with `provider` and `model`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchsite.errors import UsageError
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.models import Model

__all__ = ["model"]


def model(spec: str | Mapping[str, Any]) -> Model:
    """Return a model of an installed provider; other keys of a table are arguments of the provider.

    Raises:
        UsageError: there is no such provider, or it does not take a key.
        InputError: the provider cannot use its text.
    """
    if isinstance(spec, str):
        provider, _, text = spec.partition(":")
        rest: dict[str, Any] = {}
    else:
        rest = dict(spec)
        provider, text = str(rest.pop("provider", "")), str(rest.pop("model", ""))
    made = TRACK.plugin("model", provider)
    try:
        found: Model = made(text, **rest)
    except TypeError as error:
        raise UsageError(
            f"model {provider}: {error}", hint="content/docs/run-an-experiment.md lists what a model takes"
        ) from None
    return found
