"""A grown file's versions are recognized by their ids, and no more of those are hashed than are asked for."""

from __future__ import annotations

from hashlib import sha1

from hypothesis import given
from hypothesis import strategies as st

from benchsite.pipeline.audit.growth import Growth
from benchsite.pipeline.record.findings import Kind

PATH = "results/log/sizes"


class Kept:
    """Versions by their ids, and how many ids were made."""

    def __init__(self) -> None:
        self.versions: dict[str, bytes] = {}
        self.hashed = 0

    def put(self, data: bytes) -> str:
        self.versions[name := sha1(data, usedforsecurity=False).hexdigest()] = data
        return name

    def blob_id(self, data: memoryview) -> str:
        self.hashed += 1
        return sha1(data, usedforsecurity=False).hexdigest()


def lines(count: int) -> bytes:
    return b"".join(b"%d\n" % number for number in range(count))


def test_the_newest_change_of_a_long_file_costs_two_ids_and_no_reading() -> None:
    kept = Kept()
    growth = Growth(kept.blob_id, kept.versions.__getitem__)
    before, now = kept.put(lines(999)), kept.put(lines(1_000))
    growth.learn(PATH, now)
    assert kept.hashed == 0
    kept.versions.clear()
    assert growth.fault(PATH, before, now) is None
    assert kept.hashed == 2
    assert (growth.lines(PATH, before), growth.lines(PATH, now)) == (999, 1_000)
    assert kept.hashed == 2


@given(today=st.integers(1, 30), old=st.integers(1, 40), new=st.integers(1, 40))
def test_versions_that_grew_pass_and_versions_that_shrank_are_truncated(
    today: int, old: int, new: int
) -> None:
    """Whether HEAD's version holds them or not."""
    kept = Kept()
    growth = Growth(kept.blob_id, kept.versions.__getitem__)
    growth.learn(PATH, kept.put(lines(today)))
    fault = growth.fault(PATH, kept.put(lines(old)), kept.put(lines(new)))
    assert fault == (None if old <= new else (Kind.TRUNCATED, f"it had {old} lines and was cut to {new}"))
