"""The provider `local`: a model of this machine, whose server is started in the harness if none runs.

benchsite run agents --model local:qwen2.5-coder-0.5b ...
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from benchsite.canonical import Json
from benchsite.errors import UsageError
from benchsite.tracks.agents.models import Completion, Message, Model, ProviderError
from benchsite.tracks.agents.models.connection import Connection, Defaults, read_settings
from benchsite.tracks.agents.models.local import server, store
from benchsite.tracks.agents.models.local.table import PINNED
from benchsite.tracks.agents.models.openai import OpenAI
from benchsite.tracks.agents.models.schema_tools import SchemaTools
from benchsite.tracks.agents.tools import Tool

__all__ = ["Local"]


class _Settings(Defaults):
    """How the server is started, and how it is asked.

    Attributes:
        slots: conversations at the same time.
        threads: of the processor.
        context: tokens of each conversation.
        tools: see `Connection`.
        timeout_s: seconds for one completion.
        extra_body: further members of each request.
    """

    slots: Annotated[int, Field(ge=1, le=64)] = 1
    threads: Annotated[int, Field(ge=1, le=256)] = 1
    context: Annotated[int, Field(ge=256, le=1_000_000)] = server.CONTEXT
    tools: Literal["native", "schema"] = "schema"
    timeout_s: Annotated[float, Field(gt=0, le=86_400)] = 600.0
    extra_body: dict[str, Any] = Field(default_factory=dict)


class Local:
    """A model of this machine; its file is found when the model is made, its server at the first request."""

    simulated = False

    def __init__(self, name: str, settings: _Settings | None = None) -> None:
        if not name:
            raise UsageError("model local: no name", hint=f"available: {', '.join(PINNED)}")
        server.require_package()
        self._model, self._path = store.installed_file(name)
        self.requested = name
        self.sha256: str | None = self._model.sha256
        self._settings = settings or _Settings()
        self._client: Model | None = None

    @classmethod
    def from_settings(cls, name: str, settings: Mapping[str, object]) -> Local:
        """Return the model with settings."""
        return cls(name, read_settings(_Settings, f"local:{name}", settings))

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool], settings: Mapping[str, Json]
    ) -> Completion:
        """Ask for a completion; a server that ended with its process is replaced once."""
        try:
            return self._connected().complete(messages, tools, settings)
        except ProviderError:
            if server.running(self._model) is not None:
                raise
            self._client = None
            return self._connected().complete(messages, tools, settings)

    def _connected(self) -> Model:
        if self._client is None:
            own = self._settings
            address = server.find_or_start(
                self._model, self._path, slots=own.slots, threads=own.threads, context=own.context
            )
            shared = own.model_dump(exclude={"slots", "threads", "context"})
            connection = Connection(base_url=address, max_retries=1, **shared)
            asked = OpenAI(self.requested, connection, self.sha256, key="")
            self._client = SchemaTools(asked) if own.tools == "schema" else asked
        return self._client
