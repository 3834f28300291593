"""A cache that a program of this user forged, its digest and the facts of its lines included: what it can never make true."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from builders import commit
from rebuilding import kept, retracting, rewritten, tree

from benchsite import canonical
from benchsite.history import Header
from benchsite.pipeline import build
from benchsite.pipeline.building import cache, headers
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.record import Record
from benchsite.progress import silent
from benchsite.signing import PrivateKey


@pytest.fixture
def site(small: Instance) -> Path:
    return build.build(small, small.root.parent / "site").site


def forged(instance: Instance, path: str, change: Callable[[Header], Header]) -> None:
    """The verdict that is kept of the receipt at `path` changed, with the facts that belong to it today."""
    record, name = Record.current(instance), Path(path).stem
    maker = headers.Headers(
        record,
        cache.BuildCache(),
        cache.Keeping(None, "", cache.EMPTY),
        instance.root,
        silent,
        meanwhile=lambda: None,
    )

    def line(old: bytes) -> bytes:
        if not old.startswith(b"verdict\t" + name.encode()):
            return old
        _, _, facts, text = old.decode().removesuffix("\n").split("\t", 3)
        before = headers.decoded(text, record.log)
        assert maker._facts(before) == facts
        after = change(before)
        return f"verdict\t{name}\t{maker._facts(after)}\t{headers.encoded(after)}\n".encode()

    rewritten(instance, lambda body: b"".join(map(line, body.splitlines(keepends=True))))


@pytest.mark.parametrize("hashed", ["the hash that is logged", "the hash of the altered file"])
def test_it_makes_no_altered_receipt_valid(small: Instance, site: Path, hashed: str) -> None:
    """Its line names the altered blob, and the last build's site has the altered file."""
    item = Record.at(small).published[0]
    before = small.repository.blob(item.blob_id)
    document = json.loads(before)
    document["scores"]["ndcg_at_10"] = 0.98765
    altered = canonical.dumps(document)
    commit(small, {item.path: altered})
    (site / item.path).write_bytes(altered)
    blob = next(held.blob_id for held in Record.at(small).published if held.path == item.path)
    logged = canonical.sha256_hex(before)
    sha = logged if hashed == "the hash that is logged" else canonical.sha256_hex(altered)
    forged(small, item.path, lambda header: replace(header, blob_id=blob, sha256=sha))
    assert blob.encode() in kept(small).read_bytes()
    built = build.build(small, site)
    assert [header.path for header in built.broken] == [item.path]
    name = Path(item.path).stem
    assert b"Verification failed" in (site / f"receipts/{name[:2]}/{name}/index.html").read_bytes()


def test_it_makes_no_retracted_receipt_stand(
    small: Instance, site: Path, secrets: dict[str, PrivateKey]
) -> None:
    """The line of a retracted receipt says that it is logged, with the facts of the day."""
    retracting(small, secrets)
    build.build(small, site)
    rewritten(small, lambda body: body.replace(b'"RETRACTED"', b'"LOGGED"'))
    assert b'"LOGGED"' in kept(small).read_bytes()
    build.build(small, site)
    assert tree(site) == tree(build.build(small, site.with_name("full"), full=True).site)


@pytest.mark.parametrize("state", ["another log of this size", "a longer log"])
def test_verdicts_of_a_log_that_this_one_does_not_continue_are_not_taken_over(
    small: Instance, site: Path, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Record.current(small)
    assert record.log is not None
    size, root = record.log.size, record.log.root().hex()
    other = [size, "00" * 32] if state == "another log of this size" else [size + 1, root]

    def change(body: bytes) -> bytes:
        first, _, rest = body.partition(b"\n")
        head = json.loads(first)
        assert head[2] == [size, root]
        return json.dumps([*head[:2], other, *head[3:]]).encode() + b"\n" + rest

    rewritten(small, change)
    verified: list[Header] = []
    encoded = headers.encoded
    monkeypatch.setattr(headers, "encoded", lambda header: verified.append(header) or encoded(header))
    build.build(small, site)
    assert sorted(header.path for header in verified) == sorted(item.path for item in record.published)
