"""Cases for replaying key events: what each scenario means is its name."""

from __future__ import annotations

from log_oracle import (
    LOG,
    LOG_2,
    ORIGIN,
    RECEIPT,
    RECEIPT_2,
    ROOT,
    ROOT_2,
    Object,
    b64,
    b64url,
    event,
    fixture_entry,
    jcs,
    mth,
    row,
)

FOUNDING = [
    event("key-add", 0, "root", ROOT),
    event("key-add", 1, "receipt", RECEIPT),
    event("key-add", 2, "log", LOG),
]
FOUNDING_ROWS = [
    row(ROOT, "root", "active", 0, None),
    row(RECEIPT, "receipt", "active", 1, None),
    row(LOG, "log", "active", 2, None),
]
# Five entries that are no key events: indices 3 to 7.
WORK = [fixture_entry(n) for n in range(3, 8)]


def frozen(size: int, entries: list[Object]) -> Object:
    return {"frozenSize": size, "frozenRoot": b64(mth([jcs(e) for e in entries[:size]]))}


def rotations() -> list[Object]:
    """Scenarios that hold, with the windows their sentences state."""
    base = [*FOUNDING, *WORK]
    root_row, receipt_row, log_row = FOUNDING_ROWS
    return [
        {"name": "founding", "entries": FOUNDING, "manifest": FOUNDING_ROWS},
        {
            "name": "receipt key rotated at 8: the new key serves from 8, the old one until 9",
            "entries": [
                *base,
                event("key-add", 3, "receipt", RECEIPT_2),
                event("key-retire", 4, "receipt", RECEIPT),
            ],
            "manifest": [
                root_row,
                row(RECEIPT, "receipt", "retired", 1, 9),
                log_row,
                row(RECEIPT_2, "receipt", "active", 8, None),
            ],
        },
        {
            "name": "two receipt keys serve at once",
            "entries": [*base, event("key-add", 3, "receipt", RECEIPT_2)],
            "manifest": [*FOUNDING_ROWS, row(RECEIPT_2, "receipt", "active", 8, None)],
        },
        {
            "name": "receipt key leaked: found at 8, not trusted from 5 on",
            "entries": [
                *base,
                event("key-compromise", 3, "receipt", RECEIPT, trustedBelowIndex=5, reason="laptop stolen"),
                event("key-add", 4, "receipt", RECEIPT_2),
            ],
            "manifest": [
                root_row,
                row(RECEIPT, "receipt", "compromised", 1, 8, 5),
                log_row,
                row(RECEIPT_2, "receipt", "active", 9, None),
            ],
        },
        {
            "name": "receipt key leaked and closed in time: everything before the event stays trusted",
            "entries": [*base, event("key-compromise", 3, "receipt", RECEIPT, trustedBelowIndex=8)],
            "manifest": [root_row, row(RECEIPT, "receipt", "compromised", 1, 8, 8), log_row],
        },
        {
            "name": "receipt key leaked from the start: nothing it signed is trusted",
            "entries": [*base, event("key-compromise", 3, "receipt", RECEIPT, trustedBelowIndex=1)],
            "manifest": [root_row, row(RECEIPT, "receipt", "compromised", 1, 8, 1), log_row],
        },
        {
            "name": "a leak found after retirement: the window stays closed at 8",
            "entries": [
                *base,
                event("key-retire", 3, "receipt", RECEIPT),
                event("key-compromise", 4, "receipt", RECEIPT, trustedBelowIndex=1),
            ],
            "manifest": [root_row, row(RECEIPT, "receipt", "compromised", 1, 8, 1), log_row],
        },
        {
            "name": "the leak was earlier than first thought: 6, then 4",
            "entries": [
                *base,
                event("key-compromise", 3, "receipt", RECEIPT, trustedBelowIndex=6),
                event("key-compromise", 4, "receipt", RECEIPT, trustedBelowIndex=4),
            ],
            "manifest": [root_row, row(RECEIPT, "receipt", "compromised", 1, 8, 4), log_row],
        },
        {
            "name": "log key leaked: its checkpoints count up to size 7",
            "entries": [
                *base,
                event("key-compromise", 3, "log", LOG, **frozen(7, base)),
                event("key-add", 4, "log", LOG_2),
            ],
            "manifest": [
                root_row,
                receipt_row,
                row(LOG, "log", "compromised", 2, 8, 7),
                row(LOG_2, "log", "active", 9, None),
            ],
        },
        {
            "name": "root rotated: the old root adds the new one, which retires the old one and signs from then on",
            "entries": [
                *base,
                event("key-add", 3, "root", ROOT_2),
                event("key-retire", 4, "root", ROOT, by=ROOT_2),
                event("key-add", 5, "receipt", RECEIPT_2, by=ROOT_2),
            ],
            "manifest": [
                row(ROOT, "root", "retired", 0, 9),
                receipt_row,
                log_row,
                row(ROOT_2, "root", "active", 8, None),
                row(RECEIPT_2, "receipt", "active", 10, None),
            ],
        },
        {
            "name": "a root retires itself while another serves",
            "entries": [*FOUNDING, event("key-add", 3, "root", ROOT_2), event("key-retire", 4, "root", ROOT)],
            "manifest": [
                row(ROOT, "root", "retired", 0, 4),
                receipt_row,
                log_row,
                row(ROOT_2, "root", "active", 3, None),
            ],
        },
        {
            "name": "root leaked: another root closes it, what it signed before stands",
            "entries": [
                *FOUNDING,
                event("key-add", 3, "root", ROOT_2),
                event("key-compromise", 4, "root", ROOT, by=ROOT_2),
            ],
            "manifest": [
                row(ROOT, "root", "compromised", 0, 4),
                receipt_row,
                log_row,
                row(ROOT_2, "root", "active", 3, None),
            ],
        },
    ]


