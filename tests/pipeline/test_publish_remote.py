from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders import commit
from publishing import edit, git, measure, redo, remote_pair
from snapshots import log_of, opened, snapshot

from benchsite.environment import Credentials
from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.pipeline import publish
from benchsite.pipeline import verify as checking
from benchsite.pipeline.workspace import Workspace
from benchsite.repo.head import resolve_head


def test_two_clones_publish_one_after_the_other(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """The second clone is behind: it must build on the fetched head, never sign a second head of the same size."""
    first, second = remote_pair(begun, tmp_path)
    one, two = measure(first), measure(second, "bm25")
    assert publish.publish(first, opened(first), [one], credentials).appended.public is True
    assert publish.publish(second, opened(second), [two], credentials).appended.public is True
    log = snapshot(second).log
    assert log is not None
    assert list(log.receipts) == [one.stem, two.stem]
    assert git(tmp_path / "origin.git", "rev-parse", "main") == resolve_head(second.repository)


def refused_and_redone(instance: Workspace, credentials: Credentials) -> Workspace:
    """Publish over an overtaken log commit, which is refused, and run the git commands of the refusal."""
    with pytest.raises(PrerequisiteError, match="the remote overtook 1 log commit") as refusal:
        publish.publish(instance, opened(instance), instance.draft_paths(), credentials)
    return redo(instance, refusal.value)


@pytest.mark.stories
def test_an_unpushed_publish_is_made_again_on_the_remotes_head(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    first, second = remote_pair(begun, tmp_path)
    one, two = measure(first), measure(second, "bm25")
    publish.publish(second, opened(second), [two], credentials, push=False)
    assert two.exists(), "with a remote, a draft stays until it is pushed"
    publish.publish(first, opened(first), [one], credentials)
    second = refused_and_redone(second, credentials)
    publish.publish(second, opened(second), [two], credentials)
    log = snapshot(second).log
    assert log is not None
    assert list(log.receipts) == [one.stem, two.stem]
    assert not two.exists()


@pytest.mark.stories
def test_a_discarded_publish_is_made_again_even_where_its_draft_was_deleted(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    first, second = remote_pair(begun, tmp_path)
    one, two, three = measure(first), measure(second, "bm25"), measure(second)
    edit(two, {"ranAt": "2026-11-20T00:00:00Z"})
    publish.publish(second, opened(second), [two], credentials, push=False)
    two.unlink()
    publish.publish(first, opened(first), [one], credentials)
    second = refused_and_redone(second, credentials)
    outcome = publish.publish(second, opened(second), second.draft_paths(), credentials)
    assert set(outcome.receipts) == {three.stem, two.stem}
    assert outcome.appended.public
    log = snapshot(second).log
    assert log is not None
    assert list(log.receipts) == [one.stem, two.stem, three.stem]
    assert [item.exit_code for item in checking.verify(opened(second), (), everything=True)] == [0, 0, 0]


@pytest.mark.stories
def test_a_draft_made_on_a_head_that_was_never_public_names_the_public_one(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """The unpushed head may be discarded, as it is here: a receipt that named it would belong to no log."""
    first, second = remote_pair(begun, tmp_path)
    one, two = measure(first), measure(second, "bm25")
    shared = snapshot(second).log
    assert shared is not None
    publish.publish(second, opened(second), [two], credentials, push=False)
    late = measure(second)
    assert json.loads(late.read_bytes())["logHead"]["size"] == shared.size
    publish.publish(first, opened(first), [one], credentials)
    second = refused_and_redone(second, credentials)
    outcome = publish.publish(second, opened(second), second.draft_paths(), credentials)
    assert set(outcome.receipts) == {late.stem, two.stem}


def test_a_draft_of_another_log_is_refused_and_nothing_is_lost(
    begun: Workspace, credentials: Credentials
) -> None:
    """Signed as it is, it would be INVALID for ever: the log never had the head it names."""
    late = measure(begun)
    head = {**json.loads(late.read_bytes())["logHead"], "root": "A" * 43 + "="}
    edit(late, {"logHead": head})
    with pytest.raises(IntegrityError, match=f"{late.stem} .*fail verification"):
        publish.publish(begun, opened(begun), [late], credentials, push=False)
    assert late.exists()
    assert begun.repository.changed_paths("results", "keys") == []


@pytest.mark.stories
def test_a_commit_of_ones_own_is_never_discarded_whatever_it_is_called(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    first, second = remote_pair(begun, tmp_path)
    one, two = measure(first), measure(second, "bm25")
    parent = resolve_head(second.repository)
    mine = second.repository.build_commit(
        {"essay.md": b"years"}, parent=parent, message="publish: my essay\n\nBenchsite-Log-Size: 1\n"
    )
    second.repository.advance(mine, expected=parent)
    second.repository.materialise(["essay.md"], "HEAD")
    publish.publish(first, opened(first), [one], credentials)
    with pytest.raises(PrerequisiteError, match="diverged"):
        publish.publish(second, opened(second), [two], credentials)
    assert (second.root / "essay.md").read_bytes() == b"years"


def test_a_detached_head_is_refused(begun: Workspace, credentials: Credentials) -> None:
    path = measure(begun)
    git(begun.root, "checkout", "-q", "--detach")
    with pytest.raises(PrerequisiteError, match="HEAD is detached"):
        publish.publish(begun, opened(begun), [path], credentials, push=False)
    assert path.exists()


def test_drafts_stay_while_a_remote_of_any_name_has_not_got_them(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    git(begun.root, "remote", "add", "elsewhere", str(tmp_path / "x.git"))
    path = measure(begun)
    assert publish.publish(begun, opened(begun), [path], credentials).appended.public is False
    assert path.exists()


def test_keys_begun_on_two_sides_are_never_discarded(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """The remote begins another log: the local one is not thrown away for it."""
    first, second = remote_pair(begun, tmp_path)
    commit(first, {"results/inbox/note": b"not ours"})
    first.repository.push("HEAD")
    commit(second, {"results/inbox/other": b"by hand"})
    with pytest.raises(PrerequisiteError, match="diverged"):
        publish.publish(second, opened(second), [measure(second)], credentials)


def test_an_unreachable_remote_loses_nothing(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    first, _ = remote_pair(begun, tmp_path)
    git(first.root, "remote", "set-url", "origin", str(tmp_path / "gone.git"))
    path = measure(first)
    with pytest.raises(PrerequisiteError, match="cannot fetch"):
        publish.publish(first, opened(first), [path], credentials)
    assert path.exists()


@pytest.mark.parametrize("restored", [True, False])
def test_an_altered_record_is_not_pushed_along(
    published: Workspace, credentials: Credentials, tmp_path: Path, *, restored: bool
) -> None:
    """HEAD is whole again, and audit would fail in every clone that has the commit between."""
    first, _ = remote_pair(published, tmp_path)
    path = snapshot(first).published[0].path
    data = first.repository.read(path, rev="HEAD") or b""
    commit(first, {path: data + b" "})
    if restored:
        commit(first, {path: data})
    with pytest.raises(IntegrityError, match=f"{path} was edited") as caught:
        publish.publish(
            Workspace(first.root),
            opened(Workspace(first.root)),
            [measure(Workspace(first.root))],
            credentials,
        )
    assert caught.value.hint
    assert len(log_of(Workspace(tmp_path / "second")).receipts) == 4
