"""The summary of an experiment, computed by hand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from agents_experiment import SHA256, WORKED, measured

from benchsite import canonical
from benchsite.errors import InputError, IntegrityError
from benchsite.tracks.agents.scores.descriptor import FIELDS, Evaluation
from benchsite.tracks.agents.scores.economics import COST, QUALITY
from benchsite.tracks.agents.scores.experiment import Measured, summary
from benchsite.tracks.agents.scores.experiment_text import COLUMNS, markdown
from benchsite.tracks.agents.scores.experiment_text import csv as as_csv


def one(systems, **options: Any):
    return summary({"arithmetic": systems}, **options)["benchmarks"]["arithmetic"]


def test_every_number_of_the_worked_experiment():
    found = one(WORKED)
    sas, debate = found["systems"]["sas"], found["systems"]["fully-linked-debate"]
    assert (sas["descriptor"]["Q1_success_rate"], debate["descriptor"]["Q1_success_rate"]) == (0.375, 0.625)
    assert sas["descriptor"]["success_rate"] == sas["descriptor"]["eval_success_rate"] == 0.375
    assert sas["descriptor"]["C1_latency_p95"] == 1000
    assert sas["descriptor"]["C3_cost_total"] is None
    # Stability: 1, 0, 1, 1 and 1, 1, 0, 1.
    assert sas["descriptor"]["stability"] == debate["descriptor"]["stability"] == 0.75
    # Q is success, as no score is stated; latency and tokens scale to 0 and 1, tool calls are equal.
    assert sas["economics"]["quality"] == 0.375
    economy = debate["economics"]
    assert (economy["quality"], economy["gain"]) == (0.625, 0.25)
    assert economy["coordinationCost"] == 1
    assert economy["netGain"] == 0.25 - 1
    assert economy["regime"] == "overpriced"
    assert (found["economics"]["blank"], found["economics"]["equal"]) == (
        ["eval_avg_score", "C3_cost_total"],
        ["C4_tool_calls_total"],
    )
    coordination = debate["coordination"]
    assert coordination["overhead"] == 2
    assert coordination["messageDensity"] == 0.5
    assert coordination["efficiency"] == pytest.approx(0.625 / 3)
    assert coordination["errorAmplification"] == pytest.approx(0.375 / 0.625)
    assert sas["coordination"] is None
    # 100 ÷ 3/8, where the mean over tasks with a success is (100 + 200) ÷ 2.
    assert sas["tokensPerSuccess"] == pytest.approx(800 / 3)
    assert sas["descriptor"]["cost_per_success"] == 150
    # Differences 0, 1/2, 1/2, 0: s² = 1/12; ± 3.182 × √(1/48). 7.849 × (1/12) ÷ (1/16) = 10.5 tasks.
    # w: mean of 0, 1/2, 1/2, 0; τ² = max(0, 1/12 − 1/8) = 0; (1/4) ÷ (4 × (1/16) ÷ 7.849) = 7.8 runs.
    verdict = debate["comparisons"][0]
    assert verdict["interval"] == pytest.approx([0.25 - 3.182446 / 48**0.5, 0.25 + 3.182446 / 48**0.5])
    assert (verdict["tasksNeeded"], verdict["runsNeeded"], verdict["tokenRatio"]) == (11, 8, 3)
    assert found["verdict"]["sentence"] == verdict["sentence"]
    assert found["verdict"]["sentence"].endswith(
        "n = 4 tasks × 2 runs, at 3.00 times the tokens: not decided, about 7 more tasks or 6 more runs of each task "
        "would decide it (two-sided 5%, 80% power)."
    )


def test_the_equal_budget_control_is_the_reference():
    team = WORKED["fully-linked-debate"]
    found = one(WORKED | {"sas-retry": WORKED["sas"]})
    assert found["reference"] == "sas-retry"
    assert [item["reference"] for item in found["systems"]["fully-linked-debate"]["comparisons"]] == [
        "sas-retry",
        "sas",
    ]
    found = one(WORKED | {"sas-retry": WORKED["sas"], "sas-majority": WORKED["sas"], "only-voting": team})
    assert found["reference"] == "sas-majority"
    assert found["verdict"]["system"] == "fully-linked-debate"


def test_each_team_is_compared_with_the_budget_next_to_its_tokens_and_the_verdict_with_the_best_control():
    """Budget 100 is next to the team's tokens; `sas` solves every task, so that the verdict is against it."""
    poor, rich = (measured("single-agent", ["+-", "--", "--", "--"], tokens=tokens) for tokens in (100, 1000))
    best = measured("single-agent", ["++", "++", "++", "++"], tokens=30)
    team = WORKED["fully-linked-debate"]
    systems = {"sas-majority@1000": rich, "sas-majority@100": poor, "sas": best, "fully-linked-debate": team}
    found = one(systems)
    compared = found["systems"]["fully-linked-debate"]["comparisons"]
    assert [item["reference"] for item in compared] == ["sas-majority@100", "sas"]
    assert found["reference"] == found["verdict"]["reference"] == "sas"
    assert found["verdict"]["sentence"] == compared[1]["sentence"]


