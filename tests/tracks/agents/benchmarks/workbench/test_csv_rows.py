"""RFC 4180: fields, quotation marks and ends of lines; what is no such file is refused with its place."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workbench_files import table

from benchsite.errors import InputError
from benchsite.tracks.agents.benchmarks.workbench import csv_rows
from benchsite.tracks.agents.benchmarks.workbench.csv_rows import rows

COLUMNS = ("a", "b")


def read(data: bytes) -> list[tuple[str, ...]]:
    return list(rows(data, COLUMNS, where="t.csv", most=50))


def test_quoted_cells_hold_marks_commas_and_ends_of_lines() -> None:
    assert read(b'a,b\n"x ""y"", z","1\n2"\r\n3,\n') == [('x "y", z', "1\n2"), ("3", "")]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "row 1: missing columns: a, b"),
        (b"a,b\n", "row 1: no row below the header"),
        (b"a\n1\n", "row 1: missing columns: b"),
        (b"a,b,c\n1,2,3\n", "row 1: unknown columns: 'c'"),
        (b"b,a\n1,2\n", "row 1: columns must be in this order: a, b"),
        (b"a,b\n1,2\n3\n", "row 3: expected 2 cells, found 1"),
        (b"a,b\n1,2,3\n", "row 2: expected 2 cells, found 3"),
        (b"a,b\n1,2\n3,", "row 3, column 2: the file is cut short"),
        (b"a,b\n1,2\n3,4", "row 3, column 2"),
        (b'a,b\n1,"2\n', "row 2, column 2: a quotation mark"),
        (b'a,b\n1,2"3\n', "row 2, column 2: a quotation mark"),
        (b"a,b\n1,\x00\n", "line 2: a NUL character"),
        (b"\xef\xbb\xbfa,b\n1,2\n", "line 1: a byte order mark"),
        (b"a,b\n1,\xff\n", "line 2: not UTF-8 (byte 6)"),
        (b"a,b\n1," + b"x" * 51 + b"\n", "row 2, column 2: a cell of 51 characters; at most 50"),
        (b"," * 2000 + b"\n", "row 1: more than 1,000 cells"),
    ],
)
def test_what_is_no_such_file_is_refused_with_its_place(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=r"^t\.csv: " + re.escape(message)):
        read(data)


def test_a_file_that_is_too_large_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_rows, "MAX_BYTES", 10)
    with pytest.raises(InputError, match="larger than"):
        read(b"a,b\n1,2\n3,4\n")


TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5))
def test_what_the_csv_module_writes_is_read_as_it_was(found: list[tuple[str, str]]) -> None:
    assert read(table(COLUMNS, found)) == found


@given(st.one_of(st.binary(max_size=60), st.text('a,b"\n\r1', max_size=60).map(lambda text: text.encode())))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for whole in (data, b"a,b\n" + data):
        try:
            assert all(len(row) == 2 for row in read(whole))
        except InputError as error:
            assert error.message.startswith("t.csv: ")
