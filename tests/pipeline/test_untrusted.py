"""Drafts that the keeper did not make: what a measuring job may hand over, and which rules a stranger may go by."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from branches import Work
from builders import commit
from examples import some
from publishing import edit, measure, suite
from rubric_sheets import text
from snapshots import opened, snapshot

from benchsite import plugins
from benchsite.environment import Credentials
from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.layout import CONFIG
from benchsite.log import DisputeEntry, RetractEntry
from benchsite.pipeline import publish
from benchsite.pipeline.measure import run
from benchsite.pipeline.publish import events, methodologies
from benchsite.pipeline.snapshot.evidence_store import EvidenceStore
from benchsite.pipeline.workspace import Workspace

FOLDER = "fixtures/helper-2026"
EVIDENCE = '{file: said.txt, excerpt: "as it said"}'


def sheet(**options: object) -> bytes:
    """A sheet under 1.3.0, one score of which rests on a document beside it."""
    made = text("1.3.0", **options)  # type: ignore[arg-type]
    return made.replace("evidence: []}", f"evidence: [{EVIDENCE}]}}", 1).encode()


def listed(instance: Workspace, *entries: str) -> bytes:
    """`mkdocs.yml` with a suite of rubric alone; each entry is the names of sheets in the folder."""
    text = (instance.root / CONFIG).read_text().partition("    suite:\n")[0] + "    suite:\n"
    for names in entries:
        paths = ", ".join(f"{FOLDER}/{name}" for name in names.split())
        text += f"      - {{track: rubric, sheets: [{paths}]}}\n"
    return text.encode()


@pytest.fixture
def begun(begun: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Sheets are named on the command line as from the folder of the instance, where the command stands."""
    monkeypatch.chdir(begun.root)
    return begun


def drafted(instance: Workspace, *names: str) -> Path:
    """The draft of some sheets of the folder."""
    works = plugins.track("rubric").command.works(sheets=[Path(FOLDER) / name for name in names])
    (result,) = run.run(instance, opened(instance), works)
    assert result.draft is not None, result.reason
    return result.draft


def suite_of(instance: Workspace, files: dict[str, bytes], *entries: str) -> Workspace:
    """An instance with these files in the folder and these entries in its suite, all committed."""
    commit(
        instance,
        {**{f"{FOLDER}/{name}": data for name, data in files.items()}, CONFIG: listed(instance, *entries)},
    )
    return Workspace(instance.root)


def job_publishes(instance: Workspace, credentials: Credentials, *drafts: Path) -> tuple[str, ...]:
    return publish.publish(
        instance, opened(instance), drafts, credentials, push=False, untrusted=True
    ).receipts


def scored(instance: Workspace, *, committed: bool = True) -> Path:
    """The draft of the suite's one sheet, its document beside it."""
    files = {f"{FOLDER}/one.yaml": sheet(), f"{FOLDER}/said.txt": b"as it said\n"}
    if committed:
        commit(instance, {**files, CONFIG: listed(instance, "one.yaml")})
    else:
        (instance.root / FOLDER).mkdir(parents=True)
        for path, data in files.items():
            (instance.root / path).write_bytes(data)
    return drafted(instance, "one.yaml")


def pin(instance: Workspace, credentials: Credentials, version: str) -> None:
    methodologies.pin(instance, credentials, "rubric", version, push=False)


def test_what_committed_sheets_come_to_is_published_with_its_evidence(
    begun: Workspace, credentials: Credentials
) -> None:
    pin(begun, credentials, "1.3.0")
    draft = scored(begun)
    assert job_publishes(Workspace(begun.root), credentials, draft) == (draft.stem,)
    assert [item.path.split("/")[1] for item in begun.repository.tree("results/evidence", rev="HEAD")] == [
        "evidence"
    ]


def test_sheets_that_are_not_committed_are_nobody_s(begun: Workspace, credentials: Credentials) -> None:
    """A measured system could write sheets of its own, and a draft of them."""
    pin(begun, credentials, "1.3.0")
    draft = scored(begun, committed=False)
    with pytest.raises(PrerequisiteError, match=r"one\.yaml has uncommitted"):
        job_publishes(Workspace(begun.root), credentials, draft)
    shutil.rmtree(begun.root / FOLDER)
    with pytest.raises(IntegrityError, match=r"config\.sheets .*not committed"):
        job_publishes(Workspace(begun.root), credentials, draft)


