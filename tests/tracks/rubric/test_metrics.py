from __future__ import annotations

import copy
import json
import re
import runpy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from rubric_receipts import Said, payload, uniform
from rubric_rules import RULES

from benchsite.tracks.rubric.metrics import Scored, hundredths, score, written
from benchsite.tracks.rubric.payload import Fraction as FractionText

VECTORS = Path(__file__).resolve().parents[2] / "vectors" / "rubric"
CASES = json.loads((VECTORS / "scoring.json").read_bytes())["cases"]

# U: 4+3+5+2+4+4 = 22 of 30. D1 to D5: 13, 8, 13, 6 and 15 of 15, 55 of 75 in all.
MIXED = Said((4, 3, 5, 2, 4, 4), ((5, 4, 4), (3, 3, 2), (4, 4, 5), (2, 1, 3), (5, 5, 5)))


def scored(version: str, *said: Said, **options: Any) -> Scored:
    return score(payload(version, said, scored=False, **options), RULES[version])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_shared_cases(case):
    assert score(case["body"], RULES[case["version"]]).sections() == case["expected"]


def test_the_vectors_are_current_and_their_oracle_does_not_use_the_code_under_test(monkeypatch):
    monkeypatch.syspath_prepend(str(VECTORS))
    generator = runpy.run_path(str(VECTORS / "generate.py"))
    assert {path.name for path in VECTORS.glob("*.json")} == set(generator["FILES"])
    for name in generator["FILES"]:
        assert (VECTORS / name).read_text(encoding="ascii") == generator["text_of"](name), name
    for source in VECTORS.glob("*.py"):
        text = source.read_text(encoding="utf-8")
        assert "import benchsite" not in text
        assert "from benchsite" not in text


@pytest.mark.parametrize(("mark", "points"), [(5, 100), (4, 80), (3, 60), (2, 40), (1, 20)])
@pytest.mark.parametrize("version", RULES)
def test_the_same_mark_everywhere(version, mark, points):
    found = scored(version, uniform(mark), tested=True)
    for metric in ("composite_score", "universal_score", "domain_score", "d1_score", "d5_score"):
        assert found.scores[metric] == points
        assert found.exact[metric] == f"{points}/1"
    assert found.scores["u1_score"] == found.scores["u6_score"] == mark


def test_a_mixed_sheet_by_hand():
    # U = 22/30 = 73.333; D = mean of 86.667, 53.333, 86.667, 40, 100 = 73.333; 0.4 × 73.333 + 0.6 × 73.333 = 73.333.
    found = scored("1.1.0", MIXED)
    assert found.scores == {
        "composite_score": 73.33,
        "universal_score": 73.33,
        "domain_score": 73.33,
        "u1_score": 4,
        "u2_score": 3,
        "u3_score": 5,
        "u4_score": 2,
        "u5_score": 4,
        "u6_score": 4,
        "d1_score": 86.67,
        "d2_score": 53.33,
        "d3_score": 86.67,
        "d4_score": 40,
        "d5_score": 100,
    }
    assert found.exact["composite_score"] == "220/3"
    assert found.exact["d1_score"] == "260/3"
    assert found.exact["d4_score"] == "40/1"
    assert (found.intervals, found.agreement) == ({}, None)


def test_the_weights_are_forty_and_sixty():
    # U = 30/30 = 100, D = 20: 40 + 12 = 52; the other way round 8 + 60 = 68.
    high, low = (5,) * 6, (1,) * 6
    assert scored("1.0.0", Said(high, ((1, 1, 1),) * 5)).scores["composite_score"] == 52
    assert scored("1.0.0", Said(low, ((5, 5, 5),) * 5)).scores["composite_score"] == 68


def test_the_penalty_stands_apart():
    found = scored("1.3.0", MIXED, tested=False)
    assert found.exact["raw_composite"] == "220/3"
    assert found.exact["penalty"] == "10/1"
    assert found.exact["composite_score"] == "190/3"  # 73.333 − 10
    assert (found.scores["raw_composite"], found.scores["composite_score"]) == (73.33, 63.33)
    assert found.denominators["penalty"] == {"den": 1, "excluded": 0}
    assert found.scores["universal_score"] == found.scores["domain_score"] == 73.33


