"""explain: a ranked receipt, a baseline, an excluded one, a draft, and a receipt of another record; pages agree."""

from __future__ import annotations

import html
from pathlib import Path

import pytest
from publishing import measure
from snapshots import opened, snapshot

from benchsite.environment import Credentials
from benchsite.errors import UsageError
from benchsite.pipeline import build
from benchsite.pipeline.explain import explain
from benchsite.pipeline.publish import events
from benchsite.pipeline.workspace import Workspace


def ids(instance: Workspace) -> dict[str, str]:
    history = snapshot(instance).history()
    return {one.summary.subject.name: one.receipt_id for one in history if one.summary is not None}


def test_a_receipt_is_explained_in_the_words_of_its_page(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    names = ids(published)
    ranked = explain(opened(published), names["sqlite-fts5"])
    assert ranked.verdict == "LOGGED"
    assert ranked.standing.startswith("rank 1 of 1; ")
    assert ranked.standing.endswith(" than the BM25 baseline (Holm-adjusted)")
    assert (ranked.reasons, ranked.leaderboard) == ((), "retrieval/small-v1/")
    assert explain(opened(published), names["bm25"][:8]).standing == "run as a baseline, not ranked"
    site = build.build(published, opened(published), tmp_path / "site").site
    page = (site / f"receipts/{ranked.receipt_id[:2]}/{ranked.receipt_id}/index.html").read_text()
    assert f"Leaderboard: {ranked.standing.replace(' of 1', '', 1)}." in html.unescape(page)
    reason = "the index was of another file"
    events.announce(published, credentials, events.retraction(names["sqlite-fts5"], reason), push=False)
    gone = explain(opened(published), names["sqlite-fts5"])
    assert (gone.verdict, gone.standing) == ("RETRACTED", "")
    assert gone.reasons == ("Retracted by the publisher; kept for the record.",)


def test_a_draft_has_its_reasons_and_a_receipt_of_another_record_is_refused(
    published: Workspace, tmp_path: Path
) -> None:
    path = measure(published, "random", limit=3)
    found = explain(opened(published), str(path))
    assert (found.verdict, found.about, found.standing) == ("DRAFT", "random 1.0.0 on small-v1", "")
    assert found.reasons[0] == "a draft: not published"
    assert any("only the first 3" in reason for reason in found.reasons)
    with pytest.raises(UsageError, match="no receipt named"):
        explain(opened(published), "nope")
