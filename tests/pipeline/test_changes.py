"""The rule table of what a commit may do to the record, against specs/log.md, "Git audit", row by row."""

from __future__ import annotations

import base64
from typing import Literal, get_args

import pytest

from benchsite.canonical import dumps, sha256_hex
from benchsite.layout import Sort
from benchsite.log import (
    Checkpoint,
    FixtureEntry,
    Log,
    MethodologyEntry,
    ReceiptEntry,
    WithdrawEvidenceEntry,
    encode_entry,
    key_files,
    make_key_event,
    sign_checkpoint,
)
from benchsite.pipeline.changes import FileChange, Published, Version, judge, must_read, subject_of
from benchsite.pipeline.findings import Kind
from benchsite.signing import PrivateKey

ORIGIN = "tests.invalid/log"
ROOT, RECEIPT, LOG = (
    PrivateKey.from_text(base64.b64encode(bytes([number]) * 32).decode(), "test") for number in (1, 2, 3)
)
RECEIPT_ID = "ab000000-0000-4000-8000-000000000000"
RECEIPT_PATH = f"results/published/ab/{RECEIPT_ID}.json"
SEGMENT, CHECKPOINT = "results/log/entries/000000.jsonl", "results/log/checkpoint"
COSIGNATURES, SIZES = "results/log/cosignatures", "results/log/sizes"
MANIFEST, CURRENT = "keys/manifest.json", "keys/receipt-signing.pub"
KEY = f"keys/{RECEIPT.fingerprint.removeprefix('sha256:')}.pub"
KEPT, WITHDRAWN = sha256_hex(b"kept"), sha256_hex(b"withdrawn")
METHODOLOGY, FIXTURE = "methodology/retrieval/1.0.0/text.md", "fixtures/small/fixture.json"
CONTENT = {"id": "small", "queries": [1, 2]}
PLAIN, LINK = "100644", "120000"
JUNK = "\u2014 other.invalid AAAAAAAA\n".encode()


def evidence(sha256: str) -> str:
    return f"results/evidence/{sha256[:2]}/{sha256}"


def entries() -> list[bytes]:
    keys = [("root", ROOT), ("receipt", RECEIPT), ("log", LOG)]
    added = [
        make_key_event("key-add", root=ROOT, origin=ORIGIN, role=role, seq=seq, public_key=key.public)
        for seq, (role, key) in enumerate(keys)
    ]
    others = [
        MethodologyEntry(track="retrieval", version="1.0.0", sha256="1" * 64),
        FixtureEntry(id="small", sha256=sha256_hex(dumps(CONTENT))),
        ReceiptEntry(path=RECEIPT_PATH, sha256="2" * 64, size=10),
        WithdrawEvidenceEntry(sha256=WITHDRAWN, reason="a token"),
    ]
    return [encode_entry(entry) for entry in (*added, *others)]


def log_of(count: int | None = None) -> Log:
    return Log.of(entries()[:count], origin=ORIGIN, roots=[ROOT.fingerprint])


TODAY = log_of()
PUBLISHED = Published(TODAY, (ORIGIN, (ROOT.fingerprint,)), frozenset({KEPT}))


def configuration(origin: str = ORIGIN, root: str = ROOT.fingerprint) -> bytes:
    return f"extra:\n  benchsite:\n    origin: {origin}\n    root_keys: ['{root}']\n".encode()


def note(size: int, key: PrivateKey = LOG, *, origin: str = ORIGIN, root: bytes | None = None) -> bytes:
    checkpoint = Checkpoint(origin, size, TODAY.root(size) if root is None else root)
    return sign_checkpoint(checkpoint, key).encode()


def version(data: bytes | None, mode: str = PLAIN) -> Version | None:
    return None if data is None else Version(mode, sha256_hex(data), data)


def kinds(path: str, old: Version | None, new: Version | None, *, size: int = TODAY.size) -> list[Kind]:
    change = FileChange(path, old, new, size, size)
    return [finding.kind for finding in judge(change, PUBLISHED).findings]


