"""The plain form that four keys of `methodology.yaml` must have, so that a browser reads them without a YAML library.

`track`, `version`, `engine` and `parameters` decide a re-score; `theme/verify/methodology.js` reads them by this grammar,
line by line. Each of the first three is `key: value` at the left margin. `parameters:` is alone on its line, or before `{}`;
below it are lines `  name: value`, indented by two spaces. A value is a whole or decimal number, `true`, `false` or
`null`, `"text"` or `'text'` of printable ASCII without quotes and backslash, a word that YAML reads as text, or a list of such values on one
line: `[1, 5, 10]`. Blank lines and comments are free. Every other key is YAML's business alone.

Refused with their line: any other form of these keys, one of them given twice, a top-level line that is neither a plain
key nor an item, and line breaks other than LF and CRLF, because YAML counts more of them than JavaScript splits at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.methodology.sentences import said

__all__ = ["KEYS", "check", "read"]

KEYS: Final = ("track", "version", "engine", "parameters")
_LARGEST: Final = 2**53 - 1

_BREAKS: Final = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
_BLANK: Final = re.compile(r"[ \t]*(?:#.*)?")
_EMPTY: Final = re.compile(r"\{\} *(?: #.*)?")
_REST: Final = re.compile(r" *(?: #.*)?")
_KEY: Final = re.compile(r"([A-Za-z][A-Za-z0-9_-]*):(?=$| )")
_NAME: Final = re.compile(r"  ([A-Za-z][A-Za-z0-9]*): +")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?![A-Za-z0-9._/-])")
_QUOTED: Final = re.compile(r"""(["'])([ !#-&(-\[\]-~]*)\1""")
_WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9./_-]*")
_TEXT: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9./_-]*|[0-9]+\.[0-9]+\.[0-9]+|[0-9]+/[0-9]+|(?!0b[01]+$)(?=[0-9]*[a-f])[0-9a-f]{64}"
)
# What YAML 1.1 reads as something else than text, in any capitals.
_RESERVED: Final = frozenset({"yes", "no", "on", "off", "y", "n", "true", "false", "null"})
_CONSTANTS: Final = {"true": True, "false": False, "null": None}


def read(data: bytes, where: str) -> dict[str, Any]:
    """The four keys, those of them that there are.

    Args:
        data: the bytes of `methodology.yaml`.
        where: what messages call it.

    Raises:
        InputError: not of the plain form; the line is named.
    """
    lines = _Lines(where)
    for line in _split(data, lines):
        lines.number += 1
        if _BLANK.fullmatch(line):
            continue
        if line[0] == " " or line.startswith("- "):
            lines.inner(line)
        elif line != "---" or lines.found:
            lines.key(line)
    return lines.found


class _Lines:
    """What has been read of the lines so far, and what an indented line would belong to."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.number = 0
        self.found: dict[str, Any] = {}
        self._under = ""

    def refused(self, name: str, **values: str) -> InputError:
        return InputError(
            f"{self.where}, line {self.number}: {said(name, **values)}",
            hint='the keys track, version, engine and parameters take a number, true, false, null, "text", a plain '
            "word, or a list of them on one line",
        )

    def key(self, line: str) -> None:
        key = _KEY.match(line)
        if key is None:
            raise self.refused("no-key")
        self._under, rest = key[1], line[key.end() :].lstrip(" ")
        if self._under not in KEYS:
            return
        if self._under in self.found:
            raise self.refused("given-twice", key=self._under)
        if self._under != "parameters":
            self.found[self._under] = _whole(rest, self)
            return
        self.found[self._under] = {}
        if _EMPTY.fullmatch(rest):
            self._under = "version"  # nothing may follow, as after a scalar
        elif not _BLANK.fullmatch(rest):
            raise self.refused("not-alone")

    def inner(self, line: str) -> None:
        """An indented line or an item: free below other keys, a parameter below `parameters`."""
        if self._under not in KEYS:
            return
        name = _NAME.match(line) if self._under == "parameters" else None
        if name is None or name[1].lower() in _RESERVED:
            raise self.refused("no-parameter")
        below = self.found["parameters"]
        if name[1] in below:
            raise self.refused("given-twice", key=f"parameters.{name[1]}")
        below[name[1]] = _whole(line[name.end() :], self)


def check(data: bytes, document: Any, where: str) -> None:
    """Hold the plain reading of the four keys against YAML's own.

    Raises:
        InputError: a key is not of the plain form, or reads otherwise.
    """
    plain = read(data, where)
    for key in KEYS:
        ours, theirs = plain.get(key), document.get(key)
        if canonical.dumps(ours) != canonical.dumps(theirs):
            raise InputError(
                f"{where}: {key} reads as {json.dumps(theirs)} in YAML and as {json.dumps(ours)} line by line",
                hint=f"write {key} in the plain form, at the left margin",
            )


def _split(data: bytes, lines: _Lines) -> Iterator[str]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise lines.refused("not-utf8") from None
    if other := _BREAKS.search(text):
        lines.number = text.count("\n", 0, other.start()) + 1
        raise lines.refused("line-break")
    for line in text.split("\n"):
        yield line.removesuffix("\r")


def _whole(text: str, lines: _Lines) -> Any:
    """The value that a line ends in."""
    value, end = _list(text, lines) if text.startswith("[") else _scalar(text, 0, lines)
    if not _REST.fullmatch(text, end):
        raise lines.refused("more-values")
    return value


def _list(text: str, lines: _Lines) -> tuple[list[Any], int]:
    items: list[Any] = []
    at = _past(text, 1)
    if text[at : at + 1] == "]":
        return items, at + 1
    while True:
        value, at = _scalar(text, at, lines)
        items.append(value)
        at = _past(text, at)
        if text[at : at + 1] == "]":
            return items, at + 1
        if text[at : at + 1] != ",":
            raise lines.refused("not-a-list")
        at = _past(text, at + 1)


def _past(text: str, at: int) -> int:
    while text[at : at + 1] == " ":
        at += 1
    return at


def _scalar(text: str, at: int, lines: _Lines) -> tuple[Any, int]:
    if number := _NUMBER.match(text, at):
        return _number(number[0], lines), number.end()
    if quoted := _QUOTED.match(text, at):
        return quoted[2], quoted.end()
    word = _WORD.match(text, at)
    if word is not None and word[0] in _CONSTANTS:
        return _CONSTANTS[word[0]], word.end()
    if word is None or not _TEXT.fullmatch(word[0]) or word[0].lower() in _RESERVED:
        raise lines.refused("not-plain")
    return word[0], word.end()


def _number(text: str, lines: _Lines) -> int | float:
    if len(text) > 40:
        raise lines.refused("not-exact")
    value = float(text) if "." in text else int(text)
    whole = isinstance(value, float) and value.is_integer()  # one language would read it as an integer
    if whole or abs(value) > _LARGEST or (text.startswith("-") and value == 0):
        raise lines.refused("not-exact")
    return value
