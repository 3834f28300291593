from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.canonical import JsonError, Reason, loads
from benchsite.canonical._reader import _depth_from_brackets, _read_good
from benchsite.canonical._scanner import scan
from benchsite.errors import InputError

# Pieces that, strung together, come near every rule: structure, keys, escapes, numbers, bytes that are not UTF-8.
PIECES = [
    *(bytes([byte]) for byte in b'{}[]":,\\ \n-+.eE019ux\x00\x7f'),
    *(b'"a":', b'"b":', b'"\\u0061":', b'"__proto__":', b'"\\u005f_proto__":', b'{"a":', b'["]"', b'"\\"["'),
    *(b"true", b"false", b"null", b"NaN", b"-Infinity", b"-0", b"-0.0", b"1.0", b"1e400", b"-1e-400"),
    *(b"9007199254740991", b"9007199254740992", b"-9007199254740993", b"1e21", b"0.99999999999999999999"),
    *(b"\\ud83d", b"\\ude02", b"\\uD800", b"\\u0041", b"\\\\", b'\\"', b"\\n"),
    *("é".encode(), "\ufeff".encode(), "😂".encode(), b"\xc3", b"\xed\xa0\x80", b"\xff"),
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4) | st.just("__proto__"), inner, max_size=4)
    ),
    max_leaves=12,
)


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """A JSON document in some layout, possibly with a few places overwritten, cut out or grown."""
    indent = draw(st.sampled_from([None, 0, 2]))
    text = json.dumps(draw(VALUES), ensure_ascii=draw(st.booleans()), indent=indent)
    data = text.encode("utf-8", "surrogatepass")
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 3)))
        data = data[:start] + draw(st.sampled_from([b"", *PIECES])) + data[end:]
    return data


def outcome(read, data: bytes) -> str | None:
    """The value's repr, which tells 1 from 1.0 and from True; None for a refusal."""
    try:
        return repr(read(data))
    except (ValueError, RecursionError, JsonError):
        return None


@given(documents() | st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join) | st.binary(max_size=30))
def test_fast_path_and_scanner_accept_the_same_documents_with_the_same_values(data):
    reference = outcome(lambda document: scan(document, max_bytes=10_000), data)
    assert outcome(_read_good, data) == reference
    assert outcome(loads, data) == reference


@given(documents())
def test_a_refusal_is_always_a_json_error_inside_the_document(data):
    error: JsonError | None = None
    try:
        loads(data)
    except JsonError as caught:
        error = caught
    assert error is None or (error.offset is not None and 0 <= error.offset <= len(data))


@given(VALUES)
def test_brackets_tell_the_depth_or_nothing(value):
    def depth(item: object) -> int:
        if isinstance(item, (list, dict)):
            inner = item.values() if isinstance(item, dict) else item
            return 1 + max(map(depth, inner), default=0)
        return 0

    for ensure_ascii in (True, False):
        data = json.dumps(value, ensure_ascii=ensure_ascii).encode("utf-8", "surrogatepass")
        assert _depth_from_brackets(data) in (depth(value), None)


def test_brackets_tell_the_depth_of_an_ordinary_receipt():
    # Hand count: object, array, object, array.
    assert _depth_from_brackets(b'{"perQuery":[{"retrieved":["a","b"]}],"x":1}') == 4
    assert _depth_from_brackets(b'["["]') is None
    assert _depth_from_brackets(b'["\\"[\\""]') is None


def test_limit_is_the_callers():
    assert loads(b"[10]", max_bytes=4) == [10]
    with pytest.raises(JsonError) as caught:
        loads(b"[100]", max_bytes=4)
    assert (caught.value.reason, caught.value.offset) == (Reason.SIZE, 4)


def test_nesting_never_reaches_the_interpreters_stack():
    limit = sys.getrecursionlimit()
    for document in (b"[" * limit * 10, b'{"a":' * limit * 10, b'["\\"",' * limit * 10):
        with pytest.raises(JsonError) as caught:
            loads(document)
        assert caught.value.reason == Reason.DEPTH


def test_error_is_an_input_error_that_names_the_place():
    with pytest.raises(InputError, match=r"'a' .*byte 7") as caught:
        loads(b'{"a":1,"a":2}')
    assert isinstance(caught.value, JsonError)
    assert (caught.value.reason, caught.value.offset) == (Reason.DUPLICATE_KEY, 7)


def test_error_shows_hostile_text_escaped_and_short():
    key = "\u202e\x1b[31m" + "x" * 1000
    with pytest.raises(JsonError) as caught:
        loads(json.dumps({"k": 1}).encode()[:-1] + b"," + 2 * (json.dumps(key).encode() + b":1,") + b'"z":1}')
    assert caught.value.message.isascii()
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 120
