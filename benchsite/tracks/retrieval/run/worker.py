"""The host of one Python adapter class in its own process.

    python -P -m benchsite.tracks.retrieval.run.worker package.module:Class

Methods: initialize, reset, ingest, flush, query, ping, shutdown (specs/retrieval.md, "Isolation").
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from typing import Any

from benchsite.isolation.worker import InvalidParamsError, Server, mistyped, options_of, serve
from benchsite.tracks.retrieval.adapter import Item

__all__ = ["host", "main"]

_DECLARED = (
    *("name", "version", "author", "network", "hosts", "hosted"),
    *("environment", "distributions", "assets", "backend"),
)


class _Host:
    def __init__(self, reference: str) -> None:
        self._reference = reference
        self._class: Any = None
        self._adapter: Any = None

    def initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        module, _, attribute = self._reference.partition(":")
        self._class = getattr(importlib.import_module(module), attribute)
        options = dict(params["options"])
        takes = options_of(self._class)
        if takes is not True and (wrong := sorted({*options} - {*takes})):
            raise InvalidParamsError(f"no option {', '.join(wrong)}")
        if wrongly := mistyped(self._class, options):
            raise InvalidParamsError(wrongly)
        if takes is not True and "seed" in takes:
            options.setdefault("seed", params["seed"])
        self._adapter = self._class(**options)
        return self._declaration(self._adapter)

    def declaration(self) -> dict[str, Any]:
        return {} if self._class is None else self._declaration(self._class)

    def _declaration(self, source: Any) -> dict[str, Any]:
        """Return what an adapter declares, unchecked: the parent process checks it."""
        about = getattr(source, "about", None)
        if about is None:
            raise TypeError("the adapter has no attribute `about`")
        declared = {key: _member(about, key) for key in _DECLARED}
        assets = declared["assets"]
        if isinstance(assets, Mapping):
            declared["assets"] = {str(name): str(path) for name, path in assets.items()}
        return {**declared, "options": options_of(self._class)}

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


def _member(about: Any, key: str) -> Any:
    return about.get(key) if isinstance(about, Mapping) else getattr(about, key, None)


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
