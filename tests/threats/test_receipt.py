"""Threats against one receipt's content, bytes, key and names: as a file in the repository, and handed to verify."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from altering import found, head
from builders import commit
from documents import MATERIALS
from forgery import by_name
from snapshots import opened, snapshot

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.history import Examination, Verdict, examine
from benchsite.pipeline import verify as checking
from benchsite.pipeline.audit import Kind
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey, decode_base64url, encode_base64url, fingerprint, public_pem

Sign = Callable[..., bytes]
Place = tuple[str | int, ...]

# What a file that somebody hands over cannot be judged by here, once it is another one.
ELSEWHERE: set[Place] = {("schemaVersion",), ("track",), ("methodology",), ("methodology", "version")}
ORDER = 2**252 + 27742317777372353535851937790883648493  # RFC 8032 section 5.1: L
TRACK = b'"track":"retrieval"'
SEED = b'"seed":7'
IDENTITY = b"\x01" + bytes(31)


def both_forms(instance: Workspace, path: str, forged: Sequence[bytes]) -> Iterator[tuple[Examination, ...]]:
    """Each file handed to verify, and in the place of the receipt that lies at this path."""
    log = snapshot(instance).log
    for data in forged:
        yield tuple(
            examine(data, log=log, scorers=instance.tracks, materials=MATERIALS, path=where)
            for where in (None, path)
        )


def holders(value: Any, path: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every object and every list."""
    if isinstance(value, dict | list):
        yield path, value
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from holders(inner, (*path, key))


def reshaped(holder: Any) -> Iterator[tuple[str | int, Any]]:
    """The same object or list with one member gone, emptied, repeated, added or in another order."""
    if isinstance(holder, dict):
        for key, value in holder.items():
            yield key, {name: inner for name, inner in holder.items() if name != key}
            if value is not None:
                yield key, {**holder, key: None}
        yield "added", {**holder, "added": 1}
        return
    yield len(holder), [*holder, None]
    if holder:
        yield len(holder) - 1, holder[:-1]
        yield 0, [holder[0], *holder]
    if holder != holder[::-1]:
        yield 0, holder[::-1]


def replaced(value: Any, path: Place, other: Any) -> Any:
    if not path:
        return other
    copied = value.copy()
    copied[path[0]] = replaced(value[path[0]], path[1:], other)
    return copied


@pytest.mark.stories
def test_any_member_of_a_receipt_removed_emptied_or_added(published: Workspace) -> None:
    """Row "any leaf value of a receipt changed (test every path)": beside the values, the shape around them."""
    path, document = by_name(published, "sqlite-fts5")
    places, forged = [], []
    for place, holder in holders(document):
        for key, other in reshaped(holder):
            places.append((*place, key))
            forged.append(canonical.dumps(replaced(document, place, other)))
    assert len(places) > 1_000
    for place, (handed, stored) in zip(places, both_forms(published, path, forged), strict=True):
        allowed = {Verdict.INVALID, Verdict.UNSUPPORTED} if place in ELSEWHERE else {Verdict.INVALID}
        assert handed.verdict in allowed, f"{place}: {handed.verdict} {handed.steps}"
        assert (stored.verdict, stored.exit_code) == (Verdict.INVALID, 3), place
        for seen in (handed, stored):
            last = seen.failed or seen.steps[-1]
            assert last.name, place
            assert last.detail, place


def test_any_digit_of_the_signature_changed(published: Workspace) -> None:
    """The same row: 86 characters, the last of which has four unused bits (86 x 6 = 64 x 8 + 4)."""
    path, document = by_name(published, "bm25")
    value = document["signature"]["value"]
    forged = []
    for place, character in enumerate(value):
        other = "A" if character != "A" else "B"
        changed = value[:place] + other + value[place + 1 :]
        forged.append(canonical.dumps(replaced(document, ("signature", "value"), changed)))
    for seen in both_forms(published, path, forged):
        for one in seen:
            assert one.verdict is Verdict.INVALID
            assert one.failed is not None
            assert (one.failed.name, one.failed.field) == ("signature", "signature.value")


def test_re_serialised_json(published: Workspace) -> None:
    """Row of that name: any other spelling of the same content holds when handed over, none in the repository."""
    path, document = by_name(published, "bm25")
    genuine = canonical.dumps(document)
    spellings = [
        json.dumps(document, indent="\t").encode(),
        json.dumps(dict(reversed(document.items()))).encode(),
        genuine.replace(SEED, b'"seed":7.0'),
        genuine.replace(SEED, b'"seed":70e-1'),
        genuine.replace(TRACK, b'"tr\\u0061ck":"retri\\u0065val"'),
        b"\r\n" + genuine + b"\n",
    ]
    for handed, stored in both_forms(published, path, spellings):
        assert handed.verdict is Verdict.LOGGED
        said = [step.detail for step in handed.steps if (step.name, step.state) == ("canonical", "warning")]
        assert said == ["not in canonical form; the canonical form was checked instead"]
        assert stored.failed is not None
        assert (stored.verdict, stored.failed.name) == (Verdict.INVALID, "canonical")


