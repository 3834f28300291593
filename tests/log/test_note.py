from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchsite.errors import IntegrityError
from benchsite.log.note import (
    MAX_NOTE_BYTES,
    Note,
    NoteError,
    NoteSignature,
    decode_base64,
    encode_base64,
    key_id,
    sign_note,
    verifier_key,
)

SPACES = "\u0020\u0085\u00a0\u1680\u2000\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
names = st.text(min_size=1, max_size=20).filter(
    lambda text: not any(c.isspace() or c == "+" or c < " " for c in text)
)
lines = st.builds(NoteSignature, names, st.binary(min_size=4, max_size=4), st.binary(min_size=1, max_size=80))
texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.just("\n"), max_size=60).map(
    lambda t: t + "\n"
)
notes = st.builds(Note, texts, st.lists(lines, min_size=1, max_size=5).map(tuple))
# Notes that are nearly right: their own pieces, shuffled.
scraps = st.lists(
    st.sampled_from(
        [
            "\n",
            "\n\n",
            "text",
            "— ",
            "—",
            "- ",
            " ",
            "a.example/log",
            "AAAAAAA=",
            "AAAAAAB=",
            "\r",
            "\x7f",
            "+",
        ]
    ),
    max_size=14,
).map("".join)


@given(note=notes)
def test_parse_inverts_str(note: Note):
    assert Note.parse(str(note).encode()) == note


@given(data=scraps.map(str.encode) | st.binary(max_size=80))
@example(data="text\n\n— a.example/log AAAAAAA=\n".encode())
@example(data="text\n\n\n— a.example/log AAAAAAA=\n".encode())
def test_str_inverts_parse_and_noise_is_refused(data: bytes):
    try:
        note = Note.parse(data)
    except NoteError:
        return
    assert str(note).encode() == data


def test_the_example_of_the_specification():
    # C2SP signed-note, "Note": the text itself has an empty line, so the last one is the border.
    note = Note.parse(
        "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n\n"
        "— quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC"
        "+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n".encode()
    )
    assert note.text.endswith("sole:\n\ned è subito sera.\n")
    (line,) = note.signatures
    assert line.name == "quasimodo.example/salvatore"
    assert line.key_id.hex() == "367ba04b"
    assert len(line.signature) == 64


@pytest.mark.parametrize("space", SPACES)
def test_names_have_no_unicode_space(space: str):
    with pytest.raises(NoteError, match="key name"):
        NoteSignature(f"a{space}b", b"abcd", b"x")


def test_zero_width_no_break_space_is_not_a_unicode_space():
    # U+FEFF counts as \s in JavaScript, but it is not White_Space in Unicode.
    assert NoteSignature("a\ufeffb", b"abcd", b"x").name == "a\ufeffb"


@pytest.mark.parametrize("code", [*range(10), *range(11, 32)])
def test_every_control_character_but_newline_is_refused(code: int):
    note = f"a{chr(code)}b\n\n— a.example/log AAAAAAA=\n"
    with pytest.raises(NoteError, match=f"U\\+{code:04X}"):
        Note.parse(note.encode())
    with pytest.raises(NoteError, match=f"U\\+{code:04X}"):
        Note(f"a{chr(code)}\n", (NoteSignature("a", b"abcd", b"x"),))


def test_limits():
    line = str(NoteSignature("a", b"abcd", b"x"))
    assert len(Note.parse(("t\n\n" + line * 100).encode()).signatures) == 100
    with pytest.raises(NoteError, match="101 signatures"):
        Note.parse(("t\n\n" + line * 101).encode())
    longest = b"x" * (MAX_NOTE_BYTES - len(line.encode()) - 2) + b"\n\n" + line.encode()
    assert len(longest) == MAX_NOTE_BYTES
    assert Note.parse(longest).signatures[0].name == "a"
    with pytest.raises(NoteError, match="1048576 bytes"):
        Note.parse(b"x" + longest)


def test_a_text_needs_its_newline_and_a_note_its_signature():
    with pytest.raises(NoteError, match="newline"):
        Note("text", (NoteSignature("a", b"abcd", b"x"),))
    with pytest.raises(NoteError, match="0 signatures"):
        Note("text\n", ())


