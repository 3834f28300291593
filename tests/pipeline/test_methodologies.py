"""Rules as documents: listing, checking, pinning, and edits after a pin, each with rubric documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from builders import commit, retrieval_work
from documents import version_files
from publishing import git, measure
from rubric_versions import VERSIONS, folder, put, rules, without
from snapshots import at_head, opened, snapshot

from benchsite.environment import Credentials
from benchsite.errors import InputError, IntegrityError, PrerequisiteError, UsageError
from benchsite.methodology import version_key
from benchsite.pipeline import check as branch_check
from benchsite.pipeline.audit import audit
from benchsite.pipeline.build import build
from benchsite.pipeline.measure import run
from benchsite.pipeline.publish import methodologies, publish
from benchsite.pipeline.workspace import Workspace
from benchsite.repo.head import resolve_head
from benchsite.site import pages
from benchsite.site.render import Renderer
from benchsite.track import Library


def statuses(instance: Workspace) -> list[str]:
    return [
        item.status.word
        for item in methodologies.listed(instance, opened(instance))
        if item.document.data.track == "rubric"
    ]


def bodies(instance: Workspace) -> dict[str, str]:
    """Version to the HTML of its page."""
    log = opened(instance).log
    assert log is not None
    library = Library(instance.methodologies.every(), lambda _id, _sha: None, dict(log.methodologies))
    renderer = Renderer({})
    made = {page.path: page for page in pages.methodology(library)}
    return {version: renderer.body(made[f"{folder(version)}/"]) for version in VERSIONS}


def noticed(instance: Workspace, word: str) -> list[str]:
    return [version for version, body in bodies(instance).items() if word in body]


def test_publishing_a_version_turns_the_notices_and_touches_no_document(
    five: Workspace, credentials: Credentials
) -> None:
    assert statuses(five) == ["superseded", "superseded", "superseded", "current", "proposed"]
    assert noticed(five, "Superseded.") == ["1.0.0", "1.1.0", "1.2.0"]
    assert noticed(five, "Proposed.") == ["2.0.0"]
    files = {path: path.read_bytes() for path in (five.root / "methodology").rglob("*") if path.is_file()}
    head = resolve_head(five.repository)
    appended = methodologies.pin(five, credentials, "rubric", "2.0.0", push=False)
    assert appended.commit == resolve_head(five.repository)
    assert git(five.root, "diff", "--name-only", head, "HEAD").split() == [
        "results/log/checkpoint",
        "results/log/entries/000000.jsonl",
        "results/log/sizes",
    ]
    assert {path: path.read_bytes() for path in files} == files
    assert statuses(five) == ["superseded", "superseded", "superseded", "superseded", "current"]
    assert noticed(five, "Superseded.") == ["1.0.0", "1.1.0", "1.2.0", "1.3.0"]
    assert noticed(five, "Proposed.") == []


def test_the_entry_pins_the_digest_of_the_committed_files(five: Workspace, credentials: Credentials) -> None:
    methodologies.pin(five, credentials, "rubric", "2.0.0", push=False)
    log = snapshot(five).log
    assert log is not None
    pinned = log.methodologies["rubric", "2.0.0"]
    assert pinned.sha256 == snapshot(five).methodology_digest("rubric", "2.0.0")
    assert pinned.index == log.size - 1


def test_publishing_twice_adds_nothing(five: Workspace, credentials: Credentials) -> None:
    methodologies.pin(five, credentials, "rubric", "2.0.0", push=False)
    head = resolve_head(five.repository)
    assert methodologies.pinnable(five, opened(five), "rubric", "2.0.0") is None
    assert methodologies.pin(five, credentials, "rubric", "2.0.0", push=False).commit is None
    assert resolve_head(five.repository) == head


def test_other_content_than_what_is_pinned_is_refused(five: Workspace) -> None:
    put(five, "1.3.0", rules("1.3.0").replace(b"Small.", b"Smaller."))
    with pytest.raises(IntegrityError, match=r"rubric/1\.3\.0 .*edited.*entry [0-9]+"):
        methodologies.pinnable(five, opened(five), "rubric", "1.3.0")


def test_what_is_not_committed_is_not_published(five: Workspace) -> None:
    path = five.root / folder("2.0.0") / "text.md"
    path.write_text("## 1 Other\n", encoding="utf-8")
    five.refresh()
    with pytest.raises(PrerequisiteError, match="has uncommitted changes"):
        methodologies.pinnable(five, opened(five), "rubric", "2.0.0")


def test_a_link_in_the_place_of_a_file_is_not_published(five: Workspace) -> None:
    text = five.root / folder("2.0.0") / "text.md"
    (five.root / "elsewhere.md").write_bytes(text.read_bytes())
    text.unlink()
    text.symlink_to("../../../elsewhere.md")
    git(five.root, "add", "-A")
    git(five.root, "commit", "-q", "-m", "a link")
    five.refresh()
    with pytest.raises(PrerequisiteError, match=r"text\.md .*link"):
        methodologies.pinnable(five, opened(five), "rubric", "2.0.0")


def test_unknown_versions_and_tracks_are_named(five: Workspace) -> None:
    with pytest.raises(UsageError, match=r"methodology rubric 9\.9\.9"):
        methodologies.pinnable(five, opened(five), "rubric", "9.9.9")
    with pytest.raises(InputError, match="version: methodology/poetry"):
        methodologies.pinnable(five, opened(five), "poetry", "1.0.0")


@pytest.mark.parametrize(
    ("was", "now", "says"),
    [
        (b'published: "2026-', b'published: "2016-', r"published 2016-\S+, before 0\.0\.1 of 2026"),
    ],
)
def test_a_first_receipt_pins_no_version_that_could_not_be_published(
    begun: Workspace, credentials: Credentials, was: bytes, now: bytes, says: str
) -> None:
    path = "methodology/retrieval/1.0.0/methodology.yaml"
    data = (begun.root / path).read_bytes()
    assert was in data
    (begun.root / path).write_bytes(data.replace(was, now))
    commit(begun, {path: data.replace(was, now)})
    begun.refresh()
    draft, head = measure(begun), resolve_head(begun.repository)
    with pytest.raises(InputError, match=says):
        methodologies.pinnable(begun, opened(begun), "retrieval", "1.0.0")
    with pytest.raises(InputError, match=says):
        publish(begun, opened(begun), [draft], credentials, push=False)
    assert resolve_head(begun.repository) == head


def test_nothing_is_measured_under_parameters_that_the_engine_refuses(begun: Workspace) -> None:
    path = begun.root / "methodology/retrieval/1.0.0/parameters.json"
    data = path.read_bytes()
    assert b'"headlineK": 10' in data
    path.write_bytes(data.replace(b'"headlineK": 10', b'"headlineK": 7'))
    begun.refresh()
    result = next(run.run(begun, opened(begun), [retrieval_work("recency")]))
    assert result.state == "failed"
    assert result.reason.startswith("methodology/retrieval/1.0.0: parameters: ")
    assert "headlineK must be one of ks" in result.reason


def edit(instance: Workspace) -> None:
    put(instance, "1.2.0", rules("1.2.0").replace(b"Small.", b"Smaller."))


def edit_prose(instance: Workspace) -> None:
    commit(instance, {f"{folder('1.2.0')}/text.md": b"## 1 Other rules\n"})
    instance.refresh()


def delete(instance: Workspace) -> None:
    without(instance, "1.2.0")


def rename(instance: Workspace) -> None:
    """The content lives on under another number."""
    data = rules("1.2.0").replace(b"version: 1.2.0", b"version: 1.2.1")
    without(instance, "1.2.0")
    files = version_files(data, b"## 1 Rules of 1.2.0\n")
    commit(instance, {f"{folder('1.2.1')}/{name}": held for name, held in files.items()})
    instance.refresh()


@pytest.mark.parametrize("alter", [edit, edit_prose, delete, rename])
def test_a_pinned_version_that_was_altered_is_refused_everywhere(
    five: Workspace, credentials: Credentials, tmp_path: Path, alter: Any
) -> None:
    base = resolve_head(five.repository)
    alter(five)
    checked = methodologies.check(five, opened(five))
    integrity = [fault for fault in checked.faults if isinstance(fault, IntegrityError)]
    assert [folder("1.2.0") in fault.message for fault in integrity] == [True]
    result = audit(snapshot(five))
    assert not result.ok
    assert {finding.path.partition("1.2.0")[0] for finding in result.findings} == {"methodology/rubric/"}
    with pytest.raises(IntegrityError, match=r"methodology/rubric/1\.2\.0 .*(edited|missing)"):
        build(five, opened(five), tmp_path / "site")
    with pytest.raises(IntegrityError, match=r"methodology/rubric/1\.2\.0 .*(edited|missing)"):
        methodologies.pin(five, credentials, "rubric", "2.0.0", push=False)
    report = branch_check.check(*at_head(five.root), onto=base, build=False, progress=lambda *_: None)
    steps = {step.name: step for step in report.steps}
    assert report.exit_code == IntegrityError.exit_code
    assert any("rubric/1.2.0" in item.where for item in steps["methodologies"].items)


def test_without_a_log_the_newest_on_disk_is_current(begun: Workspace) -> None:
    found = [
        item for item in methodologies.listed(begun, opened(begun)) if item.document.data.track == "retrieval"
    ]
    newest = max(item.document.data.version for item in found)
    assert [
        (item.status.word, item.status.pin) for item in found if item.document.data.version == newest
    ] == [("current", None)]
    assert version_key(newest) == max(version_key(item.document.data.version) for item in found)


def test_no_sheet_where_programs_are_measured(five: Workspace) -> None:
    with pytest.raises(UsageError, match="nor any sheet"):
        methodologies.blank_sheet(five, "retrieval", "1.0.0", "customer-service")
    with pytest.raises(UsageError, match="track named 'poetry'"):
        methodologies.blank_sheet(five, "poetry", "1.0.0", "customer-service")
