"""One real site whose receipts have earned every verdict, and the files that a visitor might bring to it.

The instance is published, rotated and built by benchsite's own commands; only the witness's line and the files that
nobody would publish are made by hand.
"""

from __future__ import annotations

import base64
import copy
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from builders import commit, retrieval_work
from documents import packaged
from examples import spread
from forgery import at, changed, leaves
from snapshots import log_of, opened
from threats.test_hostile_words import CONTROLS, SIGNERS_OWN, WORDS
from watching import NAMES, line, witness

from benchsite import canonical
from benchsite.environment import Credentials
from benchsite.layout import COSIGNATURES_PATH, receipt_path
from benchsite.log import Checkpoint, Log, sign_checkpoint
from benchsite.methodology import PARAMETERS_FILE, TEXT_FILE, digest
from benchsite.pipeline import build, publish
from benchsite.pipeline import log as public_log
from benchsite.pipeline.browser import verifier
from benchsite.pipeline.measure import run
from benchsite.pipeline.publish import events, rotation
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey, encode_base64url, public_pem
from benchsite.site.trust import trust

FINGERPRINT = ("signature", "publicKeyFingerprint")
SHORT_WORDS = "<script>alert(1)</script>\u202egnp.exe"
"""Short enough for a page to show them whole."""
Secrets = dict[str, PrivateKey]
Document = dict[str, Any]

WITNESS = NAMES[0]
COSIGNED = "2030-01-01T00:00:00Z"
# In the order in which they are measured: five before the witness came, two after, one under a new key.
SYSTEMS = {
    "witnessed": "sqlite-fts5",
    "superseded": "bm25",
    "retracted": "recency",
    "disputed": "random",
    "newer": "bm25",
    "logged": "sqlite-fts5",
    "suspect": "recency",
    "renewed": "random",
}
WORD_OF = {
    "witnessed": "Witnessed",
    "logged": "Logged",
    "signed only": "Signed only",
    "unknown signer": "Unknown signer",
    "suspect": "Suspect",
    "retracted": "Retracted",
    "superseded": "Superseded",
    "disputed": "Disputed",
    "invalid": "Invalid",
    "unsupported": "Not supported",
}
"""Every verdict's file in `Exhibits.files`, and the word that stands over its result."""


def sign(document: Document, key: PrivateKey) -> bytes:
    """The canonical bytes of a document signed by any key, whatever it says."""
    content = {name: value for name, value in document.items() if name != "signature"}
    value = encode_base64url(key.sign(canonical.dumps(content)))
    signature = {"algorithm": "Ed25519", "publicKeyFingerprint": key.fingerprint, "value": value}
    return canonical.dumps({**content, "signature": signature})


def altered(document: Document, *path: str | int, value: Any) -> Document:
    copied = copy.deepcopy(document)
    holder, key = at(copied, path)
    holder[key] = value
    return copied


