from __future__ import annotations

from benchsite.tracks.retrieval.adapter import Item
from benchsite.tracks.retrieval.adapters.baselines.recency import Recency

ITEMS = [
    Item("none-1", "a", {}, None),
    Item("old", "b", {}, "2023-05-01T00:00:00Z"),
    Item("new", "c", {}, "2023-05-01T23:30:00-01:00"),
    Item("tie-1", "d", {}, "2023-05-01T12:00:00Z"),
    Item("none-2", "e", {}, None),
    Item("tie-2", "f", {}, "2023-05-01T14:00:00+02:00"),
]


def test_newest_first_ties_in_ingest_order_null_oldest() -> None:
    adapter = Recency()
    adapter.ingest(ITEMS[:4])
    adapter.ingest(ITEMS[4:])
    hits = adapter.query("anything", 10, None)
    assert [hit.id for hit in hits] == ["new", "tie-1", "tie-2", "old", "none-1", "none-2"]
    assert [hit.score for hit in hits] == [6 / 6, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6]
    assert hits[0].content == "c"


def test_k_cuts_and_reset_forgets() -> None:
    adapter = Recency()
    adapter.ingest(ITEMS)
    assert [hit.id for hit in adapter.query("q", 1, None)] == ["new"]
    adapter.reset()
    assert adapter.query("q", 1, None) == []
