from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.stats import below, word
from benchsite.stats.generator import MASK

seeds = st.integers(0, MASK)


def sequential(seed: int, count: int) -> list[int]:
    """The generator as first published: a state that is advanced, not a counter."""
    state, out = seed, []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        out.append(z ^ z >> 31)
    return out


def test_published_reference_outputs(vectors: Path):
    for stream in json.loads((vectors / "stats" / "splitmix64.json").read_bytes())["streams"]:
        expected = [int(text) for text in stream["words"]]
        assert [word(int(stream["seed"]), stream["start"] + i) for i in range(len(expected))] == expected


@given(seeds)
def test_counter_and_sequence_agree(seed):
    assert [word(seed, i) for i in range(20)] == sequential(seed, 20)


def test_below_vectors(vectors: Path):
    for case in json.loads((vectors / "stats" / "splitmix64.json").read_bytes())["below"]:
        assert below(int(case["word"]), case["n"]) == case["draw"]


@given(seeds, st.integers(1, 2**32))
def test_below_stays_below(value, n):
    assert 0 <= below(value, n) < n


@pytest.mark.parametrize(
    "call", [lambda: word(-1, 0), lambda: word(2**64, 0), lambda: word(0, -1), lambda: below(0, 0)]
)
def test_outside_the_domain_is_refused(call):
    with pytest.raises(ValueError):
        call()
