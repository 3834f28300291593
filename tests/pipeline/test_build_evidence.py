"""Verdicts that a build keeps of receipts whose evidence is outside git, and what makes it reach them again."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import commit
from rebuilding import measured, new_prose

from benchsite import canonical
from benchsite.environment import Credentials
from benchsite.history import Header
from benchsite.layout import evidence_path
from benchsite.pipeline import build
from benchsite.pipeline.building import headers
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.publish import events
from benchsite.pipeline.record import evidence
from benchsite.pipeline.record.materials import IN_GIT
from benchsite.signing import PrivateKey
from benchsite.track import Evidence

Secrets = dict[str, PrivateKey]
MIRRORED = Evidence("traces.jsonl", "application/x-ndjson", b"one run\n", mirrored=True)
LARGE = Evidence("transcripts.txt", "text/plain", b"x" * (IN_GIT + 1))


@pytest.fixture
def verified(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The receipts that are verified, each time one is."""
    found: list[str] = []
    encoded = headers.encoded

    def counted(header: Header) -> str | None:
        found.append(header.receipt_id)
        return encoded(header)

    monkeypatch.setattr(headers, "encoded", counted)
    return found


def reached_again(instance: Instance, site: Path, verified: list[str]) -> list[str]:
    """The receipts whose kept verdict the next build discards."""
    new_prose(instance, {})
    verified.clear()
    build.build(instance, site)
    return list(verified)


@pytest.mark.parametrize("item", [MIRRORED, LARGE], ids=["mirrored", "large"])
def test_a_verdict_is_kept_until_evidence_outside_git_appears_or_is_withdrawn(
    small: Instance, secrets: Secrets, tmp_path: Path, verified: list[str], item: Evidence
) -> None:
    settings, site, sha256 = small.root / "mkdocs.yml", tmp_path / "site", canonical.sha256_hex(item.data)
    mirrors = "  benchsite:\n    mirrors:\n      - https://mirror.invalid\n"
    settings.write_text(settings.read_text().replace("  benchsite:\n", mirrors))
    small.refresh()
    evidence.keep(small, item)
    told = measured(small, secrets, evidence=[evidence.reference(item)])
    build.build(small, site)
    assert told in verified
    assert reached_again(small, site, verified) == []
    commit(small, {evidence_path(sha256): item.data})
    assert reached_again(small, site, verified) == [told]
    entry = events.withdrawal(sha256, "personal data")
    events.announce(small, Credentials.of(**secrets), entry, push=False)
    assert reached_again(small, site, verified) == [told]
    assert reached_again(small, site, verified) == []


def test_no_verdict_is_kept_while_evidence_that_git_should_hold_is_missing(
    small: Instance, secrets: Secrets, tmp_path: Path, verified: list[str]
) -> None:
    item = Evidence("transcript.txt", "text/plain", b"What was answered.\n")
    site, path = tmp_path / "site", evidence_path(canonical.sha256_hex(item.data))
    evidence.keep(small, item)
    told = measured(small, secrets, evidence=[evidence.reference(item)])
    build.build(small, site)
    assert reached_again(small, site, verified) == []
    commit(small, {}, removes=(path,))
    assert reached_again(small, site, verified) == [told]
    assert reached_again(small, site, verified) == [told]
