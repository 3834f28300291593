"""The workflows, executed: a push is measured, signed by a job of its own, and shown (see github_runner)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import rubric_sheets
from builders import FIXTURE, commit
from examples import some
from github_runner import WHEEL, Runner
from publishing import edit, git, measure
from snapshots import opened

from benchsite import canonical
from benchsite.layout import CONFIG
from benchsite.pipeline import verify as checking
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey

pytestmark = pytest.mark.stories

IMAGE = "ghcr.io/someone/bench@sha256:" + "5e" * 32


@pytest.fixture
def keys(secrets: dict[str, PrivateKey]) -> dict[str, str]:
    """What the repository's settings would hold: the two keys of the signing job."""
    return {f"BENCHSITE_{role.upper()}_KEY": secrets[role].to_pem() for role in ("receipt", "log")}


def pushed(instance: Workspace, folder: Path, *, adapters: tuple[str, ...] = ("bm25", "recency")) -> Path:
    """The instance's bare remote, its suite cut down to adapters on the small fixture."""
    text = (instance.root / CONFIG).read_text().partition("    suite:\n")[0] + "    suite:\n"
    for adapter in adapters:
        text += f"      - {{track: retrieval, adapter: {adapter}, fixture: {FIXTURE}}}\n"
    commit(instance, {CONFIG: text.encode(), ".ci/benchsite.txt": WHEEL})
    remote = folder / "origin.git"
    git(folder, "init", "-q", "--bare", "-b", "main", str(remote))
    git(instance.root, "remote", "add", "origin", str(remote))
    git(instance.root, "push", "-q", "origin", "main")
    return remote


def receipts(remote: Path) -> list[dict[str, object]]:
    names = git(remote, "ls-tree", "-r", "--name-only", "main", "results/published").splitlines()
    return [json.loads(git(remote, "show", f"main:{name}")) for name in names if name.endswith(".json")]


def test_a_push_is_measured_signed_and_shown(begun: Workspace, keys: dict[str, str], tmp_path: Path) -> None:
    runner = Runner(tmp_path / "github", pushed(begun, tmp_path), keys)
    jobs = runner.workflow("publish.yml")
    assert {name: job.result for name, job in jobs.items()} == {
        "measure": "success",
        "sign": "success",
        "pages": "success",
    }, "".join(job.log for job in jobs.values())
    published = receipts(runner.remote)
    assert sorted(item["adapter"]["name"] for item in published) == ["bm25", "recency"]  # type: ignore[index]
    assert {item["ranBy"]["kind"] for item in published} == {"workflow"}  # type: ignore[index]
    assert "published 2 receipts" in jobs["sign"].summary
    assert git(runner.remote, "log", "-1", "--format=%an", "main") == "github-actions[bot]"
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(runner.remote), str(clone))
    assert [item.exit_code for item in checking.verify(opened(Workspace(clone)), (), everything=True)] == [
        0,
        0,
    ]
    site = runner.artifacts / "github-pages"
    for item in published:
        assert list(site.rglob(f"{item['receiptId']}*")), "the site shows what was signed a moment ago"
    assert runner.deployed == 1

    again = runner.workflow("publish.yml")
    assert [job.result for job in again.values()] == ["success", "skipped", "success"]
    assert len(receipts(runner.remote)) == 2


def test_only_the_signing_job_is_given_a_key_and_it_measures_nothing(
    begun: Workspace, keys: dict[str, str], tmp_path: Path
) -> None:
    runner = Runner(tmp_path / "github", pushed(begun, tmp_path), keys)
    commit(begun, {".ci/subjects.txt": b"some-adapter==1.0\n"})
    git(begun.root, "push", "-q", "origin", "main")
    installed: dict[str, list[str]] = {}
    order: list[str] = []

    def before(job: str) -> None:
        if order:
            installed[order[-1]] = runner.calls("python")
        order.append(job)

    jobs = runner.workflow("publish.yml", before=before)
    installed[order[-1]] = runner.calls("python")
    assert runner.seen_secrets == {("sign", name) for name in keys}
    files = {job: [Path(line.split()[-1]).name for line in lines] for job, lines in installed.items()}
    core = ["benchsite.txt", "requirements.txt", "benchsite-0.1.0-py3-none-any.whl"]
    assert files == {"measure": [*core, "subjects.txt"], "sign": core, "pages": core}
    assert all("--require-hashes" in line for lines in installed.values() for line in lines[:2])
    assert all("--no-index" in lines[2] for lines in installed.values())
    assert "measured" not in jobs["sign"].log
    for job in jobs.values():
        if job.workspace is not None:
            text = job.log + job.summary
            text += "".join(p.read_text("utf-8", "replace") for p in job.workspace.rglob("*") if p.is_file())
            assert not any(key.splitlines()[1] in text for key in keys.values())


