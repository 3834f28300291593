from __future__ import annotations

import pytest
from rubric_receipts import draft

from benchsite.errors import IntegrityError
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.publish import links_check as claims
from benchsite.pipeline.record import Record
from benchsite.receipt import compose

OTHER = "0f8fad5b-d9cb-469f-a165-70867728950e"


def test_nothing_reproduces_an_evaluation(published: Instance) -> None:
    """What people judged has no target with a sha256, so that a copy would count as identical."""
    log = Record.at(published).log
    assert log is not None
    plain = draft("1.3.0")
    claims.check(published, log, compose(plain))
    with pytest.raises(IntegrityError, match="rubric are human") as caught:
        claims.check(published, log, compose({**plain, "reproduces": OTHER}))
    assert "without `reproduces`" in caught.value.hint
