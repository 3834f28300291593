"""The contracts do catch what they forbid: each planted import must break one, by name."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PLANTED = [
    ("canonical/_limits.py", "import benchsite.signing", "Layers"),
    ("receipt/envelope.py", "import benchsite.log", "Layers"),
    ("site/charts.py", "import benchsite.repo", "Layers"),
    ("tracks/retrieval/metrics.py", "import pathlib", "The pure core"),
    ("tracks/agents/benchmarks/workbench/grading.py", "import pathlib", "The pure core"),
    ("history/verdict.py", "import datetime", "The pure core"),
    ("pipeline/status.py", "import git", "One door to git"),
    ("pipeline/publish/keys.py", "import cryptography", "One door to cryptography"),
    ("cli/check.py", "import rfc8785", "One door to the rfc8785 package"),
    ("tracks/retrieval/runner.py", "import time", "One door to the clock"),
    ("pipeline/build.py", "import mkdocs", "One door to mkdocs"),
    ("newroom.py", "", "Layers"),
    ("pipeline/record/whole.py", "import benchsite.pipeline.publish", "Pipeline"),
    ("pipeline/measure/compose.py", "import benchsite.pipeline.publish.inbox", "Pipeline"),
]


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-logo", "--no-cache"],
        cwd=folder,
        env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin", "COLUMNS": "300"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    shutil.copytree(
        root / "benchsite", tmp_path / "benchsite", ignore=shutil.ignore_patterns("__pycache__", "_data")
    )
    shutil.copy(root / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_house_as_it_stands_keeps_every_contract(copy: Path) -> None:
    out = lint(copy)
    assert out.returncode == 0, out.stdout + out.stderr


@pytest.mark.parametrize(
    ("place", "line", "contract"), PLANTED, ids=[f"{p}: {line}" for p, line, _ in PLANTED]
)
def test_a_planted_violation_is_caught(copy: Path, place: str, line: str, contract: str) -> None:
    path = copy / "benchsite" / place
    text = path.read_text(encoding="utf-8") if path.exists() else '"""A room nobody planned."""\n'
    path.write_text(f"{text}\n{line}\n", encoding="utf-8")
    out = lint(copy)
    assert out.returncode != 0
    shown = out.stdout + out.stderr
    assert contract in shown
    assert "BROKEN" in shown or "exhaustive" in shown.lower() or "undeclared" in shown.lower(), shown


def test_no_file_is_longer_than_four_hundred_lines(root: Path) -> None:
    long = {
        path.relative_to(root).as_posix(): count
        for folder in ("benchsite", "tests", "theme")
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in (".py", ".js", ".css", ".j2")
        # Other people's files: the vendored one stays byte for byte what its package holds.
        and not {"node_modules", "vendor"} & set(path.parts)
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}


def test_no_module_has_a_name_that_says_nothing(root: Path) -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "stuff"}
    assert [path for path in (root / "benchsite").rglob("*.py") if path.stem in vague] == []
