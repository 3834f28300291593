"""An instance in a subfolder of another repository: its record is there, its commits touch nothing else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import FIXTURE, small_fixture
from commands import Ran, run_in
from github_runner import WHEEL, Runner
from publishing import git

from benchsite.pipeline.subfolder import placed
from benchsite.repo import Repository

HOST = {"README.md": "# Our product\n", "src/product.py": "print('ours')\n"}
ORIGIN = "tests.invalid/log"
SECRETS = {"root": 1, "receipt": 2, "log": 3}


@pytest.fixture(scope="module")
def keys() -> dict[str, str]:
    """Seeds of 32 equal bytes in base64: what `BENCHSITE_*_KEY` may hold."""
    import base64

    return {
        f"BENCHSITE_{role.upper()}_KEY": base64.b64encode(bytes([place]) * 32).decode()
        for role, place in SECRETS.items()
    }


@pytest.fixture(scope="module")
def host_template(tmp_path_factory: pytest.TempPathFactory, keys: dict[str, str]) -> Path:
    """A product's repository with an instance in `docs/bench` that has a log and a small suite, in `made`."""
    folder = tmp_path_factory.mktemp("host")
    top = folder / "made"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    git(top, "config", "user.name", "Ada")
    git(top, "config", "user.email", "ada@tests.invalid")
    for name, text in HOST.items():
        (top / name).parent.mkdir(exist_ok=True)
        (top / name).write_text(text)
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "product")
    bench = top / "docs/bench"
    made = run_in(folder / "home", top)("init", "docs/bench", "--subfolder", "--origin", ORIGIN)
    assert made.code == 0, made.err
    assert "workflow: .github/workflows/docs-bench-publish.yml" in made.out
    for name in ("fixtures", "methodology/rubric", "methodology/agents"):
        shutil.rmtree(bench / name)
    (bench / f"fixtures/{FIXTURE}").mkdir(parents=True)
    (bench / f"fixtures/{FIXTURE}/fixture.json").write_text(json.dumps(small_fixture()))
    (bench / ".ci/benchsite.txt").write_bytes(WHEEL)
    config = (bench / "mkdocs.yml").read_text().partition("    suite:\n")[0] + "    suite:\n"
    for adapter in ("bm25", "recency"):
        config += f"      - {{track: retrieval, adapter: {adapter}, fixture: {FIXTURE}}}\n"
    (bench / "mkdocs.yml").write_text(config)
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "suite")
    begun = run_in(folder / "home", bench)("keys", "init", **keys)
    assert begun.code == 0, begun.err
    return top


Call = Callable[..., Ran]


@pytest.fixture
def host(host_template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(host_template, tmp_path / "host"))


@pytest.fixture
def benchsite(host: Path, tmp_path: Path, keys: dict[str, str]) -> Call:
    """A command in the instance's folder, with the keys; it must succeed unless `code` says otherwise."""
    run = run_in(tmp_path / "home", host / "docs/bench")

    def call(*arguments: str, code: int = 0, **options: Any) -> Ran:
        ran = run(*arguments, **keys, **options)
        assert ran.code == code, f"{arguments}: {ran.out}{ran.err}"
        return ran

    return call


def touched(top: Path, span: str) -> set[str]:
    return set(git(top, "log", "--format=", "--name-only", span).split())


def test_init_adds_one_commit_and_leaves_the_rest_as_it_was(host_template: Path) -> None:
    first, second = git(host_template, "log", "--reverse", "--format=%H").split()[:2]
    names = touched(host_template, f"{first}..{second}")
    assert {name for name in names if not name.startswith("docs/bench/")} == {
        f".github/workflows/docs-bench-{name}.yml" for name in ("pages", "publish", "pull-request")
    }
    assert not any(name.startswith("docs/bench/.github") for name in names)
    assert {name: (host_template / name).read_text() for name in HOST} == HOST
    assert git(host_template, "status", "--porcelain") == ""


