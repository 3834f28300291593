"""Receipts and whatever else lies under results/: created once, and never touched again."""

from __future__ import annotations

import json
import os

import pytest
from altering import by_hand, data_of, found, grow, head, kinds, receipt
from builders import commit
from forgery import by_name
from publishing import edit, git, measure
from snapshots import opened, snapshot

from benchsite.environment import Credentials
from benchsite.errors import PrerequisiteError
from benchsite.layout import receipt_path
from benchsite.log import ReceiptEntry, SupersedeEntry
from benchsite.pipeline import init, publish
from benchsite.pipeline.audit import Kind, audit
from benchsite.pipeline.workspace import Workspace
from benchsite.repo import Repository


def test_a_record_nobody_touched_passes(published: Workspace) -> None:
    result = audit(snapshot(published))
    assert result.ok
    assert result.findings == ()
    # init, the fixture by hand, keys init, publish: the log grew once, from its 3 keys to methodology, fixture, 4 receipts.
    assert (result.commits, result.entries, result.receipts) == (4, 9, 4)
    # The checkpoint has two versions: that of `keys init`, and today's.
    assert result.checkpoints == 2


def test_several_publishes_pass(published: Workspace, credentials: Credentials) -> None:
    for adapter in ("bm25", "recency"):
        publish.publish(published, opened(published), [measure(published, adapter)], credentials, push=False)
    result = audit(snapshot(published))
    assert result.ok, result.findings
    assert (result.receipts, result.checkpoints) == (6, 4)


def test_an_edited_receipt_is_found_with_its_commit(published: Workspace) -> None:
    path = receipt(published)
    commit(published, {path: data_of(published, path) + b"\n"})
    assert found(published) == {(Kind.EDITED, path, head(published))}


def test_a_receipt_laid_out_anew_is_edited(published: Workspace) -> None:
    path = receipt(published)
    commit(published, {path: json.dumps(json.loads(data_of(published, path)), indent=1).encode()})
    assert found(published) == {(Kind.EDITED, path, head(published))}


def test_edited_then_restored_names_both_commits(published: Workspace) -> None:
    path, before = receipt(published), head(published)
    genuine = data_of(published, path)
    commit(published, {path: b"{}"})
    edited = head(published)
    commit(published, {path: genuine})
    assert found(published) == {(Kind.EDITED, path, edited), (Kind.RESTORED, path, head(published))}
    assert git(published.root, "rev-parse", f"{edited}^") == before


def test_a_deleted_receipt_is_found_with_its_commit(published: Workspace) -> None:
    path = receipt(published)
    commit(published, {}, removes=(path,))
    gone = head(published)
    assert found(published) == {(Kind.DELETED, path, gone), (Kind.ENTRY_WITHOUT_FILE, path, gone)}


def test_deleted_then_added_again_names_both_commits(published: Workspace) -> None:
    path = receipt(published)
    genuine = data_of(published, path)
    commit(published, {}, removes=(path,))
    gone = head(published)
    commit(published, {path: genuine})
    assert found(published) == {(Kind.DELETED, path, gone), (Kind.RESTORED, path, head(published))}


def test_a_renamed_receipt_is_called_renamed(published: Workspace) -> None:
    path = receipt(published)
    elsewhere = receipt_path("22222222-2222-4222-8222-222222222222")
    commit(published, {elsewhere: data_of(published, path)}, removes=(path,))
    now = head(published)
    assert found(published) == {
        (Kind.RENAMED, path, now),
        (Kind.ENTRY_WITHOUT_FILE, path, now),
        (Kind.FILE_WITHOUT_ENTRY, elsewhere, now),
    }


def test_a_receipt_turned_into_a_symlink(published: Workspace) -> None:
    path = receipt(published)
    target = published.root / path
    copy = published.root / "copy.json"
    copy.write_bytes(target.read_bytes())
    target.unlink()
    target.symlink_to(copy)
    now = by_hand(published.root)
    assert {(Kind.TYPE_CHANGED, path, now), (Kind.SYMLINK, path, now)} <= found(published)


def test_an_executable_receipt_was_touched(published: Workspace) -> None:
    path = receipt(published)
    (published.root / path).chmod(0o755)
    assert (Kind.MODE_CHANGED, path, by_hand(published.root)) in found(published)


