from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

import pytest
from branches import Work, failing
from builders import FIXTURE
from publishing import git
from snapshots import at_head, snapshot

from benchsite.pipeline import check as checking
from benchsite.pipeline.audit import Kind, audit
from benchsite.pipeline.workspace import Workspace
from benchsite.repo.head import resolve_head

DRAFT: Final = ".benchsite/drafts/7c1b7bd5-0d2c-4f1c-8a69-3f6d1c5a2b10.json"

RUN: Final = {
    ".github/workflows/extra.yml": "signing job",
    ".github/actions/x/action.yml": "signing job",
    ".ci/install": "signing job",
    "constraints.txt": "signing job",
    "pyproject.toml": "signing job",
    "pip.py": "signing job",
    "benchsite/__init__.py": "signing job",
    "benchsite/__main__.py": "signing job",
    "sitecustomize.py": "signing job",
    "setup.cfg": "signing job",
    ".gitattributes": "git",
    "results/inbox/.gitattributes": "git",
    ".gitmodules": "git",
    "theme/main.html": "when the site is built",
    "theme/a\nb.js": "when the site is built",
    "content/docs/x.js": "served",
    "content/frame.HTML": "served",
    "adapters/mine/helper.txt": "measured",
    "evil.pth": "imports it",
    "json/__init__.py": "imports it",
    "Makefile": "maintainer",
    "gnumakefile": "maintainer",
    "tools/release.sh": "maintainer",
    ".vscode/tasks.json": "maintainer",
    "package.json": "package tool",
}


def named(step: checking.Step) -> dict[str, str]:
    """Where each item is, to what it says."""
    return {item.where: item.message for item in step.items}


def test_a_changed_file_that_can_run_code_is_named_with_what_runs_it(begun: Workspace) -> None:
    work = Work(begun)
    work.adds(dict.fromkeys((*RUN, "content/note.md"), b"# changed\n"))
    step = work.step("code")
    assert step.state == "warning"
    assert {item.code for item in step.items} == {0}
    found = named(step)
    assert found.keys() == {path.replace("\n", "\\n") for path in RUN}
    for path, what in RUN.items():
        assert what in found[path.replace("\n", "\\n")]
    assert "signing job" in step.items[0].message, "what matters most comes first"


def test_prose_results_and_removed_code_are_not_named(begun: Workspace) -> None:
    work = Work(begun)
    work.adds({"content/note.md": b"# A note\n", "fixtures/x.txt": b"x"}, removes=("constraints.txt",))
    assert work.step("code").state == "pass"


def test_an_executable_a_link_and_a_submodule_are_named_wherever_they_are(begun: Workspace) -> None:
    work = Work(begun)
    (begun.root / "content").mkdir(exist_ok=True)
    (begun.root / "content" / "tool").write_bytes(b"#!/bin/sh\n")
    (begun.root / "content" / "tool").chmod(0o755)
    work.git("add", "-A")
    work.git("commit", "-qm", "a tool")
    work.links("content/link", "/etc/hostname")
    work.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},content/sub")
    work.adds({".gitmodules": b'[submodule "x"]\n\tpath = content/sub\n\tignore = all\n\turl = ./x\n'})
    work.git("add", ".gitmodules")
    work.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},content/sub")
    work.git("commit", "-qm", "a submodule that hides itself")
    found = named(work.step("code"))
    assert "is executable" in found["content/tool"]
    assert "symbolic link" in found["content/link"]
    assert "submodule" in found["content/sub"]


def test_settings_that_load_code_are_named(begun: Workspace) -> None:
    text = (begun.root / "mkdocs.yml").read_text(encoding="utf-8")
    loads = (
        "hooks: [evil.py]\nplugins: [search]\nINHERIT: base.yml\nextra_javascript: [https://x.invalid/x.js]\n"
    )
    changed = (loads + text).replace("  name: material", "  name: other\n  custom_dir: mine", 1)
    changed = changed.replace("  - tables", "  - tables\n  - evil", 1)
    work = Work(begun)
    work.adds({"mkdocs.yml": changed.encode(), "base.yml": b"{}\n"})
    items = work.step("code").items
    assert {item.where for item in items} == {"mkdocs.yml"}
    assert {item.message.partition(" is now ")[0] for item in items} == {
        *("hooks", "plugins", "INHERIT", "theme.name", "theme.custom_dir"),
        *("markdown_extensions", "extra_javascript"),
    }
    work.base = resolve_head(begun.repository) or ""
    work.adds({"mkdocs.yml": changed.replace("site_name:", "site_name: x #", 1).encode()})
    assert work.step("code").state == "pass", "the settings were there before this branch"
    work.adds({"mkdocs.yml": changed.replace("adapter: bm25", 'adapter: "command:sh -c true"', 1).encode()})
    (item,) = work.step("code").items
    assert item.message.startswith("extra.benchsite.suite is now ")
    assert "decides which programs are measured" in item.message


def test_warnings_do_not_stop_a_branch(begun: Workspace) -> None:
    work = Work(begun)
    work.adds({"Makefile": b"all:\n"})
    report = work.checked()
    assert (report.ok, report.exit_code) == (True, 0)


def test_scratch_files_are_refused_in_every_commit(begun: Workspace) -> None:
    work = Work(begun)
    first = work.adds({DRAFT: b"{}", ".BENCHSITE/pending/0.json": b"{}"})
    items = {item.where: item for item in work.step("names").items}
    assert set(items) == {DRAFT, ".BENCHSITE/pending/0.json"}
    assert {item.code for item in items.values()} == {3}
    assert first[:12] in items[DRAFT].message
    work.adds({}, removes=(DRAFT, ".BENCHSITE/pending/0.json"))
    report = work.checked()
    assert {where for where, _ in failing(report)["names"]} == {".BENCHSITE/pending/0.json", DRAFT}
    assert report.exit_code == 3


