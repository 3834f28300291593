"""The reference reader of strict JSON: slow, iterative, and exact about which byte is wrong.

Every rule of the section "Strict JSON" is written here once, in reading order, over bytes. `_reader` serves good
documents faster and must accept exactly what this module accepts, with equal values; on a bad document this
module gives the error. It keeps its own stack, so no input can raise RecursionError, and its time and memory are
linear in the document's length.

Where a document breaks several rules the first of these decides: size, byte order mark, UTF-8 as a whole, then
the earliest offence in reading order. Offsets: of a bad escape or surrogate its backslash; of a bad number its
first byte; of a refused key its opening quote; of an end that came too early the document's length.
"""

from __future__ import annotations

import math
import re
from typing import Final

from benchsite.canonical._limits import MAX_DEPTH, MAX_INTEGER, Json, JsonError, Reason, look_at
from benchsite.canonical.sentences import said

_BOM: Final = b"\xef\xbb\xbf"
_SPACE: Final = re.compile(rb"[ \t\n\r]*")
_NUMBER: Final = re.compile(rb"-?(?:0|[1-9][0-9]*)((?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
_UNESCAPED: Final = re.compile(rb'[^"\\\x00-\x1f]*')
_UNIT: Final = re.compile(rb"\\u([0-9a-fA-F]{4})")
_LITERALS: Final[tuple[tuple[bytes, Json], ...]] = ((b"true", True), (b"false", False), (b"null", None))
_ESCAPES: Final = {
    b'\\"': '"',
    b"\\\\": "\\",
    b"\\/": "/",
    b"\\b": "\b",
    b"\\f": "\f",
    b"\\n": "\n",
    b"\\r": "\r",
    b"\\t": "\t",
}


def scan(data: bytes, *, max_bytes: int) -> Json:
    """Read one document.

    Raises:
        JsonError: with the first broken rule and its byte offset.
    """
    if len(data) > max_bytes:
        raise JsonError(Reason.SIZE, said("size", count=len(data), most=max_bytes), offset=max_bytes)
    if data.startswith(_BOM):
        raise JsonError(Reason.BOM, said("bom"), offset=0, hint=look_at(data, 0))
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise JsonError(
            Reason.UTF8, said("utf8"), offset=error.start, hint=look_at(data, error.start)
        ) from None
    return _Scanner(data).document()


class _Scanner:
    """A cursor over one document, with the containers that are open at it."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._open: list[dict[str, Json] | list[Json]] = []

    def document(self) -> Json:
        root = self._begin_value()
        while self._open:
            self._step()
        self._skip_space()
        if self._at < len(self._data):
            raise self._fault("trailing")
        return root

    def _step(self) -> None:
        """Close the innermost container, or read its next item; a nested container is only opened."""
        container = self._open[-1]
        byte = self._next_byte()
        if byte == (b"}" if isinstance(container, dict) else b"]"):
            self._at += 1
            self._open.pop()
            return
        if container:
            if byte != b",":
                raise self._unexpected()
            self._at += 1
        if isinstance(container, dict):
            key = self._key(container)
            if self._next_byte() != b":":
                raise self._unexpected()
            self._at += 1
            container[key] = self._begin_value()
        else:
            container.append(self._begin_value())

    def _begin_value(self) -> Json:
        byte = self._next_byte()
        if byte in (b"{", b"["):
            return self._begin_container(byte)
        if byte == b'"':
            return self._string()
        number = _NUMBER.match(self._data, self._at)
        if number:
            return self._number(number)
        for word, value in _LITERALS:
            if self._data.startswith(word, self._at):
                self._at += len(word)
                return value
        raise self._unexpected()

    def _begin_container(self, byte: bytes) -> dict[str, Json] | list[Json]:
        if len(self._open) == MAX_DEPTH:
            raise self._fault("depth", most=MAX_DEPTH)
        self._at += 1
        container: dict[str, Json] | list[Json] = {} if byte == b"{" else []
        self._open.append(container)
        return container

    def _key(self, container: dict[str, Json]) -> str:
        if self._next_byte() != b'"':
            raise self._unexpected()
        start = self._at
        key = self._string()
        if key in container:
            raise self._fault("duplicate-key", start, key=_shown(key))
        if key == "__proto__":
            raise self._fault("proto-key", start)
        return key

    def _number(self, match: re.Match[bytes]) -> int | float:
        token, start = match[0], self._at
        self._at = match.end()
        if not match[1]:
            if token == b"-0":
                raise self._fault("negative-zero", start)
            # The length is looked at first: int() of an endless token would take quadratic time.
            if len(token) > len("-9007199254740991") or abs(int(token)) > MAX_INTEGER:
                raise self._fault("integer-range", start)
            return int(token)
        value = float(token)
        if math.isinf(value):
            raise self._fault("non-finite", start)
        if value == 0 and token.startswith(b"-"):
            raise self._fault("negative-zero", start)
        return int(value) if value.is_integer() and abs(value) <= MAX_INTEGER else value

    def _string(self) -> str:
        parts: list[str] = []
        self._at += 1
        while True:
            start, self._at = self._at, _end(_UNESCAPED, self._data, self._at)
            parts.append(self._data[start : self._at].decode("utf-8"))
            byte = self._byte()
            if byte == b'"':
                self._at += 1
                return "".join(parts)
            if byte != b"\\":
                raise self._fault("control")
            parts.append(self._escape())

    def _escape(self) -> str:
        simple = _ESCAPES.get(self._data[self._at : self._at + 2])
        if simple is not None:
            self._at += 2
            return simple
        unit = _UNIT.match(self._data, self._at)
        if unit is None:
            raise self._fault("escape")
        code = int(unit[1], 16)
        if not 0xD800 <= code <= 0xDFFF:
            self._at = unit.end()
            return chr(code)
        low = _UNIT.match(self._data, unit.end())
        if code >= 0xDC00 or low is None or not 0xDC00 <= int(low[1], 16) <= 0xDFFF:
            raise self._fault("lone-surrogate")
        self._at = low.end()
        return chr(0x10000 + (code - 0xD800) * 0x400 + (int(low[1], 16) - 0xDC00))

    def _skip_space(self) -> None:
        self._at = _end(_SPACE, self._data, self._at)

    def _next_byte(self) -> bytes:
        self._skip_space()
        return self._byte()

    def _byte(self) -> bytes:
        if self._at == len(self._data):
            raise self._fault("end")
        return self._data[self._at : self._at + 1]

    def _unexpected(self) -> JsonError:
        rest = self._data[self._at : self._at + 4].decode("utf-8", "ignore")
        return self._fault("unexpected", found=_shown(rest[:1]))

    def _fault(self, name: str, offset: int | None = None, **values: int | str) -> JsonError:
        """The error of this place; its hint says where to look, never how to edit: the document may be signed."""
        at = self._at if offset is None else offset
        return JsonError(Reason(name), said(name, **values), offset=at, hint=look_at(self._data, at))


def _end(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    match = pattern.match(data, at)
    return match.end() if match else at


def _shown(text: str) -> str:
    """Hostile text, made fit for one line of a terminal."""
    return ascii(text if len(text) <= 40 else text[:40] + "...")
