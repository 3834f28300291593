"""A whole instance, made once: a small fixture, keys in memory, four published receipts."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import FIXTURE, commit, pack, retrieval_work, small_fixture
from rubric_versions import VERSIONS, put
from snapshots import opened

from benchsite import resources
from benchsite.environment import ROLES, Credentials
from benchsite.log import MethodologyEntry
from benchsite.pipeline import init, publish
from benchsite.pipeline.measure import run
from benchsite.pipeline.publish import keys
from benchsite.pipeline.record.append import append
from benchsite.pipeline.workspace import Workspace
from benchsite.repo import Repository
from benchsite.signing import PrivateKey

ORIGIN = "tests.invalid/benchsite/log"


@pytest.fixture(scope="session")
def secrets() -> dict[str, PrivateKey]:
    """Fixed keys: seeds of 32 equal bytes."""
    return {
        role: PrivateKey.from_text(base64.b64encode(bytes([place + 1]) * 32).decode(), role)
        for place, role in enumerate(ROLES)
    }


@pytest.fixture
def credentials(secrets: dict[str, PrivateKey]) -> Credentials:
    return Credentials.of(**secrets)


@pytest.fixture(scope="session")
def begun_template(tmp_path_factory: pytest.TempPathFactory, secrets: dict[str, PrivateKey]) -> Path:
    """An instance whose log has begun and whose record is empty."""
    root = tmp_path_factory.mktemp("begun") / "instance"
    init.init(root, name="tests", origin=ORIGIN)
    shutil.rmtree(root / "fixtures")
    repository = Repository.open(root)
    instance = Workspace(root)
    data = json.dumps(small_fixture(), indent=1).encode()
    gone = tuple(item.path for item in repository.tree("fixtures", rev="HEAD"))
    commit(instance, {f"fixtures/{FIXTURE}/fixture.json": data}, removes=gone)
    keys.init(Workspace(root), Credentials.of(**secrets), folder=None)
    pack(root)
    return root


@pytest.fixture(scope="session")
def published_template(
    begun_template: Path, tmp_path_factory: pytest.TempPathFactory, secrets: dict[str, PrivateKey]
) -> Path:
    """The same with one receipt of each adapter."""
    root = tmp_path_factory.mktemp("published") / "instance"
    shutil.copytree(begun_template, root, symlinks=True)
    instance = Workspace(root)
    works = [retrieval_work(name) for name in ("sqlite-fts5", "bm25", "recency", "random")]
    paths = []
    for result in run.run(instance, opened(instance), works):
        assert result.draft is not None, result.reason
        paths.append(result.draft)
    publish.publish(instance, opened(instance), paths, Credentials.of(**secrets), push=False)
    instance.repository.close()
    pack(root)
    return root


def _copy(template: Path, folder: Path) -> Iterator[Workspace]:
    root = folder / template.parent.name
    shutil.copytree(template, root, symlinks=True)
    instance = Workspace(root)
    yield instance
    instance.repository.close()


@pytest.fixture
def begun(begun_template: Path, tmp_path: Path) -> Iterator[Workspace]:
    yield from _copy(begun_template, tmp_path)


@pytest.fixture
def published(published_template: Path, tmp_path: Path) -> Iterator[Workspace]:
    yield from _copy(published_template, tmp_path)


@pytest.fixture(scope="session")
def five_template(
    begun_template: Path, tmp_path_factory: pytest.TempPathFactory, secrets: dict[str, PrivateKey]
) -> Path:
    root = tmp_path_factory.mktemp("five") / "instance"
    shutil.copytree(begun_template, root, symlinks=True)
    begun = Workspace(root)
    if (begun.root / "methodology/rubric").exists():
        ours = tuple(item.path for item in begun.repository.tree("methodology/rubric", rev="HEAD"))
        commit(begun, {}, removes=ours)
        shutil.rmtree(begun.root / "methodology/rubric", ignore_errors=True)
    for version in VERSIONS:
        put(begun, version)

    def stage(batch: Any) -> None:
        for version in VERSIONS[:-1]:
            digest = begun.methodologies.read("rubric", version).sha256
            batch.new.append(MethodologyEntry(track="rubric", version=version, sha256=digest))

    append(begun, Credentials.of(**secrets), stage, push=False)
    begun.repository.close()
    pack(root)
    return root


@pytest.fixture
def five(five_template: Path, tmp_path: Path) -> Iterator[Workspace]:
    """Rubric 1.0.0 to 2.0.0 on disk, and a log that pins those up to 1.3.0."""
    root = tmp_path / "five"
    shutil.copytree(five_template, root, symlinks=True)
    instance = Workspace(root)
    yield instance
    instance.repository.close()


@pytest.fixture(scope="session")
def small_template(published_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four receipts, one page of prose, one methodology: a build of it is fast."""
    root = tmp_path_factory.mktemp("small") / "instance"
    shutil.copytree(published_template, root, symlinks=True)
    instance = Workspace(root)
    ours = tuple(item.path for item in instance.repository.tree("methodology/rubric", rev="HEAD"))
    commit(instance, {"content/about.md": b"# About\n\nWords.\n"}, removes=ours)
    instance.repository.close()
    return root


@pytest.fixture
def small(small_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """With one page for benchsite's own prose, which this process would add to each of its builds."""
    root, prose, packaged = tmp_path / "instance", tmp_path / "packaged", resources.folder
    shutil.copytree(small_template, root, symlinks=True)
    (prose / "docs").mkdir(parents=True)
    (prose / "docs/cli.md").write_text("# Commands\n\nWords.\n")
    monkeypatch.setattr(resources, "folder", lambda name: prose if name == "content" else packaged(name))
    instance = Workspace(root)
    yield instance
    instance.repository.close()
