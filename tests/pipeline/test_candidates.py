"""What a draft is refused for when it is scored again, and what its maker is told to do."""

from __future__ import annotations

import pytest
from rubric_receipts import draft
from snapshots import opened

from benchsite.errors import IntegrityError
from benchsite.pipeline.publish import candidates
from benchsite.pipeline.workspace import Workspace
from benchsite.receipt import compose


def test_a_draft_that_breaks_a_rule_is_not_to_be_run_again_unmended(published: Workspace) -> None:
    """The same sheets come to the same draft, so that running them again leads nowhere."""
    document = draft("1.3.0")
    document["sheets"][0]["date"] = "9999-12-31"
    with pytest.raises(IntegrityError, match="in the future") as caught:
        candidates.recheck(opened(published), compose(document))
    assert caught.value.hint == (
        "a re-run gives the same result: fix the adapter or the sheets, re-run, and discard this draft"
    )
