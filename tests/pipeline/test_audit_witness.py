"""An audit holds the record against what its trusted witnesses signed."""

from __future__ import annotations

from builders import commit
from snapshots import snapshot
from watching import NAMES, line, witness

from benchsite.layout import COSIGNATURES_PATH, receipt_path
from benchsite.log import Log, encode_cosignatures, encode_entry
from benchsite.pipeline.audit import Kind, audit
from benchsite.pipeline.publish import events
from benchsite.pipeline.record.new_entries import record_files
from benchsite.pipeline.workspace import Workspace
from benchsite.repo.head import resolve_head
from benchsite.signing import PrivateKey


def trusting(instance: Workspace, data: bytes) -> Workspace:
    """The instance with one trusted witness and this file of cosignatures."""
    text = (instance.root / "mkdocs.yml").read_text(encoding="utf-8")
    named = text.replace("    root_keys:", f'    witnesses: ["{witness(NAMES[0])}"]\n    root_keys:', 1)
    assert named != text
    commit(instance, {"mkdocs.yml": named.encode(), COSIGNATURES_PATH: data})
    return Workspace(instance.root)


def test_a_history_rewritten_from_its_first_commit_contradicts_the_witness(
    published: Workspace, secrets: dict[str, PrivateKey]
) -> None:
    """The last receipt never was: history, log and checkpoint are made anew by whoever holds the log key."""
    log = snapshot(published).log
    assert log is not None
    seen = encode_cosignatures([line(log, NAMES[0], log.size, "2026-11-20T00:00:00Z")])
    instance = trusting(published, seen)
    assert audit(snapshot(instance)).ok
    *kept, _ = (log.entry_bytes(index) for index in range(log.size))
    *_, dropped = log.receipts
    other = encode_entry(events.retraction(next(iter(log.receipts)), "to reach the same size"))
    forged = Log.of([*kept, other], origin=log.origin, roots=[secrets["root"].fingerprint])
    repository = instance.repository
    head = resolve_head(repository)
    writes = record_files(forged, secrets["log"], since=0, keys=True, sizes=())
    grafted = repository.build_commit(writes, removes=[receipt_path(dropped)], parent=head, message="x")
    files = {item.path: repository.blob(item.blob_id) for item in repository.tree(".", rev=grafted)}
    orphan = repository.build_commit(files, parent=None, message="a fresh start")
    repository.advance(orphan, expected=head)
    repository.materialise([*files, receipt_path(dropped)], "HEAD")
    result = audit(snapshot(Workspace(instance.root)))
    assert [item.kind for item in result.findings] == [Kind.WITNESS]
    assert result.findings[0].path == COSIGNATURES_PATH
    assert "does not verify" in result.findings[0].detail
