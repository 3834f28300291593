from __future__ import annotations

import compileall
import re
import shutil
from pathlib import Path

import pytest

from benchsite import resources
from benchsite.errors import PrerequisiteError
from benchsite.pipeline import init
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.config import Config
from benchsite.repo import Repository


def test_a_new_instance_brings_the_workflows_of_benchsite_itself(root: Path, tmp_path: Path) -> None:
    made = init.init(tmp_path / "instance", name="tests", origin="tests.invalid/log")
    for path in init.WORKFLOWS:
        assert (made.root / path).read_bytes() == (root / path).read_bytes()
    assert {path.name for path in (made.root / ".github" / "workflows").iterdir()} == {
        "pages.yml",
        "publish.yml",
        "pull-request.yml",
    }
    assert (
        Repository.open(made.root).read(".ci/install", rev="HEAD") == (root / ".ci" / "install").read_bytes()
    )


def test_which_wheel_of_benchsite_is_installed_is_left_to_be_said(tmp_path: Path) -> None:
    made = init.init(tmp_path / "instance", name="tests", origin="tests.invalid/log")
    assert (made.root / ".ci" / "benchsite.txt").read_text().startswith("# Run `benchsite ci pin`")
    assert "benchsite" not in (made.root / "constraints.txt").read_text()


def test_every_file_that_the_workflows_call_comes_with_them(tmp_path: Path) -> None:
    made = init.init(tmp_path / "instance", name="tests", origin="tests.invalid/log")
    optional = {".ci/subjects.txt", ".ci/run"}
    for path in init.WORKFLOWS:
        for name in re.findall(r"(?<![\w/])\.ci/[a-z.]+", (made.root / path).read_text()):
            assert name.rstrip(".") in optional or (made.root / name.rstrip(".")).is_file(), (
                f"{path} calls {name}"
            )


def test_it_has_a_readme_a_license_and_no_evaluation_unless_asked(root: Path, tmp_path: Path) -> None:
    name = "A *bold* [name](x)"
    made = init.init(tmp_path / "instance", name=name, origin="tests.invalid/log")
    assert (made.root / "README.md").read_text().startswith("# A \\*bold\\* \\[name\\](x)\n")
    assert "http" not in (made.root / "README.md").read_text(), "benchsite has no public address"
    assert (made.root / "LICENSE").read_bytes() == (root / "LICENSE").read_bytes()
    assert sorted(path.name for path in (made.root / "fixtures").iterdir()) == [
        "arithmetic-tools",
        "code-repair",
        "kb-lookup",
        "lifeboat-logbook-v1",
        "limit-small",
        "table-ops",
        "three-notebooks-v1",
    ]
    asked = init.init(tmp_path / "asked", name=name, origin="tests.invalid/log", examples=True)
    kept = sorted(path.name for path in (root / "fixtures").iterdir() if path.is_dir())
    assert sorted(path.name for path in (asked.root / "fixtures").iterdir()) == kept
    assert len(kept) > 1


def test_the_suite_measures_the_listed_dataset_and_the_others_are_copied(tmp_path: Path) -> None:
    """A dataset more in a release does not lengthen the first run of an instance; benchmarks of agents are copied as well."""
    made = init.init(tmp_path / "instance", name="tests", origin="tests.invalid/log")
    assert {entry["fixture"] for entry in Config.read(made.root).benchsite.suite} == {"three-notebooks-v1"}
    assert {path.parent.name for path in Workspace(made.root).fixture_paths()} > set(init.DATASETS)


def test_an_installation_without_a_listed_dataset_says_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(init, "DATASETS", ("three-notebooks-v1", "absent-v1"))
    with pytest.raises(PrerequisiteError, match="no dataset absent-v1") as caught:
        init.init(tmp_path / "instance", name="tests", origin="tests.invalid/log")
    assert caught.value.hint
    assert not (tmp_path / "instance").exists()


def test_a_wheel_carries_what_a_checkout_has(root: Path) -> None:
    included = (root / "pyproject.toml").read_text(encoding="utf-8")
    for path in init.WORKFLOWS:
        assert f'"{path}" = "benchsite/_data/{path}"\n' in included
    assert 'LICENSE = "benchsite/_data/LICENSE"\n' in included


def test_an_installation_without_a_file_says_which() -> None:
    with pytest.raises(PrerequisiteError, match=r"installation: nothing\.txt"):
        resources.file("nothing.txt")


def test_byte_code_that_pip_made_of_the_packaged_scripts_is_not_copied(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names folders of the machine, and would be committed; an installed wheel has it beside its data."""
    package = tmp_path / "site-packages" / "benchsite"
    data = package / "_data"
    for name in ("methodology", "fixtures", "keys"):
        shutil.copytree(root / name, data / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (*init.WORKFLOWS, "LICENSE"):
        (data / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / path, data / path)
    monkeypatch.setattr(resources, "_PACKAGE", package)
    plain = init.init(tmp_path / "plain", name="tests", origin="tests.invalid/log", examples=True)
    assert compileall.compile_dir(data / "fixtures", quiet=2)
    (data / "methodology" / "stale.pyc").write_bytes(str(data).encode())
    assert list((data / "fixtures").rglob("*.pyc")), "fixtures hold scripts, and pip compiles them"
    made = init.init(tmp_path / "instance", name="tests", origin="tests.invalid/log", examples=True)
    assert made.files == plain.files
    paths = [item.path for item in Repository.open(made.root).tree(rev="HEAD")]
    assert [path for path in paths if "__pycache__" in path or path.endswith(".pyc")] == []
