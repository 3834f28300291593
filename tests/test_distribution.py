"""The wheel and the source distribution: complete, the same bytes wherever they are built, enough to make an instance."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from publishing import git
from wheels import ROOT, build, checkout, tracked, unpacked

from benchsite.pipeline import init

pytestmark = pytest.mark.stories

PACKAGED = ("content/assets/", "content/docs/", "content/urls.txt", "theme/", "methodology/", "fixtures/")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checkout(tmp_path_factory.mktemp("source") / "benchsite")


@pytest.fixture(scope="module")
def built(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return build(source, tmp_path_factory.mktemp("dist"), "sdist", "wheel")


def digests(built: dict[str, Path]) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in built.values()}


def in_sdist(path: Path) -> dict[str, bytes]:
    """Name below the top folder to bytes."""
    found = {}
    with tarfile.open(path) as archive:
        for member in archive:
            data = archive.extractfile(member)
            assert data is not None, f"{member.name} is no regular file"
            found[member.name.partition("/")[2]] = data.read()
    return found


def in_wheel(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_two_builds_in_different_surroundings_are_the_same_bytes(
    built: dict[str, Path], tmp_path: Path
) -> None:
    """Another folder, owner's rights, file times, zone and language; and what runs leave in a checkout."""
    other = checkout(tmp_path / "a clone elsewhere")
    for path in other.rglob("*"):
        if path.is_file():
            path.chmod(0o700 if os.access(path, os.X_OK) else 0o600)
            os.utime(path, (1_000_000_000, 1_000_000_000))
    for stray in ("fixtures/rubric-smollm2-135m/__pycache__/ask.cpython-311.pyc", ".benchsite/drafts/x.json"):
        (other / stray).parent.mkdir(parents=True, exist_ok=True)
        (other / stray).write_bytes(b"left by a run")
    variables = {"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "1"}
    assert digests(build(other, tmp_path / "dist", "sdist", "wheel", variables=variables)) == digests(built)


def test_the_wheel_of_the_source_distribution_is_the_wheel_of_the_checkout(
    built: dict[str, Path], tmp_path: Path
) -> None:
    with tarfile.open(built["sdist"]) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    again = build(folder, tmp_path / "dist", "wheel")
    assert again["wheel"].read_bytes() == built["wheel"].read_bytes()


RECORD = re.compile(r"results/(published|evidence|log)/|keys/([^/]+\.pub|manifest\.json)$")
"""The repository's own record: in git only."""


def test_the_source_distribution_has_every_tracked_file_but_the_record(built: dict[str, Path]) -> None:
    found = in_sdist(built["sdist"])
    assert found.pop("PKG-INFO").startswith(b"Metadata-Version: ")
    assert found == {name: (ROOT / name).read_bytes() for name in tracked() if not RECORD.match(name)}


def test_the_wheel_has_the_package_and_what_init_and_demo_copy(built: dict[str, Path]) -> None:
    found = in_wheel(built["wheel"])
    record = {name for name in found if name.startswith("benchsite-")}
    expected = {name: name for name in tracked() if name.startswith("benchsite/")}
    data = [*init.WORKFLOWS, "LICENSE", "keys/ROTATION.md"]
    data += [name for name in tracked() if name.startswith(PACKAGED)]
    expected |= {f"benchsite/_data/{name}": name for name in data}
    assert {name: found[name] for name in found.keys() - record} == {
        name: (ROOT / origin).read_bytes() for name, origin in expected.items()
    }
    assert {name.partition("/")[2] for name in record} == {
        "METADATA",
        "RECORD",
        "WHEEL",
        "entry_points.txt",
        "licenses/LICENSE",
    }


def test_the_record_of_the_wheel_lists_every_file_with_its_hash(built: dict[str, Path]) -> None:
    """The binary distribution format: sha256 as base64url without padding; RECORD itself has none."""
    found = in_wheel(built["wheel"])
    (name,) = [name for name in found if name.endswith(".dist-info/RECORD")]
    rows = {row[0]: row[1] for row in csv.reader(io.StringIO(found[name].decode()))}
    assert rows.pop(name) == ""
    assert rows == {
        path: "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        for path, data in found.items()
        if path != name
    }


def test_an_instance_of_the_wheel_is_the_instance_of_the_checkout(
    built: dict[str, Path], tmp_path: Path
) -> None:
    site = unpacked(built["wheel"], tmp_path / "site")
    arguments = ("--name", "Bench", "--origin", "tests.invalid/log", "--with-examples")
    subprocess.run(
        [sys.executable, "-P", "-m", "benchsite", "init", "made", *arguments],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONPATH": str(site)},
        capture_output=True,
        check=True,
    )
    init.init(tmp_path / "here", name="Bench", origin="tests.invalid/log", examples=True)
    made, here = (git(tmp_path / name, "ls-tree", "-r", "HEAD") for name in ("made", "here"))
    assert made == here
