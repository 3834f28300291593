"""MCP servers by a mapping file: real server processes, where their hits are, how questions are asked, and what goes wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from examples import some
from harbour import errors, faults, measured, rows

from benchsite.errors import InputError
from benchsite.tracks.retrieval.adapter import Item
from benchsite.tracks.retrieval.adapters.mcp.adapter import McpAdapter
from benchsite.tracks.retrieval.adapters.mcp.client import ServerError, ServerLostError
from benchsite.tracks.retrieval.adapters.mcp.mapping import filled, read_mapping
from benchsite.tracks.retrieval.run.programs import arguments, command_of, spec_of

SERVER = Path(__file__).parents[4] / "mcp_server.py"
TEXTS = {"d1": "The spare key hangs in the shed", "d2": "Anna painted the shed", "d3": "A key to the boat"}
ITEMS = [Item(name, text, {}, None) for name, text in TEXTS.items()]


def mapping(how: str = "well", **changes: Any) -> dict[str, Any]:
    query = {"tool": "find", "arguments": {"query": "{query}", "k": "{k}"}, "hits": "structuredContent.hits"}
    return {
        "name": "notes",
        "version": "1.0",
        "command": [sys.executable, str(SERVER), *how.split(maxsplit=2)],
        "timeout_seconds": 10,
        "reset": {"tool": "forget", "arguments": {"ids": "{ids}"}},
        "ingest": {
            "tool": "store",
            "batch": 2,
            "each": "notes",
            "arguments": {"id": "{id}", "text": "{content}"},
        },
        **changes,
        "query": {**query, **changes.get("query", {})},
    }


def adapter(folder: Path, how: str = "well", ask: Any = None, **changes: Any) -> McpAdapter:
    path = folder / "notes.json"
    path.write_text(json.dumps(mapping(how, **changes)))
    return McpAdapter(read_mapping(path), path, ask)


def asked(one: McpAdapter, question: str = "shed", k: int = 10) -> list[tuple[str, float]]:
    try:
        one.reset()
        one.ingest(ITEMS)
        return [(hit.id, hit.score) for hit in one.query(question, k, None)]
    finally:
        one.close()


@pytest.mark.parametrize(
    "query",
    [
        {"score": "score"},
        {"hits": "structuredContent.result | json | results", "score": "score"},
        {"hits": "text", "pattern": r"\[(?P<id>d\d+)\] \(score (?P<score>[\d.]+)\)", "score": "score"},
        {
            "hits": "text",
            "pattern": r"\[(?P<id>d\d+)\] \(score (?P<score>[\d.]+)\)",
            "id_pattern": "d[0-9]+",
            "score": "score",
        },
    ],
)
def test_hits_are_found_where_the_mapping_says(tmp_path: Path, query: dict[str, Any]) -> None:
    assert asked(adapter(tmp_path, query=query)) == [("d1", 1.0), ("d2", 0.9)]


def test_without_a_score_the_order_counts_and_k_cuts(tmp_path: Path) -> None:
    assert asked(adapter(tmp_path)) == [("d1", 1.0), ("d2", 0.5)]
    assert asked(adapter(tmp_path), k=1) == [("d1", 1.0)]


def test_a_whole_question_finds_nothing_by_substring_and_its_words_do(tmp_path: Path) -> None:
    question = "Where is the spare key of the shed?"  # without stopwords: spare, key, shed
    assert asked(adapter(tmp_path), question) == []
    found = asked(adapter(tmp_path, ask="each-word"), question)
    assert [name for name, _ in found] == ["d1", "d3", "d2"]
    assert [score for _, score in found] == pytest.approx([1, 1 / 3, 1 / 3])
    assert asked(adapter(tmp_path, ask="each-word"), "?!") == []


@pytest.mark.parametrize("how", ["restart", {"tool": "forget", "arguments": {"ids": "{ids}"}}])
def test_a_scope_knows_nothing_of_the_one_before(tmp_path: Path, how: Any) -> None:
    one = adapter(tmp_path, reset=how)
    assert len(asked(one)) == 2
    one.reset()
    one.ingest([Item("d9", "Another shed", {}, None)])
    one.reset()
    one.ingest([Item("d8", "The last shed", {}, None)])
    assert [hit.id for hit in one.query("shed", 10, None)] == ["d8"]
    one.close()


def test_one_call_an_item_and_a_private_folder(tmp_path: Path) -> None:
    single = {"tool": "store", "arguments": {"id": "{id}", "text": "{content}"}}
    one = adapter(tmp_path, "elsewhere", ingest=single, environment={"NOTES": "{work}/notes"})
    assert len(asked(one)) == 2


@pytest.mark.parametrize("how", ["chatty", "asks-back"])
def test_prints_and_requests_of_a_server_disturb_nothing(tmp_path: Path, how: str) -> None:
    assert len(asked(adapter(tmp_path, how))) == 2


@pytest.mark.parametrize(
    ("how", "changes", "said"),
    [
        ("is-error", {}, "find: broken"),
        ("failing-text", {"failed_if": {"text": "# Search Failed"}}, "find: # Search Failed"),
        ("few-tools", {}, "no tool forget; the server has store"),
        ("changes", {}, "tools/call: Unknown tool: find"),
        ("dies", {}, "the server ended before it answered tools/call"),
        ("hangs", {"timeout_seconds": 0.5}, "no answer to tools/call within 0.5 s"),
        ("flood", {}, "the server ended before it answered tools/call"),
        ("well", {"command": ["./no-such-server"]}, "./no-such-server cannot start: no such file"),
    ],
)
def test_a_failure_of_a_server_is_one_of_the_adapter(
    tmp_path: Path, how: str, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(ServerError) as raised:
        asked(adapter(tmp_path, how, **changes))
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("how", "changes", "said"),
    some(
        [
            ("few-tools", {}, "MCP server: no tool forget; the server has store"),
            (
                "well",
                {"command": ["./no-such-server"]},
                "MCP server: ./no-such-server cannot start: no such file",
            ),
            (
                "well",
                {"command": [sys.executable, "{here}/gone.py"]},
                "the server ended before it answered initialize",
            ),
        ],
        gate=1,
    ),
)
def test_a_server_that_does_not_start_is_measured_as_no_system(
    tmp_path: Path, context: Any, how: str, changes: dict[str, Any], said: str
) -> None:
    adapter(tmp_path, how, **changes)
    with pytest.raises(InputError) as raised:
        measured(context, None, command=command_of(f"mcp:{tmp_path / 'notes.json'}"))
    assert "failed to start" in raised.value.message
    assert said in raised.value.message


def test_a_mapping_that_finds_nothing_is_noted(tmp_path: Path, context: Any) -> None:
    adapter(tmp_path, query={"hits": "structuredContent.nope"})
    found = measured(context, None, command=command_of(f"mcp:{tmp_path / 'notes.json'}"))
    assert "all 7 result lists are empty: try benchsite adapter check" in found.notes


def test_a_slow_server_may_take_longer_to_start_than_other_adapters(tmp_path: Path) -> None:
    """Weights may be loaded: two calls, each within the mapping's deadline."""
    adapter(tmp_path, timeout_seconds=300)
    assert spec_of(f"mcp:{tmp_path / 'notes.json'} --ask verbatim", None).start_timeout_s == 600


