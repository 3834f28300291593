"""The wheel and the source distribution of this checkout, built by the project's own backend, without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

ROOT = Path(__file__).resolve().parent.parent


def tracked(root: Path = ROOT) -> list[str]:
    """The files that a commit of the working tree would hold."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    out = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    return sorted(name for name in set(out.split("\0")) if name and (root / name).is_file())


def checkout(folder: Path) -> Path:
    """A copy of the files that git tracks, and of nothing else."""
    for name in tracked():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
        (folder / name).chmod((ROOT / name).stat().st_mode)
    return folder


def build(
    source: Path, out: Path, *targets: str, variables: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Path]:
    """Build `sdist`, `wheel` or both; target to file."""
    pytest.importorskip(
        "hatchling", reason="the backend is not installed: pip install -c constraints.txt -e '.[dev]'"
    )
    kept = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    options = [part for target in targets for part in ("-t", target)]
    subprocess.run(
        [sys.executable, "-P", "-m", "hatchling", "build", "-d", str(out), *options],
        cwd=source,
        env={**kept, **variables},
        capture_output=True,
        check=True,
    )
    endings = {"sdist": "*.tar.gz", "wheel": "*.whl"}
    return {target: next(out.glob(endings[target])) for target in targets}


def unpacked(wheel: Path, folder: Path) -> Path:
    """A folder that a Python given it as PYTHONPATH takes benchsite from, as pip would install it."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder
