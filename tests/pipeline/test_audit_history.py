"""Histories as people make them: merges, clones that lack something, several roots, replaced objects."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest
from altering import (
    CHECKPOINT,
    SEGMENT,
    by_hand,
    data_of,
    found,
    grow,
    head,
    intent,
    kinds,
    merge,
    receipt,
)
from builders import commit
from publishing import git
from snapshots import log_of, snapshot

from benchsite.errors import PrerequisiteError
from benchsite.pipeline.audit import Kind, audit
from benchsite.pipeline.workspace import Workspace


def branch(folder: Path, name: str, files: dict[str, bytes], start: str = "main") -> None:
    """A branch with one commit, and `main` again."""
    git(folder, "switch", "-q", "-c", name, start)
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    by_hand(folder, name)
    git(folder, "switch", "-q", "main")


def test_a_merged_pull_request_beside_a_growing_log_passes(published: Workspace, secrets: dict) -> None:
    root = published.root
    branch(root, "adapter", {"adapters/mine.py": b"pass\n", "results/inbox/draft.json": b"{}"})
    grow(published, secrets["log"], intent(1))
    merge(root, "adapter")
    by_hand(root, "merge")
    grow(published, secrets["log"], intent(2))
    assert len(git(root, "log", "-1", "--format=%P", "HEAD~1").split()) == 2
    assert audit(snapshot(published)).ok


def test_main_merged_into_a_stale_branch_that_becomes_main_passes(
    published: Workspace, secrets: dict
) -> None:
    """Its first parent then knows less than its second: the log grows at the merge."""
    root = published.root
    branch(root, "docs", {"content/x.md": b"x\n"})
    grow(published, secrets["log"], intent(1))
    git(root, "switch", "-q", "docs")
    merge(root, "main")
    by_hand(root, "merge")
    git(root, "branch", "-q", "-f", "main")
    git(root, "switch", "-q", "main")
    grow(published, secrets["log"], intent(2))
    assert audit(snapshot(Workspace(root))).ok


def test_an_octopus_that_leaves_the_record_alone_passes(published: Workspace, secrets: dict) -> None:
    root = published.root
    for name in ("one", "two", "three"):
        branch(root, name, {f"content/{name}.md": b"x\n"})
    grow(published, secrets["log"], intent(1))
    merge(root, "one", "two", "three", strategy="octopus")
    made = by_hand(root, "octopus")
    assert len(git(root, "log", "-1", "--format=%P", made).split()) == 4
    assert audit(snapshot(Workspace(root))).ok


@pytest.mark.parametrize("strategy", ["ort", "octopus"])
def test_an_edit_hidden_in_a_merge_is_found(published: Workspace, strategy: str) -> None:
    root, path = published.root, receipt(published)
    names = ("one", "two")[: 1 if strategy == "ort" else 2]
    for name in names:
        branch(root, name, {f"content/{name}.md": b"x\n"})
    merge(root, *names, strategy=strategy)
    (root / path).write_bytes(b"{}")
    assert found(published) == set()
    evil = by_hand(root, "merge")
    assert found(published) == {(Kind.EDITED, path, evil)}


def test_an_edit_in_a_merge_that_the_next_commit_undoes(published: Workspace) -> None:
    root, path = published.root, receipt(published)
    genuine = data_of(published, path)
    branch(root, "one", {"content/one.md": b"x\n"})
    merge(root, "one")
    (root / path).write_bytes(b"{}")
    evil = by_hand(root, "merge")
    commit(published, {path: genuine})
    assert found(published) == {(Kind.EDITED, path, evil), (Kind.RESTORED, path, head(published))}


def test_an_edit_that_came_and_went_on_a_merged_branch(published: Workspace) -> None:
    """The merge has what both sides have: a log that follows only what led to today's files walks past the branch."""
    root, path = published.root, receipt(published)
    genuine = data_of(published, path)
    git(root, "switch", "-q", "-c", "side")
    commit(published, {path: b"{}"})
    edited = head(published)
    commit(published, {path: genuine})
    restored = head(published)
    git(root, "switch", "-q", "main")
    by_hand(root, "meanwhile")
    merge(root, "side")
    by_hand(root, "merge")
    assert found(published) == {(Kind.EDITED, path, edited), (Kind.RESTORED, path, restored)}


