"""What was published is read from a commit: no attribute, filter or link of a working tree changes what verify and build see."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest
from builders import FIXTURE, commit
from examples import some
from publishing import git
from snapshots import opened, snapshot

from benchsite.environment import Credentials
from benchsite.errors import IntegrityError
from benchsite.pipeline import build, verify
from benchsite.pipeline.audit import audit
from benchsite.pipeline.snapshot.integrity import require_whole
from benchsite.pipeline.status import status
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.methodology_store import MethodologyStore, WorkingTree


def codes(instance: Workspace) -> set[int]:
    return {item.exit_code for item in verify.verify(opened(instance), (), everything=True)}


@pytest.mark.stories
@pytest.mark.parametrize("where", some([".gitattributes", ".git/info/attributes"], gate=1))
@pytest.mark.parametrize("attribute", ["* text eol=crlf", "*.md text working-tree-encoding=UTF-16LE"])
def test_attributes_of_a_checkout_edit_nothing(
    published: Workspace, tmp_path: Path, where: str, attribute: str
) -> None:
    """M3: a clone with its own line ends called good methodologies edited."""
    path = published.root / where
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{attribute}\n")
    text = published.root / "methodology/retrieval/1.0.0/text.md"
    before = text.read_bytes()
    text.unlink()
    git(published.root, "checkout", "-q", "--", "methodology")
    assert text.read_bytes() != before, "the working tree holds other bytes"
    instance = Workspace(published.root)
    assert codes(instance) == {0}
    assert audit(snapshot(instance)).ok
    build.build(instance, opened(instance), tmp_path / "site")


def test_an_edit_that_is_committed_is_found(published: Workspace) -> None:
    commit(published, {"methodology/retrieval/1.0.0/text.md": b"other rules"})
    with pytest.raises(IntegrityError, match=r"methodology/retrieval/1\.0\.0"):
        require_whole(snapshot(Workspace(published.root)))


@pytest.mark.stories
@pytest.mark.parametrize("place", some(["methodology/retrieval/9.9.9", f"fixtures/{FIXTURE}"], gate=1))
def test_a_link_out_of_the_repository_is_not_followed(
    published: Workspace, tmp_path: Path, place: str
) -> None:
    """M13: what a link of a commit points to on the machine that builds would come onto the site."""
    outside = tmp_path / "outside"
    shutil.copytree(published.root / "methodology/retrieval/1.0.0", outside)
    (outside / "text.md").write_text("a secret of this machine")
    target = published.root / place
    shutil.rmtree(target, ignore_errors=True)
    target.symlink_to(outside)
    subprocess.run(["git", "-C", str(published.root), "add", "-A"], check=True)
    git(published.root, "commit", "-qm", "a link")
    instance = Workspace(published.root)
    built = build.build(instance, opened(instance), tmp_path / "site")
    pages = (path for path in built.site.rglob("*") if path.is_file())
    assert not any(b"a secret of this machine" in path.read_bytes() for path in pages)
    known = MethodologyStore(WorkingTree(published.root)).versions("retrieval")
    assert "9.9.9" not in known


@pytest.mark.stories
def test_evidence_that_no_receipt_pins_is_not_served(published: Workspace, tmp_path: Path) -> None:
    """M6: 100,000 files that a merge brought were on the site."""
    sha256 = hashlib.sha256(b"brought by a merge").hexdigest()
    commit(published, {f"results/evidence/{sha256[:2]}/{sha256}": b"brought by a merge"})
    instance = Workspace(published.root)
    assert [item.kind.value for item in audit(snapshot(instance)).findings] == ["evidence-unpinned"]
    site = build.build(instance, opened(instance), tmp_path / "site").site
    assert not any(sha256 in path.name for path in site.rglob("*"))


def test_status_recommends_nothing_that_a_damaged_record_refuses(published: Workspace) -> None:
    """Journey S12: two receipts were gone, and status said "next: benchsite publish"."""
    gone = tuple(item.path for item in snapshot(published).published[:2])
    commit(published, {}, removes=gone)
    found = status(Workspace(published.root), opened(Workspace(published.root)), Credentials())
    assert sorted(fault.split(" ")[0] for fault in found.faults) == sorted(gone)  # they come in log order
    assert found.next_steps[0].startswith("benchsite audit ")
    assert not any(step.startswith(("benchsite publish", "benchsite build")) for step in found.next_steps)
