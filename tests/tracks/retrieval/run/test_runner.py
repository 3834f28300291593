from __future__ import annotations

import json
import math
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from examples import some
from harbour import BUILT_IN, DOCUMENT, FIXTURE, errors, faults, measured, query, rows

from benchsite import canonical
from benchsite.isolation import sandbox
from benchsite.isolation.sandbox import network_cut
from benchsite.stats import word
from benchsite.tracks.retrieval import fixture as fixtures
from benchsite.tracks.retrieval.run.programs import program
from benchsite.tracks.retrieval.run.query_run import shuffled
from benchsite.tracks.retrieval.run.runner import Settings, measure

pytestmark = pytest.mark.usefixtures("hostile")


def test_scores_by_hand(context: Any) -> None:
    measurement = measured(context, "honest:Honest")
    payload = measurement.payload
    retrieved = {name: row["retrieved"] for name, row in rows(measurement).items()}
    assert retrieved == {
        "q1": ["a/answer", "a/2"],
        "q2": ["a/3"],
        "q3": ["a/3"],
        "q4": ["b/2"],
        "q5": ["b/1"],
        "q6": [],
        "q7": ["b/1"],
    }
    # Scored: q1 (found second), q2, q3 (one of two), q4 (found first), q5 (missed); q6 and q7 expect nothing.
    assert payload["scores"]["success_at_1"] == 3 / 5
    assert payload["scores"]["success_at_2"] == 4 / 5
    assert payload["scores"]["recall_at_2"] == 3.5 / 5
    assert payload["scores"]["mrr_at_2"] == 3.5 / 5
    assert payload["denominators"]["success_at_2"] == {"num": 4, "den": 5, "excluded": 2}
    assert payload["scores"]["abstention_rate"] == 1.0
    assert payload["byCategory"]["colour"]["scores"]["recall_at_2"] == 1 / 2
    assert [(row["hit"], row["rank"]) for row in payload["perQuery"]] == [
        (True, 2), (True, 1), (True, 1), (True, 1), (False, None), (False, None), (False, None),
    ]  # fmt: skip
    assert faults(measurement) == {}
    assert payload["determinism"] is None


def test_identities_and_configuration(context: Any, hostile: Callable[[str], Path]) -> None:
    measurement = measured(context, "honest:Honest", limit=6)
    adapter = dict(measurement.payload["adapter"])
    interpreter = adapter.pop("interpreter")
    assert (interpreter["name"], interpreter["version"]) == ("cpython", platform.python_version())
    assert adapter == {
        "name": "honest",
        "version": "1.0",
        "author": "tests",
        "hosted": False,
        "network": False,
        "networkAccess": "off" if network_cut() else "not blocked",
        "hosts": [],
        "backend": None,
        "distributions": {},
        "confinement": {
            "namespaces": {"sealed": "all", "offline": "network", "open": "none"}[sandbox.level()],
            "root": sandbox.is_root(),
            "keysHidden": sandbox.level() == "sealed",
        },
    }
    assert measurement.payload["fixture"] == {
        "id": "harbour",
        "sha256": FIXTURE.sha256,
        "n": 5,
        "queries": 7,
        "scopes": 2,
        "smallestScope": 2,  # scope b
        "granularity": "turn",
    }
    pinned = {
        "entry": "honest:Honest",
        "modules": {"honest": canonical.sha256_hex(hostile("honest.py").read_bytes())},
        "distributions": {},
        "assets": {},
    }
    assert measurement.config == {
        "k": [1, 2],
        "seed": 7,
        "limit": 6,
        "repeats": 1,
        "isolation": "process",
        "timeoutSeconds": 10.0,
        "threads": 1,
        "assets": [],
        "subjectSha256": canonical.digest(pinned),
        "options": {},
        "importer": None,
    }


def test_per_query_keeps_the_order_and_the_gold_of_the_fixture(context: Any) -> None:
    measurement = measured(context, "honest:Honest")
    assert [row["queryId"] for row in measurement.payload["perQuery"]] == [f"q{n}" for n in range(1, 8)]
    first = rows(measurement)["q1"]
    assert first["expected"] == [{"id": "a/2", "grade": 1}]
    assert (first["scope"], first["category"], first["split"]) == ("a", "thing", "seen")
    assert first["returnedChars"] == len("red boat") + len("blue boat")
    assert not {"split", "error"} & set(rows(measurement)["q2"])
    assert rows(measurement)["q6"]["answerable"] is False


