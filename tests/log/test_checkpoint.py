from __future__ import annotations

from base64 import b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.log.checkpoint import Checkpoint, open_checkpoint, sign_checkpoint
from benchsite.log.note import NoteError

origins = st.from_regex(
    r"[a-z0-9][a-z0-9.-]{0,20}(:[0-9]{1,5})?(/[a-z0-9_~-][a-z0-9._~-]{0,9}){0,3}", fullmatch=True
)
checkpoints = st.builds(Checkpoint, origins, st.integers(0, 2**53 - 1), st.binary(min_size=32, max_size=32))


@given(checkpoint=checkpoints)
def test_parse_inverts_text(checkpoint: Checkpoint):
    assert Checkpoint.parse(checkpoint.text()) == checkpoint


@given(
    text=st.lists(
        st.sampled_from(
            ["a.example/log", "A", "\n", "0", "7", "00", "-1", "+", " ", "=", "A" * 43, "A" * 42 + "B"]
        ),
        max_size=12,
    ).map("".join)
)
def test_text_inverts_parse(text: str):
    try:
        checkpoint = Checkpoint.parse(text)
    except NoteError:
        return
    assert checkpoint.text() == text


def test_golden_checkpoint(oracle, private):
    # specs/log.md, "Golden vector"; the signature is recomputed by another library's Ed25519.
    root = b64decode("r3mgaCf5gY7gNXevS403fewEDtnINugT5S99cTHvmuA=")
    note = sign_checkpoint(Checkpoint(oracle.ORIGIN, 70, root), private(oracle.GOLDEN_LOG_KEY))
    text = "example.github.io/benchsite/log\n70\nr3mgaCf5gY7gNXevS403fewEDtnINugT5S99cTHvmuA=\n"
    assert note == oracle.signed(text, oracle.GOLDEN_LOG_KEY)


def test_valid_vectors(vector):
    cases = vector("checkpoint.json")
    keys = [*map(b64decode, cases["keys"])]
    for case in cases["valid"]:
        for note in (case["note"], case["note"].encode()):
            checkpoint = open_checkpoint(note, origin=cases["origin"], keys=keys)
            assert checkpoint == Checkpoint(cases["origin"], case["size"], b64decode(case["root"])), case[
                "name"
            ]


def test_invalid_vectors(vector):
    cases = vector("checkpoint.json")
    keys = [*map(b64decode, cases["keys"])]
    for case in cases["invalid"]:
        note = bytes.fromhex(case["noteHex"]) if "noteHex" in case else case["note"]
        try:
            checkpoint = open_checkpoint(note, origin=cases["origin"], keys=keys)
        except NoteError:
            continue
        pytest.fail(f"{case['name']}: accepted as {checkpoint}")


def test_errors_name_what_is_wrong(oracle):
    key, root = oracle.GOLDEN_LOG_KEY, bytes(32)

    def opened(text: str, origin: str = oracle.ORIGIN) -> str:
        with pytest.raises(NoteError) as caught:
            open_checkpoint(oracle.signed(text, key), origin=origin, keys=[key.public])
        return caught.value.message

    good = oracle.checkpoint_text(7, root)
    assert opened(good, "b.example/log") == f"checkpoint: origin is {oracle.ORIGIN}, expected b.example/log"
    assert "size '07' is not a decimal number without leading zeros" in opened(
        good.replace("\n7\n", "\n07\n")
    )
    assert "expected exactly three lines" in opened(good + "extension\n")
    assert "size 9999999999999999 is not between" in opened(good.replace("\n7\n", f"\n{'9' * 16}\n"))
    assert "31 bytes, expected 32" in opened(oracle.checkpoint_text(7, bytes(31)))


def test_a_note_that_cannot_be_utf8_is_refused(oracle):
    with pytest.raises(NoteError, match="cannot be UTF-8"):
        open_checkpoint("\ud800\n\n", origin=oracle.ORIGIN, keys=[])


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "a.example/log\n",
        "https://a.example/log",
        "a.example/",
        "a.example//log",
        "a.example/../log",
        "a.example/.log",
        "a.example/lo g",
        "a.example/log+1",
        "A.example/log",
        "-a.example",
        "a.example:/log",
        "a.example/lög",
        "a" * 201,
    ],
)
def test_origins_that_are_refused(origin: str):
    with pytest.raises(NoteError, match="origin"):
        Checkpoint(origin, 1, bytes(32))


@pytest.mark.parametrize(
    "origin", ["a", "localhost:8000/log", "example.github.io/benchsite/log", "1.example/A_b~c-d.e", "a" * 200]
)
def test_origins_that_are_accepted(origin: str):
    assert Checkpoint(origin, 1, bytes(32)).origin == origin


@pytest.mark.parametrize("size", [-1, 2**53])
def test_sizes_that_are_refused(size: int):
    with pytest.raises(NoteError, match="size"):
        Checkpoint("a.example/log", size, bytes(32))
