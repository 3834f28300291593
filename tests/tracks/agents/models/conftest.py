"""A chat server for every test of a module, and models that ask it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import chat_server
import pytest

from benchsite.tracks.agents.models.openai import OpenAI

KEY = "sk-planted-0123456789"
Served = Callable[..., OpenAI]


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a chat server that behaves as the model's name says."""
    with chat_server.served() as found:
        yield found


@pytest.fixture
def served(address: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Served:
    """Make a model of the chat server; requests are counted by test."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    def made(behavior: str, **settings: object) -> OpenAI:
        name = f"{behavior}~{request.node.name}"
        given = {
            "base_url": address,
            "api_key_env": "OPENAI_API_KEY",
            "timeout_s": 10.0,
            "max_retries": 2,
            **settings,
        }
        return OpenAI.from_settings(name, given)  # type: ignore[return-value]

    return made