Deed = Literal["added", "edited", "removed", "linked", "mode"]
ALL = frozenset(get_args(Deed))
PATHS = {
    "receipt": RECEIPT_PATH,
    "segment": SEGMENT,
    "checkpoint": CHECKPOINT,
    "cosignatures": COSIGNATURES,
    "sizes": SIZES,
    "evidence": evidence(KEPT),
    "free": "results/inbox/draft.json",
    "manifest": MANIFEST,
    "current": CURRENT,
    "key": KEY,
    "stray": "results/readme.md",
    "methodology": METHODOLOGY,
    "fixture": FIXTURE,
    "configuration": "mkdocs.yml",
    "other": "content/index.md",
}
CREATE_ONLY = {"removed": Kind.DELETED, "linked": Kind.TYPE_CHANGED, "mode": Kind.MODE_CHANGED}
TABLE: dict[str, dict[str, Kind]] = {
    "receipt": {"edited": Kind.EDITED, **CREATE_ONLY},
    "segment": {"edited": Kind.LOG_EDITED, **CREATE_ONLY},
    "checkpoint": {"edited": Kind.CHECKPOINT, **CREATE_ONLY},
    "cosignatures": {"edited": Kind.COSIGNATURES, **CREATE_ONLY},
    "sizes": {"edited": Kind.SIZES, **CREATE_ONLY},
    "evidence": {"edited": Kind.EDITED, **CREATE_ONLY},
    "free": {"linked": Kind.TYPE_CHANGED},
    "manifest": {"edited": Kind.MANIFEST, **CREATE_ONLY},
    "current": {"edited": Kind.KEY_FILE, **CREATE_ONLY},
    "key": {"edited": Kind.KEY_FILE, **CREATE_ONLY},
    "stray": {"added": Kind.STRAY, "edited": Kind.EDITED, **CREATE_ONLY},
    "methodology": dict.fromkeys(("edited", "removed", "linked", "mode"), Kind.METHODOLOGY),
    "fixture": dict.fromkeys(("edited", "removed", "linked"), Kind.FIXTURE),
    "configuration": {},
    "other": {},
}
"""What a commit at today's size of the log is found to have done; what is not listed is allowed."""


def test_the_table_lists_every_sort_of_file() -> None:
    assert set(TABLE) == set(PATHS) == {*get_args(Sort), "methodology", "fixture", "configuration", "other"}
    assert {name: subject_of(path) for name, path in PATHS.items()} == {name: name for name in PATHS}


@pytest.mark.parametrize("deed", sorted(ALL))
@pytest.mark.parametrize("subject", sorted(TABLE))
def test_each_sort_and_change(subject: str, deed: Deed) -> None:
    old, new = {
        "added": (None, version(b"one\n")),
        "edited": (version(b"one\n"), version(b"two\n")),
        "removed": (version(b"one\n"), None),
        "linked": (version(b"one\n"), version(b"elsewhere", LINK)),
        "mode": (version(b"one\n"), version(b"one\n", "100755")),
    }[deed]
    found = kinds(PATHS[subject], old, new)
    assert found == ([TABLE[subject][deed]] if deed in TABLE[subject] else [])


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (RECEIPT_PATH.replace("ab000000", "ab000001"), Kind.FILE_WITHOUT_ENTRY),
        ("results/log/entries/000001.jsonl", Kind.STRAY),
        (evidence(WITHDRAWN), Kind.UNPINNED),
        (f"keys/{'a' * 64}.pub", Kind.KEY_FILE),
        ("keys/mine.pub", Kind.STRAY),
    ],
)
def test_a_file_is_created_only_if_the_log_names_it(path: str, kind: Kind) -> None:
    assert kinds(path, None, version(b"x")) == [kind]


