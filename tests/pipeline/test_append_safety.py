"""What `append` refuses to build on, and what it must finish: races, damaged remotes, second branches, waiting changes."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path

import pytest
from builders import FIXTURE, commit, small_fixture
from examples import some
from publishing import edit, git, measure, remote_pair, suite
from snapshots import log_of, opened, snapshot

from benchsite.environment import Credentials
from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.layout import LOCK, receipt_path
from benchsite.pipeline import build, publish, status, verify
from benchsite.pipeline.audit import audit
from benchsite.pipeline.publish import events, rotation
from benchsite.pipeline.record import append as appending
from benchsite.pipeline.record.commit import locked
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.repo.head import resolve_head
from benchsite.signing import PrivateKey


def named(instance: Workspace) -> Workspace:
    git(instance.root, "config", "user.name", "Somebody")
    git(instance.root, "config", "user.email", "somebody@example.org")
    return instance


@pytest.mark.stories
def test_a_damaged_remote_head_is_not_signed_upon(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    first, second = remote_pair(begun, tmp_path)
    one = measure(first)
    publish.publish(first, opened(first), [one], credentials)
    git(named(second).root, "pull", "-q")
    (second.root / receipt_path(one.stem)).write_bytes(b"{}")
    git(second.root, "commit", "-qam", "edit")
    git(second.root, "push", "-q")
    with pytest.raises(IntegrityError, match=f"{receipt_path(one.stem)} was edited"):
        publish.publish(first, opened(first), [measure(first, "bm25")], credentials)


@pytest.mark.stories
def test_a_second_branch_is_refused_where_the_remote_never_said_which_one_it_follows(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """`git init` and `git remote add` leave no origin/HEAD: the pins know what was pushed where."""
    first, _ = remote_pair(begun, tmp_path)
    git(first.root, "switch", "-q", "-c", "feature")
    publish.publish(Workspace(first.root), opened(Workspace(first.root)), [measure(first)], credentials)
    git(first.root, "switch", "-q", "main")
    instance = Workspace(first.root)
    with pytest.raises(IntegrityError, match="log forked: origin/feature"):
        publish.publish(instance, opened(instance), [measure(instance, "bm25")], credentials)
    git(first.root, "merge", "-q", "--ff-only", "feature")
    publish.publish(Workspace(first.root), opened(Workspace(first.root)), [], credentials)


@pytest.mark.stories
def test_a_compromise_that_makes_no_key_survives_being_overtaken(
    begun: Workspace, secrets: dict[str, PrivateKey], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two receipt keys are in force; somebody publishes between our fetch and our push."""
    first, second = remote_pair(begun, tmp_path)
    credentials = Credentials.of(**secrets)
    kept = rotation.rotate(first, opened(first), "receipt", credentials, keep=True, folder=tmp_path / "keys")
    assert kept.file is not None
    git(second.root, "pull", "-q")
    second = Workspace(second.root)
    draft = measure(second)
    theirs = Credentials.of(receipt=PrivateKey.from_text(kept.file.read_text(), "new"), log=secrets["log"])
    send, raced = appending._send, []

    def overtaken(snapshot: Snapshot, commit: str | None) -> bool:
        if not raced and snapshot.repository.root == first.root:
            raced.append(publish.publish(second, opened(second), [draft], theirs))
        return send(snapshot, commit)

    monkeypatch.setattr(appending, "_send", overtaken)
    leaked = secrets["receipt"].fingerprint
    size = log_of(first).size
    done = rotation.compromise(first, opened(first), leaked, credentials, below=size, reason="leaked")
    assert raced
    assert done.appended.public
    record = log_of(first).keyring.get(leaked)
    assert record is not None
    assert record.state == "compromised"


