"""Cases for single log entries."""

from __future__ import annotations

import json

from log_events import FOUNDING, frozen
from log_oracle import LOG, RECEIPT, ROOT, Object, b64, event, jcs, leaf

ID = "3f0c2a5e-9d41-4b7a-8c66-1e2d3c4b5a69"
ID_2 = "a1b2c3d4-0000-4000-8000-000000000001"
HEX = "ab" * 32


def entry_samples() -> list[Object]:
    """One entry of each type that is no key event."""
    return [
        {
            "v": 1,
            "type": "receipt",
            "path": f"results/published/{ID[:2]}/{ID}.json",
            "sha256": HEX,
            "size": 9123,
        },
        {"v": 1, "type": "methodology", "track": "retrieval", "version": "1.0.0", "sha256": HEX},
        {"v": 1, "type": "fixture", "id": "locomo-10-turn", "sha256": HEX},
        {
            "v": 1,
            "type": "intent",
            "intentId": ID_2,
            "track": "agents",
            "subjectSha256": HEX,
            "configSha256": HEX,
            "target": "toy",
            "methodology": "1.0.0",
            "seed": 7,
        },
        {"v": 1, "type": "retract", "receiptId": ID, "reason": "gold labels leaked into the index — “sorry”"},
        {"v": 1, "type": "supersede", "receiptId": ID, "by": ID_2},
        {"v": 1, "type": "dispute", "receiptId": ID, "url": "https://example.org/issues/1?a=b#c"},
        {"v": 1, "type": "withdraw-evidence", "sha256": HEX, "reason": "a token in a transcript"},
        {
            "v": 1,
            "type": "decline",
            "track": "retrieval",
            "subject": "mem0",
            "target": "toy",
            "reason": "trained on it",
        },
    ]


