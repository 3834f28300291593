"""`make quick` chooses the test files nearest to a change."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from quick import changed, near


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    files = {
        "benchsite/log/__init__.py": "",
        "benchsite/log/note.py": "",
        "tests/log/test_note.py": "",
        "tests/log/test_proof.py": "from benchsite.log import note\n",
        "tests/test_words.py": "import benchsite.log.note\n",
        "tests/test_notes.py": "from benchsite.log import notebook\n",
        "tests/test_other.py": "from benchsite.log.checkpoint import Checkpoint\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_nearest_first(tree: Path) -> None:
    """The changed test, the one with the module's name, then those that import the module itself."""
    assert near(["benchsite/log/note.py", "tests/test_other.py"], tree) == [
        "tests/test_other.py",
        "tests/log/test_note.py",
        "tests/log/test_proof.py",
        "tests/test_words.py",
    ]


def test_what_has_no_test_of_its_own_has_none_near(tree: Path) -> None:
    assert near(["README.md", "theme/style.css"], tree) == []


def test_untracked_and_edited_files_changed_and_deleted_ones_did_not(tree: Path) -> None:
    git = ["git", "-C", str(tree), "-c", "user.name=t", "-c", "user.email=t@t.invalid"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "x"], check=True)
    assert changed(tree) == []
    (tree / "tests/test_other.py").write_text("x = 1\n")
    (tree / "tests/log/test_proof.py").unlink()
    (tree / "a new file.py").write_text("")
    assert changed(tree) == ["a new file.py", "tests/test_other.py"]
