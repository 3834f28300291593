from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from benchsite.errors import IntegrityError
from benchsite.pipeline.record.scratch import require_folder, require_uncommitted
from benchsite.repo import Repository

IDENTITY = ("-c", "user.name=stranger", "-c", "user.email=stranger@tests.invalid")


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    with closing(Repository.create(tmp_path / "repo")) as made:
        yield made


def git(repository: Repository, *arguments: str) -> str:
    line = ["git", "-C", str(repository.root), *IDENTITY, *arguments]
    return subprocess.run(line, capture_output=True, check=True, text=True).stdout.strip()


def write(repository: Repository, path: str, data: bytes = b"x") -> None:
    place = repository.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)


def commit(repository: Repository) -> None:
    git(repository, "add", "--force", "--all")
    git(repository, "commit", "-qm", "by hand")


def test_a_repository_without_a_commit_and_one_without_scratch_are_accepted(repository: Repository) -> None:
    require_uncommitted(repository)
    write(repository, "docs/.benchsite/note")  # only the root's folder is benchsite's own
    write(repository, ".benchsite.md")
    commit(repository)
    write(repository, ".benchsite/drafts/a.json")  # of the working tree, in no commit
    require_uncommitted(repository)


@pytest.mark.parametrize(
    "path",
    [
        ".benchsite/drafts/7c1b7bd5-0d2c-4f1c-8a69-3f6d1c5a2b10.json",
        ".benchsite/pending/0.json",
        ".benchsite/publish.journal",
        ".BenchSite/attachments/x",
        ".benchſite/lock",
        ".benchsite",
    ],
)
def test_a_commit_that_holds_scratch_is_refused_by_its_path(repository: Repository, path: str) -> None:
    write(repository, "mkdocs.yml")
    write(repository, path)
    commit(repository)
    with pytest.raises(IntegrityError) as caught:
        require_uncommitted(repository)
    top = path.split("/", maxsplit=1)[0]
    assert path in caught.value.message
    assert f"git rm -r --cached {top}" in caught.value.hint
    git(repository, "rm", "-rq", "--cached", top)
    git(repository, "commit", "-qm", "take it out")
    require_uncommitted(repository)
    with pytest.raises(IntegrityError):
        require_uncommitted(repository, "HEAD~1")


def test_a_committed_link_and_a_submodule_of_the_name_are_refused(repository: Repository) -> None:
    (repository.root / ".benchsite").symlink_to("../elsewhere")
    commit(repository)
    with pytest.raises(IntegrityError, match=r"^\.benchsite is committed"):
        require_uncommitted(repository)
    git(repository, "rm", "-q", "--cached", ".benchsite")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},.benchsite")
    git(repository, "commit", "-qm", "a submodule")
    with pytest.raises(IntegrityError, match=r"^\.benchsite is committed"):
        require_uncommitted(repository)


def test_a_folder_of_this_machine_is_accepted_and_so_is_none(tmp_path: Path) -> None:
    require_folder(tmp_path)
    (tmp_path / ".benchsite" / "drafts").mkdir(parents=True)
    (tmp_path / ".benchsite" / "lock").write_bytes(b"")
    require_folder(tmp_path)


def test_a_link_or_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    scratch = tmp_path / ".benchsite"
    scratch.symlink_to("elsewhere")
    with pytest.raises(IntegrityError, match="is a symbolic link"):
        require_folder(tmp_path)
    scratch.unlink()
    scratch.symlink_to("nowhere")
    with pytest.raises(IntegrityError, match="is a symbolic link"):
        require_folder(tmp_path)
    scratch.unlink()
    scratch.write_bytes(b"")
    with pytest.raises(IntegrityError, match="is not a folder"):
        require_folder(tmp_path)


@pytest.mark.parametrize("name", ["lock", "drafts", "attachments", "cache", "publish.journal"])
def test_a_link_in_the_folder_is_refused_and_its_target_is_left_alone(tmp_path: Path, name: str) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"precious")
    (tmp_path / ".benchsite").mkdir()
    (tmp_path / ".benchsite" / name).symlink_to(precious)
    with pytest.raises(IntegrityError, match=rf"\.benchsite/{name} is a symbolic link"):
        require_folder(tmp_path)
    assert precious.read_bytes() == b"precious"