def test_a_symlink_that_came_and_went_is_still_named(published: Workspace) -> None:
    link = published.root / "results/evidence"
    link.symlink_to("/etc")
    by_hand(published.root)
    link.unlink()
    gone = by_hand(published.root)
    assert found(published) == {(Kind.DELETED, "results/evidence", gone)}


def test_a_submodule_under_the_record(published: Workspace) -> None:
    git(
        published.root,
        "update-index",
        "--add",
        "--cacheinfo",
        f"160000,{head(published)},results/published/aa/x",
    )
    git(published.root, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "submodule")
    assert found(published) == {(Kind.SYMLINK, "results/published/aa/x", head(published))}


def test_a_file_no_entry_names(published: Workspace) -> None:
    path = receipt_path("22222222-2222-4222-8222-222222222222")
    commit(published, {path: data_of(published, receipt(published))})
    assert found(published) == {(Kind.FILE_WITHOUT_ENTRY, path, head(published))}


def test_an_entry_whose_file_never_was(published: Workspace, secrets: dict) -> None:
    path = receipt_path("22222222-2222-4222-8222-222222222222")
    grow(published, secrets["log"], ReceiptEntry(path=path, sha256="a" * 64, size=1))
    assert found(published) == {(Kind.ENTRY_WITHOUT_FILE, path, "")}


@pytest.mark.parametrize(
    "name",
    [
        "results/notes.txt",
        "results/published/{id}.json",
        "results/published/zz/{id}.json",
        "results/log/entries/1.jsonl",
        "results/log/extra",
        "keys/private.pem",
        "results/evidence/ab/not-a-hash",
    ],
)
def test_a_stray_file_is_named(published: Workspace, name: str) -> None:
    _, document = by_name(published, "bm25")
    stray = name.format(id=document["receiptId"])
    commit(published, {stray: b"{}"})
    assert found(published) == {(Kind.STRAY, stray, head(published))}


def test_a_name_that_is_not_utf_8(published: Workspace) -> None:
    folder = os.fsencode(published.root / "results")
    with open(folder + b"/caf\xe9\n.json", "wb") as out:  # noqa: PTH123 - pathlib takes no bytes
        out.write(b"{}")
    now = by_hand(published.root)
    assert found(published) == {(Kind.STRAY, "results/caf\\xe9\\n.json", now)}


def test_inbox_rotation_prose_and_placeholders_change_at_will(published: Workspace) -> None:
    free = ("results/inbox/draft.json", "keys/ROTATION.md", "results/log/.gitkeep", "results/inbox/.gitkeep")
    commit(published, dict.fromkeys(free, b"one"))
    commit(published, dict.fromkeys(free, b"two"))
    commit(published, {}, removes=free)
    assert found(published) == set()


def test_a_declared_succession_needs_its_entry(
    published: Workspace, credentials: Credentials, secrets: dict
) -> None:
    """`supersedes` declares, the log's event decides; publish writes both, so one alone was made by hand."""
    old, _ = by_name(published, "bm25")
    draft = edit(measure(published, "bm25"), {"supersedes": old[-41:-5]})
    publish.publish(published, opened(published), [draft], credentials, push=False)
    assert found(published) == set()
    other, _ = by_name(published, "recency")
    grow(published, secrets["log"], SupersedeEntry(receiptId=other[-41:-5], by=draft.stem))
    assert found(published) == {(Kind.SUPERSEDE_MISMATCH, other, "")}


def test_no_log_yet(tmp_path) -> None:
    made = init.init(tmp_path / "new", name="x", origin="x.invalid/log")
    with pytest.raises(PrerequisiteError, match="no log yet"):
        audit(snapshot(Workspace(made.root)))


def test_no_commit_yet(published: Workspace, tmp_path) -> None:
    Repository.create(tmp_path / "empty")
    (tmp_path / "empty/mkdocs.yml").write_bytes((published.root / "mkdocs.yml").read_bytes())
    with pytest.raises(PrerequisiteError, match="no commit yet"):
        audit(snapshot(Workspace(tmp_path / "empty")))


def test_a_log_that_was_removed_altogether_is_no_log_that_never_was(published: Workspace) -> None:
    gone = tuple(item.path for item in published.repository.tree("results/log", rev="HEAD"))
    commit(published, {}, removes=gone)
    assert {Kind.DELETED} <= kinds(published)