def test_a_server_that_ended_before_the_first_scope_is_started_once_more(tmp_path: Path) -> None:
    one = adapter(tmp_path)
    one.start()
    one._client._process.kill()
    one._client._process.wait()
    assert len(asked(one)) == 2


@pytest.mark.parametrize("how", some(["dies", pytest.param("hangs", marks=pytest.mark.stories)], gate=1))
@pytest.mark.parametrize(
    ("at", "failed"), [("store red boat", {"q1", "q2", "q3"}), ("find boat", {"q1", "q5"})]
)
def test_a_lost_server_costs_a_scope_or_a_query_and_the_rest_is_scored(
    tmp_path: Path, context: Any, how: str, at: str, failed: set[str]
) -> None:
    """A failed ingest fails its scope; a failed query itself. The adapter, and with it the server, is started again."""
    adapter(tmp_path, f"{how} {at}", timeout_seconds=2)
    found = measured(context, None, command=command_of(f"mcp:{tmp_path / 'notes.json'}"))
    assert errors(found) == dict.fromkeys(failed, "crashed")
    assert faults(found) == {"failed": len(failed)}
    assert rows(found)["q4"]["retrieved"] == ["b/2"]
    why = {"dies": "the server ended before it answered", "hangs": "no answer to"}[how]
    assert any(f"MCP server: {why} tools/call" in note for note in found.notes)


