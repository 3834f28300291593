"""The prose is executed: every console block of a page runs, in order, in one shell, in an empty folder.

A line that begins with `$ ` is a command (a here-document belongs to it); any other line is output that must
appear, in order, in what the command prints. `<!-- not executed: reason -->` directly above a block leaves it out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    *sorted(path for path in (ROOT / "content").rglob("*.md") if path.name != "cli.md"),
    ROOT / "README.md",
]
_BLOCK = re.compile(r"(?P<before>[^\n]*)\n```console\n(?P<body>.*?)\n```", re.DOTALL)
_HERE = re.compile(r"<<-?\s*'?(?P<end>[A-Z]+)'?")


@dataclass
class Command:
    text: str
    expected: list[str] = field(default_factory=list)


def commands(page: str) -> list[Command]:
    found: list[Command] = []
    for block in _BLOCK.finditer("\n" + page):
        if block["before"].startswith("<!-- not executed:"):
            continue
        until = None
        for line in block["body"].splitlines():
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


def test_the_parser_tells_commands_from_output() -> None:
    page = "x\n```console\n$ cat <<'END'\n$ not a command\nEND\nhello\n$ true\n```\n\n<!-- not executed: why -->\n```console\n$ false\n```\n"
    assert commands(page) == [Command("cat <<'END'\n$ not a command\nEND", ["hello"]), Command("true")]


def test_blocks_that_are_not_executed_say_why() -> None:
    for path in PAGES:
        for reason in re.findall(r"<!-- not executed:(.*?)-->", path.read_text(encoding="utf-8")):
            assert len(reason.strip()) > 5, path


@pytest.mark.parametrize(
    "path",
    [path for path in PAGES if commands(path.read_text(encoding="utf-8"))],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_a_page_does_what_it_says(path: Path, tmp_path: Path) -> None:
    found = commands(path.read_text(encoding="utf-8"))
    script = ["set -eo pipefail"]
    for number, command in enumerate(found):
        script.append(f"echo '@@ {number}'\n{command.text}")
    home = tmp_path / "home"
    home.mkdir()
    work = tmp_path / "work"
    work.mkdir()
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("BENCHSITE_", "GIT_"))}
    out = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=work,
        env={**clean, "HOME": str(home), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    shown = out.stdout.split("@@ ")
    last = shown[-1].partition("\n")[0] if len(shown) > 1 else "none"
    where = f"{path.name}: command {last}: {found[int(last)].text if last.isdigit() else ''}"
    assert out.returncode == 0, f"{where}\n{out.stderr[-2000:]}"
    for number, command in enumerate(found):
        lines = iter(shown[number + 1].splitlines()[1:])
        for expected in command.expected:
            assert any(expected in line for line in lines), (
                f"{command.text!r} did not print {expected!r}:\n{shown[number + 1]}"
            )
