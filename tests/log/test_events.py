from __future__ import annotations

import pytest

from benchsite.errors import InputError
from benchsite.log.checkpoint import Checkpoint
from benchsite.log.entries import KeyAdd, encode_entry
from benchsite.log.events import make_key_event, root_has_signed


def test_events_have_the_bytes_that_the_oracle_signs(oracle, events, private):
    root = private(oracle.ROOT)
    lines = [oracle.jcs(entry) for entry in events.FOUNDING]
    for line, role, key in zip(
        lines, ("root", "receipt", "log"), (oracle.ROOT, oracle.RECEIPT, oracle.LOG), strict=True
    ):
        event = make_key_event(
            "key-add",
            root=root,
            origin=oracle.ORIGIN,
            seq=lines.index(line),
            role=role,
            public_key=key.public,
        )
        assert encode_entry(event) == line


def test_limits_of_a_compromise(oracle, events, private):
    root, origin = private(oracle.ROOT), oracle.ORIGIN
    leaked = make_key_event(
        "key-compromise",
        root=root,
        origin=origin,
        seq=3,
        role="receipt",
        public_key=oracle.RECEIPT.public,
        limit=5,
        reason="laptop stolen",
    )
    expected = oracle.event(
        "key-compromise", 3, "receipt", oracle.RECEIPT, trustedBelowIndex=5, reason="laptop stolen"
    )
    assert encode_entry(leaked) == oracle.jcs(expected)
    entries = [oracle.jcs(entry) for entry in events.FOUNDING]
    head = Checkpoint(origin, 3, oracle.mth(entries))
    frozen = make_key_event(
        "key-compromise",
        root=root,
        origin=origin,
        seq=3,
        role="log",
        public_key=oracle.LOG.public,
        limit=head,
    )
    assert encode_entry(frozen) == oracle.jcs(
        oracle.event("key-compromise", 3, "log", oracle.LOG, **events.frozen(3, events.FOUNDING))
    )


@pytest.mark.parametrize(
    ("kind", "role", "limit"),
    [
        ("key-compromise", "receipt", None),
        ("key-compromise", "log", 5),
        ("key-compromise", "root", 5),
        ("key-add", "receipt", 5),
    ],
)
def test_a_limit_of_another_role_is_refused(oracle, private, kind, role, limit):
    with pytest.raises(InputError, match=f"log entry: {kind}: "):
        make_key_event(
            kind,
            root=private(oracle.ROOT),
            origin=oracle.ORIGIN,
            seq=3,
            role=role,
            public_key=oracle.RECEIPT.public,
            limit=limit,
        )


def test_who_has_signed(oracle, private):
    event = make_key_event(
        "key-add",
        root=private(oracle.ROOT),
        origin=oracle.ORIGIN,
        seq=0,
        role="root",
        public_key=oracle.ROOT.public,
    )
    assert isinstance(event, KeyAdd)
    assert root_has_signed(event, oracle.ROOT.public)
    assert not root_has_signed(event, oracle.ROOT_2.public)
    assert not root_has_signed(event.model_copy(update={"seq": 1}), oracle.ROOT.public)
    assert not root_has_signed(event.model_copy(update={"reason": "x"}), oracle.ROOT.public)