@pytest.mark.parametrize(
    ("note", "message"),
    [
        ("— a AAAAAAA=\n", "no blank line"),
        ("text\n— a AAAAAAA=\n", "no blank line"),
        ("text\n\n— a AAAAAAA=", "in a newline"),
        ("text\n\n", "no signature line"),
        ("text\n\n\n", "no signature line"),
        ("text\n\n— a AAAAAAA=\n\n", "no signature line"),
        ("text\n\n— a\x00 AAAAAAA=\n", "key name"),
        ("text\n\n— a AAAA\x00AAA=\n", "not canonical base64"),
        ("text\n\n—\x00 a AAAAAAA=\n", "not a signature"),
    ],
)
def test_borders_of_a_note(note: str, message: str):
    with pytest.raises(NoteError, match=message):
        Note.parse(note.encode())


@pytest.mark.parametrize(("identifier", "signature"), [(b"abc", b"x"), (b"abcde", b"x"), (b"abcd", b"")])
def test_signature_line_lengths(identifier: bytes, signature: bytes):
    with pytest.raises(NoteError, match="5 bytes"):
        NoteSignature("a", identifier, signature)


@given(data=st.binary(max_size=80))
def test_base64_inverts(data: bytes):
    assert decode_base64(encode_base64(data)) == data


@given(text=st.text(alphabet="AQgwBf+/-_= \n\u00e9", max_size=12))
def test_base64_accepts_only_what_it_writes(text: str):
    try:
        data = decode_base64(text)
    except NoteError:
        return
    assert encode_base64(data) == text


def test_key_id_and_verifier_key_of_the_specification(oracle):
    # specs/log.md, "Golden vector": the log key with seed 00 01 .. 1f.
    public = oracle.GOLDEN_LOG_KEY.public
    assert key_id(oracle.ORIGIN, public).hex() == "bd6f8cb0"
    assert verifier_key(oracle.ORIGIN, public) == (
        "example.github.io/benchsite/log+bd6f8cb0+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"
    )


def test_a_key_has_another_id_for_each_signature_type(oracle):
    """C2SP signed-note, "Verifier keys": the type's byte is between name and key."""
    public = oracle.LOG.public
    ids = [key_id("a.example/log", public, kind) for kind in (b"\x01", b"\x04")]
    assert ids == [sha256(b"a.example/log\n" + kind + public).digest()[:4] for kind in (b"\x01", b"\x04")]
    assert ids[0] != ids[1]
    assert key_id("a.example/log", public) == ids[0]


def test_lines_of_other_keys_and_types_are_ignored(oracle, private):
    """None of them verifies; each shares name or ID with the known key, but not both (signed-note, "Signatures")."""
    name, public = "a.example/log", oracle.LOG.public
    (good,) = sign_note("text\n", name, private(oracle.LOG)).signatures
    others = (
        NoteSignature(name, key_id(name, public, b"\x02"), bytes(70)),  # ECDSA
        NoteSignature(name, key_id(name, public, b"\x04"), bytes(72)),  # a cosignature
        NoteSignature(name, key_id(name, public, b"\x06"), bytes(2_428)),  # ML-DSA-44
        NoteSignature(name, key_id(name, oracle.LOG_2.public), bytes(64)),
        NoteSignature("b.example/log", good.key_id, bytes(64)),
    )
    Note("text\n", (*others, good)).check_signed(name, [public])
    with pytest.raises(NoteError, match="no signature by an accepted key"):
        Note("text\n", others).check_signed(name, [public])


def test_signing_then_checking(oracle, private):
    note = sign_note("text\n", "a.example/log", private(oracle.LOG))
    assert str(note) == "text\n\n" + oracle.signature_line("text\n", oracle.LOG, "a.example/log")
    note.check_signed("a.example/log", [oracle.LOG_2.public, oracle.LOG.public])
    for name, keys in [
        ("b.example/log", [oracle.LOG.public]),
        ("a.example/log", []),
        ("a.example/log", [oracle.LOG_2.public]),
    ]:
        with pytest.raises(NoteError, match="accepted key"):
            note.check_signed(name, keys)
    changed = Note("Text\n", note.signatures)
    with pytest.raises(NoteError, match="does not verify"):
        changed.check_signed("a.example/log", [oracle.LOG.public])
    doubled = Note(note.text, note.signatures * 2)
    with pytest.raises(NoteError, match="signed twice"):
        doubled.check_signed("a.example/log", [oracle.LOG.public])


def test_note_errors_are_integrity_errors():
    assert issubclass(NoteError, IntegrityError)
    assert NoteError("x").exit_code == 3
