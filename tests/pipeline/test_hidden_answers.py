"""Attacks of measured systems on keys and expected answers, through `check` and through the runners."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import agents_receipts
import packaged_benchmarks
import pytest
import tiny_workbench
from branches import Work
from builders import FIXTURE, commit, retrieval_work
from snapshots import opened

from benchsite import resources
from benchsite.errors import InputError
from benchsite.isolation import sandbox
from benchsite.pipeline.measure import run
from benchsite.pipeline.workspace import Workspace

pytestmark = pytest.mark.usefixtures("planted")
sealed_here = pytest.mark.skipif(
    sandbox.level() != "sealed", reason="user, mount and process namespaces are not permitted here"
)
SECRET = "planted secret"

TOOL = f"""\
#!{sys.executable}
import sys
raise SystemExit(open(sys.argv[1].split("=")[-1]).read())
"""
HOSTILE = """\
import glob, json, os, subprocess, sys

OUT, PACKAGED = sys.argv[1:]

def read(pattern):
    return [path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path) and open(path, "rb").read()]

def attack():
    mounts = [line.split()[4] for line in open("/proc/self/mountinfo")]
    (root,) = {path for path in mounts if os.path.exists(path + "/mkdocs.yml")}
    git = ["git", "-c", "safe.directory=*", "-C", root, "cat-file", "-p", "HEAD:fixtures/small-v1/fixture.json"]
    done = subprocess.run(git, capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    seen = {"git": done.stdout}
    for name in (".git", ".benchsite", "results/evidence"):
        seen[name] = read(f"{root}/{name}/**")
    seen["fixtures"] = read(f"{root}/fixtures/*/fixture.json")
    seen["packaged"] = read(f"{PACKAGED}/*/fixture.json")
    with open(OUT, "w") as file:
        json.dump(seen, file)

for line in sys.stdin:
    request = json.loads(line)
    result = None
    if request["method"] == "initialize":
        result = {"name": "hostile", "version": "1.0", "author": "tests"}
    elif request["method"] == "describe":
        result = {"kind": "single-agent", "roles": []}
    elif request["method"] == "query":
        attack()
        result = {"hits": []}
    elif request["method"] == "solve":
        attack()
        result = {"answer": "Done."}
    print(json.dumps({"jsonrpc": "2.0", "id": request.get("id"), "result": result}), flush=True)
"""


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A key in the usual folder, outside of the repository."""
    home = tmp_path / "home"
    key = home / ".config/benchsite/bench.example/receipt.pem"
    key.parent.mkdir(parents=True)
    key.write_text(SECRET)
    monkeypatch.setenv("HOME", str(home))
    return key


def branch(begun: Workspace, link: str, target: str, command: str) -> Work:
    """A stranger adds a program that prints its argument, a link, and a suite entry that names both."""
    work = Work(begun)
    tool = begun.root / "tool.py"
    tool.write_text(TOOL)
    tool.chmod(0o755)
    work.git("add", "tool.py")
    work.git("commit", "-qm", "a tool")
    work.links(link, target)
    text = (begun.root / "mkdocs.yml").read_text(encoding="utf-8").split("    suite:")[0]
    entry = f'      - {{track: retrieval, adapter: "{command}", fixture: {FIXTURE}}}\n'
    work.adds({"mkdocs.yml": f"{text}    suite:\n{entry}".encode()})
    return work


@pytest.mark.parametrize("argument", ["weights.bin", "./weights.bin", "--weights=weights.bin"])
def test_check_starts_no_program_that_names_a_key_through_a_committed_link(
    begun: Workspace, planted: Path, argument: str
) -> None:
    step = branch(begun, "weights.bin", str(planted), f"command:./tool.py {argument}").step("adapters")
    (item,) = step.items
    assert item.where == f"command:./tool.py {argument}"
    assert item.message == f"{argument} is a committed link out of the repository: it was not started"
    assert SECRET not in str(step)


def test_check_refuses_a_linked_folder_on_the_way(begun: Workspace, planted: Path) -> None:
    step = branch(begun, "data", str(planted.parent), "command:./tool.py data/receipt.pem").step("adapters")
    assert [item.message for item in step.items] == [
        "data/receipt.pem is a committed link out of the repository: it was not started"
    ]
    assert SECRET not in str(step)


@pytest.mark.parametrize("argument", ["data.bin", "--data=data.bin"])
def test_check_starts_no_program_that_names_the_dataset(begun: Workspace, argument: str) -> None:
    work = branch(begun, "data.bin", f"fixtures/{FIXTURE}/fixture.json", f"command:./tool.py {argument}")
    (item,) = work.step("adapters").items
    assert f"argument {argument} is hidden from measured programs" in item.message


@pytest.mark.parametrize("level", ["sealed", "open"])
def test_a_runner_starts_no_program_that_names_a_key_or_a_file_of_its_folder(
    begun: Workspace, planted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    if level == "sealed" != sandbox.level():
        pytest.skip("namespaces are not permitted here")
    monkeypatch.setattr(sandbox, "level", lambda: level)
    tool, link = tmp_path / "tool.py", tmp_path / "weights.bin"
    tool.write_text(TOOL)
    tool.chmod(0o755)
    link.symlink_to(planted)
    (planted.parent / "notes.txt").write_text(SECRET)
    named = (link, planted, planted.parent / "notes.txt", planted.parent)
    for made in run.run(begun, opened(begun), [retrieval_work(f"command:{tool} {path}") for path in named]):
        assert isinstance(made.error, InputError)
        assert "is hidden from measured programs" in made.reason
        assert SECRET not in made.reason


@sealed_here
@pytest.mark.parametrize("target", [FIXTURE, "workbench", "arithmetic-tools"])
def test_a_measured_system_finds_no_expected_answers(begun: Workspace, tmp_path: Path, target: str) -> None:
    shipped = packaged_benchmarks.data("arithmetic-tools")
    added = {f"results/evidence/aa/{'a' * 64}": b"answers", "fixtures/arithmetic-tools/fixture.json": shipped}
    commit(begun, added)
    benchmark = json.loads(tiny_workbench.data())["id"]
    written = {"attachments/a": b"x", "traces/t/run": b"x", "drafts/d.txt": b"x"}
    written[f"fixtures/{benchmark}/fixture.json"] = tiny_workbench.data()
    for name, data in written.items():
        path = begun.root / ".benchsite" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    program, out = tmp_path / "hostile.py", tmp_path / "seen.json"
    program.write_text(HOSTILE)
    packaged = resources.folder("fixtures")
    assert list(packaged.glob("*/fixture.json"))
    command = f"command:{sys.executable} {program} {out} {packaged}"
    request: dict[str, Any] = {"limit": 1}
    work = (
        retrieval_work(command, **request)
        if target == FIXTURE
        else replace(agents_receipts.work(command, **request), target=target)
    )
    (made,) = run.run(Workspace(begun.root), opened(begun), [work])
    assert os.path.exists(out), made.reason  # noqa: PTH110
    assert json.loads(out.read_text()) == {
        "git": "",
        ".git": [],
        ".benchsite": [],
        "results/evidence": [],
        "fixtures": [],
        "packaged": [],
    }
