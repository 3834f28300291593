"""The provider `openai`: any server that speaks OpenAI's chat protocol, through the package `openai`.

    benchsite run agents --model openai:gpt-4o-mini ...

The key comes from `OPENAI_API_KEY`, the address from `OPENAI_BASE_URL`, or from settings (`connection`). The client repeats a
request after a 408, 409, 429, 5xx or a lost connection. The key is in no completion and no message: it is replaced in
whatever a server says.
"""

from __future__ import annotations

import os
import re
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final
from urllib.parse import urlsplit

from benchsite.canonical import Json
from benchsite.errors import InputError, PrerequisiteError, UsageError
from benchsite.tracks.agents.models import Completion, Message, Model, ProviderError
from benchsite.tracks.agents.models.chat import ToolNames, completion, request
from benchsite.tracks.agents.models.connection import ADDRESS, Connection, read_settings
from benchsite.tracks.agents.models.schema_tools import SchemaTools
from benchsite.tracks.agents.tools import Tool

__all__ = ["OpenAI"]

LARGEST: Final = 16 * 1024 * 1024
"""Bytes of one answer."""
_CANNOT_HELP: Final = frozenset({401, 403, 404})
_NO_CREDIT: Final = "insufficient_quota"
_TOO_LONG: Final = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_FILTERED: Final = "content_filter"
_SHORTEST_KEY: Final = 8
"""Characters of a key that is replaced in answers; servers without keys are given words such as `none`."""


