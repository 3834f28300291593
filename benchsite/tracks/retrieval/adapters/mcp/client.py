"""A client of the Model Context Protocol over standard input and output: JSON-RPC 2.0, one message a line.

Knows what an adapter needs: `initialize`, `tools/list` and `tools/call`. Answers the server's pings, refuses its other requests, and
passes over lines that are no messages, as libraries print them.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, Final

__all__ = ["Client", "ServerError", "ServerLostError"]

PROTOCOL: Final = "2025-06-18"
LARGEST: Final = 64 * 1024 * 1024
"""Bytes of one line."""
METHOD_NOT_FOUND: Final = -32601
_ENDED: Final[Mapping[str, Any]] = {"ended": True}


class ServerError(Exception):
    """The server did not do what was asked; the message says what it said."""


class ServerLostError(ServerError):
    """The server ended, or did not answer in time: nothing more can be asked of it."""


class Client:
    """A running server."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], folder: str, *, timeout_s: float
    ) -> None:
        """Start the server and shake hands.

        Args:
            command: the program and its arguments.
            environment: variables besides those of this process.
            folder: its working folder.
            timeout_s: of each request.

        Raises:
            ServerError: it cannot start, or does not answer.
        """
        self._timeout_s = timeout_s
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, **environment},
                cwd=folder,
            )
        except OSError as error:
            raise ServerError(
                f"{command[0]} cannot start: {(error.strerror or 'unknown error').lower()}"
            ) from None
        self._messages: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        self._number = 0
        self._reader = threading.Thread(
            target=_read, args=(self._process.stdout, self._messages), daemon=True
        )
        self._reader.start()
        about = {"name": "benchsite", "version": "1"}
        try:
            self.request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": about})
            self._send({"method": "notifications/initialized"})
        except ServerError:
            self.close()
            raise

    def tools(self) -> list[str]:
        """Return the names of the server's tools."""
        names: list[str] = []
        cursor: dict[str, Any] = {}
        while True:
            found = self.request("tools/list", cursor)
            tools = found.get("tools")
            names += [
                one["name"]
                for one in (tools if isinstance(tools, list) else ())
                if isinstance(one, dict) and isinstance(one.get("name"), str)
            ]
            if not found.get("nextCursor"):
                return names
            cursor = {"cursor": found["nextCursor"]}

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of a tool; raises `ServerError`."""
        return self.request("tools/call", {"name": tool, "arguments": dict(arguments)})

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of a request; raises `ServerError`, and `ServerLostError` for an end or no answer in time."""
        self._number += 1
        number = self._number
        self._send({"id": number, "method": method, "params": dict(params)})
        late: dict[str, Any] = {}
        timer = threading.Timer(self._timeout_s, self._messages.put, [late])
        timer.daemon = True
        timer.start()
        try:
            return self._answered(number, method, late)
        finally:
            timer.cancel()

    def _answered(self, number: int, method: str, late: Mapping[str, Any]) -> dict[str, Any]:
        """Wait for the answer to a request; `late` is put into the queue when its time is over."""
        while True:
            message = self._messages.get()
            if message is late:
                raise ServerLostError(f"no answer to {method} within {self._timeout_s:g} s")
            if message is _ENDED:
                self._messages.put(_ENDED)
                raise ServerLostError(f"the server ended before it answered {method}")
            if "method" in message:
                self._respond(message)
            elif message.get("id") == number:
                return _result(message, method)

    @property
    def is_alive(self) -> bool:
        """Whether the server still runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the server."""
        self._process.kill()
        self._process.wait()
        self._reader.join(1.0)  # what the server started may hold the pipe open
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError, ValueError):
                if stream is not None and not (stream is self._process.stdout and self._reader.is_alive()):
                    stream.close()

    def _respond(self, message: Mapping[str, Any]) -> None:
        if "id" not in message:
            return
        if message["method"] == "ping":
            self._send({"id": message["id"], "result": {}})
        else:
            error = {"code": METHOD_NOT_FOUND, "message": "not offered by this client"}
            self._send({"id": message["id"], "error": error})

    def _send(self, message: Mapping[str, Any]) -> None:
        line = (
            json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        )
        stream = self._process.stdin
        try:
            if stream is not None:
                stream.write(line)
                stream.flush()
        except OSError:
            raise ServerLostError(f"the server ended before {message.get('method', 'an answer')}") from None


def _read(stream: IO[bytes] | None, messages: queue.SimpleQueue[Mapping[str, Any]]) -> None:
    """Put each message of the server into the queue, and at the end what says so."""
    while stream is not None and (line := stream.readline(LARGEST)):
        if not line.endswith(b"\n"):
            break  # cut off, or longer than any message may be
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and value:
            messages.put(value)
    messages.put(_ENDED)


def _result(message: Mapping[str, Any], method: str) -> dict[str, Any]:
    error = message.get("error")
    if error is not None:
        said = error.get("message") if isinstance(error, dict) else error
        raise ServerError(f"{method}: {str(said)[:300]}")
    found = message.get("result")
    if not isinstance(found, dict):
        raise ServerError(f"{method}: the result is not an object")
    return found
