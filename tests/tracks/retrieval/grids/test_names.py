"""Names of the systems of a grid whose receipts share one."""

from __future__ import annotations

from benchsite.tracks.retrieval.grids.scores import system_names


def test_versions_of_a_system_are_named_on_every_dataset() -> None:
    runs = [
        ("bm25", "1", "sessions"),
        ("dense", "1", "sessions"),
        ("bm25", "2", "sessions"),
        ("bm25", "2", "turns"),
    ]
    documents = [
        {"adapter": {"name": name, "version": version}, "fixture": {"id": dataset}}
        for name, version, dataset in runs
    ]
    assert list(system_names(documents, lambda one: one["adapter"]["name"])) == [
        "bm25 1",
        "dense",
        "bm25 2",
        "bm25 2",
    ]


def test_receipts_of_one_version_on_one_dataset_are_numbered() -> None:
    document = {"adapter": {"name": "bm25", "version": "1"}, "fixture": {"id": "sessions"}}
    assert list(system_names([document, document], lambda one: one["adapter"]["name"])) == ["bm25", "bm25 #2"]
