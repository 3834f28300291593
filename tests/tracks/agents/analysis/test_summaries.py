"""Summaries of systems: what is read, and what is refused with its line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.errors import InputError
from benchsite.tracks.agents.analysis.summaries import read_summary


def test_numbers_blanks_and_texts_are_told_apart() -> None:
    data = b'\xef\xbb\xbftask_id,benchmark,system_label,a,b,c\r\n10,shop,"s, 1",1.5,,true\r\n\r\nt,shop,s,nan,2e3,x\r\n'
    one, other = read_summary(data, "f")
    assert (one.task, one.benchmark, one.system) == ("10", "shop", "s, 1")
    assert one.values == {"a": 1.5, "b": None, "c": 1.0}
    assert (other.values, other.texts["c"]) == ({"a": None, "b": 2000.0}, "x")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "f line 1: no column task_id"),
        (b"a,b\n1,2\n", "f line 1: no column task_id"),
        (b"task_id,a\nt,1\nt2\n", "f line 3: 1 cells, but line 1 names 2"),
        (b"task_id,a\nt,1\nt,2\n", "f line 3: task 't' occurs twice"),
        (b"task_id,a\nt,inf\n", "f line 2: a: not finite"),
        (b"task_id,a\n\xff,1\n", "f: not UTF-8"),
        (b'task_id,a\n"t"x,1\n', "f: "),
    ],
)
def test_a_malformed_summary_names_its_line(data: bytes, said: str) -> None:
    with pytest.raises(InputError) as refused:
        read_summary(data, "f")
    assert refused.value.message.startswith(said)
    assert refused.value.hint


@given(st.text(alphabet='t,"\n\r1.-\x00é', max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        rows = read_summary(f"task_id,a\n{text}".encode(), "f")
    except InputError:
        return
    assert len({row.task for row in rows}) == len(rows)
