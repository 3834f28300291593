"""Drafts that the keeper did not make: what a measuring job may hand over, and which rules a stranger may go by."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from branches import Work
from builders import commit
from publishing import edit, measure
from rubric_sheets import text

from benchsite import plugins
from benchsite.environment import Credentials
from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.pipeline import methodologies, publish, run
from benchsite.pipeline.instance import Instance

FOLDER = "fixtures/helper-2026"
EVIDENCE = '{file: said.txt, excerpt: "as it said"}'


def sheet(**options: object) -> bytes:
    """A sheet under 1.3.0, one score of which rests on a document beside it."""
    made = text("1.3.0", **options)  # type: ignore[arg-type]
    return made.replace("evidence: []}", f"evidence: [{EVIDENCE}]}}", 1).encode()


def scored(instance: Instance, *, committed: bool = True) -> Path:
    """The draft of one sheet, its document beside it."""
    files = {f"{FOLDER}/one.yaml": sheet(), f"{FOLDER}/said.txt": b"as it said\n"}
    if committed:
        commit(instance, files)
    else:
        (instance.root / FOLDER).mkdir(parents=True)
        for path, data in files.items():
            (instance.root / path).write_bytes(data)
    works = plugins.track("rubric").command().works(sheets=[instance.root / f"{FOLDER}/one.yaml"])
    (result,) = run.run(instance, works)
    assert result.draft is not None, result.reason
    return result.draft


def pin(instance: Instance, credentials: Credentials, version: str) -> None:
    methodologies.pin(instance, credentials, "rubric", version, push=False)


def test_what_committed_sheets_come_to_is_published_with_its_evidence(
    begun: Instance, credentials: Credentials
) -> None:
    pin(begun, credentials, "1.3.0")
    draft = scored(begun)
    outcome = publish.publish(begun, [draft], credentials, push=False, unlinked=True)
    assert outcome.receipts == (draft.stem,)
    assert [item.path.split("/")[1] for item in begun.repository.tree("results/evidence")] == ["evidence"]


def test_sheets_that_are_not_committed_are_nobody_s(begun: Instance, credentials: Credentials) -> None:
    """A measured system could write sheets of its own, and a draft of them."""
    pin(begun, credentials, "1.3.0")
    draft = scored(begun, committed=False)
    with pytest.raises(
        IntegrityError, match=r"config\.sheets names sheets that are not committed in fixtures/"
    ):
        publish.publish(begun, [draft], credentials, push=False, unlinked=True)


@pytest.mark.parametrize("change", ["another agent", "better scores"])
def test_the_digests_of_committed_sheets_lend_no_other_judgement_their_name(
    begun: Instance, credentials: Credentials, change: str
) -> None:
    pin(begun, credentials, "1.3.0")
    draft = scored(begun)
    config = json.loads(draft.read_bytes())["config"]
    if change == "another agent":
        agent = {"name": "EvilBot", "version": "1", "vendor": "Evil"}
        edit(draft, {"agent": agent})
    else:
        (begun.root / FOLDER / "two.yaml").write_bytes(sheet(score=5))
        works = plugins.track("rubric").command().works(sheets=[begun.root / FOLDER / "two.yaml"])
        (result,) = run.run(begun, works)
        assert result.draft is not None
        draft = edit(result.draft, {"config": config})
    with pytest.raises(IntegrityError, match=r"is not what its sheets in fixtures/ come to"):
        publish.publish(begun, [draft], credentials, push=False, unlinked=True)


def test_a_keeper_publishes_any_sheets(begun: Instance, credentials: Credentials) -> None:
    draft = scored(begun, committed=False)
    assert publish.publish(begun, [draft], credentials, push=False).receipts == (draft.stem,)


@pytest.fixture
def proposal(begun: Instance, credentials: Credentials) -> Path:
    """A draft under 1.3.0 where the log pins 1.2.0, so that 1.3.0 is a proposal."""
    pin(begun, credentials, "1.2.0")
    return scored(begun)


def test_a_measuring_job_puts_no_rules_into_force(
    begun: Instance, credentials: Credentials, proposal: Path
) -> None:
    with pytest.raises(PrerequisiteError, match=r"the log does not pin rubric 1\.3\.0"):
        publish.publish(begun, [proposal], credentials, push=False, unlinked=True)


def test_nor_does_a_stranger_and_check_says_so(
    begun: Instance, credentials: Credentials, proposal: Path
) -> None:
    work = Work(begun)
    path = f"results/inbox/{proposal.name}"
    work.adds({path: proposal.read_bytes()})
    (item,) = work.step("drafts").items
    assert (item.where, item.code) == (path, 5)
    assert "the log does not pin rubric 1.3.0" in item.message
    assert "benchsite methodology publish rubric 1.3.0" in item.hint
    with pytest.raises(PrerequisiteError, match="this draft would put it there"):
        publish.publish(begun, [begun.root / path], credentials, push=False)


def test_rules_that_the_keeper_s_own_draft_pins_are_pinned_for_the_rest(
    begun: Instance, credentials: Credentials, proposal: Path
) -> None:
    sent = f"results/inbox/{proposal.name}"
    commit(begun, {sent: proposal.read_bytes()})
    own = scored(begun)
    outcome = publish.publish(begun, [own, begun.root / sent], credentials, push=False)
    assert set(outcome.receipts) == {own.stem, proposal.stem}


def test_before_the_log_pins_any_the_newest_there_is_may_be_used(
    begun: Instance, credentials: Credentials
) -> None:
    draft = measure(begun)
    assert publish.publish(begun, [draft], credentials, push=False, unlinked=True).receipts == (draft.stem,)


def test_and_no_older_one(begun: Instance, credentials: Credentials) -> None:
    """1.3.0 of rubric lies beside 2.0.0, and the log pins neither."""
    draft = scored(begun)
    with pytest.raises(PrerequisiteError, match=r"the log does not pin rubric 1\.3\.0"):
        publish.publish(begun, [draft], credentials, push=False, unlinked=True)
    pin(begun, credentials, "1.3.0")
    assert publish.publish(begun, [draft], credentials, push=False, unlinked=True).receipts == (draft.stem,)
