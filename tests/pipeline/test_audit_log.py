"""The log in git: segments that only grow, heads that only move forward, and heads that somebody remembers."""

from __future__ import annotations

from pathlib import Path

import pytest
from altering import (
    CHECKPOINT,
    SEGMENT,
    by_hand,
    data_of,
    forged_head,
    found,
    grow,
    head,
    intent,
    kinds,
)
from builders import commit
from publishing import git
from snapshots import log_of, snapshot

from benchsite.errors import InputError, PrerequisiteError, UsageError
from benchsite.log import (
    Checkpoint,
    Log,
    make_key_event,
    open_checkpoint,
    sign_checkpoint,
)
from benchsite.pipeline.audit import Kind, audit
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey


@pytest.fixture
def grown(published: Workspace, secrets: dict) -> Workspace:
    """Six more entries, one a commit: nine before, fifteen now."""
    for number in range(6):
        grow(published, secrets["log"], intent(number))
    return published


def lines(instance: Workspace) -> list[bytes]:
    return data_of(instance, SEGMENT).splitlines(keepends=True)


def test_growth_by_one_entry_and_by_several_passes(grown: Workspace, secrets: dict) -> None:
    grow(grown, secrets["log"], *(intent(number) for number in range(10, 14)))
    result = audit(snapshot(grown))
    assert result.ok, result.findings
    # keys init (3), publish (9), six single entries, four at once.
    assert (result.entries, result.checkpoints) == (19, 9)


def test_growth_over_the_end_of_a_segment_passes(published: Workspace, secrets: dict) -> None:
    grow(published, secrets["log"], *(intent(number) for number in range(250)))
    grow(published, secrets["log"], *(intent(number) for number in range(250, 260)))
    result = audit(snapshot(published))
    assert result.ok, result.findings
    assert result.entries == 269
    assert published.repository.read("results/log/entries/000001.jsonl", rev="HEAD") is not None


def test_a_truncated_segment(grown: Workspace) -> None:
    commit(grown, {SEGMENT: b"".join(lines(grown)[:-2])})
    assert found(grown) == {(Kind.TRUNCATED, SEGMENT, head(grown)), (Kind.LOG_BROKEN, CHECKPOINT, "")}
    detail = next(item.detail for item in audit(snapshot(grown)).findings if item.kind is Kind.TRUNCATED)
    assert detail == "it had 15 lines and was cut to 13"


def test_a_segment_cut_in_the_middle_of_a_line(grown: Workspace) -> None:
    commit(grown, {SEGMENT: data_of(grown, SEGMENT)[:-5]})
    assert (Kind.TRUNCATED, SEGMENT, head(grown)) in found(grown)


def test_reordered_entries(grown: Workspace) -> None:
    entries = lines(grown)
    entries[-1], entries[-2] = entries[-2], entries[-1]
    commit(grown, {SEGMENT: b"".join(entries)})
    assert found(grown) == {(Kind.REORDERED, SEGMENT, head(grown)), (Kind.LOG_BROKEN, CHECKPOINT, "")}


def test_an_edited_entry_names_the_line(grown: Workspace) -> None:
    entries = lines(grown)
    entries[11] = entries[11].replace(b'"seed":2', b'"seed":9')
    commit(grown, {SEGMENT: b"".join(entries)})
    result = audit(snapshot(grown))
    assert {item.kind for item in result.findings} == {Kind.LOG_EDITED, Kind.LOG_BROKEN}
    assert any(item.detail == "line 12 was edited" for item in result.findings)


def test_an_edit_long_ago_that_was_put_back_names_both_commits(grown: Workspace, secrets: dict) -> None:
    genuine = data_of(grown, SEGMENT)
    commit(grown, {SEGMENT: genuine.replace(b'"seed":2', b'"seed":9')})
    edited = head(grown)
    commit(grown, {SEGMENT: genuine})
    restored = head(grown)
    for number in range(20, 24):
        grow(grown, secrets["log"], intent(number))
    assert found(grown) == {(Kind.LOG_EDITED, SEGMENT, edited), (Kind.LOG_EDITED, SEGMENT, restored)}


def test_entries_taken_back_by_the_holder_of_the_log_key(grown: Workspace, secrets: dict) -> None:
    """A shorter log with a fresh, valid checkpoint: HEAD verifies, history tells."""
    log = log_of(grown)
    shorter = Log.of(
        (log.entry_bytes(at) for at in range(12)), origin=log.origin, roots=grown.config.benchsite.root_keys
    )
    note = sign_checkpoint(shorter.checkpoint(), secrets["log"]).encode()
    commit(grown, {SEGMENT: b"".join(lines(grown)[:12]), CHECKPOINT: note})
    assert log_of(Workspace(grown.root)).size == 12
    now = head(grown)
    assert {(Kind.TRUNCATED, SEGMENT, now), (Kind.CHECKPOINT, CHECKPOINT, now)} <= found(grown)


