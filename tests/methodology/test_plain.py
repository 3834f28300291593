"""The plain form of four keys: whatever is taken reads the same as YAML, and in JavaScript; the rest names its line."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchsite import resources, yaml_document
from benchsite.errors import InputError
from benchsite.methodology import plain

PACKAGED = sorted(resources.folder("methodology").glob("*/*/methodology.yaml"))
SCALARS = (
    *(
        "0",
        "10",
        "-3",
        "0.05",
        "-0.5",
        "1.959963984540054",
        "007",
        "1e5",
        "1.5e+3",
        ".5",
        "+1",
        "-0",
        "1_000",
        "0x1F",
    ),
    *("0b01", "0o7", "2026-11-22", "12:30", "9007199254740991", "9007199254740992", "1" * 41, "3.", "-"),
    *(
        "true",
        "false",
        "null",
        "True",
        "YES",
        "no",
        "off",
        "y",
        "~",
        "nan",
        ".inf",
        "text",
        "2/5",
        "1.0.0",
        "1.0",
        "1.2.3.4",
    ),
    *(
        "rubric/2",
        "a" * 64,
        "0b" + "01" * 31,
        "1" * 64,
        '"text"',
        '"a # b"',
        '"a: b"',
        '"a\\nb"',
        '"é"',
        '"',
        "'a'",
        "'a''b'",
        "'a # b: c'",
        "'a\\n'",
        "'a\"'",
        "'a'b",
        "a b",
    ),
    *(
        "a#b",
        "a #b",
        "a: b",
        "*a",
        "&a b",
        "!!str 1",
        "{a: 1}",
        "[1, 5, 10]",
        "[]",
        "[1,2 , 3]",
        '[ a, "b" ]',
        "[1,]",
    ),
    *("[1", "[[1]]", "[1 2]", ">-", "|", "", "{}", "# only", "1 # one", "é", "a\u00a0b", "a\x85b"),
)
LINES = (
    *("track", "version", "engine", "title", "summary", "published"),
    *("parameters", "yes", '"track"', "track ", "?", "parameters.x"),
)
FREE = (
    "# a comment",
    "",
    "   ",
    "\t",
    "  # inner",
    "---",
    "...",
    "- a",
    "  a: 1",
    "    b: 2",
    "changes:",
    "- type: added",
    "\u2028",
)


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    lines: list[str] = []
    for _ in range(draw(st.integers(0, 7))):
        kind = draw(st.integers(0, 5))
        if kind == 0:
            lines.append(draw(st.sampled_from(FREE)))
        elif kind == 1:
            lines.append(f"parameters:{draw(st.sampled_from(('', '', '', ' {}', ' # all', ' 1', ' ')))}")
            for number in range(draw(st.integers(0, 4))):
                indent = draw(st.sampled_from(("  ", "  ", "  ", " ", "    ", "")))
                name = draw(st.sampled_from((f"p{number}", f"p{number}", "p0", "on", "a-b")))
                lines.append(f"{indent}{name}: {draw(st.sampled_from(SCALARS))}")
        else:
            lines.append(f"{draw(st.sampled_from(LINES))}: {draw(st.sampled_from(SCALARS))}")
    return draw(st.sampled_from(("\n", "\n", "\r\n", "\r"))).join(lines).encode()


def as_yaml(data: bytes) -> Any:
    try:
        return yaml_document.load(data, "it", tags="refused").value
    except InputError:
        return None


@given(documents())
def test_what_is_taken_reads_the_same_as_yaml(data: bytes) -> None:
    """Of a whole document of four plain keys, so that no other key can hide one."""
    try:
        found = plain.read(data, "it")
    except InputError as error:
        assert error.message.startswith("it, line ")
        return
    value = as_yaml(data)
    assume(isinstance(value, dict))
    try:
        plain.check(data, value, "it")
    except InputError:
        # YAML takes more lines into a value of another key, or a line of ours into it: refused, never taken.
        assert {key: value[key] for key in plain.KEYS if key in value} != found
    else:
        assert {key: value[key] for key in plain.KEYS if value.get(key) is not None} == {
            key: held for key, held in found.items() if held is not None
        }


@pytest.mark.parametrize("scalar", SCALARS)
def test_a_value_is_refused_or_read_as_yaml_reads_it(scalar: str) -> None:
    data = f"parameters:\n  x: {scalar}\n".encode()
    try:
        found = plain.read(data, "it")
    except InputError:
        return
    assert found == as_yaml(data)
    assert type(found["parameters"]["x"]) is type(as_yaml(data)["parameters"]["x"])


@pytest.mark.parametrize("path", PACKAGED, ids=lambda path: f"{path.parent.parent.name}-{path.parent.name}")
def test_every_packaged_document_is_of_the_plain_form(path: Path) -> None:
    data = path.read_bytes()
    plain.check(data, as_yaml(data), str(path))
    assert plain.read(data, str(path))["version"] == path.parent.name


def test_a_key_that_yaml_finds_elsewhere_is_refused() -> None:
    for text in ("track: a\n b\n", "title: x\n  y\nversion: 1\n  .2\n"):
        with pytest.raises(InputError):
            plain.check(text.encode(), as_yaml(text.encode()), "it")
    hidden = b'title: "\ntrack: a"\n'
    with pytest.raises(InputError, match="null in YAML"):
        plain.check(b"title: |\n  x\nversion: 1.0.0\n", {"title": "x"}, "it")
    with pytest.raises(InputError):
        plain.check(hidden, as_yaml(hidden), "it")


@pytest.mark.skipif(shutil.which("node") is None, reason="PARITY NOT RUN: node is not installed")
def test_javascript_reads_and_refuses_the_same(root: Path) -> None:
    draw = Random(13)  # noqa: S311 - replayed, never secret
    cases = [path.read_bytes() for path in PACKAGED]
    for _ in range(4_000):
        lines = [f"  p{n}: {draw.choice(SCALARS)}" for n in range(draw.randrange(3))]
        head = [f"{draw.choice(LINES)}: {draw.choice(SCALARS)}" for _ in range(draw.randrange(3))]
        rest = [draw.choice(FREE) for _ in range(draw.randrange(3))]
        text = draw.choice(("\n", "\n", "\r\n", "\r")).join([*head, "parameters:", *lines, *rest])
        data = bytearray(text.encode())
        for _ in range(draw.choice((0, 0, 1, 2))):
            data[draw.randrange(len(data))] = draw.choice(b" :#\n\r\t\"'-[]{},.0aZ\xff\xc3")
        cases.append(bytes(data))
    ask = """
        import { plain } from "./methodology.js";
        import { readFileSync } from "node:fs";
        const answers = JSON.parse(readFileSync(0, "utf8")).map((hex) => {
          try { return plain(new Uint8Array(Buffer.from(hex, "hex"))); } catch (error) { return error.message.split(":")[0]; }
        });
        process.stdout.write(JSON.stringify(answers));
    """
    run = subprocess.run(
        ["node", "--input-type=module", "--eval", ask],
        cwd=root / "theme" / "verify",
        input=json.dumps([case.hex() for case in cases]).encode(),
        capture_output=True,
        check=True,
    )
    assert json.loads(run.stdout) == [read(case) for case in cases]


def read(data: bytes) -> Any:
    try:
        return plain.read(data, "methodology.yaml")
    except InputError as error:
        return error.message.split(":")[0]
