"""Reading other people's files: JSON documents and lines, tables and plain fields, each error with the file and the line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.words import one_line

__all__ = ["field_lines", "ids_of", "json_document", "json_lines", "member", "table", "text_of"]

csv.field_size_limit(64 * 1024 * 1024)
_BOM: Final = b"\xef\xbb\xbf"
_MAX_BYTES: Final = 512 * 1024 * 1024


def json_document(data: bytes, name: str) -> Any:
    """Return the value of a JSON file; a byte order mark in front of it, as programs on Windows write one, is ignored.

    Raises:
        InputError: it is not strict JSON; the hint names the line.
    """
    try:
        return canonical.loads(data.removeprefix(_BOM), max_bytes=_MAX_BYTES)
    except canonical.JsonError as error:
        raise InputError(f"{name}: {error.message}", hint=error.hint) from None


def text_of(data: bytes, name: str, encoding: str = "utf-8") -> str:
    """Return a file's text without a byte order mark.

    Raises:
        InputError: it is not of this encoding; the line is named.
    """
    try:
        return data.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{name} line {line}: not {encoding.upper()}",
            hint="save the file as UTF-8, or give --encoding if there is one",
        ) from None
    except LookupError:
        raise InputError(f"no encoding {encoding!r}", hint="for example --encoding latin-1") from None


def json_lines(data: bytes, name: str, encoding: str = "utf-8") -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield number and object of each line that is not blank.

    Raises:
        InputError: a line is no JSON object, as the last one of a truncated file, or it has half of a surrogate pair.
    """
    for number, line in enumerate(text_of(data, name, encoding).split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            if "\\u" in line:  # only an escape can be half of a surrogate pair
                json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise InputError(
                f"{name} line {number}: a lone surrogate is not text",
                hint="write both halves of the pair, as in \\ud83d\\ude00, or remove it",
            ) from None
        except (ValueError, RecursionError):
            raise InputError(f"{name} line {number}: not JSON", hint="each line is one JSON object") from None
        if not isinstance(value, dict):
            raise InputError(f"{name} line {number}: not a JSON object", hint="each line is one JSON object")
        yield number, value


def table(data: bytes, name: str, encoding: str = "utf-8") -> Iterator[tuple[int, dict[str, str]]]:
    """Yield number and cells of each row of a CSV file with a header, by column.

    Raises:
        InputError: there is no header, two columns have one name, or a row has more or fewer cells.
    """
    reader = csv.reader(io.StringIO(text_of(data, name, encoding), newline=""), strict=True)
    try:
        header = next(reader, [])
        if not header or len(set(header)) < len(header):
            raise InputError(
                f"{name} line 1: {'a column name occurs twice' if header else 'no header'}",
                hint="the first line names the columns, each once",
            )
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                raise InputError(
                    f"{name} line {reader.line_num}: {len(cells)} cells, and the header has {len(header)}",
                    hint="quote cells with commas or line ends in them",
                )
            yield reader.line_num, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise InputError(f"{name} line {reader.line_num}: {error}", hint="correct the quoting") from None


def field_lines(
    data: bytes, name: str, *, fields: Sequence[int], form: str, tabs: bool = False, encoding: str = "utf-8"
) -> Iterator[tuple[int, list[str]]]:
    """Yield number and fields of each line that is not blank.

    Args:
        data: the file.
        name: its name, for messages.
        fields: how many a line may have.
        form: what a line has, in words.
        tabs: separated by tabs, so that fields may have blanks in them; else by any blanks.
        encoding: of the file.

    Raises:
        InputError: a line has another number of fields.
    """
    for number, line in enumerate(text_of(data, name, encoding).split("\n"), 1):
        if not line.strip():
            continue
        found = [cell.strip() for cell in line.split("\t")] if tabs else line.split()
        if len(found) not in fields:
            raise InputError(f"{name} line {number}: {len(found)} fields", hint=f"a line is: {form}")
        yield number, found


def member(row: Mapping[str, Any], names: Sequence[str], where: str) -> str:
    """Return the text of the first of these members that a row has; a number is taken as its digits.

    Raises:
        InputError: it has none of them, or it is no text.
    """
    for name in names:
        if name in row:
            value = row[name]
            if isinstance(value, str):
                return value
            if isinstance(value, int) and not isinstance(value, bool):
                return str(value)
            raise InputError(f"{where}: {name} is no text", hint=f"write {name} as a JSON string")
    known = ", ".join(one_line(str(name), 40) for name in list(row)[:8]) or "none"
    raise InputError(f"{where}: no {names[0]}", hint=f"its members or columns: {known}")


def ids_of(value: object, where: str) -> list[str]:
    """Return a list of ids.

    Raises:
        InputError: it is none; the message starts with `where`.
    """
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InputError(f"{where} is not a list of ids", hint='as in ["answer_1", "answer_2"]')
    return value
