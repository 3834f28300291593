"""The rules that the workflow files keep, read from the files: who may do what, who sees a key, what is pinned."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

NAMES = ("pages.yml", "publish.yml", "pull-request.yml", "release.yml")
READ_ONLY = {"contents": "read"}
WRITES = {
    ("publish.yml", "sign"): {"contents": "write"},
    ("publish.yml", "pages"): {"contents": "read", "pages": "write", "id-token": "write"},
    ("pages.yml", "deploy"): {"pages": "write", "id-token": "write"},
    ("release.yml", "files"): {"contents": "write"},
    ("release.yml", "image"): {"contents": "read", "packages": "write"},
    ("release.yml", "record"): {"contents": "write"},
}
PUSHES = {("publish.yml", "sign"), ("release.yml", "record")}
"""The jobs that push a commit: the only ones whose checkout keeps a credential."""


@pytest.fixture(scope="module")
def texts(root: Path) -> dict[str, str]:
    folder = root / ".github" / "workflows"
    found = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert sorted(found) == list(NAMES), "a new workflow: say here what it may do"
    return found


@pytest.fixture(scope="module")
def workflows(texts: dict[str, str]) -> dict[str, dict[str, Any]]:
    """The files, parsed; YAML 1.1 reads the key `on` as true."""
    return {
        name: {("on" if key is True else key): value for key, value in yaml.safe_load(text).items()}
        for name, text in texts.items()
    }


def jobs(workflows: dict[str, dict[str, Any]]) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    for file, workflow in workflows.items():
        for name, job in workflow["jobs"].items():
            yield (file, name), job


def steps(workflows: dict[str, dict[str, Any]]) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    for where, job in jobs(workflows):
        for step in job.get("steps", []):
            yield where, step


def test_every_action_is_pinned_by_commit_and_says_its_version(texts: dict[str, str]) -> None:
    used: dict[str, set[str]] = {}
    for name, text in texts.items():
        for line in re.findall(r"\buses:(.*)", text):
            if line.strip() == "./.github/workflows/pages.yml":
                continue
            pinned = re.fullmatch(r" (actions/[a-z-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)", line)
            assert pinned, f"{name}: {line}"
            used.setdefault(pinned[1], set()).add(f"{pinned[2]} {pinned[3]}")
    assert {action: len(pins) for action, pins in used.items()} == dict.fromkeys(used, 1)


def test_no_workflow_has_a_permission_that_its_job_does_not_name(
    workflows: dict[str, dict[str, Any]],
) -> None:
    for workflow in workflows.values():
        assert workflow["permissions"] == {}
    for where, job in jobs(workflows):
        assert job["permissions"] == WRITES.get(where, READ_ONLY), where


def test_what_starts_a_workflow(workflows: dict[str, dict[str, Any]]) -> None:
    """`pull_request_target` and `workflow_run` would run a stranger's change with our token and secrets."""
    assert {name: workflow["on"] for name, workflow in workflows.items()} == {
        "pages.yml": {"workflow_call": None, "workflow_dispatch": None},
        "publish.yml": {
            "push": {"branches": ["main"]},
            "workflow_dispatch": {"inputs": workflows["publish.yml"]["on"]["workflow_dispatch"]["inputs"]},
        },
        "pull-request.yml": {"pull_request": None},
        "release.yml": {"push": {"tags": ["v*"]}},
    }


def test_secrets_are_named_in_the_signing_step_and_nowhere_else(
    texts: dict[str, str], workflows: dict[str, dict[str, Any]]
) -> None:
    given = {
        (where, name): value
        for where, step in steps(workflows)
        for name, value in step.get("env", {}).items()
        if "secrets" in str(value)
    }
    sign = ("publish.yml", "sign")
    assert given == {
        (sign, name): f"${{{{ secrets.{name} }}}}" for name in ("BENCHSITE_RECEIPT_KEY", "BENCHSITE_LOG_KEY")
    }
    code = {name: re.sub(r"(?m)#.*$", "", text) for name, text in texts.items()}
    assert {name: len(re.findall(r"\bsecrets\b", text)) for name, text in code.items()} == {
        **dict.fromkeys(NAMES, 0),
        "publish.yml": 2,
    }
    assert "ROOT_KEY" not in "".join(code.values())


def test_the_signing_job_installs_the_core_runs_no_subject_and_stands_alone(
    workflows: dict[str, dict[str, Any]],
) -> None:
    sign = workflows["publish.yml"]["jobs"]["sign"]
    commands = [step["run"] for step in sign["steps"] if "run" in step]
    assert commands[0] == "bash .ci/install"
    assert sign["env"] == {"PYTHONSAFEPATH": "1"}
    assert not any(re.search(r"\bpython\b", command) for command in commands)
    assert not any(
        re.search(r"benchsite run|measure|preview|subjects|docker", command) for command in commands
    )
    assert sign["environment"] == "publishing"
    assert sign["concurrency"] == {"group": "sign", "cancel-in-progress": False}
    assert sign["needs"] == "measure"
    groups = [
        scope["concurrency"]["group"]
        for _, scope in (*workflows.items(), *jobs(workflows))
        if "concurrency" in scope
    ]
    assert len(groups) == len(set(groups)), "a job waiting for its own workflow's group would wait for ever"


