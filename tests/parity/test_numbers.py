"""Doubles as ES6 writes them, rank discounts, exact sums, Wilson intervals: equal to the last bit in every engine."""

from __future__ import annotations

import hashlib
import json
import math
import random
import struct
from base64 import b64encode
from functools import cache
from pathlib import Path

import pytest
from parity.doubles import BLOCK, blocks, packed
from parity.engines import Engine

from benchsite.canonical import JsonError, dumps
from benchsite.stats import DISCOUNTS, wilson
from benchsite.stats.exact import MAX_TRIALS

SEED = 8785
MILLION = 1_000_000


def written(value: float) -> bytes:
    try:
        return dumps(value)
    except JsonError as error:
        return str(error.reason).encode()


@cache
def texts(block: bytes) -> bytes:
    """As `doubles` of tests/js/probe.js."""
    return b"\n".join(map(written, struct.unpack(f">{len(block) // 8}d", block)))


def bits(*values: float) -> list[str]:
    return [struct.pack(">d", value).hex() for value in values]


@pytest.mark.parametrize("count", [BLOCK, pytest.param(MILLION, marks=pytest.mark.full)])
def test_doubles_are_written_alike(engine: Engine, count: int):
    if count == MILLION and not engine.version.startswith("node"):
        count = MILLION // 10  # the browsers' engines: V8 again, and SpiderMonkey
    made = blocks(SEED, MILLION if count > BLOCK else BLOCK)[: count // BLOCK]
    assert len(made) * BLOCK == count
    asked = [{"bits": b64encode(block).decode(), "whole": False} for block in made]
    for block, got in zip(made, engine.ask("doubles", asked), strict=True):
        if got != hashlib.sha256(texts(block)).hexdigest():
            found = engine.one("doubles", {"bits": b64encode(block).decode(), "whole": True}).split("\n")
            wrong = [
                (struct.pack(">d", value).hex(), ours.decode(), theirs)
                for value, ours, theirs in zip(
                    struct.unpack(f">{BLOCK}d", block), texts(block).split(b"\n"), found, strict=True
                )
                if ours.decode() != theirs
            ]
            pytest.fail(f"{len(wrong)} doubles (bits, python, {engine.version}): {wrong[:5]}")


def test_the_doubles_are_of_every_kind():
    (block,) = blocks(SEED, BLOCK)
    values = struct.unpack(f">{BLOCK}d", block)
    found = texts(block).split(b"\n")
    assert {b"non-finite", b"float-range"} <= set(found)
    assert sum(0 < abs(value) < 2**-1022 for value in values) > 1000
    assert sum(b"e+" in text for text in found) > 1000
    assert sum(text.isdigit() and len(text) > 15 for text in found) > 100


def test_rank_discounts(engine: Engine, vectors: Path):
    table = json.loads((vectors / "stats" / "discounts.json").read_bytes())["discounts"]
    assert engine.one("discounts") == bits(*DISCOUNTS) == bits(*table)


def fsum(values: list[float]) -> str:
    try:
        return bits(math.fsum(values))[0]
    except OverflowError:
        return "overflow"


def sums(count: int) -> list[list[float]]:
    """Terms that cancel, that lie half-way between two doubles, that overflow; and scores."""
    draw = random.Random(SEED)  # noqa: S311 - replayed, never secret
    made: list[list[float]] = [[], [0.0], [-0.0], [1e308, 1e308, -1e308], [1.7976931348623157e308, 1e292]]
    while len(made) < count:
        size, width = draw.choice((2, 3, 5, 40, 300)), draw.choice((1, 30, 300))
        terms = [math.ldexp(draw.uniform(-1, 1), draw.randint(-width, width)) for _ in range(size)]
        match draw.randrange(5):
            case 0:
                terms = [draw.random() for _ in range(size)]
            case 1:
                terms += [-term for term in terms[:-1]]
            case 2:
                half = math.ulp(terms[0]) / 2
                terms = [
                    terms[0],
                    draw.choice((half, -half)),
                    draw.choice((0.0, 5e-324, -5e-324, half / 2**60)),
                ]
            case 3:
                terms = [math.copysign(draw.uniform(1e307, 1.7e308), term) for term in terms]
            case _:
                pass
        draw.shuffle(terms)
        made.append(terms)
    return made


@pytest.mark.parametrize("count", [500, pytest.param(20_000, marks=pytest.mark.full)])
def test_exact_sums(engine: Engine, count: int):
    made = sums(count)
    found = engine.ask("fsum", [b64encode(packed(terms)).decode() for terms in made])
    wrong = [(terms, fsum(terms), got) for terms, got in zip(made, found, strict=True) if got != fsum(terms)]
    assert wrong == [], f"{len(wrong)} of {count}; the shortest: {min(wrong, key=lambda one: len(one[0]))}"
    assert found.count("overflow") > count // 200


def shares(count: int) -> list[tuple[int, int]]:
    draw = random.Random(SEED)  # noqa: S311 - replayed, never secret
    small = [(successes, n) for n in range(1, 21) for successes in range(n + 1)]
    sizes = (draw.randint(1, draw.choice((100, 10_000, MAX_TRIALS))) for _ in range(count - len(small)))
    return small + [(draw.choice((0, n, draw.randint(0, n))), n) for n in sizes]


@pytest.mark.parametrize("count", [500, pytest.param(20_000, marks=pytest.mark.full)])
def test_wilson_intervals(engine: Engine, vectors: Path, count: int):
    table = json.loads((vectors / "stats" / "wilson.json").read_bytes())["cases"]
    made = shares(count)
    asked = [*made, *((row["successes"], row["n"]) for row in table)]
    expected = [bits(*wilson(*one)) for one in made] + [bits(row["low"], row["high"]) for row in table]
    found = engine.ask("wilson", asked)
    assert [one for one in zip(asked, expected, found, strict=True) if one[1] != one[2]] == []
