"""`benchsite compare`: drafts side by side, and receipts that cannot be compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Run

THREE = ("--fixture", "three-notebooks-v1")


def _draft(benchsite: Run, instance: Path, name: str, *arguments: str) -> Path:
    ran = benchsite("run", *arguments, cwd=instance)
    assert ran.code == 0, ran.err
    (draft,) = (instance / ".benchsite/drafts").glob("*.json")
    return draft.rename(instance / f"{name}.json")


@pytest.fixture
def pair(benchsite: Run, new: Path) -> tuple[Path, Path]:
    return tuple(  # type: ignore[return-value]
        _draft(benchsite, new, name, "retrieval", "--adapter", name, *THREE) for name in ("bm25", "recency")
    )


def test_two_drafts_are_compared_on_every_metric_and_category(
    benchsite: Run, new: Path, pair: tuple[Path, Path]
) -> None:
    better, worse = pair
    told = benchsite("compare", str(better), str(worse), cwd=new)
    assert told.code == 0, told.err
    assert told.out.startswith(
        "bm25 is significantly better than recency on 123 queries of three-notebooks-v1"
    )
    # The first is the subject, as the sign of the difference says.
    told = benchsite("compare", str(worse), str(better), cwd=new)
    assert told.out.startswith(
        "recency is significantly worse than bm25 on 123 queries of three-notebooks-v1: ndcg_at_10 −0.441"
    )
    turned = benchsite("compare", str(worse), str(better), "--json", cwd=new)
    found = json.loads(turned.out)
    assert found["systems"] == ["recency", "bm25"]
    assert (found["differing"], found["saturated"]) == ({}, [])
    scores = [json.loads(path.read_bytes())["scores"] for path in (worse, better)]
    for line in found["metrics"]:
        # The means are those of the receipts: every metric is one of theirs.
        assert line["first"] == pytest.approx(scores[0][line["name"]], abs=1e-12)
        assert line["second"] == pytest.approx(scores[1][line["name"]], abs=1e-12)
        assert line["n"] == 123
    assert found["metrics"][0]["name"] == "ndcg_at_10"
    names = [line["name"] for line in found["categories"]]
    assert names == ["knowledge-update", "multi-session", "paraphrase", "temporal"]
    assert sum(line["n"] for line in found["categories"]) == 123


def test_a_saturated_metric_is_named_and_not_tested(
    benchsite: Run, new: Path, pair: tuple[Path, Path]
) -> None:
    for path in pair:
        document = json.loads(path.read_bytes())
        document["fixture"]["smallestScope"] = 10
        path.write_text(json.dumps(document))
    told = benchsite("compare", *map(str, pair), cwd=new)
    assert told.code == 0, told.err
    named = "recall_all_at_10, recall_at_10, success_at_10"
    assert f"- not tested, saturated: {named}\n" in told.out
    assert not [line for line in told.out.splitlines() if line.startswith(tuple(named.split(", ")))]
    assert [line for line in told.out.splitlines() if line.startswith("ndcg_at_10")]


def test_settings_that_differ_are_named_with_both_values(
    benchsite: Run, new: Path, pair: tuple[Path, Path]
) -> None:
    other = _draft(
        benchsite, new, "cut", "retrieval", "--adapter", "bm25", *THREE, "--k", "1,10", "--limit", "20"
    )
    told = benchsite("compare", str(pair[0]), str(other), cwd=new)
    assert told.code == 0, told.err
    assert "- not equal: k: [1,5,10]; [1,10]" in told.out
    assert "- not equal: query limit: none; 20" in told.out
    assert "no significant difference between bm25 1.0.0" in told.out


@pytest.mark.full
def test_receipts_of_other_data_or_tracks_and_one_receipt_twice_are_refused(
    benchsite: Run, new: Path, pair: tuple[Path, Path]
) -> None:
    first = str(pair[0])
    agents = _draft(
        benchsite, new, "null", "agents", "--benchmark", "table-ops", "--system", "null", "--task-limit", "2"
    )
    small = _draft(
        benchsite, new, "small", "retrieval", "--adapter", "bm25", "--fixture", "limit-small", "--limit", "5"
    )
    for other, said in (
        (str(agents), "not comparable: one receipt is of track retrieval, the other of agents"),
        (str(small), "not comparable: three-notebooks-v1 (SHA-256 "),
        (first, "both names mean receipt"),
        ("nope", "no receipt named 'nope'"),
    ):
        refused = benchsite("compare", first, other, cwd=new)
        assert (refused.code != 0, said in refused.err, refused.out) == (True, True, ""), refused.err


@pytest.mark.parametrize("command", [("compare", "broken.json", "broken.json"), ("explain", "broken.json")])
def test_a_receipt_that_is_no_json_is_named(benchsite: Run, new: Path, command: tuple[str, ...]) -> None:
    (new / "broken.json").write_text('{"schema": ')
    ran = benchsite(*command, cwd=new)
    assert ran.code == 3
    assert ran.err.startswith("error: broken.json: JSON: ")
