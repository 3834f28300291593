from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.errors import InputError
from benchsite.log import LogError, decode_sizes, encode_sizes
from benchsite.log.sizes import MAX_SIZES_BYTES

LARGEST = 2**53 - 1
increasing = st.sets(st.integers(1, LARGEST), min_size=1, max_size=40).map(sorted)


def test_the_layout_is_that_of_the_specification() -> None:
    """specs/log.md: "one decimal a line"."""
    assert encode_sizes([3, 9, 256]) == b"3\n9\n256\n"
    assert decode_sizes(b"3\n9\n256\n") == (3, 9, 256)


@given(increasing)
def test_decode_inverts_encode(sizes: list[int]) -> None:
    assert decode_sizes(encode_sizes(sizes)) == tuple(sizes)


@given(
    st.lists(
        st.sampled_from([b"1", b"2", b"12", b"0", b"07", b"\n", b" ", b"-", b"\r", b"+", b"\xd9\xa1"]),
        max_size=9,
    ).map(b"".join)
)
def test_encode_inverts_decode(data: bytes) -> None:
    try:
        sizes = decode_sizes(data)
    except LogError:
        return
    assert encode_sizes(sizes) == data


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "line 1: cut short"),
        (b"3", "line 1: cut short"),
        (b"3\n9", "line 2: cut short"),
        (b"\n", "line 1: ''"),
        (b"3\n\n9\n", "line 2: ''"),
        (b"0\n", "line 1: '0'"),
        (b"3\n09\n", "line 2: '09'"),
        (b"3\r\n", "decimal number"),
        (b"3\n\xff\n", r"line 2: '\\\\xff'"),
        (b"9007199254740992\n", "'9007199254740992'"),
        (b"9" * 5000 + b"\n", "decimal number"),
        (b"3\n3\n", "line 2: 3 follows 3"),
        (b"9\n3\n", "line 2: 3 follows 9"),
        (b"1" * (MAX_SIZES_BYTES + 1), "8,388,608"),
    ],
)
def test_other_files_are_refused(data: bytes, says: str) -> None:
    with pytest.raises(LogError, match=says):
        decode_sizes(data)


@pytest.mark.parametrize("sizes", [[], [0, 1], [2, 2], [3, 2], [1, LARGEST + 1]])
def test_other_sizes_are_not_written(sizes: list[int]) -> None:
    with pytest.raises(InputError, match="no increasing numbers"):
        encode_sizes(sizes)
