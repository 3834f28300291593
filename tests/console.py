"""Console blocks of a page: read as commands with the output they promise, and run in one shell.

A line that begins with `$ ` is a command (a here-document belongs to it); any other line is output that must
appear, in order, in what the command prints. `<!-- not executed: reason -->` directly above a block leaves it out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

_BLOCK = re.compile(r"(?P<before>[^\n]*)\n(?P<indent> *)```console\n(?P<body>.*?)\n(?P=indent)```", re.DOTALL)
_HERE = re.compile(r"<<-?\s*'?(?P<end>[A-Z]+)'?")


@dataclass
class Command:
    text: str
    expected: list[str] = field(default_factory=list)


def commands(page: str) -> list[Command]:
    found: list[Command] = []
    for block in _BLOCK.finditer("\n" + page):
        if block["before"].strip().startswith("<!-- not executed:"):
            continue
        until = None
        for line in textwrap.dedent(block["body"]).splitlines():
            if until is not None:
                found[-1].text += "\n" + line
                until = None if line == until else until
            elif line.startswith("$ "):
                found.append(Command(line[2:]))
                here = _HERE.search(line)
                until = here["end"] if here else None
            else:
                assert found, f"output before any command: {line}"
                found[-1].expected.append(line)
        assert until is None, f"a here-document has no {until}"
    return found


def execute(found: Sequence[Command], name: str, *, cwd: Path, home: Path, **variables: str) -> None:
    """Run the commands in one shell and hold their output against what the page promises."""
    script = ["set -eo pipefail"]
    for number, command in enumerate(found):
        script.append(f"echo '@@ {number}'\n{command.text}")
    home.mkdir(exist_ok=True)
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("BENCHSITE_", "GIT_"))}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    out = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=cwd,
        env={**clean, "HOME": str(home), "PATH": path, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    shown = out.stdout.split("@@ ")
    last = shown[-1].partition("\n")[0] if len(shown) > 1 else "none"
    where = f"{name}: command {last}: {found[int(last)].text if last.isdigit() else ''}"
    assert out.returncode == 0, f"{where}\n{out.stdout[-2000:]}\n{out.stderr[-2000:]}"
    for number, command in enumerate(found):
        lines = iter(shown[number + 1].splitlines()[1:])
        for expected in command.expected:
            assert any(expected in line for line in lines), (
                f"{command.text!r} did not print {expected!r}:\n{shown[number + 1]}"
            )
