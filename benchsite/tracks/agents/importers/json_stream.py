"""The members of a large JSON object (RFC 8259), read one at a time: of a long list, item by item.

Owns the walk over the outermost object; values are read by the standard library's parser. A byte order mark is accepted, NaN and
infinity are null, and of two equal names in an inner object the last counts. Refused, with the place: what is no object, text that
is not UTF-8, a file that ends early, and a value above 256 MiB.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Container, Iterable, Iterator
from typing import Any, Final, NamedTuple

from benchsite.errors import InputError
from benchsite.tracks.agents.importers.run_lines import FOREIGN

__all__ = ["Member", "members"]

MAX_VALUE: Final = 256 * 1024 * 1024
"""Characters of one value."""
_SLACK: Final = 32
"""A fault this near to the end of what is read may be that end."""
_AFTER: Final = ",]} \t\r\n"
_SPACE: Final = re.compile(r"[ \t\r\n]*")


class Member(NamedTuple):
    """A member of the object, or an item of a list that is one, with its place in that list from 1."""

    name: str
    value: Any
    item: int | None = None


class _Text:
    """The text read so far and not used yet."""

    def __init__(self, chunks: Iterable[bytes], name: str) -> None:
        self._chunks, self._name = iter(chunks), name
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._decoder = json.JSONDecoder(parse_constant=lambda _: None)
        self._text, self._at, self._ended = "", 0, False
        self._used = 0

    def fault(self, what: str) -> InputError:
        """The error at the place where the walk is."""
        return InputError(f"{self._name}: {what}: character {self._used + self._at + 1:,}", hint=FOREIGN)

    def peek(self) -> str:
        """Return the next character that is no space; empty at the end."""
        while True:
            space = _SPACE.match(self._text, self._at)
            self._at = self._at if space is None else space.end()
            if self._at < len(self._text) or not self._more(1):
                return self._text[self._at : self._at + 1]

    def take(self, wanted: str) -> None:
        """Go past one of the characters `wanted`."""
        found = self.peek()
        if not found or found not in wanted:
            raise self.fault(f"{' or '.join(wanted)} expected" if found else "the file ends early")
        self._at += 1

    def value(self) -> Any:
        """Read a value and go past it."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated") or error.pos > len(self._text) - _SLACK
                if not is_cut:
                    raise self.fault(f"no JSON: {error.msg.lower()}") from None
                if not self._more(len(self._text) - self._at):
                    raise self.fault("the file ends early") from None
                continue
            except RecursionError:
                raise self.fault("nested too deeply") from None
            except ValueError:  # of the interpreter, above 4,300 digits
                raise self.fault("a number with too many digits") from None
            if self._is_whole(value, end) or not self._more(1):
                self._at = end
                return value

    def _is_whole(self, value: Any, end: int) -> bool:
        """Whether a value that ends at `end` cannot go on: a number can, until something else follows."""
        if end == len(self._text):
            return False
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return not is_number or self._text[end] in _AFTER or len(self._text) - end > _SLACK

    def _more(self, wanted: int) -> bool:
        """Read at least `wanted` bytes more; False at the end of the file."""
        if self._ended:
            return False
        self._used += self._at
        parts, size = [self._text[self._at :]], 0
        self._at = 0
        try:
            while size <= wanted and not self._ended:
                chunk = next(self._chunks, None)
                self._ended = chunk is None
                parts.append(self._decode(chunk or b"", final=chunk is None))
                size += len(chunk or b"")
        except UnicodeDecodeError:
            raise self.fault("not UTF-8 near") from None
        self._text = "".join(parts)
        if len(self._text) > MAX_VALUE + 2 * 1024 * 1024:
            raise self.fault(f"a value above {MAX_VALUE:,} characters")
        return size > 0


def members(chunks: Iterable[bytes], name: str, listed: Container[str]) -> Iterator[Member]:
    """Yield the members of an object in the order of the file.

    Args:
        chunks: the file's bytes, cut anywhere.
        name: what errors call it.
        listed: members whose items come one at a time.

    Raises:
        InputError: the text is malformed; the place is named.
    """
    text = _Text(chunks, name)
    if text.peek() != "{":
        raise text.fault("must be a JSON object" if text.peek() else "the file is empty")
    text.take("{")
    while text.peek() != "}":
        if text.peek() not in {'"', ""}:
            raise text.fault("no JSON: a name must be text")
        key = text.value()
        text.take(":")
        if key in listed and text.peek() == "[":
            yield from _items(text, key)
        else:
            yield Member(key, text.value())
        if text.peek() != "}":
            text.take(",")
    text.take("}")
    if text.peek():
        raise text.fault("text after the object")


def _items(text: _Text, key: str) -> Iterator[Member]:
    """The items of a list."""
    text.take("[")
    number = 0
    while text.peek() != "]":
        number += 1
        yield Member(key, text.value(), number)
        if text.peek() != "]":
            text.take(",")
    text.take("]")
