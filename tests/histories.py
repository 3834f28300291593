"""Generated histories of a log with receipts of one track, as hostile as publishers get, and what Python makes of their leaderboards.

A history is drawn from a number and is the same every time. Whatever a leaderboard excludes is in some of them: limits, dirty
trees, origins, intents, retractions, disputes, rotated and compromised keys, broken signatures, altered scores, late dates.
"""

from __future__ import annotations

import copy
import json
import random
import uuid
from base64 import b64encode
from collections.abc import Callable
from functools import cache
from typing import Any

from agents_record import AgentsRecord
from agents_record import envelope as agents_envelope
from agents_record import payload as agents_payload
from documents import PARAMETERS, known
from rubric_receipts import Said, draft, rescored
from rubric_record import CLEAN, RubricRecord
from rubric_rules import published as rubric_rules
from sample_record import ORIGIN, SampleRecord, draft_of, key, make_fixture, make_methodology

from benchsite import canonical
from benchsite.board import one_board
from benchsite.board.statement import statement
from benchsite.history import Blob, Filed, History, verify_record
from benchsite.layout import receipt_path
from benchsite.log import (
    Checkpoint,
    Cosignature,
    Log,
    Witness,
    Witnessing,
    cosign,
    encode_cosignatures,
    encode_entry,
    make_key_event,
    sign_checkpoint,
)
from benchsite.methodology import FILES
from benchsite.receipt import compose, seal
from benchsite.signing import encode_base64url
from benchsite.site.board_file import carried, with_board
from benchsite.site.trust import trust

WITNESS, WATCHING = "witness.example/w", key(9)
SYSTEMS = ("bm25", "recency", "alpha", "beta", "gamma", "null")
RESULTS = ("ssffssffss", "sfffffffff", "ssssssssss", "ssffffffss", "fsfsfsfsfs")


@cache
def retrieval_drafts() -> tuple[str, ...]:
    """Drafts of invented systems on a small fixture, under two versions of the rules, as JSON."""
    record = retrieval_record()
    made = [
        draft_of(record, name, skill, number, version=version, label=number % 3 == 0)
        for number, (name, skill, version) in enumerate(
            [
                *((name, 0.2 + place / 8, "1.0.0") for place, name in enumerate(SYSTEMS)),
                *((name, 0.8, "1.0.0") for name in ("alpha", "beta")),
                *((name, 0.5, "1.1.0") for name in ("alpha", "bm25")),
            ],
            start=1,
        )
    ]
    other = copy.deepcopy(made[2])
    for row in other["perQuery"]:
        row["queryId"] = f"other-{row['queryId']}"
    return tuple(json.dumps(one) for one in (*made, other))


def retrieval_record() -> SampleRecord:
    second = make_methodology("1.1.0", "## 1\n\nText.", parameters={**PARAMETERS, "level": 0.2, "flips": 500})
    return SampleRecord(make_fixture(12, 40), [make_methodology("1.0.0", "## 1 Score\n\nText."), second])


@cache
def agents_drafts() -> tuple[str, ...]:
    tasks = AgentsRecord().fixture
    made = []
    for place, results in enumerate((*RESULTS, ["sf", "ss", "ff", "sf", "ss", "ss", "ff", "fs", "ss", "sf"])):
        for name in ("null", "solo", "duo"):
            body = agents_payload(tasks, name, results, 2, {})
            options: dict[str, Any] = {"tools": "domains", "t": 0.5, "plan": True} if place % 2 else {}
            made.append({**agents_envelope(len(results[0]), None), **body})
            made[-1]["config"]["options"] = options
    return tuple(json.dumps(one) for one in made)


@cache
def rubric_drafts() -> tuple[str, ...]:
    rules = rubric_rules("1.3.0")
    made = []
    for mark in (2, 3, 4, 5):
        one = draft("1.3.0", (Said(universal=(mark, 4, 4, 3, 5, 4)),), methodology_sha256=rules.sha256)
        one["environment"] = {**one["environment"], "git": CLEAN}
        one["agent"] = {**one["agent"], "name": f"agent {mark % 3}"}
        made.append(json.dumps(rescored(one)))
    return tuple(made)


