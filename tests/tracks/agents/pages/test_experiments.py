"""Pages of experiments: which receipts belong together, the verdict, tables and charts, the tasks that each system solved."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agents_record import AgentsRecord, envelope, make_tasks, renders
from boards import text_of

from benchsite.site.charts.scatter import front
from benchsite.site.charts.solved import solved
from benchsite.tracks.agents.pages.configurations import Configured, names_of
from benchsite.tracks.agents.pages.experiment_view import Verdict, headline

SAS = "ssss" + "ffffff"
MAJORITY = "ssss" + "ffffff"
TEAM = "ssssssss" + "ff"


def add(record: AgentsRecord, name: str, results: str, tokens: int, **changes: Any) -> str:
    """A receipt of a system whose runs all use the same number of tokens."""
    kind = "multi-agent" if name.startswith("only-") else "single-agent"
    system = {
        "name": name,
        "version": changes.pop("version", "1.0.0"),
        "kind": kind,
        "sizes": {},
        "prompts": None,
        "models": {"worker": {"requested": "invented-1", "responded": changes.pop("model", "invented-1")}},
    }
    return record.run(name, results, system=system, columns={"tokens": [tokens] * len(results)}, **changes)


def config(**changes: Any) -> dict[str, Any]:
    return {**envelope(1, None)["config"], **changes}


@pytest.fixture(scope="module")
def record() -> AgentsRecord:
    made = AgentsRecord(passive=0)
    made.run("null", "f" * 10)
    add(made, "sas", SAS, 1000)
    add(made, "sas-majority", MAJORITY, 4000, config=config(options={"budget": 4000}))
    add(made, "only-voting", TEAM, 4000)
    return made


def paths(record: AgentsRecord) -> list[str]:
    return [path for path in record.pages() if path.startswith("agents/experiments/") and len(path) > 20]


def page(record: AgentsRecord, path: str = "") -> str:
    return renders().body(record.pages()[path or paths(record)[0]])


def test_the_verdict_at_equal_budget_comes_first(record: AgentsRecord):
    text = text_of(page(record))
    # Four wins and no loss: McNemar's exact p = 2 / 2^4 = 0.125; 80% − 40%; 4,000 / 4,000 tokens.
    verdict = "No team is significantly better than one agent with the same tokens."
    assert verdict in text
    assert text.index(verdict) < text.index("Success and tokens")
    assert "desk undecided only-voting 1.0 × +40.0 pt" in text
    assert "p = 0.125" in text
    assert "only-voting compared with sas-majority@4000: success +40.0 pt" in text
    assert "4 systems, 1 benchmark, 10 tasks each, 1 run per task, model invented-1." in text
    assert "All 4 receipts are logged." in text


def test_systems_have_success_tokens_gain_cost_and_regime(record: AgentsRecord):
    text = text_of(page(record))
    assert "1 sas 40.0% [16.8, 68.7] 1.0k – – –" in text
    # Quality: success alone, as no score is stated: 0.8 − 0.4. Cost: tokens 1 − 0, and 1 tool call each, which is equal.
    assert "3 only-voting 80.0% [49.0, 94.3] 4.0k +0.40 +1.00 overpriced" in text
    assert "2 sas-majority, budget 4,000 tokens 40.0%" in text
    assert "4 does nothing baseline 0.0%" in text


def test_the_tasks_that_each_system_solved_are_counted_and_lead_to_runs(record: AgentsRecord):
    html = page(record)
    # Each of the three solves the first four, the team alone the next four; none solves the last two.
    assert "Solved by none: 2. By one: 4. By all: 4. Baselines are not counted." in text_of(html)
    assert "4 tasks on which systems differ" in text_of(html)
    assert "?task=calendar-004&amp;run=1" in html


def test_the_data_has_the_summary_and_the_outcomes(record: AgentsRecord):
    pages, own = record.pages(), paths(record)[0].rstrip("/")
    value = json.loads(pages[f"api/v1/{own}.json"].data or b"")
    assert value["benchmarks"]["desk"]["verdict"]["system"] == "only-voting"
    assert set(value["receipts"]["desk"]) == {"null", "sas", "sas-majority@4000", "only-voting"}
    assert (pages[f"api/v1/{own}.csv"].data or b"").startswith(b"benchmark,system,")
    outcomes = json.loads(pages[f"api/v1/{own}/desk.json"].data or b"")
    assert outcomes["systems"][1]["outcomes"][0] == ["success"]


def test_a_decided_verdict_names_the_benchmarks():
    record = AgentsRecord(passive=0)
    add(record, "sas", "f" * 10, 1000)
    add(record, "only-voting", "s" * 10, 4000)
    text = text_of(page(record))
    # Ten wins and no loss: p = 2 / 2^10 = 0.002.
    assert "A team is significantly better than one agent on 1 of 1 benchmark." in text
    assert "desk better only-voting 4.0 × +100.0 pt" in text


def test_an_undecided_lead_beside_a_worse_team_is_not_called_no_better():
    def verdict(word: str, delta: float) -> Verdict:
        return Verdict("desk", word, "", "team", "sas", "–", delta, None, None, ("", "", "", ""), "")

    assert headline([verdict("undecided", 0.1), verdict("worse", -0.4)]) == (
        "No team is significantly better than one agent, and one is significantly worse on 1 of 2 benchmarks."
    )


def test_receipts_of_other_seeds_models_or_limits_are_another_experiment():
    record = AgentsRecord(passive=0)
    add(record, "sas", SAS, 1000)
    add(record, "only-voting", TEAM, 4000, config=config(seed=8))
    add(record, "only-voting", TEAM, 4000, model="invented-2")
    add(record, "only-voting", TEAM, 4000, config=config(runsPerTask=1, limit=10))
    assert paths(record) == []
    assert "No experiment yet." in text_of(page(record, "agents/experiments/"))
    add(record, "only-voting", TEAM, 4000)
    assert len(paths(record)) == 1
    assert "invented-1" in text_of(page(record, "agents/experiments/"))


def test_the_latest_receipt_of_a_system_counts_and_none_that_is_retracted():
    record = AgentsRecord(passive=0)
    add(record, "sas", SAS, 1000)
    add(record, "only-voting", "f" * 10, 4000)
    add(record, "only-voting", TEAM, 4000)
    gone = add(record, "only-voting", "s" * 10, 4000)
    record.add({"type": "retract", "receiptId": gone, "reason": "a mistake"})
    assert "desk undecided only-voting 4.0 × +40.0 pt" in text_of(page(record))


def test_two_configurations_of_a_system_are_two_rows():
    record = AgentsRecord(passive=0)
    add(record, "sas", "f" * 10, 900, version="0.9.0")
    add(record, "sas", SAS, 1000)
    add(record, "only-voting", TEAM, 4000, config=config(options={"rounds": 4}))
    add(record, "only-voting", "f" * 10, 2000, version="2.0.0", config=config(options={"rounds": 1}))
    text = text_of(page(record))
    # The team with four rounds is the best, and the latest single agent is the reference: 80% − 40%.
    assert "desk undecided only-voting (version 1.0.0, rounds 4) 4.0 × +40.0 pt" in text
    assert "only-voting (version 2.0.0, rounds 1) 0.0%" in text
    assert "sas (version 0.9.0) 0.0%" in text
    assert "4 systems, 1 benchmark" in text


def test_configurations_that_no_fact_tells_apart_have_their_digest():
    one, other = Configured("x", "1" * 64, {"version": "1"}), Configured("x", "2" * 64, {"version": "1"})
    assert names_of([("a", one), ("a", other)]) == ["x (11111111)", "x (22222222)"]
    assert names_of([("a", one), ("b", other)]) == ["x", "x"]


def test_simulated_receipts_are_another_experiment():
    record = AgentsRecord(passive=0)
    add(record, "sas", SAS, 1000)
    add(record, "only-voting", TEAM, 4000)
    add(record, "only-voting", "f" * 10, 4000, simulated=True)
    assert len(paths(record)) == 1
    assert "Simulated" not in page(record)
    add(record, "sas", SAS, 1000, simulated=True)
    assert len(paths(record)) == 2


def test_the_seed_and_limits_of_imported_runs_are_unknown():
    record = AgentsRecord(passive=0)
    add(record, "sas", SAS, 1000, origin="import")
    add(record, "only-voting", TEAM, 4000, origin="import")
    assert "The seed and limits of imported runs are unknown." in text_of(page(record))


def test_simulated_receipts_are_marked():
    record = AgentsRecord(passive=0)
    record.run("null", "f" * 10)
    add(record, "sas", SAS, 1000, simulated=True)
    add(record, "only-voting", TEAM, 4000, simulated=True)
    text = text_of(page(record))
    assert "Simulated: no real model answered." in text
    assert "3 systems" in text
    assert "simulated" in text_of(page(record, "agents/experiments/"))


def test_a_benchmark_may_be_called_experiments():
    record = AgentsRecord(benchmark=make_tasks() | {"id": "experiments"})
    add(record, "sas", SAS, 1000)
    add(record, "only-voting", TEAM, 4000)
    assert "agents/experiments/" in record.pages()


def test_the_staircase_has_the_points_that_none_beats():
    assert front([(2, 0.5), (1, 0.4), (3, 0.45), (2, 0.3), (4, 0.6), (1, 0.4)]) == [
        (1, 0.4),
        (2, 0.5),
        (4, 0.6),
    ]
    assert front([]) == []


def test_the_picture_of_solved_tasks_joins_equal_neighbors():
    drawn = solved("x", [("1", [1.0] * 400 + [0.0] * 290), ("<2>", [0.5] * 690)])
    assert drawn.count("M") == 3
    assert "&lt;2&gt;" in drawn