@pytest.mark.parametrize("what", ["link", "submodule"])
def test_a_link_or_a_submodule_in_place_of_scratch_is_refused(begun: Workspace, what: str) -> None:
    work = Work(begun)
    if what == "link":
        subprocess.run(["rm", "-rf", ".benchsite"], cwd=begun.root, check=True)
        (begun.root / ".benchsite").symlink_to("../elsewhere")
        work.git("add", "-f", ".benchsite")
    else:
        settings = '[submodule "x"]\n\tpath = .benchsite\n\turl = ./x\n\tignore = all\n'
        work.adds({".gitmodules": settings.encode()})
        work.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},.benchsite")
    work.git("commit", "-qm", "not a folder")
    assert failing(work.checked())["names"] == [(".benchsite", 3)]


def test_scratch_that_was_there_before_the_branch_must_be_removed(begun: Workspace) -> None:
    Work(begun).adds({DRAFT: b"{}"})
    work = Work(begun)
    work.adds({"content/note.md": b"# A note\n"})
    (item,) = work.step("names").items
    assert DRAFT in item.message
    assert "git rm -r .benchsite" in item.hint
    work.adds({}, removes=(DRAFT,))
    assert work.step("names").state == "pass"


def test_another_spelling_of_the_record_is_refused(begun: Workspace) -> None:
    kelvin = "\u212aeys"  # the Kelvin sign folds to k
    tops = ("Keys", "MKDOCS.yml", "Results", "Methodology", "keyS", kelvin)
    work = Work(begun)
    work.adds({name if name.endswith(".yml") else f"{name}/manifest.json": b"x" for name in tops})
    assert set(failing(work.checked())["names"]) == {(name, 3) for name in tops}


def test_two_names_that_differ_in_case_or_normal_form_are_a_warning_and_in_the_record_a_failure(
    begun: Workspace,
) -> None:
    work = Work(begun)
    work.adds({"content/Note.md": b"x", "content/note.md": b"x", "content/\u00e9.md": b"x"})
    step = work.step("names")
    assert (step.state, set(named(step))) == ("warning", {"content/Note.md", "content/note.md"})
    work.adds({"content/e\u0301.md": b"x"})
    assert len(work.step("names").items) == 4
    work.adds({"results/LOG/entries": b"x"})
    assert ("results/LOG", 3) in failing(work.checked())["names"]


def test_links_among_rules_and_data_are_found_by_check_and_by_audit(published: Workspace) -> None:
    """They lead out of the repository, to bytes that no commit holds."""
    work = Work(published)
    rules, data = "methodology/retrieval/1.0.0/text.md", f"fixtures/{FIXTURE}/fixture.json"
    for path in (rules, data):
        outside = published.root.parent / path.replace("/", "-")
        outside.write_bytes((published.root / path).read_bytes())
        work.links(path, str(outside))
    found = failing(work.checked())
    assert (rules, 3) in found["methodologies"]
    assert (data, 3) in found["fixtures"]
    assert {Kind.METHODOLOGY, Kind.FIXTURE} <= {
        item.kind for item in audit(snapshot(Workspace(published.root))).findings
    }


def code(root: Path) -> tuple[str, str, list[str]]:
    """State, detail and files of the step, without a build."""
    step = next(step for step in checking.check(*at_head(root), build=False).steps if step.name == "code")
    return step.state, step.detail, [item.where for item in step.items]


def test_what_init_writes_is_no_change_in_a_repository_without_a_remote(begun: Workspace) -> None:
    """There is no base to compare with, and every file of a new instance would be listed."""
    besides = "no changed file can run code besides what `benchsite init` writes"
    assert code(begun.root) == ("pass", besides, [])
    Work(begun).adds({".ci/install": b"#!/bin/sh\n", "adapters/mine": b"#!/bin/sh\n"})
    assert code(begun.root)[2] == [".ci/install", "adapters/mine"]


def test_a_history_that_claims_to_begin_with_init_hides_no_code(begun: Workspace) -> None:
    """Message, date and files of a first commit are chosen by whoever made it; so is a second root that was merged."""
    root, workflow = begun.root, ".github/workflows/publish.yml"
    git(root, "checkout", "-q", "--orphan", "theirs")
    configuration = (root / "mkdocs.yml").read_bytes()
    (root / "mkdocs.yml").write_bytes(configuration + b"hooks: [theirs.py]\n")
    (root / workflow).write_bytes(b"# theirs\n" + (root / workflow).read_bytes())
    (root / "theirs.py").write_bytes(b"")
    git(root, "add", "-A")
    author = ("-c", "user.name=t", "-c", "user.email=t@t")
    git(root, *author, "commit", "-q", "--date=2001-01-01T00:00:00Z", "-m", "init: theirs")
    git(root, *author, "commit", "-q", "--allow-empty", "-m", "harmless")
    assert code(root)[2] == [workflow, "theirs.py", "mkdocs.yml"]
    git(root, "checkout", "-q", "main")
    git(root, *author, "merge", "-q", "--allow-unrelated-histories", "-X", "theirs", "-m", "merge", "theirs")
    assert code(root)[2] == [workflow, "theirs.py", "mkdocs.yml"]