@pytest.mark.full
def test_a_run_is_published_verified_audited_and_shown(host: Path, benchsite: Call, tmp_path: Path) -> None:
    remote = tmp_path / "origin.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(remote))
    git(host, "remote", "add", "origin", str(remote))
    git(host, "push", "-q", "-u", "origin", "main")
    before = git(host, "rev-parse", "HEAD")
    benchsite("run", "--no-publish")
    assert "published 2 receipts" in benchsite("publish", "--yes").out
    assert git(remote, "rev-parse", "main") == git(host, "rev-parse", "HEAD")
    assert all(name.startswith("docs/bench/results/") for name in touched(host, f"{before}..HEAD"))
    assert git(host, "status", "--porcelain") == ""
    assert "2 receipts verified" in benchsite("verify", "--all").out
    assert "no alteration found" in benchsite("audit").out
    assert json.loads(benchsite("status", "--json").out)["faults"] == []
    benchsite("build", "--output", str(tmp_path / "site"))
    pages = [path.read_text() for path in (tmp_path / "site/receipts").rglob("index.html")]
    assert len([page for page in pages if "0 excluded" in page or "LOGGED" in page.upper()]) >= 2
    assert (tmp_path / "site/verify.html").is_file()


def test_from_a_folder_below_the_instance_commands_find_it(host: Path, benchsite: Call) -> None:
    ran = benchsite("log", "head", "--json", cwd=host / "docs/bench/results/log")
    assert json.loads(ran.out)["origin"] == ORIGIN
    outside = benchsite("log", "head", code=5, cwd=host / "docs")
    assert f"not a benchsite instance: {host} has no mkdocs.yml" in outside.err


def test_two_publishers_and_a_change_of_the_product_are_merged_into_one_log(
    host: Path, benchsite: Call, tmp_path: Path
) -> None:
    """Another clone publishes and changes the product first; ours moves on to its commit, outside the folder too."""
    remote = tmp_path / "origin.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(remote))
    git(host, "remote", "add", "origin", "../origin.git")
    git(host, "push", "-q", "-u", "origin", "main")
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", str(remote), str(other))
    (other / "src/product.py").write_text("print('newer')\n")
    git(other, "commit", "-q", "-a", "-m", "product")
    measure = ("run", "retrieval", "--fixture", FIXTURE, "--adapter")
    for folder, adapter in ((other, "bm25"), (host, "recency")):
        benchsite(*measure, adapter, cwd=folder / "docs/bench")
    for folder in (other, host):
        benchsite("publish", "--yes", cwd=folder / "docs/bench")
    assert git(remote, "rev-parse", "main") == git(host, "rev-parse", "HEAD")
    assert (host / "src/product.py").read_text() == "print('newer')\n"
    assert git(host, "status", "--porcelain") == ""
    assert "2 receipts verified" in benchsite("verify", "--all").out
    assert "no alteration found" in benchsite("audit").out


def test_an_edited_receipt_is_found_in_the_tree_and_in_the_history(host: Path, benchsite: Call) -> None:
    benchsite("run", "--no-publish")
    benchsite("publish", "--yes")
    receipt = next((host / "docs/bench/results/published").rglob("*.json"))
    data = receipt.read_bytes()
    receipt.write_bytes(data.replace(b'"benchVersion":"0', b'"benchVersion":"9'))
    name = receipt.relative_to(host / "docs/bench").as_posix()
    assert f"working tree: {name}" in benchsite("status", code=3).out
    assert name in benchsite("publish", "--yes", code=5).err
    git(host, "commit", "-q", "-a", "-m", "edited")
    receipt.write_bytes(data)
    git(host, "commit", "-q", "-a", "-m", "put back")
    assert name in benchsite("audit", code=3).out


def test_the_repository_is_dirty_if_the_product_is(host: Path, benchsite: Call) -> None:
    """The product may be what is measured: a receipt says whether its commit names what ran."""
    (host / "src/product.py").write_text("print('unfinished')\n")
    benchsite("run", "retrieval", "--adapter", "bm25", "--fixture", FIXTURE)
    (draft,) = (host / "docs/bench/.benchsite/drafts").glob("*.json")
    assert json.loads(draft.read_bytes())["environment"]["git"]["dirty"] is True


