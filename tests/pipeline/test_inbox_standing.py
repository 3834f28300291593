"""What a draft that somebody sent may stand for once it is published: itself."""

from __future__ import annotations

import json
from pathlib import Path

from builders import commit, retrieval_work
from publishing import edit, measure
from snapshots import opened, snapshot

from benchsite import canonical
from benchsite.environment import Credentials
from benchsite.layout import INBOX
from benchsite.pipeline import publish
from benchsite.pipeline.measure import run
from benchsite.pipeline.workspace import Workspace


def sent(instance: Workspace, path: Path, credentials: Credentials, **changes: object) -> str:
    """Publish a draft as one that came by the inbox; its id."""
    data = canonical.dumps({**json.loads(path.read_bytes()), **changes})
    path.unlink()
    name = f"{INBOX}/{path.name}"
    commit(instance, {name: data})
    publish.publish(instance, opened(instance), [instance.root / name], credentials, push=False)
    return path.stem


def rows(instance: Workspace) -> dict[str, tuple[str, int]]:
    history = snapshot(instance).history()
    return {row.header.receipt_id: (row.header.sent_by, row.runs) for row in history.rows(history)}


def test_a_draft_that_calls_itself_our_baseline_takes_a_row_of_its_own(
    begun: Workspace, credentials: Credentials
) -> None:
    own = measure(begun, "bm25")
    publish.publish(begun, opened(begun), [own], credentials, push=False)
    forged = edit(measure(begun, "bm25"), {"ranBy": {"kind": "workflow", "name": "the workflow"}})
    name = sent(begun, forged, credentials)
    assert rows(begun) == {own.stem: ("", 1), name: ("the workflow", 1)}


def test_what_somebody_sent_does_not_measure_our_suite(begun: Workspace, credentials: Credentials) -> None:
    work = retrieval_work("bm25")
    (first,) = run.run(begun, opened(begun), [work])
    assert first.draft is not None
    sent(begun, first.draft, credentials)
    (planned,) = run.run(begun, opened(begun), [work], changed=True, dry_run=True)
    assert planned.state == "planned"
    (own,) = run.run(begun, opened(begun), [work], changed=True)
    assert own.draft is not None
    publish.publish(begun, opened(begun), [own.draft], credentials, push=False)
    (skipped,) = run.run(begun, opened(begun), [work], changed=True, dry_run=True)
    assert skipped.state == "skipped"


def test_a_copied_receipt_reproduces_in_its_senders_words_only(
    begun: Workspace, credentials: Credentials
) -> None:
    original = measure(begun, "bm25")
    document = json.loads(original.read_bytes())
    publish.publish(begun, opened(begun), [original], credentials, push=False)
    copy = begun.drafts / "11111111-1111-4111-8111-111111111111.json"
    copy.write_bytes(canonical.dumps({**document, "receiptId": copy.stem}))
    sent(
        begun,
        copy,
        credentials,
        reproduces=document["receiptId"],
        ranBy={"kind": "maintainer", "name": "Famous Lab"},
    )
    header = snapshot(begun).history().get(document["receiptId"])
    assert header is not None
    assert [(item.outcome, item.sent_by) for item in header.reproduced_by] == [("identical", "Famous Lab")]
