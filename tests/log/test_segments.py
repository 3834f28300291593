from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.errors import InputError, IntegrityError
from benchsite.layout import segment_number, segment_path
from benchsite.log.segments import SEGMENT, decode_segment, decode_segments, encode_segment, place

entries_of_a_segment = st.lists(
    st.binary(min_size=1, max_size=12).filter(lambda entry: b"\n" not in entry), min_size=1, max_size=SEGMENT
)


def test_paths():
    assert segment_path(0) == "results/log/entries/000000.jsonl"
    assert segment_path(391) == "results/log/entries/000391.jsonl"
    assert place(0) == "results/log/entries/000000.jsonl line 1"
    assert place(255) == "results/log/entries/000000.jsonl line 256"
    assert place(256) == "results/log/entries/000001.jsonl line 1"


@given(number=st.integers(0, 999_999))
def test_segment_number_inverts_path(number: int):
    assert segment_number(segment_path(number)) == number


@pytest.mark.parametrize("number", [-1, 1_000_000])
def test_numbers_that_have_no_path(number: int):
    with pytest.raises(InputError, match="0 to 999999"):
        segment_path(number)


@pytest.mark.parametrize(
    "path",
    [
        "results/log/entries/0.jsonl",
        "results/log/entries/0000000.jsonl",
        "results/log/entries/000000.json",
        "results/log/entries/000000.jsonl\n",
        "results/log/entries/00000\u0661.jsonl",
        "x/results/log/entries/000000.jsonl",
        "results/log/checkpoint",
    ],
)
def test_other_paths_have_no_number(path: str):
    assert segment_number(path) is None


@given(entries=entries_of_a_segment)
def test_decode_inverts_encode(entries: list[bytes]):
    assert decode_segment(encode_segment(entries), 0) == entries


@given(data=st.lists(st.sampled_from([b"a", b"\n", b"{}", b"\r"]), max_size=300).map(b"".join))
def test_encode_inverts_decode(data: bytes):
    try:
        entries = decode_segment(data, 0)
    except IntegrityError:
        return
    assert encode_segment(entries) == data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "000003.jsonl: the segment is empty"),
        (b"a", "000003.jsonl line 1: the line is cut short"),
        (b"a\nb\nc", "000003.jsonl line 3: the line is cut short"),
        (b"a\n\nc\n", "000003.jsonl line 2: 0 bytes"),
        (b"\n", "000003.jsonl line 1: 0 bytes"),
        (b"a\n" * 257, "000003.jsonl: 257 lines"),
        (b"a\n" + b"x" * 65_536 + b"\n", "000003.jsonl line 2: 65536 bytes, expected 1 to 65535"),
    ],
)
def test_errors_name_segment_and_line(data: bytes, message: str):
    with pytest.raises(IntegrityError) as caught:
        decode_segment(data, 3)
    assert caught.value.message.startswith(f"results/log/entries/{message}")


def test_the_longest_entry_fits():
    assert decode_segment(b"x" * 65_535 + b"\n", 0) == [b"x" * 65_535]
    assert encode_segment([b"x" * 65_535]) == b"x" * 65_535 + b"\n"


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([], "0 entries"),
        ([b"a"] * 257, "257 entries"),
        ([b"a", b""], "0 bytes"),
        ([b"a\nb"], "newline"),
        ([b"x" * 65_536], "65536 bytes"),
    ],
)
def test_what_cannot_be_a_segment(entries: list[bytes], message: str):
    with pytest.raises(InputError, match=message):
        encode_segment(entries)


@pytest.mark.parametrize("count", [0, 1, 255, 256, 257, 511, 512, 513])
def test_a_log_from_its_segments(count: int):
    entries = [b"%d" % n for n in range(count)]
    segments = [encode_segment(entries[i : i + SEGMENT]) for i in range(0, count, SEGMENT)]
    assert list(decode_segments(segments)) == entries


def test_only_the_last_segment_may_be_short():
    full, short = encode_segment([b"a"] * 256), encode_segment([b"a"] * 255)
    assert len(list(decode_segments([full, full, short]))) == 767
    with pytest.raises(IntegrityError, match=r"000001\.jsonl: 255 lines"):
        list(decode_segments([full, short, full]))