def test_a_pull_request_is_checked_and_code_outside_the_folder_is_named(host: Path, benchsite: Call) -> None:
    git(host, "branch", "base")
    (host / "src/product.py").write_text("print('changed')\n")
    (host / "docs/bench/results/log/note").write_text("not the log's\n")
    git(host, "add", "-A")
    git(host, "commit", "-q", "-m", "change")
    report = json.loads(benchsite("check", "--base", "base", "--no-build", "--json", code=3).out)
    found = {step["name"]: [item["where"] for item in step["items"]] for step in report["steps"]}
    assert found["code"] == ["../../src/product.py"]
    assert any("results/log/note" in where for items in found.values() for where in items)


def test_the_keys_are_rotated_in_a_drill(host: Path, benchsite: Call) -> None:
    benchsite("run", "--no-publish")
    benchsite("publish", "--yes")
    before = git(host, "rev-parse", "HEAD")
    assert "fail" not in benchsite("drill").out
    assert git(host, "rev-parse", "HEAD") == before


@pytest.mark.full
@pytest.mark.stories
def test_its_workflows_measure_sign_and_deploy_it(host: Path, keys: dict[str, str], tmp_path: Path) -> None:
    remote = tmp_path / "origin.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(remote))
    git(host, "push", "-q", str(remote), "main")
    runner = Runner(tmp_path / "github", remote, keys)
    jobs = runner.workflow("docs-bench-publish.yml")
    assert {name: job.result for name, job in jobs.items()} == dict.fromkeys(jobs, "success"), "".join(
        job.log for job in jobs.values()
    )
    assert "published 2 receipts" in jobs["sign"].summary
    assert runner.deployed == 1
    assert (runner.artifacts / "github-pages/index.html").is_file()
    names = git(remote, "ls-tree", "-r", "--name-only", "main", "docs/bench/results/published").split()
    assert len([name for name in names if name.endswith(".json")]) == 2


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("src", "is not an empty folder"),
        ("a b", "the workflows cannot name this folder: a b/"),
        ("x$(id)", "the workflows cannot name this folder"),
    ],
)
def test_a_folder_that_cannot_be_an_instance_is_refused(tmp_path: Path, folder: str, said: str) -> None:
    top = Repository.create(tmp_path / "top").root
    if folder == "src":
        (top / "src").mkdir()
        (top / "src/a").touch()
    ran = run_in(tmp_path / "home", top)("init", folder, "--subfolder", "--origin", ORIGIN)
    assert (ran.code, said in ran.err) == (4, True), ran.err
    assert {path.name for path in top.iterdir()} == {".git", *(["src"] if folder == "src" else [])}


def test_a_workflow_of_the_repository_is_not_overwritten(tmp_path: Path) -> None:
    top = Repository.create(tmp_path / "top").root
    (top / ".github/workflows").mkdir(parents=True)
    (top / ".github/workflows/bench-pages.yml").write_text("theirs\n")
    ran = run_in(tmp_path / "home", top)("init", "bench", "--subfolder", "--origin", ORIGIN)
    assert (ran.code, ".github/workflows/bench-pages.yml" in ran.err) == (4, True)
    assert (top / ".github/workflows/bench-pages.yml").read_text() == "theirs\n"


def test_workflows_of_a_subfolder_name_no_path_and_no_group_of_the_top(root: Path) -> None:
    """Every path of an action, every group and every start is the folder's."""
    folder = root / ".github/workflows"
    files = {
        f".github/workflows/{name}.yml": (folder / f"{name}.yml").read_bytes()
        for name in ("pages", "publish", "pull-request")
    }
    for text in (data.decode() for data in placed(files, "bench/").values()):
        lines = [line.strip() for line in text.splitlines()]
        assert "working-directory: bench/" in lines
        assert all(line.startswith("path: bench/") for line in lines if line.startswith("path: "))
        assert all(line.startswith("group: bench-") for line in lines if line.startswith("group: "))
        assert not any("./.github/workflows/pages.yml" in line for line in lines)
