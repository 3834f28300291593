"""Which fault is named first: Python and JavaScript read the members of a file in one order."""

from __future__ import annotations

import json
import random
import shutil
from typing import Any

import pytest
from invented_runs import receipt
from rescoring import SIGNATURE, compare, written

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="PARITY NOT RUN: node is not installed")


@pytest.mark.parametrize("count", [60, pytest.param(2_000, marks=pytest.mark.full)])
def test_two_faults_in_any_order_of_members(count: int):
    """The same field is named first, also where a domain is called like a number, which engines list first."""
    draw = random.Random(12)  # noqa: S311 - test data
    base = receipt(draw, 6, 2)[0] | {"signature": SIGNATURE}

    def faulty() -> str:
        document = json.loads(json.dumps(base))
        domains = document["byDomain"]
        document["byDomain"] = dict(draw.sample(list(domains.items()), len(domains)))
        for name in draw.sample(list(domains), 2):
            scores = document["byDomain"][name]["scores"]
            change: Any = draw.choice([{"zz": 1}, {"5": 1}, {"success": "x"}, {"A": 1}, {"harmful": None}])
            document["byDomain"][name]["scores"] = dict(
                draw.sample([*(scores | change).items()], len(scores | change))
            )
        return written(dict(draw.sample(list(document.items()), len(document))))

    said = compare(faulty() for _ in range(count))
    assert {"byDomain.10.scores.success", "byDomain.10.scores.A.[key]"} & {item.get("field") for item in said}
