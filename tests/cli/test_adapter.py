from __future__ import annotations

import json
import os
import sys
import tomllib
from pathlib import Path

import pytest
from commands import Run


def test_a_new_program_keeps_the_contract_as_it_stands(benchsite: Run, tmp_path: Path) -> None:
    ran = benchsite("adapter", "new", "my-system")
    assert ran.code == 0, ran.err
    assert os.access(tmp_path / "adapters" / "my-system" / "adapter", os.X_OK)
    (check,) = [line.strip() for line in ran.out.splitlines() if "adapter check" in line]
    ran = benchsite(*check.split()[1:])
    assert ran.code == 0, ran.out
    assert ran.out.splitlines()[0] == "✓ start: my-system 0.1.0 by you"
    assert ran.out.splitlines()[-1] == "pass: adapter conformance test"


def test_a_new_package_keeps_the_contract_once_it_is_installed(benchsite: Run, tmp_path: Path) -> None:
    ran = benchsite("adapter", "new", "7-systems", "--language", "python")
    assert ran.code == 0, ran.err
    assert "pip install -e adapters/7-systems" in ran.out
    folder = tmp_path / "adapters" / "7-systems"
    assert benchsite("adapter", "check", "7-systems").code == 2, "not installed yet"

    # What installing leaves: the module on the path, and its entry points beside it.
    declared = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    info = folder / "benchsite_7_systems-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {declared['name']}\nVersion: 0.1.0\n")
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in declared["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))
    ran = benchsite("adapter", "check", "7-systems", PYTHONPATH=str(folder))
    assert ran.code == 0, ran.out + ran.err


def test_nothing_is_overwritten(benchsite: Run, tmp_path: Path) -> None:
    assert benchsite("adapter", "new", "mine").code == 0
    place = tmp_path / "adapters" / "mine" / "adapter"
    place.write_text("my work")
    ran = benchsite("adapter", "new", "mine")
    assert (ran.code, place.read_text()) == (4, "my work")
    assert "exists already" in ran.err


def test_a_broken_rule_ends_with_4_and_is_told_in_json_too(benchsite: Run, tmp_path: Path) -> None:
    benchsite("adapter", "new", "mine")
    place = tmp_path / "adapters" / "mine" / "adapter"
    place.write_text(place.read_text().replace("items.clear()", "pass"))
    ran = benchsite("adapter", "check", "command:adapters/mine/adapter")
    assert ran.code == 4
    assert "of the previous scope was returned after reset" in ran.out
    assert "clear the whole index on reset" in ran.out
    assert ran.out.splitlines()[-1] == "fail: 1 conformance check failed"
    ran = benchsite("adapter", "check", "command:adapters/mine/adapter", "--json")
    told = json.loads(ran.out)
    assert (ran.code, told["ok"], told["adapter"]) == (4, False, "command:adapters/mine/adapter")
    assert [step["name"] for step in told["steps"] if step["state"] == "fail"] == ["reset"]


def test_a_configuration_is_checked_with_its_options(benchsite: Run) -> None:
    assert benchsite("adapter", "check", "sqlite-fts5", "--option", "stopwords=true").code == 0
    ran = benchsite("adapter", "check", "sqlite-fts5", "--option", "depth=3")
    assert (ran.code, "no option 'depth'" in ran.err) == (2, True)
    ran = benchsite("adapter", "check", "sqlite-fts5", "--option", "stopwords=no")
    assert (ran.code, "stopwords is true or false, not 'no'" in ran.err) == (2, True)
    ran = benchsite("adapter", "check", "sqlite-fts5", "--option", "stopwords")
    assert (ran.code, "'stopwords' is not NAME=VALUE" in ran.err) == (2, True)


@pytest.mark.stories
def test_our_own_adapters_and_names_nobody_has(benchsite: Run) -> None:
    for name in ("bm25", "sqlite-fts5", "recency", "random"):
        assert benchsite("adapter", "check", name).code == 0
    ran = benchsite("adapter", "check", "bm52")
    assert ran.code == 2
    assert "did you mean 'bm25'" in ran.err
    ran = benchsite("adapter", "check", 'command:./x "')
    assert ran.code == 4
    ran = benchsite("adapter", "check", "command:" + "x" * 300)
    assert ran.code == 4
    assert "✗ start:" in ran.out


def test_an_adapter_that_asks_for_more_is_told_how_it_is_granted(benchsite: Run, tmp_path: Path) -> None:
    benchsite("adapter", "new", "mine")
    place = tmp_path / "adapters" / "mine" / "adapter"
    asks = '"network": True, "environment": ["SERVICE_KEY"]'
    place.write_text(place.read_text().replace('"author": "you"', f'"author": "you", {asks}'))
    subject = "command:adapters/mine/adapter"
    ran = benchsite("adapter", "check", subject)
    assert ran.code == 5
    assert "start: not checked: needs a grant for network access and SERVICE_KEY" in ran.out
    assert "--allow-network --allow-env SERVICE_KEY" in ran.out
    assert ran.out.splitlines()[-1] == "not checked"
    assert json.loads(benchsite("adapter", "check", subject, "--json").out)["ok"] is False
    ran = benchsite("adapter", "check", subject, "--allow-network", "--allow-env", "SERVICE_KEY")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "pass: adapter conformance test")
    ran = benchsite("adapter", "check", subject, "--allow-env", "BENCHSITE_LOG_KEY")
    assert ran.code == 2
    assert "BENCHSITE_LOG_KEY is a variable of benchsite" in ran.err


def test_a_package_leaves_no_bytecode_in_the_tree(benchsite: Run, tmp_path: Path) -> None:
    benchsite("adapter", "new", "mine", "--language", "python")
    folder = tmp_path / "adapters" / "mine"
    assert (folder / ".gitignore").read_text() == "__pycache__/\n"
    (folder / "run.py").write_text(
        f"import sys\nsys.path.insert(0, {str(folder)!r})\n"
        "from benchsite.tracks.retrieval.run.worker import main\nmain(['', 'adapter_mine:Adapter'])\n"
    )
    ran = benchsite("adapter", "check", f"command:{sys.executable} {folder / 'run.py'}")
    assert ran.code == 0, ran.out
    assert sorted(path.name for path in folder.iterdir()) == [
        ".gitignore",
        "adapter_mine.py",
        "pyproject.toml",
        "run.py",
    ]
