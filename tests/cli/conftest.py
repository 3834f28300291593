"""The command line as a person meets it: a process of its own, with an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Ran, Run


def run_in(home: Path, folder: Path) -> Run:
    """`benchsite ARGS` in a folder with this HOME and no git identity."""
    home.mkdir(exist_ok=True)

    def call(
        *arguments: str | Path, cwd: Path | None = None, data: bytes | None = None, **variables: str
    ) -> Ran:
        clean = {
            name: value for name, value in os.environ.items() if not name.startswith(("BENCHSITE_", "GIT_"))
        }
        out = subprocess.run(
            [sys.executable, "-m", "benchsite", *map(str, arguments)],
            cwd=cwd or folder,
            env={**clean, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", **variables},
            input=data,
            stdin=subprocess.DEVNULL if data is None else None,
            capture_output=True,
            check=False,
            timeout=300,
        )
        assert b"Traceback" not in out.stderr, out.stderr.decode()
        return Ran(out.returncode, out.stdout.decode(), out.stderr.decode())

    return call


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
