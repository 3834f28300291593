"""A rubric receipt as a table: a row for each score of each sheet."""

from __future__ import annotations

from rubric_receipts import Said, payload

from benchsite.tracks.rubric.items import COLUMNS, rows


def test_each_score_of_each_sheet_has_a_row() -> None:
    sheets = (Said(universal=(1, 2, 3, 4, 5, 4)), Said(universal=(2, 2, 3, 4, 5, 4), evaluator=1))
    found = list(rows(payload("1.3.0", sheets), "composite_score"))
    # Six dimensions, and three criteria of five scenarios.
    assert len(found) == 2 * (6 + 15)
    assert [(row["run"], row["value"], row["evaluator"]) for row in found if row["item"] == "U1"] == [
        (1, 1.0, "evaluator 0"),
        (2, 2.0, "evaluator 1"),
    ]
    second = [row for row in found if row["item"] == "D2" and row["run"] == 1]
    assert {row["criterion"]: row["value"] for row in second} == {
        "accuracy": 5.0,
        "completeness": 4.0,
        "usefulness": 3.0,
    }
    assert {(row["category"], row["question"], row["metric"]) for row in second} == {
        ("scenario", 1, "rating")
    }
    shared = {"item", "run", "category", "metric", "value"}
    assert all(row.keys() - shared == {column.name for column in COLUMNS} for row in found)
