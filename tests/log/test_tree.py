from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.errors import InputError
from benchsite.log.merkle import EMPTY_ROOT, leaf_hash, node_hash, verify_consistency, verify_inclusion
from benchsite.log.tree import Tree, consistency_proof, inclusion_proof

LIMIT = 70


def test_every_inclusion_proof_to_size_70(oracle):
    entries = oracle.numbered(LIMIT)
    tree = Tree(map(leaf_hash, entries))
    for size in range(1, LIMIT + 1):
        root = oracle.mth(entries[:size])
        assert tree.root(size) == root
        for index in range(size):
            proof = tree.inclusion_proof(index, size)
            assert proof == oracle.path(index, entries[:size])
            assert verify_inclusion(oracle.leaf(entries[index]), index, size, proof, root)


def test_every_consistency_proof_to_size_70(oracle):
    entries = oracle.numbered(LIMIT)
    tree = Tree(map(leaf_hash, entries))
    for new in range(1, LIMIT + 1):
        for old in range(1, new + 1):
            proof = tree.consistency_proof(old, new)
            assert proof == oracle.proof(old, entries[:new])
            assert verify_consistency(old, new, proof, tree.root(old), tree.root(new))


def test_seven_leaves_as_drawn_in_the_rfc():
    # RFC 6962 section 2.1.3 draws this tree with these letters and lists these proofs (ell is its "l").
    a, b, c, d, e, f, j = (leaf_hash(b"d%d" % n) for n in range(7))
    g, h, i = node_hash(a, b), node_hash(c, d), node_hash(e, f)
    k, ell = node_hash(g, h), node_hash(i, j)
    tree = Tree([a, b, c, d, e, f, j])
    assert tree.root() == node_hash(k, ell)
    assert tree.inclusion_proof(0) == [b, h, ell]
    assert tree.inclusion_proof(3) == [c, g, ell]
    assert tree.inclusion_proof(4) == [f, j, k]
    assert tree.inclusion_proof(6) == [i, k]
    assert tree.consistency_proof(3) == [c, d, g, ell]
    assert tree.consistency_proof(4) == [ell]
    assert tree.consistency_proof(6) == [i, j, k]


@given(parts=st.lists(st.integers(0, 90), max_size=6))
def test_extending_in_parts_equals_building_at_once(oracle, parts: list[int]):
    entries = oracle.numbered(sum(parts))
    tree, earlier, start = Tree(), [], 0
    for part in parts:
        earlier.append((tree, oracle.mth(entries[:start])))
        tree = tree.extended(map(leaf_hash, entries[start : start + part]))
        start += part
    assert tree.size == len(entries)
    assert tree.root() == oracle.mth(entries)
    assert all(old.root() == root for old, root in earlier), "an extension changed the tree it came from"
    for index in {0, start // 2, start - 1} & set(range(start)):
        assert tree.inclusion_proof(index) == oracle.path(index, entries)


def test_proofs_from_entries(oracle):
    entries = oracle.numbered(11)
    assert inclusion_proof(entries, 8) == oracle.path(8, entries)
    assert consistency_proof(entries, 6) == oracle.proof(6, entries)


def test_empty_tree():
    assert Tree().size == 0
    assert Tree().root() == EMPTY_ROOT
    assert Tree([leaf_hash(b"a")]).root(0) == EMPTY_ROOT


@pytest.mark.parametrize(("index", "size"), [(0, 0), (-1, 3), (3, 3), (0, 4), (0, -1)])
def test_inclusion_outside_the_tree(index: int, size: int):
    tree = Tree(leaf_hash(b"%d" % n) for n in range(3))
    with pytest.raises(InputError, match=f"entry {index} |size {size}"):
        tree.inclusion_proof(index, size)


@pytest.mark.parametrize(("old", "size"), [(0, 3), (-1, 3), (3, 2), (4, 3), (1, 4)])
def test_consistency_outside_the_tree(old: int, size: int):
    tree = Tree(leaf_hash(b"%d" % n) for n in range(3))
    with pytest.raises(InputError, match=f"size {old} to|of size {size}"):
        tree.consistency_proof(old, size)


@pytest.mark.parametrize("index", [-1, 3])
def test_leaf_outside_the_tree(index: int):
    with pytest.raises(InputError, match=f"entry {index} .*3 entries"):
        Tree(leaf_hash(b"%d" % n) for n in range(3)).leaf(index)