def test_a_lock_file_that_lost_its_name_while_waiting_is_not_the_lock(
    begun: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`git clean -fdx` removes the file: a publisher that waited for it would hold what nobody else finds."""
    flock, path, calls = fcntl.flock, begun.root / LOCK, []

    def cleaned(handle: int, how: int) -> None:
        flock(handle, how)
        calls.append(handle)
        if len(calls) == 1:
            path.unlink()
        if len(calls) == 2:
            path.rename(path.with_name("old"))
            path.touch()

    monkeypatch.setattr(fcntl, "flock", cleaned)
    with locked(begun), path.open() as other, pytest.raises(BlockingIOError):
        flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert len(calls) == 3


def test_a_failed_push_tells_where_the_new_key_lies(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    first, _ = remote_pair(begun, tmp_path)
    git(first.root, "remote", "set-url", "--push", "origin", str(tmp_path / "nowhere"))
    with pytest.raises(PrerequisiteError, match="cannot push") as caught:
        rotation.rotate(first, opened(first), "receipt", credentials, folder=tmp_path / "keys")
    (file,) = (tmp_path / "keys").iterdir()
    assert str(file) in caught.value.hint


def test_what_the_log_names_first_must_be_committed(begun: Workspace, credentials: Credentials) -> None:
    path = begun.root / "fixtures" / FIXTURE / "fixture.json"
    path.write_text(json.dumps({**small_fixture(), "description": "edited, and not committed"}))
    draft = measure(begun)
    with pytest.raises(PrerequisiteError, match=f"{FIXTURE} is not committed"):
        publish.publish(begun, opened(begun), [draft], credentials, push=False)
    git(named(begun).root, "commit", "-qam", "the fixture")
    publish.publish(begun, opened(begun), [draft], credentials, push=False)
    assert audit(snapshot(begun)).ok


def test_rules_that_the_log_names_first_must_be_committed(begun: Workspace, credentials: Credentials) -> None:
    text = begun.root / "methodology" / "retrieval" / "1.0.0" / "text.md"
    text.write_text(text.read_text(encoding="utf-8") + "\nOne more rule.\n", encoding="utf-8")
    draft = measure(Workspace(begun.root))
    with pytest.raises(PrerequisiteError, match=r"retrieval 1\.0\.0 .*not committed"):
        publish.publish(
            Workspace(begun.root), opened(Workspace(begun.root)), [draft], credentials, push=False
        )


def test_a_fixture_that_is_a_link_is_not_published(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """What a link points to can change without a commit."""
    path = named(begun).root / "fixtures" / FIXTURE / "fixture.json"
    outside = tmp_path / "elsewhere.json"
    path.rename(outside)
    path.symlink_to(outside)
    git(begun.root, "commit", "-qam", "a link")
    with pytest.raises(PrerequisiteError, match="regular files|not committed"):
        publish.publish(begun, opened(begun), [measure(begun)], credentials, push=False)


def test_a_record_that_was_removed_whole_is_no_record_that_never_began(
    published: Workspace, tmp_path: Path
) -> None:
    git(named(published).root, "rm", "-rq", "results", "keys")
    git(published.root, "commit", "-qm", "gone")
    instance = Workspace(published.root)
    with pytest.raises(IntegrityError, match="results/log is missing"):
        list(verify.verify(opened(instance), (), everything=True))
    with pytest.raises(IntegrityError, match="results/log is missing"):
        build.build(instance, opened(instance), tmp_path / "site")


@pytest.mark.parametrize(
    "change",
    some(
        [
            {"supersedes": "victim"},
            {"reproduces": "victim"},
            {"intentId": "11111111-1111-4111-8111-111111111111"},
            {"ranBy": {"kind": "maintainer", "name": "Somebody else"}},
        ],
        gate=2,
    ),
    ids=lambda change: next(iter(change)),
)
def test_a_draft_that_a_measured_system_could_have_written_says_nothing_of_others(
    published: Workspace, credentials: Credentials, change: dict[str, object]
) -> None:
    header = next(
        header
        for header in snapshot(published).history()
        if header.summary is not None and header.summary.subject.name == "bm25"
    )
    change = {name: header.receipt_id if value == "victim" else value for name, value in change.items()}
    instance = suite(published, "random")
    draft = edit(measure(instance, "random"), change)
    (field,) = change
    with pytest.raises(IntegrityError, match=f"{field} .*suite gives"):
        publish.publish(instance, opened(instance), [draft], credentials, push=False, untrusted=True)


def test_evidence_lies_under_its_own_hash(published: Workspace) -> None:
    path = f"results/evidence/ab/ab{'0' * 62}"
    commit(published, {path: b"something else"})
    assert [(item.kind.value, item.path) for item in audit(snapshot(published)).findings] == [
        ("edited", path)
    ]


def test_a_reverted_log_is_not_grown_again(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """A revert button is enough, and what is signed on top of it would be a second log of that size."""
    first, second = remote_pair(published, tmp_path)
    receipt_id = next(iter(log_of(first).receipts))
    events.announce(first, credentials, events.dispute(receipt_id, "https://example.org/1"), push=True)
    git(named(first).root, "revert", "--no-edit", "HEAD")
    git(first.root, "push", "-q", "origin", "main")
    git(second.root, "pull", "-q")
    for instance in (Workspace(first.root), Workspace(second.root)):
        for read in (
            lambda at=instance: list(verify.verify(opened(at), (), everything=True)),
            lambda at=instance: build.build(at, opened(at), tmp_path / "site"),
            lambda at=instance: publish.publish(at, opened(at), [], credentials),
        ):
            with pytest.raises(IntegrityError, match="log truncated: "):
                read()
    git(first.root, "revert", "--no-edit", "HEAD")
    instance = Workspace(first.root)
    events.announce(instance, credentials, events.dispute(receipt_id, "https://example.org/2"), push=True)


def test_a_private_key_in_a_commit_of_ones_own_is_not_pushed(
    published: Workspace, credentials: Credentials, secrets: dict[str, PrivateKey], tmp_path: Path
) -> None:
    first, _ = remote_pair(published, tmp_path)
    (named(first).root / "log.pem").write_text(secrets["log"].to_pem())
    git(first.root, "add", "log.pem")
    git(first.root, "commit", "-qm", "oops")
    before = git(tmp_path / "origin.git", "rev-parse", "main")
    with pytest.raises(IntegrityError, match="log.pem") as caught:
        publish.publish(first, opened(first), [measure(first)], credentials)
    assert "nothing was pushed" in caught.value.hint
    assert git(tmp_path / "origin.git", "rev-parse", "main") == before


def test_status_names_a_private_key_that_lies_in_the_repository(
    published: Workspace, secrets: dict[str, PrivateKey]
) -> None:
    (published.root / "log.pem").write_text(secrets["log"].to_pem())
    steps = status.status(published, opened(published), Credentials()).next_steps
    assert steps[0] == "move log.pem out of the repository: private key"


def test_status_tells_what_the_remote_lacks(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    first, _ = remote_pair(published, tmp_path)
    assert status.status(first, opened(first), Credentials()).unpushed == 0
    git(named(first).root, "switch", "-q", "-c", "page")
    assert status.status(Workspace(first.root), opened(Workspace(first.root)), Credentials()).unpushed == 0
    git(first.root, "switch", "-q", "main")
    receipt_id = next(iter(log_of(first).receipts))
    events.announce(first, credentials, events.dispute(receipt_id, "https://example.org/1"), push=False)
    assert status.status(first, opened(first), Credentials()).unpushed == 1


def test_a_draft_in_the_inbox_makes_no_tree_dirty(published: Workspace) -> None:
    """An ordinary run made beside it would otherwise never be ranked, though no code changed."""
    inbox = published.root / "results" / "inbox"
    inbox.mkdir(exist_ok=True)
    (inbox / "draft.json").write_text("{}")
    assert published.repository.state(resolve_head(published.repository))["dirty"] is False


def test_a_file_name_cannot_write_a_line_of_its_own(published: Workspace) -> None:
    path = "results/published/a\n✓ no alteration found"
    (published.root / path).write_text("x")
    git(named(published).root, "add", "-A")
    git(published.root, "commit", "-qm", "stray")
    (stray,) = {item.path for item in audit(snapshot(Workspace(published.root))).findings}
    assert stray == "results/published/a\\n✓ no alteration found"
    with pytest.raises(IntegrityError) as caught:
        snapshot(Workspace(published.root)).published
    assert "\n" not in caught.value.message
