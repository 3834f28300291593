"""An instance for the command line: new, and with a log."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from builders import pack
from commands import Run, run_in


@pytest.fixture
def benchsite(tmp_path: Path) -> Run:
    """Run `benchsite ARGS` in a folder with an empty HOME and no git identity."""
    return run_in(tmp_path / "home", tmp_path)


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `init` makes, in `new`, and the same with a log and keys, in `begun` and `kept`."""
    folder = tmp_path_factory.mktemp("made")
    call = run_in(folder / "home", folder)
    # The name of an instance is that of its folder.
    assert call("init", "site").code == 0
    shutil.copytree(folder / "site", folder / "new", symlinks=True)
    begun = call("keys", "init", "--out", folder / "kept", cwd=folder / "site")
    assert begun.code == 0, begun.err
    (folder / "site").rename(folder / "begun")
    pack(folder / "new")
    pack(folder / "begun")
    return folder


@pytest.fixture
def new(made_once: Path, tmp_path: Path) -> Path:
    """A new instance."""
    return Path(shutil.copytree(made_once / "new", tmp_path / "new", symlinks=True))


@pytest.fixture
def begun(made_once: Path, tmp_path: Path) -> Path:
    """An instance whose log holds its three keys; they lie beside it, in `kept`."""
    shutil.copytree(made_once / "kept", tmp_path / "kept")
    return Path(shutil.copytree(made_once / "begun", tmp_path / "begun", symlinks=True))
