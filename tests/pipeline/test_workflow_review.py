"""The workflows of a pull request and of a release, executed (see github_runner)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import yaml
from builders import FIXTURE, commit
from github_runner import WHEEL, Runner
from publishing import git

from benchsite.layout import CONFIG
from benchsite.pipeline.workspace import Workspace

pytestmark = pytest.mark.stories


def with_suite(instance: Workspace, *adapters: str) -> bytes:
    """The configuration with a suite of its own, in the settings that `published` measured with."""
    text = (instance.root / CONFIG).read_text().partition("    suite:\n")[0] + "    suite:\n"
    for adapter in adapters:
        entry = f"track: retrieval, adapter: {adapter}, fixture: {FIXTURE}, seed: 7, timeout: 20.0"
        text += f"      - {{{entry}}}\n"
    return text.encode()


def remote_of(instance: Workspace, folder: Path) -> Path:
    commit(instance, {".ci/benchsite.txt": WHEEL})
    remote = folder / "origin.git"
    git(folder, "init", "-q", "--bare", "-b", "main", str(remote))
    git(instance.root, "remote", "add", "origin", str(remote))
    git(instance.root, "push", "-q", "origin", "main")
    return remote


def reviewed(instance: Workspace, folder: Path, change: dict[str, bytes]) -> Runner:
    """A runner for a pull request that makes one change."""
    remote = remote_of(instance, folder)
    commit(instance, change)
    git(instance.root, "push", "-q", "origin", "main:refs/heads/change")
    github = {"base_ref": "main", "checkout": "origin/change"}
    return Runner(folder / "github", remote, {"BENCHSITE_RECEIPT_KEY": "never"}, github)


def test_a_good_pull_request_is_told_its_scores_and_shown_its_site(
    published: Workspace, tmp_path: Path
) -> None:
    """`recency` is published with these settings; `bm25` is, with another seed."""
    commit(published, {CONFIG: with_suite(published, "recency")})
    change = with_suite(published, "recency", "bm25").replace(
        b"bm25, fixture: small-v1, seed: 7", b"bm25, fixture: small-v1, seed: 99"
    )
    runner = reviewed(published, tmp_path, {CONFIG: change})
    check = runner.workflow("pull-request.yml")["check"]
    assert check.result == "success", check.log
    assert "## Scores on the first 20 queries" in check.summary
    assert f"| recency | {FIXTURE} | skipped: published already" in check.summary
    assert f"| bm25 | {FIXTURE} | ndcg\\_at\\_10 " in check.summary
    assert (runner.artifacts / "site-preview" / "index.html").is_file()
    assert runner.seen_secrets == set()


def test_a_base_branch_with_a_hostile_name_is_a_name_and_runs_nothing(
    published: Workspace, tmp_path: Path
) -> None:
    name = "x$(touch${IFS}pwned)`id`;exit"
    runner = reviewed(published, tmp_path, {CONFIG: with_suite(published, "recency")})
    git(runner.remote, "branch", name, "main")
    runner.github["base_ref"] = name
    check = runner.workflow("pull-request.yml", without=("test",))["check"]
    assert check.result == "success", check.log
    assert "## Scores" in check.summary
    assert not list(tmp_path.rglob("pwned"))


@pytest.mark.full
def test_a_pull_request_that_edits_the_record_is_told_and_still_measured(
    published: Workspace, tmp_path: Path
) -> None:
    receipt = next((published.root / "results/published").rglob("*.json"))
    name = receipt.relative_to(published.root).as_posix()
    runner = reviewed(
        published, tmp_path, {name: receipt.read_bytes() + b"\n", CONFIG: with_suite(published, "recency")}
    )
    check = runner.workflow("pull-request.yml")["check"]
    assert check.result == "failure"
    assert receipt.name in check.summary.partition("## Scores")[0]
    assert "## Scores" in check.summary


def test_a_repository_without_tests_of_its_own_passes_and_one_with_them_runs_them(
    begun: Workspace, tmp_path: Path
) -> None:
    runner = reviewed(begun, tmp_path, {".ci/run": b"echo it ran; exit 3\n"})
    test = runner.workflow("pull-request.yml", without=("check",))["test"]
    assert (test.result, test.log) == ("failure", "it ran\n")
    runner.github["checkout"] = "origin/main"
    assert runner.workflow("pull-request.yml", without=("check",))["test"].result == "success"


@pytest.fixture
def release(begun: Workspace, root: Path, tmp_path: Path) -> Runner:
    """An instance that has benchsite's own release workflow, on a tag."""
    commit(begun, {name: (root / name).read_bytes() for name in (".github/workflows/release.yml",)})
    github = {"ref_name": "v0.1.0", "token": "a-token"}
    return Runner(tmp_path / "github", remote_of(begun, tmp_path), {}, github)


def test_a_release_attaches_its_wheel_and_the_line_that_names_it(release: Runner) -> None:
    jobs = release.workflow("release.yml", without=("test", "image", "record"))
    assert [job.result for job in jobs.values()] == ["success", "success"], jobs["wheel"].log
    digest = hashlib.sha256(b"wheel\n").hexdigest()
    place = "https://github.invalid/someone/bench/releases/download/v0.1.0/benchsite-0.1.0-py3-none-any.whl"
    assert jobs["wheel"].summary == f"benchsite @ {place} --hash=sha256:{digest}\n"
    (call,) = release.calls("gh")
    assert call.startswith("release create v0.1.0 --repo someone/bench --verify-tag ")
    attached = ["benchsite-0.1.0-py3-none-any.whl", "benchsite-0.1.0.tar.gz", "benchsite.txt"]
    assert [name.rpartition("/")[2] for name in call.split()[-3:]] == attached


def test_a_release_pushes_its_image_and_records_the_digest_in_one_line(release: Runner) -> None:
    before = git(release.remote, "show", f"main:{CONFIG}")
    jobs = release.workflow("release.yml", without=("test", "wheel", "files"))
    assert [job.result for job in jobs.values()] == ["success", "success"], jobs["record"].log
    calls = [json.loads(line) for line in release.calls("docker")]
    assert [call[0] for call in calls] == ["build", "run", "login", "push", "logout", "inspect"]
    image = "ghcr.io/someone/bench@sha256:" + "5e" * 32
    after = git(release.remote, "show", f"main:{CONFIG}")
    assert yaml.safe_load(after)["extra"]["benchsite"]["images"] == {"v0.1.0": image}
    added = [line.strip() for line in after.splitlines() if line not in before.splitlines()]
    assert added == ["images:", f"v0.1.0: {image}"]
    assert git(release.remote, "show", "--name-only", "--format=%s", "main").split("\n\n") == [
        "Record the image of v0.1.0",
        CONFIG,
    ]
    assert "a-token" not in json.dumps(calls)

    head = git(release.remote, "rev-parse", "main")
    assert release.workflow("release.yml", without=("test", "wheel", "files"))["record"].result == "success"
    assert git(release.remote, "rev-parse", "main") == head, "recording again commits nothing"


def test_a_tag_that_is_not_the_version_builds_nothing(release: Runner) -> None:
    release.github["ref_name"] = "v9.9.9"
    jobs = release.workflow("release.yml", without=("test",))
    assert {name: job.result for name, job in jobs.items()} == {
        "wheel": "failure",
        "files": "skipped",
        "image": "skipped",
        "record": "skipped",
    }
    assert "tag v9.9.9 differs from the version 0.1.0 in pyproject.toml" in jobs["wheel"].log
    assert release.calls("docker") == []
