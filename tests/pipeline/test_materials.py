"""Evidence that re-scoring is given: by its hash, gzip'd or not, from the record or a mirror."""

from __future__ import annotations

import errno
import gzip
import hashlib
import http.server
import os
import threading
import time
import urllib.error
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import pytest
from builders import FIXTURE, commit
from hypothesis import given
from hypothesis import strategies as st
from snapshots import log_of, opened, snapshot

from benchsite import methodology
from benchsite.errors import InputError
from benchsite.layout import evidence_path
from benchsite.pipeline.record import evidence
from benchsite.pipeline.snapshot import download, evidence_store, materials_without_record, mirrors
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.download_cache import Budget
from benchsite.track import IN_GIT, Evidence


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@given(st.binary(max_size=300))
def test_bytes_are_found_plain_and_compressed(data: bytes) -> None:
    for kept in (data, gzip.compress(data), evidence_store.stored(data)):
        assert evidence_store.uncompressed(kept, digest(data)) == data
    assert evidence_store.uncompressed(data + b"x", digest(data)) is None


def test_large_evidence_is_stored_smaller_and_the_same_each_time() -> None:
    data = b"one line of a trace\n" * 10_000
    assert len(evidence_store.stored(data)) < len(data) / 50
    assert evidence_store.stored(data) == evidence_store.stored(data)
    assert evidence_store.stored(b"short") == b"short"


def test_a_small_file_that_unpacks_to_too_much_is_none_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence_store, "LARGEST", 1000)
    data = bytes(1001)
    assert evidence_store.uncompressed(gzip.compress(data), digest(data)) is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda packed: packed[:-4],
        lambda packed: packed + b"x",
        lambda packed: packed[:10] + b"x" + packed[11:],
    ],
)
def test_a_spoilt_gzip_file_is_none_of_ours(spoil: Any) -> None:
    data = b"what was answered\n" * 50
    assert evidence_store.uncompressed(spoil(gzip.compress(data)), digest(data)) is None


def test_the_record_comes_before_mirrors_and_a_compressed_file_counts(begun: Workspace) -> None:
    data = b"an answer a line\n" * 9000
    commit(begun, {evidence_path(digest(data)): evidence_store.stored(data)})
    assert snapshot(begun).materials.evidence(digest(data)) == data
    assert digest(data) in snapshot(begun).evidence.present()


def mirrored(instance: Workspace, *addresses: str) -> Workspace:
    text = (instance.root / "mkdocs.yml").read_text()
    lines = "".join(f"      - {address}\n" for address in addresses)
    commit(
        instance,
        {"mkdocs.yml": text.replace("  benchsite:\n", f"  benchsite:\n    mirrors:\n{lines}").encode()},
    )
    return Workspace(instance.root)


