"""Publishers as processes of their own, and what must be true of a record once the last of them has ended."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from publishing import git, measure
from snapshots import opened, snapshot

from benchsite.environment import ROLES
from benchsite.errors import PrerequisiteError
from benchsite.history import Verdict
from benchsite.layout import SCRATCH
from benchsite.pipeline import verify as checking
from benchsite.pipeline.audit import audit
from benchsite.pipeline.workspace import Workspace

ORIGIN = "tests.invalid/benchsite/log"
BENCHSITE = (sys.executable, "-m", "benchsite")
PUBLISH = ("publish", "--yes")
TIMEOUT = 120


@dataclass(frozen=True)
class Scene:
    """One publisher's instance, the bare remote, and another publisher's clone: siblings, so that a copy works."""

    folder: Path
    mine: tuple[str, ...] = ()
    theirs: tuple[str, ...] = ()

    @property
    def instance(self) -> Path:
        return self.folder / "instance"

    @property
    def origin(self) -> Path:
        return self.folder / "origin.git"

    @property
    def other(self) -> Path:
        return self.folder / "other"

    def copy(self, folder: Path) -> Scene:
        shutil.copytree(self.folder, folder, symlinks=True)
        return Scene(folder, self.mine, self.theirs)


def environment(*roles: str) -> dict[str, str]:
    """A process's environment with the keys of `conftest.secrets`: seeds of 32 equal bytes."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("BENCHSITE_", "GIT_"))}
    keys = {
        f"BENCHSITE_{role.upper()}_KEY": base64.b64encode(bytes([place + 1]) * 32).decode()
        for place, role in enumerate(ROLES)
        if role in roles
    }
    return {**clean, **keys, "GIT_CONFIG_NOSYSTEM": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def start(
    folder: Path,
    command: Sequence[str | Path],
    *,
    roles: Sequence[str] = ("receipt", "log"),
    variables: Mapping[str, str] = MappingProxyType({}),
    **options: Any,
) -> subprocess.Popen[bytes]:
    """A command in a process group of its own, so that it can be killed with every git it has started."""
    return subprocess.Popen(
        list(map(str, command)),
        cwd=folder,
        env={**environment(*roles), **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        **options,
    )


def finished(process: subprocess.Popen[bytes], *, timeout: int = TIMEOUT) -> tuple[int, str]:
    """The exit code and stderr of a process that must not show a traceback."""
    _, stderr = process.communicate(timeout=timeout)
    said = stderr.decode("utf-8", "replace")
    assert "Traceback" not in said, said
    return process.returncode, said


def publish(folder: Path, *arguments: str, **options: Any) -> tuple[int, str]:
    return finished(start(folder, (*BENCHSITE, *PUBLISH, *arguments), **options))


def publish_past_locks(folder: Path) -> None:
    """Publish; a lock that a killed git left is named, and so are the commands that redo an overtaken commit."""
    code, said = publish(folder)
    for _ in range(3):
        named = [lock for lock in (folder / ".git").rglob("*.lock") if str(lock) in said]
        overtaken = "git reset --keep @{u}\n" in said
        if code != PrerequisiteError.exit_code or not (named or overtaken):
            break
        if named:
            named[0].unlink()
        else:
            for lock in (folder / ".git").rglob("*.lock"):
                lock.unlink()  # a ref's lock that the killed git left: `git reset` names it, and exits with 1
            git(folder, "reset", "-q", "--keep", "@{u}")
        code, said = publish(folder)
    assert (code, said) == (0, "")


def pair(begun: Path, folder: Path) -> Scene:
    """Two drafts wait here; another publisher has written a page and signed a receipt in a clone, and pushed neither."""
    scene = Scene(folder)
    shutil.copytree(begun, scene.instance, symlinks=True)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(scene.origin)], check=True)
    git(scene.instance, "remote", "add", "origin", "../origin.git")
    git(scene.instance, "push", "-q", "-u", "origin", "main")
    clone(scene, "other")
    (scene.other / "news.md").write_text("# News\n", encoding="utf-8")
    git(scene.other, "add", "news.md")
    git(scene.other, "commit", "-q", "-m", "news")
    theirs = draft(scene.other, "recency")
    assert publish(scene.other, "--no-push") == (0, "")
    return Scene(folder, (draft(scene.instance, "bm25"), draft(scene.instance, "recency")), (theirs,))


