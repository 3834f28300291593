from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tabular import csv_bytes, csv_cell
from benchsite.unseen import escaped


def test_a_cell_with_commas_or_quotes_is_quoted():
    assert csv_cell('porter, "stop"') == '"porter, ""stop"""'
    assert csv_cell(None) == ""
    assert csv_cell(1.0) == "1"
    assert csv_cell(value=True) == "true"


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1), min_size=1, max_size=4
    )
)
def test_pythons_own_reader_gets_every_text_back(texts: list[str]):
    columns = [f"c{place}" for place in range(len(texts))]
    data = csv_bytes(columns, [dict(zip(columns, texts, strict=True))]).decode()
    header, read = csv.reader(io.StringIO(data, newline=""), lineterminator="\n")
    assert header == columns
    assert [cell.removeprefix("'") for cell in read] == [escaped(text) for text in texts]
    assert not any(cell[0] in "=+-@\t\r\n" for cell in read)


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ('=HYPERLINK("https://evil.example","x")', '"\'=HYPERLINK(""https://evil.example"",""x"")"'),
        ("+1", "'+1"),
        ("-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\\u000d=1"),
        ("model \u202egpj", "model \\u202egpj"),
        ("a\u200bb", "a\\u200bb"),
        ("'=1", "''=1"),
        ("a=1", "a=1"),
        (-1.5, "-1.5"),
        (-3, "-3"),
    ],
)
def test_text_that_a_spreadsheet_would_run_is_marked_and_numbers_are_not(value: object, cell: str):
    """OWASP, "CSV injection": the characters that begin a formula, an apostrophe before them, the field quoted."""
    assert csv_cell(value) == cell
