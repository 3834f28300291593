"""What a commit held that the remote overtook: pinned versions, evidence, announcements are there again, or given up aloud."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest
from builders import commit
from publishing import attach, edit, git, measure, overtaken, remote_pair

from benchsite.environment import Credentials
from benchsite.errors import IntegrityError
from benchsite.layout import INBOX, JOURNAL, receipt_path
from benchsite.log import MethodologyEntry, WithdrawEvidenceEntry, encode_entry
from benchsite.pipeline import build, publish
from benchsite.pipeline.audit import Kind, audit
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.publish import events, methodologies
from benchsite.pipeline.record import requeue, require_log
from benchsite.pipeline.status import status
from benchsite.signing import PrivateKey

pytestmark = pytest.mark.stories

TOLD = b"a secret that a transcript tells"
SHA256 = hashlib.sha256(TOLD).hexdigest()
PATH = f"results/evidence/{SHA256[:2]}/{SHA256}"
TEXT = "methodology/rubric/2.0.0/text.md"


def pin(
    instance: Instance, credentials: Credentials, track: str, version: str, *, push: bool = False
) -> None:
    methodologies.pin(instance, credentials, track, version, push=push)


def reworded(instance: Instance) -> None:
    """Another text of 2.0.0, public."""
    commit(instance, {TEXT: (instance.root / TEXT).read_bytes() + b"\nOne more sentence.\n"})
    instance.repository.push()


def pinned(instance: Instance) -> set[tuple[str, str]]:
    return set(require_log(instance).methodologies)


def test_a_version_is_pinned_again_by_whatever_appends_next(
    begun: Instance, credentials: Credentials, tmp_path: Path
) -> None:
    first, second = remote_pair(begun, tmp_path)
    pin(first, credentials, "rubric", "2.0.0")
    publish.publish(second, [measure(second)], credentials)
    publish.publish(first, [measure(first, "bm25")], credentials)
    sha256 = require_log(first).methodologies["rubric", "2.0.0"].sha256
    assert sha256 == first.committed_methodology("rubric", "2.0.0")
    assert not requeue.load(first)
    assert audit(first).ok


def test_a_version_stays_pinned_though_the_draft_scored_under_it_is_thrown_away(
    begun: Instance, credentials: Credentials, tmp_path: Path
) -> None:
    first, second = remote_pair(begun, tmp_path)
    pin(first, credentials, "retrieval", "1.0.0")
    draft = measure(first)
    publish.publish(first, [draft], credentials, push=False)
    pin(second, credentials, "rubric", "1.3.0", push=True)
    pin(first, credentials, "rubric", "2.0.0", push=True)
    draft.unlink()
    assert publish.publish(first, [], credentials).receipts == ()
    assert pinned(first) == {("retrieval", "1.0.0"), ("rubric", "1.3.0"), ("rubric", "2.0.0")}
    assert audit(first).ok


def test_a_stranger_s_draft_finds_the_version_it_was_published_under(
    begun: Instance, credentials: Credentials, tmp_path: Path
) -> None:
    """The log pins 0.0.1 in public and 1.0.0 here: the draft may not pin, and need not."""
    first, second = remote_pair(begun, tmp_path)
    pin(first, credentials, "retrieval", "1.0.0")
    sent = measure(first, "bm25")
    data = sent.read_bytes()
    sent.unlink()
    commit(first, {f"{INBOX}/{sent.name}": data})
    first.repository.push()
    path = first.root / INBOX / sent.name
    publish.publish(first, [path], credentials, push=False)
    second.repository.move_to(second.repository.fetch() or "", expected=second.repository.head() or "")
    pin(Instance(second.root), credentials, "retrieval", "0.0.1", push=True)
    done = publish.publish(first, [], credentials)
    assert (done.receipts, done.left) == ((sent.stem,), {})
    assert pinned(first) == {("retrieval", "0.0.1"), ("retrieval", "1.0.0")}
    assert done.appended.returned == (), "it is no draft any more"


@pytest.mark.parametrize("also_pinned", [True, False], ids=["and pinned", "only edited"])
def test_a_pin_that_cannot_stand_is_given_up_aloud(
    begun: Instance, credentials: Credentials, tmp_path: Path, *, also_pinned: bool
) -> None:
    """The log would name a document that nobody can read any more, or two under one number."""
    first, second = remote_pair(begun, tmp_path)
    pin(first, credentials, "rubric", "2.0.0")
    reworded(second)
    if also_pinned:
        pin(Instance(second.root), credentials, "rubric", "2.0.0", push=True)
    done = publish.publish(first, [measure(first)], credentials)
    (told,) = done.appended.given_up
    assert "methodology/rubric/2.0.0 no longer matches its published version" in told
    assert not requeue.load(first)
    assert (("rubric", "2.0.0") in pinned(first)) == also_pinned
    pin(first, credentials, "rubric", "2.0.0", push=True)
    sha256 = require_log(first).methodologies["rubric", "2.0.0"].sha256
    assert sha256 == second.committed_methodology("rubric", "2.0.0")
    assert audit(first).ok


@pytest.mark.parametrize("cleared", [True, False], ids=["nothing kept here", "kept here"])
def test_withdrawn_evidence_does_not_come_back_with_its_receipt(
    begun: Instance, credentials: Credentials, tmp_path: Path, *, cleared: bool
) -> None:
    first, second = remote_pair(begun, tmp_path)
    draft = edit(measure(first), {"evidence": [attach(first, TOLD)]})
    publish.publish(first, [draft], credentials, push=False)
    events.announce(first, credentials, events.withdrawal(SHA256, "a secret"), push=False)
    if cleared:
        shutil.rmtree(first.root / ".benchsite")
    publish.publish(second, [measure(second, "bm25")], credentials)
    assert publish.publish(first, [], credentials).receipts == (draft.stem,)
    assert SHA256 in require_log(first).withdrawn
    assert first.repository.read(PATH) is None
    assert audit(first).ok


def test_withdrawn_evidence_that_lies_there_is_found_not_served_and_withdrawn_again(
    published: Instance, credentials: Credentials, tmp_path: Path
) -> None:
    draft = edit(measure(published), {"evidence": [attach(published, TOLD)]})
    publish.publish(published, [draft], credentials, push=False)
    entry = events.withdrawal(SHA256, "a secret")
    events.announce(published, credentials, entry, push=False)
    commit(published, {PATH: TOLD})
    again = Instance(published.root)
    assert [(item.kind, item.path) for item in audit(again).findings] == [(Kind.WITHDRAWN, PATH)]
    site = build.build(again, tmp_path / "site").site
    assert not (site / f"{PATH}.txt").exists()
    events.announce(again, credentials, entry, push=False)
    assert again.repository.read(PATH) is None
    assert audit(Instance(published.root)).ok


def test_only_what_the_log_key_signed_is_logged_again(published: Instance, credentials: Credentials) -> None:
    """A queue that anything could write is no authority: files are not read, a log of another key is refused."""
    about = next(iter(require_log(published).receipts))
    entry = events.retraction(about, "it is mine")
    folder = published.root / ".benchsite/pending"
    folder.mkdir(parents=True)
    (folder / "000000-0123456789abcdef.json").write_bytes(encode_entry(entry))
    publish.publish(published, [], credentials, push=False)
    assert require_log(published).events_about(about) == ()
    thief = Credentials.of(log=PrivateKey.generate())
    overtaken(published, thief, entry)
    with pytest.raises(IntegrityError, match="checkpoint"):
        publish.publish(published, [measure(published)], credentials, push=False)
    assert require_log(published).events_about(about) == ()


@pytest.mark.parametrize("name", ["x", "000000-other", "junk/0"])
def test_a_ref_of_another_form_holds_nothing(
    published: Instance, credentials: Credentials, name: str
) -> None:
    published.repository.keep_ref(f"{requeue.REFS}{name}", published.repository.head() or "")
    assert requeue.load(published) == []
    draft = measure(published)
    assert publish.publish(published, [draft], credentials, push=False).receipts == (draft.stem,)


def test_a_ref_whose_log_does_not_open_is_named(published: Instance, credentials: Credentials) -> None:
    commit(published, {"results/log/checkpoint": b"x"})
    bad = published.repository.head() or ""
    git(published.root, "reset", "-q", "--hard", "HEAD~1")
    ref = f"{requeue.REFS}000000-all"
    published.repository.keep_ref(ref, bad)
    with pytest.raises(IntegrityError, match="its log cannot") as caught:
        publish.publish(Instance(published.root), [], credentials, push=False)
    assert caught.value.hint == f"to discard it: git update-ref -d {ref}"


def test_what_waits_is_in_its_order_before_what_is_new(published: Instance, credentials: Credentials) -> None:
    """A withdrawal and a pin that wait count for the receipt of the same commit."""
    sha256 = published.committed_methodology("rubric", "2.0.0")
    assert sha256 is not None
    waiting = [
        MethodologyEntry(track="rubric", version="2.0.0", sha256=sha256),
        WithdrawEvidenceEntry(sha256=SHA256, reason="a secret"),
    ]
    overtaken(published, credentials, *waiting)
    draft = edit(measure(published), {"evidence": [attach(published, TOLD)]})
    size = require_log(published).size
    publish.publish(published, [draft], credentials, push=False)
    log = require_log(published)
    assert [log.entry(size), log.entry(size + 1)] == waiting
    assert log.receipts[draft.stem] == size + 2
    assert published.repository.read(PATH) is None
    assert published.repository.read(receipt_path(draft.stem)) is not None


def test_status_tells_what_is_on_its_way(begun: Instance, credentials: Credentials, tmp_path: Path) -> None:
    first, _ = remote_pair(begun, tmp_path)
    draft = measure(first)
    assert status(first, credentials).drafts == (draft.stem,)
    publish.publish(first, [draft], credentials, push=False)
    found = status(first, credentials)
    assert draft.exists(), "it is kept until the receipt is public"
    assert found.drafts == ()
    assert found.next_steps[0].startswith("benchsite publish       pushes 1 commit")
    (first.root / receipt_path(draft.stem)).unlink()
    (first.root / JOURNAL).write_text("{}")
    steps = status(first, credentials).next_steps
    assert steps[0].startswith("benchsite publish       finishes an interrupted publish")
    assert not any(step.startswith("restore the record") for step in steps)
