"""A copy button gives what tests/console.py would execute, for every console block of the documentation."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest
from console import commands

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^(?P<indent> *)```console\n(?P<body>.*?)\n(?P=indent)```", re.DOTALL | re.MULTILINE)
SCRIPT = """
globalThis.document = { body: { dataset: {} }, getElementById: () => null, querySelector: () => null, querySelectorAll: () => [], addEventListener: () => {} };
globalThis.location = { href: "http://bench.invalid/", protocol: "http:" };
const { copied } = await import("./theme/assets/js/page.js");
let read = "";
for await (const part of process.stdin) read += part;
console.log(JSON.stringify(JSON.parse(read).map(copied)));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="MODULES NOT RUN: node is not installed")
def test_a_block_is_copied_as_the_commands_that_it_executes():
    pages = [ROOT / "README.md", *sorted((ROOT / "content").rglob("*.md"))]
    bodies = [
        textwrap.dedent(found["body"]) + "\n"
        for page in pages
        for found in BLOCK.finditer(page.read_text(encoding="utf-8"))
    ]
    assert sum("<<" in body for body in bodies) > 5
    run = subprocess.run(
        ["node", "--input-type=module", "--eval", SCRIPT],
        cwd=ROOT,
        input=json.dumps(bodies),
        capture_output=True,
        text=True,
        check=True,
    )
    expected = ["".join(f"{one.text}\n" for one in commands(f"```console\n{body}```")) for body in bodies]
    assert json.loads(run.stdout) == expected
