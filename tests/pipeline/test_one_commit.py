"""A command reads one commit, wherever a publish lands while it runs."""

from __future__ import annotations

from itertools import count

import pytest
from moving_head import MovingHead, require_one_commit
from publishing import measure
from snapshots import opened

from benchsite.environment import Credentials
from benchsite.pipeline import publish, verify
from benchsite.pipeline.instance import Instance


@pytest.fixture
def head(small: Instance, credentials: Credentials) -> MovingHead:
    """Four receipts at the first commit, a fifth at the second."""
    first = small.repository.head()
    publish.publish(small, [measure(small, "bm25", repeats=2)], credentials, push=False)
    second = small.repository.head()
    assert first is not None
    assert second is not None
    return MovingHead(small, first, second)


def _verified(head: MovingHead) -> list[tuple[str, str]]:
    found = verify.verify(opened(Instance(head.root)), (), everything=True)
    return [(item.path, item.examination.verdict if item.examination else str(item.error)) for item in found]


def test_verify_everything(head: MovingHead) -> None:
    assert require_one_commit(head, lambda: _verified(head), count(1)) > 0
