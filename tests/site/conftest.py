"""The sample record, in the states a site can be in."""

from __future__ import annotations

import pytest
from sample_record import SampleRecord, make_fixture, make_methodology


def begin() -> SampleRecord:
    rules = [make_methodology("0.9.0", "## 1 Score\n\nOld."), make_methodology("1.0.0", "## 1 Score\n\nNew.")]
    return SampleRecord(make_fixture(40), rules)


@pytest.fixture
def record() -> SampleRecord:
    """A log that has begun, without receipts."""
    return begin()


@pytest.fixture(scope="session")
def published() -> SampleRecord:
    """Three systems and a baseline."""
    made = begin()
    for name, skill in (("good", 0.9), ("fair", 0.55), ("poor", 0.2), ("bm25", 0.5)):
        made.publish(name, skill)
    return made
