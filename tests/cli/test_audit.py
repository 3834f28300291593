from __future__ import annotations

import json
import subprocess
from pathlib import Path

from commands import Run


def commit(root: Path, message: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@t")
    subprocess.run(["git", *identity, "commit", "-qam", message], cwd=root, check=True)
    out = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, check=True, capture_output=True, text=True)
    return out.stdout.strip()


def test_nothing_was_altered(benchsite: Run, begun: Path) -> None:
    ran = benchsite("audit", cwd=begun)
    assert ran.code == 0, ran.err
    first, last = ran.out.splitlines()
    # init and keys init; mkdocs.yml is the one file that the second changed and did not add.
    assert first.startswith("audited 2 commits, 1 change to protected files, 3 log entries, 0 receipts")
    assert last.endswith("no alteration found")


def test_findings_as_a_person_and_as_a_script_read_them(benchsite: Run, begun: Path) -> None:
    manifest = begun / "keys/manifest.json"
    genuine = manifest.read_bytes()
    manifest.write_bytes(genuine + b"\n")
    edited = commit(begun, "edit")
    manifest.write_bytes(genuine)
    commit(begun, "put back")
    ran = benchsite("audit", cwd=begun)
    assert ran.code == 3
    assert f"commit {edited[:12]} of " in ran.out
    assert "keys/manifest.json: it is not what the log's first 3 entries say" in ran.out
    assert "no alteration found" not in ran.out
    ran = benchsite("audit", "--json", cwd=begun)
    assert ran.code == 3
    told = json.loads(ran.out)
    assert list(told) == [
        *("ok", "commits", "changes", "entries", "receipts", "checkpoints", "findings", "notes", "evidence"),
    ]
    assert told["ok"] is False
    assert {item["commit"] for item in told["findings"]} >= {edited}
    assert {item["kind"] for item in told["findings"]} == {"manifest"}
    assert list(told["findings"][0]) == ["kind", "path", "detail", "commit", "day"]


def test_hostile_names_are_shown_escaped(benchsite: Run, begun: Path) -> None:
    (begun / "results" / "a\x1b[2Jb\u202e.json").write_bytes(b"{}")
    subprocess.run(["git", "add", "-A"], cwd=begun, check=True)
    commit(begun, "stray")
    ran = benchsite("audit", cwd=begun)
    assert ran.code == 3
    assert "results/a\\x1b[2Jb\\u202e.json" in ran.out
    assert "\x1b" not in ran.out
    assert json.loads(benchsite("audit", "--json", cwd=begun).out)["findings"][0]["kind"] == "stray"


def test_many_findings_of_a_kind_are_cut_short(benchsite: Run, begun: Path) -> None:
    for number in range(25):
        (begun / f"results/{number}.txt").write_bytes(b"")
    subprocess.run(["git", "add", "-A"], cwd=begun, check=True)
    commit(begun, "strays")
    ran = benchsite("audit", cwd=begun)
    assert "and 5 more: --json lists them all" in ran.out
    assert "record altered: 25 findings" in ran.out


def test_remembered_things(benchsite: Run, begun: Path, tmp_path: Path) -> None:
    checkpoint = begun / "results/log/checkpoint"
    assert benchsite("audit", "--checkpoint", checkpoint, "--since", "HEAD~1", cwd=begun).code == 0
    assert benchsite("audit", "--root", "sha256:" + "0" * 64, cwd=begun).code == 3
    assert benchsite("audit", "--since", "nonsense", cwd=begun).code == 2
    assert benchsite("audit", "--since=--all", cwd=begun).code == 2
    assert benchsite("audit", "--checkpoint", tmp_path / "absent", cwd=begun).code == 4


def test_what_is_missing_first(benchsite: Run, begun: Path, new: Path, tmp_path: Path) -> None:
    assert benchsite("audit").code == 5
    ran = benchsite("audit", cwd=new)
    assert ran.code == 5
    assert "no log yet" in ran.err
    subprocess.run(
        ["git", "clone", "-q", "--depth=1", f"file://{begun}", "shallow"], cwd=tmp_path, check=True
    )
    ran = benchsite("audit", cwd=tmp_path / "shallow")
    assert ran.code == 5
    assert "git fetch --unshallow" in ran.err
