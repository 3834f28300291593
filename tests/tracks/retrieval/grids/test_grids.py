"""Settings grids: every combination by hand, a receipt's own settings give its own scores, claims and faults by line."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_grids import DATA, receipt

from benchsite.errors import InputError
from benchsite.tracks.retrieval import grids, metrics
from benchsite.tracks.retrieval.grids.placing import same_runs
from benchsite.tracks.retrieval.grids.result import Result
from benchsite.tracks.retrieval.scores.scoring import Query

GRID = """
title = "Small"
benchmark = "small"
corrections = "https://example.org/issues"

[settings]
granularity = ["turn", "turn as session"]
k = [1, 2, 3]
questions = ["a", "ab"]
rule = ["any", "fraction", "all", "ndcg"]
empty = ["excluded", "1", "0"]
errata = ["none", "applied"]

[questions]
a = ["a"]
ab = ["a", "b"]

[[datasets]]
granularity = "turn"
rankings = ["small"]
labels = { none = "small", applied = "small-errata" }

[[datasets]]
granularity = "turn as session"
rankings = ["small"]
labels = { none = "small", applied = "small-errata" }
group = "session"
"""
CLAIM = """
[[claims]]
id = "one"
system = "one"
metric = "recall"
value = 75
unit = "percent"
date = "2026-01-02"
source = "https://example.org/one"
by = "vendor"
settings = { granularity = "turn", k = 2, questions = "a", rule = "fraction", empty = "excluded", errata = "none" }
"""


def claim(name: str, value: float, **changes: str) -> str:
    text = CLAIM.replace('"one"', f'"{name}"').replace("75", str(value))
    for key, line in changes.items():
        text += "" if key == "settings" else f"{key} = {line}\n"
    if "settings" in changes:
        text = text[: text.index("settings")] + f"settings = {changes['settings']}\n"
    return text


def made(
    *receipts: dict[str, Any], text: str = GRID, data: Callable[[str], bytes | None] = DATA.get
) -> Result:
    return grids.scored(grids.read(text.encode(), "small.toml"), receipts, data)


def values(found: Result, *setting: str | int) -> list[float]:
    """The scores of the first system for every rule, without nDCG."""
    granularity, k, questions, empty, errata = setting
    rows = [
        (granularity, k, questions, rule, empty, errata, "off", "on") for rule in ("any", "fraction", "all")
    ]
    return [found.scores[row]["bm25"].value for row in rows]


def test_every_combination_is_the_mean_by_hand() -> None:
    found = made(receipt())
    # Of q1 the first two turns hold one of two relevant ones, of q2 the only one.
    assert values(found, "turn", 2, "a", "excluded", "none") == [1.0, 0.75, 0.5]
    assert values(found, "turn", 1, "a", "excluded", "none") == [0.5, 0.5, 0.5]
    assert values(found, "turn", 2, "ab", "1", "none") == [1.0, pytest.approx(2.5 / 3), pytest.approx(2 / 3)]
    assert values(found, "turn", 2, "ab", "0", "none") == [pytest.approx(2 / 3), 0.5, pytest.approx(1 / 3)]
    assert values(found, "turn", 2, "ab", "excluded", "none") == [1.0, 0.75, 0.5]
    # Corrected, q2 expects t1, which it did not return.
    assert values(found, "turn", 2, "a", "excluded", "applied") == [0.5, 0.25, 0.0]
    # As sessions q1 has [1, 2] of {1, 2}.
    assert values(found, "turn as session", 1, "a", "excluded", "none") == [1.0, 0.75, 0.5]
    assert values(found, "turn as session", 2, "a", "excluded", "none") == [1.0, 1.0, 1.0]
    gain = 1 / math.log2(3)
    ndcg = found.scores["turn", 2, "a", "ndcg", "excluded", "none", "off", "on"]["bm25"]
    assert ndcg == (pytest.approx((gain / (1 + gain) + 1) / 2, abs=1e-12), 2)
    rule = next(one for one in found.spreads if one.axis == "rule")
    assert (rule.least, rule.most) == (0.0, 0.5)


def test_a_cut_off_beyond_a_stored_ranking_is_not_scored_and_named() -> None:
    found = made(receipt())
    # Three turns were asked for and three returned: a third session was not looked for.
    assert ("turn as session", 3, "a", "any", "excluded", "none", "off", "on") not in found.scores
    reason = "k = 3 is beyond the stored rankings (depth 2 by session)"
    assert found.refused == {reason: {"bm25": 2 * 4 * 3 * 2}}
    # A ranking that ended early is whole.
    whole = made(receipt(q1=["t2", "t3"]))
    assert not whole.refused


def test_of_two_rankings_of_a_system_the_dataset_chooses_the_first_that_answers() -> None:
    text = GRID.replace('["small"]', '["small-plain", "small"]')
    plain = receipt(q1=["t4"], q2=["t1"]) | {"receiptId": "p", "fixture": {"id": "small-plain"}}
    plain["config"] = {"k": [1]}
    for found in (made(receipt(), plain, text=text), made(plain, receipt(), text=text)):
        assert values(found, "turn", 1, "a", "excluded", "none") == [0.0, 0.0, 0.0]
        assert values(found, "turn", 2, "a", "excluded", "none") == [1.0, 0.75, 0.5]


def test_a_run_that_returned_nothing_is_part_of_no_distribution_unless_it_is_named() -> None:
    silent = receipt("silent", q1=[], q2=[], q3=[])
    found = made(receipt(), silent)
    assert (found.systems, found.omitted) == (("bm25",), ("silent",))
    assert made(silent).systems == ("silent",)
    named = grids.scored(grids.read(GRID.encode(), "small.toml"), (receipt(), silent), DATA.get, named=True)
    assert (named.systems, named.omitted) == (("bm25", "silent"), ())


def test_k_of_all_items_is_one_for_any_order() -> None:
    orders = (["t1", "t2", "t3", "t4"], ["t4", "t3", "t2", "t1"])
    for order in orders:
        ranked = receipt(q1=order, q2=order, q3=order) | {"config": {"k": [1, 50]}}
        found = made(ranked, text=GRID.replace("k = [1, 2, 3]", "k = [50]"))
        recall = [found.scores[s]["bm25"].value for s in found.scores if s[3] != "ndcg" and s[4] != "0"]
        assert set(recall) == {1.0}


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from("abcdefgh"), max_size=4, unique=True),
            st.lists(st.sampled_from("abcdefgh"), max_size=5),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_own_settings_give_the_scores_of_the_receipt_exactly(
    rows: list[tuple[list[str], list[str]]],
) -> None:
    document = json.loads(DATA["small"])
    document["items"] = [{"id": name, "scope": "s", "content": name} for name in "abcdefgh"]
    document["queries"] = [
        {
            "id": f"q{place}",
            "query": "?",
            "scope": "s",
            "category": "a",
            "expected": [{"id": name, "grade": 1} for name in expected],
        }
        for place, (expected, _) in enumerate(rows)
    ]
    ranked = receipt() | {
        "perQuery": [{"queryId": f"q{place}", "retrieved": found} for place, (_, found) in enumerate(rows)],
        "config": {"k": [1, 3, 5]},
    }
    own = metrics.score(
        (Query.from_ids(dict.fromkeys(expected, 1), found) for expected, found in rows), (1, 3, 5)
    ).scores
    text = GRID.replace("k = [1, 2, 3]", "k = [1, 3, 5]").replace(', "turn as session"]', "]")
    if not any(expected for expected, _ in rows):
        return
    found = made(ranked, text=text, data=lambda _name: json.dumps(document).encode())
    names = {"any": "success", "fraction": "recall", "all": "recall_all", "ndcg": "ndcg"}
    for rule, measure in names.items():
        for k in (1, 3, 5):
            score = found.scores["turn", k, "a", rule, "excluded", "none", "off", "on"]["bm25"]
            assert score.value == own[f"{measure}_at_{k}"]


def test_claims_are_points_among_the_scores_of_their_settings_or_off_with_the_reason() -> None:
    settings = '{ granularity = "turn", k = 2, rule = "any" }'
    text = GRID + "".join(
        [
            claim("inside", 75),
            claim("above", 80),
            claim("open", 50, settings=settings),
            claim("no-k", 50, settings='{ granularity = "turn" }'),
            claim("other-k", 50, settings='{ granularity = "turn", k = 7 }'),
            claim("judged", 50, kind='"judged"'),
            claim("sample", 50, unplaced='"30 questions"'),
        ]
    )
    found = made(receipt(), receipt("other", q1=["t2"]), text=text)
    # At the claim's own settings: 0.75, and 0.5 of the system without t3.
    placed = {one.claim.id: one.range for one in found.placed}
    assert placed["inside"] == (2, 0.5, 0.75, "inside")
    assert placed["above"] == (2, 0.5, 0.75, "above")
    assert placed["open"].where == "inside"
    assert {one.id: why for one, why in found.off} == {
        "no-k": "k is not stated",
        "other-k": "k = 7 is not declared in this grid",
        "judged": "judged by a language model: no setting of rankings gives it",
        "sample": "30 questions",
    }
    axis = {one["id"] for one in found.record["claims"]}
    assert axis == {"inside", "above", "open"}


def test_a_claim_has_the_settings_that_the_methodology_does_not_score_and_its_place_under_those_that_it_does() -> (
    None
):
    own = '[methodology]\nk = [2]\nquestions = ["a"]\nempty = ["excluded"]\n'
    stated = (
        '{ granularity = "turn", k = 2, questions = "ab", rule = "fraction", empty = "1", errata = "none" }'
    )
    deeper = stated.replace("k = 2", "k = 3").replace('"ab"', '"a"').replace('"1"', '"excluded"')
    text = claim("counted", 83.3, settings=stated) + claim("own", 75) + claim("deeper", 100, settings=deeper)
    found = {one.claim.id: one for one in made(receipt(), text=GRID + own + text).placed}
    # Fractions of q1 and q2 are 1/2 and 1, and q3 without evidence counts 1: 5/6. Without q3 it is 3/4.
    counted = found["counted"]
    assert counted.range == (1, pytest.approx(5 / 6), pytest.approx(5 / 6), "inside")
    assert counted.needs == {"questions": "ab", "empty": "1"}
    assert counted.methodology == (1, 0.75, 0.75, "above")
    assert (found["own"].needs, found["own"].methodology) == ({}, found["own"].range)
    assert found["deeper"].needs == {"k": 3}
    assert found["deeper"].methodology == (0, None, None, "not measured")
    (undeclared,) = made(receipt(), text=GRID + claim("one", 75)).placed
    assert (undeclared.needs, undeclared.methodology) == ({}, None)


def test_a_cut_off_that_returns_everything_is_said_of_its_claim_without_any_ranking() -> None:
    stated = '{ granularity = "turn as session", k = 3, rule = "RULE" }'
    text = GRID + "".join(
        [
            claim("full", 100, settings=stated.replace("RULE", "any")),
            claim("gain", 100, settings=stated.replace("RULE", "ndcg")),
            claim("fewer", 100, settings=stated.replace("RULE", "any").replace("k = 3", "k = 2")),
            claim("turns", 100, settings=stated.replace("RULE", "any").replace("turn as session", "turn")),
        ]
    )
    text = 'rankings = ["elsewhere"]'.join(text.rsplit('rankings = ["small"]', 1))  # of the sessions
    found = {one.claim.id: one for one in made(receipt(), text=text).placed}
    # The scope has four turns of three sessions; nDCG depends on their order.
    assert {name: one.saturated for name, one in found.items()} == {
        "full": (3, 3),
        "gain": None,
        "fewer": None,
        "turns": None,
    }
    assert found["full"].range == (0, None, None, "not measured")


def test_claims_of_one_run_under_several_rules_say_what_the_rule_alone_moves() -> None:
    def one(name: str, value: float, rule: str, run: str = "same", k: int = 2) -> str:
        settings = f'{{ granularity = "turn", k = {k}, rule = "{rule}" }}'
        return claim(name, value, settings=settings) + f'run = "{run}"\n'

    text = "".join(
        [
            one("any", 90, "any"),
            one("all", 78, "all"),
            one("gain", 50, "ndcg"),
            one("deeper", 95, "any", k=3),
            one("other", 10, "all", run="another"),
        ]
    )
    (found,) = made(receipt(), text=GRID + text).record["sameRun"]
    assert found == {
        "system": "all",
        "settings": {"granularity": "turn", "k": 2},
        "rules": {"all": 0.78, "any": 0.9},
        "difference": pytest.approx(0.12),
    }


def test_faults_of_a_grid_name_the_place_and_the_line() -> None:
    line = GRID.count("\n") + 2
    for text, said in (
        (
            GRID.replace("k = [1, 2, 3]", f"k = {list(range(1, 1000))}"),
            r"grid g: 95,904 combinations, the limit is 10,000",
        ),
        (GRID + CLAIM.replace("value = 75\n", ""), rf"claims\[0\] \(line {line}\): value: is missing"),
        (GRID + CLAIM.replace("75", "nan"), rf"claims\[0\] \(line {line}\): value"),
        (GRID + CLAIM.replace("75", "175"), rf"\(line {line}\): value: 175 is not a percent"),
        (GRID + CLAIM.replace("rule =", "rules ="), rf"\(line {line}\): settings: 'rules' is not a setting"),
        (GRID + CLAIM + CLAIM, r"claims\[1\] \(line \d+\): id: 'one' is used twice"),
        (GRID + CLAIM.replace("2026-01-02", "2026-02-30"), rf"\(line {line}\): date: is not a date"),
        (GRID + CLAIM.replace("2026-01-02", "last spring"), rf"\(line {line}\): date: is not a date"),
        (
            GRID
            + CLAIM
            + 'disputes = [{ by = "a", where = "https://example.org/a", point = "b", date = "2026-13" }]',
            rf"claims\[0\] \(line {line}\): disputes",
        ),
        (GRID + "[methodology]\nks = [1]", "methodology: 'ks' is not a setting"),
        (GRID + "[methodology]\nk = [4]", "methodology.k: 4 is not among its values"),
        (GRID.replace('"ab"]', '"abc"]'), "settings.questions: 'abc' has no entry"),
        (GRID.replace('"any", ', '"some", '), "settings.rule"),
        (GRID.replace("[settings]", "[settings"), "grid g: Expected"),
    ):
        with pytest.raises(InputError, match=said):
            grids.read(text.encode(), "g")


def test_other_items_missing_queries_and_missing_labels_are_named() -> None:
    for ranked, data, said in (
        (receipt(q1=["x"]), DATA, "bm25: x is no item of small"),
        (
            receipt() | {"perQuery": receipt()["perQuery"][1:]},
            DATA,
            "bm25: 1 query of small without a ranking, first q1",
        ),
        (receipt(), {}, "not on this machine: the labels of small, small-errata"),
        (receipt() | {"fixture": {"id": "large"}}, DATA, "no receipt on small"),
    ):
        with pytest.raises(InputError, match=f"no combination can be scored: .*{said}"):
            made(ranked, data=data.get)


def test_the_packaged_grid_places_30_of_40_claims_and_none_that_was_judged() -> None:
    grid = grids.read(grids.packaged()["locomo"], "locomo")
    found = Result(grid, (), {}, {})
    assert (len(found.placed), len(found.off)) == (30, 10)
    assert {one.kind for one in grid.claims} == {"retrieval"}
    assert all(one.date or one.id == "dakera-locomo-recall" for one in grid.claims)
    needing = [one for one in found.placed if one.needs]
    assert (len(needing), {axis for one in needing for axis in one.needs}) == (
        23,
        {"k", "questions", "empty", "timestamps"},
    )
    # Of one run each: uteke 0.840 and 0.716 at k = 5, 0.939 and 0.850 at 10, Hebb Mind, loomcycle.
    moved = [round(one["difference"], 3) for one in (run.record for run in same_runs(grid))]
    assert sorted(moved) == [0.04, 0.073, 0.089, 0.124]


@pytest.mark.parametrize(
    ("stated", "where"),
    [
        ("66.7", "inside"),
        ("66.70", "above"),
        ("66.6", "below"),
        ("66.66", "below"),
        ("67", "inside"),
        ("68", "above"),
    ],
)
def test_a_claim_stands_for_all_that_rounds_to_its_last_decimal(stated: str, where: str) -> None:
    settings = '{ granularity = "turn", k = 2, questions = "ab", rule = "all", empty = "1", errata = "none" }'
    text = claim("one", 75, settings=settings).replace("value = 75", f"value = {stated}")
    ((_, placed, *_),) = made(receipt(), text=GRID + text).placed
    assert (placed.low, placed.high) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert placed.where == where


def test_a_number_beyond_any_decimal_is_a_fault() -> None:
    text = GRID + CLAIM.replace("value = 75", "value = 1e9999999999999999999")
    with pytest.raises(InputError, match="a number is too long"):
        grids.read(text.encode(), "small.toml")
