from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.receipt import (
    ReceiptError,
    UnclaimedSchema,
    UnsupportedSchema,
    compose,
    envelope_schema,
    parse,
    parse_draft,
    seal,
)

ID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
FINGERPRINT = "sha256:" + "ab" * 32
VALUE = "A" * 86

DRAFT: dict[str, Any] = {
    "schemaVersion": "1.0.0",
    "track": "retrieval",
    "receiptId": ID,
    "benchVersion": "0.1.0",
    "ranAt": "2026-02-28T23:59:59Z",
    "ranBy": {"kind": "maintainer", "name": "Ada"},
    "origin": "native",
    "methodology": {"id": "retrieval", "version": "1.0.0", "sha256": "0" * 64},
    "config": {"k": [1, 10]},
    "environment": {
        "python": "3.11.7",
        "platform": "linux/x86_64",
        "cpu": None,
        "cores": 2,
        "loadAverage": 0.5,
        "runner": None,
        "containerImage": None,
        "git": {"commit": "c" * 40, "dirty": False, "tag": None},
        "packages": None,
    },
    "logHead": {"origin": "a.example/log", "size": 3, "root": "A" * 43 + "="},
    "supersedes": None,
    "reproduces": None,
    "intentId": None,
    "derivedFrom": None,
    "evidence": [{"name": "trace", "sha256": "1" * 64, "size": 7, "mediaType": "application/json"}],
    "simulated": False,
    "scores": {"x": 0.5},
}


def test_drafts_round_trip_and_keep_what_the_track_owns() -> None:
    draft = compose(DRAFT)
    again = parse_draft(draft.file_bytes())
    assert again.document == DRAFT
    assert again.is_canonical
    assert again.receipt_id == ID
    assert again.fingerprint == ""


def test_the_signature_covers_every_other_byte() -> None:
    draft = compose(DRAFT)
    signed = seal(draft, fingerprint=FINGERPRINT, value=VALUE)
    assert signed.signed_bytes() == draft.file_bytes()
    assert signed.fingerprint == FINGERPRINT
    assert parse(signed.file_bytes()).signed_bytes() == canonical.dumps(DRAFT)


def test_layout_does_not_change_what_is_signed() -> None:
    signed = seal(compose(DRAFT), fingerprint=FINGERPRINT, value=VALUE)
    loose = json.dumps(dict(reversed(list(signed.document.items()))), indent=3).encode()
    read = parse(loose)
    assert not read.is_canonical
    assert read.signed_bytes() == signed.signed_bytes()
    assert read.file_bytes() == signed.file_bytes()


def test_a_draft_carries_no_signature_and_a_receipt_must() -> None:
    signed = seal(compose(DRAFT), fingerprint=FINGERPRINT, value=VALUE)
    with pytest.raises(ReceiptError, match="not a field") as extra:
        parse_draft(signed.file_bytes())
    with pytest.raises(ReceiptError, match="is missing") as absent:
        parse(compose(DRAFT).file_bytes())
    assert extra.value.field == absent.value.field == "signature"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schemaVersion",), 1),
        (("track",), "Retrieval"),
        (("track",), "../../etc"),
        (("receiptId",), ID.upper()),
        (("receiptId",), ID.replace("-4", "-1", 1).replace("41d3", "11d3")),
        (("receiptId",), "../../../keys/root"),
        (("benchVersion",), "01.0.0"),
        (("ranAt",), "2026-02-28T23:59:59+00:00"),
        (("ranAt",), "2026-02-28T23:59:59.5Z"),
        (("ranAt",), "2026-13-01T00:00:00Z"),
        (("ranBy", "kind"), "somebody"),
        (("ranBy", "name"), "two\nlines"),
        (("ranBy", "name"), ""),
        (("origin",), "nowhere"),
        (("methodology", "sha256"), "0" * 63),
        (("methodology", "sha256"), "G" * 64),
        (("config",), []),
        (("environment", "cores"), 0),
        (("environment", "git", "commit"), "abc"),
        (("environment", "git", "dirty"), "no"),
        (("environment", "extra"), 1),
        (("logHead", "size"), -1),
        (("logHead", "size"), 1.5),
        (("logHead", "root"), "short"),
        (("supersedes",), "x"),
        (("evidence", 0, "size"), "7"),
        (("simulated",), 0),
    ],
    ids=str,
)
def test_each_malformed_field_is_named(path: tuple[Any, ...], value: Any) -> None:
    document = copy.deepcopy(DRAFT)
    holder: Any = document
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    with pytest.raises(ReceiptError) as caught:
        parse_draft(json.dumps(document).encode())
    named = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")
    assert caught.value.field == named
    assert caught.value.exit_code == 3