@pytest.mark.parametrize("change", ["another agent", "better scores"])
def test_the_digests_of_committed_sheets_lend_no_other_judgement_their_name(
    begun: Workspace, credentials: Credentials, change: str
) -> None:
    pin(begun, credentials, "1.3.0")
    draft = scored(begun)
    config = json.loads(draft.read_bytes())["config"]
    if change == "another agent":
        agent = {"name": "EvilBot", "version": "1", "vendor": "Evil"}
        edit(draft, {"agent": agent})
    else:
        (begun.root / FOLDER / "two.yaml").write_bytes(sheet(score=5))
        draft = edit(drafted(begun, "two.yaml"), {"config": config})
        (begun.root / FOLDER / "two.yaml").unlink()
    with pytest.raises(IntegrityError, match="of its sheets"):
        job_publishes(Workspace(begun.root), credentials, draft)


@pytest.fixture
def pair(begun: Workspace, credentials: Credentials) -> Workspace:
    """Ada gives ones and Bo fives, and the suite lists them together."""
    pin(begun, credentials, "1.3.0")
    files = {
        f"{name.lower()}.yaml": text(evaluator=name, score=score).encode()
        for name, score in (("Ada", 1), ("Bo", 5))
    }
    return suite_of(begun, files, "ada.yaml bo.yaml")


def test_a_measuring_job_does_not_choose_whose_judgement_is_signed(
    pair: Workspace, credentials: Credentials
) -> None:
    both, bo = drafted(pair, "ada.yaml", "bo.yaml"), drafted(pair, "bo.yaml")
    with pytest.raises(IntegrityError, match="match no entry"):
        job_publishes(pair, credentials, bo)
    assert job_publishes(pair, credentials, both) == (both.stem,)


def test_nor_publishes_them_twice(pair: Workspace, credentials: Credentials) -> None:
    """Two drafts of one entry are refused; what was published before is left out, and the rest is published."""
    first, second = (drafted(pair, "ada.yaml", "bo.yaml") for _ in range(2))
    sheets = f"[{FOLDER}/ada.yaml, {FOLDER}/bo.yaml]"
    pair = suite(pair, "recency", more=f"      - {{track: rubric, sheets: {sheets}}}\n")
    with pytest.raises(IntegrityError, match="another draft matches"):
        job_publishes(pair, credentials, first, second)
    measured = measure(pair)
    assert set(job_publishes(pair, credentials, first, measured)) == {first.stem, measured.stem}
    edit(second, {"ranAt": "2026-11-20T12:00:00Z"})
    outcome = publish.publish(pair, opened(pair), [second], credentials, push=False, untrusted=True)
    assert outcome.receipts == ()
    assert "this run is already published" in outcome.left[second.stem].message


@pytest.mark.parametrize("said", ["retract", "dispute"])
def test_nor_brings_back_what_was_taken_back_or_disputed(
    pair: Workspace, credentials: Credentials, said: str
) -> None:
    """Ada takes her consent back and the keeper retracts: the next run of the workflow must not sign it again."""
    first, second = (drafted(pair, "ada.yaml", "bo.yaml") for _ in range(2))
    assert job_publishes(pair, credentials, first) == (first.stem,)
    event = (
        RetractEntry(receiptId=first.stem, reason="Ada took her consent back")
        if said == "retract"
        else DisputeEntry(receiptId=first.stem, url="https://example.org/1")
    )
    events.announce(pair, credentials, event, push=False)
    assert job_publishes(pair, credentials, second) == ()
    (again,) = run.run(pair, opened(pair), run.suite(pair), changed=True)
    assert (again.draft, again.error) == (None, None)


def test_a_crash_between_the_commit_and_the_cleaning_up_is_no_second_publication(
    pair: Workspace, credentials: Credentials
) -> None:
    draft = drafted(pair, "ada.yaml", "bo.yaml")
    data = draft.read_bytes()
    job_publishes(pair, credentials, draft)
    draft.write_bytes(data)
    assert job_publishes(pair, credentials, draft) == ()
    assert not draft.exists()


