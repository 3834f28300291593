"""The bridge between benchsite and an MCP server: `python -m benchsite.tracks.retrieval.adapters.mcp MAPPING [--ask HOW]`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

from benchsite.isolation.worker import InvalidParamsError, Server, serve
from benchsite.tracks.retrieval.adapter import Item
from benchsite.tracks.retrieval.adapters.mcp.adapter import McpAdapter
from benchsite.tracks.retrieval.adapters.mcp.client import ServerError, ServerLostError
from benchsite.tracks.retrieval.adapters.mcp.mapping import Ask, read_mapping


class _Bridge:
    """The methods of the adapter protocol; the mapping is read by `initialize`, so that its errors are answers."""

    def __init__(self, arguments: list[str]) -> None:
        self._arguments = arguments
        self._adapter: Any = None

    def initialize(self, _: dict[str, Any]) -> dict[str, Any]:
        path, *rest = self._arguments
        ask: Any = None
        if rest:
            if len(rest) != 2 or rest[0] != "--ask" or rest[1] not in get_args(Ask):
                raise InvalidParamsError(
                    f"mcp:FILE takes --ask {' or '.join(get_args(Ask))}, not {' '.join(rest)[:80]}"
                )
            ask = rest[1]
        if self._adapter is not None:
            self._adapter.close()
        self._adapter = McpAdapter(read_mapping(Path(path)), Path(path).resolve(), ask)
        try:
            self._adapter.start()
        except ServerError as error:
            self._adapter.close()
            raise RuntimeError(f"MCP server: {error}") from None
        return self.declaration()

    def declaration(self) -> dict[str, Any]:
        return {} if self._adapter is None else {**self._adapter.about._asdict(), "options": []}

    def ingest(self, params: dict[str, Any]) -> None:
        self._adapter.ingest([Item(**item) for item in params["items"]])

    def query(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"hits": self._adapter.query(params["query"], params["k"], params["when"])}

    def _or_end(self, method: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
        """Return a method that ends this process if the server is lost: the harness restarts an adapter that ended."""

        def call(params: dict[str, Any]) -> Any:
            try:
                return method(params)
            except ServerLostError as error:
                self._adapter.close()
                sys.exit(f"MCP server: {error}")

        return call

    def server(self) -> Server:
        methods = {
            "initialize": self.initialize,
            "reset": self._or_end(lambda _: self._adapter.reset()),
            "ingest": self._or_end(self.ingest),
            "query": self._or_end(self.query),
            "ping": lambda _: None,
            "flush": lambda _: None,
            "shutdown": lambda _: self._adapter.close() if self._adapter is not None else None,
        }
        return Server(methods, self.declaration, (__file__,))


if __name__ == "__main__":
    serve(lambda _ask: _Bridge(sys.argv[1:]).server())
