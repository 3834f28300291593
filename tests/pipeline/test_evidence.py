"""Evidence beside the receipts: kept by a run, published with its receipt, served, watched over, withdrawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from altering import found
from branches import Work, failing
from builders import commit
from publishing import attach, edit, measure

from benchsite import canonical
from benchsite.environment import Credentials
from benchsite.errors import InputError, IntegrityError
from benchsite.pipeline import build, evidence, publish
from benchsite.pipeline.audit import Kind
from benchsite.pipeline.instance import Instance
from benchsite.track import Evidence

TRANSCRIPT = "What is asked.\nWhat is answered: \u201cno\u201d.\n".encode()
SHA256 = canonical.sha256_hex(TRANSCRIPT)
PATH = f"results/evidence/{SHA256[:2]}/{SHA256}"


def with_evidence(instance: Instance, data: bytes = TRANSCRIPT) -> Path:
    return edit(measure(instance), {"evidence": [attach(instance, data)]})


def test_it_is_published_with_its_receipt_and_served_as_text(
    published: Instance, credentials: Credentials, tmp_path: Path
) -> None:
    before = published.repository.head()
    publish.publish(published, [with_evidence(published)], credentials, push=False)
    assert published.repository.read(PATH) == TRANSCRIPT
    assert published.repository.read(PATH, rev=before or "") is None
    assert found(published) == set()
    site = build.build(published, tmp_path / "site").site
    assert (site / f"{PATH}.txt").read_bytes() == TRANSCRIPT


def test_two_receipts_may_pin_one_document(published: Instance, credentials: Credentials) -> None:
    publish.publish(published, [with_evidence(published)], credentials, push=False)
    publish.publish(published, [with_evidence(published)], credentials, push=False)
    assert found(published) == set()


@pytest.mark.parametrize("change", ["gone", "edited"])
def test_a_receipt_is_not_published_without_it(
    published: Instance, credentials: Credentials, change: str
) -> None:
    draft = with_evidence(published)
    kept = published.root / ".benchsite/attachments" / SHA256
    if change == "gone":
        kept.unlink()
    else:
        kept.write_bytes(TRANSCRIPT + b"more")
    head = published.repository.head()
    said = "is not here" if change == "gone" else "are not those it pins"
    with pytest.raises(IntegrityError, match=rf"transcript\.txt {said}"):
        publish.publish(published, [draft], credentials, push=False)
    assert published.repository.head() == head
    assert draft.exists()


def test_what_is_too_large_for_git_is_refused(published: Instance) -> None:
    with pytest.raises(InputError, match="5,000,001 bytes, more than 5,000,000"):
        evidence.keep(published, Evidence("t.txt", "text/plain", b"x" * 5_000_001))


def test_audit_misses_what_is_pinned_and_was_never_there(
    published: Instance, credentials: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = with_evidence(published)
    monkeypatch.setattr(evidence, "to_publish", lambda *_: {})  # a publisher of somebody else's making
    publish.publish(published, [draft], credentials, push=False)
    assert found(published) == {(Kind.EVIDENCE, PATH, "")}


def test_a_branch_may_bring_evidence_only_with_the_receipt_that_pins_it(
    published: Instance, credentials: Credentials
) -> None:
    work = Work(published)
    publish.publish(published, [with_evidence(published)], credentials, push=False)
    assert work.checked().ok
    stray = canonical.sha256_hex(b"something else")
    path = f"results/evidence/{stray[:2]}/{stray}"
    commit(published, {path: b"something else"})
    assert (path, 3) in failing(work.checked())["record"]
