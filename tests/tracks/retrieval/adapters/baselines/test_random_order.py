from __future__ import annotations

from benchsite.tracks.retrieval.adapter import Item
from benchsite.tracks.retrieval.adapters.baselines.random_order import RandomOrder

ITEMS = [Item(f"d{n:04}", f"text {n}", {}, None) for n in range(20)]


def ranking(adapter: RandomOrder, question: str, k: int = 20) -> list[str]:
    return [hit.id for hit in adapter.query(question, k, None)]


def filled(seed: int, items: list[Item] = ITEMS) -> RandomOrder:
    adapter = RandomOrder(seed=seed)
    adapter.ingest(items)
    return adapter


def test_a_permutation_of_the_scope() -> None:
    assert sorted(ranking(filled(1), "q")) == [item.id for item in ITEMS]
    assert len(ranking(filled(1), "q", 5)) == 5
    assert ranking(filled(1), "q", 5) == ranking(filled(1), "q")[:5]


def test_same_seed_scope_and_question_same_ranking_whatever_was_asked_before() -> None:
    busy = filled(7)
    for n in range(5):
        ranking(busy, f"other {n}")
    assert ranking(busy, "q") == ranking(filled(7), "q")


def test_seed_question_and_contents_each_change_it() -> None:
    base = ranking(filled(7), "q")
    other = [item._replace(content=item.content + "!") for item in ITEMS]
    assert len({tuple(order) for order in (base, ranking(filled(8), "q"), ranking(filled(7), "r"))}) == 3
    assert ranking(filled(7, other), "q") != base


def test_scores_are_confidences_in_descending_order() -> None:
    scores = [hit.score for hit in filled(3).query("q", 20, None)]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score < 1 for score in scores)


def test_every_item_comes_first_sometimes() -> None:
    adapter = filled(0)
    first = {ranking(adapter, f"q{n}", 1)[0] for n in range(400)}
    # 20 items and 400 draws: an item is missing with probability 20 × 0.95^400 < 1e-7.
    assert first == {item.id for item in ITEMS}


def test_reset_forgets() -> None:
    adapter = filled(0)
    adapter.reset()
    assert adapter.query("q", 10, None) == []