class Drawn:
    """A history drawn from a number: the record, its witness's lines, and one size of its log."""

    def __init__(self, number: int) -> None:
        self.draw = random.Random(number)  # noqa: S311 - test data
        makers: tuple[tuple[Callable[[], SampleRecord], Callable[[], tuple[str, ...]]], ...] = (
            (retrieval_record, retrieval_drafts),
            (retrieval_record, retrieval_drafts),
            (AgentsRecord, agents_drafts),
            (lambda: RubricRecord("1.3.0"), rubric_drafts),
        )
        make, drafts = makers[number % len(makers)]
        self.record, self.drafts = make(), drafts()
        self.track = next(iter(self.record.scorers))
        self.lines: list[Cosignature] = []
        self.events, self.signers = 3, 10
        self.version = "1.1.0" if self.draw.random() < 0.2 else "1.0.0"
        founded = len(self.record.entries)
        for _ in range(self.draw.randrange(20)):
            self.draw.choice(
                [self.receipt] * 6
                + [self.event] * 2
                + [self.announce, self.decline, self.rotate, self.witness]
            )()
        self.size = self.draw.choice(
            [len(self.record.entries), self.draw.randrange(founded, len(self.record.entries) + 1)]
        )

    def receipt(self) -> None:
        """Publish a run, altered in some way or none."""
        draw, made = self.draw, json.loads(self.draw.choice(self.drafts))
        made |= self.record.envelope()
        made["receiptId"] = str(uuid.UUID(int=draw.getrandbits(128), version=4))
        ids = list(self.record.bodies)
        changes: list[dict[str, Any]] = [
            {"simulated": True},
            {"ranBy": {"kind": "submitted", "name": draw.choice(["ann", "ben"])}},
            {"origin": "import"},
            {"origin": "external-run"},
            {"reproduces": draw.choice(ids) if ids else None},
            {"environment": {**made["environment"], "git": {**CLEAN, "dirty": draw.choice([True, None])}}},
            {"ranAt": draw.choice(["2020-01-01T00:00:00Z", "2031-12-31T23:59:59Z"])},
            {"intentId": draw.choice([*self.record.log.intents, str(uuid.UUID(int=7, version=4))])},
        ]
        for change in draw.sample(changes, draw.choice([0, 0, 0, 1, 1, 2])):
            made |= change
        if "limit" in made["config"] and draw.random() < 0.1:
            made["config"] = {**made["config"], "limit": 5}
        if draw.random() < 0.07:
            made["scores"] = {name: value / 2 for name, value in made["scores"].items()}
        if self.track == "retrieval" and draw.random() < 0.05:
            made["fixture"] = {**made["fixture"], "id": "elsewhere-v1"}
        self.publish(made)

    def publish(self, made: dict[str, Any]) -> None:
        """Sign and log a draft; now and then under a key that the log does not know, or with a broken signature."""
        fate = self.draw.random()
        signer = key(200) if fate < 0.04 else self.record.signer
        composed = compose(made)
        signature = bytearray(signer.sign(composed.signed_bytes()))
        if fate > 0.96:
            signature[5] ^= 1
        sealed = seal(composed, fingerprint=signer.fingerprint, value=encode_base64url(bytes(signature)))
        data, path = sealed.file_bytes(), receipt_path(sealed.receipt_id)
        sha256 = canonical.sha256_hex(data)
        self.record.add({"type": "receipt", "path": path, "sha256": sha256, "size": len(data)})
        self.record.blobs.append(Blob(path, sha256[:40], data))
        self.record.bodies[sealed.receipt_id] = sealed.document

    def event(self) -> None:
        """Retract, dispute or supersede a receipt."""
        ids = list(self.record.bodies)
        if not ids:
            return
        name = self.draw.choice(ids)
        kind = self.draw.choice(["retract", "dispute", "supersede"])
        later = ids[ids.index(name) + 1 :]
        superseded = {event.type for _, event in self.record.log.events_about(name)}
        if kind == "retract":
            self.record.add({"type": kind, "receiptId": name, "reason": "a wrong file"})
        elif kind == "dispute":
            self.record.add({"type": kind, "receiptId": name, "url": "https://example.org/why"})
        elif later and "supersede" not in superseded:
            self.record.add({"type": kind, "receiptId": name, "by": self.draw.choice(later)})

    def announce(self) -> None:
        """Pre-register a run, which the next receipt may keep, break, or leave unreported."""
        made = json.loads(self.draw.choice(self.drafts))
        intent = str(uuid.UUID(int=self.draw.getrandbits(128), version=4))
        config = {**made["config"], "subjectSha256": "cd" * 32}
        target = made.get("fixture") or made.get("benchmark") or {"id": made["template"]["slug"]}
        self.record.add(
            {
                "type": "intent",
                "intentId": intent,
                "track": self.track,
                "subjectSha256": "cd" * 32,
                "configSha256": canonical.digest(config),
                "target": target["id"],
                "methodology": made["methodology"]["version"],
                "seed": self.draw.choice([7, 8]),
            }
        )
        for _ in range(self.draw.choice([0, 1, 1, 2])):
            kept = {**made, **self.record.envelope(), "config": config, "intentId": intent}
            kept["receiptId"] = str(uuid.UUID(int=self.draw.getrandbits(128), version=4))
            self.publish(kept)

    def decline(self) -> None:
        """Say that a subject is not measured."""
        target = {"retrieval": "sample-notes-v1", "agents": "desk", "rubric": "customer-service"}[self.track]
        subject = f"subject-{self.draw.getrandbits(32):x}"
        self.record.add(
            {
                "type": "decline",
                "track": self.track,
                "subject": subject,
                "target": target,
                "reason": "contaminated",
            }
        )

    def rotate(self) -> None:
        """Give receipts another key; the old one is retired, or revoked from some index on."""
        record, old = self.record, self.record.signer
        self.signers += 1
        new = key(self.signers)
        self._key("key-add", new)
        if self.draw.random() < 0.5:
            self._key("key-retire", old)
        else:
            limit = self.draw.randrange(3, len(record.entries))
            first = next(
                index
                for index, entry in enumerate(record.entries)
                if old.fingerprint.encode() in entry and b"key-add" in entry
            )
            self._key("key-compromise", old, limit=max(first, limit), reason="leaked")
        record.signer = new

    def _key(self, kind: str, about: Any, **values: Any) -> None:
        event = make_key_event(
            kind,  # type: ignore[arg-type]
            root=self.record.root,
            origin=ORIGIN,
            seq=self.events,
            role="receipt",
            public_key=about.public,
            **values,
        )
        self.events += 1
        self.record.entries.append(encode_entry(event))

    def witness(self) -> None:
        """A witness cosigns the log as it is, at a time after or before the receipts' dates."""
        log = self.record.log
        time = self.draw.choice([1_500_000_000, 1_900_000_000])
        line = cosign(Checkpoint(ORIGIN, log.size, log.root()), name=WITNESS, key=WATCHING, time=time)
        self.lines.append(Cosignature(log.size, line))

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        return (Witness(WITNESS, WATCHING.public),) if self.lines else ()

    def history(self) -> History:
        """The record of the first entries, as they were then."""
        record = self.record
        log = Log.of(record.entries[: self.size], origin=ORIGIN, roots=[record.root.fingerprint])
        seen = encode_cosignatures(line for line in self.lines if line.size <= self.size)
        blobs = {blob.blob_id: blob.data for blob in record.blobs}
        files = [
            Filed(blob.path, blob.blob_id, log.receipts[name])
            for blob in record.blobs
            if (name := blob.path[-41:-5]) in log.receipts
        ]
        return verify_record(
            log,
            files,
            record.scorers,
            lambda ids: map(blobs.__getitem__, ids),
            materials=known(record.methodologies),
            witnessing=Witnessing.of(log, self.witnesses, seen),
        )

    def statement(self) -> dict[str, Any]:
        """What Python states of one of its leaderboards."""
        history = self.history()
        target, version = {
            "retrieval": ("sample-notes-v1", self.version),
            "agents": ("desk", "1.0.0"),
            "rubric": ("customer-service", "1.3.0"),
        }[self.track]
        track = self.record.scorers[self.track]
        board = one_board(
            track, history, self.record.body, self.record.library, target=target, version=version
        )
        assert board is not None
        return statement(board)

    def trust(self, stated: dict[str, Any]) -> dict[str, Any]:
        """The trust data of a page that carries a statement with this log and these receipts."""
        record = self.record
        log = record.log
        note = sign_checkpoint(log.checkpoint(), record.log_key).encode()
        own = trust(
            log, site="sample", roots=[record.root.fingerprint], checkpoint=note, witnesses=self.witnesses
        )
        board = carried(
            stated,
            checkpoint=note,
            entries=record.entries,
            receipts=[blob.data for blob in record.blobs],
            documents=[rules.files[name] for rules in record.methodologies for name in FILES],
            cosignatures=encode_cosignatures(self.lines),
        )
        held: dict[str, Any] = json.loads(with_board(own, board))
        return held