def test_no_penalty_where_repeatability_was_tested():
    found = scored("1.3.0", MIXED, tested=True)
    assert found.exact["penalty"] == "0/1"
    assert found.exact["composite_score"] == found.exact["raw_composite"] == "220/3"


def test_what_is_not_disclosed_was_not_tested():
    assert scored("1.3.0", MIXED, tested=None).scores["penalty"] == 10


@pytest.mark.parametrize("version", sorted(RULES.keys() - {"1.3.0"}))
def test_no_other_version_knows_a_penalty(version):
    found = scored(version, MIXED, tested=False)
    assert "penalty" not in found.scores
    assert "raw_composite" not in found.exact
    assert found.scores["composite_score"] == 73.33


def test_questions_of_one_scenario_are_averaged():
    # D1 = mean of 13/15 and 5/15 = 60; with D2 to D5 at 80: D = (60 + 320)/5 = 76; U = 80: 32 + 45.6 = 77.6.
    said = Said((4,) * 6, ([(5, 4, 4), (2, 2, 1)], *[(4, 4, 4)] * 4))
    found = scored("1.1.0", said)
    assert found.exact["d1_score"] == "60/1"
    assert found.exact["domain_score"] == "76/1"
    assert found.scores["composite_score"] == 77.6


def stepped(**two: tuple[int, int]) -> list[Said]:
    """Sessions of U = 60, 70, 80 and D = 80, each with two sheets that differ inside the scenarios only."""
    ((name, places),) = two.items()
    return [
        Said(marks, (domain,) * 5, session=session, **{name: place})
        for session, marks in ((1, (3,) * 6), (2, (4, 4, 4, 3, 3, 3)), (3, (4,) * 6))
        for place, domain in zip(places, ((4, 4, 4), (5, 4, 3)), strict=True)
    ]


@pytest.mark.parametrize(
    ("kind", "said"),
    [("inter-rater", stepped(evaluator=(0, 1))), ("intra-rater", stepped(pass_=(1, 2)))],
)
def test_three_sessions_of_two_sheets_by_hand(kind, said):
    found = scored("2.0.0", *said)
    assert found.exact["universal_score"] == "70/1"
    assert found.exact["domain_score"] == "80/1"
    assert found.exact["composite_score"] == "76/1"  # of 72, 76 and 80
    # s = 4, s/√3 = 2.309401, times 4.302653 = 9.936551; for U s = 10, so 24.841377; D does not vary.
    assert found.intervals["composite_score"]["low"] == pytest.approx(66.063449, abs=1e-6)
    assert found.intervals["composite_score"]["high"] == pytest.approx(85.936551, abs=1e-6)
    assert found.intervals["universal_score"]["high"] == pytest.approx(94.841377, abs=1e-6)
    assert found.intervals["domain_score"] == {"low": 80.0, "high": 80.0, "method": "t"}
    assert found.denominators["composite_score"] == {"den": 3, "excluded": 0}
    assert found.denominators["u1_score"] == {"den": 6, "excluded": 0}
    assert found.agreement == {"kind": kind, "raters": 2, "units": 63}  # 6 + 15 items in each of 3 sessions
    # Pairs: 15 × (4, 5), 15 × (4, 4), 15 × (4, 3), 9 × (3, 3), 9 × (4, 4): seen 30. The first gives 9 threes and 54
    # fours, the second 24, 24 and 15 of 3, 4, 5: expected 9 × (24 + 30) + 54 × (24 + 15) = 2592, and
    # kappa = 1 − 63 × 30/2592 = 13/48.
    assert found.exact["weighted_kappa"] == "13/48"
    assert found.scores["weighted_kappa"] == 0.27


def test_sessions_weigh_the_same_however_many_sheets_they_have():
    # Session 1 is 100; session 2 the mean of 20, 20 and 80, which is 40.
    said = [uniform(5), *(uniform(mark, session=2, pass_=n) for n, mark in ((1, 1), (2, 1), (3, 4)))]
    found = scored("1.1.0", *said)
    assert found.scores["composite_score"] == 70
    assert found.scores["u1_score"] == 3.5
    assert found.denominators["u1_score"] == {"den": 4, "excluded": 0}


