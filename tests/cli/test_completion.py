"""Shell completion as bash asks for it: the script that the program prints, sourced, and its function called."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_benchsite_completion benchsite
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`benchsite` on the PATH of a user, and what it prints for bash."""
    folder = tmp_path_factory.mktemp("completion")
    (folder / "benchsite").write_text(f'#!/bin/sh\nexec {sys.executable} -P -m benchsite "$@"\n')
    (folder / "benchsite").chmod(0o755)
    out = subprocess.run(
        ["benchsite"],
        env={**environment(folder), "_BENCHSITE_COMPLETE": "bash_source"},
        capture_output=True,
        text=True,
        check=True,
    )
    (folder / "benchsite.bash").write_text(out.stdout)
    return folder / "benchsite.bash"


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


def completed(script: Path, *words: str) -> list[str]:
    """What bash offers for the last of these words; in a folder that is no instance."""
    out = subprocess.run(
        ["bash", "-c", _ASK, "bash", str(script), *words],
        cwd=script.parent,
        env=environment(script.parent),
        capture_output=True,
        text=True,
        check=True,
    )
    assert out.stderr == ""
    return out.stdout.split()


def test_commands_subcommands_and_options_are_completed(script: Path) -> None:
    assert completed(script, "benchsite", "up") == ["upgrade"]
    assert completed(script, "benchsite", "keys", "") == ["compromise", "init", "list", "rotate"]
    assert completed(script, "benchsite", "run", "retrieval", "--ad") == ["--adapter"]
