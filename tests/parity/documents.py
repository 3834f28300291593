"""Generated JSON documents: good ones, good ones with a fault put in, and hostile ones; the same for the same seed."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator
from decimal import Decimal, getcontext
from math import inf, isfinite, nextafter
from typing import Final

getcontext().prec = 1200  # every double, and every midpoint of two, has fewer decimal digits

# fmt: off
NUMBERS: Final = (
    *("0", "-0", "-0.0", "0e0", "-0e9", "0.0", "1.0", "-1", "10.0e-1", "0.1e1", "1E2", "1e+2", "4.35", "0.1"),
    *("9007199254740991", "9007199254740992", "-9007199254740991", "-9007199254740992", "9007199254740993"),
    *("9007199254740991.0", "9007199254740992.0", "9007199254740993.0", "9.007199254740992e15", "9e15", "1e16"),
    *("999999999999999900000", "999999999999999900000.0", "1e20", "1e21", "-1e21", "123456789012345680000.0"),
    *("1e-5", "1e-6", "1e-7", "0.000001", "0.0000001", "123e-20", "5e-324", "-5e-324", "3e-324", "2e-324"),
    *("2.4703282292062327e-324", "2.4703282292062328e-324", "2.2250738585072011e-308"),
    *("2.2250738585072014e-308", "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308"),
    *("1e308", "1e309", "-1e400", "1e99999999999999999999", "1e-99999999999999999999", "-1e-999"),
    *("0e999999999999", "1" * 400, "0." + "0" * 400, "1" * 17, "0." + "1" * 60, "1" * 30 + ".0"),
    *("1" * 30 + "e-20", "-" + "9" * 16, "1e0000000000000000000001", "01", "-01", "+1", ".5", "1.", "1.e5"),
    *("1e", "1e+", "-", "--1", "0x10", "1_0", "1,0", "NaN", "Infinity", "-Infinity", "nan", "1e5.5", "1.2.3"),
    *("\uff11", "\u0663", "1f", "0b1", "1n"),
)
STRINGS: Final = (
    *('""', '"a"', r'"\u0000"', r'"\u001f"', '"\x7f"', r'"\u007F"', '"\u2028\u2029"', r'"\/\b\f\n\r\t\"\\"'),
    *('"é"', '"e\u0301"', '"\U0001f600"', r'"\ud83d\ude00"', r'"\uD83D\uDE00"', r'"\uFFFF"', '"\uffff"'),
    *('"\ufeff"', r'"\ud800"', r'"\udc00"', r'"\ude00\ud83d"', r'"\ud83d\ud83d\ude00"', r'"\ud83dx"'),
    *(r'"\ud83d\n"', r'"\ud83d\u"', r'"\ud83d\u0041"', r'"\ud83d\udbff"', r'"\udfff\udfff"', r'"\x41"'),
    *(r'"\u12"', r'"\u12g4"', r'"\U0041"', r'"\v"', r'"\0"', '"\\', '"\\"', '"a\nb"', '"\x00"', '"\x1f"'),
    *('"\t"', "'a'", '"</script><!--"', '"\u202e"', '"\u0080"', r'"\u00e9"', r'"\uD7FF\uE000"'),
    *('"\ud7ff\ue000"', '"\U0010ffff"', r'"\uDBFF\uDFFF"', '"' + "x" * 60 + '"'),
)
KEYS: Final = (
    *('"a"', '"b"', r'"\u0061"', '"A"', '""', '"0"', '"1"', '"10"', '"2"', '"-1"', '"01"', '"4294967295"'),
    *('"1.5"', '"__proto__"', r'"\u005f_proto__"', r'"__proto\u005f_"', '"__proto___"', '"constructor"'),
    *('"toString"', '"hasOwnProperty"', '"valueOf"', '"length"', '"then"', '"toJSON"', '"get"', '"é"'),
    *('"\U0001f600"', r'"\ud83d\ude00"', '"\ufb33"', '"\uffff"', '"\ue000"', '"\u20ac"', '"\r"', r'"\r"'),
    *(r'"\ud800"', '"ö"', r'"o\u0308"', r'"\u00f6"', '"' + "k" * 45 + '"'),
)
SPACES: Final = (
    *("", "", "", "", " ", "\n", "\r\n", "\t", "  "),
    *("\u00a0", "\v", "\f", "\u2028", "\ufeff", "/**/", "//\n"),
)
TOKENS: Final = (
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"-", b".", b"e", b"0", b"1", b"null", b"true", b"\x00"),
    *(b" ", b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf0\x9f\x98", b"\xe2\x82", b"\x80"),
    *(b"\xc3\xa9", b"\xef\xbb\xbf", b"\\u0061", b"\\ud800", b"__proto__", b"1e400", b"-0"),
    *(b"9007199254740992", b"[[", b'"a":'),
)
_AFTER: Final = (b" ", b"\n", b"\x00", b"x", b"{}", b",", b"\xff", b"\xef\xbb\xbf", b"]", b"//")
_SHORT: Final = (b"", b" ", b"\xff\xfe[\x00]\x00", b"\x00[\x00]", b"nul", b"tru", b"nulll", b"True", b"//")
_WORDS: Final = ("true", "false", "null")
_NO_WORDS: Final = ("True", "nul", "undefined", "", "null")
_RANGES: Final = (
    *((0x20, 0x7E), (0x20, 0x7E), (0x00, 0x1F), (0x7F, 0x7FF)),
    *((0x800, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x10FFFF)),
)
# fmt: on


def documents(seed: int, count: int) -> Iterator[bytes]:
    """Documents of every kind, in turn."""
    draw = random.Random(seed)  # noqa: S311 - replayed, never secret
    kinds: tuple[Callable[[random.Random], bytes], ...] = (_good, _good, _faulty, _faulty, _hostile, _extreme)
    for place in range(count):
        yield kinds[place % len(kinds)](draw)


def _good(draw: random.Random) -> bytes:
    return _spaced(draw, _value(draw, 0, strict=True), strict=True).encode()


def _hostile(draw: random.Random) -> bytes:
    return _spaced(draw, _value(draw, 0, strict=False), strict=False).encode("utf-8", "surrogatepass")


def _faulty(draw: random.Random) -> bytes:
    """A good document, changed in one to three places."""
    data = _good(draw)
    for _ in range(draw.randint(1, 3)):
        start = draw.randint(0, len(data))
        end = min(len(data), start + draw.choice((0, 0, 1, 1, 4)))
        put = draw.choice((b"", draw.choice(TOKENS), draw.randbytes(1), data[start:end] * 2))
        data = data[:start] + put + data[end:]
    return data[: draw.randint(0, len(data))] if draw.random() < 0.1 else data


def _extreme(draw: random.Random) -> bytes:
    """What no generator of values comes upon: marks, depth, length, what follows the end, one hostile token."""
    data = _good(draw)
    numbers = ",".join(_any_number(draw) for _ in range(40))
    members = ",".join(f'"k{draw.randrange(60)}":{place}' for place in range(draw.choice((5, 12))))
    text = b"x" * draw.choice((100, 70_000))
    return draw.choice(
        (
            b"\xef\xbb\xbf" + data,
            data + draw.choice(_AFTER),
            _nested(draw, data),
            _nested(draw, data),
            f"[{draw.choice(NUMBERS)}]".encode(),
            f"[{draw.choice(STRINGS)}]".encode(),
            f"{{{draw.choice(KEYS)}:0,{draw.choice(KEYS)}:1}}".encode(),
            draw.choice(_SHORT),
            f"[{numbers}]".encode(),
            f"{{{members}}}".encode(),
            draw.randbytes(draw.randrange(12)),
            b'["' + text + draw.choice((b'"]', b'\\"]', b"\n", b"\xc3", b'\\ud800"]')),
        )
    )


def _nested(draw: random.Random, data: bytes) -> bytes:
    """Near the limit of depth, and far beyond it."""
    depth = draw.choice((62, 63, 64, 65, 66, 200, 20_000))
    opened = [draw.choice((b"[", b'{"a":')) for _ in range(depth)]
    closed = [b"]" if one == b"[" else b"}" for one in reversed(opened)]
    return b"".join([*opened, draw.choice((data, b"1")), *closed[: draw.choice((depth, depth, depth - 1))]])


def _spaced(draw: random.Random, text: str, *, strict: bool) -> str:
    around = SPACES[:9] if strict else SPACES
    return draw.choice(around) + text + draw.choice(around)


def _value(draw: random.Random, depth: int, *, strict: bool) -> str:
    kind = draw.random()
    if depth < 5 and kind < 0.25:
        items = (_value(draw, depth + 1, strict=strict) for _ in range(draw.randrange(5)))
        return "[" + ",".join(_spaced(draw, item, strict=strict) for item in items) + "]"
    if depth < 5 and kind < 0.55:
        return _object(draw, depth, strict=strict)
    if kind < 0.75:
        return _string(draw) if strict else draw.choice(STRINGS)
    if kind < 0.95:
        return _number(draw) if strict else draw.choice(NUMBERS)
    return draw.choice(_WORDS if strict else _NO_WORDS)


def _object(draw: random.Random, depth: int, *, strict: bool) -> str:
    count = draw.randrange(6)
    keys = [_string(draw) if strict and draw.random() < 0.5 else draw.choice(KEYS) for _ in range(count)]
    members = []
    for key in dict.fromkeys(keys) if strict else keys:
        value = _value(draw, depth + 1, strict=strict)
        members.append(f"{_spaced(draw, key, strict=strict)}:{_spaced(draw, value, strict=strict)}")
    return "{" + ",".join(members) + "}"


def _string(draw: random.Random) -> str:
    codes = [draw.randint(*draw.choice(_RANGES)) for _ in range(draw.randrange(8))]
    return '"' + "".join(_character(draw, code) for code in codes) + '"'


def _character(draw: random.Random, code: int) -> str:
    if code >= 0x20 and code not in (0x22, 0x5C) and draw.random() < 0.7:
        return chr(code)
    units = struct.unpack(f">{len(chr(code).encode('utf-16-be')) // 2}H", chr(code).encode("utf-16-be"))
    return "".join(f"\\u{unit:04{draw.choice('xX')}}" for unit in units)


def _number(draw: random.Random) -> str:
    """A number that strict JSON takes, whether or not it has a canonical form."""
    if draw.random() < 0.25:
        return str(draw.randint(-(2**53) + 1, 2**53 - 1) >> draw.randrange(53))
    text = _any_number(draw)
    return text if isfinite(float(text)) and float(text) else "0.5"


def _any_number(draw: random.Random) -> str:
    """A decimal near a double: its shortest form, all its digits, or beside the middle between it and the next one."""
    (double,) = struct.unpack(">d", draw.randbytes(8))
    if draw.random() < 0.4:
        double = draw.random() * 10.0 ** draw.randint(-9, 24)
    after = nextafter(double, inf)
    if not isfinite(double) or not isfinite(after):
        return "1e999"
    middle = f"{(Decimal(double) + Decimal(after)) / 2:e}"
    beside = middle.replace("e", draw.choice(("e", "1e", "0e"))) if "." in middle else middle
    digits = draw.randrange(25)
    return draw.choice((repr(double), f"{double:.{digits}e}", f"{Decimal(double):e}", beside))
