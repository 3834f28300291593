"""Log commits that the remote overtook are refused with the commands that redo them; nothing is lost."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest
from builders import commit
from commands import run_in
from examples import some
from publishing import attach, edit, git, measure, redo, remote_pair
from snapshots import log_of, opened, snapshot

from benchsite import canonical
from benchsite.environment import Credentials
from benchsite.errors import BenchsiteError, IntegrityError, PrerequisiteError
from benchsite.history import Verdict
from benchsite.layout import INBOX, JOURNAL, receipt_path
from benchsite.pipeline import build, publish
from benchsite.pipeline.audit import Kind, audit
from benchsite.pipeline.publish import events, methodologies, rotation
from benchsite.pipeline.record import append as appending
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.status import status
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey

TOLD = b"a secret that a transcript tells"
SHA256 = hashlib.sha256(TOLD).hexdigest()
PATH = f"results/evidence/{SHA256[:2]}/{SHA256}"


def refused(instance: Workspace, credentials: Credentials, *drafts: Path) -> BenchsiteError:
    """What `publish` says of a clone whose log commits the remote overtook; it changes nothing."""
    head = git(instance.root, "rev-parse", "HEAD")
    with pytest.raises(PrerequisiteError, match="the remote overtook") as caught:
        publish.publish(Workspace(instance.root), opened(Workspace(instance.root)), drafts, credentials)
    assert git(instance.root, "rev-parse", "HEAD") == head
    return caught.value


def text(size: int) -> bytes:
    return (b"a line of a transcript\n" * (size // 23 + 1))[:size]


@pytest.mark.parametrize(
    "cleared", some([False, True], gate=1), ids=["drafts kept", "drafts and evidence deleted"]
)
@pytest.mark.parametrize("size", [1_000, 200_000])
def test_the_commands_of_the_refusal_publish_the_draft_and_its_evidence(
    begun: Workspace, credentials: Credentials, tmp_path: Path, size: int, *, cleared: bool
) -> None:
    """Evidence from 64 KiB on is gzip'd in git, and kept uncompressed beside drafts."""
    here, there = remote_pair(begun, tmp_path)
    draft = edit(measure(there, "bm25"), {"evidence": [attach(there, text(size))]})
    publish.publish(there, opened(there), [draft], credentials, push=False)
    assert draft.exists(), "a draft is kept until it is pushed"
    if cleared:
        shutil.rmtree(there.root / ".benchsite")
    publish.publish(here, opened(here), [measure(here)], credentials)
    error = refused(there, credentials)
    assert error.message.endswith("overtook 1 log commit of this clone: publish: 1 receipt")
    assert [line.strip() for line in error.hint.splitlines()[1:]] == [
        "git reset --keep @{u}",
        "benchsite publish",
    ]
    again = redo(there, error)
    assert publish.publish(again, opened(again), again.draft_paths(), credentials).receipts == (draft.stem,)
    sha256 = canonical.sha256_hex(text(size))
    assert again.repository.read(f"results/evidence/{sha256[:2]}/{sha256}", rev="HEAD") is not None
    assert git(there.root, "rev-parse", "HEAD") == git(tmp_path / "origin.git", "rev-parse", "main")
    assert again.draft_paths() == []
    assert [header.verdict for header in snapshot(again).history()] == [Verdict.LOGGED] * 2
    assert audit(snapshot(again)).ok


def test_what_was_typed_is_named_to_be_typed_again(
    published: Workspace, credentials: Credentials, secrets: dict[str, PrivateKey], tmp_path: Path
) -> None:
    """Events, pins and key changes leave no draft."""
    here, there = remote_pair(published, tmp_path)
    receipt_id = next(iter(log_of(there).receipts))
    events.announce(there, credentials, events.retraction(receipt_id, "mistake"), push=False)
    methodologies.pin(there, credentials, "rubric", "2.0.0", push=False)
    keys = Credentials.of(**secrets)
    rotated = rotation.rotate(there, opened(there), "receipt", keys, folder=tmp_path / "keys", push=False)
    publish.publish(here, opened(here), [measure(here)], credentials)
    error = refused(there, credentials)
    assert "3 log commits" in error.message
    old = rotated.old.removeprefix("sha256:")[:12]
    assert error.hint.splitlines()[-1].strip() == (
        f"then repeat: log: retract; methodology: publish rubric 2.0.0; keys: receipt key {old}"
    )
    again = redo(there, error)
    events.announce(again, credentials, events.retraction(receipt_id, "mistake"), push=True)
    methodologies.pin(again, credentials, "rubric", "2.0.0", push=True)
    rotation.rotate(again, opened(again), "receipt", keys, folder=tmp_path / "more")
    assert audit(snapshot(again)).ok