@pytest.mark.full
def test_in_the_recorded_image_there_is_no_network_and_nothing_to_write_but_drafts(
    begun: Workspace, keys: dict[str, str], tmp_path: Path
) -> None:
    runner = Runner(tmp_path / "github", pushed(begun, tmp_path), keys)
    text = (begun.root / CONFIG).read_text()
    text = text.replace("    root_keys:", f"    images:\n      v0.1.0: {IMAGE}\n    root_keys:")
    commit(begun, {CONFIG: text.encode()})
    git(begun.root, "push", "-q", "origin", "main")
    jobs = runner.workflow("publish.yml", without=("pages",))
    assert jobs["sign"].result == "success", jobs["measure"].log + jobs["sign"].log
    environments = [item["environment"] for item in receipts(runner.remote)]
    assert [item["containerImage"] for item in environments] == [IMAGE, IMAGE]  # type: ignore[index]
    assert {item["runner"] for item in environments} == {"github-actions/Linux/X64"}  # type: ignore[index]
    verb, options, image, *command = json.loads(runner.calls("docker")[0])
    assert (verb, image, command[:2]) == ("run", IMAGE, ["benchsite", "run"])
    given = {name: [value for key, value in options if key == name] for name, _ in options}
    assert given["--network"] == ["none"]
    assert given["--cap-drop"] == ["ALL"]
    assert "--read-only" in given
    writable = [volume for volume in given["--volume"] if not volume.endswith(":ro")]
    assert [volume.split(":")[1] for volume in writable] == ["/work/.benchsite"]
    assert not any("KEY" in value or "TOKEN" in value for value in given["--env"])

    runner.inputs["network"] = True
    git(begun.root, "pull", "-q", "origin", "main")
    commit(begun, {CONFIG: text.replace("adapter: bm25", "adapter: random").encode()})
    git(begun.root, "push", "-q", "origin", "main")
    runner.workflow("publish.yml", without=("pages",))
    assert ["--network", "bridge"] in json.loads(runner.calls("docker")[0])[1]


@pytest.mark.full
def test_images_that_are_recorded_for_other_versions_stop_the_measuring(
    begun: Workspace, keys: dict[str, str], tmp_path: Path
) -> None:
    runner = Runner(tmp_path / "github", pushed(begun, tmp_path), keys)
    text = (begun.root / CONFIG).read_text()
    text = text.replace("    root_keys:", f"    images: {{v9.9.9: '{IMAGE}'}}\n    root_keys:")
    commit(begun, {CONFIG: text.encode()})
    git(begun.root, "push", "-q", "origin", "main")
    jobs = runner.workflow("publish.yml")
    assert [job.result for job in jobs.values()] == ["failure", "skipped", "success"]
    assert "none for v0.1.0" in jobs["measure"].log


@pytest.mark.full
def test_one_system_that_fails_keeps_the_others_from_nothing(
    begun: Workspace, keys: dict[str, str], tmp_path: Path
) -> None:
    remote = pushed(begun, tmp_path, adapters=("nobody-has-this", "recency"))
    jobs = Runner(tmp_path / "github", remote, keys).workflow("publish.yml")
    assert [job.result for job in jobs.values()] == ["failure", "success", "success"], jobs["measure"].log
    assert len(receipts(remote)) == 1


@pytest.mark.full
def test_before_the_log_begins_the_site_is_built_and_nothing_else(
    begun: Workspace, keys: dict[str, str], tmp_path: Path
) -> None:
    remote = pushed(begun, tmp_path)
    gone = git(begun.root, "ls-files", "results/log", "keys").splitlines()
    text = (begun.root / CONFIG).read_text()
    text = "".join("    root_keys: []\n" if "root_keys" in line else line for line in text.splitlines(True))
    commit(begun, {CONFIG: text.encode()}, removes=tuple(gone))
    git(begun.root, "push", "-q", "origin", "main")
    runner = Runner(tmp_path / "github", remote, keys)
    jobs = runner.workflow("publish.yml")
    assert [job.result for job in jobs.values()] == ["success", "skipped", "success"], jobs["pages"].log
    assert "benchsite keys init" in jobs["measure"].log
    assert runner.seen_secrets == set()


@pytest.mark.full
def test_a_draft_that_came_by_pull_request_is_signed_though_nothing_was_measured(
    begun: Workspace, keys: dict[str, str], tmp_path: Path
) -> None:
    remote = pushed(begun, tmp_path, adapters=("recency",))
    runner = Runner(tmp_path / "github", remote, keys)
    runner.workflow("publish.yml", without=("pages",))
    git(begun.root, "pull", "-q", "origin", "main")
    draft = measure(begun, "bm25")
    commit(begun, {f"results/inbox/{draft.name}": draft.read_bytes()})
    git(begun.root, "push", "-q", "origin", "main")
    jobs = runner.workflow("publish.yml", without=("pages",))
    assert jobs["measure"].outputs == {"measured": "0", "waiting": "1", "attached": "0"}
    assert jobs["sign"].result == "success", jobs["sign"].log
    assert draft.stem in {item["receiptId"] for item in receipts(remote)}
    assert git(remote, "ls-tree", "-r", "--name-only", "main", "results/inbox") == ""


