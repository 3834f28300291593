"""The member `data` of a document: what each kind refuses, with the place."""

from __future__ import annotations

from typing import Any

import packaged_benchmarks
import pytest

from benchsite.errors import InputError


def table(*columns: str, rows: list[list[Any]]) -> dict[str, Any]:
    return {"tables": {"boats": {"columns": list(columns), "rows": rows}}}


@pytest.mark.parametrize(
    ("kind", "data", "words"),
    [
        ("arithmetic-tools", {"x": 1}, "data: a calculator needs none"),
        ("kb-lookup", {}, "data.passages: "),
        ("kb-lookup", {"passages": []}, "data.passages: "),
        ("kb-lookup", {"passages": [""]}, "data.passages.0: "),
        ("kb-lookup", {"passages": [7]}, "data.passages.0: "),
        ("kb-lookup", {"passages": ["x"], "more": 1}, "data.more: "),
        ("table-ops", {}, "data.tables: "),
        ("table-ops", {"tables": {}}, "data.tables: "),
        ("table-ops", table("boat; DROP", rows=[]), "data.tables.boats.columns.0: "),
        ("table-ops", table("boat", "boat", rows=[]), "data.tables: duplicate column name"),
        ("table-ops", table("boat", rows=[["a", "b"]]), "data.tables: "),
        ("table-ops", table("boat", rows=[[1.5]]), "data.tables.boats.rows.0.0"),
    ],
)
def test_malformed_data_is_refused_with_its_place(kind: str, data: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        packaged_benchmarks.read(packaged_benchmarks.small(kind=kind, data=data))
    assert f"benchmark test: {words}" in caught.value.message