@pytest.mark.parametrize(
    ("marks", "end", "bound"), [((5, 5, 4), "high", 100.0), ((1, 1, 2), "low", 20.0)], ids=["above", "below"]
)
def test_intervals_end_where_scores_do(marks, end, bound):
    found = scored("2.0.0", *(uniform(mark, session=n) for n, mark in enumerate(marks, start=1)))
    assert {interval[end] for interval in found.intervals.values()} == {bound}
    assert set(found.intervals) == {"composite_score", "universal_score", "domain_score"}


def test_one_session_and_earlier_versions_have_no_interval():
    two = [uniform(4), uniform(3, session=2)]
    assert scored("2.0.0", uniform(4)).intervals == {}
    assert scored("1.3.0", *two).intervals == {}
    assert set(scored("2.0.0", *two).intervals) == {"composite_score", "universal_score", "domain_score"}


def test_halves_are_rounded_up():
    # Over eight sheets U1 sums 33 and U2 35: 4.125 and 4.375.
    said = [
        Said((5 if n < 1 else 4, 5 if n < 3 else 4, 4, 4, 4, 4), ((4, 4, 4),) * 5, pass_=n + 1)
        for n in range(8)
    ]
    found = scored("1.1.0", *said)
    assert (found.exact["u1_score"], found.scores["u1_score"]) == ("33/8", 4.13)
    assert (found.exact["u2_score"], found.scores["u2_score"]) == ("35/8", 4.38)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1/200", 1),
        ("1/201", 0),
        ("3/200", 2),
        ("-1/200", -1),
        ("-1/201", 0),
        ("2/3", 67),
        ("-2/3", -67),
        ("0", 0),
    ],
)
def test_hundredths_go_away_from_zero_at_a_half(value, expected):
    assert hundredths(Fraction(value)) == expected


def test_agreement_is_undefined_without_variation():
    found = scored("1.1.0", uniform(4), uniform(4, evaluator=1))
    assert found.agreement == {"kind": "inter-rater", "raters": 2, "units": 21}
    for statistic in ("krippendorff_alpha", "weighted_kappa"):
        assert found.denominators[statistic] == {"den": 0, "excluded": 0}
        assert statistic not in found.scores
        assert statistic not in found.exact


def test_sessions_scored_once_say_nothing_of_agreement():
    found = scored("1.1.0", uniform(4), uniform(3, session=2, evaluator=1))
    assert found.agreement is None
    assert "krippendorff_alpha" not in found.denominators


def test_of_several_evaluators_only_the_first_passes_are_compared():
    # Evaluators 0 and 1 agree on 4 and on 2; pass 3 of evaluator 0 says 1 and counts in the mean alone.
    said = [
        uniform(4, pass_=2),
        uniform(1, pass_=3),
        uniform(4, evaluator=1),
        uniform(2, session=2),
        uniform(2, session=2, evaluator=1),
        uniform(5, session=3),
    ]
    found = scored("1.1.0", *said)
    assert found.exact["weighted_kappa"] == found.exact["krippendorff_alpha"] == "1/1"
    assert found.agreement == {"kind": "inter-rater", "raters": 2, "units": 42}
    assert found.denominators["weighted_kappa"] == {"den": 42, "excluded": 21}
    assert found.exact["u1_score"] == "10/3"  # sessions of (4 + 1 + 4)/3, 2 and 5


def test_three_raters_have_alpha_and_no_kappa():
    found = scored("1.1.0", uniform(4), Said(evaluator=1), uniform(3, evaluator=2))
    assert found.agreement == {"kind": "inter-rater", "raters": 3, "units": 21}
    assert "krippendorff_alpha" in found.scores
    assert "weighted_kappa" not in found.denominators


def test_a_question_that_one_rater_skipped_is_excluded():
    two, one = [(4, 4, 4), (3, 3, 3)], (4, 4, 5)
    said = [Said(domain=(two, *[one] * 4)), Said(domain=(one, *[one] * 4), evaluator=1)]
    found = scored("1.1.0", *said)
    assert found.denominators["krippendorff_alpha"] == {"den": 21, "excluded": 3}


marks = st.integers(1, 5)
questions = st.tuples(marks, marks, marks)
scenarios = st.one_of(questions, st.lists(questions, min_size=2, max_size=10))
sheets = st.builds(
    Said,
    st.tuples(*[marks] * 6),
    st.tuples(*[scenarios] * 5),
    evaluator=st.integers(0, 2),
    pass_=st.integers(1, 3),
    session=st.integers(1, 4),
)