class OpenAI:
    """A model behind OpenAI's chat protocol; its client is made at the first request."""

    simulated = False

    def __init__(
        self,
        name: str,
        connection: Connection | None = None,
        sha256: str | None = None,
        *,
        key: str | None = None,
    ) -> None:
        if not name:
            raise UsageError("model openai: no name", hint="write --model openai:NAME, as openai:gpt-4o-mini")
        if find_spec("openai") is None:
            raise PrerequisiteError(
                f"model {name}: the package openai is not installed",
                hint="run: pip install 'benchsite[agents]'",
            )
        self.requested, self.sha256 = name, sha256
        self._connection = connection or Connection()
        self._address = self._connection.base_url or _address_of_environment(name)
        self._key = self._read_key() if key is None else key
        self._client: Any = None

    @classmethod
    def from_settings(cls, name: str, settings: Mapping[str, object]) -> Model:
        """Return the model with settings as `Connection` names them; `tools: schema` is a wrapper around it."""
        connection = read_settings(Connection, f"openai:{name}", settings)
        model = cls(name, connection)
        return SchemaTools(model) if connection.tools == "schema" else model

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool], settings: Mapping[str, Json]
    ) -> Completion:
        """Ask for a completion; raises `ProviderError` if no attempt gives an answer of the protocol."""
        names = ToolNames([tool.name for tool in tools])
        body = request(self.requested, messages, tools, self._connection.applied(settings), names)
        if self._address is None and "max_tokens" in body:  # OpenAI's own newer models refuse the old name
            body["max_completion_tokens"] = body.pop("max_tokens")
        try:
            return completion(self._without_key(self._answered(body)), self.requested, names)
        except _Unanswerable as refusal:
            return Completion(None, (), refusal.reason, self.requested)
        except ProviderError as error:
            raise ProviderError(self._redacted(error.message), permanent=error.permanent) from None

    def _read_key(self) -> str:
        if self._connection.base_url is not None and self._connection.api_key_env is None:
            return ""  # a key goes to no server that it wasn't named for
        variable = self._connection.api_key_env or "OPENAI_API_KEY"
        key = os.environ.get(variable, "").strip()
        if key and urlsplit(self._address or "").scheme == "http" and not self._is_here():
            raise InputError(
                f"model {self.requested}: the key of {variable} would go over plain http to {urlsplit(self._address or '').hostname}",
                hint="use an https address, or a server on this machine",
            )
        if not key and (self._connection.api_key_env is not None or self._address is None):
            raise PrerequisiteError(
                f"model {self.requested}: {variable} is not set",
                hint=f"export {variable}=KEY, or name a server that needs none: base_url or OPENAI_BASE_URL",
            )
        return key

    def _connected(self) -> Any:
        """Return the client; the package takes half a second to import."""
        if self._client is None:
            import openai  # noqa: PLC0415 - see above

            self._client = openai.OpenAI(
                api_key=self._key or "none",
                base_url=self._address,
                timeout=self._connection.timeout_s,
                max_retries=self._connection.max_retries,
                http_client=openai.DefaultHttpxClient(trust_env=False) if self._is_here() else None,
            )
            weakref.finalize(self, self._client.close)
        return self._client

    def _is_here(self) -> bool:
        """Whether the server is on this machine, which no proxy reaches."""
        return urlsplit(self._address or "").hostname in ("127.0.0.1", "localhost", "::1")

    def _answered(self, body: Mapping[str, Any]) -> bytes:
        """Return the body of an answer; an attempt whose answer breaks off is repeated as the client repeats others."""
        create = self._connected().chat.completions.with_streaming_response.create
        attempts = self._connection.max_retries + 1
        for _ in range(attempts):
            found = self._attempt(lambda: create(**body, extra_body=self._connection.extra_body or None))
            if found is not None:
                return found
        raise ProviderError(f"model {self.requested}: the answer broke off ({attempts} attempts)")

    def _attempt(self, create: Callable[[], Any]) -> bytes | None:
        """Return the body of one answer, None if it breaks off."""
        import openai  # noqa: PLC0415 - slow to import

        try:
            with create() as response:
                return self._read(response)
        except openai.APITimeoutError:
            raise ProviderError(
                f"model {self.requested}: no answer within {self._connection.timeout_s:g} s"
            ) from None
        except openai.APIStatusError as error:
            raise self._refused(error.status_code, error.body, error.message) from None
        except openai.APIConnectionError as error:
            reason = f": {error.__cause__}" if error.__cause__ is not None else ""
            raise ProviderError(f"model {self.requested}: cannot connect{reason}") from None
        except openai.OpenAIError as error:
            raise ProviderError(f"model {self.requested}: {type(error).__name__}: {error}") from None

    def _read(self, response: Any) -> bytes | None:
        """Read an answer within the timeout, in which some servers send blanks to keep the connection open."""
        until = time.monotonic() + self._connection.timeout_s
        blocks: list[bytes] = []
        size = 0
        blocks_of = response.iter_bytes()
        while True:
            try:
                block = next(blocks_of, None)
            except Exception:  # noqa: BLE001 - errors of the HTTP package that this release of openai uses
                return None
            if block is None:
                return b"".join(blocks)
            blocks.append(block)
            size += len(block)
            if size > LARGEST:
                raise ProviderError(f"model {self.requested}: the answer has more than {LARGEST:,} bytes")
            if time.monotonic() > until:
                raise ProviderError(
                    f"model {self.requested}: no whole answer within {self._connection.timeout_s:g} s"
                )

    def _refused(self, status: int, body: object, message: str) -> Exception:
        """Return what an answer with an error status means."""
        stated = body.get("error", body) if isinstance(body, dict) else {}
        stated = stated if isinstance(stated, dict) else {"message": stated}
        codes = {str(stated.get("code")), str(stated.get("type"))}
        if codes & _TOO_LONG:
            return _Unanswerable("context_length")
        if _FILTERED in codes:
            return _Unanswerable(_FILTERED)
        words = stated.get("message")
        words = words if isinstance(words, str) and words else message
        permanent = status in _CANNOT_HELP or _NO_CREDIT in codes
        return ProviderError(f"model {self.requested}: status {status}: {words}", permanent=permanent)

    def _without_key(self, body: bytes) -> bytes:
        """Return an answer without the key: a recording and a conversation have what a model says as it is."""
        return body if len(self._key) < _SHORTEST_KEY else body.replace(self._key.encode(), b"[key]")

    def _redacted(self, text: str) -> str:
        """Return a text in one line without the key, cut to what a record should hold."""
        bare = text.replace(self._key, "[key]") if self._key else text
        return " ".join("".join(char if char.isprintable() else " " for char in bare).split())[:500]


def _address_of_environment(name: str) -> str | None:
    address = os.environ.get("OPENAI_BASE_URL", "").strip()
    if address and not re.match(ADDRESS, address):
        raise InputError(
            f"model {name}: OPENAI_BASE_URL is not an address without credentials",
            hint="for example: http://127.0.0.1:8080/v1",
        )
    return address or None


class _Unanswerable(Exception):  # noqa: N818 - no error: the model's own end of a conversation
    """The server says why the model does not answer this conversation."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