def root_of(log: Log, size: int) -> str:
    """The root of so many entries, as a statement has it."""
    return b64encode(log.root(size)).decode()


def forged(stated: dict[str, Any], draw: random.Random) -> tuple[str, dict[str, Any]]:
    """A statement with one thing forged, and what it was; the same statement where it has nothing of the kind."""
    made = copy.deepcopy(stated)
    way = draw.choice([*_FORGERIES])
    _FORGERIES[way](made, draw)
    return way, made


def _listed(made: dict[str, Any]) -> list[tuple[list[dict[str, Any]], int]]:
    """Every place of a receipt."""
    return [
        (made[name], place) for name in ("rows", "notRanked", "earlier") for place in range(len(made[name]))
    ]


def _drop(made: dict[str, Any], draw: random.Random) -> None:
    if places := _listed(made):
        held, place = draw.choice(places)
        del held[place]


def _repeat(made: dict[str, Any], _draw: random.Random) -> None:
    made["rows"] += copy.deepcopy(made["rows"][:1])


def _add(made: dict[str, Any], draw: random.Random) -> None:
    invented = str(uuid.UUID(int=draw.getrandbits(128), version=4))
    made["rows"][:0] = [{**row, "receiptId": invented} for row in made["rows"][:1]]


def _swap(made: dict[str, Any], draw: random.Random) -> None:
    rows = made["rows"]
    if len(rows) > 1:
        place = draw.randrange(len(rows) - 1)
        rows[place], rows[place + 1] = rows[place + 1], rows[place]


