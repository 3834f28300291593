"""What tests of publishing share: a measured draft, an edited one, two clones of one remote."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from builders import FIXTURE, commit, retrieval_work
from snapshots import opened

from benchsite import canonical
from benchsite.errors import BenchsiteError
from benchsite.layout import CONFIG
from benchsite.pipeline.measure import run
from benchsite.pipeline.record import evidence
from benchsite.pipeline.workspace import Workspace
from benchsite.track import Evidence

IDENTITY = ("-c", "user.name=tests", "-c", "user.email=tests@tests.invalid")
"""Whoever runs the tests may have told git nothing of themselves."""


def measure(instance: Workspace, adapter: str = "recency", **changes: object) -> Path:
    result = next(run.run(instance, opened(instance), [retrieval_work(adapter, **changes)]))
    assert result.draft is not None, result.reason
    return result.draft


def suite(instance: Workspace, *adapters: str, more: str = "") -> Workspace:
    """An instance whose committed suite lists what `measure` makes of these adapters, and more entries."""
    text = (instance.root / CONFIG).read_text(encoding="utf-8")
    lines = text[text.index("    suite:") :].splitlines(keepends=True)[1:]
    while lines and lines[0].startswith("      "):
        lines.pop(0)
    entries = "".join(
        f"      - {{track: retrieval, adapter: {name}, fixture: {FIXTURE}, seed: 7, timeout: 20.0}}\n"
        for name in adapters
    )
    data = f"{text[: text.index('    suite:')]}    suite:\n{entries}{more}{''.join(lines)}".encode()
    commit(instance, {CONFIG: data})
    return Workspace(instance.root)


def attach(instance: Workspace, data: bytes) -> dict[str, object]:
    """Keep a document as a run would, and the entry of a draft's `evidence` that pins it."""
    item = Evidence("transcript.txt", "text/plain", data)
    evidence.keep(instance, item)
    return evidence.reference(item)


def git(folder: Path, *arguments: str) -> str:
    out = subprocess.run(
        ["git", "-C", str(folder), *IDENTITY, *arguments], capture_output=True, text=True, check=True
    )
    return out.stdout.strip()


def edit(path: Path, change: dict[str, object]) -> Path:
    document = {**json.loads(path.read_bytes()), **change}
    path.write_bytes(canonical.dumps(document))
    return path


def remote_pair(instance: Workspace, folder: Path) -> tuple[Workspace, Workspace]:
    origin = folder / "origin.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(origin)], check=True)
    git(instance.root, "remote", "add", "origin", str(origin))
    instance.repository.push("HEAD")
    subprocess.run(["git", "clone", "-q", str(origin), str(folder / "second")], check=True)
    return instance, Workspace(folder / "second")


def redo(instance: Workspace, refusal: BenchsiteError) -> Workspace:
    """Run the git commands that a refusal names; the instance afterwards."""
    for line in refusal.hint.splitlines():
        words = line.split()
        if words[:1] == ["git"]:
            git(instance.root, *words[1:])
    return Workspace(instance.root)
