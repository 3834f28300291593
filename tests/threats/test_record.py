"""Threats against the record, for whoever kept a copy of a receipt: the forms that tests of the audit do not take."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from altering import by_hand, kinds
from boards import begin, certificate, renders, text_of
from builders import commit
from documents import MATERIALS
from forgery import by_name
from publishing import git, measure
from snapshots import log_of, opened, snapshot

from benchsite.environment import Credentials
from benchsite.errors import IntegrityError
from benchsite.history import Examination, Verdict, examine
from benchsite.layout import receipt_path
from benchsite.pipeline import build, publish
from benchsite.pipeline.audit import Kind
from benchsite.pipeline.workspace import Workspace

Sign = Callable[..., bytes]


def handed(instance: Workspace, data: bytes) -> Examination:
    now = Workspace(instance.root)
    return examine(data, log=snapshot(now).log, scorers=now.tracks, materials=MATERIALS)


def published_anew(instance: Workspace, credentials: Credentials, adapter: str = "recency") -> bytes:
    """The file of one more receipt."""
    draft = measure(instance, adapter)
    publish.publish(instance, opened(instance), [draft], credentials, push=False)
    data = instance.repository.read(receipt_path(draft.stem), rev="HEAD")
    assert data is not None
    return data


def test_receipt_deleted(published: Workspace) -> None:
    """Row "receipt deleted; edited; edited then restored": whoever kept the file can still prove that it was there."""
    path, _ = by_name(published, "bm25")
    kept = published.repository.read(path, rev="HEAD")
    assert kept is not None
    commit(published, {}, removes=(path,))
    assert handed(published, kept).verdict is Verdict.LOGGED
    assert Kind.DELETED in kinds(published)


def test_receipt_edited_and_signed_anew_by_its_own_key(published: Workspace, signed: Sign) -> None:
    """The same row, by the holder of the receipt key: the signature fits, and the log remembers other bytes."""
    path, document = by_name(published, "bm25")
    document["ranBy"]["name"] = "somebody else"
    forged = signed(document)
    commit(published, {path: forged})
    log = log_of(published)
    for where in (None, path):
        seen = examine(forged, log=log, scorers=published.tracks, materials=MATERIALS, path=where)
        assert seen.verdict is Verdict.INVALID
        assert seen.failed is not None
        assert seen.failed.name == "log"
        assert "records another hash for this receipt" in seen.failed.detail
    assert kinds(published) == {Kind.EDITED}


@pytest.mark.stories
def test_history_rewritten_under_a_receipt_that_somebody_kept(
    published: Workspace, credentials: Credentials
) -> None:
    """Row "history rewritten (force push)": the receipt is not proven any more, then it contradicts the new record."""
    before = git(published.root, "rev-parse", "HEAD^")
    git(published.root, "branch", "kept")
    kept = published_anew(published, credentials)
    assert json.loads(kept)["logHead"]["size"] == 9
    git(published.root, "reset", "-q", "--hard", "kept")
    assert handed(published, kept).verdict is Verdict.SIGNED_ONLY
    # Entries 4 to 9 once more, and others: 3 keys, methodology, fixture, 4 receipts as before, 1 that is new.
    git(published.root, "reset", "-q", "--hard", before)
    for adapter in ("random", "recency", "bm25", "sqlite-fts5"):
        published_anew(Workspace(published.root), credentials, adapter)
    rewritten = Workspace(published.root)
    assert log_of(rewritten).size == 9
    assert kinds(rewritten) == set(), "a clone alone cannot know"
    seen = handed(rewritten, kept)
    assert seen.verdict is Verdict.INVALID
    assert seen.failed is not None
    assert seen.failed.field == "logHead.root"


def test_back_dated_receipt_without_witnesses_is_shown_as_claimed() -> None:
    """Row "back-dated receipt": where no cosignature bounds its date, the page says whose word that is."""
    record = begin()
    record.publish("one", 0.5, ranAt="2001-02-03T04:05:06Z")
    (header,) = record.history()
    assert header.verdict is Verdict.LOGGED
    assert "2001-02-03 04:05 UTC (as stated)" in text_of(renders().body(certificate(record)))


def test_symlinks_in_results(published: Workspace, tmp_path: Path) -> None:
    """Row "path traversal in ids, symlinks in results/": no page is made from one, though it leads to the genuine file."""
    path, _ = by_name(published, "bm25")
    target = published.root / path
    genuine = published.root / "elsewhere.json"
    target.rename(genuine)
    target.symlink_to(genuine)
    by_hand(published.root)
    now = Workspace(published.root)
    with pytest.raises(IntegrityError, match="regular file"):
        snapshot(now).history()
    with pytest.raises(IntegrityError, match="regular file"):
        build.build(now, opened(now), tmp_path / "site")
    assert not (tmp_path / "site").exists()
    assert {Kind.TYPE_CHANGED, Kind.SYMLINK} <= kinds(published)
