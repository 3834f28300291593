from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.stats import word
from benchsite.track import Measurement
from benchsite.tracks.retrieval import fixture as fixtures
from benchsite.tracks.retrieval.invariants import violations
from benchsite.tracks.retrieval.payload import Config, Payload
from benchsite.tracks.retrieval.rpc import network_cut
from benchsite.tracks.retrieval.runner import AdapterSpec, Settings, describe, run
from benchsite.tracks.retrieval.subject import Subject
from benchsite.tracks.retrieval.trial import shuffled

pytestmark = pytest.mark.usefixtures("hostile")

BUILT_IN = "benchsite.tracks.retrieval.adapters."


def query(name: str, text: str, scope: str, *expected: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "query": text,
        "scope": scope,
        "expected": [{"id": id_, "grade": 1} for id_ in expected],
        **more,
    }


DOCUMENT: dict[str, Any] = {
    "id": "harbour",
    "benchmark": "house",
    "granularity": "turn",
    "items": [
        {"id": "a/answer", "scope": "a", "content": "red boat", "timestamp": "2024-01-01T00:00:00Z"},
        {"id": "a/2", "scope": "a", "content": "blue boat", "metadata": {"said": "by Ann"}},
        {"id": "a/3", "scope": "a", "content": "green car"},
        {"id": "b/1", "scope": "b", "content": "old boat"},
        {"id": "b/2", "scope": "b", "content": "new car"},
    ],
    "queries": [
        query("q1", "boat", "a", "a/2", category="thing", split="seen"),
        query("q2", "car", "a", "a/3", category="thing", when="2024-06-01T00:00:00Z"),
        query("q3", "green", "a", "a/3", "a/answer", category="colour"),
        query("q4", "car", "b", "b/2", category="thing"),
        query("q5", "boat", "b", "b/2", category="thing"),
        query("q6", "plane", "b", answerable=False),
        query("q7", "old", "b"),
    ],
    "license": "CC BY 4.0",
    "source": "written for these tests",
}
FIXTURE = fixtures.parse(json.dumps(DOCUMENT).encode(), where="harbour")