def test_p_values_are_adjusted_over_the_systems_of_a_benchmark():
    alone, team = measured("single-agent", ["-"] * 6), measured("multi-agent", ["+"] * 6)
    found = one({"sas": alone, "a": team})["systems"]["a"]["comparisons"][0]
    assert (found["p"], found["pAdjusted"], found["decided"]) == (0.03125, 0.03125, True)
    found = one({"sas": alone, "a": team, "b": team})["systems"]["a"]["comparisons"][0]
    assert (found["p"], found["pAdjusted"], found["decided"]) == (0.03125, 0.0625, False)


def test_baselines_have_no_economics_and_no_verdict():
    null = measured("baseline", ["--"] * 4, tokens=None, turns=None, latency=1.0)
    found = one(WORKED | {"null": null})
    row = found["systems"]["null"]
    assert (row["economics"], row["coordination"], row["comparisons"]) == (None, None, [])
    assert row["descriptor"]["Q1_success_rate"] == 0
    assert row["descriptor"]["C2_tokens_total"] is None
    # The latency of doing nothing scales no other system's cost.
    assert found["systems"]["sas"]["economics"] == one(WORKED)["systems"]["sas"]["economics"]


@pytest.mark.parametrize(
    ("systems", "sentence"),
    [
        ({"sas": WORKED["sas"]}, "No verdict: no multi-agent system was run."),
        (
            {"tree": WORKED["fully-linked-debate"]},
            "No verdict: none of sas-majority, sas-retry, sas was run.",
        ),
    ],
)
def test_without_a_comparison_there_is_no_verdict(systems, sentence):
    assert one(systems)["verdict"] == {
        "system": None,
        "reference": None,
        "decided": False,
        "sentence": sentence,
    }


def test_systems_that_cannot_be_compared_are_named():
    with pytest.raises(
        InputError, match=r"benchmark arithmetic: systems ran different tasks: b lacks 1 task of a: t2"
    ):
        one({"a": measured("single-agent", "++"), "b": measured("multi-agent", "+")})
    other = measured("multi-agent", "++", sha256="cd" * 32)
    with pytest.raises(
        InputError, match="benchmark arithmetic: different data: a abababababab, b cdcdcdcdcdcd"
    ):
        one({"a": measured("single-agent", "++"), "b": other})
    other = measured("multi-agent", "++", perturbation="faults 0.1")
    with pytest.raises(InputError, match="different perturbation: a none, b faults 0.1"):
        one({"a": measured("single-agent", "++"), "b": other})


def test_hostile_columns():
    # Zero successes, one task, only errors, and no cost that anyone states.
    blank = {"tokens": None, "turns": None, "latency": None}
    systems = {
        "sas": measured("single-agent", ["ee"], **blank),
        "team": measured("multi-agent", ["--"], **blank),
    }
    found = one(systems)
    team = found["systems"]["team"]
    assert team["descriptor"]["cost_per_success"] is None
    assert found["systems"]["sas"]["descriptor"]["success_rate_valid"] is None
    # Tool calls alone are stated, and equal.
    assert (team["economics"]["cost"], team["economics"]["regime"]) == (0, "boundary")
    assert team["coordination"]["errorAmplification"] == 1
    assert found["verdict"]["sentence"].endswith("tokens not stated: not decided, one task can't decide it.")
    assert "nan" not in markdown(summary({"arithmetic": systems})).lower()


