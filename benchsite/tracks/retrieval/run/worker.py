"""The host of one Python adapter class in its own process.

    python -P -m benchsite.tracks.retrieval.run.worker package.module:Class

Methods: initialize, reset, ingest, flush, query, ping, shutdown (specs/retrieval.md, "Isolation").
"""

from __future__ import annotations

import importlib
import inspect
import sys
from typing import Any

from benchsite.isolation.worker import Server, serve
from benchsite.tracks.retrieval.adapter import Item

__all__ = ["host", "main"]

_DECLARED = ("name", "version", "author", "network", "hosts", "hosted", "environment")


class _Host:
    def __init__(self, reference: str) -> None:
        self._reference = reference
        self._class: Any = None
        self._adapter: Any = None

    def initialize(self, params: dict[str, Any]) -> dict[str, Any]:
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
        return _declaration(self._adapter)

    def declaration(self) -> dict[str, Any]:
        return _declaration(self._class)

    def reset(self, _: dict[str, Any]) -> None:
        self._adapter.reset()

    def ingest(self, params: dict[str, Any]) -> None:
        self._adapter.ingest([Item(**item) for item in params["items"]])

    def query(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"hits": self._adapter.query(params["query"], params["k"], params["when"])}

    def optional(self, name: str) -> None:
        method = getattr(self._adapter, name, None)
        if method is not None:
            method()


def _declaration(source: Any) -> dict[str, Any]:
    """Return what an adapter declares, unchecked: the parent process checks it."""
    return {key: getattr(source, key, None) for key in _DECLARED}


def host(reference: str) -> Server:
    """Return the server of one adapter class, which is imported by `initialize`."""
    one = _Host(reference)
    methods = {
        "initialize": one.initialize,
        "reset": one.reset,
        "ingest": one.ingest,
        "flush": lambda _: one.optional("flush"),
        "query": one.query,
        "ping": lambda _: None,
        "shutdown": lambda _: one.optional("close"),
    }
    return Server(methods, one.declaration, (__file__,))


def main(argv: list[str]) -> int:
    """Serve the adapter class that the first argument names."""
    serve(lambda _ask: host(argv[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
