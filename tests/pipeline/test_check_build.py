from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from branches import Work
from commands import run_in

from benchsite.pipeline.check import Step
from benchsite.pipeline.workspace import Workspace

FAKE = "import pathlib, sys\npathlib.Path({told!r}).write_text('ran')\nprint('built 1 page, to x')\nsys.exit(0)\n"


def built(work: Work) -> Step:
    return next(step for step in work.checked(build=True).steps if step.name == "build")


@pytest.mark.stories
def test_no_file_of_the_branch_takes_the_place_of_the_build(
    begun: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`python -m benchsite` in the branch's folder would start the branch's own package, and believe its exit code."""
    told = tmp_path / "told"
    fake = FAKE.format(told=str(told)).encode()
    modules = (
        "benchsite/__init__.py",
        "benchsite/__main__.py",
        "json.py",
        "sitecustomize.py",
        "lib/click.py",
    )
    work = Work(begun)
    work.adds({**dict.fromkeys(modules, fake), "content/urls.txt": b"docs/gone/\n"})
    monkeypatch.chdir(begun.root)
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(["", ".", "lib", str(begun.root), str(begun.root / "lib")])
    )
    step = built(work)
    assert not told.exists(), "code of the branch ran in place of benchsite"
    assert step.state == "fail"
    assert "/docs/gone/ was promised" in step.items[0].message


def test_the_build_refuses_a_commit_that_was_not_checked(begun: Workspace, tmp_path: Path) -> None:
    work = Work(begun)
    work.adds({"content/note.md": b"# A note\n"})
    later = work.git("rev-parse", "HEAD")
    site = tmp_path / "site"
    done = run_in(tmp_path / "home", begun.root)("build", "--output", site, "--only-at", work.base)
    assert done.code == 5
    assert f"HEAD moved from {work.base[:12]} to {later[:12]} during the check" in done.err
    assert "hint: re-run: benchsite check" in done.err
    assert not site.exists()


@pytest.mark.stories
def test_a_commit_that_lands_before_the_build_of_a_check_fails_it(
    begun: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work(begun)
    judged = work.adds({"content/note.md": b"# A note\n"})
    start = subprocess.run

    def moved(command: list[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
        if "build" in command:
            monkeypatch.undo()
            work.adds({"content/note.md": b"# Another note\n"})
        return start(command, **options)

    monkeypatch.setattr(subprocess, "run", moved)
    step = built(work)
    assert (step.state, step.items[0].code) == ("fail", 5)
    assert f"HEAD moved from {judged[:12]}" in step.items[0].message


@pytest.mark.full
@pytest.mark.stories
def test_a_build_that_ends_well_without_a_site_is_refused(begun: Workspace) -> None:
    text = (begun.root / "mkdocs.yml").read_text(encoding="utf-8")
    work = Work(begun)
    work.adds(
        {
            "mkdocs.yml": text.replace("theme:", "hooks: [quit.py]\ntheme:", 1).encode(),
            "quit.py": b"import os\n\ndef on_config(config, **_):\n    os._exit(0)\n",
        }
    )
    step = built(work)
    assert (step.state, step.items[0].code) == ("fail", 4)
    assert "without a message" in step.items[0].message


@pytest.mark.stories
@pytest.mark.parametrize("where", ["mkdocs.yml", "base.yml"])
def test_code_that_a_tag_names_is_refused_and_does_not_run(
    begun: Workspace, tmp_path: Path, where: str
) -> None:
    told = tmp_path / "told"
    tag = f"nav: !!python/object/apply:os.system ['touch {told}']\n"
    text = (begun.root / "mkdocs.yml").read_text(encoding="utf-8")
    files = {"mkdocs.yml": f"{tag if where == 'mkdocs.yml' else 'INHERIT: base.yml'}\n{text}".encode()}
    if where == "base.yml":
        files["base.yml"] = tag.encode()
    work = Work(begun)
    work.adds(files)
    report = work.checked(build=True)
    failed = {step.name: step.items[0] for step in report.steps if step.state == "fail"}
    name = "configuration" if where == "mkdocs.yml" else "build"
    assert set(failed) == {name}
    assert f"{where}, line 1: the tag '!!python/" in failed[name].message
    assert failed[name].code == 4
    assert not told.exists()
    assert shutil.which("touch") is not None
