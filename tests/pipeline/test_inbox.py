from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from builders import commit
from examples import some
from publishing import edit, measure, remote_pair
from snapshots import opened, snapshot

from benchsite import canonical
from benchsite.environment import Credentials
from benchsite.errors import InputError, IntegrityError
from benchsite.history import Verdict
from benchsite.layout import INBOX
from benchsite.pipeline import publish
from benchsite.pipeline.publish import candidates, inbox
from benchsite.pipeline.status import status
from benchsite.pipeline.workspace import Workspace
from benchsite.receipt import parse_draft


def send(instance: Workspace, data: bytes, name: str) -> Path:
    """A file that came into the inbox by a commit."""
    path = f"{INBOX}/{name}"
    commit(instance, {path: data})
    return instance.root / path


def strangers(instance: Workspace, **changes: object) -> tuple[str, bytes]:
    """(id, bytes) of a draft that leaves no file behind."""
    path = edit(measure(instance, "bm25"), changes)
    data = path.read_bytes()
    path.unlink()
    return path.stem, data


def refused(instance: Workspace, match: str) -> None:
    """The one file of the inbox is refused, wherever it is met."""
    collected = candidates.collect(
        instance, opened(instance), candidates.named(instance, opened(instance), [])
    )
    assert collected.candidates == []
    assert [re.search(match, error.message) is not None for error in collected.left.values()] == [True]
    (item,) = inbox.sent(opened(instance))
    assert item.error is not None
    assert re.search(match, item.error.message)
    found = status(instance, opened(instance), Credentials())
    assert found.drafts == ()
    assert item.error.message in found.next_steps[0]


def test_a_committed_draft_waits_beside_our_own(begun: Workspace) -> None:
    name, data = strangers(begun)
    own = measure(begun)
    path = send(begun, data, f"{name}.json")
    assert candidates.named(begun, opened(begun), []) == [own, path]
    assert candidates.named(begun, opened(begun), [name[:8]]) == [path]
    assert candidates.named(begun, opened(begun), [str(path)]) == [path]
    with pytest.raises(InputError, match="draft named ''"):
        candidates.named(begun, opened(begun), [""])
    assert status(begun, opened(begun), Credentials()).drafts == (own.stem, f"results/inbox/{name}.json")


def test_whatever_it_says_somebody_else_ran_it(begun: Workspace) -> None:
    _, data = strangers(begun, ranBy={"kind": "workflow", "name": "a stranger's job"})
    draft = parse_draft(data)
    made = inbox.submitted(draft)
    assert made.document["ranBy"] == {"kind": "submitted", "name": "a stranger's job"}
    # Nothing else is touched: evidence, scores and id are the stranger's.
    assert {**made.document, "ranBy": draft.document["ranBy"]} == draft.document
    assert parse_draft(made.file_bytes()).receipt_id == draft.receipt_id
    assert inbox.submitted(made) == made


def test_a_draft_that_is_not_committed_does_not_count(begun: Workspace) -> None:
    name, data = strangers(begun)
    path = begun.root / INBOX / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    assert candidates.named(begun, opened(begun), []) == []
    (error,) = candidates.collect(
        begun, opened(begun), candidates.named(begun, opened(begun), [str(path)])
    ).left.values()
    assert isinstance(error, InputError)
    assert "is not committed" in error.message


def test_a_signed_one_is_refused(published: Workspace) -> None:
    item = snapshot(published).published[0]
    send(published, published.repository.blob(item.blob_id), Path(item.path).name)
    refused(published, "it carries a signature")


@pytest.mark.parametrize("name", some(["draft.json", "sub/{}.json", "{}.txt", "{}"], gate=1))
def test_its_name_is_its_id(begun: Workspace, name: str) -> None:
    own, data = strangers(begun)
    send(begun, data, name.format(own))
    refused(begun, f"holds draft {own}")


def test_a_link_is_refused_and_not_followed(begun: Workspace) -> None:
    name, data = strangers(begun)
    elsewhere = begun.root.parent / "elsewhere.json"
    elsewhere.write_bytes(data)
    path = begun.root / INBOX / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(elsewhere)
    for arguments in (
        ("add", "-f", INBOX),
        ("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "x"),
    ):
        subprocess.run(["git", "-C", str(begun.root), *arguments], check=True)
    refused(begun, r"is not a regular file \(git mode 120000\)")
    (error,) = candidates.collect(
        begun, opened(begun), candidates.named(begun, opened(begun), [str(path)])
    ).left.values()
    assert "is not a regular file" in error.message


def test_a_huge_one_is_refused(begun: Workspace) -> None:
    name, _ = strangers(begun)
    send(begun, b" " * (canonical.MAX_BYTES + 1), f"{name}.json")
    refused(begun, "is larger than 8,388,608 bytes")


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"[]", b"\xff", b'{"a":1,"a":2}'],
    ids=["empty", "no fields", "array", "binary", "twice"],
)
def test_what_is_no_draft_is_refused(begun: Workspace, data: bytes) -> None:
    send(begun, data, "0f8fad5b-d9cb-469f-a165-70867728950e.json")
    refused(begun, "is not a draft receipt")


def test_another_layout_is_refused(begun: Workspace) -> None:
    name, data = strangers(begun)
    send(begun, json.dumps(json.loads(data)).encode(), f"{name}.json")
    refused(begun, "is not canonical JSON")


def test_what_is_published_already_is_refused(published: Workspace, credentials: Credentials) -> None:
    path = measure(published)
    data = path.read_bytes()
    publish.publish(published, opened(published), [path], credentials, push=False)
    send(published, data, path.name)
    refused(published, "is already published")


