"""What a clone was shown before, and evidence that no receipt pins."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest
from altering import CHECKPOINT, data_of, found, grow, head, intent
from builders import commit
from examples import some
from publishing import attach, edit, git, measure, remote_pair
from snapshots import log_of, opened, snapshot

from benchsite.environment import Credentials
from benchsite.errors import PrerequisiteError
from benchsite.layout import COSIGNATURES_PATH, evidence_path
from benchsite.log import Checkpoint, Cosignature, Note, cosign, encode_cosignatures
from benchsite.pipeline import publish
from benchsite.pipeline.audit import Kind, audit
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey

REF = "refs/benchsite/origin/main"


def shown(published: Workspace, folder: Path, secrets: dict) -> tuple[Workspace, str]:
    """An instance whose pin names a log two entries longer than the one before, and the commit before."""
    first, _ = remote_pair(published, folder)
    before = head(first)
    grow(first, secrets["log"], intent(1))
    grow(first, secrets["log"], intent(2))
    first.repository.push("HEAD")
    git(first.root, "fetch", "-q", "origin")
    assert audit(snapshot(Workspace(first.root))).ok
    return first, before


def test_a_log_that_went_back_with_its_remote_is_told_from_the_clones_own_pin(
    published: Workspace, tmp_path: Path, secrets: dict
) -> None:
    first, before = shown(published, tmp_path, secrets)
    size = log_of(first).size
    git(tmp_path / "origin.git", "update-ref", "refs/heads/main", before)
    git(first.root, "fetch", "-q", "origin")
    git(first.root, "reset", "-q", "--hard", "origin/main")
    result = audit(snapshot(Workspace(first.root)))
    (finding,) = result.findings
    assert (finding.kind, finding.path) == (Kind.REWRITTEN, REF)
    assert f"a log of {size} entries, and the log at HEAD has {size - 2}" in finding.detail
    assert finding.detail.startswith("the log went back")


def test_a_checkout_that_is_behind_a_whole_remote_is_stale_and_no_fork(
    published: Workspace, tmp_path: Path, secrets: dict
) -> None:
    first, before = shown(published, tmp_path, secrets)
    git(first.root, "reset", "-q", "--hard", before)
    assert found(first) == {(Kind.STALE, REF, "")}


def test_another_log_under_the_same_name_is_a_split_view_and_both_heads_are_kept(
    published: Workspace, tmp_path: Path, secrets: dict
) -> None:
    first, before = shown(published, tmp_path, secrets)
    theirs = (first.root / "results/log/checkpoint").read_bytes()
    git(first.root, "reset", "-q", "--hard", before)
    first.refresh()
    grow(first, secrets["log"], intent(3))
    result = audit(snapshot(Workspace(first.root)))
    assert [(item.kind, item.path) for item in result.findings] == [(Kind.SPLIT_VIEW, REF)]
    assert theirs in [Path(path).read_bytes() for path in result.evidence]


def raced(begun: Workspace, credentials: Credentials, folder: Path) -> tuple[Workspace, Workspace, str]:
    """Two clones that published on one head, the second without a push; and that head."""
    here, there = remote_pair(begun, folder)
    before = head(there)
    publish.publish(there, opened(there), [measure(there, "bm25")], credentials, push=False)
    publish.publish(here, opened(here), [measure(here)], credentials)
    git(there.root, "fetch", "-q")
    return here, Workspace(there.root), before


def test_private_log_commits_that_the_remote_overtook_are_a_note_with_the_commands(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    _, there, _ = raced(begun, credentials, tmp_path)
    before = audit(snapshot(there))
    with pytest.raises(PrerequisiteError, match="the remote overtook"):
        publish.publish(there, opened(there), [], credentials)
    after = audit(snapshot(Workspace(there.root)))
    assert (before.findings, after.findings, after.evidence) == ((), (), ())
    assert before.notes == after.notes
    (note,) = after.notes
    assert note.startswith("the remote overtook 1 log commit of this clone: publish: 1 receipt.")
    assert note.endswith("redo them: git reset --keep @{u}; benchsite publish")


@pytest.mark.parametrize("public", some(["pushed elsewhere", "cosigned", "given"], gate=1))
def test_overtaken_log_commits_that_others_have_seen_are_a_split_view(
    begun: Workspace, credentials: Credentials, tmp_path: Path, public: str
) -> None:
    _, there, _ = raced(begun, credentials, tmp_path)
    there.repository.fetch()
    given = tmp_path / "checkpoint"
    given.write_bytes(data_of(there, CHECKPOINT))
    if public == "pushed elsewhere":
        git(there.root, "push", "-q", "origin", "HEAD:refs/heads/other")
    if public == "cosigned":
        checkpoint = Checkpoint.parse(Note.parse(given.read_bytes()).text)
        signature = cosign(checkpoint, name="witness.example", key=PrivateKey.generate(), time=1)
        data = encode_cosignatures([Cosignature(checkpoint.size, signature)])
        commit(there, {COSIGNATURES_PATH: data})
    options = {"checkpoints": [given]} if public == "given" else {}
    assert (Kind.SPLIT_VIEW, REF, "") in found(there, **options)


def test_a_history_that_the_remote_rewrote_is_no_race(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """The clone of a reader, who has no pin: its reflog knows that the remote had what it lacks now."""
    _, there, before = raced(begun, credentials, tmp_path)
    subprocess.run(["git", "clone", "-q", str(tmp_path / "origin.git"), str(tmp_path / "reader")], check=True)
    git(there.root, "push", "-q", "--force", "origin", "HEAD:main")
    reader = Workspace(tmp_path / "reader")
    git(reader.root, "fetch", "-q")
    assert audit(snapshot(reader)).notes == ()
    assert reader.repository.fork_point("HEAD", "origin/main") == before


def test_a_rewritten_history_of_the_same_log_contains_what_was_shown(
    published: Workspace, tmp_path: Path, secrets: dict
) -> None:
    """As after evidence was taken out of the history: other commits, the same log."""
    first, _ = shown(published, tmp_path, secrets)
    git(first.root, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--amend", "-m", "rewritten")
    assert audit(snapshot(Workspace(first.root))).ok


def test_a_record_without_the_log_that_was_shown_is_rewritten(
    published: Workspace, tmp_path: Path, secrets: dict
) -> None:
    first, _ = shown(published, tmp_path, secrets)
    gone = [item.path for item in first.repository.tree("results", rev="HEAD")]
    commit(first, {}, removes=tuple(gone))
    git(first.root, "checkout", "-q", "--orphan", "new")
    git(first.root, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "a new beginning")
    assert (Kind.REWRITTEN, REF, "") in found(first)


def test_evidence_that_no_receipt_pins_is_a_finding_and_pinned_evidence_is_none(
    published: Workspace, credentials: Credentials
) -> None:
    pinned = attach(published, b"a document that a receipt pins")
    publish.publish(
        published,
        opened(published),
        [edit(measure(published), {"evidence": [pinned]})],
        credentials,
        push=False,
    )
    assert audit(snapshot(Workspace(published.root))).ok
    path = evidence_path(hashlib.sha256(b"a document that nothing rests on").hexdigest())
    commit(published, {path: b"a document that nothing rests on"})
    assert found(published) == {(Kind.UNPINNED, path, head(published))}