def test_records_of_the_evaluator_must_agree():
    told = {f"t{i}": [Evaluation(success=True, completion=True)] for i in (1, 2)}
    system = measured("single-agent", "++", evaluations=told)
    assert one({"sas": system})["systems"]["sas"]["descriptor"]["Q1_success_rate"] == 1
    with pytest.raises(IntegrityError, match=r"Q1_success_rate 0\.0 is not eval_success_rate 1\.0: t2"):
        one({"sas": measured("single-agent", "+-", evaluations=told)})


def test_the_accuracy_ratio_under_perturbation():
    # 3/8 without, 1/4 with faults.
    perturbed = measured("single-agent", ["++", "--", "--", "--"], perturbation="faults 0.1")
    found = one({"sas": perturbed}, unperturbed={"arithmetic": WORKED})
    assert found["systems"]["sas"]["accuracyRatio"] == pytest.approx(0.25 / 0.375)
    assert found["perturbation"] == "faults 0.1"
    assert one(WORKED)["systems"]["sas"]["accuracyRatio"] is None


def test_a_receipt_is_read():
    sas = WORKED["sas"]
    document = {
        "system": {"kind": "single-agent"},
        "tasks": sas.tasks,
        "runs": sas.runs,
        "benchmark": {"sha256": SHA256},
        "config": {"perturbation": {"kind": "faults", "rate": 0.25}},
    }
    read = Measured.of(document)
    assert (read.kind, read.sha256, read.perturbation) == ("single-agent", SHA256, "faults 0.25")
    assert Measured.of(document | {"config": {}}) == sas


def test_the_summary_is_json():
    document = summary({"arithmetic": WORKED, "empty": {}})
    assert json.loads(canonical.dumps(document))["benchmarks"]["empty"]["tasks"] == 0


def test_csv_has_the_seeds_names():
    assert set(FIELDS) - {"runs", "errors", "limits"} <= set(COLUMNS)
    assert len(set(COLUMNS)) == len(COLUMNS)
    rows = list(csv.DictReader(io.StringIO(as_csv(summary({"arithmetic": WORKED})).decode())))
    assert [(row["benchmark"], row["system"], row["Q1_success_rate"]) for row in rows] == [
        ("arithmetic", "sas", "0.375"),
        ("arithmetic", "fully-linked-debate", "0.625"),
    ]
    assert rows[0]["C3_cost_total"] == rows[0]["reference"] == ""
    assert (rows[1]["regime"], rows[1]["decided"], rows[1]["token_ratio"]) == ("overpriced", "false", "3")


def test_markdown_shows_the_verdict_first():
    text = markdown(summary({"arithmetic": WORKED}))
    assert text.startswith("## arithmetic\n\nfully-linked-debate compared with sas: success +25.0 pt")
    assert "| overpriced |" in text
    assert "No system states eval_avg_score, C3_cost_total." in text
    assert "### Coordination, compared with sas" in text
    assert "| 200.0% | 0.500" in text
    assert markdown(summary({})) == "No benchmark has a run.\n"


def test_errors_show_both_conventions():
    text = markdown(summary({"arithmetic": {"sas": measured("single-agent", ["+", "e"])}}))
    assert "50.0% [9.5%, 90.5%]; errors excluded 100.0%" in text


def test_the_documentation_quotes_the_worked_experiment():
    page = (Path(__file__).parents[4] / "content/docs/what-agent-numbers-mean.md").read_text(encoding="utf-8")
    assert f"```text\n{one(WORKED)['verdict']['sentence']}\n```" in page
    for weighted in (*QUALITY, *COST):
        assert weighted.weight == (3 if weighted.column == "Q1_success_rate" else 1)
    for name in ("efficiency-driven", "productive", "overpriced", "wasteful", "boundary"):
        assert f"| {name} |" in page