def test_a_deleted_segment_and_a_deleted_checkpoint(grown: Workspace) -> None:
    for path in (CHECKPOINT, SEGMENT):
        commit(grown, {}, removes=(path,))
        assert (Kind.DELETED, path, head(grown)) in found(grown)


def test_a_checkpoint_moved_back(grown: Workspace) -> None:
    older = data_of(grown, CHECKPOINT, rev="HEAD~2")
    newest = data_of(grown, CHECKPOINT)
    commit(grown, {CHECKPOINT: older})
    back = head(grown)
    assert (Kind.CHECKPOINT, CHECKPOINT, back) in found(grown)
    commit(grown, {CHECKPOINT: newest})
    assert found(grown) == {(Kind.CHECKPOINT, CHECKPOINT, back)}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda note: note.replace(b"\n15\n", b"\n015\n"), "without leading zeros"),
        (lambda note: note.replace(b"\n15\n", b"\n14\n"), "no log key signed it"),
        (lambda note: note.replace(b"\n15\n", b"\n16\n"), "names 16 entries, and the log has 15"),
        (lambda note: note.replace(b"tests.invalid", b"other.invalid", 1), "it names the log other.invalid"),
        (lambda _: b"", "no blank line"),
        (lambda _: b"\xff\n", "not UTF-8"),
    ],
)
def test_an_edited_checkpoint_in_the_past(grown: Workspace, change, said: str) -> None:
    genuine = data_of(grown, CHECKPOINT)
    commit(grown, {CHECKPOINT: change(genuine)})
    bad = head(grown)
    commit(grown, {CHECKPOINT: genuine})
    result = audit(snapshot(grown))
    assert (Kind.CHECKPOINT, CHECKPOINT, bad) in found(grown)
    assert any(said in item.detail for item in result.findings), result.findings


def test_a_signed_head_over_other_entries_in_the_past_is_a_split_view(
    grown: Workspace, secrets: dict
) -> None:
    genuine = data_of(grown, CHECKPOINT)
    forged = forged_head(log_of(grown), 15, secrets["log"])
    commit(grown, {CHECKPOINT: forged})
    bad = head(grown)
    commit(grown, {CHECKPOINT: genuine})
    result = audit(snapshot(grown))
    assert {(item.kind, item.commit) for item in result.findings} == {(Kind.SPLIT_VIEW, bad)}
    assert evidence(grown, result) == {forged, genuine}


def evidence(instance: Workspace, result) -> set[bytes]:
    folder = instance.root / ".benchsite/evidence"
    assert {Path(path).parent for path in result.evidence} == {folder}
    return {Path(path).read_bytes() for path in result.evidence}