def test_jobs_that_measure_are_given_no_environment_and_no_key(workflows: dict[str, dict[str, Any]]) -> None:
    measuring = [
        where
        for where, step in steps(workflows)
        if re.search(r"\.ci/(measure|preview|run)|install subjects", step.get("run", ""))
    ]
    assert set(measuring) == {
        ("publish.yml", "measure"),
        ("pull-request.yml", "check"),
        ("pull-request.yml", "test"),
        ("release.yml", "test"),
    }
    for where, job in jobs(workflows):
        if where in measuring:
            assert job["permissions"] == READ_ONLY
            assert "environment" not in job


def test_a_credential_stays_in_the_checkout_only_where_a_commit_is_pushed(
    workflows: dict[str, dict[str, Any]],
) -> None:
    checkouts = [
        (where, step["with"]) for where, step in steps(workflows) if "checkout@" in step.get("uses", "")
    ]
    for where, given in checkouts:
        assert given["persist-credentials"] is (where in PUSHES), where
    deep = {where for where, given in checkouts if given.get("fetch-depth") == 0}
    shallow = {where for where, _ in checkouts} - deep
    assert shallow == {("release.yml", "wheel"), ("release.yml", "image")}, "neither reads history"
    newest = {where for where, given in checkouts if given.get("ref") == "main"}
    assert newest == {*PUSHES, ("pages.yml", "build")}


def test_no_expression_stands_in_a_script(workflows: dict[str, dict[str, Any]]) -> None:
    """A branch may be called `$(...)`: values reach a script through its environment."""
    for where, step in steps(workflows):
        assert "${{" not in step.get("run", ""), where


def test_every_job_ends_in_time_on_a_named_system_in_a_strict_shell(
    workflows: dict[str, dict[str, Any]],
) -> None:
    for workflow in workflows.values():
        assert workflow["defaults"] == {"run": {"shell": "bash -euo pipefail {0}"}}
    for where, job in jobs(workflows):
        if "uses" in job:
            continue
        assert 0 < job["timeout-minutes"] <= 350, where
        assert re.fullmatch(r"ubuntu-\d\d\.\d\d", job["runs-on"]), where
    for where, step in steps(workflows):
        assert "shell" not in step, where
        if "upload-artifact@" in step.get("uses", ""):
            assert step["with"]["retention-days"] > 0, where


def test_publishing_happens_from_main_and_one_run_at_a_time(workflows: dict[str, dict[str, Any]]) -> None:
    publish = workflows["publish.yml"]
    assert list(publish["jobs"]) == ["measure", "sign", "pages"]
    assert publish["concurrency"] == {"group": "publish", "cancel-in-progress": False}
    assert publish["jobs"]["measure"]["if"] == "github.ref == 'refs/heads/main'"
    assert publish["jobs"]["pages"]["uses"] == "./.github/workflows/pages.yml"
    assert publish["jobs"]["pages"]["needs"] == ["measure", "sign"]
    assert "secrets" not in publish["jobs"]["pages"]


def test_what_measuring_leaves_reaches_the_signing_job_drafts_and_evidence(
    workflows: dict[str, dict[str, Any]],
) -> None:
    """Each artifact is taken to the folder it came from, and only where there is one."""
    publish = workflows["publish.yml"]["jobs"]
    handed = {
        step["with"]["name"]: (step["with"]["path"].rpartition("/")[0], _output(step["if"]))
        for step in publish["measure"]["steps"]
        if "upload-artifact@" in step.get("uses", "")
    }
    taken = {
        step["with"]["name"]: (step["with"]["path"], _output(step["if"]))
        for step in publish["sign"]["steps"]
        if "download-artifact@" in step.get("uses", "")
    }
    assert handed == {
        "drafts": (".benchsite/drafts", "measured"),
        "attachments": (".benchsite/attachments", "attached"),
    }
    assert taken == handed
    assert {"measured", "attached"} <= publish["measure"]["outputs"].keys()


def _output(condition: str) -> str:
    return condition.rpartition("outputs.")[2].partition(" ")[0]


def test_the_image_holds_the_locked_core_and_does_not_run_as_root(root: Path) -> None:
    """A recipe for instances as well: `init` copies it, and `.ci/install` knows which benchsite is meant."""
    lines = (root / ".ci" / "Containerfile").read_text(encoding="utf-8").splitlines()
    code = [line for line in lines if line and not line.startswith("#")]
    assert code[0] == "ARG PYTHON=3.11-slim-bookworm"
    assert [line for line in code if "install" in line and "apt-get" not in line] == [
        'RUN python -m venv /opt/benchsite && PATH="/opt/benchsite/bin:$PATH" bash .ci/install'
    ]
    assert "USER runner" in code[code.index("COPY --from=build /opt/benchsite /opt/benchsite") :]
