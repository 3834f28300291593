from __future__ import annotations

import json

import pytest

from benchsite.errors import IntegrityError
from benchsite.log.log import replay
from benchsite.log.manifest import manifest
from benchsite.log.replay import KeyStatus, key_status, log_keys
from benchsite.log.segments import place
from benchsite.signing import KeyRecord, Keyring, fingerprint


def replayed(cases: dict, entries: list[str]) -> Keyring:
    return replay([entry.encode() for entry in entries], origin=cases["origin"], roots=cases["roots"])


def test_valid_scenarios(vector, oracle):
    cases = vector("key-events.json")
    for case in cases["valid"]:
        keyring = replayed(cases, case["entries"])
        assert manifest(keyring) == oracle.jcs(case["manifest"]), case["name"]
        for record, line in zip(keyring, case["manifest"], strict=True):
            assert record.fingerprint == line["fingerprint"]


def test_refused_scenarios_name_the_entry(vector):
    cases = vector("key-events.json")
    for case in cases["invalid"]:
        with pytest.raises(IntegrityError) as caught:
            replayed(cases, case["entries"])
        where = "the log has no entries" if case["at"] is None else f"{place(case['at'])}: "
        assert caught.value.message.startswith(where), f"{case['name']}: {caught.value.message}"


def message_of(vector, name: str) -> str:
    cases = vector("key-events.json")
    (case,) = (case for case in cases["invalid"] if case["name"] == name)
    with pytest.raises(IntegrityError) as caught:
        replayed(cases, case["entries"])
    return caught.value.message


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("no entries", "the log has no entries"),
        (
            "entry 0 is no key event",
            "line 1: fixture: the first entry must be the self-signed key-add of a root key",
        ),
        ("entry 0 adds a receipt key", "the first entry must be the self-signed key-add of a root key"),
        ("entry 0 retires the root", "the first entry must be the self-signed key-add of a root key"),
        ("entry 0 is a root that nobody pinned", "is not one of the configured root keys"),
        (
            "another origin, signed so",
            "origin is example.github.io/other/log, expected example.github.io/benchsite/log",
        ),
        ("sequence number skipped", "seq is 4, expected 3"),
        ("sequence number repeated", "seq is 2, expected 3"),
        ("event replayed", "line 5: key-add: seq is 3, expected 4"),
        ("signed by the receipt key", "which is not a root key in force"),
        ("signed by a retired root", "which is not a root key in force"),
        ("field changed after signing", "does not verify"),
        ("reason added after signing", "does not verify"),
        ("fingerprint of another key", "fingerprint is not that of publicKey"),
        ("key added twice", "was added before"),
        ("key added again after retirement", "was added before"),
        ("unknown key retired", "there is no receipt key"),
        ("key retired in another role", "there is no log key"),
        ("key retired twice", "is retired already"),
        ("leaked key retired", "is compromised already"),
        ("last root retired", "the last root key cannot be retired"),
        ("root declares itself leaked", "a root key cannot report itself"),
        ("trusted below an index still to come", "limit 9 is not between 1 (the key's first) and 8"),
        (
            "trusted below an index before the key was added",
            "limit 0 is not between 1 (the key's first) and 8",
        ),
        ("limit raised again", "limit 5 does not lower the earlier one, 4"),
        ("frozen root of another size", "frozenRoot is not the root of the first 7 entries"),
        ("receipt key without a limit", "a receipt key needs trustedBelowIndex"),
    ],
)
def test_errors_say_what_is_wrong(vector, name: str, part: str):
    assert part in message_of(vector, name)


def test_newest_active_key_is_in_force(vector, oracle):
    cases = vector("key-events.json")
    by_name = {case["name"]: replayed(cases, case["entries"]) for case in cases["valid"]}
    both = by_name["two receipt keys serve at once"].in_force("receipt")
    assert both is not None
    assert both.fingerprint == oracle.RECEIPT_2.fingerprint
    gone = by_name["a leak found after retirement: the window stays closed at 8"]
    assert gone.in_force("receipt") is None
    record = gone.get(oracle.RECEIPT.fingerprint)
    assert record is not None
    assert record.public_key == oracle.RECEIPT.public


def record(state: str, start: int, end: int | None, below: int | None) -> KeyRecord:
    return KeyRecord(
        fingerprint=fingerprint(bytes(32)),
        role="receipt",
        public_key=bytes(32),
        state=state,
        from_index=start,
        to_index=end,
        trusted_below_index=below,
    )


@pytest.mark.parametrize(
    ("key", "worth"),
    [
        # One letter an index from 0: outside, trusted, suspect. fromIndex <= index < toIndex (specs/log.md, "Keys").
        (record("active", 2, None, None), "oottttt"),
        (record("retired", 2, 5, None), "ootttoo"),
        (record("compromised", 2, 5, 4), "oottsoo"),
        (record("compromised", 2, 5, 2), "oosssoo"),
        (record("compromised", 2, 5, 5), "ootttoo"),
        (record("compromised", 2, 4, 6), "oottooo"),
    ],
)
def test_standing_at_every_index(key: KeyRecord, worth: str):
    words = {"o": KeyStatus.OUTSIDE, "t": KeyStatus.TRUSTED, "s": KeyStatus.SUSPECT}
    assert [key_status(key, index) for index in range(7)] == [words[letter] for letter in worth]


def log_keys_at(vector, name: str, size: int) -> list[bytes]:
    cases = vector("key-events.json")
    (case,) = (case for case in cases["valid"] if case["name"].startswith(name))
    return log_keys(replayed(cases, case["entries"]), size)


def test_log_keys_by_checkpoint_size(vector, oracle):
    # The log key is added by entry 2: the first checkpoint it can sign is the one that covers that entry.
    assert log_keys_at(vector, "founding", 2) == []
    assert log_keys_at(vector, "founding", 3) == [oracle.LOG.public]
    assert log_keys_at(vector, "founding", 0) == []
    # Old-key checkpoints count only up to frozenSize 7; entry 9 adds the new key.
    leaked = "log key leaked"
    assert log_keys_at(vector, leaked, 7) == [oracle.LOG.public]
    assert log_keys_at(vector, leaked, 8) == []
    assert log_keys_at(vector, leaked, 9) == []
    assert log_keys_at(vector, leaked, 10) == [oracle.LOG_2.public]


def test_event_bytes_are_checked_not_their_reading(vector):
    # The same event with a space in it has a good signature but is another leaf.
    cases = vector("key-events.json")
    entries = list(cases["valid"][0]["entries"])
    entries[1] = json.dumps(json.loads(entries[1]), sort_keys=True, ensure_ascii=False)
    with pytest.raises(IntegrityError, match="canonical form"):
        replayed(cases, entries)
