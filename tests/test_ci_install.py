"""`.ci/install`, run with the pip of this environment: what the job that signs installs, and what it never runs."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Final

import pytest
from examples import some
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

pytestmark = pytest.mark.stories

PINNED: Final = re.compile(r"([A-Za-z0-9_.-]+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)")
BACKEND: Final = "import pathlib\npathlib.Path({told!r}).write_text('a build backend of the checkout ran')\n"


def wheel(folder: Path, name: str) -> str:
    """A wheel of one module, and the line that names it by its hash."""
    path = folder / f"{name}-0.1.0-py3-none-any.whl"
    info = f"{name}-0.1.0.dist-info"
    files = {
        f"{name}/__init__.py": b"FROM = 'the wheel'\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = []
    for place, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{place},sha256={digest},{len(data)}\n")
    record = "".join(rows) + f"{info}/RECORD,,\n"
    with zipfile.ZipFile(path, "w") as archive:
        for place, data in {**files, f"{info}/RECORD": record.encode()}.items():
            archive.writestr(place, data)
    return f"{name} @ {path.as_uri()} --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """An instance that pins a wheel and one package below it, both on this disk."""
    folder = tmp_path / "checkout"
    (folder / ".ci").mkdir(parents=True)
    shutil.copy(root / ".ci" / "install", folder / ".ci" / "install")
    (folder / ".ci" / "benchsite.txt").write_text(wheel(tmp_path, "benchsite"))
    (folder / ".ci" / "requirements.txt").write_text(wheel(tmp_path, "below"))
    (folder / "constraints.txt").write_text("")
    return folder


def install(checkout: Path, *arguments: str) -> tuple[int, str, Path]:
    """Exit code, what was said, and the folder that pip installed into."""
    target = checkout.parent / "installed"
    shims = checkout.parent / "bin"
    shims.mkdir(exist_ok=True)
    (shims / "python").unlink(missing_ok=True)
    (shims / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (shims / "python").chmod(0o755)
    settings = {"PIP_TARGET": str(target), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    done = subprocess.run(
        ["bash", ".ci/install", *arguments],
        cwd=checkout,
        env={**kept, **settings, "PATH": f"{shims}:{os.environ['PATH']}", "PYTHONPATH": str(checkout)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, target


def test_no_file_of_the_checkout_runs_or_takes_the_place_of_the_wheel(checkout: Path, tmp_path: Path) -> None:
    """A `pip.py` would run as pip; a `benchsite/__init__.py` once made the job build and install the checkout."""
    told = tmp_path / "told"
    code = BACKEND.format(told=str(told))
    (checkout / "benchsite").mkdir()
    for name in ("pip.py", "sitecustomize.py", "json.py", "setup.py", "backend.py", "benchsite/__init__.py"):
        (checkout / name).write_text(code)
    (checkout / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        '[project]\nname = "benchsite"\nversion = "0.1.0"\n'
    )
    done, said, target = install(checkout)
    assert done == 0, said
    assert not told.exists(), told.read_text()
    assert (target / "benchsite" / "__init__.py").read_text() == "FROM = 'the wheel'\n"
    assert (target / "below" / "__init__.py").is_file()


def test_a_wheel_of_the_checkout_is_found_by_its_path(checkout: Path) -> None:
    """The form that `benchsite ci pin WHEEL` writes: pip replaces ${REPOSITORY_ROOT}."""
    (checkout / "wheels").mkdir()
    line = wheel(checkout / "wheels", "benchsite")
    address = (checkout / "wheels").as_uri()
    assert address in line
    place = line.replace(address, "file://${REPOSITORY_ROOT}/wheels")
    (checkout / ".ci" / "benchsite.txt").write_text(f"# Written by `benchsite ci pin`\n{place}")
    code, said, target = install(checkout)
    assert code == 0, said
    assert (target / "benchsite" / "__init__.py").read_text() == "FROM = 'the wheel'\n"


@pytest.mark.parametrize("name", ["benchsite.txt", "requirements.txt"])
def test_a_file_with_another_hash_is_not_installed(checkout: Path, name: str) -> None:
    path = checkout / ".ci" / name
    path.write_text(re.sub("sha256:[0-9a-f]{64}", f"sha256:{'0' * 64}", path.read_text()))
    code, said, target = install(checkout)
    assert code != 0
    assert "DO NOT MATCH THE HASHES" in said
    assert not (target / "benchsite").exists()


def test_a_package_without_a_hash_is_not_installed(checkout: Path) -> None:
    path = checkout / ".ci" / "requirements.txt"
    path.write_text(path.read_text().partition(" --hash")[0] + "\n")
    code, said, target = install(checkout)
    assert code != 0
    assert "Hashes are required" in said
    assert not (target / "benchsite").exists()


@pytest.mark.parametrize(
    "text", some(["", "benchsite==0.1.0\n", "checkout\nbenchsite==0.1.0\n", "# checkout\n"], gate=2)
)
def test_without_a_wheel_or_the_word_checkout_nothing_is_installed(checkout: Path, text: str) -> None:
    (checkout / ".ci" / "benchsite.txt").write_text(text)
    code, said, target = install(checkout)
    assert code == 5
    assert "no wheel of benchsite with its hash" in said
    assert not target.exists()


def test_only_benchsites_own_repository_says_checkout(root: Path) -> None:
    lines = (root / ".ci" / "benchsite.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not line.startswith("#")] == ["checkout"]


def locked(root: Path, name: str) -> dict[str, str]:
    """Package to version, in a file of which nothing else is left."""
    text = (root / ".ci" / name).read_text(encoding="utf-8")
    rest = PINNED.sub("", text)
    assert all(line.startswith("#") for line in rest.splitlines()), rest
    return {canonicalize_name(found[1]): found[2] for found in PINNED.finditer(text)}


def needed(*names: str) -> set[str]:
    """Every package that these need here, themselves included."""
    found: set[str] = set()
    waiting = [Requirement(name) for name in names]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        extras = requirement.extras or {""}
        if name not in found:
            found.add(name)
            below = [Requirement(text) for text in metadata.requires(name) or ()]
            waiting += [
                item
                for item in below
                if item.marker is None or any(item.marker.evaluate({"extra": extra}) for extra in extras)
            ]
    return found


def test_the_hashed_files_hold_what_is_needed_at_the_versions_of_the_constraints(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    lines = (root / "constraints.txt").read_text(encoding="utf-8").split()
    constrained = {canonicalize_name(line.split("==")[0]): line.split("==")[1] for line in lines}
    core = locked(root, "requirements.txt")
    assert needed(*project["project"]["dependencies"]) <= core.keys()
    build = locked(root, "build.txt")
    assert {Requirement(name).name for name in project["build-system"]["requires"]} <= build.keys()
    for name, version in (*core.items(), *build.items()):
        assert constrained.get(name, version) == version, name


def test_what_is_pinned_installs_on_every_python_that_benchsite_admits(root: Path) -> None:
    lines = (root / "constraints.txt").read_text(encoding="utf-8").split()
    refused = {}
    for line in lines:
        name, version = line.split("==")
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # of another platform
            continue
        admitted = SpecifierSet(found.metadata.get("Requires-Python") or "")
        if found.version == version and not admitted.contains("3.11.0"):
            refused[line] = str(admitted)
    assert refused == {}
