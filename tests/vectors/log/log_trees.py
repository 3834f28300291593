"""Cases for proofs and checkpoints."""

from __future__ import annotations

from log_oracle import (
    GOLDEN_LOG_KEY,
    LOG,
    ORIGIN,
    Object,
    b64,
    checkpoint_text,
    key_id,
    leaf,
    mth,
    numbered,
    path,
    proof,
    signature_line,
    signed,
    vkey,
)


def flip(data: bytes) -> bytes:
    return bytes([data[0] ^ 0x80]) + data[1:]


def mutations(hashes: list[bytes]) -> list[tuple[str, list[bytes]]]:
    """Proofs that must fail wherever the true proof holds."""
    changed = [("one hash more", [*hashes, leaf(b"")]), ("one hash more in front", [leaf(b""), *hashes])]
    if hashes:
        changed += [
            ("last hash missing", hashes[:-1]),
            ("first hash changed", [flip(hashes[0]), *hashes[1:]]),
            ("last hash changed", [*hashes[:-1], flip(hashes[-1])]),
            ("first hash cut to 31 bytes", [hashes[0][:31], *hashes[1:]]),
        ]
    if len(hashes) > 1:
        changed.append(("reversed", hashes[::-1]))
    return changed


def merkle() -> Object:
    entries = numbered(300)
    inclusion: list[Object] = []
    for index, size in [
        (0, 1),
        (0, 2),
        (1, 2),
        (2, 3),
        (0, 7),
        (4, 7),
        (6, 7),
        (7, 8),
        (69, 70),
        (256, 257),
        (100, 300),
    ]:
        base = {"leafHash": b64(leaf(entries[index])), "index": index, "size": size}
        root, true = mth(entries[:size]), path(index, entries[:size])
        cases = [("true", true, root, True), ("other root", true, flip(root), False)]
        cases += [(name, hashes, root, False) for name, hashes in mutations(true)]
        inclusion += [
            {
                "name": f"{index} of {size}: {name}",
                **base,
                "proof": [*map(b64, hashes)],
                "root": b64(r),
                "valid": ok,
            }
            for name, hashes, r, ok in cases
        ]
        inclusion.append(
            {
                "name": f"{index} of {size}: index beyond the tree",
                **base,
                "index": size,
                "proof": [*map(b64, true)],
                "root": b64(root),
                "valid": False,
            }
        )
    consistency: list[Object] = []
    for old, new in [
        (1, 1),
        (1, 2),
        (2, 3),
        (3, 7),
        (4, 7),
        (6, 8),
        (8, 8),
        (7, 70),
        (64, 70),
        (256, 300),
        (299, 300),
    ]:
        roots = (mth(entries[:old]), mth(entries[:new]))
        true = proof(old, entries[:new])
        rows = [("true", true, roots, True), ("other old root", true, (flip(roots[0]), roots[1]), False)]
        rows += [("other new root", true, (roots[0], flip(roots[1])), False)]
        rows += [(name, hashes, roots, False) for name, hashes in mutations(true)]
        consistency += [
            {
                "name": f"{old} to {new}: {name}",
                "oldSize": old,
                "newSize": new,
                "proof": [*map(b64, hashes)],
                "oldRoot": b64(r[0]),
                "newRoot": b64(r[1]),
                "valid": ok,
            }
            for name, hashes, r, ok in rows
        ]
    empty = mth([])
    consistency += [
        {
            "name": f"0 to {new}: nothing is consistent with the empty tree",
            "oldSize": 0,
            "newSize": new,
            "proof": [],
            "oldRoot": b64(empty),
            "newRoot": b64(mth(entries[:new])),
            "valid": False,
        }
        for new in (0, 1, 8)
    ]
    return {
        "roots": [{"size": n, "root": b64(mth(entries[:n]))} for n in [*range(71), 255, 256, 257, 300]],
        "inclusion": inclusion,
        "consistency": consistency,
    }


