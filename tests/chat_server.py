"""A server of OpenAI's chat protocol that behaves as the requested model's name says; started as a process of its own.

    python tests/chat_server.py      prints its address, then serves until it is ended

The name is `BEHAVIOR` or `BEHAVIOR~ANYTHING`: requests are counted by the whole name.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}
SEEN: Counter[str] = Counter()
ENDED = threading.Event()


def reply(message: dict[str, Any], **others: Any) -> dict[str, Any]:
    """An answer with one choice."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return {
        "id": "x",
        "object": "chat.completion",
        "model": "served-1",
        "choices": [choice],
        "usage": USAGE,
    } | others


def call(arguments: Any, name: Any = "kb_search") -> dict[str, Any]:
    """A message that calls a tool."""
    function = {"name": name, "arguments": arguments}
    return {"content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]}


def error(message: str, **others: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "x", "code": None} | others}


ANSWERS: dict[str, Any] = {
    "plain": reply({"content": "hello"}),
    "call": reply(call('{"query": "tea"}')),
    "two-calls": reply({"tool_calls": [*call('{"a": 1}')["tool_calls"], *call("{}", "other")["tool_calls"]]}),
    "cut-call": reply(call('{"query": "te')),
    "list-call": reply(call("[1, 2]")),
    "nan-call": reply(call('{"x": NaN}')),
    "deep-call": reply(call("[" * 100_000)),
    "empty-call": reply(call("")),
    "object-call": reply(call({"query": "tea"})),
    "unknown-call": reply(call("{}", "rm -rf\u0007")),
    "nameless-call": reply(call("{}", None)),
    "many-calls": reply({"tool_calls": call("{}")["tool_calls"] * 5_000}),
    "no-list-of-calls": reply({"tool_calls": "call"}),
    "no-choice": reply({"content": "x"}, choices=[]),
    "choices-null": reply({"content": "x"}, choices=None),
    "no-message": reply({"content": "x"}, choices=[{"message": None}]),
    "no-content": reply({"content": None}),
    "refusal": reply({"content": None, "refusal": "I cannot."}),
    "number-content": reply({"content": 3}),
    "parts": reply({"content": [{"type": "text", "text": "he"}, {"type": "text", "text": "llo"}, 3]}),
    "long": reply({"content": "a" * 1_000_000}),
    "half-emoji": reply({"content": "x\ud83d"}),
    "no-usage": reply({"content": "x"}, usage=None),
    "list-usage": reply({"content": "x"}, usage=[1]),
    "wrong-usage": reply(
        {"content": "x"},
        usage={
            "prompt_tokens": -3,
            "completion_tokens": "5",
            "prompt_tokens_details": {"cached_tokens": 1},
            "completion_tokens_details": 7,
        },
    ),
    "float-usage": reply({"content": "x"}, usage={"prompt_tokens": 1.5, "completion_tokens": True}),
    "zero-usage": reply({"content": "x"}, usage={"prompt_tokens": 0, "completion_tokens": 0}),
    "huge-usage": reply({"content": "x"}, usage={"prompt_tokens": 2**60, "completion_tokens": 4}),
    "full-usage": reply(
        {"content": "x"},
        usage={
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "prompt_tokens_details": {"cached_tokens": 64},
            "completion_tokens_details": {"reasoning_tokens": 40},
        },
    ),
    "more-cached": reply(
        {"content": "x"},
        usage={
            "prompt_tokens": 10,
            "completion_tokens": 5,
            "prompt_tokens_details": {"cached_tokens": 11},
            "completion_tokens_details": {"reasoning_tokens": 6},
        },
    ),
    "path-model": reply({"content": "x"}, model="/home/someone/models/tiny.gguf"),
    "slash-model": reply({"content": "x"}, model="vendor/model-1"),
    "no-model": reply({"content": "x"}, model=None),
    "no-reason": reply({"content": "x"}, choices=[{"message": {"content": "x"}}]),
    "error-200": error("the backend\nis gone"),
    "a-list": [1, 2],
    "a-word": "word",
}
STATUS: dict[str, tuple[int, Any]] = {
    "missing": (404, error("no such model")),
    "no-credit": (429, error("quota", code="insufficient_quota")),
    "too-long": (400, error("too many tokens", code="context_length_exceeded")),
    "too-long-here": (400, error("exceeds", type="exceed_context_size_error")),
    "filtered": (400, error("filtered", code="content_filter")),
    "bad-request": (400, error("temperature is not supported")),
    "page-500": (500, "<html>oops</html>"),
}


