"""An MCP server measured from the command line, in the sandbox."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from commands import Run

SERVER = Path(__file__).parents[1] / "mcp_server.py"
MAPPING = {
    "name": "notes",
    "version": "1.0",
    "command": [sys.executable, "{here}/server.py"],
    "files": ["server.py"],
    "reset": {"tool": "forget", "arguments": {"ids": "{ids}"}},
    "ingest": {
        "tool": "store",
        "each": "notes",
        "batch": 500,
        "arguments": {"id": "{id}", "text": "{content}"},
    },
    "query": {
        "tool": "find",
        "arguments": {"query": "{query}"},
        "hits": "structuredContent.hits",
        "score": "score",
    },
}


def test_both_ways_of_asking_are_rows_and_the_server_is_pinned(benchsite: Run, new: Path) -> None:
    (new / "server.py").write_bytes(SERVER.read_bytes())
    (new / "notes.json").write_text(json.dumps(MAPPING))
    ways = ("mcp:notes.json", "mcp:notes.json --ask each-word")
    adapters = [part for way in ways for part in ("--adapter", way)]
    ran = benchsite(
        "run", "retrieval", *adapters, "--fixture", "three-notebooks-v1", "--limit", "20", cwd=new
    )
    assert ran.code == 0, ran.err
    drafts = [json.loads(path.read_bytes()) for path in (new / ".benchsite/drafts").glob("*.json")]
    found = {draft["config"]["options"].get("arguments"): draft for draft in drafts}
    assert found.keys() == {None, "--ask each-word"}
    verbatim, words = found[None], found["--ask each-word"]
    assert verbatim["scores"]["ndcg_at_10"] == 0 < words["scores"]["ndcg_at_10"]
    assert [asset["name"] for asset in words["config"]["assets"]] == ["mapping", "server.py"]
    assert words["config"]["subjectSha256"] != verbatim["config"]["subjectSha256"]
    assert words["adapter"]["networkAccess"] == "off"


def test_a_wrong_mapping_is_one_error_and_leaves_no_draft(benchsite: Run, new: Path) -> None:
    (new / "notes.json").write_text(json.dumps({**MAPPING, "query": {"tool": "find", "ask": "loudly"}}))
    ran = benchsite(
        "run", "retrieval", "--adapter", "mcp:notes.json", "--fixture", "three-notebooks-v1", cwd=new
    )
    assert ran.code == 4
    assert "mapping notes.json: query.ask: " in ran.err
    ran = benchsite("adapter", "check", "mcp:nowhere.json", cwd=new)
    assert (ran.code, "mapping nowhere.json: no such file" in ran.err) == (4, True)
