from __future__ import annotations

from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.log import (
    Checkpoint,
    Note,
    NoteError,
    Proof,
    Tree,
    leaf_hash,
    open_checkpoint,
    verify_inclusion,
)
from benchsite.log.checkpoint import sign_checkpoint
from benchsite.signing import PrivateKey

KEY = PrivateKey.from_text(b64encode(bytes(32)).decode(), "test seed")
ORIGIN = "a.example/log"


def note_of(size: int, root: bytes) -> Note:
    return Note.parse(sign_checkpoint(Checkpoint(ORIGIN, size, root), KEY).encode())


NOTE = note_of(70, bytes(32))
proofs = st.builds(
    Proof,
    st.integers(0, 2**53 - 1),
    st.lists(st.binary(min_size=32, max_size=32), max_size=63).map(tuple),
    st.integers(0, 99).map(lambda size: note_of(size, bytes(32))),
    st.binary(max_size=100),
)


@given(proof=proofs)
def test_parse_inverts_str(proof: Proof):
    assert Proof.parse(str(proof).encode()) == proof


@given(
    head=st.lists(
        st.sampled_from(
            [
                "c2sp.org/tlog-proof@v1",
                "\n",
                "index ",
                "0",
                "7",
                "07",
                "extra ",
                "QQ==",
                "A" * 43 + "=",
                "A" * 42 + "B=",
                " ",
            ]
        ),
        max_size=8,
    ).map("".join)
)
def test_str_inverts_parse(head: str):
    data = f"{head}\n\n{NOTE}".encode()
    try:
        proof = Proof.parse(data)
    except NoteError:
        return
    assert str(proof).encode() == data


def test_the_layout_is_that_of_the_specification():
    """C2SP tlog-proof, "Format": header, index, hashes from the leaf up, an empty line, the checkpoint verbatim."""
    text = str(Proof(5, (bytes(32), b"\xff" * 32), NOTE))
    zeros, ones = "A" * 43 + "=", "/" * 42 + "8="
    assert text == f"c2sp.org/tlog-proof@v1\nindex 5\n{zeros}\n{ones}\n\n{NOTE}"
    with_extra = str(Proof(5, (bytes(32),), NOTE, b"A"))
    assert with_extra == f"c2sp.org/tlog-proof@v1\nextra QQ==\nindex 5\n{zeros}\n\n{NOTE}"
    assert str(Proof(0, (), NOTE)) == f"c2sp.org/tlog-proof@v1\nindex 0\n\n{NOTE}"


def test_a_proof_proves_what_it_says(oracle):
    entries = [b"entry %d" % number for number in range(13)]
    for index, entry in enumerate(entries):
        made = Proof(
            index,
            tuple(Tree(map(leaf_hash, entries)).inclusion_proof(index)),
            note_of(13, oracle.mth(entries)),
        )
        found = Proof.parse(str(made).encode())
        checkpoint = open_checkpoint(str(found.checkpoint), origin=ORIGIN, keys=[KEY.public])
        assert verify_inclusion(leaf_hash(entry), found.index, checkpoint.size, found.hashes, checkpoint.root)
        assert not verify_inclusion(
            leaf_hash(b"x"), found.index, checkpoint.size, found.hashes, checkpoint.root
        )


HEADER = "c2sp.org/tlog-proof@v1\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "first line"),
        (f"c2sp.org/tlog-proof@v2\nindex 5\n\n{NOTE}", "first line"),
        (f"{HEADER}\n{NOTE}", "line `index N`"),
        (f"{HEADER}index 05\n\n{NOTE}", "line `index N`"),
        (f"{HEADER}index -1\n\n{NOTE}", "line `index N`"),
        (f"{HEADER}index 9007199254740992\n\n{NOTE}", "not between 0"),
        (f"{HEADER}extra \nindex 5\n\n{NOTE}", "`extra` holds"),
        (f"{HEADER}extra QR==\nindex 5\n\n{NOTE}", "canonical base64"),
        (f"{HEADER}extra QQ\nindex 5\n\n{NOTE}", "canonical base64"),
        (f"{HEADER}extra QQ==\nextra QQ==\nindex 5\n\n{NOTE}", "line `index N`"),
        (f"{HEADER}index 5\nextra QQ==\n\n{NOTE}", "canonical base64"),
        (f"{HEADER}extra\nindex 5\n\n{NOTE}", "line `index N`"),
        (f"{HEADER}index 5\nQQ==\n\n{NOTE}", "hash 1 has"),
        (f"{HEADER}index 5\nnot base64\n\n{NOTE}", "canonical base64"),
        (f"{HEADER}index 5\n" + ("A" * 43 + "=\n") * 64 + f"\n{NOTE}", "64 hashes"),
        (f"{HEADER}index 5", "between the hashes"),
        (f"{HEADER}index 5\n\nnot a note\n", "between the text"),
        (f"{HEADER}index é\n\n{NOTE}", "not ASCII"),
    ],
)
def test_files_that_are_refused(text: str, says: str):
    with pytest.raises(NoteError, match=says):
        Proof.parse(text.encode())