@pytest.mark.full
def test_committed_sheets_are_published_with_the_transcripts_they_rest_on(
    begun: Workspace, keys: dict[str, str], tmp_path: Path
) -> None:
    """The measuring job scores them, and the signing job scores them again before it believes the draft."""
    remote = pushed(begun, tmp_path, adapters=())
    files = {f"fixtures/helper/{n}.md": f"as it said in session {n}\n".encode() for n in (1, 2, 3)}
    sheets = [
        (f"fixtures/helper/s{n}p{number}.yaml", rubric_sheets.text("2.0.0", session=n, number=number), n)
        for n in (1, 2, 3)
        for number in (1, 2)
    ]
    for path, text, n in sheets:
        files[path] = text.replace("{excerpt:", f"{{file: {n}.md, excerpt:").encode()
    entry = f"      - {{track: rubric, sheets: [{', '.join(path for path, _, _ in sheets)}]}}\n"
    commit(begun, {**files, CONFIG: ((begun.root / CONFIG).read_text() + entry).encode()})
    git(begun.root, "push", "-q", "origin", "main")
    jobs = Runner(tmp_path / "github", remote, keys).workflow("publish.yml", without=("pages",))
    assert jobs["sign"].result == "success", jobs["measure"].log + jobs["sign"].log
    assert len(receipts(remote)) == 1
    there = git(remote, "ls-tree", "-r", "--name-only", "main", "results/evidence").splitlines()
    said = {canonical.sha256_hex(files[f"fixtures/helper/{n}.md"]) for n in (1, 2, 3)}
    assert {name.rpartition("/")[2] for name in there} - {".gitkeep"} == said


LIES = ("a better score", "not JSON", "another name", "another log", "a second draft of an entry", "a link")


@pytest.mark.parametrize("lie", some(LIES, gate=1))
def test_the_signing_job_believes_no_draft(
    begun: Workspace, keys: dict[str, str], tmp_path: Path, lie: str
) -> None:
    """What `measure` hands over is data: its runner may have been taken over by what it measured."""
    remote = pushed(begun, tmp_path, adapters=("recency",))
    runner = Runner(tmp_path / "github", remote, keys)
    head = git(remote, "rev-parse", "main")

    def before(job: str) -> None:
        if job != "sign":
            return
        (draft,) = (runner.artifacts / "drafts").iterdir()
        scores = json.loads(draft.read_bytes())["scores"]
        match lie:
            case "a better score":
                edit(draft, {"scores": {**scores, "ndcg_at_10": 1}})
            case "not JSON":
                draft.write_bytes(b"{}{")
            case "another log":
                seen = json.loads(draft.read_bytes())["logHead"]
                edit(draft, {"logHead": {**seen, "origin": "elsewhere.invalid/log"}})
            case "a second draft of an entry":
                other = draft.with_name("11111111-1111-4111-8111-111111111111.json")
                other.write_bytes(draft.read_bytes())
                edit(other, {"receiptId": other.stem})
            case "a link":
                edit(draft, {"supersedes": "11111111-1111-4111-8111-111111111111"})
            case _:
                edit(draft, {"receiptId": "../../../keys/receipt"})

    jobs = runner.workflow("publish.yml", before=before)
    assert [job.result for job in jobs.values()] == ["success", "failure", "skipped"], jobs["sign"].log
    assert "Traceback" not in jobs["sign"].log
    assert git(remote, "rev-parse", "main") == head


def test_on_another_branch_than_main_no_job_runs(
    begun: Workspace, keys: dict[str, str], tmp_path: Path
) -> None:
    """Started by hand on a branch with any name, with another workflow file on it or not."""
    remote = pushed(begun, tmp_path)
    runner = Runner(tmp_path / "github", remote, keys, {"ref": "refs/heads/main$(touch${IFS}pwned)"})
    assert {job.result for job in runner.workflow("publish.yml").values()} == {"skipped"}
    assert runner.seen_secrets == set()


def test_without_a_wheel_named_by_its_hash_nothing_is_installed(
    begun: Workspace, keys: dict[str, str], tmp_path: Path
) -> None:
    """The bare name would be answered by whoever owns it on a package index."""
    runner = Runner(tmp_path / "github", pushed(begun, tmp_path), keys)
    commit(begun, {".ci/benchsite.txt": b"benchsite==0.1.0\n"})
    git(begun.root, "push", "-q", "origin", "main")
    jobs = runner.workflow("publish.yml")
    assert [job.result for job in jobs.values()] == ["failure", "skipped", "failure"]
    assert "no wheel of benchsite with its hash" in jobs["measure"].log
    assert runner.calls("python") == []


def test_a_signing_job_without_its_secrets_says_which(begun: Workspace, tmp_path: Path) -> None:
    remote = pushed(begun, tmp_path, adapters=("recency",))
    jobs = Runner(tmp_path / "github", remote, {}).workflow("publish.yml")
    assert [job.result for job in jobs.values()] == ["success", "failure", "skipped"]
    assert "no receipt and no log key is set" in jobs["sign"].log
