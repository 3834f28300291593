"""A small server of the Model Context Protocol: notes with an id and a text, found by substring. Misbehaves as its argument says."""

import json
import os
import re
import sys
import time

HOW = sys.argv[1] if len(sys.argv) > 1 else "well"
AT, WORD = sys.argv[2:4] if len(sys.argv) > 3 else ("find", "")
"""The tool that a server dies in, hangs in or refuses, if a word is in its arguments."""
NOTES: dict[str, str] = {}
TOOLS = ["store", "find", "forget"]


def say(message: dict) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def text(value: str, **members: object) -> dict:
    return {"content": [{"type": "text", "text": value}], "isError": False, **members}


ENDINGS = {"dies": lambda: sys.exit(3), "hangs": lambda: time.sleep(60)}


def called(name: str, arguments: dict) -> dict:
    if HOW == "refuses" and name == AT and WORD in json.dumps(arguments):
        return {**text("refused"), "isError": True}
    if name == "store":
        for note in arguments.get("notes", [arguments]):
            NOTES[note["id"]] = note["text"]
        return text(f"stored {len(NOTES)}")
    if name == "forget":
        for one in arguments["ids"]:
            NOTES.pop(one, None)
        return text("forgotten")
    if HOW == "failing-text":
        return text("# Search Failed\n\nno index")
    if HOW == "is-error":
        return {**text("broken"), "isError": True}
    found = [(one, note) for one, note in NOTES.items() if arguments["query"].lower() in note.lower()]
    found = found[: arguments.get("k", 100)]
    hits = [{"id": one, "score": 10.0 - place, "note": note} for place, (one, note) in enumerate(found)]
    listed = "\n".join(f"- [{one}] (score {10.0 - place}) {note}" for place, (one, note) in enumerate(found))
    return text(listed, structuredContent={"hits": hits, "result": json.dumps({"results": hits})})


def answered(message: dict) -> None:
    method, number = message.get("method"), message.get("id")
    if number is None:
        return
    if method == "initialize":
        if HOW == "asks-back":
            say({"id": "s1", "method": "ping"})
            assert json.loads(sys.stdin.readline())["result"] == {}
            say({"id": "s2", "method": "roots/list"})
            assert "error" in json.loads(sys.stdin.readline())
        info = {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "n", "version": "1"},
        }
        say({"id": number, "result": info})
    elif method == "tools/list":
        names = TOOLS[:1] if HOW == "few-tools" else TOOLS
        say({"id": number, "result": {"tools": [{"name": name, "inputSchema": {}} for name in names]}})
    elif method == "tools/call":
        is_there = message["params"]["name"] == AT and WORD in json.dumps(message["params"]["arguments"])
        if HOW in ENDINGS and is_there:
            ENDINGS[HOW]()
        if HOW == "changes" and message["params"]["name"] == "find":
            say({"method": "notifications/tools/list_changed"})
            say({"id": number, "error": {"code": -32602, "message": "Unknown tool: find"}})
            return
        if HOW == "flood" and message["params"]["name"] == "find":
            sys.stdout.write("x" * (65 * 1024 * 1024))
            sys.stdout.flush()
            time.sleep(60)
        say({"id": number, "result": called(message["params"]["name"], message["params"]["arguments"])})


if HOW == "chatty":
    print("Loading the model... 100%")
if HOW == "elsewhere":
    assert re.fullmatch(r".*mcp-[a-z0-9_]+/notes", os.environ["NOTES"])
for line in sys.stdin:
    answered(json.loads(line))