@pytest.mark.full
@given(st.lists(sheets, min_size=1, max_size=8), st.sampled_from(sorted(RULES)))
def test_scores_stay_on_their_scales_and_fractions_say_the_same(said, version):
    found = scored(version, *said)
    assert found.scores.keys() == found.exact.keys()
    assert found.denominators.keys() >= found.scores.keys()
    for metric, value in found.scores.items():
        exact = Fraction(found.exact[metric])
        assert written(exact) == found.exact[metric]
        assert abs(Fraction(value).limit_denominator(100) - exact) <= Fraction(1, 200)
        if metric[0] == "u" and metric[1].isdigit():
            assert 1 <= value <= 5
        elif metric in {"krippendorff_alpha", "weighted_kappa"}:
            assert -1 <= value <= 1
        else:
            assert (0 if metric == "penalty" else 10) <= value <= 100
    for metric, interval in found.intervals.items():
        assert 20 <= interval["low"] <= found.scores[metric] + 0.005
        assert found.scores[metric] - 0.005 <= interval["high"] <= 100


def place(sheet: Said) -> tuple[int, int, int]:
    return sheet.session, sheet.evaluator, sheet.pass_


@pytest.mark.full
@settings(max_examples=examples(25, full=250))  # building two receipts each time is slow
@given(st.lists(sheets, min_size=2, max_size=6, unique_by=place), st.randoms(use_true_random=False))
def test_scores_do_not_depend_on_the_order_of_sheets(said, random):
    body = payload("2.0.0", said, scored=False)
    shuffled = copy.deepcopy(body)
    order = random.sample(range(len(said)), len(said))
    shuffled["sheets"] = [body["sheets"][place] for place in order]
    for part in ("universal", "domain"):
        for name, ratings in body[part].items():
            shuffled[part][name] = [ratings[place] for place in order]
    assert score(shuffled, RULES["2.0.0"]) == score(body, RULES["2.0.0"])


def test_the_largest_receipt_fits_its_schema():
    # Two hundred sheets in twenty sessions of one to nineteen: the denominators have every prime below 20.
    sizes = [*range(1, 20), 10]
    said = [
        Said(
            tuple(1 + (session * n + place) % 5 for place in range(6)),
            tuple([(1 + n % 5, 1 + session % 5, 3)] * (1 + place) for place in range(5)),
            pass_=n + 1,
            session=session,
        )
        for session, size in enumerate(sizes, start=1)
        for n in range(size)
    ]
    assert len(said) == 200
    (constraint,) = FractionText.__metadata__
    found = scored("2.0.0", *said)
    assert all(re.fullmatch(constraint.pattern, text) for text in found.exact.values())


def test_a_penalty_moves_the_interval_of_the_composite_and_its_ends():
    """Ones everywhere are 20 of 100 in each of three sessions; less 10, the composite is 10 and so are both ends."""
    ones = [uniform(1, session=session) for session in (1, 2, 3)]
    found = score(
        payload("2.0.0", ones, tested=False, scored=False), RULES["2.0.0"].model_copy(update={"penalty": 10})
    )
    assert found.exact["composite_score"] == "10/1"
    assert found.intervals["composite_score"] == {"low": 10.0, "high": 10.0, "method": "t"}
    assert found.intervals["domain_score"] == {"low": 20.0, "high": 20.0, "method": "t"}


@pytest.mark.parametrize(
    ("universal", "domain", "composite"),
    [("1/2", "1/2", "70/1"), ("0/1", "1/1", "60/1"), ("1/3", "2/3", "200/3")],
)
def test_the_composite_is_of_the_weights_of_its_version(universal: str, domain: str, composite: str):
    """U = 80 and D = 60: 1/2 × 80 + 1/2 × 60 = 70; D alone = 60; 80/3 + 120/3 = 200/3."""
    said = (Said((4,) * 6, ((3, 3, 3),) * 5),)
    weights = {"universal_weight": universal, "domain_weight": domain}
    found = score(payload("1.1.0", said, scored=False), RULES["1.1.0"].model_copy(update=weights))
    assert found.exact["composite_score"] == composite