def test_a_suite_that_nobody_committed_lists_nothing(pair: Workspace, credentials: Credentials) -> None:
    bo = drafted(pair, "bo.yaml")
    (pair.root / CONFIG).write_bytes(listed(pair, "bo.yaml"))
    with pytest.raises(PrerequisiteError, match=r"mkdocs\.yml has uncommitted"):
        job_publishes(Workspace(pair.root), credentials, bo)


def test_a_copy_of_a_sheet_elsewhere_is_not_taken_for_it(begun: Workspace, credentials: Credentials) -> None:
    """The copy lies where the document that the sheet names does not."""
    pin(begun, credentials, "1.3.0")
    draft = scored(begun)
    commit(begun, {"fixtures/zzz/copy.yaml": sheet()})
    assert job_publishes(Workspace(begun.root), credentials, draft) == (draft.stem,)


def test_an_entry_that_cannot_be_scored_stops_no_other(pair: Workspace, credentials: Credentials) -> None:
    files = {"torn.yaml": sheet(evaluator="Cy")}
    instance = suite_of(pair, files, "torn.yaml", "gone.yaml", "ada.yaml bo.yaml")
    draft = drafted(instance, "ada.yaml", "bo.yaml")
    other = drafted(instance, "bo.yaml")
    with pytest.raises(IntegrityError) as caught:
        job_publishes(instance, credentials, other)
    assert "there is no said.txt beside the sheet" in caught.value.hint
    assert f"cannot read sheet {FOLDER}/gone.yaml" in caught.value.hint
    assert job_publishes(instance, credentials, draft) == (draft.stem,)


def test_a_keeper_publishes_any_sheets(begun: Workspace, credentials: Credentials) -> None:
    draft = scored(begun, committed=False)
    assert publish.publish(begun, opened(begun), [draft], credentials, push=False).receipts == (draft.stem,)


