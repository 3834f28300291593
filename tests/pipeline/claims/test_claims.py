"""The status of quoted numbers in a record whose receipts are withdrawn, replaced and no better than the baseline."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from publishing import measure
from snapshots import opened, snapshot

from benchsite.environment import Credentials
from benchsite.history import Header
from benchsite.pipeline import publish
from benchsite.pipeline.claims import Status, Text, claims
from benchsite.pipeline.publish import events
from benchsite.pipeline.workspace import Workspace


@pytest.fixture
def headers(published: Workspace) -> dict[str, Header]:
    history = snapshot(published).history()
    return {one.summary.subject.name: one for one in history if one.summary is not None}


def _statuses(instance: Workspace, *texts: str) -> Iterator[tuple[str, Status, str]]:
    found = claims(opened(instance), [Text("a.md", ".md", "\n\n".join(texts))])
    return ((one.number, one.status, one.detail) for one in found)


def _link(header: Header, text: str, fragment: str = "") -> str:
    return f"[{text}](https://bench.example/receipts/{header.receipt_id[:2]}/{header.receipt_id}/{fragment})"


def _shown(header: Header, digits: int = 3) -> str:
    assert header.summary is not None
    assert header.summary.headline.value is not None
    return f"{header.summary.headline.value:.{digits}f}"


def test_numbers_of_a_receipt_match_at_their_decimals(
    published: Workspace, headers: dict[str, Header]
) -> None:
    one = headers["bm25"]  # a baseline, so it isn't compared with one
    assert [
        status
        for _, status, _ in _statuses(
            published, _link(one, _shown(one)), _link(one, _shown(one, 2)), _link(one, "x")
        )
    ] == [Status.MATCHES] * 3


def test_a_number_of_another_metric_or_receipt_is_named(
    published: Workspace, headers: dict[str, Header]
) -> None:
    one = headers["bm25"]
    (status,) = _statuses(published, _link(one, "0.12345"))
    assert status[1:] == (Status.DIFFERS, f"the receipt states {_shown(one)}")
    # All queries of the small dataset have an item in its scope of six, so success@10 of random is 1.
    unnamed, named, by_fragment, before = _statuses(
        published,
        _link(headers["random"], "1.000"),
        _link(headers["random"], "Hit rate@10 1.000"),
        _link(headers["random"], "100%", "#success_at_10"),
        "The hit rate@10 is " + _link(headers["random"], "1.0"),
    )
    assert unnamed[1] is Status.OTHER_SETTINGS
    assert "name the metric" in unnamed[2]
    assert {named[1], by_fragment[1], before[1]} == {Status.MATCHES}


def test_a_system_no_better_than_the_baseline_is_not_significant(
    published: Workspace, headers: dict[str, Header]
) -> None:
    ((_, status, detail),) = _statuses(
        published, _link(headers["sqlite-fts5"], _shown(headers["sqlite-fts5"]))
    )
    assert status is Status.NOT_SIGNIFICANT
    assert detail.startswith("not significantly better than the baseline (Holm-adjusted p = ")


def test_withdrawn_and_replaced_receipts_are_told_apart(
    published: Workspace, headers: dict[str, Header], credentials: Credentials
) -> None:
    again = measure(published, "sqlite-fts5")
    publish.publish(published, opened(published), [again], credentials, push=False)
    events.announce(
        published, credentials, events.retraction(headers["random"].receipt_id, "wrong"), push=False
    )
    unknown = "00000000-0000-4000-8000-000000000000"
    found = list(
        _statuses(
            published,
            _link(headers["sqlite-fts5"], _shown(headers["sqlite-fts5"])),
            _link(headers["random"], _shown(headers["random"])),
            _link(headers["random"], "0.123"),
            f"[0.5](receipts/00/{unknown}/)",
        )
    )
    assert [status for _, status, _ in found] == [
        Status.STALE,
        Status.RETRACTED,
        Status.DIFFERS,
        Status.NOT_IN_THE_LOG,
    ]
    assert found[0][2].endswith(" is newer")
    assert found[2][2] == f"the receipt states {_shown(headers['random'])}; retracted"


def test_a_metric_that_is_named_is_the_one_compared(published: Workspace, headers: dict[str, Header]) -> None:
    """On the small dataset, nDCG@10 of random isn't 1 and its hit rate@10 is."""
    one = headers["random"]
    texts = {
        "Hit rate@10 " + _link(one, _shown(one)): Status.DIFFERS,
        "hit rate@10 of " + _link(one, _shown(one)): Status.DIFFERS,
        _link(one, _shown(one), "#no_such_metric"): Status.DIFFERS,
        _link(one, f"MRR {_shown(one)}"): Status.DIFFERS,
        "The hit rate@10 is perfect, and nDCG is not: " + _link(one, _shown(one)): Status.MATCHES,
        _link(one, f"{_shown(one)}, 95% CI [0.001, 0.002]"): Status.MATCHES,
    }
    found = list(_statuses(published, *texts))
    assert [status for _, status, _ in found[: len(texts)]] == list(texts.values())
    assert [detail.startswith("the receipt's CI is [0.") for _, _, detail in found[len(texts) :]] == [
        True,
        True,
    ]
