"""What a visitor's browser starts from: the trust data of a site, and where each receipt stands in its log.

Owns two files. `log/trust.json` (the same bytes stand in verify.html): origin and root fingerprints, every key event,
rule, fixture and later event with its index, the signed checkpoint, the witness policy; a page takes it on the host's
word, as it takes itself, and holds the served log against it. `log/lookup/<first 2 hex>.json`: receipt id to index,
which nobody vouches for; whoever uses it proves the inclusion (specs/verify.md, steps 5 to 9).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from benchsite import canonical
from benchsite.log import Log, Witness
from benchsite.track import Page

PATH: Final = "log/trust.json"
_DOCUMENTS: Final = frozenset({"methodology", "fixture"})
_KEY_EVENTS: Final = frozenset({"key-add", "key-retire", "key-compromise"})


def trust(
    log: Log | None,
    *,
    site: str,
    roots: Collection[str],
    checkpoint: bytes,
    witnesses: Sequence[Witness],
    mirrors: Sequence[str] = (),
) -> bytes:
    """The trust data as canonical JSON.

    Args:
        log: the verified log; None for a site that has none yet.
        site: its name.
        roots: fingerprints of the root keys that may found the log.
        checkpoint: the served note over this log, witness lines included.
        witnesses: the trusted ones.
        mirrors: addresses below which large evidence has its SHA-256 as name.
    """
    events: dict[str, list[list[int | str]]] = {"keyEvents": [], "documents": [], "events": []}
    if log is not None:
        passed = {*log.receipts.values(), *log.intents.values(), *log.declined.values()}
        for index in sorted(set(range(log.size)) - passed):
            kind = log.entry(index).type
            name = "keyEvents" if kind in _KEY_EVENTS else "documents" if kind in _DOCUMENTS else "events"
            events[name].append([index, log.entry_bytes(index).decode("utf-8")])
    return canonical.dumps(
        {
            "v": 1,
            "site": site,
            "origin": None if log is None else log.origin,
            "roots": sorted(roots),
            **events,
            "checkpoint": checkpoint.decode("utf-8"),
            "witnesses": [str(witness) for witness in witnesses],
            **({"mirrors": list(mirrors)} if mirrors else {}),
        }
    )


def lookup(log: Log) -> Iterator[Page]:
    """A file for every first two hex digits that a receipt id begins with: `{"<receiptId>": <index>}`."""
    shards: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for receipt_id, index in log.receipts.items():
        shards[receipt_id[:2]][receipt_id] = index
    for prefix, places in sorted(shards.items()):
        yield Page(path=f"log/lookup/{prefix}.json", data=canonical.dumps(places))