def test_a_batch_that_was_stored_before_another_failed_is_forgotten(tmp_path: Path) -> None:
    one = adapter(tmp_path, "refuses store boat")
    one.reset()
    with pytest.raises(ServerError, match="refused"):
        one.ingest(ITEMS)
    one.reset()
    one.ingest([Item("d9", "Another shed", {}, None)])
    assert [hit.id for hit in one.query("shed", 10, None)] == ["d9"]
    one.close()


def test_a_server_that_does_not_forget_is_lost(tmp_path: Path) -> None:
    one = adapter(tmp_path, "refuses forget d1")
    one.reset()
    one.ingest(ITEMS)
    with pytest.raises(ServerLostError, match="items of the last scope may be left: forget: refused"):
        one.reset()
    one.close()


@pytest.mark.parametrize("how", ["is-error", "failing-text"])
def test_a_failure_that_the_mapping_excepts_is_an_answer(tmp_path: Path, how: str) -> None:
    assert (
        asked(adapter(tmp_path, how, failed_if={"text": "# Search Failed", "unless": "broken|no index"}))
        == []
    )


def test_an_error_as_text_that_the_mapping_does_not_know_finds_nothing(tmp_path: Path) -> None:
    assert asked(adapter(tmp_path, "failing-text")) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "Not A Slug"}, "mapping notes.json: name: "),
        ({"command": []}, "mapping notes.json: command: "),
        ({"query": {"ask": "loudly"}}, "mapping notes.json: query.ask: "),
        ({"query": {"pattern": "["}}, "query.pattern: is no regular expression"),
        (
            {"command": ["python3", "{hree}/server.py"]},
            "command: unknown placeholder {hree}; known: here, work",
        ),
        ({"environment": {"HOME": "{wrok}"}}, "environment: unknown placeholder {wrok}"),
        ({"query": {"hits": "text"}}, "query: `hits` is a text: `pattern` is missing"),
        ({"query": {"pattern": "abc"}}, "query: `pattern` has no group named id: write (?P<id>…)"),
        (
            {"query": {"arguments": {"query": "{question}"}}},
            "query.arguments: unknown placeholder {question}; known: k, query",
        ),
        (
            {"ingest": {"tool": "store", "arguments": {"deep": ["{text}"]}}},
            "ingest.arguments: unknown placeholder {text}; known: content, id, timestamp",
        ),
        ({"ingest": {"tool": "store", "batch": 0}}, "mapping notes.json: ingest.batch: "),
        ({"colour": "blue"}, "mapping notes.json: colour: "),
    ],
)
def test_a_wrong_member_of_a_mapping_is_named(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as raised:
        adapter(tmp_path, **changes)
    assert said in raised.value.message
    with pytest.raises(InputError, match=r"mapping gone\.json: no such file"):
        command_of(f"mcp:{tmp_path / 'gone.json'}")


def test_a_mapping_is_started_by_the_bridge_and_only_its_arguments_are_recorded(tmp_path: Path) -> None:
    adapter(tmp_path)
    command = command_of(f"mcp:{tmp_path / 'notes.json'} --ask each-word")
    assert command[-3:] == (str(tmp_path / "notes.json"), "--ask", "each-word")
    assert arguments(command) == "--ask each-word"


def test_placeholders_keep_their_type_where_they_are_alone() -> None:
    known = {"k": 5, "ids": ["a"], "query": "x{k}"}
    assert filled({"a": "{k}", "b": ["{ids}"], "c": "{query} of {k} {other}", "d": 7}, known) == {
        "a": 5,
        "b": [["a"]],
        "c": "x{k} of 5 {other}",
        "d": 7,
    }


SDK = """
import sys
from mcp.server.mcpserver import MCPServer

server, notes = MCPServer("notes"), {}

@server.tool()
def store(id: str, text: str) -> str:
    notes[id] = text
    return "stored"

@server.tool()
def forget(ids: list[str]) -> str:
    notes.clear()
    return "forgotten"

@server.tool()
def find(query: str, k: int = 10) -> list[dict[str, str]]:
    return [{"id": one} for one, text in notes.items() if query.lower() in text.lower()][:k]

server.run()
"""


def test_a_server_of_the_official_package(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SDK)
    single = {"tool": "store", "arguments": {"id": "{id}", "text": "{content}"}}
    query = {"hits": "structuredContent.result"}
    made = adapter(tmp_path, command=[sys.executable, "{here}/server.py"], ingest=single, query=query)
    assert asked(made) == [("d1", 1.0), ("d2", 0.5)]
