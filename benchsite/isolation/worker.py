"""The measured side of the protocol: a child process that answers JSON-RPC 2.0 with methods of its track.

One object a line, over what were its stdin and stdout. Both are moved away before the measured code is imported, so its
prints reach stderr and its reads find nothing. An exception of the measured code is an error answer, never an end.
Imports nothing else of benchsite: the memory of this process is what is measured.
"""

from __future__ import annotations

import importlib
import inspect
import io
import json
import os
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from typing import Any, Literal

__all__ = [
    "INVALID_PARAMS",
    "METHOD_NOT_FOUND",
    "NOT_JSON",
    "PARSE_ERROR",
    "RAISED",
    "Ask",
    "InvalidParamsError",
    "Methods",
    "RefusedError",
    "Server",
    "mistyped",
    "options_of",
    "serve",
]

PARSE_ERROR = -32700
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
RAISED = -32000
NOT_JSON = -32001
MESSAGE_LENGTH = 500

_NOT_THE_SUBJECTS = (__file__, "<frozen ", str(importlib.__file__))

Methods = Mapping[str, Callable[[dict[str, Any]], Any]]


class InvalidParamsError(Exception):
    """A method cannot use what it was given; answered with the code of JSON-RPC for this."""


class Server:
    """Answers requests with the methods of a track.

    Args:
        methods: each method as a function of its parameters; a result that is not an object is answered as null.
        declaration: gives the data of an error of `initialize`: what the program declares, as far as it got.
        hosts: files of the track's own host, left out of tracebacks.
    """

    def __init__(
        self, methods: Methods, declaration: Callable[[], Any] = lambda: None, hosts: tuple[str, ...] = ()
    ) -> None:
        self._methods = methods
        self._declaration = declaration
        self._not_the_subjects = (*_NOT_THE_SUBJECTS, *hosts)

    def answer(self, line: bytes) -> tuple[str, bytes]:
        """Return the method of a request and the frame that answers it."""
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
        except InvalidParamsError as error:
            return name, _error(number, INVALID_PARAMS, str(error), self._declared(name))
        except Exception as error:  # noqa: BLE001 - whatever measured code raises is data
            self._report(error)
            return name, _error(number, RAISED, f"{type(error).__name__}: {error}", self._declared(name))
        if not isinstance(result, dict):
            result = None
        try:
            return name, _frame({"jsonrpc": "2.0", "id": number, "result": result})
        except (TypeError, ValueError, RecursionError) as error:
            return name, _error(number, NOT_JSON, f"the result is not JSON: {error}")

    def _declared(self, method: str) -> Any:
        """Return what the program declares, for the error of an `initialize` that failed."""
        try:
            return self._declaration() if method == "initialize" else None
        except Exception:  # noqa: BLE001 - the first error is the one to report
            return None

    def _report(self, error: Exception) -> None:
        """Write an exception to stderr, from the first frame of the measured code."""
        frames = error.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename.startswith(self._not_the_subjects):
            frames = frames.tb_next
        if frames is not None:
            traceback.print_exception(error.with_traceback(frames))


class RefusedError(Exception):
    """The harness refused a request; `code` is that of its error answer."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


Ask = Callable[[str, Mapping[str, Any]], Any]
"""Sends a request to the harness while a method runs, and returns its result; raises `RefusedError`."""


def serve(open_server: Callable[[Ask], Server]) -> None:
    """Answer until `shutdown` or until the parent closes the pipe; move the streams, then make the server."""
    requests, answers = os.dup(0), os.dup(1)
    silence = os.open(os.devnull, os.O_RDONLY)
    os.dup2(silence, 0)
    os.dup2(2, 1)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    with open(requests, "rb") as lines:  # noqa: PTH123 - a descriptor, not a path
        one_at_a_time = threading.Lock()

        def ask(method: str, params: Mapping[str, Any]) -> Any:
            frame = _frame({"jsonrpc": "2.0", "id": "ask", "method": method, "params": params})
            with one_at_a_time:
                _write(answers, frame)
                line = lines.readline()
            if not line:
                raise EOFError("the harness closed the pipe")
            answer = json.loads(line)
            if "error" in answer:
                raise RefusedError(answer["error"]["message"], answer["error"]["code"])
            return answer["result"]

        server = open_server(ask)
        while line := lines.readline():
            method, frame = server.answer(line)
            _write(answers, frame)
            if method == "shutdown":
                break


def _write(descriptor: int, frame: bytes) -> None:
    view = memoryview(frame)
    while view:
        view = view[os.write(descriptor, view) :]


def options_of(subject: Callable[..., Any]) -> list[str] | Literal[True]:
    """Return the names of the options that a class takes; True if it takes any."""
    parameters = inspect.signature(subject).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return True
    return [one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]


def mistyped(subject: Callable[..., Any], options: Mapping[str, Any]) -> str:
    """Return what is wrong with the value of an option, in words; empty if nothing is.

    An option whose default is true, false or a number takes such a value, unless its annotation says that it takes others too: Python
    takes the text `no` as true.
    """
    for name, parameter in inspect.signature(subject).parameters.items():
        kind = _kind(parameter.default)
        if (
            name in options
            and kind
            and parameter.annotation in _PLAIN
            and options[name] is not None
            and _kind(options[name]) != kind
        ):
            return f"{name} is {kind}, not {options[name]!r}"[:MESSAGE_LENGTH]
    return ""


_PLAIN = (inspect.Parameter.empty, bool, int, float, "bool", "int", "float")


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    return "a number" if type(value) in (int, float) else ""


def _error(number: Any, code: int, message: str, data: Any = None) -> bytes:
    error: dict[str, Any] = {"code": code, "message": message[:MESSAGE_LENGTH]}
    try:
        return _frame({"jsonrpc": "2.0", "id": number, "error": {**error, "data": data}})
    except (TypeError, ValueError):
        return _frame({"jsonrpc": "2.0", "id": number, "error": error})


def _frame(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":"), default=_plain).encode("ascii") + b"\n"


def _plain(value: Any) -> Any:
    """Return the number that a numpy or torch scalar holds."""
    if callable(getattr(value, "item", None)) and getattr(value, "ndim", None) == 0:
        return value.item()
    raise TypeError(f"a {type(value).__name__} is not JSON")