class Handler(BaseHTTPRequestHandler):
    """One request; `protocol_version` keeps connections open as real servers do."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        name = body["model"]
        SEEN[name] += 1
        behavior = name.partition("~")[0]
        if behavior in ANSWERS:
            self.say(200, ANSWERS[behavior])
        elif behavior in STATUS:
            self.say(*STATUS[behavior])
        else:
            getattr(self, behavior.replace("-", "_"))(body, SEEN[name])

    def say(self, status: int, value: Any, **headers: str) -> None:
        data = (
            value.encode() if isinstance(value, str) and value.startswith("<") else json.dumps(value).encode()
        )
        self.raw(status, data, **headers)

    def raw(self, status: int, data: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("retry-after-ms", "1")
        for key, text in headers.items():
            self.send_header(key.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(data)

    def echo(self, body: Any, _count: int) -> None:
        """Answer with the request."""
        self.say(200, reply({"content": json.dumps(body)}))

    def keyed(self, _body: Any, _count: int) -> None:
        """Refuse the key, and quote it."""
        self.say(401, error(f"wrong key\n{self.headers['Authorization']}"))

    def authorization(self, _body: Any, _count: int) -> None:
        self.say(200, reply({"content": self.headers["Authorization"]}))

    def count(self, _body: Any, count: int) -> None:
        self.say(200, reply({"content": str(count)}))

    def busy_twice(self, _body: Any, count: int) -> None:
        self.say(429, error("slow down")) if count < 3 else self.count(_body, count)

    def down_once(self, _body: Any, count: int) -> None:
        self.say(503, error("down")) if count < 2 else self.count(_body, count)

    def always_busy(self, _body: Any, count: int) -> None:
        self.say(429, error(f"slow down {count}"))

    def always_down(self, _body: Any, count: int) -> None:
        self.say(500, error(f"down {count}"))

    def not_json(self, _body: Any, _count: int) -> None:
        self.raw(200, b"<html>a proxy</html>")

    def cut_json(self, _body: Any, _count: int) -> None:
        self.raw(200, json.dumps(ANSWERS["plain"]).encode()[:-20])

    def not_utf8(self, _body: Any, _count: int) -> None:
        self.raw(200, b'{"choices": "\xff"}')

    def nested(self, _body: Any, _count: int) -> None:
        self.raw(200, b"[" * 200_000)

    def broken_off(self, _body: Any, _count: int) -> None:
        """Promise more bytes than are sent."""
        self.begin(len(b'{"choices"') + 100)
        self.wfile.write(b'{"choices"')
        self.close_connection = True

    def broken_off_once(self, body: Any, count: int) -> None:
        self.broken_off(body, count) if count < 2 else self.count(body, count)

    def hang(self, _body: Any, _count: int) -> None:
        ENDED.wait(20)
        self.close_connection = True

    def drip(self, _body: Any, _count: int) -> None:
        """Send blanks, as gateways do to keep a connection open, for longer than anybody waits."""
        self.begin(100_000)
        for _ in range(1_000):
            try:
                self.wfile.write(b" ")
                self.wfile.flush()
            except OSError:
                break
            time.sleep(0.02)
        self.close_connection = True

    def flood(self, _body: Any, _count: int) -> None:
        """Answer with 17 MiB."""
        self.raw(200, json.dumps(reply({"content": "a" * (17 << 20)})).encode())

    def begin(self, size: int) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(size))
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@contextmanager
def served() -> Iterator[str]:
    """The server in a process of its own; its address, up to `/v1`."""
    with subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def main() -> None:
    """Serve on a free port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
