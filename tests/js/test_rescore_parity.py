"""Python and JavaScript say the same of the same receipt: outcome, field, differences, violations, every digit.

One node process answers all questions of a test. The receipts are real in form and random in content; their
signature is well formed and never looked at, as both judge before it is checked.
"""

from __future__ import annotations

import copy
import json
import math
import random
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from documents import packaged
from forgery import at
from rescoring import SIGNATURE, ask, compare, every_leaf_altered, every_object_widened, written
from sample_record import SampleRecord, draft_of, make_fixture

from benchsite import canonical
from benchsite.stats import DISCOUNTS, wilson
from benchsite.tracks.retrieval.metrics import score
from benchsite.tracks.retrieval.record.violations import _shown
from benchsite.tracks.retrieval.scores.scoring import Query

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="PARITY NOT RUN: node is not installed")

CATEGORIES = (None, "10", "2", "constructor", "toString", "x.denominators.y", "\U0001f600", "ﬁ", "temporal")


def real(queries: int = 6) -> dict[str, Any]:
    """A receipt as the site's sample record publishes it."""
    record = SampleRecord(make_fixture(queries=queries), [packaged("retrieval", "1.0.0")])
    draft = draft_of(record, "sample", 0.6, 3, version="1.0.0", label=True)
    draft["config"]["importer"] = {"kind": "locomo", "sha256": "ab" * 32, "options": {"turns": 2}}
    draft["evidence"] = [{"name": "log", "sha256": "ab" * 32, "size": 3, "mediaType": "text/plain"}]
    draft["determinism"] = {"runs": 2, "identical": False, "differing": ["q0001"]}
    draft["perQuery"][0] |= {
        "usage": {"calls": 1, "tokensIn": 2, "tokensOut": None, "costUsd": 0.25},
        "returnedChars": 12,
    }
    return draft | {"signature": SIGNATURE}


