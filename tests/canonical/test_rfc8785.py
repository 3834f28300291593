"""`canonicalize` is RFC 8785: the number table of its Appendix B, and ECMAScript itself as the oracle."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from benchsite.canonical import JsonError, canonicalize

# RFC 8785, Appendix B: the bits of a double, and its form.
TABLE = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}


@pytest.mark.parametrize("bits", TABLE)
def test_appendix_b(bits: str) -> None:
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    token = "-0" if bits == "8000000000000000" else repr(value)
    assert canonicalize(f"[{token}]".encode()) == f"[{TABLE[bits]}]".encode()


def test_the_document_of_the_case_is_as_ecmascript_writes_it(tmp_path: Path) -> None:
    text = '{"b": -0, "a": [-0.0, 9007199254740993, 1e-999, 0.1], "__proto__": 1}'
    assert canonicalize(text.encode()) == b'{"__proto__":1,"a":[0,9007199254740992,0,0.1],"b":0}'
    if node := shutil.which("node"):
        script = "process.stdout.write(JSON.stringify(JSON.parse(process.argv[1])))"
        text = '{"a":-0,"b":[-0.0,9007199254740993,123456789012345678901234567890,1e-7]}'
        said = subprocess.run([node, "-e", script, text], check=True, capture_output=True).stdout
        assert canonicalize(text.encode()) == said


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b'{"a":1,"a":2}', "occurs twice"),
        (b'{"z":-0,"a":1,"a":2}', "occurs twice"),
        (b'["\\ud800"]', "surrogate"),
        (b"[1e999]", "too large"),
        (b"[-0,1e999]", "too large"),
        (b"[NaN]", "JSON: unexpected"),
        (b"[-0", "JSON: "),
        (b"[" * 70 + b"]" * 70, "deeper"),
        (b"\xff", "UTF-8"),
        (b"-0 \xff", "JSON: "),
        (b"", "too early"),
    ],
)
def test_what_i_json_excludes_is_refused(text: bytes, says: str) -> None:
    with pytest.raises(JsonError) as caught:
        canonicalize(text)
    assert says in caught.value.message


def test_the_vectors_of_the_standards_author(shared: Path) -> None:
    for path in sorted((shared / "vectors/jcs/input").iterdir()):
        expected = (shared / "vectors/jcs/output" / path.name).read_bytes()
        assert canonicalize(path.read_bytes()) == expected, path.name
        assert json.loads(expected) == json.loads(path.read_bytes())
