"""Small files whose past versions are judged by what they say: keys' copies, cosignatures, rules' data, `mkdocs.yml`.

`keys/manifest.json` and `keys/receipt-signing.pub` are copies of what the log's key events say: each version must be
the copy after some of them, never fewer than before. Cosignatures gain lines and lose none. A fixture is its
canonical form: laid out anew it is still the same. Of `mkdocs.yml` only `origin` and `root_keys` are looked at, from
the log's first entry on; a version that cannot be read gives no other origin and is mentioned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from benchsite import canonical, signing, yaml_document
from benchsite.canonical import JsonError
from benchsite.errors import InputError
from benchsite.layout import CONFIG, COSIGNATURES_PATH, MANIFEST_PATH, RECEIPT_KEY
from benchsite.log import KeyEvent, Log, manifest
from benchsite.log.replay import KeyReplay
from benchsite.pipeline.audit.growth import Sizes
from benchsite.pipeline.audit.rules import found
from benchsite.pipeline.instance import LARGEST_FIXTURE, Instance
from benchsite.pipeline.record.findings import Finding, Kind
from benchsite.repo import REGULAR, Revision

Identity = tuple[str, tuple[str, ...]]
"""What founds a log: its origin and the fingerprints of its root keys."""


class Documents:
    """Judges revisions of these files; `notes` collects what is worth saying and no alteration."""

    def __init__(self, instance: Instance, log: Log | None, sizes: Sizes) -> None:
        self._read = instance.repository.blob
        self._log = log
        self._sizes = sizes
        settings = instance.config.benchsite
        self._identity: Identity = (settings.origin, settings.root_keys)
        self._identities: dict[str, Identity] = {}
        self.notes: list[str] = []

    def findings(self, revision: Revision) -> Iterator[Finding]:
        """What is wrong with a revision."""
        if revision.path == CONFIG:
            yield from self._configuration(revision)
        elif revision.path == COSIGNATURES_PATH:
            lost = Counter(self._lines(revision.old_id)) - Counter(self._lines(revision.new_id))
            if lost:
                yield found(
                    revision, Kind.COSIGNATURES, f"{lost.total()} of its lines were changed or removed"
                )
        elif revision.path in (MANIFEST_PATH, RECEIPT_KEY):
            yield from self._copy(revision)
        else:
            yield from self._fixture(revision)

    def _lines(self, blob_id: str) -> list[bytes]:
        return self._read(blob_id).splitlines(keepends=True)

    def _configuration(self, revision: Revision) -> Iterator[Finding]:
        (old_origin, old_roots), (new_origin, new_roots) = (
            self._identity_in(revision, mode, blob_id)
            for mode, blob_id in (
                (revision.old_mode, revision.old_id),
                (revision.new_mode, revision.new_id),
            )
        )
        if (old_origin, old_roots) == (new_origin, new_roots) or not self._sizes.before(revision):
            return
        if old_origin != new_origin:
            said = f"origin was {old_origin} and became {new_origin}, after the log was created"
            yield found(revision, Kind.ORIGIN, said)
        if old_roots != new_roots:
            was, now = (", ".join(roots) or "empty" for roots in (old_roots, new_roots))
            said = f"root_keys was {was} and became {now}, after the log was created"
            yield found(revision, Kind.ROOT, said)

    def _identity_in(self, revision: Revision, mode: str, blob_id: str) -> Identity:
        """What a version says; today's identity where it says nothing, because nothing could be done under it."""
        if mode not in REGULAR:
            return self._identity
        if blob_id not in self._identities:
            found_identity = identity(self._read(blob_id))
            if found_identity is None:
                self.notes.append(
                    f"{CONFIG} could not be read before or after commit {revision.commit[:12]} of {revision.day}"
                )
            self._identities[blob_id] = found_identity or self._identity
        return self._identities[blob_id]

    def _copy(self, revision: Revision) -> Iterator[Finding]:
        legal = self._copies.get(revision.path, {})
        was, now = legal.get(self._read(revision.old_id)), legal.get(self._read(revision.new_id))
        size = self._sizes.at(revision.commit)
        kind = Kind.MANIFEST if revision.path == MANIFEST_PATH else Kind.KEY_FILE
        if now is None or not any(first <= size < end for first, end in now):
            yield found(revision, kind, f"it is not what the log's first {size} entries say")
        elif was is None:
            yield found(revision, kind, "the version this commit replaced was never what the log said")

    @cached_property
    def _copies(self) -> dict[str, dict[bytes, list[tuple[int, float]]]]:
        """Path to bytes to the sizes [first, end) of the log at which the copy has these bytes."""
        legal: dict[str, dict[bytes, list[tuple[int, float]]]] = {MANIFEST_PATH: {}, RECEIPT_KEY: {}}
        if self._log is None:
            return legal
        fold = KeyReplay(self._log.origin, self._identity[1])
        events = [at for at in range(self._log.size) if b'"type":"key-' in self._log.entry_bytes(at)]
        events = [at for at in events if isinstance(self._log.entry(at), KeyEvent)]
        for place, at in enumerate(events):
            fold.apply(at, self._log.entry(at), self._log.root)
            end = events[place + 1] + 1 if place + 1 < len(events) else float("inf")
            ring = fold.keyring()
            current = ring.in_force("receipt")
            legal[MANIFEST_PATH].setdefault(manifest(ring), []).append((at + 1, end))
            if current is not None:
                pem = signing.public_pem(current.public_key).encode()
                legal[RECEIPT_KEY].setdefault(pem, []).append((at + 1, end))
        return legal

    def _fixture(self, revision: Revision) -> Iterator[Finding]:
        name = revision.path.split("/")[1]
        named = self._log.fixtures[name] if self._log is not None else None
        if named is None:
            return
        if revision.new_mode not in REGULAR:
            what = "was removed" if revision.status == "D" else "is no longer a file"
            yield found(revision, Kind.FIXTURE, f"it {what} after entry {named.index} of the log named it")
        elif fixture_digest(self._read(revision.new_id)) == named.sha256:
            if fixture_digest(self._read(revision.old_id)) == named.sha256:
                self.notes.append(
                    f"{revision.path} was reformatted in commit {revision.commit[:12]}; its content is the same"
                )
            else:
                yield found(
                    revision, Kind.RESTORED, f"it was restored to what entry {named.index} of the log names"
                )
        else:
            yield found(
                revision,
                Kind.FIXTURE,
                f"its content was changed after entry {named.index} of the log named it",
            )


def fixture_digest(data: bytes) -> str | None:
    """The digest of a fixture's canonical form, None where it is not JSON any more."""
    try:
        return canonical.digest(canonical.loads(data, max_bytes=LARGEST_FIXTURE))
    except JsonError:
        return None


def identity(data: bytes) -> Identity | None:
    """Origin and root keys in a `mkdocs.yml`, whatever else it says; None where they cannot be read."""
    try:
        value: Any = yaml_document.load(data, CONFIG).value
        settings = value["extra"]["benchsite"]
        roots = settings.get("root_keys") or []
        return str(settings["origin"]), tuple(str(item) for item in roots)
    except (InputError, KeyError, TypeError, AttributeError):
        return None
