from __future__ import annotations

import pytest
from builders import retrieval_work
from publishing import edit, measure
from rubric_receipts import draft
from snapshots import log_of, opened, snapshot

from benchsite.environment import Credentials
from benchsite.errors import IntegrityError
from benchsite.pipeline import publish
from benchsite.pipeline.measure import run
from benchsite.pipeline.measure.register import announcer
from benchsite.pipeline.publish import links_check as claims
from benchsite.pipeline.workspace import Workspace
from benchsite.receipt import compose, parse_draft

OTHER = "0f8fad5b-d9cb-469f-a165-70867728950e"


def test_nothing_reproduces_an_evaluation(published: Workspace) -> None:
    """What people judged has no target with a sha256, so that a copy would count as identical."""
    log = snapshot(published).log
    assert log is not None
    plain = draft("1.3.0")
    claims.check(opened(published), log, compose(plain))
    with pytest.raises(IntegrityError, match="rubric are human") as caught:
        claims.check(opened(published), log, compose({**plain, "reproduces": OTHER}))
    assert "without `reproduces`" in caught.value.hint


def test_only_receipts_logged_after_an_announcement_are_read_for_it(
    published: Workspace, credentials: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every published receipt was read and searched for each draft that names an announcement."""
    (result,) = run.run(
        published,
        opened(published),
        [retrieval_work("bm25")],
        announce=announcer(published, opened(published), credentials, push=False),
    )
    assert result.draft is not None
    later = measure(published, "random")
    publish.publish(published, opened(published), [later], credentials, push=False)
    reported = parse_draft(result.draft.read_bytes())
    read, asked = published.repository.read, []

    def counted(path: str, **at: str) -> bytes | None:
        asked.append(path)
        return read(path, **at)

    monkeypatch.setattr(published.repository, "read", counted)
    claims.check(opened(published), log_of(published), reported)
    receipts = [path for path in asked if path.startswith("results/published/")]
    assert [path.rpartition("/")[2] for path in receipts] == [later.name]
    monkeypatch.undo()
    publish.publish(published, opened(published), [result.draft], credentials, push=False)
    again = edit(measure(published, "bm25"), {"intentId": reported.document["intentId"]})
    with pytest.raises(IntegrityError, match=f"which receipt {result.receipt_id} already reports"):
        claims.check(opened(published), log_of(published), parse_draft(again.read_bytes()))
