"""Environments of measured systems: made whole or not at all, and apart from benchsite's own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchsite import canonical
from benchsite.errors import PrerequisiteError
from benchsite.isolation import source
from benchsite.isolation.environments import hosted
from benchsite.isolation.environments.install import install, lock
from benchsite.isolation.environments.installed import NotInstalledError, interpreter, own_python, state
from benchsite.isolation.environments.pythons import Python, choose, unmet
from benchsite.isolation.interpreter import of_python
from benchsite.track import NeededProgram, System

EMPTY = System("bare", "bare", ())
PINNED = System("product", "products", ("product==2.0",))
WORKER = "benchsite.tracks.retrieval.run.worker"
BM25 = "benchsite.tracks.retrieval.adapters.lexical.bm25:Bm25"


def distribution(folder: Path, name: str, version: str) -> None:
    """What pip leaves of an installed distribution, in the environment of a folder."""
    (packages,) = folder.glob("lib/python*/site-packages")
    info = packages / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """An environment without packages."""
    return install([EMPTY], tmp_path / "bare", own_python()).folder


def test_an_environment_holds_nothing_but_what_was_asked_for(bare: Path) -> None:
    assert (lock(bare), (bare / "lock.txt").read_text()) == ((), "")
    stated = json.loads((bare / "environment.json").read_text())
    assert (stated["python"], stated["requirements"]) == (list(sys.version_info[:3]), [])
    assert interpreter(EMPTY, str(bare.parent)) == str(bare / "bin/python")


def test_a_worker_runs_there_without_benchsites_packages(bare: Path) -> None:
    command = [str(bare / "bin/python"), "-P", str(Path(hosted.__file__)), WORKER, BM25]
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"options": {}, "seed": 1}}
    done = subprocess.run(command, input=json.dumps(asked).encode() + b"\n", capture_output=True, check=True)
    assert json.loads(done.stdout)["result"]["name"] == "bm25"
    looks = "import importlib.util, sys; sys.exit(importlib.util.find_spec('numpy') is not None)"
    subprocess.run([command[0], "-P", "-c", looks], check=True)


def test_a_system_is_pinned_by_the_packages_of_its_own_environment(bare: Path) -> None:
    python = str(bare / "bin/python")
    before = source.of_reference(BM25, (), python)
    distribution(bare, "product", "2.0")
    after = source.of_reference(BM25, (), python)
    assert before is not None
    assert after is not None
    assert before.interpreter is not None
    assert after.interpreter is not None
    assert (dict(before.interpreter.packages), dict(after.interpreter.packages)) == ({}, {"product": "2.0"})
    assert before.modules == after.modules
    assert "benchsite.tracks.retrieval.adapters.lexical.bm25" in before.modules
    assert before.sha256() != after.sha256()
    assert after.versions(["product"]) == {"product": "2.0"}
    distribution(bare, "Other_Name", "1.5")
    assert lock(bare) == ("other-name==1.5", "product==2.0")
    assert canonical.digest(list(lock(bare))) == of_python(Path(python)).packages_sha256


def test_the_state_compares_what_was_asked_for_with_the_catalog(tmp_path: Path) -> None:
    environments = str(tmp_path)
    assert state(PINNED, environments) == "not installed"
    with pytest.raises(NotInstalledError) as caught:
        interpreter(PINNED, environments)
    assert (caught.value.message, caught.value.hint) == (
        "adapter product: not installed",
        "benchsite adapter install product",
    )
    made = install([EMPTY._replace(group="products")], tmp_path / "products", own_python()).folder
    assert state(PINNED, environments) == "other versions"
    record = made / "environment.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "requirements": ["product==2.0"]}))
    assert state(PINNED, environments) == "installed"
    record.unlink()
    assert state(PINNED, environments) == "not installed", "the record is written last"


def test_a_system_may_be_in_benchsites_own_environment() -> None:
    version = __import__("importlib.metadata").metadata.version("numpy")
    assert state(System("n", "n", (f"numpy=={version}",)), "") == "installed"
    assert state(System("n", "n", ("numpy==0.1",)), "") == "other versions"
    assert interpreter(System("n", "n", ("numpy==0.1",)), "") == ""


def test_what_pip_cannot_install_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(PrerequisiteError) as caught:
        install([PINNED], tmp_path / "products", own_python())
    assert "products: not installed: No matching distribution found for product==2.0" in caught.value.message
    assert list(tmp_path.iterdir()) == []


def test_a_python_that_lacks_what_a_system_needs_is_not_chosen() -> None:
    old, plain = Python("/a", (3, 11, 2), True), Python("/b", (3, 12, 1), False)
    newer, vectors = EMPTY._replace(python=(3, 12)), EMPTY._replace(sqlite_extensions=True)
    assert [unmet(newer, one) for one in (old, plain)] == ["Python 3.12 or newer", ""]
    assert [unmet(vectors, one) for one in (old, plain)] == [
        "",
        "a Python whose sqlite3 module loads extensions",
    ]
    with pytest.raises(PrerequisiteError) as caught:
        choose([EMPTY._replace(python=(9, 0))], sys.executable)
    assert caught.value.message.startswith("bare: it needs Python 9.0 or newer; found Python 3.")
    assert caught.value.hint.endswith("benchsite adapter install bare --python PATH")
    with pytest.raises(PrerequisiteError, match="no-such-python: not a Python"):
        choose([EMPTY], "no-such-python")


def test_a_missing_program_is_named_with_the_command_that_installs_it(bare: Path) -> None:
    needed = NeededProgram("initdb", ("/no/such/*/initdb",), "apt install postgresql")
    with pytest.raises(NotInstalledError) as caught:
        interpreter(EMPTY._replace(programs=(needed,)), str(bare.parent))
    assert caught.value.message == "adapter bare: no program initdb"
    assert caught.value.hint == "apt install postgresql"