def test_a_remembered_checkpoint_that_agrees(grown: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "remembered"
    file.write_bytes(data_of(grown, CHECKPOINT, rev="HEAD~3"))
    result = audit(snapshot(grown), checkpoints=[file])
    assert result.ok
    assert result.notes == (f"{file} agrees: the log is consistent with its 12 entries",)


@pytest.mark.parametrize("size", [15, 12, 1])
def test_a_split_view_is_kept_as_evidence(grown: Workspace, secrets: dict, tmp_path: Path, size: int) -> None:
    file = tmp_path / "theirs"
    file.write_bytes(forged_head(log_of(grown), size, secrets["log"]))
    if size == 1:  # no log key was in force when the log held the root key alone
        assert kinds(grown, checkpoints=[file]) == {Kind.NOT_OUR_CHECKPOINT}
        return
    result = audit(snapshot(grown), checkpoints=[file])
    assert [item.kind for item in result.findings] == [Kind.SPLIT_VIEW]
    kept = evidence(grown, result)
    # Our half is the head of the very same size, which only its own commit still holds.
    assert kept == {file.read_bytes(), data_of(grown, CHECKPOINT, rev=f"HEAD~{15 - size}")}
    log = log_of(grown)
    keys = [secrets["log"].public]
    roots = {open_checkpoint(note, origin=log.origin, keys=keys).root for note in kept}
    assert len(roots) == 2


def test_a_larger_checkpoint_is_never_called_a_fork(grown: Workspace, secrets: dict, tmp_path: Path) -> None:
    file = tmp_path / "newer"
    file.write_bytes(forged_head(log_of(grown), 99, secrets["log"]))
    result = audit(snapshot(grown), checkpoints=[file])
    assert [item.kind for item in result.findings] == [Kind.STALE]
    assert (
        "this clone is stale, behind the checkpoint you gave, or entries were removed"
        in result.findings[0].detail
    )
    assert result.evidence == ()


def test_a_checkpoint_that_none_of_our_keys_signed(grown: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "strange"
    file.write_bytes(forged_head(log_of(grown), 15, PrivateKey.generate()))
    assert kinds(grown, checkpoints=[file]) == {Kind.NOT_OUR_CHECKPOINT}
    log = log_of(grown)
    file.write_bytes(
        sign_checkpoint(Checkpoint("other.invalid/log", 15, log.root()), PrivateKey.generate()).encode()
    )
    assert kinds(grown, checkpoints=[file]) == {Kind.NOT_OUR_CHECKPOINT}


def test_a_checkpoint_by_a_disowned_key_does_not_count(
    grown: Workspace, secrets: dict, tmp_path: Path
) -> None:
    log, fresh = log_of(grown), PrivateKey.generate()
    common = {"root": secrets["root"], "origin": log.origin, "role": "log"}
    frozen = Checkpoint(log.origin, 12, log.root(12))
    added = make_key_event("key-add", **common, seq=3, public_key=fresh.public)
    old = secrets["log"].public
    disowned = make_key_event("key-compromise", **common, seq=4, public_key=old, limit=frozen)
    grow(grown, fresh, added, disowned)
    file = tmp_path / "theirs"
    file.write_bytes(forged_head(log, 14, secrets["log"]))
    result = audit(snapshot(grown), checkpoints=[file])
    assert result.findings == ()
    assert "is not used" in result.notes[0]
    file.write_bytes(forged_head(log, 12, secrets["log"]))
    assert kinds(grown, checkpoints=[file]) == {Kind.SPLIT_VIEW}


def test_a_file_that_is_no_checkpoint(grown: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(b"remember the milk\n")
    with pytest.raises(InputError, match="notes.txt: signed note"):
        audit(snapshot(grown), checkpoints=[file])
    with pytest.raises(InputError, match="cannot read"):
        audit(snapshot(grown), checkpoints=[tmp_path / "absent"])


def test_a_pinned_root(grown: Workspace, secrets: dict) -> None:
    fingerprint = secrets["root"].fingerprint
    assert found(grown, root=fingerprint) == set()
    assert found(grown, root=fingerprint.removeprefix("sha256:")) == set()
    assert kinds(grown, root="sha256:" + "0" * 64) == {Kind.ROOT}
    with pytest.raises(UsageError, match="'abc' is no fingerprint"):
        audit(snapshot(grown), root="abc")


def test_nothing_remembered_fits_an_instance_that_has_no_log(grown: Workspace, tmp_path: Path) -> None:
    """A history rewritten to before the log began must not look like one that merely waits for its keys."""
    file = tmp_path / "remembered"
    file.write_bytes(data_of(grown, CHECKPOINT))
    root = log_of(grown).keyring.in_force("root")
    assert root is not None
    first = git(grown.root, "rev-list", "--max-parents=0", "HEAD")
    git(grown.root, "reset", "-q", "--hard", first)
    again = Workspace(grown.root)
    with pytest.raises(PrerequisiteError, match="no log yet"):
        audit(snapshot(again))
    assert kinds(again, checkpoints=[file]) == {Kind.REWRITTEN}
    assert kinds(again, root=root.fingerprint) == {Kind.ROOT}


def test_since_walks_only_what_came_after(grown: Workspace) -> None:
    path = snapshot(grown).published[0].path
    genuine = data_of(grown, path)
    commit(grown, {path: b"{}"})
    commit(grown, {path: genuine})
    remembered = head(grown)
    grown_by = by_hand(grown.root)
    assert kinds(grown) == {Kind.EDITED, Kind.RESTORED}
    assert found(grown, since=remembered) == set()
    assert audit(snapshot(grown), since=remembered).commits == 1
    assert found(grown, since=grown_by) == set()


def test_a_rewritten_history_no_longer_holds_what_was_remembered(grown: Workspace, tmp_path: Path) -> None:
    remembered, note = head(grown), tmp_path / "note"
    note.write_bytes(data_of(grown, CHECKPOINT))
    git(grown.root, "reset", "-q", "--hard", "HEAD~2")
    again = Workspace(grown.root)
    assert found(again) == set(), "a clone alone cannot know"
    assert found(again, since=remembered) == {(Kind.REWRITTEN, "", "")}
    assert found(again, checkpoints=[note]) == {(Kind.STALE, str(note), "")}
    assert kinds(again, since="0" * 40) == {Kind.REWRITTEN}
    with pytest.raises(UsageError, match="no such commit: v9"):
        audit(snapshot(again), since="v9")