def _change(field: str, value: Any) -> Callable[[dict[str, Any], random.Random], None]:
    def change(made: dict[str, Any], draw: random.Random) -> None:
        for row in draw.sample(made["rows"], min(1, len(made["rows"]))):
            row[field] = value

    return change


def _reason(made: dict[str, Any], draw: random.Random) -> None:
    for one in draw.sample(made["notRanked"], min(1, len(made["notRanked"]))):
        one["reasons"] = ["too slow"]


def _promote(made: dict[str, Any], _draw: random.Random) -> None:
    """An excluded receipt becomes the first row."""
    for row, one in zip(made["rows"][:1], made["notRanked"][:1], strict=False):
        made["rows"].insert(0, {**row, "receiptId": one["receiptId"], "index": one["index"]})
        made["notRanked"].remove(one)


_FORGERIES: dict[str, Callable[[dict[str, Any], random.Random], None]] = {
    "drop": _drop,
    "repeat": _repeat,
    "add": _add,
    "swap": _swap,
    "reason": _reason,
    "promote": _promote,
    "value": _change("value", 0.5),
    "name": _change("name", "other"),
    "label": _change("label", "other"),
    "rank": _change("rankFirst", 1),
    "index": _change("index", 0),
    "metric": lambda made, _draw: made.update(metric="other"),
}
