from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from commands import Run

NAMES = [
    *("base", "configuration", "names", "record", "private keys", "code"),
    *("methodologies", "fixtures", "sheets", "drafts", "adapters", "build"),
]
# In two parts, so that this file does not hold what it tests for.
KEY = "-----BEGIN " + "PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"


def committed(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    identity = ("-c", "user.name=x", "-c", "user.email=x@tests.invalid")
    subprocess.run(["git", "-C", str(root), "add", "-A"], check=True)
    subprocess.run(["git", "-C", str(root), *identity, "commit", "-qm", "a change"], check=True)


@pytest.mark.stories
def test_a_branch_is_told_step_by_step(benchsite: Run, new: Path) -> None:
    committed(new, {"content/note.md": "# A note\n"})
    ran = benchsite("check", "--base", "HEAD~1", cwd=new)
    assert ran.code == 0, ran.out + ran.err
    assert ran.out.splitlines()[0].startswith("✓ base: 1 commit beyond HEAD~1 (")
    assert ran.out.splitlines()[-1] == "pass: ready to send"
    ran = benchsite("check", "--base", "HEAD~1", "--no-build", "--json", cwd=new / "content")
    told = json.loads(ran.out)
    assert (ran.code, told["ok"], len(told["base"])) == (0, True, 40)
    assert [step["name"] for step in told["steps"]] == NAMES
    assert all(set(step) == {"name", "state", "detail", "items"} for step in told["steps"])


@pytest.mark.stories
def test_what_stands_in_the_way_is_told_with_the_next_step(benchsite: Run, new: Path) -> None:
    committed(new, {"fixtures/broken-v1/fixture.json": "{}"})
    ran = benchsite("check", "--base", "HEAD~1", "--no-build", cwd=new)
    assert ran.code == 4
    assert "✗ fixtures: 1 problem" in ran.out
    assert ran.out.splitlines()[-1] == "fail: fixtures"
    committed(new, {"deploy.pem": KEY})
    ran = benchsite("check", "--base", "HEAD~2", "--no-build", "--json", cwd=new)
    assert ran.code == 3, "a private key before a malformed file"
    told = json.loads(ran.out)
    (item,) = next(step["items"] for step in told["steps"] if step["name"] == "private keys")
    assert set(item) == {"where", "message", "hint"}
    assert item["where"] == "deploy.pem"
    assert KEY.splitlines()[1] not in ran.out


def test_places_where_nothing_can_be_checked(benchsite: Run, new: Path, tmp_path: Path) -> None:
    ran = benchsite("check")
    assert ran.code == 5
    assert "not in a git repository" in ran.err
    ran = benchsite("check", "--base", "nowhere", cwd=new)
    assert ran.code == 2
    assert "no commit is named 'nowhere' here" in ran.err
    assert benchsite("check", "--base", "x" * 300, cwd=new).code == 2
    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    committed(other, {"README.md": "hello"})
    ran = benchsite("check", cwd=other)
    assert ran.code == 5
    assert "not a benchsite instance" in ran.out
