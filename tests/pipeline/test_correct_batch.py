"""Originals and their corrections published together, whatever their ids."""

from __future__ import annotations

import json

from builders import commit, small_fixture
from publishing import measure
from snapshots import opened, snapshot

from benchsite.environment import Credentials
from benchsite.history import Verdict
from benchsite.pipeline import publish
from benchsite.pipeline.correct import correct
from benchsite.pipeline.workspace import Workspace


def test_a_batch_of_originals_and_corrections_is_published_in_order(
    begun: Workspace, credentials: Credentials
) -> None:
    """Drafts are given with the corrections first, in either order of the two runs."""
    document = small_fixture() | {"id": "small-v2"}
    document["queries"][0]["expected"] = [{"id": "a3", "grade": 1}]
    commit(begun, {"fixtures/small-v2/fixture.json": json.dumps(document).encode()})
    originals = [measure(begun, name) for name in ("recency", "random")]
    names = [str(path) for path in originals]
    made = correct(begun, opened(begun), names, fixture="small-v2", draft=True).corrected
    derived = [one.path for one in made if one.path is not None]
    publish.publish(begun, opened(begun), [*derived, *originals], credentials, push=False)
    history = list(snapshot(begun).history())
    assert [header.verdict for header in history] == [Verdict.LOGGED] * 4
    places = {header.receipt_id: place for place, header in enumerate(history)}
    for path, one in zip(originals, made, strict=True):
        assert places[path.stem] < places[one.draft.receipt_id]
