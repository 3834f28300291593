"""The lines of stderr that a person is shown when an adapter fails."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.isolation import stderr

NODE = """node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module 'left-pad-xyz'
Require stack:
- /tmp/adapter
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at require (node:internal/modules/helpers:182:18)
    at Object.<anonymous> (/tmp/adapter:2:1)
    at node:internal/main/run_main_module:28:49 {
  code: 'MODULE_NOT_FOUND'
}

Node.js v20.20.2
"""


def test_frames_of_nodes_runtime_and_its_version_are_left_out() -> None:
    assert stderr.relevant(NODE.encode()) == (
        "node:internal/modules/cjs/loader:1210",
        "  throw err;",
        "  ^",
        "Error: Cannot find module 'left-pad-xyz'",
        "Require stack:",
        "- /tmp/adapter",
        "    at Object.<anonymous> (/tmp/adapter:2:1)",
        "  code: 'MODULE_NOT_FOUND'",
        "}",
    )
    assert stderr.reason(NODE.encode()) == "Error: Cannot find module 'left-pad-xyz'"


def test_an_error_above_the_last_ten_lines_is_kept() -> None:
    frames = [f"    at deep (/tmp/adapter:{number}:1)" for number in range(30)]
    text = "\n".join(["ReferenceError: boat is not defined", *frames])
    assert stderr.relevant(text.encode()) == ("ReferenceError: boat is not defined", *frames[-9:])


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        ((), ""),
        (("  out of memory",), "stderr: out of memory"),
        (("one", "  two"), "stderr:\n  one\n    two"),
    ],
)
def test_one_line_is_beside_its_label_and_several_are_below_it(lines: tuple[str, ...], shown: str) -> None:
    assert stderr.shown(lines) == shown


@given(st.one_of(st.binary(max_size=2000), st.text(max_size=2000).map(lambda text: text.encode())))
def test_any_bytes_become_at_most_ten_bounded_lines_without_controls(tail: bytes) -> None:
    lines = stderr.relevant(tail)
    assert len(lines) <= 10
    assert all(len(line) <= 300 and not re.search(r"[\x00-\x1f\x7f-\x9f]", line) for line in lines)
    assert bool(lines) == any(line.strip() for line in tail.decode("utf-8", "replace").split("\n"))
    assert "\n" not in stderr.reason(tail)