@dataclass(frozen=True)
class Exhibits:
    """The built site in `folder/sub`, its receipts by what became of them, and the keys that sign for it.

    `proof` is a tlog-proof of "renewed", the one receipt under the key in force.
    """

    folder: Path
    ids: dict[str, str]
    proof: bytes
    log: Log
    log_key: PrivateKey
    signer: PrivateKey
    stolen: PrivateKey
    stranger: PrivateKey
    root: str

    @property
    def site(self) -> Path:
        return self.folder / "sub"

    def path(self, name: str) -> str:
        return receipt_path(self.ids[name])

    def data(self, name: str) -> bytes:
        return (self.site / self.path(name)).read_bytes()

    def document(self, name: str) -> Document:
        found: Document = json.loads(self.data(name))
        return found

    @cached_property
    def unlogged(self) -> Document:
        """A document that nobody has published, under an id of its own."""
        return altered(self.document("logged"), "receiptId", value="5f0d6c1e-9b1f-4a57-9d0e-2f1f7c0c9a41")

    @cached_property
    def files(self) -> dict[str, bytes]:
        """A file for every verdict."""
        logged = self.document("logged")
        made = {name: self.data(name) for name in SYSTEMS}
        made["signed only"] = sign(self.unlogged, self.signer)
        made["unknown signer"] = sign(self.unlogged, self.stranger)
        made["invalid"] = canonical.dumps(altered(logged, "ranAt", value="2026-01-01T00:00:00Z"))
        made["unsupported"] = canonical.dumps(altered(logged, "schemaVersion", value="9.0.0"))
        made["differs"] = sign(altered(self.unlogged, "scores", "ndcg_at_10", value=0.75), self.signer)
        made["back-dated"] = sign(
            {**self.unlogged, "logHead": self.log_head(), "ranAt": "2029-12-31T23:59:59Z"}, self.signer
        )
        return made

    @cached_property
    def own_version(self) -> tuple[bytes, dict[str, bytes]]:
        """A receipt under a version that neither a release nor the site has, and the version's files by name."""
        ours = packaged("retrieval", "1.0.0").files
        parameters = ours[PARAMETERS_FILE].replace(b'"version": "1.0.0"', b'"version": "1.7.0"')
        files = {**ours, PARAMETERS_FILE: parameters, TEXT_FILE: b"## 1 Scores\n\nAs before.\n"}
        named = {"id": "retrieval", "version": "1.7.0", "sha256": digest(files)}
        return sign({**self.unlogged, "methodology": named}, self.signer), files

    @property
    def stranger_pem(self) -> bytes:
        return public_pem(self.stranger.public).encode()

    def log_head(self) -> Document:
        root = base64.b64encode(self.log.root()).decode()
        return {"origin": self.log.origin, "size": self.log.size, "root": root}

    def head(self, size: int | None = None, *, root: bytes | None = None) -> Document:
        """What a browser remembers of a list: its first entries, or a list of that size that never was."""
        wanted = self.log.size if size is None else size
        shown = root or self.log.root(min(wanted, self.log.size))
        note = sign_checkpoint(Checkpoint(self.log.origin, wanted, shown), self.log_key)
        return {
            "origin": self.log.origin,
            "size": wanted,
            "root": base64.b64encode(shown).decode(),
            "note": note,
        }

    def page_of(self, size: int) -> bytes:
        """verify.html as it was saved when the log had its first entries only."""
        entries = [self.log.entry_bytes(index) for index in range(size)]
        then = Log.of(entries, origin=self.log.origin, roots=[self.root])
        note = sign_checkpoint(then.checkpoint(), self.log_key).encode()
        data = trust(then, site="tests", roots=[self.root], checkpoint=note, witnesses=[witness(WITNESS)])
        return verifier().with_trust(data)

    def tampered_leaves(self, name: str = "witnessed") -> Iterator[tuple[tuple[Any, ...], bytes]]:
        """The receipt once for every leaf, with another value of the same kind there."""
        document = self.document(name)
        for leaf in leaves(document):
            holder, key = at(document, leaf)
            yield leaf, canonical.dumps(altered(document, *leaf, value=changed(holder[key])))

    def sampled_leaves(self) -> list[tuple[tuple[Any, ...], bytes]]:
        """All in `make test-full`, 60 in the gate; the leaf that names another signer comes first."""
        found = sorted(self.tampered_leaves(), key=lambda one: one[0] != FINGERPRINT)
        assert len(found) > 400
        assert found[0][0] == FINGERPRINT
        return spread(found, gate=60)

    def hostile(self) -> bytes:
        """Signed by the key in force, with script, bidi and control characters in all a signer may write."""
        document = copy.deepcopy(self.unlogged)
        document["config"]["options"] = {"mode": "plain"}
        document["evidence"] = [{"name": "trace", "sha256": "ab" * 32, "size": 1, "mediaType": "text/plain"}]
        for place in SIGNERS_OWN:
            holder, key = at(document, place)
            holder[key] = WORDS
        document["adapter"]["version"] = SHORT_WORDS
        return sign(document, self.signer)

    def hostile_strings(self) -> Iterator[tuple[tuple[Any, ...], bytes]]:
        """The receipt once for every string in it, with hostile words there, signed again."""
        document = self.document("logged")
        for leaf in leaves(document):
            holder, key = at(document, leaf)
            if isinstance(holder[key], str) and leaf[0] != "signature":
                yield leaf, sign(altered(document, *leaf, value=WORDS + CONTROLS), self.signer)
        for name in ("algorithm", "publicKeyFingerprint", "value"):
            yield ("signature", name), canonical.dumps(altered(document, "signature", name, value=WORDS))