@pytest.mark.full
def test_commits_of_ones_own_between_them_are_picked_again(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """`git reset` alone would drop them: a submitted draft merged here, a page written here."""
    here, there = remote_pair(begun, tmp_path)
    sent = measure(there, "bm25")
    data = sent.read_bytes()
    sent.unlink()
    commit(there, {f"{INBOX}/{sent.name}": data})
    publish.publish(there, opened(there), [there.root / INBOX / sent.name], credentials, push=False)
    commit(there, {"news.md": b"# News\n"})
    publish.publish(here, opened(here), [measure(here)], credentials)
    error = refused(there, credentials)
    picked = git(there.root, "rev-parse", "HEAD~2")[:12], git(there.root, "rev-parse", "HEAD")[:12]
    assert f"git cherry-pick {picked[0]} {picked[1]}" in error.hint
    again = redo(there, error)
    assert again.draft_paths() == [], "what a submitter sent is no draft of this machine"
    outcome = publish.publish(again, opened(again), [again.root / INBOX / sent.name], credentials)
    assert (outcome.receipts, dict(outcome.left)) == ((sent.stem,), {})
    assert (there.root / "news.md").exists()
    assert not (there.root / INBOX / sent.name).exists()


def test_a_branch_that_follows_none_is_told_the_commit(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    here, there = remote_pair(begun, tmp_path)
    publish.publish(here, opened(here), [measure(here)], credentials, push=False)
    publish.publish(there, opened(there), [measure(there, "bm25")], credentials)
    error = refused(here, credentials)
    assert f"git reset --keep {git(there.root, 'rev-parse', 'HEAD')[:12]}\n" in error.hint
    again = redo(here, error)
    assert len(publish.publish(again, opened(again), again.draft_paths(), credentials).receipts) == 1


def test_ordinary_commits_are_rebased_by_their_author(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    here, there = remote_pair(begun, tmp_path)
    commit(there, {"news.md": b"# News\n"})
    publish.publish(here, opened(here), [measure(here)], credentials)
    with pytest.raises(PrerequisiteError, match="have diverged") as caught:
        publish.publish(there, opened(there), [], credentials)
    assert caught.value.hint == "git pull --rebase, then retry"


def test_a_rejected_push_leaves_no_second_checkpoint(
    begun: Workspace, credentials: Credentials, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other publisher is first each time, until this one gives up: its commit is gone, its drafts are not."""
    here, there = remote_pair(begun, tmp_path)
    adapters = iter(("bm25", "random"))
    send = appending._send

    def raced(found: Snapshot, commit: str | None) -> bool:
        if found.repository.root == here.root:
            publish.publish(there, opened(there), [measure(there, next(adapters))], credentials)
        return send(found, commit)

    monkeypatch.setattr(appending, "_send", raced)
    monkeypatch.setattr(appending, "_ATTEMPTS", 2)
    draft = measure(here)
    with pytest.raises(BenchsiteError, match="newer commits"):
        publish.publish(here, opened(here), [draft], credentials)
    assert here.repository.unpushed("HEAD") == 0
    assert git(here.root, "status", "--porcelain") == ""
    monkeypatch.setattr(appending, "_send", send)
    assert publish.publish(here, opened(here), [draft], credentials).receipts == (draft.stem,)
    assert audit(snapshot(here)).ok


@pytest.mark.full
def test_status_names_the_commands_too(begun: Workspace, credentials: Credentials, tmp_path: Path) -> None:
    here, there = remote_pair(begun, tmp_path)
    publish.publish(there, opened(there), [measure(there)], credentials, push=False)
    publish.publish(here, opened(here), [measure(here, "bm25")], credentials)
    refused(there, credentials)
    measure(there, "random")
    steps = status(Workspace(there.root), opened(Workspace(there.root)), credentials).next_steps
    assert not [
        step for step in steps if step.startswith("benchsite publish") or "; benchsite publish" in step
    ]
    assert [step for step in steps if "the remote overtook" in step and "git reset --keep @{u}" in step]
    assert not [step for step in steps if "pushes 1 commit" in step]


@pytest.mark.parametrize("fetched", some(["by publish", "by git"], gate=1))
def test_no_push_signs_nothing_on_an_overtaken_branch(
    begun: Workspace, credentials: Credentials, tmp_path: Path, fetched: str
) -> None:
    """The answer is that of a publish that pushes, whoever fetched, and deleted drafts are restored as well."""
    here, there = remote_pair(begun, tmp_path)
    draft = measure(there, "bm25")
    publish.publish(there, opened(there), [draft], credentials, push=False)
    draft.unlink()
    publish.publish(here, opened(here), [measure(here)], credentials)
    if fetched == "by publish":
        refused(there, credentials)
    else:
        git(there.root, "fetch", "-q")
    again, more = Workspace(there.root), measure(there, "random")
    head = git(there.root, "rev-parse", "HEAD")
    with pytest.raises(PrerequisiteError, match="the remote overtook 1 log commit") as caught:
        publish.publish(again, opened(again), [more], credentials, push=False)
    assert "git reset --keep @{u}\n" in caught.value.hint
    assert git(there.root, "rev-parse", "HEAD") == head
    assert draft.exists()
    again = redo(there, caught.value)
    publish.publish(again, opened(again), again.draft_paths(), credentials, push=False)
    assert snapshot(again).require_log().size == snapshot(here).require_log().size + 2
    publish.publish(again, opened(again), [], credentials)
    assert audit(snapshot(again)).ok


def test_no_push_builds_on_the_entries_that_were_fetched(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """A branch that is only behind moves forward first; without that, its next push would be overtaken."""
    here, there = remote_pair(begun, tmp_path)
    publish.publish(here, opened(here), [measure(here)], credentials)
    git(there.root, "fetch", "-q")
    again = Workspace(there.root)
    publish.publish(again, opened(again), [measure(there, "bm25")], credentials, push=False)
    assert git(there.root, "rev-parse", "HEAD~1") == git(here.root, "rev-parse", "HEAD")


def test_no_push_restores_no_commit_that_the_remote_lost(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    here, _ = remote_pair(begun, tmp_path)
    before = git(here.root, "rev-parse", "HEAD")
    publish.publish(here, opened(here), [measure(here)], credentials)
    git(tmp_path / "origin.git", "update-ref", "refs/heads/main", before)
    git(here.root, "fetch", "-q", "origin")
    git(here.root, "reset", "-q", "--hard", before)
    again = Workspace(here.root)
    with pytest.raises(IntegrityError, match="log forked: origin/main"):
        publish.publish(again, opened(again), [measure(again, "bm25")], credentials, push=False)
    assert git(here.root, "rev-parse", "HEAD") == before


@pytest.mark.full
def test_withdrawn_evidence_that_lies_there_is_found_not_served_and_withdrawn_again(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    draft = edit(measure(published), {"evidence": [attach(published, TOLD)]})
    publish.publish(published, opened(published), [draft], credentials, push=False)
    entry = events.withdrawal(SHA256, "a secret")
    events.announce(published, credentials, entry, push=False)
    commit(published, {PATH: TOLD})
    again = Workspace(published.root)
    assert [(item.kind, item.path) for item in audit(snapshot(again)).findings] == [(Kind.WITHDRAWN, PATH)]
    site = build.build(again, opened(again), tmp_path / "site").site
    assert not (site / f"{PATH}.txt").exists()
    events.announce(again, credentials, entry, push=False)
    assert again.repository.read(PATH, rev="HEAD") is None
    assert audit(snapshot(Workspace(published.root))).ok


@pytest.mark.stories
def test_status_tells_what_is_on_its_way(begun: Workspace, credentials: Credentials, tmp_path: Path) -> None:
    first, _ = remote_pair(begun, tmp_path)
    draft = measure(first)
    assert status(first, opened(first), credentials).drafts == (draft.stem,)
    publish.publish(first, opened(first), [draft], credentials, push=False)
    found = status(first, opened(first), credentials)
    assert draft.exists(), "it is kept until the receipt is public"
    assert found.drafts == ()
    assert found.next_steps[0].startswith("benchsite publish       pushes 1 commit")
    (first.root / receipt_path(draft.stem)).unlink()
    (first.root / JOURNAL).write_text("{}")
    steps = status(first, opened(first), credentials).next_steps
    assert steps[0].startswith("benchsite publish       finishes an interrupted publish")
    assert not any(step.startswith("restore the record") for step in steps)


def test_an_interrupted_publish_is_what_status_says_first(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """A kill between the commit and the files leaves `D results/published/…`: no change of the user's."""
    path = next(iter(published.root.glob("results/published/*/*.json")))
    path.unlink()
    (published.root / JOURNAL).parent.mkdir(exist_ok=True)
    (published.root / JOURNAL).write_text("{}")
    found = status(Workspace(published.root), opened(Workspace(published.root)), credentials)
    assert found.interrupted
    assert found.next_steps[0] == "benchsite publish       finishes an interrupted publish"
    told = run_in(tmp_path / "home", published.root)("status").out
    assert "tree    an interrupted publish: the next one finishes it\n" in told
    assert "will not be ranked" not in told
