from __future__ import annotations

import hashlib
import math
from enum import IntEnum, StrEnum
from types import MappingProxyType

import pytest
import rfc8785
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic_core import to_json

from benchsite.canonical import JsonError, Reason, digest, dumps, loads, sha256_hex, without
from benchsite.canonical._writer import plain_shapes

SAFE = 2**53 - 1
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
KEYS = (TEXT | st.sampled_from(["a", "Z", "\ue000", "\U00010000", "\u20ac"])).filter(
    lambda key: key != "__proto__"
)
FLOATS = (
    st.floats(allow_nan=False, allow_infinity=False)
    | st.floats(-1e-3, 1e-3)
    | st.integers(-400, 400).map(lambda power: math.ldexp(1.1, power))
).filter(lambda x: not SAFE < abs(x) < 1e21 and not (x == 0 and math.copysign(1, x) < 0))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-SAFE, SAFE) | FLOATS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=15,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=6)


@given(VALUES)
def test_bytes_are_those_of_the_reference_writer(value):
    assert dumps(value) == rfc8785.dumps(value)


@given(VALUES)
def test_reading_gives_the_value_back(value):
    assert loads(dumps(value)) == value
    assert dumps(loads(dumps(value))) == dumps(value)


@given(st.lists(st.floats(1e-4, 1e16) | st.floats(-1e16, -1e-4) | st.integers(-SAFE, SAFE), max_size=5))
def test_numbers_the_fast_encoders_write_are_the_reference_writers(numbers):
    assume(plain_shapes(numbers) is not None)
    assert dumps(numbers) == to_json(numbers) == rfc8785.dumps(numbers)


def test_plain_values_are_served_fast_and_the_rest_is_not_taken_for_plain():
    receipt = {
        "scores": {"nDCG@10": 0.4821, "hit": True},
        "perQuery": [{"rank": 3, "scope": None, "id": "é"}],
    }
    assert plain_shapes(receipt) == {("scores", "perQuery"), ("nDCG@10", "hit"), ("rank", "scope", "id")}
    assert plain_shapes(["é", {"\ud7ff": 0.5}]) == {("\ud7ff",)}
    for value in (
        1.0,
        1e-5,
        1e16,
        2.0**60,
        math.nan,
        -0.0,
        2**53,
        {"a\ue000": 1},
        {1: 2},
        {"__proto__": 1},
        {1},
        b"x",
    ):
        assert plain_shapes([value]) is None


@given(OBJECTS, KEYS)
def test_a_member_is_cut_out_as_if_it_had_never_been_there(value, absent):
    data = rfc8785.dumps(value)
    for key in (*value, absent):
        rest = {name: item for name, item in value.items() if name != key}
        assert without(value, data, key) == rfc8785.dumps(rest)


def test_a_signature_is_cut_out_and_its_twin_inside_stays():
    data = b'{"config":{"signature":{"value":"x"}},"signature":{"value":"x"},"track":"retrieval"}'
    unsigned = b'{"config":{"signature":{"value":"x"}},"track":"retrieval"}'
    assert without(loads(data), data, "signature") == unsigned
    assert without({"signature": 1}, b'{"signature":1}', "signature") == b"{}"


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    TWO = 2


def test_tuples_mappings_and_enumerations_are_written_as_what_they_hold():
    value = {
        "colour": Colour.RED,
        "level": Level.TWO,
        "pair": (1, "x"),
        "map": MappingProxyType({Colour.RED: 1}),
    }
    assert dumps(value) == b'{"colour":"red","level":2,"map":{"red":1},"pair":[1,"x"]}'
    assert dumps(MappingProxyType(value)) == dumps(value)


def nested(depth: int, inner: object = ()) -> list[object]:
    value: list[object] = [] if inner == () else [inner]
    for _ in range(depth - 1):
        value = [value]
    return value


CIRCLE: list[object] = []
CIRCLE.append(CIRCLE)

REFUSED = [
    (2**53, Reason.INTEGER_RANGE),
    (-(2**53), Reason.INTEGER_RANGE),
    (10**5000, Reason.INTEGER_RANGE),
    (9007199254740992.0, Reason.FLOAT_RANGE),
    (-9007199254740992.0, Reason.FLOAT_RANGE),
    (math.nextafter(1e21, 0), Reason.FLOAT_RANGE),
    (-0.0, Reason.NEGATIVE_ZERO),
    (math.nan, Reason.NON_FINITE),
    (math.inf, Reason.NON_FINITE),
    (-math.inf, Reason.NON_FINITE),
    ("\ud800", Reason.LONE_SURROGATE),
    ({"\udc00": 1}, Reason.LONE_SURROGATE),
    ({1: 2}, Reason.KEY_TYPE),
    ({None: 2}, Reason.KEY_TYPE),
    ({True: 2}, Reason.KEY_TYPE),
    ({"__proto__": 1}, Reason.PROTO_KEY),
    (nested(65), Reason.DEPTH),
    (nested(64, {}), Reason.DEPTH),
    (nested(64, []), Reason.DEPTH),
    (nested(100_000), Reason.DEPTH),
    (CIRCLE, Reason.DEPTH),
    (b"x", Reason.TYPE),
    ({1}, Reason.TYPE),
    (1j, Reason.TYPE),
    (object(), Reason.TYPE),
]


@pytest.mark.parametrize(
    ("value", "reason"), REFUSED, ids=[f"{reason}-{n}" for n, (_, reason) in enumerate(REFUSED)]
)
@pytest.mark.parametrize("wrap", [lambda v: v, lambda v: [v], lambda v: {"k": v}, lambda v: {"é": [v]}])
def test_values_that_would_not_be_read_back_are_refused(value, reason, wrap):
    wrapped = wrap(value)
    with pytest.raises(JsonError) as caught:
        dumps(wrapped)
    assert caught.value.reason == reason
    assert caught.value.offset is None


def test_boundaries_are_written():
    assert dumps([SAFE, -SAFE, 1e21, -1e21, 0.0]) == b"[9007199254740991,-9007199254740991,1e+21,-1e+21,0]"
    assert dumps(nested(64)) == b"[" * 64 + b"]" * 64
    assert loads(dumps(nested(64))) == nested(64)


def test_refusal_names_the_path():
    with pytest.raises(JsonError, match=r"\$\['tasks'\]\[1\]\['cost'\] ") as caught:
        dumps({"tasks": [{"cost": 1}, {"cost": math.nan}]})
    assert caught.value.reason == Reason.NON_FINITE


def test_refusal_shows_a_hostile_path_short_and_escaped():
    value: object = math.nan
    for _ in range(60):
        value = {"\u202e" + "x" * 100_000: value}
    with pytest.raises(JsonError) as caught:
        dumps({"é": value})
    assert caught.value.message.isascii()
    assert len(caught.value.message) < 2000


def test_hashes():
    # FIPS 180-4 example: SHA-256("abc").
    abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sha256_hex(b"abc") == abc
    assert digest({"b": 1, "a": 2}) == hashlib.sha256(b'{"a":2,"b":1}').hexdigest()
