from __future__ import annotations

import json

from sample_record import SampleRecord, make_fixture, make_methodology

from benchsite.site import pages


def test_methodologies_and_their_metrics_can_be_found():
    record = SampleRecord(make_fixture(10), [make_methodology("1.0.0", "## 1 Score\n\nNew.\n")])
    _, data = pages.search(record.library, ())
    docs = json.loads(data.data or b"")["docs"]
    assert [(one["location"], one["title"]) for one in docs] == [
        ("methodology/retrieval/1.0.0/", "Retrieval methodology 1.0.0"),
        ("methodology/retrieval/1.0.0/", "nDCG@k (retrieval 1.0.0)"),
    ]
    assert docs[1]["text"].startswith("ndcg_at_k: How near the top")


def test_only_the_leaderboards_that_the_site_has_can_be_found():
    record = SampleRecord(make_fixture(10), [make_methodology("1.0.0", "## 1 Score\n\nNew.\n")])
    made = ["retrieval/", "retrieval/b/", "retrieval/a/", "retrieval/a/1.0.0/", "api/v1/retrieval/a.json"]
    page, _ = pages.search(record.library, made)
    assert page.context["leaderboards"] == ["retrieval/a/", "retrieval/b/"]