def measured(
    context: Any,
    reference: str | None,
    *,
    command: tuple[str, ...] | None = None,
    options: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Measurement:
    """A run whose payload and configuration have been held against the receipt's schema and invariants."""
    spec = AdapterSpec("subject", reference, command, options or {})
    chosen = Settings(**{"ks": (1, 2), "seed": 7, "timeout_s": 10.0, **settings})
    measurement = run(FIXTURE, FIXTURE.sha256, spec, chosen, context)
    Payload.model_validate(canonical.loads(canonical.dumps(measurement.payload)))
    Config.model_validate(canonical.loads(canonical.dumps(measurement.config)))
    assert violations({**measurement.payload, "config": measurement.config}) == []
    return measurement


def rows(measurement: Measurement) -> dict[str, dict[str, Any]]:
    return {row["queryId"]: row for row in measurement.payload["perQuery"]}


def errors(measurement: Measurement) -> dict[str, str]:
    return {name: row["error"] for name, row in rows(measurement).items() if "error" in row}


def faults(measurement: Measurement) -> dict[str, int]:
    return {name: count for name, count in measurement.payload["faults"].items() if count}


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
    assert payload["scores"]["true_recall_at_2"] == 3.5 / 5
    assert payload["scores"]["mrr_at_2"] == 3.5 / 5
    assert payload["denominators"]["success_at_2"] == {"num": 4, "den": 5, "excluded": 2}
    assert payload["scores"]["abstention_rate"] == 1.0
    assert payload["byCategory"]["colour"]["scores"]["true_recall_at_2"] == 1 / 2
    assert [(row["hit"], row["rank"]) for row in payload["perQuery"]] == [
        (True, 2), (True, 1), (True, 1), (True, 1), (False, None), (False, None), (False, None),
    ]  # fmt: skip
    assert faults(measurement) == {}
    assert payload["determinism"] is None


def test_identities_and_configuration(context: Any, hostile: Callable[[str], Path]) -> None:
    measurement = measured(context, "honest:Honest", limit=6)
    assert measurement.payload["adapter"] == {
        "name": "honest",
        "version": "1.0",
        "author": "tests",
        "hosted": False,
        "network": False,
        "networkAccess": "off" if network_cut() else "not blocked",
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
    assert measurement.config == {
        "k": [1, 2],
        "seed": 7,
        "limit": 6,
        "repeats": 1,
        "isolation": "process",
        "timeoutSeconds": 10.0,
        "subjectSha256": canonical.sha256_hex(hostile("honest.py").read_bytes()),
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
    [
        ("random_order:RandomOrder", {}),
        ("recency:Recency", {}),
        ("bm25:Bm25", {}),
        ("sqlite_fts5:SqliteFts5", {}),
        ("sqlite_fts5:SqliteFts5", {"stopwords": True}),
    ],
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
    assert measurement.payload["determinism"] == {"runs": 3, "identical": False, "differing": ["q1", "q5"]}
    assert rows(measurement)["q1"]["retrieved"] == ["a/answer", "a/2"]


def test_raising_queries_fail_alone(context: Any) -> None:
    measurement = measured(context, "raises:Raises")
    assert errors(measurement) == {"q1": "raised", "q5": "raised"}
    assert faults(measurement) == {"failed": 2}
    assert rows(measurement)["q1"]["retrieved"] == []
    assert rows(measurement)["q1"]["latencyMs"] is None
    # q1 and q5 score 0 and still count.
    assert measurement.payload["denominators"]["success_at_2"] == {"num": 3, "den": 5, "excluded": 2}


def test_a_hanging_query_costs_only_itself(context: Any) -> None:
    measurement = measured(context, "hangs:Hangs", timeout_s=0.8)
    assert errors(measurement) == {"q1": "timeout", "q5": "timeout"}
    assert faults(measurement) == {"timedOut": 2}
    assert rows(measurement)["q2"]["retrieved"] == ["a/3"]


def test_a_dying_process_is_replaced_and_ingests_again(context: Any) -> None:
    measurement = measured(context, "dies:Dies")
    assert errors(measurement) == {"q1": "crashed", "q5": "crashed"}
    assert faults(measurement) == {"failed": 2}
    assert rows(measurement)["q4"]["retrieved"] == ["b/2"]


def test_after_three_strikes_the_rest_of_a_scope_is_not_asked(context: Any) -> None:
    measurement = measured(context, "hangs:HangsAlways", timeout_s=0.2)
    assert errors(measurement) == dict.fromkeys(["q1", "q2", "q3", "q4", "q5", "q6", "q7"], "timeout")
    assert faults(measurement) == {"timedOut": 7}
    # Two scopes, three strikes each, 0.2 s a strike: the seventh query was never asked.
    assert measurement.payload["timing"]["n"] == 0
    assert measurement.payload["timing"]["first_query_ms"] is None
    assert measurement.payload["scores"]["success_at_2"] == 0.0
    assert measurement.payload["scores"]["abstention_rate"] == 0.0


def test_a_process_that_cannot_come_back(context: Any) -> None:
    measurement = measured(context, "dies:DiesOnSecondStart")
    assert errors(measurement) == dict.fromkeys(["q1", "q2", "q3", "q4", "q5", "q6", "q7"], "crashed")


def test_ingest_that_fails_fails_its_queries(context: Any) -> None:
    measurement = measured(context, "raises:RaisesOnIngest")
    assert set(errors(measurement).values()) == {"raised"}
    assert len(errors(measurement)) == 7
    assert measurement.payload["timing"]["ingest_throughput_items_per_sec"] is None


def test_duplicates_are_kept_and_counted(context: Any) -> None:
    measurement = measured(context, "answers:Duplicates")
    assert rows(measurement)["q1"]["retrieved"] == ["a/answer", "a/answer"]
    assert rows(measurement)["q2"]["retrieved"] == ["a/3", "a/3"]
    assert rows(measurement)["q2"]["rank"] == 1
    # q1, q2, q3, q4, q5 and q7 each have one repeated id; q1 had four hits for k = 2.
    assert faults(measurement) == {"duplicates": 6, "overK": 1}


def test_unknown_ids_are_hashed_and_foreign(context: Any) -> None:
    measurement = measured(context, "answers:UnknownIds", ks=(3,))
    # echo -n made-up | sha256sum; the second id is the three bytes ed a0 80.
    unknown = [
        "?" + canonical.sha256_hex(b"made-up")[:12],
        "?" + canonical.sha256_hex(b"\xed\xa0\x80")[:12],
    ]
    assert rows(measurement)["q2"]["retrieved"] == [*unknown, "a/3"]
    assert rows(measurement)["q2"]["foreign"] == unknown
    assert rows(measurement)["q2"]["rank"] == 3
    assert faults(measurement) == {"foreignIds": 14, "overK": 1}
    assert b"made-up" not in canonical.dumps(measurement.payload)


def test_ids_of_another_scope_keep_their_name_and_are_foreign(context: Any) -> None:
    measurement = measured(context, "answers:Remembers", ks=(5,))
    assert rows(measurement)["q5"]["retrieved"] == ["a/answer", "a/2", "b/1"]
    assert rows(measurement)["q5"]["foreign"] == ["a/answer", "a/2"]
    assert rows(measurement)["q1"]["foreign"] == []
    # q4 finds the car of the other conversation too.
    assert faults(measurement) == {"foreignIds": 3}


def test_scores_outside_the_contract_are_counted_and_change_nothing(context: Any) -> None:
    measurement = measured(context, "answers:BadScores", ks=(8,))
    assert rows(measurement)["q1"]["retrieved"] == ["a/answer", "a/2", "a/3"]
    # Scope a has three items (nan, inf, -0.1) and three queries; scope b two (nan, inf) and four.
    assert faults(measurement) == {"badScores": 3 * 3 + 4 * 2}


def test_more_than_k_is_cut_and_counted(context: Any) -> None:
    measurement = measured(context, "answers:OverK")
    assert {len(row["retrieved"]) for row in measurement.payload["perQuery"]} == {2}
    assert faults(measurement) == {"overK": 7}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("none", "protocol"),
        ("text", "protocol"),
        ("object", "protocol"),
        ("ids", "protocol"),
        ("pairs", "protocol"),
        ("numbers", "protocol"),
        ("content", "protocol"),
        ("bytes", "protocol"),
        ("lazy", "protocol"),
        ("missing", "raised"),
    ],
)
def test_results_of_a_wrong_type(context: Any, text: str, error: str) -> None:
    document = {**DOCUMENT, "queries": [query("wrong", text, "a", "a/3"), query("right", "fine", "a", "a/3")]}
    small = fixtures.parse(json.dumps(document).encode(), where="small")
    spec = AdapterSpec("subject", "answers:WrongTypes", None, {})
    measurement = run(small, small.sha256, spec, Settings(ks=(1,), seed=0, timeout_s=10), context)
    assert errors(measurement) == {"wrong": error}


def test_prints_and_huge_answers(context: Any) -> None:
    assert errors(measured(context, "talks:Prints")) == {}
    assert set(errors(measured(context, "answers:Huge", limit=1)).values()) == {"protocol"}


def test_a_program_in_any_language(context: Any, hostile: Callable[[str], Path]) -> None:
    command = (sys.executable, str(hostile("program.py")), "honest")
    measurement = measured(context, None, command=command)
    assert rows(measurement)["q1"]["retrieved"] == ["a/answer"]
    assert measurement.payload["adapter"]["name"] == "program"
    parts = [
        {"file": canonical.sha256_hex(Path(sys.executable).read_bytes())},
        {"file": canonical.sha256_hex(hostile("program.py").read_bytes())},
        {"text": "honest"},
    ]
    assert measurement.config["subjectSha256"] == canonical.digest(parts)


def test_a_program_that_breaks_the_protocol(context: Any, hostile: Callable[[str], Path]) -> None:
    measurement = measured(
        context, None, command=(sys.executable, str(hostile("program.py")), "garbage"), limit=4
    )
    assert set(errors(measurement).values()) == {"protocol"}


def test_no_key_reaches_an_adapter(context: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHSITE_RECEIPT_KEY", "secret-seed")
    with pytest.raises(InputError, match="BENCHSITE_RECEIPT_KEY") as caught:
        measured(context, "wants:WantsKey")
    assert "secret-seed" not in caught.value.message + caught.value.hint


def test_declared_needs_are_granted_on_a_second_start(context: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANTED_TOKEN", "granted")
    assert errors(measured(context, "wants:NeedsVariable")) == {}
    spec = AdapterSpec("net", "wants:DumpsNetwork", None, {})
    described = describe(spec, 0, context)
    assert described.network is True
    assert describe(AdapterSpec("v", "wants:DumpsVariable", None, {}), 0, context).environment == (
        "WANTED_TOKEN",
        "NOT_SET_ANYWHERE",
    )


def test_network_is_off_unless_declared_or_not_to_be_cut(context: Any) -> None:
    quiet = AdapterSpec("quiet", "honest:Honest", None, {})
    loud = AdapterSpec("loud", "wants:DumpsNetwork", None, {})
    with Subject(quiet, 0, context) as first, Subject(loud, 0, context) as second:
        assert first.network == ("off" if network_cut() else "not blocked")
        assert second.network == "allowed"


@pytest.mark.parametrize(
    ("reference", "message", "hint"),
    [
        (
            "raises:RaisesOnStart",
            "adapter subject: it does not start: RuntimeError: no licence file",
            "start it by hand",
        ),
        (
            "dies:DiesOnStart",
            "adapter subject: it does not start: the adapter ended",
            "cannot find model.bin",
        ),
        ("no_such_module:X", "ModuleNotFoundError", "start it by hand"),
        ("wants:NeedsVariable", "KeyError: 'WANTED_TOKEN'", "start it by hand"),
        ("wants:NoVersion", "it declares no version", "start it by hand"),
        ("wants:BadName", "its name is not", "start it by hand"),
        ("wants:BadHosted", "its hosted is not true or false", "start it by hand"),
    ],
)
def test_an_adapter_that_does_not_start_is_an_input_error(
    context: Any, reference: str, message: str, hint: str
) -> None:
    with pytest.raises(InputError) as caught:
        measured(context, reference)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert list(Path(context.temp_dir).iterdir()) == []


def test_an_adapter_that_hangs_on_start(context: Any) -> None:
    with pytest.raises(InputError, match=r"no answer within 0\.3 s"):
        measured(context, "hangs:HangsOnStart", start_timeout_s=0.3)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("./no-such-adapter",), "no executable ./no-such-adapter"),
        ((), "neither a class nor a command"),
        (("true",), "the adapter ended"),
    ],
)
def test_commands_that_are_no_adapters(context: Any, command: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        measured(context, None, command=command)


def test_unknown_options_are_refused(context: Any) -> None:
    with pytest.raises(InputError, match="stopwords"):
        measured(context, BUILT_IN + "bm25:Bm25", options={"stopwords": True})


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