def test_an_unknown_schema_is_unsupported_and_not_invalid() -> None:
    for version in ("2.0.0", "1.0.1"):
        with pytest.raises(UnsupportedSchema, match=version):
            parse(json.dumps({**DRAFT, "schemaVersion": version}).encode())


def outcome(data: bytes) -> tuple[str, str | None]:
    try:
        parse(data)
    except ReceiptError as error:
        return "invalid", error.field
    except UnclaimedSchema:
        return "unclaimed", None
    except UnsupportedSchema:
        return "unsupported", None
    return "read", None


def test_the_shared_vectors(vectors: Path) -> None:
    """tests/js/receipt.test.js reads the same ones."""
    rows = json.loads((vectors / "receipt" / "envelope.json").read_text())
    for case in rows["cases"]:
        kept = {name: value for name, value in rows["base"].items() if name not in case["remove"]}
        found = outcome(json.dumps(kept | case["change"]).encode())
        assert found == (case["outcome"], case["field"]), case["name"]


def test_no_way_to_a_receipt_takes_another_tracks_rules() -> None:
    foreign = {**DRAFT, "methodology": {**DRAFT["methodology"], "id": "rubric"}}
    draft = compose(DRAFT)
    attempts = (
        lambda: compose(foreign),
        lambda: parse_draft(json.dumps(foreign).encode()),
        lambda: seal(replace(draft, document=foreign), fingerprint=FINGERPRINT, value=VALUE),
    )
    for attempt in attempts:
        with pytest.raises(ReceiptError, match="methodology of rubric") as caught:
            attempt()
        assert caught.value.field == "methodology.id"
        assert caught.value.hint


def test_a_draft_without_a_schema_is_at_fault() -> None:
    with pytest.raises(ReceiptError, match="schemaVersion"):
        parse_draft(json.dumps({name: DRAFT[name] for name in DRAFT if name != "schemaVersion"}).encode())


def test_what_is_not_an_object_or_not_strict_json() -> None:
    with pytest.raises(ReceiptError, match="JSON object"):
        parse(b"[]")
    with pytest.raises(JsonError):
        parse(b'{"a":1,"a":1}')


@given(st.binary(max_size=300))
def test_any_bytes_give_a_receipt_or_one_of_our_errors(data: bytes) -> None:
    with pytest.raises((JsonError, ReceiptError, UnsupportedSchema)):
        parse(data)


extra = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(min_size=1, max_size=6), extra, max_size=4))
def test_whatever_a_track_adds_survives_signing(added: dict[str, Any]) -> None:
    document = {**added, **DRAFT}
    document.pop("signature", None)
    try:
        draft = compose(document)
    except JsonError:
        return  # a lone surrogate or `__proto__` has no canonical form
    signed = parse(seal(draft, fingerprint=FINGERPRINT, value=VALUE).file_bytes())
    assert signed.signed_bytes() == canonical.dumps(document)
    assert {key: value for key, value in signed.document.items() if key != "signature"} == document


def test_the_exported_schema_names_every_shared_field() -> None:
    schema = envelope_schema()
    assert set(schema["properties"]) == {*DRAFT, "signature"} - {"scores"}
    assert set(schema["required"]) == set(schema["properties"])


def test_schema_0_0_1_is_read_for_ever(shared: Path) -> None:
    """The seed's own published receipt: fractional seconds, latency among the scores, not canonical."""
    receipt = parse((shared / "data/przm_receipt_b12b9a56.json").read_bytes())
    assert receipt.schema == "0.0.1"
    assert receipt.track == "retrieval"
    assert not receipt.is_canonical
    assert b'"signature"' not in receipt.signed_bytes()


def test_schema_0_0_1_is_bounded_though_its_author_was_not(shared: Path) -> None:
    document = json.loads((shared / "data" / "przm_receipt_b12b9a56.json").read_bytes())
    row = document["perQuery"][0] | {"retrieved": []}
    for change in ({"scores": {f"m{i}": 0.5 for i in range(101)}}, {"perQuery": [row] * 50_001}):
        with pytest.raises(ReceiptError, match="at most"):
            parse(json.dumps(document | change).encode())
