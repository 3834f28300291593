from __future__ import annotations

from base64 import b64decode
from hashlib import sha256

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from benchsite.log.merkle import (
    EMPTY_ROOT,
    Frontier,
    leaf_hash,
    node_hash,
    root_hash,
    verify_consistency,
    verify_inclusion,
)
from benchsite.log.tree import Tree

# The eight inputs and the roots over their prefixes that the RFC 6962 authors' test suite fixed.
INPUTS = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


@pytest.mark.parametrize("size", range(9))
def test_roots_of_the_rfc_authors(size: int):
    assert root_hash(INPUTS[:size]).hex() == ROOTS[size]


def test_three_leaves_by_hand():
    a, b, c = (sha256(b"\x00" + x).digest() for x in (b"a", b"b", b"c"))
    ab = sha256(b"\x01" + a + b).digest()
    assert root_hash([b"a", b"b", b"c"]) == sha256(b"\x01" + ab + c).digest()
    assert leaf_hash(b"a") == a
    assert node_hash(a, b) == ab
    assert sha256().digest() == EMPTY_ROOT


def test_golden_root_of_the_specification():
    # specs/log.md, "Golden vector".
    entries = [b'{"n":%d}' % n for n in range(70)]
    assert root_hash(entries) == b64decode("r3mgaCf5gY7gNXevS403fewEDtnINugT5S99cTHvmuA=")


def test_root_of_every_size_to_70(oracle):
    frontier = Frontier()
    entries = oracle.numbered(70)
    for size in range(71):
        assert frontier.size == size
        assert frontier.root() == oracle.mth(entries[:size])
        assert frontier.root() == root_hash(entries[:size])
        if size < 70:
            frontier.append(leaf_hash(entries[size]))


@given(size=st.integers(0, 600), more=st.integers(0, 40))
def test_frontier_continues_from_its_peaks(oracle, size: int, more: int):
    entries = oracle.numbered(size + more)
    first = Frontier()
    for entry in entries[:size]:
        first.append(leaf_hash(entry))
    second = Frontier(size, first.peaks)
    for entry in entries[size:]:
        second.append(leaf_hash(entry))
    assert second.root() == oracle.mth(entries)


@pytest.mark.parametrize(
    ("size", "peaks"),
    [
        (0, [bytes(32)]),
        (1, []),
        (3, [bytes(32)]),
        (4, [bytes(32), bytes(32)]),
        (1, [bytes(31)]),
        (-1, [bytes(32)]),
    ],
)
def test_frontier_refuses_peaks_of_another_size(size: int, peaks: list[bytes]):
    with pytest.raises(ValueError, match="32-byte peak"):
        Frontier(size, peaks)


def test_third_party_inclusion_vectors(rfc6962):
    cases = rfc6962("inclusion.json")
    assert len(cases) == 98
    for case in cases:
        leaf, root = b64decode(case["leafHash"]), b64decode(case["root"])
        holds = verify_inclusion(leaf, case["leafIdx"], case["treeSize"], case["proof"], root)
        assert holds is not case["wantErr"], case["case"]


def test_third_party_consistency_vectors(rfc6962):
    cases = rfc6962("consistency.json")
    assert len(cases) == 98
    for case in cases:
        old, new = b64decode(case["root1"]), b64decode(case["root2"])
        holds = verify_consistency(case["size1"], case["size2"], case["proof"], old, new)
        assert holds is not case["wantErr"], case["case"]


def test_own_vectors(vector):
    cases = vector("merkle.json")
    for case in cases["inclusion"]:
        leaf, root = b64decode(case["leafHash"]), b64decode(case["root"])
        proof = [*map(b64decode, case["proof"])]
        holds = verify_inclusion(leaf, case["index"], case["size"], proof, root)
        assert holds is case["valid"], case["name"]
    for case in cases["consistency"]:
        old, new = b64decode(case["oldRoot"]), b64decode(case["newRoot"])
        proof = [*map(b64decode, case["proof"])]
        holds = verify_consistency(case["oldSize"], case["newSize"], proof, old, new)
        assert holds is case["valid"], case["name"]
    entries = [b'{"n":%d}' % n for n in range(300)]
    for case in cases["roots"]:
        assert root_hash(entries[: case["size"]]) == b64decode(case["root"])


@settings(max_examples=examples(200, full=1_000))
@given(data=st.data(), size=st.integers(1, 300))
def test_any_flipped_bit_breaks_inclusion(oracle, data: st.DataObject, size: int):
    tree = Tree(map(leaf_hash, oracle.numbered(size)))
    index = data.draw(st.integers(0, size - 1))
    parts = [tree.leaf(index), tree.root(), *tree.inclusion_proof(index)]
    assert verify_inclusion(parts[0], index, size, parts[2:], parts[1])
    part, bit = data.draw(st.integers(0, len(parts) - 1)), data.draw(st.integers(0, 255))
    flipped = int.from_bytes(parts[part]) ^ (1 << bit)
    parts[part] = flipped.to_bytes(32)
    assert not verify_inclusion(parts[0], index, size, parts[2:], parts[1])


@settings(max_examples=examples(200, full=1_000))
@given(data=st.data(), new=st.integers(1, 300))
def test_any_flipped_bit_breaks_consistency(oracle, data: st.DataObject, new: int):
    tree = Tree(map(leaf_hash, oracle.numbered(new)))
    old = data.draw(st.integers(1, new))
    parts = [tree.root(old), tree.root(), *tree.consistency_proof(old)]
    assert verify_consistency(old, new, parts[2:], parts[0], parts[1])
    part, bit = data.draw(st.integers(0, len(parts) - 1)), data.draw(st.integers(0, 255))
    flipped = int.from_bytes(parts[part]) ^ (1 << bit)
    parts[part] = flipped.to_bytes(32)
    assert not verify_consistency(old, new, parts[2:], parts[0], parts[1])


@given(
    numbers=st.tuples(st.integers(-(2**70), 2**70), st.integers(-(2**70), 2**70)),
    proof=st.lists(st.binary(max_size=33), max_size=80),
    hashes=st.tuples(st.binary(max_size=33), st.binary(max_size=33)),
)
def test_verifiers_answer_false_to_noise(
    numbers: tuple[int, int], proof: list[bytes], hashes: tuple[bytes, bytes]
):
    # Equal sizes with equal roots and no proof are the one consistent case that noise can reach.
    trivial = numbers[0] == numbers[1] > 0 and hashes[0] == hashes[1] and not proof
    assert verify_consistency(*numbers, proof, *hashes) is trivial
    single = numbers == (0, 1) and hashes[0] == hashes[1] and len(hashes[0]) == 32 and not proof
    assert verify_inclusion(hashes[0], *numbers, proof, hashes[1]) is single


def test_equal_sizes_need_equal_roots_and_an_empty_proof():
    a, b = leaf_hash(b"a"), leaf_hash(b"b")
    assert verify_consistency(5, 5, [], a, a)
    assert not verify_consistency(5, 5, [], a, b)
    assert not verify_consistency(5, 5, [a], a, a)
