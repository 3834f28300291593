"""Receipts as a forger would send them: each leaf changed or replaced, signed again or not, members and bytes altered."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from forgery import at, changed, leaves
from parity.documents import NUMBERS, STRINGS, documents

from benchsite import canonical, signing
from benchsite.signing import PrivateKey

Document = dict[str, Any]
Forgery = Callable[[], bytes]
OTHERS: Final = (
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        0.5,
        1.5,
        1e-7,
        1e300,
        2**53 - 1,
        "",
        "a",
        "é",
        "\u202e",
        "x" * 201,
        "\x85",
    ),
    *(
        [],
        {},
        [None],
        {"a": 1},
        [[]],
        "0",
        "1.0.0",
        "2026-02-30T00:00:00Z",
        "sha256:" + "a" * 64,
        "\U0001f600" * 101,
    ),
)
_PLACE: Final = "@the place@"


def signed(document: Document, key: PrivateKey) -> Document:
    """The document with a signature that fits, as far as what is signed has a canonical form."""
    rest = {name: value for name, value in document.items() if name != "signature"}
    value = signing.encode_base64url(key.sign(canonical.dumps(rest)))
    return {
        **rest,
        "signature": {"algorithm": "Ed25519", "publicKeyFingerprint": key.fingerprint, "value": value},
    }


def forgeries(document: Document, key: PrivateKey, seed: int) -> Iterator[Forgery]:
    """Every way that changes one thing, and a number of each way that changes bytes at random."""
    draw = random.Random(seed)  # noqa: S311 - replayed, never secret
    yield partial(canonical.dumps, document)
    paths = [*leaves(document)]
    for path in paths:
        yield partial(_replaced, document, path, changed, None)
        again = None if path[0] == "signature" else key
        if again is not None:
            yield partial(_replaced, document, path, changed, again)
        for other in draw.sample(OTHERS, 4):
            yield partial(_replaced, document, path, lambda _, other=other: other, again)
    yield from _members(document, key, paths)
    yield from (partial(bytes, data) for data in _layouts(document, draw))
    data = canonical.dumps(document)
    yield from (partial(_altered, draw.getrandbits(32), data) for _ in paths)
    for place in range(len(paths)):
        yield partial(_hostile, draw.getrandbits(32), document, draw.choice(paths), place % 3)


def _replaced(document: Document, path: tuple[Any, ...], change: Any, key: PrivateKey | None) -> bytes:
    forged = _with(document, path, change)
    return canonical.dumps(forged if key is None else signed(forged, key))


def _with(document: Document, path: tuple[Any, ...], change: Any) -> Document:
    forged = copy.deepcopy(document)
    holder, key = at(forged, path)
    holder[key] = change(holder[key])
    return forged


def _members(document: Document, key: PrivateKey, paths: list[tuple[Any, ...]]) -> Iterator[Forgery]:
    """One member less, one more, in every object and list there is; a list's items turned round."""
    for way in dict.fromkeys(path[:depth] for path in paths for depth in range(len(path))):
        for change in ("less", "more", "turned"):
            yield partial(_reshaped, document, way, change, None if way[:1] == ("signature",) else key)


def _reshaped(document: Document, way: tuple[Any, ...], change: str, key: PrivateKey | None) -> bytes:
    forged = copy.deepcopy(document)
    holder: Any = forged
    for step in way:
        holder = holder[step]
    if change == "turned" and isinstance(holder, list):
        holder.reverse()
    elif change == "less" and holder:
        holder.pop(next(iter(holder)) if isinstance(holder, dict) else 0)
    elif isinstance(holder, dict):
        holder["extra" if change == "more" else "toString"] = 1
    else:
        holder.append(copy.deepcopy(holder[-1]) if holder else "x")
    return canonical.dumps(signed(forged, key) if key is not None and "signature" in forged else forged)


def _layouts(document: Document, draw: random.Random) -> Iterator[bytes]:
    """The same document in other bytes."""
    yield json.dumps(document, indent=2).encode()
    yield json.dumps(document, ensure_ascii=False, separators=(" ,", ": ")).encode()
    yield json.dumps(dict(reversed(document.items()))).encode()
    text = json.dumps(document, separators=(",", ":"))
    yield text.replace('"retrieval"', r'"\u0072etrieval"', 1).encode()
    yield text.replace("0.5,", "0.50,").replace("1.0,", "1,").encode()
    yield text.encode() + b"\n"
    yield b"\xef\xbb\xbf" + text.encode()
    yield text[: draw.randrange(len(text))].encode()
    yield text.replace("{", '{"track":"retrieval",', 1).encode()
    yield text.replace("{", r'{"\u0074rack":"retrieval",', 1).encode()
    yield text.replace("{", '{"__proto__":null,', 1).encode()


def _altered(seed: int, data: bytes) -> bytes:
    draw = random.Random(seed)  # noqa: S311
    place = draw.randrange(len(data))
    match draw.randrange(4):
        case 0:
            return data[:place] + bytes([data[place] ^ 1 << draw.randrange(8)]) + data[place + 1 :]
        case 1:
            return data[:place]
        case 2:
            return data[:place] + data[place + draw.randrange(1, 9) :]
        case _:
            return (
                data[:place]
                + draw.choice((b"0", b"9", b'"', b" ", b",", b"\xff", b"-", b"e5"))
                + data[place:]
            )


def _hostile(seed: int, document: Document, path: tuple[Any, ...], kind: int) -> bytes:
    """A hostile number, string or whole document in a value's place."""
    draw = random.Random(seed)  # noqa: S311
    text = (
        [*documents(draw.getrandbits(30), 6)][draw.randrange(6)],
        draw.choice(NUMBERS).encode(),
        draw.choice(STRINGS).encode(),
    )[kind]
    data = canonical.dumps(_with(document, path, lambda _: _PLACE))
    return data.replace(b'"' + _PLACE.encode() + b'"', text, 1)
