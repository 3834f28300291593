from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from benchsite.tabular import csv_bytes, csv_cell


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
    assert list(csv.reader(io.StringIO(data, newline=""), lineterminator="\n")) == [columns, texts]
