"""Requests that a measured program sends while a call to it is open: JSON-RPC 2.0 in the other direction.

A program that is served tools or models sends a request line instead of its response, and waits for the answer before it
goes on. What it asks for is carried out in the harness; a refusal is an error answer, never an exception.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

__all__ = ["RefusedError", "Serve", "answer"]

METHOD_NOT_FOUND: Final = -32601
INVALID: Final = -32602

Serve: TypeAlias = Callable[[str, Mapping[str, Any]], Any]
"""Carries out a request by its method and parameters; raises `RefusedError`."""


class RefusedError(Exception):
    """A request that is not carried out; `code` is that of the error answer."""

    def __init__(self, message: str, code: int = INVALID) -> None:
        super().__init__(message)
        self.code = code


def answer(frame: bytes, serve: Serve) -> bytes | None:
    """Return the frame that answers a request; None if the frame is no request.

    Args:
        frame: one line of the program.
        serve: carries out requests.
    """
    try:
        message = json.loads(frame.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or "id" not in message:
        return None
    method, params = message.get("method"), message.get("params", {})
    if not isinstance(method, str):
        return None
    number = message["id"] if isinstance(message["id"], str | int | None) else None
    response: dict[str, Any] = {"jsonrpc": "2.0", "id": number}
    if not isinstance(params, dict):
        response["error"] = {"code": INVALID, "message": "params is not an object"}
    else:
        try:
            response["result"] = serve(method, params)
        except RefusedError as error:
            response["error"] = {"code": error.code, "message": str(error)}
    return json.dumps(response, separators=(",", ":")).encode("ascii") + b"\n"
