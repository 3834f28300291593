"""Stored rankings scored by corrected labels and under another version: what moves, drafts, publication, refusals."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from builders import FIXTURE, commit, small_fixture
from publishing import edit
from rescoring import SIGNATURE, compare, written
from snapshots import opened, snapshot

from benchsite import canonical
from benchsite.environment import Credentials
from benchsite.errors import InputError, IntegrityError, UsageError
from benchsite.history import Rescore, Verdict
from benchsite.pipeline import build, publish
from benchsite.pipeline.correct import Corrections, Flip, correct
from benchsite.pipeline.workspace import Workspace
from benchsite.tracks.retrieval.corrections import require_same_evidence

CORRECTED = "small-v2"


def corrected(instance: Workspace, **changes: dict[str, Any] | None) -> None:
    """Commit the small fixture with other queries under another id; None drops a query."""
    document = small_fixture() | {"id": CORRECTED}
    queries = [query | (changes.get(query["id"], {}) or {}) for query in document["queries"]]
    document["queries"] = [query for query in queries if changes.get(query["id"], {}) is not None]
    commit(instance, {f"fixtures/{CORRECTED}/fixture.json": json.dumps(document).encode()})


def ids(instance: Workspace) -> dict[str, str]:
    """Receipt ids by system."""
    return {
        header.summary.subject.name: header.receipt_id
        for header in snapshot(instance).history()
        if header.summary is not None and header.summary.target == FIXTURE
    }


def gain(*ranks: int) -> float:
    return sum(1 / math.log2(rank + 1) for rank in ranks)


LABELS: dict[str, dict[str, Any] | None] = {
    "q0": {"expected": [{"id": "a3", "grade": 1}]},
    "q3": {"expected": [{"id": "b1", "grade": 1}]},
    "q5": None,
    "q6": {"expected": [{"id": "b0", "grade": 1}], "answerable": True},
}


def test_corrected_labels_move_the_queries_they_change_and_no_other(published: Workspace) -> None:
    corrected(published, **LABELS)
    recency = ids(published)["recency"]
    (found,) = correct(published, opened(published), [recency], fixture=CORRECTED).corrected
    # Recency returns a5 … a0 and b5 … b0: the rank of an item is 6 less its number.
    expected = {
        "q0": (gain(6), gain(3), "labels changed"),
        "q3": (gain(4, 5) / gain(1, 2), gain(5), "labels changed"),
        "q5": (gain(2), None, "query dropped"),
        "q6": (None, gain(6), "now answerable"),
    }
    moved = {one.item: (one.before, one.after, one.why) for one in found.found.moved}
    assert moved == {
        name: (pytest.approx(before, abs=1e-12), pytest.approx(after, abs=1e-12), why)
        for name, (before, after, why) in expected.items()
    }
    assert found.found.relabeled == 4
    # q1: a3, q2: a1, q4: b3 and q7: a5 stay.
    total = gain(6) + gain(3) + gain(3) + gain(5) + gain(5) + gain(3) + gain(1)
    assert found.found.scores[1] == pytest.approx(total / 7, abs=1e-12)
    assert found.path is None
    assert published.draft_paths() == []


def test_a_correction_publishes_as_a_receipt_of_the_same_run_and_verifies_in_both_languages(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    corrected(published, **LABELS)
    names = ids(published)
    made = correct(published, opened(published), [], everything=True, fixture=CORRECTED, draft=True)
    assert {one.receipt.receipt_id for one in made.corrected} == set(names.values())
    assert not made.skipped
    paths = [one.path for one in made.corrected if one.path is not None]
    for path in paths:
        document = json.loads(path.read_bytes())
        (agreed,) = compare([written({**document, "signature": SIGNATURE})])
        assert agreed["rescore"] == "MATCHES"
    publish.publish(published, opened(published), paths, credentials, push=False)
    history = snapshot(published).history()
    for one in made.corrected:
        header, original = history.get(one.draft.receipt_id), one.receipt
        assert header is not None
        assert (header.verdict, header.rescore) == (Verdict.LOGGED, Rescore.MATCHES)
        assert header.derived_from == original.receipt_id
        assert header.ran_at == original.document["ranAt"]
        assert header.ranked
        kept = history.get(original.receipt_id)
        assert kept is not None
        assert kept.verdict is Verdict.LOGGED
    site = build.build(published, opened(published), tmp_path / "site").site
    assert "Corrected." in (site / f"retrieval/{FIXTURE}/index.html").read_text()
    assert "Corrected." not in (site / f"retrieval/{CORRECTED}/index.html").read_text()
    # A second correction finds the first ones by this very dataset.
    again = correct(published, opened(published), [], everything=True, fixture=CORRECTED)
    assert len(again.corrected) == len(names)
    assert {reason for _, reason in again.skipped} == {
        f"receipt {one.draft.receipt_id}: scored by this very dataset" for one in made.corrected
    }


def test_a_superseding_correction_replaces_its_original(
    published: Workspace, credentials: Credentials
) -> None:
    corrected(published, **LABELS)
    old = ids(published)["bm25"]
    (made,) = correct(
        published, opened(published), [old], fixture=CORRECTED, draft=True, supersede=True
    ).corrected
    assert made.path is not None
    publish.publish(published, opened(published), [made.path], credentials, push=False)
    header = snapshot(published).history().get(old)
    assert header is not None
    assert (header.verdict, header.superseded_by) == (Verdict.SUPERSEDED, made.draft.receipt_id)


def test_unchanged_labels_give_the_scores_of_the_receipt_exactly(published: Workspace) -> None:
    corrected(published)
    made = correct(published, opened(published), [], everything=True, fixture=CORRECTED)
    assert len(made.corrected) == 4
    for one in made.corrected:
        for member in ("scores", "denominators", "intervals", "byCategory", "perQuery"):
            assert canonical.dumps(one.draft.document[member]) == canonical.dumps(
                one.receipt.document[member]
            )
        assert one.found.moved == ()
    assert not made.flips


def counted(name: str, row: str, before: float, after: float, index: int | None) -> Any:
    found = SimpleNamespace(scores=(before, after))
    return SimpleNamespace(subject=name, row=(row, ""), index=index, target=("d", "1"), found=found)


def test_ranks_are_of_the_latest_receipt_of_each_row_and_equal_means_do_not_flip() -> None:
    rows = [
        counted("a", "a", 0.8, 0.5, 9),
        counted("a", "a", 0.9, 0.5, 2),
        counted("b", "b", 0.7, 0.6, 3),
        counted("c", "c", 0.4, 0.2, 4),
        counted("d", "d", 0.4, 0.3, None),
    ]
    assert Corrections(rows, []).flips == [Flip("d", (1, "a", 0.8, 0.5), (2, "b", 0.7, 0.6))]


def test_a_rank_flips_behind_an_equal_one() -> None:
    rows = [
        counted("a", "a", 0.9, 0.5, 1),
        counted("b", "b", 0.9, 0.95, 2),
        counted("c", "c", 0.8, 0.7, 3),
    ]
    assert Corrections(rows, []).flips == [Flip("d", (1, "a", 0.9, 0.5), (3, "c", 0.8, 0.7))]


def other_version(instance: Workspace, headline: int, ks: list[int]) -> None:
    folder = instance.root / "methodology/retrieval/1.0.0"
    parameters = json.loads((folder / "parameters.json").read_bytes())
    parameters["version"] = "1.1.0"
    parameters["parameters"] |= {"ks": ks, "headlineK": headline}
    text = (folder / "methodology.yaml").read_text().replace("version: 1.0.0", "version: 1.1.0", 1)
    files = {
        "methodology.yaml": text.encode(),
        "parameters.json": json.dumps(parameters).encode(),
        "text.md": (folder / "text.md").read_bytes(),
    }
    commit(instance, {f"methodology/retrieval/1.1.0/{name}": data for name, data in files.items()})


def test_another_version_scores_by_its_own_cut_offs(published: Workspace) -> None:
    other_version(published, 3, [1, 3])
    recency = ids(published)["recency"]
    instance = Workspace(published.root)
    (made,) = correct(instance, opened(instance), [recency], version="1.1.0").corrected
    assert made.draft.document["config"]["k"] == [1, 3]
    assert made.draft.document["methodology"]["version"] == "1.1.0"
    assert made.found.metrics == ("ndcg_at_10", "ndcg_at_3")
    # Within 3: q1 at rank 3, q4 at 3, q5 at 2, q7 at 1; q0, q2 and q3 are below.
    assert made.found.scores[1] == pytest.approx((2 * gain(3) + gain(2) + 1) / 7, abs=1e-12)
    assert {one.item: one.why for one in made.found.moved} == dict.fromkeys(
        ("q0", "q2", "q3"), "rule changed: k = 10 became 3"
    )


def test_the_version_of_the_receipt_itself_corrects_nothing(published: Workspace) -> None:
    before = list(published.draft_paths())
    with pytest.raises(UsageError, match=r": scored under this very version, 1\.0\.0"):
        correct(published, opened(published), [ids(published)["bm25"]], version="1.0.0", draft=True)
    assert list(published.draft_paths()) == before


def test_what_a_stored_ranking_cannot_answer_is_refused_by_name(
    published: Workspace, credentials: Credentials
) -> None:
    recency = ids(published)["recency"]
    other_version(published, 20, [1, 20])
    instance = Workspace(published.root)
    with pytest.raises(InputError, match=r"k = 20 of methodology 1\.1\.0 is beyond .* \(depth 10\)"):
        correct(instance, opened(instance), [recency], version="1.1.0")
    for changes, said in (
        ({"q0": {"query": "where is the cat"}}, "query q0 of small-v2 has another text"),
        ({"q0": {"id": "q9"}}, "query q9 of small-v2 has no stored ranking"),
    ):
        corrected(instance, **changes)  # type: ignore[arg-type]
        with pytest.raises(InputError, match=said):
            correct(instance, opened(instance), [recency], fixture=CORRECTED, draft=True)
    with pytest.raises(UsageError, match="by this very dataset"):
        correct(instance, opened(instance), [recency], fixture=FIXTURE)
    document = small_fixture() | {"id": "small-v3"}
    document["items"][2]["content"] = "hail falls"
    commit(instance, {"fixtures/small-v3/fixture.json": json.dumps(document).encode()})
    with pytest.raises(InputError, match="1 item of small-v3 differ from small-v1, the first is a2"):
        correct(instance, opened(instance), [recency], fixture="small-v3")
    assert instance.draft_paths() == []
    corrected(instance)
    (made,) = correct(instance, opened(instance), [recency], fixture=CORRECTED, draft=True).corrected
    assert made.path is not None
    path = edit(made.path, {"derivedFrom": "0f8fad5b-d9cb-469f-a165-70867728950e"})
    with pytest.raises(IntegrityError, match="which is not in the log"):
        publish.publish(instance, opened(instance), [path], credentials, push=False)
    rows = made.draft.document["perQuery"]
    other = {**rows[6], "retrieved": [], "foreign": []}
    path = edit(path, {"derivedFrom": recency, "perQuery": [*rows[:6], other, *rows[7:]]})
    with pytest.raises(IntegrityError, match="abstention_rate"):
        publish.publish(instance, opened(instance), [path], credentials, push=False)
    path = edit(path, {"perQuery": rows, "ranAt": "2026-01-01T00:00:00Z"})
    with pytest.raises(IntegrityError, match=f"ranAt differs from that of {recency}"):
        publish.publish(instance, opened(instance), [path], credentials, push=False)


def changed(document: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    head, _, rest = path.partition(".")
    return document | {head: changed(document[head], rest, value) if rest else value}


def test_a_correction_of_another_run_is_refused_with_the_difference(published: Workspace) -> None:
    corrected(published, **LABELS)
    recency = ids(published)["recency"]
    (made,) = correct(published, opened(published), [recency], fixture=CORRECTED).corrected
    original, derived = made.receipt.document, made.draft.document
    require_same_evidence(original, derived)
    runs = {"runs": 2, "identical": False, "differing": ["q0", "q5"], "ndcgRange": [0.1, 0.2]}
    repeated = changed(original, "determinism", runs)
    require_same_evidence(
        repeated, changed(derived, "determinism", {"runs": 2, "identical": False, "differing": ["q0"]})
    )
    first, *others = derived["perQuery"]
    for before, after, said in (
        (original, changed(derived, "config.options", {"b": 1}), "config.options"),
        (original, changed(derived, "config.seed", 9), "config.seed"),
        (original, changed(derived, "config.network", "open"), "config.network"),
        (original, changed(derived, "config.limit", 3), "config.limit"),
        (changed(original, "simulated", True), changed(derived, "simulated", False), "simulated"),
        (repeated, changed(derived, "determinism", None), "determinism"),
        (original, changed(derived, "faults.duplicates", 5), "faults"),
        (original, changed(derived, "perQuery", [first | {"foreign": ["z"]}, *others]), "query q0"),
        (original, changed(original, "perQuery", original["perQuery"][1:]), "query q0"),
        (original, changed(original, "config.importer", {"name": "x"}), "config.importer"),
    ):
        with pytest.raises(InputError, match=f"{said} differs from that of {recency}"):
            require_same_evidence(before, after)