def test_no_mirror_stands_for_the_sheets_of_an_evaluation(
    begun: Workspace, credentials: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reviewers of a pull request read sheets; files of a draft at a mirror nobody has read."""
    pin(begun, credentials, "1.3.0")
    path = scored(begun, committed=False)
    draft = path.read_bytes()
    kept = {item.name: item.read_bytes() for item in (begun.root / ".benchsite/attachments").iterdir()}
    monkeypatch.setattr(EvidenceStore, "mirrored", lambda _store, sha256: kept.get(sha256))
    shutil.rmtree(begun.root / ".benchsite/attachments")
    path.unlink()
    work = Work(begun)
    place = f"results/inbox/{path.name}"
    work.adds({place: draft})
    (item,) = work.step("drafts").items
    assert "a draft carries no evidence files" in item.message
    outcome = publish.publish(begun, opened(begun), [begun.root / place], credentials, push=False)
    assert outcome.receipts == ()
    assert "is missing" in outcome.left[path.stem].message


@pytest.fixture
def proposal(begun: Workspace, credentials: Credentials) -> Path:
    """A draft under 1.3.0 where the log pins 1.2.0, so that 1.3.0 is a proposal."""
    pin(begun, credentials, "1.2.0")
    return scored(begun)


def test_a_measuring_job_puts_no_rules_into_force(
    begun: Workspace, credentials: Credentials, proposal: Path
) -> None:
    with pytest.raises(PrerequisiteError, match=r"rubric 1\.3\.0 .*log"):
        job_publishes(Workspace(begun.root), credentials, proposal)


def test_nor_does_a_stranger_and_check_says_so(
    begun: Workspace, credentials: Credentials, proposal: Path
) -> None:
    work = Work(begun)
    path = f"results/inbox/{proposal.name}"
    work.adds({path: proposal.read_bytes()})
    (item,) = work.step("drafts").items
    assert (item.where, item.code) == (path, 5)
    assert "methodology rubric 1.3.0 is not in the log" in item.message
    assert "benchsite methodology publish rubric 1.3.0" in item.hint
    outcome = publish.publish(begun, opened(begun), [begun.root / path], credentials, push=False)
    assert outcome.receipts == ()
    assert "an untrusted draft cannot add it" in outcome.left[proposal.stem].message


def test_rules_that_the_keeper_s_own_draft_pins_are_pinned_for_the_rest(
    begun: Workspace, credentials: Credentials, proposal: Path
) -> None:
    sent = f"results/inbox/{proposal.name}"
    commit(begun, {sent: proposal.read_bytes()})
    own = scored(begun)
    outcome = publish.publish(begun, opened(begun), [own, begun.root / sent], credentials, push=False)
    assert set(outcome.receipts) == {own.stem, proposal.stem}


def test_before_the_log_pins_any_the_newest_there_is_may_be_used(
    begun: Workspace, credentials: Credentials
) -> None:
    instance = suite(begun, "recency")
    draft = measure(instance)
    assert job_publishes(instance, credentials, draft) == (draft.stem,)


def test_and_no_older_one(begun: Workspace, credentials: Credentials) -> None:
    """1.3.0 of rubric lies beside 2.0.0, and the log pins neither."""
    draft = scored(begun)
    with pytest.raises(PrerequisiteError, match=r"rubric 1\.3\.0 .*log"):
        job_publishes(Workspace(begun.root), credentials, draft)
    pin(begun, credentials, "1.3.0")
    assert job_publishes(Workspace(begun.root), credentials, draft) == (draft.stem,)


def test_a_stranger_s_draft_that_is_refused_stops_no_other(
    begun: Workspace, credentials: Credentials, proposal: Path
) -> None:
    """1.3.0 is a proposal: it waits for the keeper, and what the keeper measured does not."""
    sent = f"results/inbox/{proposal.name}"
    commit(begun, {sent: proposal.read_bytes()})
    proposal.unlink()
    begun = suite(begun, "recency")
    own = measure(begun)
    outcome = publish.publish(
        begun, opened(begun), [own, begun.root / sent], credentials, push=False, untrusted=True
    )
    assert outcome.receipts == (own.stem,)
    assert {name: type(error) for name, error in outcome.left.items()} == {proposal.stem: PrerequisiteError}
    assert begun.repository.read(sent, rev="HEAD") is not None
    pin(begun, credentials, "1.3.0")
    assert publish.publish(begun, opened(begun), [begun.root / sent], credentials, push=False).receipts == (
        proposal.stem,
    )


@pytest.mark.parametrize(
    ("change", "words"),
    some(
        [
            ({"scores": {}}, "scores"),
            ({"ranAt": "2031-01-01T00:00:00Z"}, "this machine's clock"),
            ({"ranAt": "2026-02-30T00:00:00Z"}, "is not a valid date"),
            ({"logHead": {"root": "A" * 43 + "="}}, "would fail verification"),
            ({"reproduces": "00000000-0000-4000-8000-000000000000"}, "not in the log"),
        ],
        gate=3,
    ),
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_whatever_is_wrong_with_it(
    begun: Workspace, credentials: Credentials, change: dict[str, Any], words: str
) -> None:
    bad = measure(begun, "bm25")
    head = json.loads(bad.read_bytes())["logHead"]
    edit(bad, {name: {**head, **value} if name == "logHead" else value for name, value in change.items()})
    sent = f"results/inbox/{bad.name}"
    commit(begun, {sent: bad.read_bytes()})
    bad.unlink()
    own = measure(begun)
    outcome = publish.publish(begun, opened(begun), [begun.root / sent, own], credentials, push=False)
    assert outcome.receipts == (own.stem,)
    assert words in outcome.left[bad.stem].message
    log = snapshot(begun).log
    assert log is not None
    assert bad.stem not in log.receipts


def test_rules_of_the_keeper_s_own_draft_count_whichever_ran_first(
    begun: Workspace, credentials: Credentials, proposal: Path
) -> None:
    sent = f"results/inbox/{proposal.name}"
    edit(proposal, {"ranAt": "2026-11-20T00:00:00Z"})
    commit(begun, {sent: proposal.read_bytes()})
    proposal.unlink()
    own = scored(begun)
    outcome = publish.publish(begun, opened(begun), [own, begun.root / sent], credentials, push=False)
    assert outcome.receipts == (proposal.stem, own.stem)