@pytest.mark.parametrize("field", ["supersedes", "intentId"])
def test_a_stranger_does_not_act_on_the_record(begun: Workspace, field: str) -> None:
    name, data = strangers(begun, **{field: "0f8fad5b-d9cb-469f-a165-70867728950e"})
    send(begun, data, f"{name}.json")
    refused(begun, f"{field}: a submitted draft cannot")


def test_one_bad_file_does_not_stop_a_draft_that_is_named(begun: Workspace) -> None:
    send(begun, b"{}", "0f8fad5b-d9cb-469f-a165-70867728950e.json")
    own = measure(begun)
    assert candidates.named(begun, opened(begun), [own.stem]) == [own]


def test_it_is_published_as_run_by_somebody_else_and_leaves_with_the_commit(
    begun: Workspace, credentials: Credentials
) -> None:
    name, data = strangers(begun, ranBy={"kind": "maintainer", "name": "a stranger"})
    path = send(begun, data, f"{name}.json")
    outcome = publish.publish(
        begun, opened(begun), candidates.named(begun, opened(begun), []), credentials, push=False
    )
    assert outcome.receipts == (name,)
    (header,) = snapshot(begun).history()
    assert (header.verdict, header.ran_by) == (Verdict.LOGGED, "submitted a stranger")
    assert begun.repository.read(f"{INBOX}/{name}.json", rev="HEAD") is None
    assert not path.exists()
    assert candidates.named(begun, opened(begun), []) == []


def test_edited_scores_are_not_published_and_the_file_stays(
    begun: Workspace, credentials: Credentials
) -> None:
    name, data = strangers(begun)
    document = json.loads(data)
    document["scores"]["ndcg_at_5"] = 0.999
    path = send(begun, canonical.dumps(document), f"{name}.json")
    outcome = publish.publish(begun, opened(begun), [path], credentials, push=False)
    assert (outcome.receipts, outcome.appended.commit) == ((), None)
    assert "scores.ndcg_at_5 recorded 0.999, recomputed" in outcome.left[name].message
    assert path.exists()


@pytest.mark.stories
def test_overtaken_by_another_publisher_it_is_published_once(
    begun: Workspace, credentials: Credentials, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, data = strangers(begun)
    send(begun, data, f"{name}.json")
    here, there = remote_pair(begun, tmp_path)
    push = here.repository.push

    def overtaken(commit: str) -> None:
        monkeypatch.setattr(here.repository, "push", push)
        publish.publish(there, opened(there), [measure(there, "random")], credentials)
        push(commit)

    monkeypatch.setattr(here.repository, "push", overtaken)
    outcome = publish.publish(here, opened(here), candidates.named(here, opened(here), []), credentials)
    assert outcome.receipts == (name,)
    assert outcome.appended.public
    assert here.repository.read(f"{INBOX}/{name}.json", rev="HEAD") is None
    assert here.draft_paths() == []
    assert len(snapshot(here).history()) == 2


def test_a_draft_that_only_shares_the_id_of_one_sent_is_the_measuring_job_s(
    begun: Workspace, credentials: Credentials
) -> None:
    name, data = strangers(begun)
    path = send(begun, data, f"{name}.json")
    document = {**json.loads(data), "ranBy": {"kind": "submitted", "name": "somebody"}}
    begun.drafts.mkdir(parents=True, exist_ok=True)
    made = begun.drafts / f"{name}.json"
    made.write_bytes(canonical.dumps(document))
    with pytest.raises(IntegrityError, match="ranBy .*suite gives"):
        publish.publish(begun, opened(begun), [made, path], credentials, push=False, untrusted=True)


def test_a_job_takes_no_id_of_a_draft_that_was_sent(begun: Workspace, credentials: Credentials) -> None:
    """Logged under that id it would take the place of what was sent, and the sent file would go with its commit."""
    own = measure(begun)
    _, data = strangers(begun)
    path = send(begun, canonical.dumps({**json.loads(data), "receiptId": own.stem}), own.name)
    with pytest.raises(IntegrityError, match="results/inbox/ .*this id"):
        publish.publish(begun, opened(begun), [own, path], credentials, push=False, untrusted=True)
    assert path.exists()


def test_the_keeper_s_own_draft_comes_before_another_sent_under_its_id(
    begun: Workspace, credentials: Credentials
) -> None:
    own = measure(begun)
    _, data = strangers(begun)
    path = send(begun, canonical.dumps({**json.loads(data), "receiptId": own.stem}), own.name)
    outcome = publish.publish(begun, opened(begun), [path, own], credentials, push=False)
    assert outcome.receipts == (own.stem,)
    assert "another draft has this id" in outcome.left[own.stem].message
    (header,) = snapshot(begun).history()
    assert not header.sent_by
    assert begun.repository.read(f"{INBOX}/{own.name}", rev="HEAD") is not None


def test_one_run_that_lies_here_and_in_the_inbox_is_published_once_as_ours(
    begun: Workspace, credentials: Credentials
) -> None:
    own = measure(begun)
    path = send(begun, own.read_bytes(), own.name)
    outcome = publish.publish(begun, opened(begun), [path, own], credentials, push=False)
    assert (outcome.receipts, dict(outcome.left)) == ((own.stem,), {})
    (header,) = snapshot(begun).history()
    assert not header.sent_by
    assert begun.repository.read(f"{INBOX}/{own.name}", rev="HEAD") is None
