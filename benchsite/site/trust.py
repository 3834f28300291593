"""What a visitor's browser starts from: the trust data of a site, and the log index of each receipt.

Owns two files. `log/trust.json` (the same bytes are in verify.html): origin and root fingerprints, every key event,
methodology, fixture and later event with its index, the signed checkpoint, the witness policy; a page takes it on the host's
word, as it takes itself, and compares the served log with it. `log/lookup/<first 2 hex>.json`: receipt id to index,
which is unsigned; its reader proves the inclusion (specs/verify.md, steps 5 to 9).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchsite import canonical
from benchsite.log import Log, Witness
from benchsite.track import Page

if TYPE_CHECKING:
    from benchsite.site.frame import NavItem

PATH: Final = "log/trust.json"
_DOCUMENTS: Final = frozenset({"methodology", "fixture"})
_KEY_EVENTS: Final = frozenset({"key-add", "key-retire", "key-compromise"})


@dataclass(frozen=True, slots=True)
class Shown:
    """What verify.html shows of its site besides the name; what is empty is left out.

    Attributes:
        banner: the line on top of every page.
        sample: id of a receipt to try.
        nav: the header of every page.
        links: title and address of what the footer of every page links to; a path is below the site's root.
        version: of benchsite, that made the site.
    """

    banner: str = ""
    sample: str = ""
    nav: Sequence[NavItem] = ()
    links: Sequence[tuple[str, str]] = ()
    version: str = ""

    @property
    def members(self) -> Mapping[str, canonical.Json]:
        """Members of the trust data."""
        nav: list[canonical.Json] = [[item.title, item.path] for item in self.nav]
        found: dict[str, canonical.Json] = {
            "banner": self.banner,
            "sample": self.sample,
            "nav": nav,
            "links": [[title, address] for title, address in self.links],
            "version": self.version,
        }
        return {name: value for name, value in found.items() if value}


def trust(
    log: Log | None,
    *,
    site: str,
    roots: Collection[str],
    checkpoint: bytes,
    witnesses: Sequence[Witness],
    mirrors: Sequence[str] = (),
    shown: Shown | None = None,
) -> bytes:
    """The trust data as canonical JSON.

    Args:
        log: the verified log; None for a site that has none yet.
        site: its name.
        roots: fingerprints of the root keys that may create the log.
        checkpoint: the served note over this log, witness lines included.
        witnesses: the trusted ones.
        mirrors: addresses below which large evidence has its SHA-256 as name.
        shown: what verify.html shows of its site.
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
            **(shown.members if shown is not None else {}),
        }
    )


def lookup(log: Log) -> Iterator[Page]:
    """A file for every first two hex digits of a receipt id: `{"<receiptId>": <index>}`."""
    shards: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for receipt_id, index in log.receipts.items():
        shards[receipt_id[:2]][receipt_id] = index
    for prefix, places in sorted(shards.items()):
        yield Page(path=f"log/lookup/{prefix}.json", data=canonical.dumps(places))
