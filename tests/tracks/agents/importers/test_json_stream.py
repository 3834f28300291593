"""A large JSON object in pieces: what the standard library's parser reads, cut anywhere."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.errors import InputError
from benchsite.tracks.agents.importers.json_stream import members

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


@given(
    value=st.dictionaries(st.sampled_from(["list", "a", "é"]), VALUES, max_size=3),
    size=st.integers(1, 40),
    indent=st.sampled_from([None, 2]),
    escaped=st.booleans(),
)
def test_what_is_read_in_pieces_is_the_whole(
    *, value: dict[str, Any], size: int, indent: int | None, escaped: bool
) -> None:
    data = json.dumps(value, indent=indent, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    try:
        data.decode()
    except UnicodeDecodeError:
        return
    found: dict[str, Any] = {}
    for member in members(cut(data, size), "f.json", {"list"}):
        if member.item is None:
            found[member.name] = member.value
        else:
            assert member.item == len(found.setdefault("list", [])) + 1
            found["list"].append(member.value)
    if value.get("list") == []:
        found["list"] = []
    assert found == value


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "f.json: the file is empty: character 1"),
        (b"[1]", "f.json: must be a JSON object: character 1"),
        (b'{"list": [1, 2', "f.json: the file ends early: character 15"),
        (b'{"list": [{"a": "xyz', "f.json: the file ends early: character 11"),
        (b'{"a": 1, ', "f.json: the file ends early: character 10"),
        (b'{"a": 1} x', "f.json: text after the object: character 10"),
        (b'{"a" 1}', "f.json: : expected: character 6"),
        (b"{1: 1}", "f.json: no JSON: a name must be text: character 2"),
        (b'{"a": oops' + b" " * 100 + b"}", "f.json: no JSON: expecting value: character 7"),
        (b'{"a": "\xff"}', "f.json: not UTF-8 near: character 7"),
        (b'{"a": ' + b"9" * 5000 + b"}", "f.json: a number with too many digits: character 7"),
        (b'{"a": ' + b"[" * 100_000, "f.json: nested too deeply: character 7"),
    ],
)
def test_what_is_no_object_is_refused_with_its_place(data: bytes, said: str) -> None:
    with pytest.raises(InputError) as refused:
        list(members(cut(data, 7), "f.json", {"list"}))
    assert refused.value.message == said


def test_a_byte_order_mark_and_nan_are_accepted() -> None:
    data = b'\xef\xbb\xbf{"a": [NaN, -Infinity]}'
    assert [tuple(one) for one in members([data], "f.json", ())] == [("a", [None, None], None)]
