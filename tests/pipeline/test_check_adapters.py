from __future__ import annotations

import tempfile
import tomllib
from pathlib import Path

import pytest
from branches import Work, failing

from benchsite import plugins
from benchsite.errors import InputError
from benchsite.pipeline import check as checking
from benchsite.pipeline.measure import adapters
from benchsite.pipeline.workspace import Workspace


def begun_adapter(name: str, language: adapters.Language = "any") -> dict[str, bytes]:
    """The files that `adapter new` writes, by repository path."""
    with tempfile.TemporaryDirectory() as folder:
        made = adapters.create(Path(folder), name, language)
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in made.files}


def adapter_step(work: Work) -> checking.Step:
    return work.step("adapters")


def program(work: Work, name: str = "mine") -> Path:
    """A stranger adds a program, executable as `adapter new` leaves it."""
    ((path, data),) = begun_adapter(name).items()
    place = work.instance.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    place.chmod(0o755)
    work.git("add", "-A", path)
    work.git("commit", "-qm", "an adapter")
    return place


def test_a_program_in_its_place_is_found_and_tested(
    begun: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work(begun)
    place = program(work)
    step = adapter_step(work)
    assert step.state == "pass"
    assert step.detail.startswith(
        "conformance test passed: command:adapters/mine/adapter; not checked, unchanged on this branch: "
    )
    monkeypatch.chdir(begun.root / "fixtures")
    assert adapter_step(work).state == "pass", "a command starts at the root, wherever check was called"

    place.write_text(place.read_text().replace('[: params["k"]]', "").replace("[:k]", ""))
    work.git("commit", "-qam", "faster")
    step = adapter_step(work)
    assert step.state == "fail"
    (item,) = step.items
    assert (item.where, item.code) == ("command:adapters/mine/adapter", 4)
    assert item.message.startswith("at most k: k = 1, ")


def test_a_program_that_git_does_not_hold_executable(begun: Workspace) -> None:
    work = Work(begun)
    work.adds(begun_adapter("mine"))
    (item,) = adapter_step(work).items
    assert "no executable" in item.message
    assert "chmod +x" in item.hint


def test_a_link_is_no_program(begun: Workspace) -> None:
    work = Work(begun)
    work.links("adapters/mine/adapter", "/bin/cat")
    (item,) = adapter_step(work).items
    assert (item.where, item.code) == ("adapters/mine/adapter", 4)
    assert "symbolic link" in item.message


def test_what_the_branch_does_not_change_is_left_alone_and_named(begun: Workspace) -> None:
    work = Work(begun)
    program(work)
    later = Work(begun)
    later.adds({"content/note.md": b"# A note\n"})
    step = adapter_step(later)
    assert step.state == "not checked"
    assert "command:adapters/mine/adapter" in step.detail
    assert "sqlite-fts5 (stopwords=True)" in step.detail
    later.adds({"adapters/mine/words.txt": b"the\n"})
    assert adapter_step(later).state == "pass", "what lies beside a program belongs to it"


def test_a_command_of_the_suite_is_tested_once_with_its_arguments(begun: Workspace) -> None:
    work = Work(begun)
    program(work)
    text = (begun.root / "mkdocs.yml").read_text(encoding="utf-8")
    head = text.split("    suite:")[0]
    entries = [
        "command:./adapters/mine/adapter",
        "command:adapters/mine/adapter",
        "command:adapters/mine/adapter --tuned",
        "command:/no/such/program",
        "command:cat a\\0b",
        "command:" + "x" * 300,
    ]
    lines = "".join(
        f'      - {{track: retrieval, adapter: "{entry}", fixture: three-notebooks-v1}}\n'
        for entry in entries
    )
    work.adds({"mkdocs.yml": f"{head}    suite:\n{lines}".encode()})
    step = adapter_step(work)
    where = [item.where for item in step.items]
    assert where == ["command:/no/such/program", "command:cat a\0b", "command:" + "x" * 300]
    assert "tested: command:./adapters/mine/adapter, command:adapters/mine/adapter --tuned" in step.detail


def test_check_grants_nothing_even_where_the_branch_does(
    begun: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A branch under review brings its own mkdocs.yml, so a grant in it is the submitter's word."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "AKIA-mine")
    work = Work(begun)
    place = program(work)
    loot = begun.root.parent / "loot"
    asks = '"network": True, "environment": ["AWS_SECRET_ACCESS_KEY"]'
    text = place.read_text().replace('"author": "you"', f'"author": "you", {asks}')
    stolen = f"import os\nopen({str(loot)!r}, 'a').write(os.environ.get('AWS_SECRET_ACCESS_KEY', '-'))\n"
    place.write_text(text.replace("import json\n", f"import json\n{stolen}"))
    grants = '    grants: {"command:adapters/mine/adapter": {network: true, env: [AWS_SECRET_ACCESS_KEY]}}\n'
    config = (begun.root / "mkdocs.yml").read_text().replace("    root_keys:", f"{grants}    root_keys:", 1)
    (begun.root / "mkdocs.yml").write_text(config)
    work.git("commit", "-qam", "grant myself everything")
    step = adapter_step(work)
    assert (step.state, step.items) == ("not checked", ())
    assert step.detail.startswith(
        "not checked, because `check` grants and installs nothing: command:adapters/mine/adapter: "
        "needs a grant for network access and AWS_SECRET_ACCESS_KEY"
    )
    assert set(loot.read_text()) == {"-"}


def test_folders_that_an_adapter_nests_do_not_end_the_check(begun: Workspace) -> None:
    work = Work(begun)
    place = program(work)
    nests = "import os\nfor _ in range(3000):\n    os.mkdir('d')\n    os.chdir('d')\n"
    place.write_text(place.read_text().replace("import json\n", f"import json\n{nests}"))
    work.git("commit", "-qam", "nest")
    assert adapter_step(work).state == "pass"


def test_a_class_that_is_not_installed_is_not_passed(begun: Workspace) -> None:
    work = Work(begun)
    work.adds({**begun_adapter("my-system", "python"), ".ci/subjects.txt": b"./adapters/my-system\n"})
    report = work.checked()
    assert failing(report) == {"adapters": [("my-system", 5)]}
    (item,) = adapter_step(work).items
    assert "adapter_my_system:Adapter" in item.message
    assert "pip install -e" in item.hint
    assert report.exit_code == 5


def test_an_installed_class_is_tested(begun: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work(begun)
    files = begun_adapter("my-system", "python")
    work.adds({**files, ".ci/subjects.txt": b"# ours\n-e ./adapters/my-system/  # a package\n"})
    folder = begun.root / "adapters" / "my-system"
    declared = tomllib.loads(files["adapters/my-system/pyproject.toml"].decode())
    found = declared["project"]["entry-points"][adapters.group()]
    monkeypatch.setattr(plugins, "subjects", lambda _group: found)
    monkeypatch.setattr(plugins, "reference", lambda _group, name: found[name])
    monkeypatch.syspath_prepend(str(folder))
    assert adapter_step(work).state == "pass"
    module = folder / "adapter_my_system.py"
    module.write_text(
        module.read_text().replace("self.items = []", "self.items = getattr(self, 'items', [])")
    )
    work.git("commit", "-qam", "remember everything")
    (item,) = adapter_step(work).items
    assert (item.where, item.code) == ("my-system", 4)
    assert item.message.startswith("reset: ")


def test_a_package_that_no_workflow_installs_or_measures_is_named(begun: Workspace) -> None:
    """S7: green on the submitter's machine, red in CI, and nothing said what to add."""
    work = Work(begun)
    work.adds({**begun_adapter("my-system", "python"), ".ci/subjects.txt": b"./adapters/other\n"})
    step = adapter_step(work)
    found = next(item for item in step.items if item.where == ".ci/subjects.txt")
    assert (found.code, found.hint) == (4, "add the line ./adapters/my-system to .ci/subjects.txt")
    assert 'suite in mkdocs.yml: - {track: retrieval, adapter: "my-system", fixture: ID}' in step.detail
    text = (begun.root / "mkdocs.yml").read_text()
    entry = "    suite:\n      - {track: retrieval, adapter: my-system, fixture: three-notebooks-v1}\n"
    work.adds(
        {
            "mkdocs.yml": text.replace("    suite:\n", entry).encode(),
            ".ci/subjects.txt": b"adapters/my-system\n",
        }
    )
    step = adapter_step(work)
    assert [item.where for item in step.items] == ["my-system"], "it is only not installed here"
    assert "not in the suite" not in step.detail


@pytest.mark.parametrize(
    "project",
    [
        b"\xff",
        b"[project",
        b"project = 3",
        b'[project.entry-points]\n"benchsite.retrieval.adapters" = 3',
        b"",
    ],
)
def test_a_project_file_that_cannot_be_read_registers_nothing(begun: Workspace, project: bytes) -> None:
    work = Work(begun)
    work.adds({"tool/pyproject.toml": project})
    assert adapter_step(work).state == "not checked"


@pytest.mark.parametrize("language", ["any", "python"])
def test_what_begins_an_adapter_is_written_once(tmp_path: Path, language: adapters.Language) -> None:
    made = adapters.create(tmp_path, "my-system", language)
    before = {path: path.read_bytes() for path in made.files}
    with pytest.raises(InputError, match="exists already"):
        adapters.create(tmp_path, "my-system", language)
    assert {path: path.read_bytes() for path in made.files} == before
    for name in ("", "Mine", "../up", "-x", "a" * 81, "a/b"):
        with pytest.raises(InputError, match="adapter name"):
            adapters.create(tmp_path, name, language)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InputError, match="cannot write"):
        adapters.create(tmp_path / "file", "mine", language)
