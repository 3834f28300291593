"""Names and parameters that outsiders and conformance suites rely on (DESIGN.md, "Command line", Python API)."""

from __future__ import annotations

import inspect

import pytest

from benchsite import log


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("leaf_hash", ["entry"]),
        ("root_hash", ["entries"]),
        ("inclusion_proof", ["entries", "index"]),
        ("verify_inclusion", ["leaf_hash", "index", "size", "proof", "root"]),
        ("consistency_proof", ["entries", "old_size"]),
        ("verify_consistency", ["old_size", "new_size", "proof", "old_root", "new_root"]),
        ("Checkpoint", ["origin", "size", "root"]),
    ],
)
def test_stable_signatures(name: str, parameters: list[str]):
    assert list(inspect.signature(getattr(log, name)).parameters) == parameters


def test_every_public_name_exists():
    assert [name for name in log.__all__ if not hasattr(log, name)] == []


def test_proofs_through_the_public_door():
    entries = [b"a", b"b", b"c"]
    root = log.root_hash(entries)
    assert log.verify_inclusion(log.leaf_hash(b"b"), 1, 3, log.inclusion_proof(entries, 1), root)
    assert not log.verify_inclusion(log.leaf_hash(b"a"), 1, 3, log.inclusion_proof(entries, 1), root)
    assert log.verify_consistency(2, 3, log.consistency_proof(entries, 2), log.root_hash(entries[:2]), root)
    assert log.Checkpoint("a.example/log", 3, root).text().count("\n") == 3
