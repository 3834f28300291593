"""Own data as CSV or lines of JSON, by the names of columns."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.errors import InputError

from .importing import imported, labels

ITEMS = 'id,body,scope,timestamp\nn1,"The key, blue door",home,2026-03-01T09:00:00Z\nn2,The shed,home,\nn3,Sand,beach,\n'
QUERIES = "id,text,scope,expected,category,answerable\nq1,Where is the key?,home,n1|n2,simple,\nq2,Who?,beach,,who,no\n"
UNLABELED = "id,text,scope\nq1,Where is the key?,home\n"
ROWS = {"items": ITEMS, "queries": QUERIES}


def own(kind: str = "csv", column: Any = (("items.text", "body"),), **files: str) -> Any:
    named = {name: (f"{name}.{kind}", text.encode()) for name, text in {**ROWS, **files}.items()}
    return imported(kind, {}, fixture_id="mine", column=column, qrels=named.pop("qrels", None), **named)


def test_a_csv_file_of_items_and_one_of_queries_are_a_dataset() -> None:
    fixture, lines = own()
    assert [(item.id, item.scope, item.content, item.timestamp) for item in fixture.items] == [
        ("n1", "home", "The key, blue door", "2026-03-01T09:00:00Z"),
        ("n2", "home", "The shed", None),
        ("n3", "beach", "Sand", None),
    ]
    assert labels(fixture) == {"q1": {"n1": 1, "n2": 1}, "q2": {}}
    assert [(query.category, query.answerable) for query in fixture.queries] == [
        ("simple", True),
        ("who", False),
    ]
    assert lines == ["3 items, 2 queries"]


def test_graded_labels_may_be_in_a_file_of_their_own() -> None:
    fixture, _ = own(queries=UNLABELED, qrels="query,item,grade\nq1,n1,2\nq1,n2,1\n")
    assert labels(fixture) == {"q1": {"n1": 2, "n2": 1}}


def test_labels_of_two_columns_are_all_relevant_and_it_is_said() -> None:
    fixture, lines = own(queries=UNLABELED, qrels="query,item\nq1,n1\nq1,n2\n")
    assert labels(fixture) == {"q1": {"n1": 1, "n2": 1}}
    assert lines[1:] == ["labels without a grade taken as 1: 2"]
    assert "Labels without a grade taken as 1: 2." in fixture.notes
    column = (("items.text", "body"), ("qrels.grade", "relevance"))
    graded, lines = own(queries=UNLABELED, column=column, qrels="query,item,relevance\nq1,n1,0\nq1,n2,2\n")
    assert (labels(graded), lines[1:]) == ({"q1": {"n1": 0, "n2": 2}}, [])


def test_windows_files_change_nothing() -> None:
    files = {name: f"\ufeff{text}".replace("\n", "\r\n") for name, text in ROWS.items()}
    fixture, expected = own(**files)[0], own()[0]
    assert (fixture.items, fixture.queries) == (expected.items, expected.queries)


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ('{"id": "n1", "text": "The key"}\n{"id": "n2", "te', "items.jsonl line 2: not JSON"),
        ('{"id": "n1", "text": "\\ud83d"}', "items.jsonl line 1: a lone surrogate is not text"),
        ('{"id": "n1", "\\ude00": "\\ud83d\\ude00"}', "items.jsonl line 1: a lone surrogate is not text"),
    ],
)
def test_what_is_wrong_with_lines_of_json_is_named(items: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        own("jsonl", column=(), items=items, queries="")
    assert said in raised.value.message


def test_both_halves_of_a_surrogate_pair_are_text() -> None:
    items = '{"id": "n1", "text": "\\ud83d\\ude00"}'
    fixture, _ = own("jsonl", column=(), items=items, queries='{"id": "q", "text": "x", "expected": ["n1"]}')
    assert fixture.items[0].content == "\U0001f600"


def test_lines_of_json_are_the_same() -> None:
    def lines(text: str) -> str:
        rows = list(csv.DictReader(io.StringIO(text)))
        for row in rows:
            if "expected" in row:
                row["expected"] = [name for name in row["expected"].split("|") if name]
        return "\n".join(json.dumps(row) for row in rows)

    fixture, _ = own("jsonl", items=lines(ITEMS), queries=lines(QUERIES))
    expected = own()[0]
    assert (fixture.items, fixture.queries) == (expected.items, expected.queries)


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"))).filter(str.strip), min_size=1
    )
)
def test_any_text_survives(texts: list[str]) -> None:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["id", "text"])
    writer.writerows([f"n{place}", text] for place, text in enumerate(texts))
    queries = "id,text,expected\nq1,x,n0\n"
    fixture, _ = own(column=(), items=out.getvalue(), queries=queries)
    assert [item.content for item in fixture.items] == texts


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"column": ()}, "items.csv line 2: no text"),
        ({"column": (("items.body", "x"),)}, "--column items.body: no such column"),
        ({"column": (("items.text", "boody"),)}, "items.csv line 2: no boody"),
        ({"items": ITEMS + ITEMS.split("\n", 1)[1]}, "items.csv line 5: document 'n1' occurs twice"),
        (
            {"items": ITEMS.replace("n2,The shed,home,", "n2,The shed")},
            "items.csv line 3: 2 cells, and the header has 4",
        ),
        ({"items": ITEMS.replace('"The key', '"The "key')}, "items.csv line 2: "),
        ({"items": ""}, "items.csv line 1: no header"),
        ({"items": "id,body,body\n"}, "items.csv line 1: a column name occurs twice"),
        (
            {"queries": QUERIES.replace("who,no", "who,perhaps")},
            "queries.csv line 3: answerable is 'perhaps'",
        ),
        ({"queries": "id,text\n"}, "csv: no query"),
        ({"items": ITEMS[:-6]}, "items.csv line 4: 3 cells, and the header has 4"),
        ({"items": ITEMS[:30] + '"The'}, "items.csv line 2: "),
        (
            {"queries": UNLABELED, "qrels": "query,item,relevance\nq1,n1,0\n"},
            "qrels.csv line 2: no grade",
        ),
        (
            {"qrels": "query,item,grade\nq1,n1,1\n"},
            "queries.csv line 2: relevant items here and in --qrels",
        ),
        (
            {"queries": QUERIES.replace("simple,", "simple,no")},
            "queries.csv line 2: not answerable, and it has relevant items",
        ),
        (
            {
                "queries": UNLABELED + "q2,Who?,beach\n",
                "qrels": "query,item,grade\nq2,n3,1\nq1,n3,\n",
            },
            "qrels.csv line 3: grade '' is no whole number",
        ),
    ],
)
def test_what_is_wrong_is_named(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as raised:
        own(**changes)
    assert said in raised.value.message
    assert raised.value.hint
