"""A log with a receipt for every standing that a receipt can have, and the site that serves it."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any, Final

from documents import packaged
from parity.forged import signed
from repeats import log_head
from sample_record import ORIGIN, SampleRecord, key, make_fixture
from watching import NAMES, line, witness

from benchsite import canonical
from benchsite.log import (
    Cosignature,
    Log,
    Witnessing,
    encode_cosignatures,
    encode_entry,
    make_key_event,
    sign_checkpoint,
)
from benchsite.site import pages
from benchsite.site.trust import PATH, lookup, trust

EVIDENCE: Final = [{"name": "trace", "sha256": "cd" * 32, "size": 9, "mediaType": "application/gzip"}]
_EARLY: Final = "2026-11-01T00:00:00Z"


def key_event(record: SampleRecord, kind: Any, number: int, **more: Any) -> None:
    """A key event about the receipt key of this number, signed by the root key."""
    seq = record.log.key_events
    event = make_key_event(
        kind, root=record.root, origin=ORIGIN, seq=seq, role="receipt", public_key=key(number).public, **more
    )
    record.entries.append(encode_entry(event))


class Story:
    """The record, its receipts' bytes by what they are, and what two trusted witnesses have cosigned."""

    def __init__(self) -> None:
        self.record = SampleRecord(make_fixture(8), [packaged("retrieval", "1.0.0")])
        self.files: dict[str, bytes] = {}
        self._events_about_receipts()
        self._wrong_about_the_log()
        self.middle = self.record.log.size
        self._keys_that_end()
        self._not_in_the_log()

    def _publish(self, what: str, **changes: Any) -> str:
        made = self.record.publish("fair", 0.6, **changes)
        self.files[what] = self.record.blobs[-1].data
        return made

    def _events_about_receipts(self) -> None:
        record = self.record
        self._publish("logged")
        names = ("retracted", "superseded", "disputed", "disputed, superseded and retracted")
        ids = {name: self._publish(name) for name in names}
        successor = self._publish("successor")
        self._publish("evidence withdrawn", evidence=EVIDENCE)
        scores = {**record.bodies[successor]["scores"], "ndcg_at_10": 0.001}
        self._publish("numbers differ and evidence withdrawn", evidence=EVIDENCE, scores=scores)
        for name, receipt_id in ids.items():
            if "disputed" in name:
                record.add({"type": "dispute", "receiptId": receipt_id, "url": "https://a.example/1"})
            if "superseded" in name:
                record.add({"type": "supersede", "receiptId": receipt_id, "by": successor})
            if "retracted" in name:
                record.add({"type": "retract", "receiptId": receipt_id, "reason": "a stale index"})
        record.add({"type": "withdraw-evidence", "sha256": "cd" * 32, "reason": "it held a name"})

    def _wrong_about_the_log(self) -> None:
        record = self.record
        now = record.log.size
        body = record.bodies[record.blobs[0].path[-41:-5]]
        self._publish("of another log", logHead={**log_head(record, now), "origin": "other.example/log"})
        self._publish("saw more than there was", logHead={**log_head(record, now), "size": now + 5})
        self._publish(
            "saw another root", logHead={**log_head(record, now), "root": b64encode(bytes(32)).decode()}
        )
        self._publish("saw no log", logHead=None)
        self._publish("saw the empty log", logHead=log_head(record, 0))
        self._publish("other rules", methodology={**body["methodology"], "sha256": "ee" * 32})
        self._publish("other data", fixture={**body["fixture"], "sha256": "ee" * 32})
        self._publish("unknown data", fixture={**body["fixture"], "id": "no-such-fixture"})
        self._publish("dated too early", ranAt="2026-10-01T00:00:00Z")
        self._publish("dated to the second", ranAt=_EARLY)
        self._publish("signed by a key nobody added")
        stranger = signed(json.loads(self.files["signed by a key nobody added"]), key(9))
        self.files["signed by a key nobody added"] = canonical.dumps(stranger)

    def _keys_that_end(self) -> None:
        record = self.record
        key_event(record, "key-add", 4)
        self._publish("by the old key, still in force")
        key_event(record, "key-retire", 2)
        self._publish("by a retired key")
        record.signer = key(4)
        self._publish("by a key not yet known to be stolen")
        limit = record.log.size
        self._publish("by a stolen key")
        key_event(record, "key-add", 5)
        key_event(record, "key-compromise", 4, limit=limit)
        self._publish("by a key reported stolen")
        record.signer = key(5)
        self._publish("newest")

    def _not_in_the_log(self) -> None:
        """Files that somebody hands over; the log is as it was."""
        logged = json.loads(self.files["newest"])
        other = {**logged, "receiptId": "00000000-0000-4000-8000-000000000000"}
        size = self.record.log.size
        for what, change, number in (
            ("never logged", {}, 5),
            ("never logged, by a retired key", {}, 2),
            ("never logged, by a stolen key", {}, 4),
            ("never logged, from a newer list", {"logHead": {**logged["logHead"], "size": size + 9}}, 5),
            ("never logged, dated too early", {"ranAt": "2026-10-01T00:00:00Z"}, 5),
            ("never logged, signed by the log key", {}, 3),
            ("logged otherwise", {"receiptId": logged["receiptId"], "benchVersion": "9.9.9"}, 5),
        ):
            self.files[what] = canonical.dumps(signed({**other, **change}, key(number)))
        self.files["laid out otherwise"] = json.dumps(logged, indent=1).encode()
        self.files["of another schema"] = canonical.dumps({**logged, "schemaVersion": "7.0.0"})
        self.files["a byte changed"] = (
            self.files["logged"].replace(b"0.6", b"0.7", 1).replace(b"fair", b"fain")
        )

    def witnessing(self, *trusted: str) -> Witnessing:
        log = self.record.log
        lines = [
            line(log, NAMES[0], 4, _EARLY),
            line(log, NAMES[0], self.middle, "2026-11-02T00:00:00Z"),
            line(log, NAMES[1], 9, "2026-10-31T00:00:00Z"),
            line(log, NAMES[2], log.size, "2026-11-30T00:00:00Z"),
        ]
        return Witnessing.of(log, [witness(name) for name in trusted], encode_cosignatures(_in_order(lines)))


def _in_order(lines: list[Cosignature]) -> list[Cosignature]:
    return sorted(lines, key=lambda one: one.size)


def trust_data(record: SampleRecord, size: int, witnessing: Witnessing | None = None) -> bytes:
    """The trust data of a site that was built when its log had this size."""
    log = Log.of(record.entries[:size], origin=ORIGIN, roots=[record.root.fingerprint])
    note = sign_checkpoint(log.checkpoint(), record.log_key).encode()
    return trust(
        log,
        site="sample",
        roots=[record.root.fingerprint],
        checkpoint=note if witnessing is None else witnessing.served(note, size),
        witnesses=witnessing.witnesses if witnessing is not None else (),
    )


def write(story: Story, witnessing: Witnessing | None, folder: Path) -> dict[str, Any]:
    """What `build` writes below `log/`; the trust data."""
    record = story.record
    log = record.log
    data = trust_data(record, log.size, witnessing)
    found = [*pages.log(log, record.checkpoint, witnessing=witnessing), *lookup(log)]
    files = {page.path: page.data for page in found if page.data is not None} | {PATH: data}
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    value: dict[str, Any] = json.loads(data)
    return value
