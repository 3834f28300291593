from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from branches import Work, failing, states
from builders import FIXTURE, small_fixture
from publishing import git, remote_pair
from snapshots import at_head, snapshot

from benchsite.errors import PrerequisiteError, UsageError
from benchsite.pipeline import check as checking
from benchsite.pipeline.workspace import Workspace
from benchsite.repo import Repository
from benchsite.repo.head import resolve_head

ANSWERED = {
    "license": "CC0-1.0",
    "source": "written for the tests",
    "notes": "by hand; no model has seen them",
}


def fixture_bytes(name: str, **changes: object) -> bytes:
    return json.dumps({**small_fixture(), "id": name, **ANSWERED, **changes}).encode()


def edited(instance: Workspace, path: str, old: str, new: str) -> dict[str, bytes]:
    text = (instance.root / path).read_text(encoding="utf-8")
    assert old in text
    return {path: text.replace(old, new, 1).encode()}


@pytest.mark.full
@pytest.mark.stories
def test_a_branch_that_changes_prose_passes_every_step(published: Workspace) -> None:
    work = Work(published)
    work.adds({"content/note.md": b"# A note\n"})
    report = work.checked(build=True)
    assert report.ok, report.steps
    assert (report.exit_code, report.base) == (0, work.base)
    assert states(report) == {
        "base": "pass",
        "configuration": "pass",
        "names": "pass",
        "record": "pass",
        "private keys": "pass",
        "code": "pass",
        "methodologies": "pass",
        "fixtures": "pass",
        "sheets": "pass",
        "drafts": "pass",
        "adapters": "not checked",
        "build": "pass",
    }


def test_one_failure_does_not_hide_the_next_and_integrity_comes_first(published: Workspace) -> None:
    work = Work(published)
    receipt = snapshot(published).published[0].path
    rules = "methodology/retrieval/1.0.0/text.md"
    work.adds(
        {
            rules: (published.root / rules).read_bytes() + b"\n",
            "fixtures/new-v1/fixture.json": b"{}",
            "results/inbox/note.txt": b"hello",
            "mkdocs.yml": b"site_name: [\n",
        },
        removes=(receipt,),
    )
    report = work.checked()
    assert set(failing(report)) == {"configuration", "record"}
    assert states(report)["fixtures"] == "not checked"
    assert report.exit_code == 3
    work.git("checkout", work.base, "--", "mkdocs.yml")
    work.git("commit", "-qam", "restore the configuration")
    report = work.checked()
    assert set(failing(report)) == {"record", "methodologies", "fixtures", "drafts"}
    assert report.exit_code == 3


def test_the_identity_of_the_log_does_not_change(published: Workspace) -> None:
    work = Work(published)
    work.adds(edited(published, "mkdocs.yml", "tests.invalid/benchsite/log", "elsewhere.invalid/log"))
    items = work.step("configuration").items
    assert [item.code for item in items] == [3]
    assert "origin was changed" in items[0].message
    work.git("checkout", work.base, "--", "mkdocs.yml")
    work.git("commit", "-qm", "as it was")
    (item,) = work.step("configuration").items
    assert "origin was changed in commit" in item.message, "history keeps it"


def test_a_malformed_suite_names_its_line(begun: Workspace) -> None:
    work = Work(begun)
    work.adds(edited(begun, "mkdocs.yml", "adapter: bm25", "adaptor: bm25"))
    (item,) = work.step("configuration").items
    assert item.code == 4
    assert "mkdocs.yml, line " in item.message


def test_a_published_methodology_is_never_edited_not_even_for_one_commit(published: Workspace) -> None:
    path = "methodology/retrieval/1.0.0/methodology.yaml"
    good = (published.root / path).read_bytes()
    work = Work(published)
    first = work.adds({path: good + b"# a comment\n"})
    (item,) = work.step("methodologies").items
    assert (item.where, item.code) == (path, 3)
    assert first[:12] in item.message
    work.adds({path: good})
    (item,) = work.step("methodologies").items
    assert first[:12] in item.message
    assert "rebase" in item.hint


