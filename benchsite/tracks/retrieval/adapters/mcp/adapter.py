"""An MCP server by its mapping, as an adapter: what is stored and asked is the mapping's, ids are those of the harness."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchsite.tracks.retrieval.adapter import About, Hit, Item, relative
from benchsite.tracks.retrieval.adapters.lexical.sqlite_fts5 import STOPWORDS
from benchsite.tracks.retrieval.adapters.mcp.client import Client, ServerError, ServerLostError
from benchsite.tracks.retrieval.adapters.mcp.mapping import Ask, MappingFile, filled

__all__ = ["McpAdapter"]

_WORD: Final = re.compile(r"\w+")


class McpAdapter:
    """A server that is started at once, and once more for each further scope where its mapping says `restart`."""

    def __init__(self, mapping: MappingFile, path: Path, ask: Ask | None = None) -> None:
        self._mapping, self._here = mapping, path.parent
        self._ask = ask or mapping.query.ask
        self._client: Client | None = None
        self._items: dict[str, Item] = {}
        self._is_new = False
        files = {"mapping": str(path), **{name: str(self._here / name) for name in mapping.files}}
        self.about = About(
            mapping.name, mapping.author, version=mapping.version, assets=files, backend=mapping.backend
        )

    def start(self) -> None:
        """Start the server, so that it is there at the first `reset`; raises `ServerError` if it doesn't start or lacks a tool."""
        self._start()
        self._is_new = True

    def reset(self) -> None:
        """Make the server forget, by a restart or a tool; raises `ServerLostError` if it may not have forgotten."""
        how = self._mapping.reset
        client = self._client
        is_unused = self._is_new and client is not None and client.is_alive
        self._is_new = False
        has_forgotten = client is None or not (client.is_alive or self._items)
        if not is_unused and (isinstance(how, str) or has_forgotten):
            self.close()
            self._start()
        elif self._items and not isinstance(how, str):
            try:
                self._call(how.tool, filled(how.arguments, {"ids": list(self._items)}))
            except ServerError as error:
                raise ServerLostError(f"items of the last scope may be left: {error}") from None
        self._items = {}

    def ingest(self, items: Sequence[Item]) -> None:
        """Store items, as many in a call as the mapping says."""
        how = self._mapping.ingest
        size = how.batch if how.each else 1
        for first in range(0, len(items), size):
            batch = items[first : first + size]
            self._items.update((item.id, item) for item in batch)  # a call that fails may have stored some
            each = [filled(how.arguments, _known(item)) for item in batch]
            self._call(how.tool, {how.each: each} if how.each else each[0])

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:
        """Ask the question, or each of its words once."""
        del when
        if self._ask == "verbatim":
            return self._hits(self._found(q, k), k) if q.strip() else []
        words = list(dict.fromkeys(word.lower() for word in _WORD.findall(q)))
        words = [word for word in words if word not in STOPWORDS] or words
        counted: dict[str, tuple[int, Mapping[str, Any]]] = {}
        for word in words:
            for name, hit in self._found(word, k):
                counted[name] = (counted.get(name, (0, hit))[0] + 1, hit)
        order = sorted(counted, key=lambda name: -counted[name][0])
        return [Hit(name, counted[name][0] / len(words), self._content(name)) for name in order[:k]]

    def close(self) -> None:
        """End the server."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _start(self) -> None:
        mapping = self._mapping
        known = {"work": tempfile.mkdtemp(prefix="mcp-"), "here": str(self._here)}
        self._client = Client(
            filled(list(mapping.command), known),
            filled(mapping.environment, known),
            known["work"],
            timeout_s=mapping.timeout_seconds,
        )
        tools = self._client.tools()
        for tool in mapping.tools:
            if tool not in tools:
                self.close()
                raise ServerError(f"no tool {tool}; the server has {', '.join(sorted(tools)[:40]) or 'none'}")

    def _call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool; raises `ServerError` if the server or the mapping calls the answer a failure."""
        if self._client is None:
            raise ServerError("the server is not running")
        found = self._client.call(tool, arguments)
        text = _text(found)
        how = self._mapping.failed_if
        failed = found.get("isError") is True or (how.text is not None and re.search(how.text, text))
        if failed and not (how.unless is not None and re.search(how.unless, text)):
            raise ServerError(f"{tool}: {text[:300] or 'isError without a text'}")
        return found

    def _found(self, question: str, k: int) -> list[tuple[str, Mapping[str, Any]]]:
        """Id and hit of each hit, in the server's order, each id once."""
        how = self._mapping.query
        result = self._call(how.tool, filled(how.arguments, {"query": question, "k": k}))
        found: dict[str, Mapping[str, Any]] = {}
        for hit in self._listed(result):
            text = str(_member(hit, how.id) or "")
            if how.id_pattern is not None:
                matched = re.search(how.id_pattern, text)
                text = "" if matched is None else matched[1 if matched.re.groups else 0] or ""
            if text:
                found.setdefault(text, hit)
        return list(found.items())

    def _listed(self, result: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        how = self._mapping.query
        value: Any = {**result, "text": _text(result)}
        for step in how.hits.split(" | "):
            value = _parsed(value) if step.strip() == "json" else _member(value, step.strip())
        if how.pattern is not None:
            yield from (found.groupdict() for found in re.finditer(how.pattern, str(value or "")))
        elif isinstance(value, list):
            yield from (hit if isinstance(hit, dict) else {how.id: hit} for hit in value)

    def _hits(self, found: Sequence[tuple[str, Mapping[str, Any]]], k: int) -> list[Hit]:
        member = self._mapping.query.score
        if member is None:
            scores = [1 - place / len(found) for place in range(len(found))]
        else:
            scores = relative(_number(_member(hit, member)) for _, hit in found)
        return [
            Hit(name, score, self._content(name)) for (name, _), score in zip(found, scores, strict=True)
        ][:k]

    def _content(self, name: str) -> str:
        item = self._items.get(name)
        return item.content if item is not None else ""


def _known(item: Item) -> dict[str, Any]:
    return {"id": item.id, "content": item.content, "timestamp": item.timestamp or ""}


def _text(result: Mapping[str, Any]) -> str:
    """The text of a result: that of its content."""
    parts = result.get("content")
    return "\n".join(
        str(part.get("text", ""))
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, dict)
    )


def _member(value: Any, way: str) -> Any:
    """What names separated by dots lead to; None if nothing is there."""
    for name in way.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _parsed(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return None


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0
