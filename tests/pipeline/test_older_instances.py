"""An instance that an earlier benchsite made audits, verifies and builds, and grows without a change to any byte of it.

`data/older.bundle` is its history, made with the code of commit e7011ef, before scratch stopped being authority: the
four built-in adapters on `builders.small_fixture`, the rubric receipt of fixtures/rubric-smollm2-135m, a retraction, a
succession, a dispute, a withdrawal of evidence, a new receipt key, one announced run that is reported and one that is
not, and a draft in results/inbox. The seeds of its keys are repeated bytes: 1 root, 2 and then 9 receipt, 3 log.
"""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from publishing import git, measure

from benchsite.environment import Credentials
from benchsite.history import Rescore, Verdict
from benchsite.layout import INBOX
from benchsite.pipeline import build, publish
from benchsite.pipeline import verify as checking
from benchsite.pipeline.audit import audit
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.record import Record, require_log
from benchsite.signing import PrivateKey

BUNDLE = Path(__file__).with_name("data") / "older.bundle"
SUBMITTED = "f058e688-9d79-47a9-a488-67a763ea1657"
ENTRIES = 21
VERDICTS = {
    "1262f6b2-6b77-4c5a-a0ce-701723938a88": Verdict.SUPERSEDED,
    "9132d5ec-da10-4ede-8a4f-cc34d3377274": Verdict.DISPUTED,
    "1980c40f-86a1-4a81-8c01-5e87537b8daf": Verdict.LOGGED,
    "b0a90655-c231-4e60-b608-db5bdd384ba6": Verdict.RETRACTED,
    "031bd378-c048-449b-b300-1cc12cdfa746": Verdict.LOGGED,
    "ce83022c-4077-4ed0-afbe-d26749733da1": Verdict.LOGGED,
    "1b9e4fa2-b985-4985-a391-381418d2518b": Verdict.LOGGED,
}
GROWING = {"results/log/checkpoint", "results/log/entries/000000.jsonl"}
"""Files that every append rewrites; the second may only grow at its end."""


@pytest.fixture
def older(tmp_path: Path) -> Iterator[Instance]:
    root = tmp_path / "older"
    subprocess.run(["git", "clone", "-q", "-b", "main", str(BUNDLE), str(root)], check=True)
    git(root, "remote", "remove", "origin")
    git(root, "config", "user.name", "tests")
    git(root, "config", "user.email", "tests@tests.invalid")
    instance = Instance(root)
    with closing(instance.repository):
        yield instance


@pytest.fixture
def successors(secrets: dict[str, PrivateKey]) -> Credentials:
    """The keys in force at the end of the bundle: its receipt key was replaced."""
    receipt = PrivateKey.from_text(base64.b64encode(bytes([9]) * 32).decode(), "receipt")
    return Credentials.of(**{**secrets, "receipt": receipt})


def blobs(instance: Instance, rev: str) -> dict[str, str]:
    """Path to blob id, for everything published."""
    listed = git(instance.root, "ls-tree", "-r", rev, "results", "keys", "methodology", "fixtures")
    return {path: meta.split()[2] for meta, path in (line.split("\t") for line in listed.splitlines())}


def verdicts(instance: Instance) -> dict[str, Verdict]:
    found = list(checking.verify(instance, (), everything=True))
    assert [item for item in found if item.exit_code != 0] == []
    return {
        item.receipt_id: item.examination.verdict for item in found if item.receipt_id and item.examination
    }


def test_its_record_is_whole_and_every_receipt_has_the_verdict_it_had(older: Instance) -> None:
    result = audit(older)
    assert result.findings == ()
    assert require_log(older).size == ENTRIES
    assert verdicts(older) == VERDICTS
    history = Record.at(older).history()
    assert {header.rescore for header in history} == {Rescore.MATCHES}
    assert [one.subject for one in history.unreported] == ["recency"]


@pytest.mark.stories
def test_its_site_builds(older: Instance, tmp_path: Path) -> None:
    built = build.build(older, tmp_path / "site")
    assert len(built.history) == len(VERDICTS)
    for receipt_id in VERDICTS:
        assert list(built.site.rglob(f"{receipt_id}*"))


def test_what_is_published_after_leaves_every_byte_of_it(older: Instance, successors: Credentials) -> None:
    before, start = blobs(older, "HEAD"), git(older.root, "rev-parse", "HEAD")
    sent = older.root / INBOX / f"{SUBMITTED}.json"
    own = measure(older, "bm25")
    outcome = publish.publish(older, [sent, own], successors, push=False)
    assert set(outcome.receipts) == {SUBMITTED, own.stem}
    assert outcome.left == {}
    after = blobs(older, "HEAD")
    gone_or_changed = {path for path, blob in before.items() if after.get(path) != blob}
    assert gone_or_changed == {*GROWING, f"{INBOX}/{SUBMITTED}.json"}
    entries = older.root / "results/log/entries/000000.jsonl"
    assert entries.read_text().startswith(
        git(older.root, "show", f"{start}:{entries.relative_to(older.root)}")
    )
    assert require_log(older).size == ENTRIES + 2
    assert verdicts(older) == {**VERDICTS, SUBMITTED: Verdict.LOGGED, own.stem: Verdict.LOGGED}
    assert audit(older).findings == ()
