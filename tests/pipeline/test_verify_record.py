from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from builders import commit
from forgery import by_name
from snapshots import opened, snapshot

from benchsite import canonical
from benchsite.errors import InputError, IntegrityError, UsageError
from benchsite.history import Verdict
from benchsite.layout import receipt_path
from benchsite.pipeline import build
from benchsite.pipeline import verify as checking
from benchsite.pipeline.workspace import Workspace


@pytest.mark.parametrize(
    "name",
    [
        "results/published/aa/...json",
        "results/published/zz/{id}.json",
        "results/published/{id}.json",
        "results/published/ab/notes.txt",
        "results/published/ab/caf\u00e9.json",
    ],
)
def test_a_stray_name_in_the_record_is_refused_by_name(published: Workspace, name: str) -> None:
    """No path is made from it, no genuine receipt is shadowed by it."""
    _, document = by_name(published, "bm25")
    stray = name.format(id=document["receiptId"])
    commit(published, {stray: b"{}"})
    with pytest.raises(IntegrityError, match="a receipt's path"):
        snapshot(published).history()
    with pytest.raises(IntegrityError, match="a receipt's path"):
        build.build(published, opened(published), published.root.parent / "site")
    assert not (published.root / "index.html").exists()


def test_replace_objects_are_never_followed(published: Workspace) -> None:
    item = snapshot(published).published[0]
    forged = subprocess.run(
        ["git", "-C", str(published.root), "hash-object", "-w", "--stdin"],
        input=b"{}",
        capture_output=True,
        check=True,
    ).stdout.decode()
    subprocess.run(["git", "-C", str(published.root), "replace", item.blob_id, forged.strip()], check=True)
    again = Workspace(published.root)
    assert again.repository.blob(item.blob_id) != b"{}"
    assert [checked.exit_code for checked in checking.verify(opened(again), (), everything=True)] == [0] * 4
    again.repository.close()


def test_a_missing_file_is_said_to_be_missing(published: Workspace) -> None:
    path, document = by_name(published, "bm25")
    commit(published, {}, removes=(path,))
    found = {checked.path: checked for checked in checking.verify(opened(published), (), everything=True)}
    assert len(found) == 4
    lost = found[path].examination
    assert lost is not None
    assert lost.verdict is Verdict.INVALID
    assert lost.failed is not None
    assert "file missing" in lost.failed.detail
    header = snapshot(published).history().get(document["receiptId"])
    assert header is not None
    assert header.summary is None


def test_a_file_nobody_logged_is_examined_too(published: Workspace) -> None:
    path, document = by_name(published, "bm25")
    stray = receipt_path("22222222-2222-4222-8222-222222222222")
    commit(published, {stray: canonical.dumps(document)})
    found = {checked.path: checked for checked in checking.verify(opened(published), (), everything=True)}
    assert found[path].exit_code == 0
    assert found[stray].exit_code == 3


def test_names_are_paths_ids_or_unique_prefixes(published: Workspace, tmp_path: Path) -> None:
    path, document = by_name(published, "bm25")
    receipt_id = document["receiptId"]
    assert snapshot(published).receipt_bytes(receipt_id)[0] == path
    assert snapshot(published).receipt_bytes(receipt_id[:10])[0] == path
    handed = tmp_path / "handed.json"
    handed.write_bytes(canonical.dumps(document))
    assert snapshot(published).receipt_bytes(str(handed)) == (None, canonical.dumps(document))
    with pytest.raises(UsageError, match="receipt named 'ffffffff'"):
        snapshot(published).receipt_bytes("ffffffff")
    shared = [item.path for item in snapshot(published).published]
    twin = receipt_path(receipt_id[:8] + "-0000-4000-8000-000000000000")
    commit(published, {twin: b"{}"})
    assert twin not in shared
    with pytest.raises(UsageError, match="2 receipt ids"):
        snapshot(published).receipt_bytes(receipt_id[:8])
    with pytest.raises(InputError, match="cannot read"):
        snapshot(published).receipt_bytes(str(tmp_path / "absent.json"))


@pytest.mark.parametrize("name", ["manifest.json", "receipt-signing.pub"])
def test_key_files_that_contradict_the_log_are_an_integrity_error(published: Workspace, name: str) -> None:
    commit(published, {f"keys/{name}": b"{}"})
    with pytest.raises(IntegrityError, match=f"keys/{name} differs"):
        snapshot(published).log
    commit(published, {}, removes=(f"keys/{name}",))
    with pytest.raises(IntegrityError, match=f"keys/{name} is missing"):
        snapshot(published).log


def test_a_symbolic_link_in_the_record_is_refused(published: Workspace) -> None:
    item = snapshot(published).published[0]
    path = published.root / item.path
    path.unlink()
    path.symlink_to("/etc/hostname")
    command = ["git", "-C", str(published.root), "-c", "user.name=x", "-c", "user.email=x"]
    subprocess.run([*command, "add", "-A"], check=True)
    subprocess.run([*command, "commit", "-qm", "link"], check=True)
    with pytest.raises(IntegrityError, match="regular file"):
        list(checking.verify(opened(published), (), everything=True))


def test_a_pipe_that_nobody_writes_to_does_not_hang(published: Workspace, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="regular file"):
        snapshot(published).receipt_bytes(str(tmp_path / "pipe"))


def test_an_edited_fixture_is_found_by_verify_and_build(published: Workspace) -> None:
    path = published.fixture_path("small-v1")
    document = json.loads(path.read_bytes())
    document["items"][0]["content"] = "changed"
    commit(published, {"fixtures/small-v1/fixture.json": json.dumps(document).encode()})
    *receipts, documents = checking.verify(opened(published), (), everything=True)
    assert [checked.exit_code for checked in receipts] == [0] * 4
    assert documents.exit_code == 3
    assert documents.error is not None
    assert "was edited after it was published" in documents.error.message
    with pytest.raises(IntegrityError, match=r"fixture\.json was edited"):
        build.build(published, opened(published), published.root.parent / "site")


@pytest.mark.parametrize("name", ["results/published/site", ".git/site", "theme", "content/site", "keys"])
def test_a_site_is_never_written_among_sources(published: Workspace, name: str) -> None:
    with pytest.raises(InputError, match="which holds sources"):
        build.build(published, opened(published), published.root / name)