def make(begun: Path, folder: Path, secrets: Secrets) -> Exhibits:
    """Publish, countersign, announce, disown a key, build."""
    shutil.copytree(begun, folder / "instance", symlinks=True)
    instance = Workspace(folder / "instance")
    credentials = Credentials.of(**secrets)
    drafts = dict(zip(SYSTEMS, _measured(instance), strict=True))
    ids = {name: draft.stem for name, draft in drafts.items()}
    before = [draft for name, draft in drafts.items() if name not in ("logged", "suspect", "renewed")]
    publish.publish(instance, opened(instance), before, credentials, push=False)
    for entry in (
        events.succession(opened(instance), ids["superseded"], ids["newer"]),
        events.retraction(ids["retracted"], "the index was stale"),
        events.dispute(ids["disputed"], "https://objections.invalid/1"),
    ):
        events.announce(instance, credentials, entry, push=False)
    instance = _countersigned(instance)
    for name in ("logged", "suspect"):
        publish.publish(instance, opened(instance), [drafts[name]], credentials, push=False)
    below = log_of(instance).receipts[ids["suspect"]]
    done = rotation.compromise(
        instance,
        opened(instance),
        "receipt",
        credentials,
        below=below,
        reason="laptop stolen",
        folder=folder / "keys",
        push=False,
    )
    assert done.file is not None
    signer = PrivateKey.from_text(done.file.read_text(), "the new key")
    renewed = Credentials.of(**{**secrets, "receipt": signer})
    publish.publish(instance, opened(instance), [drafts["renewed"]], renewed, push=False)
    (folder / "served").mkdir()
    build.build(instance, opened(instance), folder / "served" / "sub")
    return Exhibits(
        folder / "served",
        ids,
        str(public_log.proof(opened(instance), ids["renewed"])).encode(),
        log_of(instance),
        secrets["log"],
        signer,
        secrets["receipt"],
        PrivateKey.from_text(base64.b64encode(bytes([0x77]) * 32).decode(), "a stranger's key"),
        secrets["root"].fingerprint,
    )


def _measured(instance: Workspace) -> Iterator[Path]:
    for result in run.run(instance, opened(instance), [retrieval_work(name) for name in SYSTEMS.values()]):
        assert result.draft is not None, result.reason
        yield result.draft


def _countersigned(instance: Workspace) -> Workspace:
    """The instance again, once a trusted witness has seen the log as it stands."""
    log = log_of(instance)
    text = (instance.root / "mkdocs.yml").read_text()
    trusted = f"    witnesses:\n      - {witness(WITNESS)}\n    root_keys:"
    seen = str(line(log, WITNESS, log.size, COSIGNED)).encode()
    commit(
        instance,
        {"mkdocs.yml": text.replace("    root_keys:", trusted).encode(), COSIGNATURES_PATH: seen},
    )
    return Workspace(instance.root)


def changed_byte(at_offset: int) -> Callable[[bytes], bytes]:
    """A way to flip one bit of a served file."""

    def change(data: bytes) -> bytes:
        place = at_offset % len(data)
        return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]

    return change
