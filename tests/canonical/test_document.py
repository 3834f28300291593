from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.canonical import JsonError, dumps, loads
from benchsite.canonical.document import read_document

TEXT = st.text(max_size=6) | st.sampled_from(
    ["__proto__", '"', "\\", "[", "]}", "\ue000", "\U00010000", "\x1f"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.floats(1e-6, 1e18) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@st.composite
def nearly_canonical(draw: st.DrawFn) -> bytes:
    """What a lenient writer makes of a value, with keys sorted or not, and perhaps one place changed."""
    text = json.dumps(
        draw(VALUES), ensure_ascii=draw(st.booleans()), sort_keys=draw(st.booleans()), separators=(",", ":")
    )
    data = text.encode("utf-8", "surrogatepass")
    start = draw(st.integers(0, len(data)))
    end = start + draw(st.integers(0, 2))
    change = draw(
        st.sampled_from([None, None, b"", b" ", b"0", b"-", b".0", b"e0", b'"', b",", b"\\u0061", b'"a":1,'])
    )
    return data if change is None else data[:start] + change + data[end:]


def outcome(function, argument: object) -> object:
    try:
        return function(argument)
    except JsonError as error:
        return (error.reason, error.offset)


def check(data: bytes) -> None:
    """`read_document` is `loads`, and `dumps` of what that gives."""
    value = outcome(loads, data)
    canonical = outcome(lambda item: dumps(loads(item)), data)
    read = outcome(read_document, data)
    if isinstance(canonical, tuple):
        assert read == canonical
    else:
        assert repr(read.value) == repr(value)
        assert (read.data, read.is_canonical) == (canonical, canonical == data)


@given(nearly_canonical())
def test_a_document_is_what_loads_and_dumps_make_of_it(data):
    check(data)


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":1}',
        '{"a":1,"a":2}',
        '{"b":1,"a":2}',
        '[{"a":[{"c":1,"b":2}]}]',
        '{"a": 1}',
        '{"a":1} ',
        "1.0",
        "1e-05",
        "1e+16",
        "1e16",
        "0.0000001",
        "0.10",
        "-0",
        "-0.0",
        "9007199254740992",
        "9007199254740992.0",
        "NaN",
        "Infinity",
        "1e999",
        '"\\u0041"',
        '"\\ud800"',
        '"\\/"',
        '"\\u001F"',
        '{"__proto__":1}',
        '{"\\u005f_proto__":1}',
        '{"\ue000":1,"\U00010000":2}',
        "[" * 65 + "]" * 65,
        "[" * 65 + '"\\""' + "]" * 65,
    ],
)
def test_what_a_comparison_might_miss(text):
    data = text.encode("utf-8", "surrogatepass")
    check(data)
    check(b'{"a":[' + data + b"]}")
    read = outcome(read_document, data)
    assert isinstance(read, tuple) or not read.is_canonical


def test_ordinary_receipts_are_canonical():
    for text in (
        '{"perQuery":[{"hit":true,"latencyMs":0.25,"rank":null}],"scores":{"nDCG@10":0.4821}}',
        '{"agent":"é","note":"say \\"[]\\" twice\\n"}',
        '{"é":"\x7f\u2028","ü":[1e-7,0.00001,1e+21,-0.5]}',
        '{"\U00010000":1,"\ue000":2}',
        "[" * 64 + "]" * 64,
        "{}",
    ):
        assert read_document(text.encode()).is_canonical