def recorded(context: Any) -> list[list[Any]]:
    lines = (Path(context.temp_dir) / "record.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_adapters_see_opaque_ids_one_scope_at_a_time_and_no_gold(context: Any) -> None:
    measured(context, "answers:Records")
    seen = recorded(context)
    assert [what for what, _ in seen] == [
        "reset",
        "ingest",
        *["query"] * 3,
        "reset",
        "ingest",
        *["query"] * 4,
    ]
    assert seen[1][1] == [
        {"id": "d0001", "content": "red boat", "metadata": {}, "timestamp": "2024-01-01T00:00:00Z"},
        {"id": "d0002", "content": "blue boat", "metadata": {"said": "by Ann"}, "timestamp": None},
        {"id": "d0003", "content": "green car", "metadata": {}, "timestamp": None},
    ]
    assert [item["id"] for item in seen[6][1]] == ["d0004", "d0005"]
    asked = [value for what, value in seen if what == "query"]
    assert ["car", 2, "2024-06-01T00:00:00Z"] in asked[:3]
    assert sorted(text for text, _, _ in asked[3:]) == ["boat", "car", "old", "plane"]
    text = json.dumps(seen)
    assert not [
        gold for gold in ("answer", "a/2", "thing", "colour", "seen", "reserved", "grade") if gold in text
    ]


def test_the_seed_decides_the_order_of_questions(context: Any) -> None:
    orders = []
    for seed in (1, 1, 2, 3):
        measured(context, "answers:Records", seed=seed)
        orders.append([value[0] for what, value in recorded(context) if what == "query"])
        (Path(context.temp_dir) / "record.jsonl").unlink()
    assert orders[0] == orders[1]
    assert len({tuple(order) for order in orders}) > 1


def test_shuffling_two_is_one_draw() -> None:
    first, second = FIXTURE.queries[:2]
    for seed in range(8):
        # The highest bit of the word decides: below 1/2 the last place takes the first query.
        expected = [second, first] if word(seed, 5) < 2**63 else [first, second]
        assert shuffled([first, second], seed, 5) == expected
    assert sorted(query.id for query in shuffled(FIXTURE.queries, 3, 0)) == [f"q{n}" for n in range(1, 8)]


@pytest.mark.parametrize(
    ("reference", "options"),
    some(
        [
            ("baselines.random_order:RandomOrder", {}),
            ("baselines.recency:Recency", {}),
            ("lexical.bm25:Bm25", {}),
            ("lexical.sqlite_fts5:SqliteFts5", {}),
            ("lexical.sqlite_fts5:SqliteFts5", {"stopwords": True}),
        ],
        gate=2,
    ),
)
def test_two_runs_give_identical_scores_and_rankings(context: Any, reference: str, options: Any) -> None:
    runs = [measured(context, BUILT_IN + reference, options=options, repeats=2) for _ in range(2)]
    for run_ in runs:
        assert run_.payload["determinism"] == {"runs": 2, "identical": True, "differing": []}
        assert errors(run_) == {}
        assert faults(run_) == {}
    keys = ("scores", "denominators", "intervals", "byCategory", "faults", "adapter")
    assert len({canonical.dumps([run_.payload[key] for key in keys]) for run_ in runs}) == 1
    assert (
        len({canonical.dumps([row["retrieved"] for row in run_.payload["perQuery"]]) for run_ in runs}) == 1
    )
    assert runs[0].config == runs[1].config


def test_runs_that_differ_are_named(context: Any) -> None:
    measurement = measured(context, "answers:Fickle", repeats=3)
    found = dict(measurement.payload["determinism"])
    low, high = found.pop("ndcgLow"), found.pop("ndcgHigh")
    assert found == {"runs": 3, "identical": False, "differing": ["q1", "q5"]}
    # Of five queries, one has its item at rank 2 in the first run, then at rank 1, then at none: 1 / log2(3), 1 and 0.
    first = measurement.payload["scores"]["ndcg_at_2"]
    assert high - first == pytest.approx((1 - 1 / math.log2(3)) / 5, rel=1e-12)
    assert first - low == pytest.approx(1 / math.log2(3) / 5, rel=1e-12)
    assert rows(measurement)["q1"]["retrieved"] == ["a/answer", "a/2"]


def test_runs_that_differ_and_score_no_query_have_no_range(context: Any) -> None:
    document = {**DOCUMENT, "queries": [query("unlabeled", "boat", "a", answerable=False)]}
    unlabeled = fixtures.parse(json.dumps(document).encode(), where="unlabeled")
    settings = Settings(ks=(2,), seed=7, timeout_s=10, repeats=3)
    payload = measure(unlabeled, program("subject", "answers:Fickle"), settings, context).payload
    assert payload["determinism"] == {"runs": 3, "identical": False, "differing": ["unlabeled"]}
    assert payload["denominators"]["ndcg_at_2"]["den"] == 0


def test_timing_and_progress(context: Any) -> None:
    context.load_average = lambda: 2.5
    timing = measured(context, "honest:Honest").payload["timing"]
    assert timing["n"] == 6
    steps = ("min", "p50", "p95", "p99", "max")
    spent = [timing[f"latency_{step}_ms"] for step in steps]
    assert spent == sorted(spent)
    assert all(value > 0 for value in (*spent, timing["first_query_ms"], timing["noopRpcMs"]))
    assert timing["ingest_throughput_items_per_sec"] > 0
    assert timing["ingestedBytes"] == sum(len(item.content) for item in FIXTURE.items)
    assert timing["peakRssBytes"] > 1_000_000
    assert timing["flags"] == ["low-n", "unreliable-load"]
    assert context.reported[-1][:2] == (7, 7)


def test_limit_asks_the_first_queries_only(context: Any) -> None:
    measurement = measured(context, "honest:Honest", limit=2)
    assert list(rows(measurement)) == ["q1", "q2"]
    assert measurement.payload["timing"]["ingestedBytes"] == len("red boatblue boatgreen car")


def test_cuts_are_checked_before_anything_starts(context: Any) -> None:
    with pytest.raises(ValueError, match="strictly ascending"):
        measured(context, "honest:Honest", ks=(5, 1))
