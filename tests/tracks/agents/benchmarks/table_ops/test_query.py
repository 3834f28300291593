"""The SQL tool: reads, and nothing else; its work, memory and output are bounded; no clock and no randomness."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.agents.benchmarks.packaged import ToolError
from benchsite.tracks.agents.benchmarks.table_ops.query import Database

DATABASE = Database(
    {
        "boats": (("boat", "seats"), (("Eider", 12), ("Heron", 28), ("Gannet", None))),
        "many": (("n",), [(n,) for n in range(100)]),
    }
)


@pytest.mark.parametrize(
    ("sql", "result"),
    [
        (
            "SELECT boat, seats FROM boats ORDER BY boat",
            "boat | seats\nEider | 12\nGannet | NULL\nHeron | 28",
        ),
        ("select sum(seats) AS total from boats;", "total\n40"),
        ("SELECT avg(seats) a FROM boats", "a\n20"),
        ("SELECT 1/3.0 AS third", "third\n0.3333333333"),
        ("SELECT boat FROM boats WHERE seats > 100", "boat\n(no rows)"),
        ('SELECT seats FROM boats WHERE boat = "Heron"', "seats\n28"),
        ("SELECT boat FROM boats WHERE boat LIKE '%er%' ORDER BY 1", "boat\nEider\nHeron"),
        ("WITH big AS (SELECT * FROM boats WHERE seats > 20) SELECT count(*) c FROM big", "c\n1"),
        ("SELECT rank() OVER (ORDER BY seats) r FROM boats LIMIT 1", "r\n1"),
        ("SELECT x'ff' AS b", "b\nff"),
    ],
)
def test_a_select_gives_its_columns_and_rows(sql: str, result: str) -> None:
    assert DATABASE.query(sql) == result


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("DELETE FROM boats", "only reading"),
        ("INSERT INTO boats VALUES ('x', 1)", "only reading"),
        ("DROP TABLE boats", "only reading"),
        ("PRAGMA table_info(boats)", "only reading"),
        ("ATTACH '/tmp/x.db' AS x", "only reading"),
        ("VACUUM INTO '/tmp/x.db'", "only reading"),
        ("EXPLAIN SELECT 1", "only reading"),
        ("", "only reading"),
        ("SELECT * FROM sqlite_master", "only reading"),
        ("SELECT * FROM pragma_table_info('boats')", "only reading"),
        ("WITH x AS (SELECT 1) DELETE FROM boats", "only reading"),
        ("SELECT load_extension('x')", "load_extension is not available"),
        ("SELECT readfile('/etc/passwd')", "no such function: readfile"),
        ("SELECT randomblob(1000000000)", "randomblob is not available"),
        ("SELECT printf('%1000000000d', 1)", "printf is not available"),
        ("SELECT random()", "random is not available"),
        ("SELECT date('now')", "date is not available"),
        ("SELECT current_timestamp", "current_timestamp is not available"),
        ("SELECT strftime('%s')", "strftime is not available"),
        ("SELECT sqlite_version()", "sqlite_version is not available"),
        ("SELECT seat FROM boats", "no such column: seat"),
        ("SELECT FROM", "syntax error"),
        ("SELECT 1; DELETE FROM boats", "one statement"),
        ("SELECT boat FROM boats WHERE seats = ?", "bindings"),
        ("SELECT '\x00'", "null character"),
        ("SELECT '\ud800'", "character"),
        ("SELECT " + ", ".join("1" for _ in range(60)), "too many columns"),
        ("SELECT " + "(" * 400 + "1" + ")" * 400, "."),
        ("SELECT '" + "x" * 2100 + "'", "."),
    ],
)
def test_everything_else_is_refused_with_a_sentence(sql: str, sentence: str) -> None:
    with pytest.raises(ToolError, match=sentence):
        DATABASE.query(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
        "SELECT count(*) FROM many a, many b, many c, many d, many e",
        "WITH RECURSIVE r(t) AS (SELECT 'x' UNION ALL SELECT 'x' FROM r) SELECT t FROM r ORDER BY t",
        "SELECT sum(length(replace(a.n || b.n || c.n || d.n, '1', '22'))) FROM many a, many b, many c, many d",
    ],
)
def test_a_query_without_end_is_ended(sql: str) -> None:
    with pytest.raises(ToolError, match="takes too long"):
        DATABASE.query(sql)


def test_long_values_and_long_results_are_bounded() -> None:
    with pytest.raises(ToolError, match="too big"):
        DATABASE.query(
            "SELECT replace(replace('aaaaaaaaaaaaaaaaaaaa', 'a', 'bbbbbbbbbbbbbbbbbbbb'), 'b', 'cccccccccc')"
        )
    rows = DATABASE.query("SELECT n FROM many").splitlines()
    assert (rows[1], rows[-1]) == ("0", "... more than 50 rows")
    assert len(rows) == 52
    wide = DATABASE.query("SELECT '" + "x" * 1900 + "' FROM many")
    assert wide.endswith("... cut")
    assert len(wide) < 1600


def test_a_query_leaves_nothing_behind() -> None:
    with pytest.raises(ToolError):
        DATABASE.query("WITH x AS (SELECT 1) UPDATE boats SET seats = 0")
    assert DATABASE.query("SELECT sum(seats) s FROM boats") == "s\n40"


@given(st.text(alphabet="SELECT seats, boat FROM boats WHERE *()'\"=1%;-/", max_size=60))
def test_any_text_gives_a_result_or_a_refusal(text: str) -> None:
    try:
        assert len(DATABASE.query(f"SELECT {text}")) < 1600
    except ToolError as error:
        assert str(error)
