"""`make quick` chooses the tests nearest to a change, and ends in time."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from examples import some
from nearness import PAGE, PROSE, SCRIPT, near
from quick import ROOT, changed, limited

FILES = {
    "benchsite/log/__init__.py": "",
    "benchsite/log/note.py": "",
    "benchsite/log/_words.py": "",
    "benchsite/site/pages.py": 'page = "site/log.html.j2"\n',
    "benchsite/site/templates/log.html.j2": '{% import "site/parts.html.j2" as parts %}',
    "benchsite/site/templates/parts.html.j2": "",
    "tests/log/test_note.py": "",
    "tests/log/test_proof.py": "from benchsite.log import (\n    Note,\n    note,\n)\n",
    "tests/rubric/test_note.py": "",
    "tests/test_words.py": "import benchsite.log.note\n",
    "tests/test_notes.py": "from benchsite.log import notebook\n",
    "tests/test_other.py": "from benchsite.log.checkpoint import Checkpoint\n",
    "tests/test_shell.py": "def f():\n    from benchsite.site.pages import page\n",
    "tests/site/test_marks.py": "",
    "tests/notes.py": "",
    "tests/more.py": "import notes\n",
    "tests/log/test_more.py": "from tests.more import x\n",
    "tests/test_vectors.py": 'vector("logs/note.json")\n',
    "tests/js/note.test.js": 'import { a } from "../../theme/verify/note.js";\n',
    "tests/js/judge.js": 'import { a } from "../../theme/verify/bytes.js";\n',
    "tests/js/test_parity.py": 'node("judge.js")\n',
    "theme/verify/note.js": 'import { b } from "./bytes.js";\n',
    "theme/verify/bytes.js": "",
    "theme/assets/js/bytes.js": "",
    "content/docs/note.md": "```console\n$ true\n```\n",
    "content/docs/words.md": "Words.\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_nearest_first(tree: Path) -> None:
    """The changed test, the one with the module's name at its path, then those that import the module itself."""
    assert near(["benchsite/log/note.py", "tests/test_other.py"], tree).tests == [
        "tests/test_other.py",
        "tests/log/test_note.py",
        "tests/log/test_proof.py",
        "tests/test_words.py",
    ]


def test_each_changed_file_has_its_turn(tree: Path) -> None:
    assert near(["tests/log/conftest.py", "tests/vectors/note.json"], tree).tests[:3] == [
        "tests/log/test_more.py",
        "tests/test_vectors.py",
        "tests/log/test_note.py",
    ]


@pytest.mark.parametrize(
    ("name", "tests"),
    [
        ("benchsite/log/_words.py", ["tests/test_words.py"]),  # none is at the path of the module
        (
            "benchsite/site/templates/parts.html.j2",
            ["tests/site/test_marks.py", "tests/test_shell.py"],
        ),
        ("tests/notes.py", ["tests/log/test_more.py"]),
        ("tests/log/conftest.py", [f"tests/log/test_{name}.py" for name in ("more", "note", "proof")]),
        ("tests/vectors/note.json", ["tests/test_vectors.py"]),
        ("theme/verify/note.js", [SCRIPT.format("note.test.js")]),
        ("theme/verify/bytes.js", [SCRIPT.format("note.test.js"), "tests/js/test_parity.py"]),
        ("tests/js/note.test.js", [SCRIPT.format("note.test.js")]),
        ("content/docs/note.md", [*PROSE["content/*.md"], PAGE.format("content/docs/note.md")]),
        ("content/docs/words.md", [*PROSE["content/*.md"]]),
    ],
)
def test_what_is_near_to_a_file_of_each_kind(name: str, tests: list[str], tree: Path) -> None:
    found = near([name], tree)
    checks = ("tests/test_word_list.py", "tests/js/test_theme_scripts.py::test_no")
    assert sorted(one for one in found.tests if one in tests or not one.startswith(checks)) == sorted(tests)
    assert found.without == []


def test_what_has_no_test_near_is_named(tree: Path) -> None:
    names = ["Makefile", "theme/assets/js/bytes.js", "theme/style.css"]
    assert near([*names, "tests/test_other.py"], tree).without == names


def test_the_tests_of_a_whole_kind_exist() -> None:
    names = ["content/docs/quick-start.md", "theme/verify/note.js", "benchsite/site/templates/log.html.j2"]
    for test in near(names, ROOT).tests:
        path, _, name = test.partition("::")
        assert not name or f"def {name.partition('[')[0]}(" in (ROOT / path).read_text(encoding="utf-8")


def committed(tree: Path) -> list[str]:
    git = ["git", "-C", str(tree), "-c", "user.name=t", "-c", "user.email=t@t.invalid"]
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "x"], check=True)
    return git


def test_untracked_and_edited_files_changed_and_deleted_ones_did_not(tree: Path) -> None:
    committed(tree)
    assert changed(tree) == []
    (tree / "tests/test_other.py").write_text("x = 1\n")
    (tree / "tests/log/test_proof.py").unlink()
    (tree / "a new file.py").write_text("")
    assert changed(tree) == ["a new file.py", "tests/test_other.py"]


def test_what_a_branch_has_committed_changed_too(
    tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    committed(tree)
    clone = tmp_path_factory.mktemp("clone")
    subprocess.run(["git", "clone", "-q", str(tree), str(clone)], check=True)
    (clone / "tests/test_other.py").write_text("x = 1\n")
    git = committed(clone)
    assert changed(clone) == ["tests/test_other.py"], "against its upstream"
    subprocess.run([*git, "switch", "-qc", "topic", "--no-track"], check=True)
    assert changed(clone) == ["tests/test_other.py"], "against the remote's default branch"
    subprocess.run([*git, "remote", "remove", "origin"], check=True)
    assert changed(clone) == []


OVER = "import time\ndef test_1(): time.monotonic = lambda: 1e12; assert {}\ndef test_2(): assert False\n"
LONG = """import pytest, time
@pytest.fixture
def over(): time.monotonic = lambda: 1e12
def test_1(over): time.sleep(600)
"""
STORY = "import pytest\n@pytest.mark.stories\ndef test_1(): assert False\n"


@pytest.mark.parametrize(
    ("tests", "code", "says"),
    some(
        [
            ("def test_1(): pass\n", 0, "1 passed"),
            ("def test_1(): assert False\n", 1, "1 failed"),
            (OVER.format(True), 0, "tests left: 1; make test"),
            (OVER.format(False), 1, "1 failed"),
            (LONG, 0, "1 skipped"),
            (STORY, 0, "1 deselected"),
        ],
        gate=1,
    ),
)
def test_an_end_in_time_is_no_failure_and_a_failure_is_one(
    tests: str, code: int, says: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test_it.py").write_text(tests)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = stories\n")
    assert limited(["test_it.py"], time.monotonic(), tmp_path, seconds=400) == code
    assert says in capfd.readouterr().out


@pytest.mark.full
def test_what_comes_to_no_test_in_time_is_ended(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "test_it.py").write_text("import time\ntime.sleep(600)\n")
    start = time.monotonic()
    assert limited(["test_it.py"], start, tmp_path, seconds=-4) == 0
    assert "the time is over" in capfd.readouterr().err
    assert time.monotonic() - start < 400


@pytest.mark.full
def test_a_story_that_is_named_runs(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(STORY)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = stories\n")
    assert limited(["test_it.py::test_1"], time.monotonic(), tmp_path, seconds=400) == 1
