"""The prose is executed: every console block of a page runs, in order, in one shell, in an empty folder."""

from __future__ import annotations

import fcntl
import os
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from console import Command, commands, execute

from benchsite import __version__

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    *sorted(path for path in (ROOT / "content").rglob("*.md") if path.name != "cli.md"),
    ROOT / "README.md",
]


def test_the_parser_tells_commands_from_output() -> None:
    page = (
        "x\n```console\n$ cat <<'END'\n$ not a command\nEND\nhello\n$ true\n```\n\n"
        "1. step\n\n   ```console\n   $ echo hi\n   hi\n   ```\n\n"
        "<!-- not executed: why -->\n```console\n$ false\n```\n"
    )
    assert commands(page) == [
        Command("cat <<'END'\n$ not a command\nEND", ["hello"]),
        Command("true"),
        Command("echo hi", ["hi"]),
    ]


def test_blocks_that_are_not_executed_say_why() -> None:
    for path in PAGES:
        for reason in re.findall(r"<!-- not executed:(.*?)-->", path.read_text(encoding="utf-8")):
            assert len(reason.strip()) > 5, path


def built(folder: Path) -> None:
    """A wheel as the first step of the tutorial leaves it; with the metadata alone, which is what `ci pin` reads."""
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / f"benchsite-{__version__}-py3-none-any.whl", "w") as archive:
        metadata = f"Metadata-Version: 2.1\nName: benchsite\nVersion: {__version__}\n"
        archive.writestr(f"benchsite-{__version__}.dist-info/METADATA", metadata)


DEMO = "benchsite demo --output demo"
FIRST = "quick-start.md"
"""The page that makes the demo itself."""
LONG = 6
"""Commands of a page that the gate executes; `make test-full` executes all."""
WITH_A_MODEL = ("models.md", "run-an-experiment.md")


def gated(path: Path) -> Any:
    """A page as a parameter: the gate executes the first one, and those of few commands that need no demo."""
    found = commands(path.read_text(encoding="utf-8"))
    slow = len(found) > LONG or Command(DEMO) in found or path.name in WITH_A_MODEL
    full = path.name != FIRST and slow
    return pytest.param(path, id=path.relative_to(ROOT).as_posix(), marks=[pytest.mark.full] if full else [])


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo that the other pages begin with, made once for all workers."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with (folder / "demo.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "demo").is_dir():
            execute([Command(DEMO)], "the demo", cwd=folder, home=folder / "demo-home")
    return folder / "demo"


@pytest.mark.stories
@pytest.mark.parametrize(
    "path", [gated(path) for path in PAGES if commands(path.read_text(encoding="utf-8"))]
)
def test_a_page_does_what_it_says(path: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    work = tmp_path / "work"
    work.mkdir()
    if "ci pin" in path.read_text(encoding="utf-8"):
        built(work / "benchsite" / "dist")
    found = commands(path.read_text(encoding="utf-8"))
    if path.name != FIRST and Command(DEMO) in found:
        found[found.index(Command(DEMO))] = Command(f"cp -a '{request.getfixturevalue('demo')}' demo")
    execute(found, path.name, cwd=work, home=tmp_path / "home")