def test_the_machines_settings_do_not_hide_a_merge_or_a_submodule(published: Workspace) -> None:
    """A receipt that a merge drops, against its second parent alone, and that is there again in the next commit."""
    root, path = published.root, receipt(published)
    genuine, before = data_of(published, path), git(root, "rev-parse", "HEAD~1")
    gitlink(root, "results/published/aa/x", before)
    moved = gitlink(root, "results/published/aa/x", head(published))
    for setting in (
        ("log.diffMerges", "first-parent"),
        ("log.showSignature", "true"),
        ("diff.ignoreSubmodules", "all"),
        ("diff.renames", "copies"),
        ("color.ui", "always"),
        ("log.follow", "true"),
    ):
        git(root, "config", *setting)
    git(root, "switch", "-q", "-c", "stale", before)
    by_hand(root, "behind")
    merge(root, "main")
    git(root, "rm", "-q", "-f", path)
    git(root, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "merge")
    dropped = head(published)
    commit(published, {path: genuine})
    assert found(Workspace(root)) == {
        (Kind.SYMLINK, "results/published/aa/x", moved),
        (Kind.EDITED, "results/published/aa/x", moved),
        (Kind.DELETED, path, dropped),
        (Kind.RESTORED, path, head(published)),
    }


def gitlink(folder: Path, path: str, target: str) -> str:
    """A commit whose tree names another commit at this path."""
    git(folder, "update-index", "--add", "--cacheinfo", f"160000,{target},{path}")
    tree = git(folder, "write-tree")
    identity = ("-c", "user.name=t", "-c", "user.email=t@t")
    made = git(folder, *identity, "commit-tree", tree, "-p", "HEAD", "-m", "submodule")
    git(folder, "update-ref", "HEAD", made)
    return made


def test_a_side_branch_whose_record_was_dropped_at_the_merge(published: Workspace, secrets: dict) -> None:
    """Two publishes on one head: one of them is lost, and its signed head contradicts ours."""
    root = published.root
    git(root, "switch", "-q", "-c", "lost")
    grow(published, secrets["log"], intent(7))
    git(root, "switch", "-q", "main")
    grow(published, secrets["log"], intent(8))
    merge(root, "lost", strategy="ours")
    now = by_hand(root, "merge")
    result = found(Workspace(root))
    assert (Kind.LOG_EDITED, SEGMENT, now) in result
    assert {kind for kind, path, _ in result if path == CHECKPOINT} == {Kind.SPLIT_VIEW}


def test_a_history_with_two_roots(published: Workspace, tmp_path: Path) -> None:
    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", "-b", "main", str(other)], check=True)
    (other / "notes.md").write_text("hello")
    by_hand(other)
    root = published.root
    git(root, "fetch", "-q", str(other), "main:other")
    git(
        root,
        *("-c", "user.name=t", "-c", "user.email=t@t", "merge", "-q", "--allow-unrelated-histories"),
        "other",
    )
    assert audit(snapshot(Workspace(root))).ok


def test_replaced_objects_hide_nothing(published: Workspace) -> None:
    path, before = receipt(published), head(published)
    genuine = data_of(published, path)
    commit(published, {path: b"{}"})
    edited = head(published)
    commit(published, {path: genuine})
    restored = head(published)
    clean = git(published.root, "commit-tree", f"{restored}^{{tree}}", "-p", before, "-m", "clean")
    git(published.root, "replace", restored, clean)
    # benchsite told this very process not to follow replacements; a person's shell does.
    person = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    counted = subprocess.run(
        ["git", "rev-list", "--count", f"{before}..HEAD"],
        cwd=published.root,
        env=person,
        capture_output=True,
        check=True,
    )
    assert counted.stdout == b"1\n", "git itself no longer shows the edit"
    assert found(published) == {(Kind.EDITED, path, edited), (Kind.RESTORED, path, restored)}


def test_grafts_are_refused(published: Workspace) -> None:
    (published.root / ".git/info").mkdir(exist_ok=True)
    (published.root / ".git/info/grafts").write_text(f"{head(published)}\n")
    with pytest.raises(PrerequisiteError, match="info/grafts"):
        audit(snapshot(published))


