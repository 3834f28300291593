"""Several values written at once: the bytes of each are those that it has alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite import canonical
from benchsite.canonical import JsonError

TEXTS = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(["\0|", ',"\0|",', '\\u0000|","'])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(VALUES, max_size=5))
def test_each_has_the_bytes_that_it_has_alone(values: list[Any]) -> None:
    assert canonical.dumps_each(values) == [canonical.dumps(value) for value in values]


@pytest.mark.parametrize("bad", [2**53, float("nan"), "\ud800", {"__proto__": 1}])
def test_a_value_that_is_refused_alone_is_refused_among_others(bad: Any) -> None:
    with pytest.raises(JsonError):
        canonical.dumps_each(["a", bad, "b"])