@pytest.mark.parametrize(
    "path", sorted(set(PATHS.values()) - {METHODOLOGY, FIXTURE, "mkdocs.yml", "content/index.md"})
)
def test_a_link_is_never_created_in_the_record(path: str) -> None:
    assert kinds(path, None, version(b"elsewhere", LINK)) == [Kind.SYMLINK]


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (b"a\nb\n", b"a\nb\nc\n", None),
        (b"a\nb\n", b"a\nb\nc", Kind.LOG_EDITED),
        (b"a\nb\n", b"a\n", Kind.TRUNCATED),
        (b"a\nb\n", b"", Kind.TRUNCATED),
        (b"a\nb\n", b"a\nb", Kind.TRUNCATED),
        (b"a\nb\n", b"b\na\n", Kind.REORDERED),
        (b"a\nb\n", b"a\nB\nc\n", Kind.LOG_EDITED),
        (b"a\nb\n", b"x\na\nb\n", Kind.LOG_EDITED),
    ],
)
def test_a_segment_grows_by_whole_lines(before: bytes, after: bytes, kind: Kind | None) -> None:
    assert kinds(SEGMENT, version(before), version(after)) == ([] if kind is None else [kind])
    assert kinds(SIZES, version(before), version(after)) == ([] if kind is None else [Kind.SIZES])


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (note(5), note(7), []),
        (note(7), note(7) + JUNK, [Kind.EDITED]),
        (note(7), note(7) + JUNK * 90, [Kind.EDITED]),
        (note(7) + JUNK, note(7), [Kind.EDITED]),
        (note(5), note(5, RECEIPT), [Kind.EDITED]),
        (note(7), note(5), [Kind.CHECKPOINT]),
        (note(5), note(6, root=b"\7" * 32), [Kind.SPLIT_VIEW]),
        (note(5), note(6, RECEIPT, root=b"\7" * 32), [Kind.CHECKPOINT]),
        (note(5), note(8, root=b"\7" * 32), [Kind.CHECKPOINT]),
        (note(5), note(7, origin="other.invalid/log"), [Kind.CHECKPOINT]),
    ],
    ids=[
        "forward",
        "one more line",
        "ninety more lines",
        "a line less",
        "another signature",
        "back",
        "split",
        "not the log's key",
        "ahead of the log",
        "another log",
    ],
)
def test_a_checkpoint_moves_forward_consistently(before: bytes, after: bytes, expected: list[Kind]) -> None:
    assert kinds(CHECKPOINT, version(before), version(after)) == expected


def test_a_checkpoint_that_was_wrong_is_named_when_it_is_replaced() -> None:
    change = FileChange(CHECKPOINT, version(note(6, root=b"\7" * 32)), version(note(7)))
    judgment = judge(change, PUBLISHED)
    assert judgment.findings == ()
    assert [finding.kind for finding in judgment.replaced] == [Kind.SPLIT_VIEW]


ONE, TWO, THREE = b"1 x\n", b"2 x\n", b"3 x\n"


@pytest.mark.parametrize(
    ("before", "after", "commit", "merge"),
    [
        (ONE, ONE + TWO, True, True),
        (b"", ONE, True, True),
        (ONE + THREE, ONE + TWO + THREE, False, True),
        (ONE, TWO + ONE, False, True),
        (ONE + TWO, TWO + ONE, False, False),
        (ONE + TWO, TWO + ONE + THREE, False, False),
        (ONE + ONE, ONE, False, False),
        (ONE + TWO, ONE, False, False),
        (ONE, TWO, False, False),
    ],
    ids=["end", "first", "between", "start", "order", "order, end", "twice", "lost", "edited"],
)
def test_cosignatures_grow_at_the_end(before: bytes, after: bytes, commit: bool, merge: bool) -> None:  # noqa: FBT001 - a row of a table
    """A merge may put another parent's lines between."""
    for merged, allowed in ((False, commit), (True, merge)):
        change = FileChange(COSIGNATURES, version(before), version(after), merge=merged)
        found = [finding.kind for finding in judge(change, PUBLISHED).findings]
        assert found == ([] if allowed else [Kind.COSIGNATURES])


