"""PrecisionMemBench: hand-made files of the official shape, the real ones, and the reports of its harness."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchsite.errors import InputError
from benchsite.tracks.retrieval.run.reports import differing, read_report

from .importing import imported, labels

EMPTY = {"license": "", "source": "", "notes": "", "description": ""}


def belief(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "_id": name,
        "user_id": "test-user",
        "canonical_name": "cache",
        "aliases": ["redis", "store"],
        "content": "Uses Redis.",
        "why_it_matters": "Shapes answers.",
        "pinned": False,
        "created_at": "2026-09-01T00:00:00Z",
        **changes,
    }


def case(name: str, query: str, beliefs: Any, **changes: Any) -> dict[str, Any]:
    return {
        "caseId": name,
        "category": "Alias resolution",
        "query": query,
        "expect": {"relevantBeliefs": beliefs},
        **changes,
    }


BELIEFS = [
    belief("b1"),
    belief("b2", aliases=[], why_it_matters="", created_at=None),
    belief("b3", pinned=True),
    belief("other", user_id="other-user"),
]
CASES = [
    case("only", "cache?", {"shouldOnlyInclude": ["b1"]}),
    case("must", "store?", {"mustInclude": ["b2", "b3"]}),
    case("empty", "penny?", {"shouldOnlyInclude": []}, category="Scope disambiguation"),
    case("not-other", "secret?", {"mustExclude": ["other"]}),
    case("blank", " ", {"shouldOnlyInclude": []}),
    case("cold", "cache?", {"shouldOnlyInclude": []}, userId="new-user"),
]


def convert(beliefs: Any = BELIEFS, cases: Any = CASES) -> Any:
    files = {"beliefs.seed.json": beliefs, "retrieval.cases.json": cases}
    given = {name: json.dumps(rows).encode() for name, rows in files.items() if rows is not None}
    return imported("precisionmembench", {**given, "session-retrieval.cases.json": b"[]"}, **EMPTY)


def test_beliefs_are_items_with_the_text_that_the_benchmark_gives_to_systems() -> None:
    fixture, _ = convert()
    assert fixture.items[0].content == "cache redis store Uses Redis. Shapes answers."
    assert fixture.items[1].content == "cache Uses Redis."
    assert [item.scope for item in fixture.items] == ["test-user"] * 3 + ["other-user"]
    assert [item.timestamp for item in fixture.items[:2]] == ["2026-09-01T00:00:00Z", None]


def test_cases_are_queries_and_those_that_must_return_nothing_are_not_scored() -> None:
    """Relevant: `shouldOnlyInclude`, else `mustInclude` without pinned beliefs, as retrieval.external.eval.test.ts counts recall."""
    fixture, lines = convert()
    assert labels(fixture) == {"only": {"b1": 1}, "must": {"b2": 1}, "empty": {}, "not-other": {}}
    assert all(query.answerable for query in fixture.queries)
    assert [query.category for query in fixture.queries[1:3]] == ["alias-resolution", "scope-disambiguation"]
    assert lines[1:3] == [
        "dropped cases with an empty query: 1",
        "dropped cases of a user without beliefs: 1",
    ]
    assert (fixture.id, fixture.license) == ("altered-precisionmembench", "unknown")
    assert lines[-1].startswith("altered data")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"cases": None}, "folder: no retrieval.cases.json"),
        ({"beliefs": {}}, "beliefs.seed.json: not a list"),
        ({"beliefs": [7]}, "beliefs.seed.json[0] is not an object"),
        ({"beliefs": [belief("b1", aliases="redis")]}, "beliefs.seed.json[0]: aliases is not a list of ids"),
        ({"beliefs": [belief("b1")] * 2}, "beliefs.seed.json[1]: document 'b1' occurs twice"),
        ({"beliefs": [belief("b1", created_at="May")]}, '"May" is not an RFC 3339 timestamp'),
        ({"cases": [case("x", "y", [])]}, "retrieval.cases.json[0]: x has no expect.relevantBeliefs"),
        ({"cases": [case("x", "y", {"shouldOnlyInclude": "b1"})]}, "shouldOnlyInclude is not a list of ids"),
        ({"cases": [{"query": "y"}]}, "retrieval.cases.json[0]: no caseId"),
    ],
)
def test_what_is_wrong_with_the_files_is_named(changes: Any, said: str) -> None:
    with pytest.raises(InputError) as raised:
        convert(**changes)
    assert said in raised.value.message


def test_the_real_beliefs_and_cases(shared: Path) -> None:
    """Of 77 cases, 43 have relevant beliefs, as the benchmark's own table of active passes counts them."""
    root = shared / "data/precision-mem-bench"
    files = {path.name: path.read_bytes() for path in root.glob("*.json")}
    fixture, lines = imported("precisionmembench", files, **EMPTY)
    assert lines[-1] == "the published data (fixtures of 18c7955)"
    assert (fixture.id, fixture.license) == ("precisionmembench", "MIT")
    assert fixture.source == "tenurehq/precisionMemBench"
    assert Counter(item.scope for item in fixture.items) == {"test-user": 34, "other-user": 1}
    assert Counter((query.answerable, bool(query.relevant)) for query in fixture.queries) == {
        (True, True): 43,
        (True, False): 29,
    }


