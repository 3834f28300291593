"""The mappings of the page, against servers of the official package that answer in the shapes of their products."""

from __future__ import annotations

import json
import re
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from examples import some

from benchsite.tracks.retrieval.adapter import Item
from benchsite.tracks.retrieval.adapters.mcp.adapter import McpAdapter
from benchsite.tracks.retrieval.adapters.mcp.client import ServerError
from benchsite.tracks.retrieval.adapters.mcp.mapping import read_mapping

ROOT = Path(__file__).parents[5]
SERVERS = ROOT / "tests/mcp_products.py"
PAGE = (ROOT / "content/docs/measure-an-mcp-server.md").read_text("utf-8")
MAPPINGS: dict[str, dict[str, Any]] = {
    made["name"]: made
    for made in map(json.loads, re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
}
TEXTS = {"d1": "The spare key hangs in the shed", "d2": "Anna painted the shed", "d3": "A boat, built in May"}


def adapter(folder: Path, name: str, ask: Any = None) -> McpAdapter:
    made = {**MAPPINGS[f"mcp-{name}" if name == "server-memory" else name], "files": []}
    path = folder / "mapping.json"
    path.write_text(json.dumps({**made, "command": [sys.executable, str(SERVERS), name]}))
    one = McpAdapter(read_mapping(path), path, ask)
    one.reset()
    one.ingest([Item(name, text, {}, None) for name, text in TEXTS.items()])
    return one


def found(one: McpAdapter, question: str) -> list[str]:
    return [hit.id for hit in one.query(question, 10, None)]


def test_the_page_has_a_mapping_for_each_server(tmp_path: Path) -> None:
    assert set(MAPPINGS) == {"mcp-server-memory", "mcp-memory-service", "basic-memory"}
    for name, made in MAPPINGS.items():
        path = tmp_path / "mapping.json"
        path.write_text(json.dumps(made))
        assert read_mapping(path).name == name


@pytest.mark.parametrize(
    ("name", "verbatim"),
    some(
        [("server-memory", []), ("mcp-memory-service", ["d1", "d2"]), ("basic-memory", ["d1", "d2"])], gate=1
    ),
)
def test_a_question_is_asked_whole_and_word_by_word(tmp_path: Path, name: str, verbatim: list[str]) -> None:
    with closing(adapter(tmp_path, name, "verbatim")) as one:
        assert found(one, "the spare key of the shed") == verbatim
        one.reset()
        assert found(one, "shed") == []
    with closing(adapter(tmp_path, name, "each-word")) as one:
        assert found(one, "the spare key of the shed") == ["d1", "d2"]


@pytest.mark.parametrize("name", some(["mcp-memory-service", "basic-memory"], gate=1))
def test_an_error_as_text_is_a_failure(tmp_path: Path, name: str) -> None:
    with (
        closing(adapter(tmp_path, name)) as one,
        pytest.raises(ServerError, match="Error searching|Search Failed"),
    ):
        one.query("fail", 10, None)


def test_an_item_whose_text_is_stored_already_is_not_stored(tmp_path: Path) -> None:
    with closing(adapter(tmp_path, "mcp-memory-service")) as one:
        one.ingest([Item("d4", TEXTS["d1"], {}, None)])
        assert found(one, "spare key") == ["d1"]