def test_an_unpublished_methodology_may_change_and_must_parse(begun: Workspace) -> None:
    path = "methodology/retrieval/1.0.0/text.md"
    work = Work(begun)
    work.adds({path: (begun.root / path).read_bytes() + b"more\n"})
    assert work.step("methodologies").state == "pass"
    work.adds(
        {"methodology/retrieval/9.0.0/text.md": b"x", "methodology/retrieval/9.0.0/methodology.yaml": b"[]"}
    )
    (item,) = work.step("methodologies").items
    assert (item.where, item.code) == ("methodology/retrieval/9.0.0", 4)


def test_a_published_fixture_keeps_its_content_whatever_its_layout(published: Workspace) -> None:
    path = f"fixtures/{FIXTURE}/fixture.json"
    work = Work(published)
    work.adds({path: json.dumps(small_fixture(), indent=7).encode()})
    assert work.step("fixtures").state == "pass"
    changed = work.adds({path: fixture_bytes(FIXTURE)})
    work.adds({path: json.dumps(small_fixture()).encode()})
    (item,) = work.step("fixtures").items
    assert (item.where, item.code) == (path, 3)
    assert changed[:12] in item.message
    assert "new id" in item.hint


def test_a_published_fixture_does_not_leave(published: Workspace) -> None:
    work = Work(published)
    work.adds({}, removes=(f"fixtures/{FIXTURE}/fixture.json",))
    (item,) = work.step("fixtures").items
    assert "was removed in commit" in item.message
    assert item.code == 3


@pytest.mark.parametrize("key", ["license", "source", "notes"])
def test_a_new_fixture_answers_for_licence_source_and_contamination(begun: Workspace, key: str) -> None:
    work = Work(begun)
    work.adds({"fixtures/new-v1/fixture.json": fixture_bytes("new-v1")})
    assert work.step("fixtures").state == "pass"
    work.adds({"fixtures/new-v1/fixture.json": fixture_bytes("new-v1", **{key: "TODO"})})
    (item,) = work.step("fixtures").items
    assert item.message.startswith(f"{key} leaves a question open")
    assert item.code == 4


def test_a_fixture_under_another_name_and_a_link(begun: Workspace) -> None:
    work = Work(begun)
    work.adds(
        {"fixtures/other-v1/fixture.json": fixture_bytes("new-v1"), "fixtures/typo/fixtures.json": b"{}"}
    )
    work.links("fixtures/linked/fixture.json", "/etc/hostname")
    found = failing(work.checked())["fixtures"]
    assert ("fixtures/linked/fixture.json", 4) in found
    assert ("fixtures/other-v1/fixture.json", 4) in found
    assert ("fixtures/typo", 4) in found


def test_without_a_remote_the_whole_repository_is_checked(published: Workspace) -> None:
    report = checking.check(*at_head(published.root), build=False)
    assert report.ok, report.steps
    assert report.base is None
    assert "whole repository" in report.steps[0].detail
    record = next(step for step in report.steps if step.name == "record")
    assert "every entry up to" in record.detail


def test_the_default_branch_of_the_remote_is_the_base(published: Workspace, tmp_path: Path) -> None:
    first, second = remote_pair(published, tmp_path)
    git(second.root, "switch", "-qc", "mine")
    work = Work(second)
    work.adds({"content/note.md": b"# A note\n"})
    (second.root / "left.txt").write_text("not committed")
    report = checking.check(*at_head(second.root), build=False)
    assert report.base == resolve_head(first.repository)
    assert "1 commit beyond origin/" in report.steps[0].detail
    assert "left.txt" in report.steps[0].detail


def test_unrelated_histories_are_named_and_the_rest_is_still_checked(published: Workspace) -> None:
    work = Work(published)
    work.git("checkout", "-q", "--orphan", "unrelated")
    work.git("commit", "-qm", "the same files, another history")
    report = work.checked()
    (item,) = report.steps[0].items
    assert "share no commit" in item.message
    assert item.code == 4
    assert states(report)["record"] == "pass"


def test_a_shallow_clone_is_told_to_fetch(published: Workspace, tmp_path: Path) -> None:
    Work(published).adds({"content/a.md": b"a"})
    git(published.root, "branch", "old", "HEAD~1")
    clone = tmp_path / "shallow"
    source = published.root.as_uri()
    subprocess.run(["git", "clone", "-q", "--depth=1", "--no-single-branch", source, str(clone)], check=True)
    report = checking.check(*at_head(clone), onto="origin/old", build=False)
    (item,) = report.steps[0].items
    assert "git fetch --unshallow" in item.hint
    assert item.code == 5