def entries() -> Object:
    receipt, methodology, fixture, intent, retract, supersede, dispute, withdraw, decline = entry_samples()
    compromise = event("key-compromise", 3, "receipt", RECEIPT, trustedBelowIndex=5, reason="laptop stolen")
    valid = [
        *entry_samples(),
        *FOUNDING,
        compromise,
        event("key-compromise", 3, "log", LOG, **frozen(3, FOUNDING)),
    ]
    valid += [{**receipt, "size": size} for size in (1, 999_999, 1_000_000, 8 * 1024 * 1024)]
    valid += [{**intent, "dueBy": due} for due in ("1", "9999999999999999", "2030-01-31T00:00:00Z")]
    pretty = json.dumps(fixture, indent=1)
    other_path = receipt["path"].replace("/3f/", "/a1/")
    bad: list[tuple[str, Object | str]] = [
        ("empty", ""),
        ("not an object", "[]"),
        ("a number", "1"),
        ("null", "null"),
        ("no type", {"v": 1}),
        ("unknown type", {**fixture, "type": "fixtures"}),
        ("type is a number", {**fixture, "type": 1}),
        ("type is null", {**fixture, "type": None}),
        ("no version", {k: v for k, v in fixture.items() if k != "v"}),
        ("version 2", {**fixture, "v": 2}),
        ("version true", {**fixture, "v": True}),
        ("version as text", {**fixture, "v": "1"}),
        ("unknown field", {**fixture, "note": "x"}),
        ("unknown field of a receipt", {**receipt, "note": "x"}),
        ("snake_case field", {"v": 1, "type": "retract", "receipt_id": ID, "reason": "x"}),
        ("missing field", {"v": 1, "type": "fixture", "id": "a"}),
        ("null for an absent reason", {**compromise, "reason": None}),
        ("spaces between members", pretty),
        ("members out of order", '{"v":1,"type":"fixture","id":"a","sha256":"' + HEX + '"}'),
        ("space at the end", jcs(fixture).decode() + " "),
        ("newline at the end of a receipt", jcs(receipt).decode() + "\n"),
        ("byte order mark", "\ufeff" + jcs(fixture).decode()),
        ("duplicate member", '{"id":"a",' + jcs(fixture).decode()[1:]),
        ("escaped letter", jcs(fixture).decode().replace("locomo", "\\u006cocomo")),
        ("1.0 for 1", jcs(fixture).decode().replace('"v":1', '"v":1.0')),
        ("upper-case hash", {**fixture, "sha256": HEX.upper()}),
        ("short hash", {**fixture, "sha256": HEX[:-1]}),
        ("hash with a newline", {**fixture, "sha256": HEX + "\n"}),
        ("id with a slash", {**fixture, "id": "a/b"}),
        ("id with dots", {**fixture, "id": ".."}),
        ("id of 81 characters", {**fixture, "id": "a" * 81}),
        ("empty id", {**fixture, "id": ""}),
        ("upper-case id", {**fixture, "id": "LoCoMo"}),
        ("version without patch", {**methodology, "version": "1.0"}),
        ("version with a leading zero", {**methodology, "version": "01.0.0"}),
        ("path in another shard", {**receipt, "path": other_path}),
        ("path outside results", {**receipt, "path": receipt["path"].replace("results", "result5")}),
        ("path that climbs", {**receipt, "path": "results/published/../../" + receipt["path"][-44:]}),
        ("path with upper-case id", {**receipt, "path": receipt["path"].replace("3f0c2a5e", "3F0C2A5E")}),
        ("path with version 1 id", {**receipt, "path": receipt["path"].replace("-4b7a-", "-1b7a-")}),
        ("path of another suffix", {**receipt, "path": receipt["path"].replace(".json", ".yaml")}),
        ("size 0", {**receipt, "size": 0}),
        ("size with a leading zero", jcs(receipt).decode().replace("9123", "09123")),
        ("negative size", {**receipt, "size": -1}),
        ("size as text", {**receipt, "size": "9123"}),
        ("size true", {**receipt, "size": True}),
        ("size above 8 MiB", {**receipt, "size": 8 * 1024 * 1024 + 1}),
        ("size with a fraction", {**receipt, "size": 9123.5}),
        ("negative seed", {**intent, "seed": -1}),
        ("due at no position", {**intent, "dueBy": "0"}),
        ("due at a number", {**intent, "dueBy": 70}),
        ("due with a sign", {**intent, "dueBy": "+70"}),
        ("due on a day", {**intent, "dueBy": "2030-01-31"}),
        ("due never", {**intent, "dueBy": None}),
        ("due at two times", {**intent, "dueBy": "70|2030-01-31T00:00:00Z"}),
        ("decline without a reason", {k: v for k, v in decline.items() if k != "reason"}),
        ("decline of no subject", {**decline, "subject": ""}),
        ("decline of two lines", {**decline, "reason": "a\nb"}),
        ("seed null", {**intent, "seed": None}),
        ("intent id of a brace form", {**intent, "intentId": "{" + ID + "}"}),
        ("empty reason", {**retract, "reason": ""}),
        ("reason of 2,001 characters", {**retract, "reason": "x" * 2001}),
        ("reason with a newline", {**retract, "reason": "a\nb"}),
        ("reason with an escape character", {**retract, "reason": "a\x1bb"}),
        ("reason with a C1 control", {**retract, "reason": "a\x9bb"}),
        ("reason with a line separator", {**retract, "reason": "a\u2028b"}),
        ("reason with a lone surrogate", jcs(retract).decode().replace("gold", "\\ud800")),
        ("supersede without a successor", {"v": 1, "type": "supersede", "receiptId": ID}),
        ("supersede by a list", {**supersede, "by": [ID_2]}),
        ("script for a URL", {**dispute, "url": "javascript:alert(1)"}),
        ("URL with a space", {**dispute, "url": "https://example.org/a b"}),
        ("URL with a quote", {**dispute, "url": 'https://example.org/"x'}),
        ("URL with a bracket", {**dispute, "url": "https://example.org/<x>"}),
        ("URL with a host only in name", {**dispute, "url": "https://"}),
        ("withdrawal without a reason", {"v": 1, "type": "withdraw-evidence", "sha256": withdraw["sha256"]}),
        ("key role unknown", {**FOUNDING[0], "role": "witness"}),
        ("fingerprint without its prefix", {**FOUNDING[0], "fingerprint": ROOT.fingerprint[7:]}),
        ("signature padded", {**FOUNDING[0], "rootSignature": FOUNDING[0]["rootSignature"] + "=="}),
        ("public key in standard base64", {**FOUNDING[0], "publicKey": b64(ROOT.public)}),
        ("limit on a key-add", {**FOUNDING[1], "trustedBelowIndex": 1}),
        ("prototype member", '{"__proto__":{},' + jcs(fixture).decode()[1:]),
        ("70 levels deep", "[" * 70 + "]" * 70),
        ("70,000 bytes", {**retract, "reason": "x" * 70_000}),
    ]

    def text(value: Object | str) -> str:
        return value if isinstance(value, str) else jcs(value).decode()

    return {
        "valid": [{"entry": jcs(entry).decode(), "leafHash": b64(leaf(jcs(entry)))} for entry in valid],
        "invalid": [{"name": name, "entry": text(value)} for name, value in bad]
        + [{"name": "not UTF-8", "entryHex": jcs(fixture).replace(b"locomo", b"\xff").hex()}],
    }