def test_key_copies_follow_the_log() -> None:
    """The manifest after two keys is right at size 2 alone; after three, from size 3 on."""
    two, three = (key_files(log_of(count).keyring)[MANIFEST] for count in (2, 3))
    assert kinds(MANIFEST, version(two), version(three), size=3) == []
    assert kinds(MANIFEST, version(two), version(three), size=7) == []
    assert kinds(MANIFEST, version(three), version(two), size=7) == [Kind.MANIFEST]
    assert kinds(MANIFEST, version(b"{}"), version(three), size=7) == [Kind.MANIFEST]


def test_evidence_leaves_only_once_it_is_withdrawn() -> None:
    assert kinds(evidence(WITHDRAWN), version(b"x"), None) == []
    assert kinds(evidence(KEPT), version(b"x"), None) == [Kind.DELETED]


@pytest.mark.parametrize("name", ["results/inbox/a.json", "keys/ROTATION.md", "results/published/.gitkeep"])
def test_the_inbox_and_prose_change_at_will(name: str) -> None:
    assert kinds(name, None, version(b"x")) == kinds(name, version(b"x"), None) == []
    assert kinds(name, version(b"x"), version(b"y")) == []


@pytest.mark.parametrize(
    ("path", "index", "kind"), [(METHODOLOGY, 3, Kind.METHODOLOGY), (FIXTURE, 4, Kind.FIXTURE)]
)
def test_documents_change_until_the_log_names_them(path: str, index: int, kind: Kind) -> None:
    old, new = version(b"{}"), version(b"[]")
    assert kinds(path, old, new, size=index) == []
    assert kinds(path, old, new, size=index + 1) == [kind]
    assert kinds(path, old, None, size=index) == []


def test_a_fixture_keeps_its_content_whatever_its_layout() -> None:
    compact, wide = dumps(CONTENT), b'{ "queries": [1, 2],\n "id": "small" }\n'
    judgment = judge(FileChange(FIXTURE, version(compact), version(wide), 7, 7), PUBLISHED)
    assert judgment.findings == ()
    assert "reformatted" in judgment.notes[0]
    assert kinds(FIXTURE, version(b"{}"), version(wide)) == [Kind.RESTORED]


def test_the_log_keeps_its_origin_and_root_keys_from_its_first_entry_on() -> None:
    genuine = version(configuration())
    moved, other = (
        version(configuration(origin="x.invalid")),
        version(configuration(root="sha256:" + "0" * 64)),
    )
    assert kinds("mkdocs.yml", genuine, moved) == [Kind.ORIGIN]
    assert kinds("mkdocs.yml", genuine, other) == [Kind.ROOT]
    assert kinds("mkdocs.yml", genuine, moved, size=0) == []
    unreadable = judge(FileChange("mkdocs.yml", genuine, version(b"]["), 7, 7), PUBLISHED)
    assert unreadable.findings == ()
    assert len(unreadable.notes) == 1


def test_without_a_log_deletions_and_edits_are_still_found() -> None:
    nothing = Published(None, (ORIGIN, ()))
    cut = judge(FileChange(SEGMENT, version(b"a\nb\n"), version(b"a\n")), nothing)
    gone = judge(FileChange(evidence(WITHDRAWN), version(b"x"), None), nothing)
    added = judge(FileChange(RECEIPT_PATH, None, version(b"x")), nothing)
    assert [item.findings[0].kind for item in (cut, gone, added)] == [
        Kind.TRUNCATED,
        Kind.DELETED,
        Kind.FILE_WITHOUT_ENTRY,
    ]


def test_bytes_are_read_only_if_the_answer_depends_on_them() -> None:
    def read(path: str, old: Version | None, new: Version | None, size: int = 7) -> bool:
        return must_read(FileChange(path, old, new, size, size), PUBLISHED)

    one, two = version(b"1"), version(b"2")
    assert read(SEGMENT, one, two)
    assert not read(SEGMENT, one, None)
    assert not read(RECEIPT_PATH, one, two)
    assert not read(FIXTURE, one, two, size=4), "a data set of any size that no entry names yet"
    assert read(FIXTURE, one, two, size=5)