def test_a_shallow_clone_is_refused(published: Workspace, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{published.root}", "shallow")
    with pytest.raises(PrerequisiteError, match="shallow clone") as caught:
        audit(snapshot(Workspace(tmp_path / "shallow")))
    assert caught.value.hint == "git fetch --unshallow"
    git(tmp_path / "shallow", "fetch", "-q", "--unshallow")
    assert audit(snapshot(Workspace(tmp_path / "shallow"))).ok


def test_a_clone_without_blobs_is_enough(published: Workspace, secrets: dict, tmp_path: Path) -> None:
    for number in range(12):
        grow(published, secrets["log"], intent(number))
    git(published.root, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{published.root}", "lean")
    lean = tmp_path / "lean"
    assert missing(lean) > 12, "past checkpoints and segments are not here"
    result = audit(snapshot(Workspace(lean)))
    assert result.ok, result.findings
    assert result.checkpoints == 14


def test_a_clone_without_blobs_finds_what_a_whole_one_does(
    published: Workspace, secrets: dict, tmp_path: Path
) -> None:
    genuine = data_of(published, SEGMENT)
    commit(published, {SEGMENT: genuine[:-1].replace(b"receipt", b"recipes", 1) + b"\n"})
    commit(published, {SEGMENT: genuine})
    grow(published, secrets["log"], intent(1))
    git(published.root, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{published.root}", "lean")
    assert found(Workspace(tmp_path / "lean")) == found(published)
    assert kinds(published) == {Kind.LOG_EDITED}


def missing(folder: Path) -> int:
    listed = git(folder, "rev-list", "--objects", "--all", "--missing=print")
    return sum(line.startswith("?") for line in listed.splitlines())


def test_a_detached_head_is_audited(published: Workspace) -> None:
    git(published.root, "switch", "-q", "--detach")
    assert audit(snapshot(Workspace(published.root))).ok


def test_the_working_tree_is_not_the_record(published: Workspace) -> None:
    (published.root / receipt(published)).write_bytes(b"{}")
    assert audit(snapshot(published)).ok
    assert log_of(published).size == 9


def test_what_is_not_committed_is_not_audited_and_that_is_said(published: Workspace) -> None:
    item = snapshot(published).published[0]
    (published.root / item.path).write_text("edited, and not committed")
    seen = audit(snapshot(published))
    assert seen.ok
    assert any(item.path in note and "not committed" in note for note in seen.notes)


def forge_commit_graph(root: Path, commit: str, parent: str) -> None:
    """Let the commit-graph say that a commit has another parent (gitformat-commit-graph(5)); its checksum is right."""
    git(root, "commit-graph", "write", "--reachable")
    path = root / ".git" / "objects" / "info" / "commit-graph"
    data = bytearray(path.read_bytes())
    table = [data[8 + 12 * place : 20 + 12 * place] for place in range(data[6])]
    chunks = {bytes(row[:4]): int.from_bytes(row[4:], "big") for row in table}
    names = chunks[b"OIDL"]
    count = (chunks[b"CDAT"] - names) // 20
    places = {bytes(data[names + 20 * at : names + 20 * at + 20]).hex(): at for at in range(count)}
    entry = chunks[b"CDAT"] + 36 * places[commit]
    data[entry + 20 : entry + 24] = places[parent].to_bytes(4, "big")
    data[-20:] = hashlib.sha1(data[:-20], usedforsecurity=False).digest()
    path.chmod(0o644)
    path.write_bytes(data)


def test_a_forged_commit_graph_hides_no_commit(published: Workspace) -> None:
    root, path = published.root, receipt(published)
    before, good = head(published), data_of(published, receipt(published))
    commit(published, {path: b"{}"})
    edited = head(published)
    commit(published, {path: good})
    seen = found(published)
    assert {kind for kind, *_ in seen} == {Kind.EDITED, Kind.RESTORED}
    forge_commit_graph(root, head(published), before)
    assert edited not in git(root, "log", "--format=%H"), "git itself believes the commit-graph"
    assert found(published) == seen
    assert audit(snapshot(published)).commits == len(
        git(root, "-c", "core.commitGraph=false", "log", "--format=%H").split()
    )