def test_a_base_nobody_knows_and_a_repository_without_commits(published: Workspace, tmp_path: Path) -> None:
    for name in ("nowhere", "--all", "HEAD:mkdocs.yml"):
        with pytest.raises(UsageError, match="no commit"):
            checking.check(*at_head(published.root), onto=name)
    Repository.create(tmp_path / "empty")
    with pytest.raises(PrerequisiteError, match="nothing was committed"):
        checking.check(*at_head(tmp_path / "empty"))


def test_a_merge_of_the_other_branch_is_no_change_of_this_one(published: Workspace) -> None:
    work = Work(published)
    work.git("switch", "-qc", "mine")
    work.adds({"content/note.md": b"# A note\n"})
    work.git("switch", "-q", "main")
    work.adds({"results/inbox/.gitkeep": b"", "fixtures/new-v1/fixture.json": fixture_bytes("new-v1")})
    work.git("switch", "-q", "mine")
    work.git("merge", "-q", "--no-edit", "main")
    report = work.checked(onto="main")
    assert report.ok, report.steps
    assert report.steps[0].detail.startswith("2 commits beyond main")


def test_a_merge_that_edits_a_receipt_is_caught(published: Workspace) -> None:
    receipt = snapshot(published).published[0].path
    work = Work(published)
    work.git("switch", "-qc", "mine")
    work.adds({"content/note.md": b"# A note\n"})
    work.git("switch", "-q", "main")
    work.adds({"content/other.md": b"# Another\n"})
    work.git("switch", "-q", "mine")
    work.git("merge", "-q", "--no-commit", "main")
    (published.root / receipt).write_bytes(b"{}")
    work.git("add", receipt)
    work.git("commit", "-qm", "merge")
    found = failing(work.checked(onto="main"))
    assert found == {"record": [(receipt, 3)]}


def test_a_merge_that_throws_the_other_side_away_is_caught(published: Workspace) -> None:
    """`-s ours` leaves no file that differs from all parents; the difference of the two ends shows it."""
    receipts = {item.path for item in snapshot(published).published}
    work = Work(published)
    work.git("switch", "-qc", "mine", "main~1")
    work.adds({"content/note.md": b"# A note\n"})
    work.git("merge", "-q", "-s", "ours", "--no-edit", "main")
    found = failing(work.checked(onto="main"))["record"]
    assert receipts < {where for where, _ in found}
    assert {code for _, code in found} == {3}
    first, *_ = next(step for step in work.checked(onto="main").steps if step.name == "record").items
    assert "is not an extension of the log at main" in first.message


@pytest.mark.full
@pytest.mark.stories
def test_a_site_that_does_not_build_is_an_item(begun: Workspace) -> None:
    work = Work(begun)
    work.adds({"content/docs/hello.md": b"# Hello\n", "content/urls.txt": b"docs/gone/\n"})
    step = next(step for step in work.checked(build=True).steps if step.name == "build")
    assert step.state == "fail"
    assert "/docs/gone/ was promised" in step.items[0].message
    assert not (begun.root / "site").exists()


HOOK = """
import gc
from pathlib import Path

def on_config(config, **_):
    held = [item for item in gc.get_objects() if type(item).__name__ == "Credentials"]
    Path({told!r}).write_text(repr([(item._texts, item._files, item._keys) for item in held]))
    return config
"""


@pytest.mark.stories
def test_a_branch_whose_site_runs_code_finds_no_key(begun: Workspace, tmp_path: Path) -> None:
    """mkdocs hooks and templates are code of the branch; the person who checks it may have keys at hand."""
    told = tmp_path / "told"
    settings = (begun.root / "mkdocs.yml").read_text(encoding="utf-8")
    hooked = settings.replace("theme:", "hooks: [evil.py]\ntheme:", 1)
    assert hooked != settings
    Work(begun).adds({"mkdocs.yml": hooked.encode(), "evil.py": HOOK.format(told=str(told)).encode()})
    seed = base64.b64encode(bytes(range(32))).decode()
    subprocess.run(
        [sys.executable, "-m", "benchsite", "check"],
        cwd=begun.root,
        env={**os.environ, "BENCHSITE_RECEIPT_KEY": seed},
        check=False,
        capture_output=True,
    )
    assert told.read_text() in ("[]", "[({}, {}, {})]"), "the hook ran, and what it found holds nothing"