def checkpoints() -> Object:
    key, other, root = GOLDEN_LOG_KEY, LOG, mth(numbered(70))
    text = checkpoint_text(70, root)
    note = signed(text, key)
    line = signature_line(text, key)
    wrong = f"— {ORIGIN} {b64(key_id(ORIGIN, key.public) + other.sign(text.encode()))}\n"
    stranger = f"— witness.example/w1 {b64(b'abcd' + bytes(72))}\n"

    def lines(size: str, hash_: str = b64(root), origin: str = ORIGIN, more: str = "") -> str:
        return signed(f"{origin}\n{size}\n{hash_}\n{more}", key)

    def good(name: str, note: str, size: int = 70, root: bytes = root) -> Object:
        return {"name": name, "note": note, "size": size, "root": b64(root)}

    def as_other_origin(origin: str) -> str:
        body = checkpoint_text(70, root, origin)
        return body + "\n" + signature_line(body, key, origin)

    valid = [
        good("golden", note),
        good("empty log", signed(checkpoint_text(0, mth([])), key), 0, mth([])),
        good("largest size", signed(checkpoint_text(2**53 - 1, root), key), 2**53 - 1),
        good("a witness has signed too", note + stranger),
        good("a witness stands first", text + "\n" + stranger + line),
        good("the same stranger twice", note + stranger + stranger),
        good("another key of the same name is unknown", signed(text, key, other)),
    ]
    invalid: list[Object] = [
        {"name": name, "note": note}
        for name, note in [
            ("empty", ""),
            ("no signature", text),
            ("no signature after the blank line", text + "\n"),
            ("no blank line", text + line),
            ("carriage returns", note.replace("\n", "\r\n")),
            ("a tab in the text", lines("70\t")),
            ("a zero byte in the text", lines("70\x00")),
            ("last newline missing", note[:-1]),
            ("text after the signatures", note + "more\n"),
            ("a blank line at the end", note + "\n"),
            ("signature by a key that is not accepted", signed(text, other)),
            ("signature by another key under the accepted key's id", text + "\n" + wrong),
            ("a good signature and a bad one by the same key", note + wrong),
            ("the accepted key has signed twice", note + line),
            (
                "the accepted key under another name",
                text + "\n" + signature_line(text, key, "other.example/log"),
            ),
            ("one size changed after signing", note.replace("\n70\n", "\n71\n")),
            ("leading zero", lines("070")),
            ("plus sign", lines("+70")),
            ("negative", lines("-1")),
            ("hexadecimal", lines("0x46")),
            ("Arabic-Indic digits", lines("\u0667\u0660")),
            ("space after the size", lines("70 ")),
            ("empty size", lines("")),
            ("2^53", lines(str(2**53))),
            ("2^64", lines(str(2**64))),
            ("a size of 5,000 digits", lines("9" * 5000)),
            ("extension line", lines("70", more="timestamp 1700000000\n")),
            ("only two lines", signed(f"{ORIGIN}\n70\n", key)),
            ("a blank line in the text", lines("70", more="\n")),
            ("root of 31 bytes", lines("70", b64(root[:31]))),
            ("root of 33 bytes", lines("70", b64(root + b"\x00"))),
            ("root without padding", lines("70", b64(root).rstrip("="))),
            ("root in base64url", lines("70", b64(b"\xfb\xff" * 16).replace("+", "-").replace("/", "_"))),
            ("root with unused bits set", lines("70", b64(root)[:-2] + "B=")),
            ("root with a space in it", lines("70", b64(root)[:20] + " " + b64(root)[20:])),
            ("signature without padding", note[:-2].rstrip("=") + "\n"),
            (
                "signature of 63 bytes",
                text + "\n" + f"— {ORIGIN} {b64(key_id(ORIGIN, key.public) + bytes(63))}\n",
            ),
            ("signature of 4 bytes", text + "\n" + f"— {ORIGIN} {b64(key_id(ORIGIN, key.public))}\n"),
            ("hyphen for the em dash", note.replace("— ", "- ")),
            ("two spaces after the em dash", note.replace("— ", "—  ")),
            ("no-break space after the em dash", note.replace("— ", "—\u00a0")),
            ("no name", text + "\n" + line.replace(ORIGIN + " ", "")),
            ("plus in a name", note + stranger.replace("/w1", "+w1")),
            ("no-break space in a name", note + stranger.replace("/w1", "\u00a0w1")),
            ("101 signatures", note + stranger * 100),
            ("another origin", as_other_origin("example.github.io/other/log")),
            ("origin with a scheme", as_other_origin("https://example.github.io/benchsite/log")),
            ("origin with an upper-case host", as_other_origin(ORIGIN.replace("example", "Example"))),
            ("origin with a slash at its end", as_other_origin(ORIGIN + "/")),
            ("origin with a dot segment", as_other_origin("example.github.io/benchsite/../log")),
            ("byte order mark", "\ufeff" + note),
        ]
    ]
    invalid += [
        {"name": "not UTF-8", "noteHex": (note.encode() + b"\xff\n").hex()},
        {"name": "overlong UTF-8", "noteHex": note.encode().replace(b"70", b"\xc0\xb70").hex()},
    ]
    return {
        "origin": ORIGIN,
        "keys": [b64(key.public)],
        "vkeys": [vkey(ORIGIN, key.public)],
        "valid": valid,
        "invalid": invalid,
    }