def result(name: str, ranked: list[str], precision: float | None, recall: float | None) -> dict[str, Any]:
    return {
        "caseId": name,
        "relevantBeliefs": ranked,
        "retrievalPrecision": precision,
        "retrievalRecall": recall,
    }


def report(*cases: Any, **summary: Any) -> bytes:
    return json.dumps({"provider": "mem", "retrieval": summary, "cases": list(cases)}).encode()


def test_a_report_is_read_with_what_it_states() -> None:
    cases = result("only", ["b2", "b1"], 0.5, 1), result("empty", [], None, None)
    read = read_report(report(*cases, meanPrecision=0.5, meanRecall=1, totalPassed=1), "r.json")
    assert read.rankings == {"only": ("b2", "b1"), "empty": ()}
    assert (read.provider, read.recall) == ("mem", {"only": 1.0, "empty": None})
    assert read.notes == ("the file states: mean precision 0.5, mean recall 1, 1 of 2 cases passed",)


def test_a_report_whose_means_or_recall_do_not_follow_from_its_cases_says_so() -> None:
    cases = result("only", ["b2"], 1.0, 1.0), result("must", ["b2", "b9"], 0.5, 1.0)
    assert len(read_report(report(*cases, meanPrecision=True), "r.json").notes) == 1
    read = read_report(report(*cases, meanPrecision=0.9, meanRecall=1.0), "r.json")
    assert read.notes[1:] == ("the file's meanPrecision 0.9 is not the mean of its cases, 0.7500",)
    assert "not stated of 2 cases passed" in read.notes[0]
    # "only" finds none of its one relevant item; "must" its only one; a case without relevant items isn't counted.
    assert differing(read, {"only": ["b1"], "must": ["b2"], "empty": []}) == 1


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[]", "r.json: no list of cases"),
        (report(), "r.json: no list of cases"),
        (report(7), "r.json: cases[0] is not an object"),
        (report(result("a", [], None, None), result("a", [], None, None)), "cases[1]: a occurs twice"),
        (report(result("a", ["b", "b"], 1, 1)), "cases[0]: relevantBeliefs has an id twice"),
        (report({"caseId": "a", "turnIndex": 0}), "r.json: a report of sessions, which are not scored"),
        (
            report(result("a", [], None, None)).replace(b'"mem"', b'"a\\nb"'),
            "r.json: provider is not one line",
        ),
        (report({"caseId": "a"}), "cases[0]: relevantBeliefs is not a list of ids"),
        (report(result("a", [], None, 1.5)), "cases[0]: retrievalRecall is not a number from 0 to 1"),
        (report(result("a", [], None, 1))[:-4], "r.json: JSON: "),
    ],
)
def test_what_is_wrong_with_a_report_is_named(data: bytes, said: str) -> None:
    with pytest.raises(InputError) as raised:
        read_report(data, "r.json")
    assert said in raised.value.message
