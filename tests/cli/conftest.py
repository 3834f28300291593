"""The command line as a person meets it: a process of its own, with an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Ran, Run


@pytest.fixture
def benchsite(tmp_path: Path) -> Run:
    """Run `benchsite ARGS` in a folder with an empty HOME and no git identity."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)

    def call(
        *arguments: str | Path, cwd: Path | None = None, data: bytes | None = None, **variables: str
    ) -> Ran:
        clean = {
            name: value for name, value in os.environ.items() if not name.startswith(("BENCHSITE_", "GIT_"))
        }
        out = subprocess.run(
            [sys.executable, "-m", "benchsite", *map(str, arguments)],
            cwd=cwd or tmp_path,
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
