"""The contracts do catch what they forbid: each planted import must break one, by name."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PLANTED = {
    "Layers": (
        ("canonical/_limits.py", "benchsite.signing"),
        ("receipt/envelope.py", "benchsite.log"),
        ("site/charts/bars.py", "benchsite.repo"),
    ),
    "The pure core": (
        ("tracks/retrieval/metrics.py", "pathlib"),
        ("tracks/agents/benchmarks/workbench/grading.py", "pathlib"),
        ("history/verdict.py", "datetime"),
    ),
    "Only the command line, the Python API": (("pipeline/build.py", "benchsite.pipeline.head"),),
    "One door to the commit": (("pipeline/status.py", "benchsite.repo.head"),),
    "One door to git: benchsite.repo": (("pipeline/status.py", "git"),),
    "One door to cryptography": (("pipeline/publish/keys.py", "cryptography"),),
    "One door to the rfc8785 package": (("cli/check.py", "rfc8785"),),
    "One door to the clock": (("tracks/retrieval/run/runner.py", "time"),),
    "One door to foreign programs": (("tracks/agents/run/runner.py", "subprocess"),),
    "One door to Dask": (("tracks/agents/run/experiment/remote.py", "distributed"),),
    "One door to mkdocs": (("pipeline/build.py", "mkdocs"),),
    "Pipeline": (
        ("pipeline/snapshot/integrity.py", "benchsite.pipeline.publish"),
        ("pipeline/measure/compose.py", "benchsite.pipeline.publish.inbox"),
    ),
}
"""Contract, by the start of its name: files, and what each must not import."""


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


def test_each_planted_import_breaks_its_contract(copy: Path) -> None:
    for planted in PLANTED.values():
        for place, name in planted:
            with (copy / "benchsite" / place).open("a", encoding="utf-8") as file:
                file.write(f"\nimport {name}\n")
    out = lint(copy)
    assert out.returncode != 0
    summary, _, broken = out.stdout.partition("Broken contracts")
    for contract, planted in PLANTED.items():
        (line,) = (line for line in summary.splitlines() if line.startswith(contract))
        assert " BROKEN" in line
        details = broken.partition(f"\n{contract}")[2]
        for place, name in planted:
            module = place.removesuffix(".py").replace("/", ".")
            assert f"benchsite.{module} -> {name} " in details, out.stdout


def test_a_module_of_no_layer_is_caught(copy: Path) -> None:
    (copy / "benchsite/newroom.py").write_text('"""A room nobody planned."""\n', encoding="utf-8")
    out = lint(copy)
    assert out.returncode != 0
    assert "newroom" in out.stdout + out.stderr


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
