from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from branches import Work, failing
from builders import FIXTURE, commit, small_fixture
from publishing import attach, edit, measure
from snapshots import opened, snapshot

from benchsite import canonical
from benchsite.environment import Credentials
from benchsite.pipeline import publish
from benchsite.pipeline.publish import methodologies
from benchsite.pipeline.workspace import Workspace


@pytest.fixture
def draft(begun: Workspace) -> Path:
    return measure(begun)


def sent(work: Work, draft: Path, data: bytes | None = None, *, name: str = "") -> str:
    path = f"results/inbox/{name or draft.name}"
    work.adds({path: draft.read_bytes() if data is None else data})
    return path


def test_a_draft_as_it_was_run_passes(begun: Workspace, draft: Path) -> None:
    work = Work(begun)
    sent(work, draft)
    step = work.step("drafts")
    assert (step.state, step.detail) == ("pass", "1 draft in results/inbox, all scores reproduced")


def test_the_draft_of_the_commit_counts_and_not_that_of_the_working_tree(
    begun: Workspace, draft: Path
) -> None:
    work = Work(begun)
    path = sent(work, draft, b"{}")
    (begun.root / path).write_bytes(draft.read_bytes())
    assert failing(work.checked())["drafts"] == [(path, 4)]


def better(document: dict[str, Any]) -> None:
    document["scores"]["mrr_at_10"] = 1.0


def other_rules(document: dict[str, Any]) -> None:
    document["methodology"]["sha256"] = "0" * 64


def other_data(document: dict[str, Any]) -> None:
    document["fixture"]["sha256"] = "0" * 64


def other_question(document: dict[str, Any]) -> None:
    document["perQuery"][0]["queryId"] = "invented"


def unknown_data(document: dict[str, Any]) -> None:
    document["fixture"]["id"] = "nobody-has-this-v1"


def signed(document: dict[str, Any]) -> None:
    document["signature"] = {
        "algorithm": "Ed25519",
        "publicKeyFingerprint": "sha256:" + "0" * 64,
        "value": "A" * 86,
    }


def repeats_nothing(document: dict[str, Any]) -> None:
    document["reproduces"] = "00000000-0000-4000-8000-000000000000"


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (better, 3, "recomputed"),
        (other_rules, 3, "whose hash differs here"),
        (other_data, 3, "whose hash differs here"),
        (other_question, 3, ""),
        (unknown_data, 4, "no dataset named"),
        (signed, 4, "signature"),
        (repeats_nothing, 3, "not in the log"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_draft_that_was_changed_is_refused(
    begun: Workspace, draft: Path, change: Callable[[dict[str, Any]], None], code: int, words: str
) -> None:
    document = json.loads(draft.read_bytes())
    change(document)
    work = Work(begun)
    path = sent(work, draft, canonical.dumps(document))
    (item,) = work.step("drafts").items
    assert (item.where, item.code) == (path, code), item
    assert words in item.message
    assert item.hint


def test_another_name_another_form_and_no_draft_at_all(begun: Workspace, draft: Path) -> None:
    work = Work(begun)
    other = "00000000-0000-4000-8000-000000000001.json"
    found = [
        sent(work, draft, name=other),
        sent(work, draft, json.dumps(json.loads(draft.read_bytes()), indent=1).encode()),
        sent(work, draft, b"\x00\xff", name="noise.bin"),
        sent(work, draft, b"[]", name="deep/er.json"),
    ]
    assert sorted(failing(work.checked())["drafts"]) == sorted((path, 4) for path in found)


def test_a_draft_that_is_too_large_is_not_read_as_one(begun: Workspace, draft: Path) -> None:
    work = Work(begun)
    path = sent(work, draft, b'{"a":"' + b"x" * 9_000_000 + b'"}')
    assert failing(work.checked()) == {"drafts": [(path, 4)]}


def test_a_link_is_not_followed(begun: Workspace, draft: Path) -> None:
    work = Work(begun)
    path = f"results/inbox/{draft.name}"
    work.links(path, str(draft))
    (item,) = work.step("drafts").items
    assert (item.where, item.code) == (path, 4)
    assert "not a regular file" in item.message


def test_a_receipt_that_is_published_already(published: Workspace) -> None:
    receipt = snapshot(published).published[0]
    document = json.loads(published.repository.blob(receipt.blob_id))
    del document["signature"]
    work = Work(published)
    path = f"results/inbox/{document['receiptId']}.json"
    work.adds({path: canonical.dumps(document)})
    (item,) = work.step("drafts").items
    assert "already published" in item.message


def test_a_fixture_that_the_same_branch_brings(begun: Workspace) -> None:
    """Data and a first result may come in one pull request."""
    answers = {"notes": "made by hand for this test, and seen by no model"}
    work = Work(begun)
    work.adds({f"fixtures/{FIXTURE}/fixture.json": json.dumps({**small_fixture(), **answers}).encode()})
    sent(work, measure(begun))
    assert work.checked().ok


def test_evidence_that_lies_on_one_machine_only_is_said_before_anybody_publishes(
    begun: Workspace, draft: Path
) -> None:
    """What a stranger's own runs keep is no part of the branch, and is not there where it is published."""
    edit(draft, {"evidence": [attach(begun, b"a transcript")]})
    work = Work(begun)
    path = sent(work, draft)
    (item,) = work.step("drafts").items
    assert (item.where, item.code) == (path, 3)
    assert "its evidence transcript.txt is neither in results/evidence/ nor at a mirror" in item.message


def test_evidence_that_the_record_holds_passes(
    begun: Workspace, credentials: Credentials, draft: Path
) -> None:
    pinned = attach(begun, b"a transcript")
    publish.publish(
        begun, opened(begun), [edit(measure(begun, "bm25"), {"evidence": [pinned]})], credentials, push=False
    )
    work = Work(begun)
    sent(work, edit(draft, {"evidence": [pinned]}))
    assert work.step("drafts").state == "pass"


@pytest.mark.parametrize("pinned", [False, True])
def test_rules_that_cannot_be_published_are_said_of_a_draft_that_would_pin_them(
    begun: Workspace, credentials: Credentials, *, pinned: bool
) -> None:
    """The code goes by 10 for the headline's k, so that a document which says 5 may not be pinned."""
    if pinned:
        methodologies.pin(begun, credentials, "retrieval", "1.0.0", push=False)
    else:
        rules = "methodology/retrieval/1.0.0/methodology.yaml"
        commit(
            begun,
            {rules: (begun.root / rules).read_bytes().replace(b'published: "2026', b'published: "2016')},
        )
        begun.refresh()
    work = Work(begun)
    path = sent(work, measure(begun))
    items = work.step("drafts").items
    assert [(item.where, item.code, "published 2016" in item.message) for item in items] == (
        [] if pinned else [(path, 4, True)]
    )


def test_a_run_ahead_of_the_clock(begun: Workspace, draft: Path) -> None:
    work = Work(begun)
    path = sent(work, edit(draft, {"ranAt": "2999-01-01T00:00:00Z"}))
    (item,) = work.step("drafts").items
    assert (item.where, item.code) == (path, 3)
    assert "this machine's clock" in item.message