def clone(scene: Scene, name: str) -> Path:
    folder = scene.folder / name
    subprocess.run(["git", "clone", "-q", str(scene.origin), str(folder)], check=True)
    git(folder, "remote", "set-url", "origin", "../origin.git")
    return folder


def draft(folder: Path, adapter: str) -> str:
    """Measure; the new draft's receipt id."""
    instance = Workspace(folder)
    with closing(instance.repository):
        return measure(instance, adapter).stem


def assert_whole(folder: Path, expected: Sequence[str]) -> None:
    """Each expected receipt is published once and none besides; nothing waits, nothing is half-written."""
    assert sorted(logged(folder, "HEAD")) == sorted(expected)
    paths = git(folder, "ls-tree", "-r", "--name-only", "HEAD", "results/published").split()
    assert sorted(Path(path).stem for path in paths if path.endswith(".json")) == sorted(expected)
    assert git(folder, "status", "--porcelain", "--untracked-files=all") == ""
    assert list((folder / SCRATCH / "drafts").glob("*.json")) == []
    assert not (folder / SCRATCH / "publish.journal").exists()
    git(folder, "fsck", "--strict", "--connectivity-only")
    instance = Workspace(folder)
    with closing(instance.repository):
        found = [item.examination for item in checking.verify(opened(instance), (), everything=True)]
        seen = [(item.verdict, item.exit_code) for item in found if item]
        assert seen == [(Verdict.LOGGED, 0)] * len(expected)
        assert_audit_passes(instance)


def assert_audit_passes(instance: Workspace) -> None:
    result = audit(snapshot(instance))
    assert result.ok, result.findings


def assert_public(scene: Scene, folder: Path) -> None:
    """The remote stands where the clone stands."""
    assert git(scene.origin, "rev-parse", "main") == git(folder, "rev-parse", "main")


def assert_one_head_a_size(heads: Iterable[Head]) -> None:
    """No two of these signed heads have one size and different roots."""
    found = sorted(set(heads))
    sizes = [head.size for head in found]
    assert sizes == sorted(set(sizes)), f"two signed heads of one size left this machine: {found}"


def logged(folder: Path, rev: str) -> list[str]:
    """The ids of the receipt entries of the log's first segment, read without benchsite."""
    lines = git(folder, "show", f"{rev}:results/log/entries/000000.jsonl").splitlines()
    entries = [json.loads(line) for line in lines]
    return [Path(entry["path"]).stem for entry in entries if entry["type"] == "receipt"]


class Head(NamedTuple):
    """A checkpoint's text, whoever signed it."""

    size: int
    root: str


def head_of(checkpoint: str) -> Head | None:
    found = re.match(rf"{re.escape(ORIGIN)}\n([0-9]+)\n(\S+)\n\n", checkpoint)
    return Head(int(found[1]), found[2]) if found else None


def stored_heads(repository: Path) -> set[Head]:
    """Every checkpoint among a repository's objects, unreachable ones included."""
    listed = git(
        repository,
        "cat-file",
        "--batch-all-objects",
        "--batch-check=%(objecttype) %(objectsize) %(objectname)",
    )
    rows = [line.split() for line in listed.splitlines()]
    small = [name for kind, size, name in rows if kind == "blob" and int(size) < 400]
    return {head for name in small if (head := head_of(git(repository, "cat-file", "blob", name)))}


def published_heads(repository: Path, *limits: str) -> set[Head]:
    """Every checkpoint that main has ever had, or those of the commits that `limits` of git log leave."""
    path = "results/log/checkpoint"
    commits = git(repository, "rev-list", *limits, "main", "--", path).split()
    return {head for commit in commits if (head := head_of(git(repository, "show", f"{commit}:{path}")))}
