"""An instance that an earlier benchsite made audits, verifies and builds, and grows without a change to any byte of it.

`data/older.bundle` is its history, which `data/older.py` wrote with the formats of November 2026: the four built-in adapters on
`builders.small_fixture`, the rubric receipt of fixtures/rubric-smollm2-135m, a retraction, a succession, a dispute,
a withdrawal of evidence, a new receipt key, one pre-registered run that is reported and one that is not, and a
draft in results/inbox. The seeds of its keys are repeated bytes: 1 root, 2 and then 9 receipt, 3 log.
"""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from publishing import git, measure
from snapshots import log_of, opened, snapshot

from benchsite.environment import Credentials
from benchsite.history import Rescore, Verdict
from benchsite.layout import INBOX
from benchsite.pipeline import build, publish
from benchsite.pipeline import verify as checking
from benchsite.pipeline.audit import audit
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey

BUNDLE = Path(__file__).with_name("data") / "older.bundle"
SUBMITTED = "c0551822-18bc-4c53-84cd-3e5be767d67a"
ENTRIES = 21
VERDICTS = {
    "503a5328-ae7c-4100-903d-80f1371b6e96": Verdict.SUPERSEDED,
    "b9a0cdec-4b51-4547-be06-a8e1eba88dab": Verdict.DISPUTED,
    "12808b78-5b3b-482a-9236-9beabac652bf": Verdict.LOGGED,
    "caa22692-797a-4036-8fb9-febf43eeb69e": Verdict.RETRACTED,
    "9bc6934e-b788-418f-bdca-d8dd7d0aa5a7": Verdict.LOGGED,
    "546532b0-a596-4aee-9e5a-4b13c224a311": Verdict.LOGGED,
    "70ba5eb7-ed5c-4958-97a0-4069db91af74": Verdict.LOGGED,
}
LENGTHENED = ("results/log/entries/000000.jsonl", "results/log/sizes")
"""Files that every append adds to, at the end."""
GROWING = {"results/log/checkpoint", *LENGTHENED}
"""Files that every append rewrites."""


@pytest.fixture
def older(tmp_path: Path) -> Iterator[Workspace]:
    root = tmp_path / "older"
    subprocess.run(["git", "clone", "-q", "-b", "main", str(BUNDLE), str(root)], check=True)
    git(root, "remote", "remove", "origin")
    git(root, "config", "user.name", "tests")
    git(root, "config", "user.email", "tests@tests.invalid")
    instance = Workspace(root)
    with closing(instance.repository):
        yield instance


@pytest.fixture
def successors(secrets: dict[str, PrivateKey]) -> Credentials:
    """The keys in force at the end of the bundle: its receipt key was replaced."""
    receipt = PrivateKey.from_text(base64.b64encode(bytes([9]) * 32).decode(), "receipt")
    return Credentials.of(**{**secrets, "receipt": receipt})


def blobs(instance: Workspace, rev: str) -> dict[str, str]:
    """Path to blob id, for everything published."""
    listed = git(instance.root, "ls-tree", "-r", rev, "results", "keys", "methodology", "fixtures")
    return {path: meta.split()[2] for meta, path in (line.split("\t") for line in listed.splitlines())}


def verdicts(instance: Workspace) -> dict[str, Verdict]:
    found = list(checking.verify(opened(instance), (), everything=True))
    assert [item for item in found if item.exit_code != 0] == []
    return {
        item.receipt_id: item.examination.verdict for item in found if item.receipt_id and item.examination
    }


def test_its_record_is_whole_and_every_receipt_has_the_verdict_it_had(older: Workspace) -> None:
    result = audit(snapshot(older))
    assert result.findings == ()
    assert log_of(older).size == ENTRIES
    assert verdicts(older) == VERDICTS
    history = snapshot(older).history()
    assert {header.rescore for header in history} == {Rescore.MATCHES}
    assert [one.subject for one in history.unreported] == ["recency"]


@pytest.mark.stories
def test_its_site_builds(older: Workspace, tmp_path: Path) -> None:
    built = build.build(older, opened(older), tmp_path / "site")
    assert built.receipts == len(VERDICTS)
    for receipt_id in VERDICTS:
        assert list(built.site.rglob(f"{receipt_id}*"))


def test_what_is_published_after_leaves_every_byte_of_it(older: Workspace, successors: Credentials) -> None:
    before, start = blobs(older, "HEAD"), git(older.root, "rev-parse", "HEAD")
    sent = older.root / INBOX / f"{SUBMITTED}.json"
    own = measure(older, "bm25")
    outcome = publish.publish(older, opened(older), [sent, own], successors, push=False)
    assert set(outcome.receipts) == {SUBMITTED, own.stem}
    assert outcome.left == {}
    after = blobs(older, "HEAD")
    gone_or_changed = {path for path, blob in before.items() if after.get(path) != blob}
    assert gone_or_changed == {*GROWING, f"{INBOX}/{SUBMITTED}.json"}
    for path in LENGTHENED:
        assert (older.root / path).read_text().startswith(git(older.root, "show", f"{start}:{path}") + "\n")
    assert log_of(older).size == ENTRIES + 2
    assert verdicts(older) == {**VERDICTS, SUBMITTED: Verdict.LOGGED, own.stem: Verdict.LOGGED}
    assert audit(snapshot(older)).findings == ()
