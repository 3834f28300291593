"""An agents receipt as a table: a row for each run."""

from __future__ import annotations

from benchsite.tracks.agents.items import COLUMNS, rows


def test_each_run_of_each_task_has_a_row_with_its_outcome() -> None:
    document = {
        "tasks": {"id": ["t1", "t2"], "domain": ["email", "calendar"], "needsAction": [False, True]},
        "runs": {
            "taskId": ["t1", "t1", "t2"],
            "run": [1, 2, 1],
            "outcome": ["success", "failure", "limit"],
            "completion": [True, True, False],
            "limit": [None, None, "tokens"],
            "tokens": [10, None, 30],
        },
    }
    found = list(rows(document, "success"))
    assert [(row["item"], row["run"], row["category"], row["value"]) for row in found] == [
        ("t1", 1, "email", 1.0),
        ("t1", 2, "email", 0.0),
        ("t2", 1, "calendar", 0.0),
    ]
    assert [(row["outcome"], row["limit"], row["tokens"], row["needsAction"]) for row in found] == [
        ("success", None, 10, False),
        ("failure", None, None, False),
        ("limit", "tokens", 30, True),
    ]
    # A column that the source doesn't tell is blank, not 0.
    assert all("costUsd" not in row for row in found)


def test_columns_have_the_kind_of_one_run() -> None:
    kinds = {column.name: column.kind for column in COLUMNS}
    assert (kinds["outcome"], kinds["completion"], kinds["tokens"], kinds["redundancy"]) == (
        "text",
        "boolean",
        "integer",
        "number",
    )
    assert kinds["needsAction"] == "boolean"