def test_a_mirror_that_fails_or_lies_is_passed_over(
    begun: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = b"a trace"
    served = {
        f"https://lies.invalid/e/{digest(data)}": b"other bytes",
        f"https://good.invalid/{digest(data)}": gzip.compress(data),
    }
    asked = []

    def answer(address: str, _most: int, _seconds: float, take: Callable[[bytes], None]) -> str:
        asked.append(address)
        if address not in served:
            raise urllib.error.URLError("no such host")
        take(served[address])
        return ""

    monkeypatch.setattr(download, "streamed", answer)
    instance = mirrored(begun, "https://gone.invalid", "https://lies.invalid/e/", "https://good.invalid")
    found = snapshot(instance).materials.evidence
    assert found(digest(data)) == data
    assert len(asked) == 3
    assert found(digest(b"nobody has it")) is None


def serving(monkeypatch: pytest.MonkeyPatch, *documents: bytes) -> list[str]:
    """A mirror of some documents; the list gains each name that it is asked for."""
    asked: list[str] = []
    kept = {digest(data): data for data in documents}

    def answer(address: str, _most: int, _seconds: float, take: Callable[[bytes], None]) -> str:
        asked.append(address.rpartition("/")[2])
        take(kept[asked[-1]])
        return ""

    monkeypatch.setattr(download, "streamed", answer)
    return asked


def test_a_copy_of_a_mirror_serves_the_command_and_counts_only_under_its_hash(
    begun: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = b"a trace", b"another trace"
    asked = serving(monkeypatch, one, other)
    found = snapshot(mirrored(begun, "https://good.invalid"))
    for data in (one, other, one):
        assert found.materials.evidence(digest(data)) == data
    assert asked == [digest(one), digest(other)]
    found._downloads.put(digest(one), b"what another process wrote")
    assert found.sibling(None).evidence.mirrored(digest(one)) == one
    assert asked == [digest(one), digest(other), digest(one)]


def test_a_full_disk_costs_another_fetch_and_nothing_else(
    begun: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = b"a trace"
    asked = serving(monkeypatch, data)
    instance = mirrored(begun, "https://good.invalid")

    def full(_file: int, _data: bytes, _place: int) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    found = snapshot(instance)
    assert [found.evidence.mirrored(digest(data)) for _ in range(2)] == [data, data]
    assert asked == [digest(data)] * 2


@pytest.mark.parametrize("linked", [False, True])
def test_a_damaged_file_is_said_and_does_not_hide_the_copy_of_a_mirror(
    begun: Workspace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, *, linked: bool
) -> None:
    data = b"a trace"
    serving(monkeypatch, data)
    instance = mirrored(begun, "https://good.invalid")
    held = instance.root / ".benchsite/attachments" / digest(data)
    held.parent.mkdir(parents=True)
    if linked:
        (instance.root / "right").write_bytes(data)
        held.symlink_to(instance.root / "right")
    else:
        held.write_bytes(b"damaged")
    pinned = {"name": "t", "sha256": digest(data), "size": len(data), "mirrored": False}
    document = {"receiptId": "r", "track": "agents", "evidence": [pinned]}
    wrong = "it is a symbolic link" if linked else "its content does not have this SHA-256"
    damage = snapshot(begun).materials.damage
    assert damage(digest(data)) == f".benchsite/attachments/{digest(data)}: {wrong}"
    assert not damage(digest(b"never kept"))
    brought = evidence.to_publish(opened(instance), log_of(instance), document)
    assert brought == {evidence_path(digest(data)): data}
    (said,) = caplog.messages
    assert said.startswith(f"evidence file ignored: .benchsite/attachments/{digest(data)}: {wrong}")


@pytest.mark.parametrize(
    "address", ["http://plain.invalid", "file:///etc", "https://host.invalid/?a=b", "ftp://x"]
)
def test_a_mirror_is_an_https_address(begun: Workspace, address: str) -> None:
    with pytest.raises(InputError, match=r"mirrors\.0: .*https://host/path"):
        mirrored(begun, address)


def test_what_git_should_not_hold_needs_a_mirror_and_is_no_fault_of_the_record(begun: Workspace) -> None:
    item = Evidence("trace.jsonl", "application/jsonl", b"x" * (IN_GIT + 1))
    with pytest.raises(InputError, match="5,000,001 bytes") as caught:
        evidence.keep(begun, item)
    assert "extra.benchsite.mirrors" in caught.value.hint
    instance = mirrored(begun, "https://good.invalid")
    evidence.keep(instance, item)
    name = digest(item.data)
    assert f"copy .benchsite/attachments/{name} to a mirror" in evidence.to_mirror(instance, item)
    evidence.forget(instance, [name])
    assert (Path(instance.root) / ".benchsite/attachments" / name).is_file(), "nothing else holds it"


def test_evidence_that_is_kept_outside_git_is_no_part_of_a_commit(begun: Workspace) -> None:
    item = Evidence("traces.jsonl", "application/x-ndjson", b"one run", mirrored=True)
    evidence.keep(begun, item)
    pinned = evidence.reference(item)
    assert pinned == {
        "name": "traces.jsonl",
        "sha256": digest(b"one run"),
        "size": 7,
        "mediaType": "application/x-ndjson",
        "mirrored": True,
    }
    document = {"receiptId": "r", "evidence": [pinned]}
    assert evidence.to_publish(opened(begun), log_of(begun), document) == {}
    assert "kept outside git" in evidence.to_mirror(begun, item)
    assert evidence.in_git(document) == []
    evidence.forget(begun, evidence.in_git(document))
    assert (begun.root / ".benchsite/attachments" / digest(b"one run")).is_file(), "nothing else holds it"


def test_evidence_is_found_beside_a_receipt_under_its_hash_alone(tmp_path: Path) -> None:
    data = b"a trace"
    (tmp_path / digest(data)).write_bytes(gzip.compress(data))
    (tmp_path / digest(b"another")).write_bytes(b"not it")
    found = materials_without_record([tmp_path]).evidence
    assert found(digest(data)) == data
    assert found(digest(b"another")) is None


def test_the_data_of_a_benchmark_is_given_only_where_it_is_to_be_evaluated(begun: Workspace) -> None:
    fixture = begun.fixture_digest(FIXTURE)
    given = snapshot(begun).materials_with(evaluate=True).target
    assert given(FIXTURE, fixture) == begun.fixture_bytes(FIXTURE)
    with pytest.raises(InputError, match=f"{FIXTURE} .*other data"):
        given(FIXTURE, "0" * 64)
    assert given("no-such-fixture", fixture) is None
    assert snapshot(begun).materials.target(FIXTURE, fixture) is None


def test_a_copy_of_a_version_under_another_name_hides_nothing(begun: Workspace) -> None:
    """The folder that sorts last names another track: the version is found in its own."""
    folder = begun.root / "methodology/rubric/2.0.0"
    files = {name: (folder / name).read_bytes() for name in methodology.FILES}
    own = {
        **files,
        "parameters.json": files["parameters.json"].replace(b'"version": "2.0.0"', b'"version": "2.9.9"'),
    }
    commit(
        begun,
        {
            f"methodology/{place}/{name}": held
            for place in ("rubric/2.9.9", "zzz/1.0.0")
            for name, held in own.items()
        },
    )
    found = snapshot(Workspace(begun.root)).materials.methodology(methodology.digest(own))
    assert found is not None
    assert found.data.version == "2.9.9"


@pytest.mark.parametrize(
    ("name", "was", "now"),
    [
        ("methodology.yaml", b"\nsummary:", b"\nofALaterRelease: 1\nsummary:"),
        ("text.md", b"", b"\xff"),
    ],
    ids=["a field of a later release", "another encoding"],
)
def test_numbers_go_by_what_the_browser_reads_too(
    begun: Workspace, name: str, was: bytes, now: bytes
) -> None:
    """Only `parameters.json` decides: the other files may be of a later release or another encoding."""
    folder = begun.root / "methodology/rubric/2.0.0"
    files = {file: (folder / file).read_bytes() for file in methodology.FILES}
    files[name] = files[name].replace(was, now, 1)
    for file, data in files.items():
        (folder / file).write_bytes(data)
    found = materials_without_record([folder]).methodology(methodology.digest(files))
    assert found is not None
    assert (found.data.track, found.data.version, found.engine) == ("rubric", "2.0.0", "rubric/2")
    assert (found.data.parameters["sessions"], found.data.parameters["sheets"]) == (3, 2)
    with pytest.raises(InputError):
        begun.methodologies.read("rubric", "2.0.0")


def test_other_bytes_in_the_place_of_evidence_hide_nothing(begun: Workspace) -> None:
    data = b"what was answered"
    commit(begun, {evidence_path(digest(data)): b"something else"})
    kept = begun.root / ".benchsite/attachments" / digest(data)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(data)
    assert snapshot(begun).materials.evidence(digest(data)) == data


class Mirror(http.server.BaseHTTPRequestHandler):
    """Answers by the beginning of the path; counts what it could send."""

    sent: ClassVar[Counter[str]] = Counter()

    def do_GET(self) -> None:
        kind = self.path.split("/")[1]
        self.sent[kind] += 1
        self.send_response(302 if kind == "elsewhere" else 200)
        if kind == "elsewhere":
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_address[1]}/here/x")
        self.end_headers()
        with suppress(OSError):
            if kind == "here":
                self.wfile.write(b"a trace")
            for _ in range({"slow": 60, "endless": 10_000}.get(kind, 0)):
                self.wfile.write(b"x" * (1 if kind == "slow" else 1000))
                self.wfile.flush()
                self.sent[f"{kind} parts"] += 1
                if kind == "slow":
                    time.sleep(0.05)

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture
def mirror() -> Iterator[str]:
    Mirror.sent.clear()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Mirror) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_a_mirror_leads_nowhere_else(mirror: str) -> None:
    for folder, found in (("here", b"a trace"), ("elsewhere", None)):
        assert mirrors.fetch([f"{mirror}/{folder}"], digest(b"a trace"), Budget(), 5000) == found
    assert Mirror.sent == {"here": 1, "elsewhere": 1}


def test_a_mirror_that_sends_too_much_is_not_read_to_its_end(mirror: str) -> None:
    found = download.asked(f"{mirror}/endless/x", 5000)
    assert (len(found.data), found.why) == (5001, "")


def test_a_mirror_that_trickles_is_left_when_the_time_is_up(
    mirror: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One byte every 0.05 s for three seconds; each would restart the time-out of the socket."""
    monkeypatch.setattr(download, "LONGEST", 0.5)
    found = download.asked(f"{mirror}/slow/x", 5000)
    assert 0 < len(found.data) < 60
    assert found.why == "not complete after 0.5 s"


def test_one_file_that_is_too_large_hides_no_other_version(begun: Workspace) -> None:
    big = begun.root / "methodology/aaa/1.0.0"
    big.mkdir(parents=True)
    (big / "methodology.yaml").write_bytes(b"#" * (2 << 20))
    (big / "parameters.json").write_bytes(b"#" * (2 << 20))
    (big / "text.md").write_bytes(b"x")
    folder = begun.root / "methodology/rubric/2.0.0"
    digest_here = methodology.digest({name: (folder / name).read_bytes() for name in methodology.FILES})
    assert begun.methodologies.of_digest(digest_here) is not None
