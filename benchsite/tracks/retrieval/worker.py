"""The measured side of the adapter protocol: a child process that hosts one Python adapter class.

    python -P -m benchsite.tracks.retrieval.worker package.module:Class

Speaks JSON-RPC 2.0, one object a line, over what were its stdin and stdout; both are moved away before the
adapter is imported, so its prints reach stderr and its reads find nothing. An exception of the adapter is an
error answer, never an end. Methods: initialize, reset, ingest, flush, query, ping, shutdown.
"""

from __future__ import annotations

import importlib
import inspect
import io
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from benchsite.tracks.retrieval.adapters import Item

__all__ = ["PROTOCOL_VERSION", "Host", "main"]

PROTOCOL_VERSION = 1

PARSE_ERROR = -32700
METHOD_NOT_FOUND = -32601
RAISED = -32000
NOT_JSON = -32001
MESSAGE_LENGTH = 500

_NOT_THE_ADAPTERS = (__file__, "<frozen ", str(importlib.__file__))
_DECLARED = ("name", "version", "author", "network", "hosted", "environment")


class Host:
    """One adapter, built by `initialize` and asked by the other methods."""

    def __init__(self, reference: str) -> None:
        self._reference = reference
        self._class: Any = None
        self._adapter: Any = None
        self._methods: Mapping[str, Callable[[dict[str, Any]], Any]] = {
            "initialize": self._initialize,
            "reset": lambda _: self._adapter.reset(),
            "ingest": self._ingest,
            "flush": lambda _: self._optional("flush"),
            "query": lambda p: {"hits": self._adapter.query(p["query"], p["k"], p["when"])},
            "ping": lambda _: None,
            "shutdown": lambda _: self._optional("close"),
        }

    def answer(self, line: bytes) -> tuple[str, bytes]:
        """The method asked for and the frame that answers it."""
        try:
            request = json.loads(line)
            name, number, params = request["method"], request["id"], request.get("params", {})
        except (ValueError, TypeError, KeyError):
            return "", _error(None, PARSE_ERROR, "not a JSON-RPC request")
        method = self._methods.get(name)
        if method is None:
            return name, _error(number, METHOD_NOT_FOUND, f"no method {name}")
        try:
            result = method(params)
        except Exception as error:  # noqa: BLE001 - whatever an adapter raises is data
            _tell(error)
            declared = self._declaration(self._class) if name == "initialize" else None
            return name, _error(number, RAISED, f"{type(error).__name__}: {error}", declared)
        if not isinstance(result, dict):
            result = None
        try:
            return name, _frame({"jsonrpc": "2.0", "id": number, "result": result})
        except (TypeError, ValueError, RecursionError) as error:
            return name, _error(number, NOT_JSON, f"the result is not JSON: {error}")

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        module, _, attribute = self._reference.partition(":")
        self._class = getattr(importlib.import_module(module), attribute)
        options = dict(params["options"])
        if "seed" in inspect.signature(self._class).parameters:
            options.setdefault("seed", params["seed"])
        try:
            self._adapter = self._class(**options)
        except TypeError as error:
            if "unexpected keyword argument" not in str(error):
                raise
            name = str(error).rpartition(" ")[2]
            raise ValueError(f"unknown option {name}") from None
        return self._declaration(self._adapter)

    def _declaration(self, source: Any) -> dict[str, Any]:
        """What the adapter says of itself; the parent judges it."""
        return {key: getattr(source, key, None) for key in _DECLARED}

    def _ingest(self, params: dict[str, Any]) -> None:
        self._adapter.ingest([Item(**item) for item in params["items"]])

    def _optional(self, name: str) -> None:
        method = getattr(self._adapter, name, None)
        if method is not None:
            method()


def _tell(error: Exception) -> None:
    """Write an adapter's exception to stderr, from the first frame that is the adapter's."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename.startswith(_NOT_THE_ADAPTERS):
        frames = frames.tb_next
    if frames is not None:
        traceback.print_exception(error.with_traceback(frames))


def _error(number: Any, code: int, message: str, data: Any = None) -> bytes:
    error: dict[str, Any] = {"code": code, "message": message[:MESSAGE_LENGTH]}
    try:
        return _frame({"jsonrpc": "2.0", "id": number, "error": {**error, "data": data}})
    except (TypeError, ValueError):
        return _frame({"jsonrpc": "2.0", "id": number, "error": error})


def _frame(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":"), default=_plain).encode("ascii") + b"\n"


def _plain(value: Any) -> Any:
    """The number that a numpy or torch scalar holds."""
    if callable(getattr(value, "item", None)) and getattr(value, "ndim", None) == 0:
        return value.item()
    raise TypeError(f"a {type(value).__name__} is not JSON")


def main(argv: list[str]) -> int:
    """Serve until `shutdown` or until the parent closes the pipe."""
    requests, answers = os.dup(0), os.dup(1)
    silence = os.open(os.devnull, os.O_RDONLY)
    os.dup2(silence, 0)
    os.dup2(2, 1)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    host = Host(argv[1])
    with open(requests, "rb") as lines:  # noqa: PTH123 - a descriptor, not a path
        for line in lines:
            method, frame = host.answer(line)
            view = memoryview(frame)
            while view:
                view = view[os.write(answers, view) :]
            if method == "shutdown":
                break
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
