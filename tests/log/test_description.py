from __future__ import annotations

from benchsite.log import describe, make_key_event, validate_entry
from benchsite.log.entries import ENTRY_TYPES
from benchsite.signing import PrivateKey

ONE, TWO = "3f25ab60-1111-4111-8111-111111111111", "3f25ab60-2222-4222-8222-222222222222"
HEX = "ab" * 32
SAMPLES = {
    "receipt": {"path": f"results/published/3f/{ONE}.json", "sha256": HEX, "size": 9},
    "methodology": {"track": "retrieval", "version": "1.0.0", "sha256": HEX},
    "fixture": {"id": "small-v1", "sha256": HEX},
    "intent": {
        "intentId": TWO,
        "track": "retrieval",
        "subjectSha256": HEX,
        "configSha256": HEX,
        "target": "small-v1",
        "methodology": "1.0.0",
        "seed": 7,
    },
    "retract": {"receiptId": ONE, "reason": "a stale index"},
    "supersede": {"receiptId": ONE, "by": TWO},
    "dispute": {"receiptId": ONE, "url": "https://a.example/1"},
    "withdraw-evidence": {"sha256": HEX, "reason": "a token"},
    "decline": {"track": "retrieval", "subject": "mem0", "target": "small-v1", "reason": "trained on it"},
}


def test_every_type_of_entry_has_its_words():
    assert {*SAMPLES, "key-add", "key-retire", "key-compromise"} == set(ENTRY_TYPES)
    found = {
        kind: describe(validate_entry({"v": 1, "type": kind, **fields})) for kind, fields in SAMPLES.items()
    }
    shown = {kind: (said.kind, said.what, said.words, said.receipt_id) for kind, said in found.items()}
    assert shown == {
        "receipt": ("receipt", ONE, "", ONE),
        "methodology": ("methodology", "retrieval 1.0.0", "", ""),
        "fixture": ("fixture", "small-v1", "", ""),
        "intent": (
            "intent",
            "retrieval on small-v1",
            f"pre-registered as {TWO}, methodology 1.0.0, seed 7",
            "",
        ),
        "retract": ("retraction", ONE, "a stale index", ONE),
        "supersede": ("succession", ONE, f"superseded by {TWO}", ONE),
        "dispute": ("dispute", ONE, "https://a.example/1", ONE),
        "withdraw-evidence": ("evidence withdrawn", HEX, "a token", ""),
        "decline": ("decline", "retrieval: mem0 on small-v1", "not measured: trained on it", ""),
    }
    for kind in ("receipt", "methodology", "fixture", "intent", "withdraw-evidence"):
        assert found[kind].digest == HEX


def test_a_key_event_gives_role_key_and_reason():
    root = PrivateKey.generate()
    event = make_key_event(
        "key-retire",
        root=root,
        origin="a.example/log",
        seq=3,
        role="log",
        public_key=PrivateKey.generate().public,
        reason="a yearly change",
    )
    said = describe(event)
    assert (said.kind, said.what, said.words) == ("key", "log key leaves service", "a yearly change")
    assert said.digest == event.fingerprint