def seeds(shared: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((shared / "data" / "przm_receipt_b12b9a56.json").read_bytes())
    return document


# `make test` takes every eleventh edit, which meets every way of editing in turn; `make test-full` takes all.
EVERY_NTH = pytest.mark.parametrize("nth", [11, pytest.param(1, marks=pytest.mark.full)])


@EVERY_NTH
@pytest.mark.stories
def test_every_leaf_of_a_real_receipt(nth: int):
    said = compare(every_leaf_altered(real(), nth))
    assert {item["outcome"] for item in said} == {"judged", "invalid", "unsupported"}
    assert len(said) > 1_000 // nth


@EVERY_NTH
@pytest.mark.stories
def test_every_container_of_a_real_receipt(nth: int):
    said = compare(every_object_widened(real(4), nth))
    assert len(said) > 1_000 // nth


def test_the_real_receipt_unchanged_and_canonical():
    text = canonical.dumps(real()).decode()
    (said,) = compare([text])
    assert (said["rescore"], said["isCanonical"], said["violations"]) == ("MATCHES", True, [])


def test_every_leaf_of_the_seeds_receipt(shared):
    document = seeds(shared)
    # Three rows hold every path there is; the whole receipt is compared once, unchanged.
    short = document | {"perQuery": document["perQuery"][:3]}
    (whole, *_) = compare([written(document), *every_leaf_altered(short), *every_object_widened(short)])
    assert {item["code"] for item in whole["violations"]} == {"ndcg-above-success", "duplicate-ids"}


def test_the_shared_cases(vectors):
    folder = vectors / "retrieval"
    worked = json.loads((folder / "worked.json").read_bytes())["document"]
    base = real(4)
    texts = []
    for case in json.loads((folder / "invariants.json").read_bytes())["cases"]:
        document = copy.deepcopy({**base, **worked})
        for pointer, value in case["set"].items():
            holder, key = at(document, steps(pointer))
            holder[key] = value
        for pointer in case["remove"]:
            holder, key = at(document, steps(pointer))
            del holder[key]
        texts.append(written(document))
    assert {item["rescore"] for item in compare(texts)} == {"MATCHES", "DIFFERS"}


def steps(pointer: str) -> tuple[Any, ...]:
    return tuple(int(step) if step.isdecimal() else step for step in pointer.lstrip("/").split("/"))


def random_row(draw: random.Random, number: int, depth: int) -> dict[str, Any]:
    expected = [
        {"id": f"i{draw.randrange(12)}", "grade": draw.randint(-2, 5)} for _ in range(draw.randrange(6))
    ]
    retrieved = [f"i{draw.randrange(16)}" for _ in range(draw.randrange(depth + 1))]
    failed = draw.random() < 0.1
    row: dict[str, Any] = {
        "queryId": f"q{number if draw.random() < 0.98 else 0}",
        "scope": "s",
        "answerable": draw.random() < 0.85,
        "expected": expected,
        "retrieved": [] if failed and draw.random() < 0.8 else retrieved,
        "foreign": draw.sample(retrieved, 1) if retrieved and draw.random() < 0.1 else [],
        "hit": False,
        "rank": None,
        "latencyMs": None,
    }
    if draw.random() < 0.9:
        row["category"] = draw.choice(CATEGORIES)
    if failed:
        row["error"] = draw.choice(["timeout", "raised", "crashed", "protocol"])
    rank = Query.from_row(row).rank(depth)
    if draw.random() < 0.97:
        row |= {"hit": rank is not None, "rank": rank}
    return row


def random_receipt(draw: random.Random) -> dict[str, Any]:
    """Invented evidence with the numbers that follow from it, falsified in three receipts of four."""
    ks = sorted(draw.sample([1, 2, 3, 5, 7, 10, 20], draw.randint(1, 4)))
    rows = [random_row(draw, number, ks[-1]) for number in range(draw.randint(0, 60))]
    document = real(4)
    document["config"]["k"] = ks
    document["config"]["limit"] = len(rows) or None
    document["perQuery"] = rows
    document |= score([Query.from_row(row) for row in rows], ks).sections(seed=7)
    if draw.random() < 0.25:
        return document
    for table in (document, *document["byCategory"].values()):
        for _ in range(draw.choice([0, 0, 1, 3])):
            section = draw.choice(["scores", "intervals", "denominators"])
            name = draw.choice([*table[section], "ndcg_at_4"])
            value = draw.choice([draw.random(), 0, 1, 1.5, -0.0625, 65533 / 65536, 0.0625, 1e-7, 3e22])
            if section == "scores":
                table[section][name] = value
            elif section == "intervals":
                table[section][name] = {
                    "low": value,
                    "high": 0.9,
                    "method": draw.choice(["wilson", "bootstrap"]),
                }
            else:
                table[section][name] = {
                    "den": draw.randrange(9),
                    "excluded": 0,
                    "num": draw.choice([None, 3]),
                }
    if document["byCategory"] and draw.random() < 0.3:
        del document["byCategory"][draw.choice(list(document["byCategory"]))]
    if draw.random() < 0.2:
        document["byCategory"]["nowhere"] = {"scores": {}, "denominators": {}, "intervals": {}}
    return document


@pytest.mark.parametrize("count", [40, pytest.param(500, marks=pytest.mark.full)])
@pytest.mark.stories
def test_random_evidence(count: int):
    draw = random.Random(20261122)  # noqa: S311 - test data
    # Canonical, as only then do both read members such as "10" in one order.
    said = compare(canonical.dumps(random_receipt(draw)).decode() for _ in range(count))
    assert {item["rescore"] for item in said} == {"MATCHES", "DIFFERS"}
    assert {violation["code"] for item in said for violation in item["violations"]} >= {
        *("out-of-range", "ndcg-above-success", "recall-above-success", "success-falls"),
        *("impossible-interval", "hit-rank", "duplicate-query", "failed-with-results"),
        *("duplicate-expected", "foreign-list", "faults-uncounted"),
    }


def test_documents_that_are_no_receipts():
    base = real(4)
    texts = [
        *("", "null", "[]", "3", '"x"', "{}", '{"a":1,"a":2}', '{"a":-0}', '{"a":9007199254740993.0}'),
        *(
            written(base | {"schemaVersion": value})
            for value in ("1.0.1", "it's", "a\n\x1b", "a\"'", 5, None, [])
        ),
        written({key: value for key, value in base.items() if key != "schemaVersion"}),
        written(base | {"methodology": base["methodology"] | {"version": "2.0.0"}}),
        written(base | {"track": "unheard-of"}),
        written(dict(reversed(base.items()))),
    ]
    assert {item["outcome"] for item in compare(texts)} == {"judged", "invalid", "unsupported"}


def test_bounds_stop_at_the_first_fault():
    """Of a list or record the first faulty entry is named, or that there is one too many before any is faulty."""
    base = real(4)
    row = base["perQuery"][0]
    table = {"scores": {}, "denominators": {}, "intervals": {}}
    good, bad = {f"m{i}": 0.5 for i in range(201)}, {f"n{i}": "x" for i in range(201)}
    some, config = dict(list(good.items())[:200]), base["config"]
    lists = [["a"] * 1001, ["", *["a"] * 1000], ["", *["a"] * 1001], [*["a"] * 1001, ""], [""] * 1001]
    cuts = [list(range(1, 22)), [0, *range(1, 21)], [0, *range(1, 22)], [0] * 22, [], [1, 1], [3, 2], [1001]]
    changes: list[dict[str, Any]] = [
        *({"scores": scores} for scores in (good, bad, bad | some, bad | good, good | bad, some)),
        *({"byCategory": dict.fromkeys([f"c{i}" for i in range(count)], table)} for count in (200, 201)),
        *({"perQuery": [row | {"retrieved": ids}]} for ids in lists),
        *({"config": config | {"k": ks}} for ks in cuts),
    ]
    said = compare(written(base | change) for change in changes)
    assert {item.get("field") for item in said} >= {
        "scores",
        "scores.n0",
        "byCategory",
        "config.k",
        "config.k[0]",
    }


def doubles(draw: random.Random) -> Iterator[float]:
    """Finite doubles of every magnitude, and those where rounding is decided by the last digit."""
    for _ in range(20_000):
        (value,) = struct.unpack("<d", draw.randbytes(8))
        if math.isfinite(value):
            yield value
    for numerator in range(1, 4_000):
        yield numerator / 16
        yield 1 - numerator / 65_536
        yield -numerator / 2**14
        yield draw.random() ** draw.randint(1, 30)


def test_numbers_read_the_same():
    draw = random.Random(1)  # noqa: S311 - test data
    values = [value for value in doubles(draw) if not (2**53 <= abs(value) < 1e22)] + [0.0, 1.0, 0.1, 1e22]
    assert ask("shown", [values]) == [[_shown(value) for value in values]]


def test_sums_and_intervals_to_the_last_bit():
    draw = random.Random(2)  # noqa: S311 - test data
    lists = []
    for _ in range(4_000):
        scale = draw.choice([0, 3, 60, 300])
        terms = [draw.uniform(-1, 1) * 2.0 ** draw.randint(-scale, scale) for _ in range(draw.randrange(30))]
        # Half-way cases, broken by a term far below, and sums that cancel.
        terms += draw.choice([[], [1.0, 2.0**-53], [1.0, 2.0**-53, 2.0**-106], [-term for term in terms[:5]]])
        draw.shuffle(terms)
        lists.append(terms)
    assert list(map(float, ask("fsum", lists))) == [math.fsum(terms) for terms in lists]
    pairs = [(draw.randint(0, n), n) for n in (draw.randint(1, 2**27) for _ in range(5_000))]
    pairs += [(successes, n) for n in range(1, 60) for successes in range(n + 1)]
    assert ask("wilson", [pairs]) == [[wilson(*pair)._asdict() for pair in pairs]]


def test_discounts_are_the_very_doubles():
    assert ask("discounts", [None]) == [list(DISCOUNTS)]
