from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.errors import IntegrityError
from benchsite.log.manifest import manifest, manifest_rows, parse_manifest
from benchsite.signing import KeyRecord, Keyring, fingerprint

index = st.integers(0, 2**53 - 1)
records = st.lists(
    st.builds(
        lambda key, role, state, start, end, below: KeyRecord(
            fingerprint=fingerprint(key),
            role=role,
            public_key=key,
            state=state,
            from_index=start,
            to_index=end,
            trusted_below_index=below,
        ),
        st.binary(min_size=32, max_size=32),
        st.sampled_from(["root", "receipt", "log"]),
        st.sampled_from(["active", "retired", "compromised"]),
        index,
        st.none() | index,
        st.none() | index,
    ),
    max_size=4,
    unique_by=lambda record: record.fingerprint,
)


@given(records=records)
def test_parse_inverts_manifest(oracle, records: list[KeyRecord]):
    keyring = Keyring(records)
    data = manifest(keyring)
    assert parse_manifest(data) == manifest_rows(keyring)
    assert data == oracle.jcs([row.model_dump(by_alias=True) for row in parse_manifest(data)])


def test_a_row_by_hand():
    record = KeyRecord(
        fingerprint=fingerprint(bytes(32)),
        role="log",
        public_key=bytes(32),
        state="compromised",
        from_index=2,
        to_index=8,
        trusted_below_index=7,
    )
    assert manifest(Keyring([record])) == (
        b'[{"fingerprint":"'
        + fingerprint(bytes(32)).encode()
        + b'","fromIndex":2,"role":"log","state":"compromised",'
        b'"toIndex":8,"trustedBelowIndex":7}]'
    )


GOOD = {
    "fingerprint": "sha256:" + "0" * 64,
    "role": "log",
    "state": "active",
    "fromIndex": 2,
    "toIndex": None,
    "trustedBelowIndex": None,
}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "file: "),
        ([1], "0: "),
        ([GOOD, {**GOOD, "role": "witness"}], "1.role: "),
        ([{**GOOD, "fromIndex": -1}], "0.fromIndex: "),
        ([{**GOOD, "fromIndex": "2"}], "0.fromIndex: "),
        ([{**GOOD, "publicKey": ""}], "0.publicKey: "),
        ([{key: GOOD[key] for key in GOOD if key != "toIndex"}], "0.toIndex: "),
        ([{**GOOD, "from_index": 2}], "0.from_index: "),
    ],
)
def test_errors_name_the_row_and_the_field(oracle, value, message: str):
    with pytest.raises(IntegrityError) as caught:
        parse_manifest(oracle.jcs(value))
    assert caught.value.message.startswith(f"keys/manifest.json: {message}")


@pytest.mark.parametrize(
    "data", [json.dumps([GOOD]).encode(), b"", b"[", b"\xff", b"[]\n", b'[{"a":1,"a":1}]']
)
def test_only_canonical_bytes(data: bytes):
    with pytest.raises(IntegrityError, match=r"^keys/manifest\.json: "):
        parse_manifest(data)