def refusals() -> list[Object]:
    """Scenarios that must be refused, with the index of the entry at fault (null: the log as a whole)."""
    base = [*FOUNDING, *WORK]
    retired = [*base, event("key-retire", 3, "receipt", RECEIPT)]
    two_roots = [*FOUNDING, event("key-add", 3, "root", ROOT_2)]
    leaked = [*base, event("key-compromise", 3, "receipt", RECEIPT, trustedBelowIndex=4)]
    other_origin = {"origin": "example.github.io/other/log"}
    own = event("key-add", 3, "receipt", RECEIPT_2)
    cases: list[tuple[str, list[Object], int | None]] = [
        ("no entries", [], None),
        ("entry 0 is no key event", [fixture_entry(0), *FOUNDING], 0),
        ("entry 0 adds a receipt key", [event("key-add", 0, "receipt", RECEIPT)], 0),
        ("entry 0 is a root that nobody pinned", [event("key-add", 0, "root", ROOT_2, by=ROOT_2)], 0),
        ("entry 0 is signed by another root", [event("key-add", 0, "root", ROOT, by=ROOT_2)], 0),
        ("entry 0 retires the root", [event("key-retire", 0, "root", ROOT)], 0),
        ("entry 0 has sequence number 1", [event("key-add", 1, "root", ROOT)], 0),
        (
            "another origin, signed so",
            [*FOUNDING, event("key-add", 3, "receipt", RECEIPT_2, **other_origin)],
            3,
        ),
        ("another origin at entry 0", [event("key-add", 0, "root", ROOT, **other_origin)], 0),
        ("sequence number skipped", [*FOUNDING, event("key-add", 4, "receipt", RECEIPT_2)], 3),
        ("sequence number repeated", [*FOUNDING, event("key-add", 2, "receipt", RECEIPT_2)], 3),
        ("sequence counts entries, not events", [*base, event("key-add", 8, "receipt", RECEIPT_2)], 8),
        ("event replayed", [*FOUNDING, own, own], 4),
        ("signed by the receipt key", [*FOUNDING, event("key-add", 3, "receipt", RECEIPT_2, by=RECEIPT)], 3),
        ("signed by an unknown root", [*FOUNDING, event("key-add", 3, "receipt", RECEIPT_2, by=ROOT_2)], 3),
        (
            "signed by a retired root",
            [
                *two_roots,
                event("key-retire", 4, "root", ROOT, by=ROOT_2),
                event("key-add", 5, "receipt", RECEIPT_2),
            ],
            5,
        ),
        (
            "field changed after signing",
            [*FOUNDING, event("key-add", 3, "receipt", RECEIPT_2, after={"role": "log"})],
            3,
        ),
        (
            "reason added after signing",
            [*FOUNDING, event("key-add", 3, "receipt", RECEIPT_2, after={"reason": "none"})],
            3,
        ),
        (
            "signature of zeros",
            [*FOUNDING, event("key-add", 3, "receipt", RECEIPT_2, after={"rootSignature": "A" * 86})],
            3,
        ),
        (
            "fingerprint of another key",
            [*FOUNDING, event("key-add", 3, "receipt", RECEIPT_2, publicKey=b64url(LOG_2.public))],
            3,
        ),
        ("key added twice", [*FOUNDING, event("key-add", 3, "receipt", RECEIPT)], 3),
        ("key added again in another role", [*FOUNDING, event("key-add", 3, "log", RECEIPT)], 3),
        ("key added again after retirement", [*retired, event("key-add", 4, "receipt", RECEIPT)], 9),
        ("unknown key retired", [*FOUNDING, event("key-retire", 3, "receipt", RECEIPT_2)], 3),
        ("key retired in another role", [*FOUNDING, event("key-retire", 3, "log", RECEIPT)], 3),
        ("key retired twice", [*retired, event("key-retire", 4, "receipt", RECEIPT)], 9),
        ("leaked key retired", [*leaked, event("key-retire", 4, "receipt", RECEIPT)], 9),
        ("last root retired", [*FOUNDING, event("key-retire", 3, "root", ROOT)], 3),
        ("root declares itself leaked", [*two_roots, event("key-compromise", 4, "root", ROOT)], 4),
        (
            "trusted below an index still to come",
            [*base, event("key-compromise", 3, "receipt", RECEIPT, trustedBelowIndex=9)],
            8,
        ),
        (
            "trusted below an index before the key was added",
            [*base, event("key-compromise", 3, "receipt", RECEIPT, trustedBelowIndex=0)],
            8,
        ),
        (
            "limit raised again",
            [*leaked, event("key-compromise", 4, "receipt", RECEIPT, trustedBelowIndex=5)],
            9,
        ),
        (
            "limit stated again",
            [*leaked, event("key-compromise", 4, "receipt", RECEIPT, trustedBelowIndex=4)],
            9,
        ),
        (
            "frozen at a size still to come",
            [*base, event("key-compromise", 3, "log", LOG, frozenSize=9, frozenRoot=b64(bytes(32)))],
            8,
        ),
        (
            "frozen before the key was added",
            [*base, event("key-compromise", 3, "log", LOG, **frozen(1, base))],
            8,
        ),
        (
            "frozen root of another size",
            [*base, event("key-compromise", 3, "log", LOG, **{**frozen(6, base), "frozenSize": 7})],
            8,
        ),
        ("receipt key without a limit", [*base, event("key-compromise", 3, "receipt", RECEIPT)], 8),
        ("log key without a frozen tree", [*base, event("key-compromise", 3, "log", LOG)], 8),
        (
            "log key with a receipt key's limit",
            [*base, event("key-compromise", 3, "log", LOG, trustedBelowIndex=5)],
            8,
        ),
    ]
    return [{"name": name, "entries": entries, "at": at} for name, entries, at in cases]


def key_events() -> Object:
    def with_lines(scenario: Object) -> Object:
        return {**scenario, "entries": [jcs(entry).decode() for entry in scenario["entries"]]}

    return {
        "origin": ORIGIN,
        "roots": [ROOT.fingerprint],
        "valid": [with_lines(s) for s in rotations()],
        "invalid": [with_lines(s) for s in refusals()],
    }
