from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchsite.isolation.worker import INVALID_PARAMS, METHOD_NOT_FOUND, NOT_JSON, PARSE_ERROR, RAISED, Server
from benchsite.tracks.retrieval.run.worker import host as open_host

pytestmark = pytest.mark.usefixtures("hostile")

ITEMS = [
    {"id": "d1", "content": "red boat", "metadata": {}, "timestamp": None},
    {"id": "d2", "content": "red car", "metadata": {"a": 1}, "timestamp": "2024-01-01T00:00:00Z"},
]


def ask(host: Server, method: str, **params: Any) -> dict[str, Any]:
    request = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    name, frame = host.answer(json.dumps(request).encode())
    assert name == method
    assert frame.endswith(b"\n")
    assert frame.count(b"\n") == 1
    answer = json.loads(frame)
    assert answer["jsonrpc"] == "2.0"
    assert answer["id"] == 7
    return answer


def started(reference: str, **options: Any) -> Server:
    host = open_host(reference)
    assert "result" in ask(host, "initialize", options=options, seed=5, protocolVersion=1)
    return host


def test_a_whole_conversation(hostile: Callable[[str], Path]) -> None:
    host = open_host("honest:Honest")
    declared = ask(host, "initialize", options={}, seed=5, protocolVersion=1)["result"]
    assert declared == {
        "name": "honest",
        "version": "1.0",
        "author": "tests",
        **dict.fromkeys(("network", "hosts", "hosted", "environment", "distributions", "assets", "backend")),
        "options": [],
    }
    assert ask(host, "reset")["result"] is None
    assert ask(host, "ingest", items=ITEMS)["result"] is None
    assert ask(host, "flush")["result"] is None
    hits = ask(host, "query", query="red boat", k=10, when=None)["result"]
    assert hits == {"hits": [["d1", 1.0, "red boat"], ["d2", 1.0, "red car"]]}
    assert ask(host, "ping")["result"] is None
    assert ask(host, "shutdown")["result"] is None


def test_an_exception_is_an_answer_and_not_an_end() -> None:
    host = started("raises:Raises")
    ask(host, "ingest", items=ITEMS)
    error = ask(host, "query", query="a boat", k=1, when=None)["error"]
    assert (error["code"], error["message"]) == (RAISED, "RuntimeError: no boats\nplease")
    assert ask(host, "query", query="red", k=1, when=None)["result"] == {"hits": [["d1", 1.0, "red boat"]]}


def test_long_messages_are_cut() -> None:
    error = ask(open_host("x" * 2000), "initialize", options={}, seed=0)["error"]
    assert len(error["message"]) == 500


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("no_such_module:X", "ModuleNotFoundError"),
        ("honest:Missing", "AttributeError"),
        ("raises:RaisesOnStart", "RuntimeError: no licence file"),
    ],
)
def test_a_start_that_fails_says_why(reference: str, message: str) -> None:
    error = ask(open_host(reference), "initialize", options={}, seed=0)["error"]
    assert error["code"] == RAISED
    assert message in error["message"]


def test_a_failed_start_still_declares_what_it_needs() -> None:
    error = ask(open_host("wants:NeedsVariable"), "initialize", options={}, seed=0)["error"]
    assert error["data"]["environment"] == ["WANTED_TOKEN"]
    assert error["data"]["network"] is None


def test_options_are_keywords_and_the_seed_is_passed_where_it_is_taken() -> None:
    host = started("wants:Options", depth=3)
    hits = ask(host, "query", query="x", k=1, when=None)["result"]["hits"]
    assert json.loads(hits[0][2]) == {"depth": 3, "seed": 5}
    unknown = ask(open_host("honest:Honest"), "initialize", options={"depth": 3}, seed=0)["error"]
    assert "depth" in unknown["message"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"stopwords": "no"}, "stopwords is true or false, not 'no'"),
        ({"stopwords": 0}, "stopwords is true or false, not 0"),
        ({"k1": "much"}, "k1 is a number, not 'much'"),
        ({"k1": True}, "k1 is a number, not True"),
    ],
)
def test_an_option_of_another_type_than_its_default_is_refused(options: dict[str, Any], said: str) -> None:
    """Python takes the text `no` as true: the row would state the opposite of what ran."""
    reference = {
        "stopwords": "benchsite.tracks.retrieval.adapters.lexical.sqlite_fts5:SqliteFts5",
        "k1": "wants:Saturates",
    }[next(iter(options))]
    error = ask(open_host(reference), "initialize", options=options, seed=0)["error"]
    assert (error["code"], error["message"]) == (INVALID_PARAMS, said)


def test_an_option_may_have_the_types_of_its_annotation_or_none() -> None:
    for taken in ({"k1": 2, "name": None}, {"k1": 1.5, "name": 7}, {"also": "english"}, {"level": 3}):
        assert "result" in ask(open_host("wants:Saturates"), "initialize", options=taken, seed=0)


def test_nan_survives_and_bytes_do_not() -> None:
    host = started("answers:BadScores")
    ask(host, "ingest", items=ITEMS)
    hits = ask(host, "query", query="x", k=1, when=None)["result"]["hits"]
    assert math.isnan(hits[0][1])
    wrong = started("answers:WrongTypes")
    for question in ("bytes", "lazy"):
        assert ask(wrong, "query", query=question, k=1, when=None)["error"]["code"] == NOT_JSON
    assert ask(wrong, "query", query="none", k=1, when=None)["result"] == {"hits": None}


def test_requests_it_cannot_read() -> None:
    host = open_host("honest:Honest")
    for line in (b"nonsense\n", b"[]\n", b"{}\n"):
        assert json.loads(host.answer(line)[1])["error"]["code"] == PARSE_ERROR
    assert ask(host, "dance")["error"]["code"] == METHOD_NOT_FOUND
    assert ask(host, "reset")["error"]["code"] == RAISED


def test_as_a_process_its_stdout_is_protocol_only(hostile: Callable[[str], Path]) -> None:
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"options": {}, "seed": 0}},
        {"jsonrpc": "2.0", "id": 2, "method": "query", "params": {"query": "q", "k": 1, "when": None}},
        {"jsonrpc": "2.0", "id": 3, "method": "shutdown"},
        {"jsonrpc": "2.0", "id": 4, "method": "ping"},
    ]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "benchsite.tracks.retrieval.run.worker", "talks:Prints"],
        input="".join(json.dumps(request) + "\n" for request in requests).encode(),
        capture_output=True,
        env={"PYTHONPATH": f"{hostile('')}:{Path(__file__).parents[4]}", "PATH": "/usr/bin:/bin"},
        timeout=30,
        check=False,
    )
    assert done.returncode == 0
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2, 3]
    assert b"thinking about q" in done.stderr
    assert b"raw bytes on stdout" in done.stderr
    assert b"a child on stdout" in done.stderr


def test_the_process_of_an_adapter_holds_little_of_the_harness() -> None:
    """What it imports is waited for at every start, and counted in the memory of what is measured."""
    asked = "import sys, benchsite.tracks.retrieval.run.worker; print(*{'pydantic', 'benchsite.track'} & {*sys.modules})"
    found = subprocess.run([sys.executable, "-P", "-c", asked], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""
