from __future__ import annotations

import copy
import json
import math
from typing import Any

import pytest
from pydantic import ValidationError

from benchsite.tracks.retrieval.record.payload import MAX_CATEGORIES, MAX_CUTS, MAX_METRICS, Config, Payload
from benchsite.tracks.retrieval.scores.scoring import columns


@pytest.fixture
def document(vectors) -> dict[str, Any]:
    return json.loads((vectors / "retrieval" / "worked.json").read_bytes())["document"]


def body(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != "config"}


def test_the_worked_document_is_valid(document):
    payload = Payload.model_validate(body(document))
    assert payload.per_query[1].retrieved == ("x", "x", "a")
    assert payload.timing.latency_p95_ms == 42
    assert payload.timing.percentile_method == "nearest-rank"
    assert payload.faults.timed_out == 1
    assert Config.model_validate(document["config"]).k == (1, 3)


def test_models_are_frozen(document):
    with pytest.raises(ValidationError, match="frozen"):
        Payload.model_validate(body(document)).adapter.name = "other"


def test_whole_numbers_of_canonical_json_are_numbers(document):
    # RFC 8785 writes 1.0 as 1.
    document["scores"]["success_at_3"] = 1
    assert Payload.model_validate(body(document)).scores["success_at_3"] == 1


def test_the_queries_are_of_no_more_categories_than_a_receipt_may_have_tables_for(document):
    """Each would cost a table before any signature is checked."""
    row = document["perQuery"][0]
    document["perQuery"] = [row | {"category": f"c{i}"} for i in range(MAX_CATEGORIES)]
    Payload.model_validate(body(document))
    document["perQuery"].append(row | {"category": "one too many"})
    with pytest.raises(ValidationError, match="200 categories"):
        Payload.model_validate(body(document))


def test_optional_evidence(document):
    row = document["perQuery"][0]
    row |= {"split": "seen", "returnedChars": 120, "usage": {"calls": 1, "tokensIn": 10, "costUsd": 0.002}}
    document["determinism"] = {"runs": 2, "identical": False, "differing": ["q1"]}
    payload = Payload.model_validate(body(document))
    assert payload.per_query[0].usage is not None
    assert payload.per_query[0].usage.tokens_in == 10
    assert payload.determinism is not None


BAD: list[tuple[str, list[Any], Any]] = [
    ("unknown key", ["extra"], 1),
    ("unknown key in a row", ["perQuery", 0, "text"], "a question"),
    ("snake case outside", ["per_query"], []),
    ("number as text", ["scores", "map_at_3"], "0.45"),
    ("truth value as number", ["scores", "map_at_3"], True),
    ("not a number", ["scores", "map_at_3"], math.nan),
    ("infinite throughput", ["timing", "ingest_throughput_items_per_sec"], math.inf),
    ("metric name that is markup", ["scores", "<b>"], 0.5),
    ("negative latency", ["perQuery", 0, "latencyMs"], -1),
    ("error in free text", ["perQuery", 6, "error"], "Traceback: secret"),
    ("adapter name that is a path", ["adapter", "name"], "../../keys"),
    ("control character in an id", ["perQuery", 0, "retrieved", 0], "a\nb"),
    ("empty id", ["perQuery", 0, "retrieved", 0], ""),
    ("id over 200 characters", ["perQuery", 0, "queryId"], "q" * 201),
    ("retrieved that is no list", ["perQuery", 0, "retrieved"], "abc"),
    ("retrieved of numbers", ["perQuery", 0, "retrieved", 0], 7),
    ("grade that is a fraction", ["perQuery", 0, "expected", 0, "grade"], 0.5),
    ("rank 0", ["perQuery", 0, "rank"], 0),
    ("negative fault", ["faults", "failed"], -1),
    ("fixture hash in capitals", ["fixture", "sha256"], "AB" * 32),
    ("a scope without items", ["fixture", "smallestScope"], 0),
    ("network access in free words", ["adapter", "networkAccess"], "sometimes"),
    ("unknown granularity", ["fixture", "granularity"], "paragraph"),
    ("unknown method of an interval", ["intervals", "map_at_3", "method"], "normal"),
    ("unknown flag", ["timing", "flags"], ["fast"]),
    ("determinism of one run", ["determinism"], {"runs": 1, "identical": True, "differing": []}),
]


@pytest.mark.parametrize(("path", "value"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_refused(document, path, value):
    target = document
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    with pytest.raises(ValidationError):
        Payload.model_validate(body(document))


@pytest.mark.parametrize(
    "key",
    [
        *("adapter", "fixture", "scores", "denominators", "intervals"),
        *("byCategory", "timing", "perQuery", "determinism", "faults"),
    ],
)
def test_every_key_is_required(document, key):
    del document[key]
    with pytest.raises(ValidationError, match=key):
        Payload.model_validate(body(document))


@pytest.mark.parametrize(
    "change",
    [
        {"k": []},
        {"k": [5, 1]},
        {"k": [1, 1]},
        {"k": [0]},
        {"k": [1001]},
        {"k": list(range(1, 22))},
        {"k": ["1"]},
        {"seed": -1},
        {"seed": 2**53},
        {"limit": 0},
        {"repeats": 0},
        {"isolation": "none"},
        {"subjectSha256": "x"},
        {"options": {"stopwords": ["list"]}},
        {"timeoutSeconds": 0},
        {"importer": {"kind": "locomo"}},
        {"unknown": 1},
    ],
)
def test_config_refused(document, change):
    config = copy.deepcopy(document["config"]) | change
    with pytest.raises(ValidationError):
        Config.model_validate(config)


def test_what_would_make_scoring_again_costly_is_refused(document):
    """Judging comes before the signature: cut-offs, metric names and categories are bounded, not only the bytes."""
    assert (
        len(columns(tuple(range(1, MAX_CUTS + 1)))) + 1 == 103
    )  # 5 measures at 20 cuts, 2 at the last, abstention
    Config.model_validate(document["config"] | {"k": list(range(1, MAX_CUTS + 1))})
    many = [f"m{i}" for i in range(MAX_METRICS + 1)]
    one = document["intervals"]["map_at_3"]
    table = {"scores": {}, "denominators": {}, "intervals": {}}
    for change in (
        {"scores": dict.fromkeys(many, 0.5)},
        {"denominators": {key: {"den": 1, "excluded": 0} for key in many}},
        {"intervals": dict.fromkeys(many, one)},
        {"byCategory": {"c": {**table, "scores": dict.fromkeys(many, 0.5)}}},
        {"byCategory": dict.fromkeys([f"c{i}" for i in range(MAX_CATEGORIES + 1)], table)},
    ):
        with pytest.raises(ValidationError, match="200 items"):
            Payload.model_validate(body(document) | change)


def test_json_schema_speaks_the_names_of_the_receipt():
    schema = Payload.model_json_schema(by_alias=True)
    assert set(schema["required"]) == {
        *("adapter", "fixture", "scores", "denominators", "intervals"),
        *("byCategory", "timing", "perQuery", "determinism", "faults"),
    }
    assert "latency_p50_ms" in schema["$defs"]["Timing"]["properties"]
    assert "peakRssBytes" in schema["$defs"]["Timing"]["properties"]