MALFORMED = {
    "duplicate key": (TRACK, TRACK + b"," + TRACK),
    "duplicate key by an escape": (TRACK, TRACK + b',"\\u0074rack":"retrieval"'),
    "duplicate key deep inside": (SEED, SEED + b',"\\u0073eed":8'),
    "__proto__": (TRACK, TRACK + b',"__proto__":{}'),
    "__proto__ by an escape": (TRACK, TRACK + b',"\\u005f_proto__":{}'),
    "lone surrogate in a key": (TRACK, TRACK + b',"\\ud800":1'),
    # The receipt is level 1, config level 2, the seed's place level 3.
    "65 levels": (SEED, b'"seed":' + b"[" * 63 + b"]" * 63),
    "100,000 levels": (SEED, b'"seed":' + b"[" * 100_000 + b"]" * 100_000),
    "2^53": (SEED, b'"seed":9007199254740992'),
    "a million digits": (SEED, b'"seed":' + b"9" * 1_000_000),
    "minus zero": (SEED, b'"seed":-0'),
    "not a number": (SEED, b'"seed":NaN'),
    "infinity": (SEED, b'"seed":Infinity'),
    "overflow": (SEED, b'"seed":1e999'),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_duplicate_key_proto_deep_or_huge_json(published: Workspace, name: str) -> None:
    """Row of that name: a genuine receipt with one place made malformed is INVALID at parse, which names the byte."""
    path, document = by_name(published, "bm25")
    genuine = canonical.dumps(document)
    old, new = MALFORMED[name]
    assert genuine.count(old) == 1
    for seen in next(both_forms(published, path, [genuine.replace(old, new)])):
        assert (seen.verdict, seen.exit_code) == (Verdict.INVALID, 3)
        assert seen.failed is not None
        assert seen.failed.name == "parse"
        assert "byte" in seen.failed.detail


def test_the_limits_themselves_are_allowed(published: Workspace) -> None:
    """Depth 64 and 8 MiB are read; one more of either is not (log.md, "Strict JSON")."""
    path, document = by_name(published, "bm25")
    genuine = canonical.dumps(document)
    largest = genuine.ljust(8 * 1024 * 1024)
    deepest = genuine.replace(SEED, b'"seed":' + b"[" * 62 + b"]" * 62)
    (large, _), (larger, stored), (deep, _) = both_forms(published, path, [largest, largest + b" ", deepest])
    assert large.verdict is Verdict.LOGGED
    for seen in (larger, stored):
        assert seen.verdict is Verdict.INVALID
        assert seen.failed is not None
        assert seen.failed.name == "parse"
        assert "8" in seen.failed.detail
    assert deep.failed is not None
    assert (deep.failed.name, deep.failed.field) == ("schema", "config.seed")


def test_malformed_files_in_the_repository(published: Workspace) -> None:
    """The same row, committed: verify, the record that pages are made from, and the audit each name the file."""
    paths = [item.path for item in snapshot(published).published]
    damages = [
        (TRACK, TRACK + b',"\\u0074rack":"retrieval"'),
        (TRACK, TRACK + b',"__proto__":{}'),
        (SEED, b'"seed":' + b"[" * 63 + b"]" * 63),
        (b"}", b"}" + b" " * 8 * 1024 * 1024),
    ]
    written = {}
    for path, (old, new) in zip(paths, damages, strict=True):
        data = published.repository.read(path, rev="HEAD")
        assert data is not None
        written[path] = data.replace(old, new, 1) if old != b"}" else data + b" " * 8 * 1024 * 1024
    commit(published, written)
    for checked in checking.verify(opened(published), (), everything=True):
        assert checked.examination is not None
        assert checked.examination.verdict is Verdict.INVALID
        assert checked.examination.failed is not None
        assert checked.examination.failed.name == "parse"
    headers = snapshot(published).history().headers
    assert [(header.verdict, header.summary) for header in headers] == [(Verdict.INVALID, None)] * 4
    assert found(published) == {(Kind.EDITED, path, head(published)) for path in paths}


def carriers(key: PrivateKey) -> Iterator[tuple[str, Place, Any]]:
    """Places where other formats carry the key, and what they put there."""
    pem = public_pem(key.public)
    jwk = {"kty": "OKP", "crv": "Ed25519", "x": encode_base64url(key.public)}
    for name, value in (
        ("publicKey", pem),
        ("jwk", jwk),
        ("key", encode_base64url(key.public)),
        ("x5c", [pem]),
    ):
        yield name, (name,), value
        yield name, ("signature", name), value
        yield name, ("environment", name), value


def test_a_key_carried_in_the_receipt_is_never_used(published: Workspace, signed: Sign) -> None:
    """Row "key swapped, key carried in the receipt": an unknown field, whoever signed, whatever key it brings."""
    path, document = by_name(published, "bm25")
    stranger = PrivateKey.generate()
    for name, place, value in carriers(stranger):
        if place[0] == "signature":
            data = signed(document, stranger, **{name: value})
        elif len(place) == 1:
            data = signed({**document, name: value}, stranger)
        else:
            data = signed({**document, "environment": {**document["environment"], name: value}}, stranger)
        for seen in next(both_forms(published, path, [data])):
            assert seen.verdict is Verdict.INVALID, place
            assert seen.failed is not None
            assert name in seen.failed.field, place


def test_a_key_put_among_the_key_files_is_not_used(published: Workspace, signed: Sign) -> None:
    """The same row: a key counts once an event signed by the root announces it, not once its file lies there."""
    path, document = by_name(published, "bm25")
    stranger = PrivateKey.generate()
    data = signed(document, stranger)
    name = stranger.fingerprint.removeprefix("sha256:")
    commit(published, {path: data, f"keys/{name}.pub": public_pem(stranger.public).encode()})
    (stored,) = (
        item for item in checking.verify(opened(published), (), everything=True) if item.path == path
    )
    assert stored.examination is not None
    assert stored.examination.verdict is Verdict.INVALID
    assert stored.examination.failed is not None
    assert stored.examination.failed.field == "signature.publicKeyFingerprint"
    handed = examine(data, log=snapshot(published).log, scorers=published.tracks, materials=MATERIALS)
    assert handed.verdict is Verdict.UNKNOWN_SIGNER


def test_small_order_key_non_canonical_encoding_s_at_least_l(published: Workspace, tmp_path: Path) -> None:
    """Row of that name, on a receipt: the signature's twins, and keys under which anybody could sign."""
    path, document = by_name(published, "bm25")
    genuine = decode_base64url(document["signature"]["value"])
    point, scalar = genuine[:32], int.from_bytes(genuine[32:], "little")
    twins = [
        point
        + (scalar + ORDER).to_bytes(32, "little"),  # the same residue, the cofactorless equation still holds
        IDENTITY + bytes(32),  # R = identity, S = 0: fits every message under a small-order key
        b"\xee" + b"\xff" * 30 + b"\x7f" + genuine[32:],  # R: y = p + 1, a second encoding of the identity
    ]
    forged = [
        canonical.dumps(replaced(document, ("signature", "value"), encode_base64url(twin))) for twin in twins
    ]
    for seen in both_forms(published, path, forged):
        for one in seen:
            assert one.verdict is Verdict.INVALID
            assert one.failed is not None
            assert one.failed.field == "signature.value"
    file = tmp_path / "key.pem"
    file.write_text(public_pem(IDENTITY))
    with pytest.raises(InputError, match="key is refused"):
        checking.supplied_key(file)
    replaced_key = replaced(document, ("signature", "publicKeyFingerprint"), fingerprint(IDENTITY))
    anybody = canonical.dumps(replaced(replaced_key, ("signature", "value"), encode_base64url(twins[1])))
    handed = examine(
        anybody,
        log=snapshot(published).log,
        scorers=published.tracks,
        materials=MATERIALS,
        supplied_key=IDENTITY,
    )
    assert handed.verdict is Verdict.INVALID


NAMES = ["../../../../etc/passwd", "..", ".", "a/../b", "/etc/passwd", "a\\..\\b", "%2e%2e%2fb", "a\x00b", ""]
IDS: list[Place] = [
    ("receiptId",),
    ("track",),
    ("methodology", "id"),
    ("methodology", "version"),
    ("supersedes",),
    ("reproduces",),
    ("intentId",),
    ("derivedFrom",),
    ("benchVersion",),
    ("adapter", "name"),
    ("fixture", "id"),
]


@pytest.mark.parametrize("place", IDS, ids=".".join)
def test_path_traversal_in_ids(published: Workspace, signed: Sign, place: Place) -> None:
    """Row of that name: genuinely signed, and still no id; paths derive from ids, so none is made from it."""
    path, document = by_name(published, "bm25")
    forged = [signed(replaced(document, place, name)) for name in NAMES]
    for seen in both_forms(published, path, forged):
        for one in seen:
            assert one.verdict is Verdict.INVALID
            assert one.failed is not None
            assert one.failed.name in {"parse", "schema"}
            assert one.failed.field == ".".join(map(str, place))


def test_a_receipt_names_another_tracks_methodology(published: Workspace, signed: Sign) -> None:
    """Row of that name: signed by the key in force, with a version and a hash that are here."""
    path, document = by_name(published, "bm25")
    (version,) = published.methodologies.versions("rubric")[-1:]
    other = {**published.methodologies.read("rubric", version).reference}
    names = {**document["methodology"], "id": "rubric"}
    forged = [signed({**document, "methodology": rules}) for rules in (other, names)]
    for seen in both_forms(published, path, forged):
        for one in seen:
            assert one.verdict is Verdict.INVALID
            assert one.failed is not None
            assert one.failed.field == "methodology.id"
