"""A runner for this project's own workflow files, offline: every `run:` line is executed, every action is imitated.

Knows the expressions, actions and status rules that the files use and fails on any other. What needs a network is
stood in for, `python -m pip` and `build`, `docker`, `gh`, and writes down how it was called.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml
from publishing import git

WHEEL = f"benchsite @ https://wheels.invalid/benchsite.whl --hash=sha256:{'0' * 64}\n".encode()
"""What `.ci/benchsite.txt` of an instance says."""
_PYTHON = """#!/bin/sh
if [ "$1 $2 $3" = "-P -m pip" ]; then
  echo "$@" >> "{log}"
  while [ $# -gt 0 ]; do
    if [ "$1" = --dest ] || [ "$1" = --wheel-dir ]; then touch "$2/benchsite-0.1.0-py3-none-any.whl"; fi
    shift
  done
  exit 0
fi
if [ "$1 $2 $3" = "-P -m build" ]; then
  mkdir dist && echo wheel > dist/benchsite-0.1.0-py3-none-any.whl && touch dist/benchsite-0.1.0.tar.gz
  exit 0
fi
exec {python} "$@"
"""
_GH = """#!/bin/sh
echo "$@" >> "{log}"
"""
_DOCKER = """#!{python}
import json, os, subprocess, sys
if sys.argv[1] != "run":
    with open("{log}", "a") as log:
        print(json.dumps(sys.argv[1:]), file=log)
    if sys.argv[1] == "inspect":
        print(sys.argv[-1].rpartition(":")[0] + "@sha256:" + "5e" * 32)
    sys.exit()
arguments = sys.argv[2:]
options, env = [], {{"PATH": os.environ["PATH"]}}
while arguments[0].startswith("--"):
    option = arguments.pop(0)
    value = None if option in ("--rm", "--read-only") else arguments.pop(0)
    options.append([option, value])
    if option == "--env":
        name, given, text = value.partition("=")
        if given or name in os.environ:
            env[name] = text if given else os.environ[name]
with open("{log}", "a") as log:
    print(json.dumps([sys.argv[1], options, *arguments]), file=log)
sys.exit(subprocess.run(arguments[1:], env=env).returncode)
"""


@dataclass
class Job:
    """What became of a job: `success`, `failure` or `skipped`."""

    result: str
    outputs: dict[str, str] = field(default_factory=dict)
    log: str = ""
    summary: str = ""
    workspace: Path | None = None


class Runner:
    """A GitHub repository as far as its workflows can tell: a bare remote, secrets, artifacts.

    Args:
        folder: where workspaces, artifacts and logs go.
        remote: the bare repository.
        secrets: by name, as the repository holds them.
        github: the `github` context.
        python: the script that stands in for `python`, which by default installs nothing.
        programs: scripts of other programs, by name.
    """

    def __init__(
        self,
        folder: Path,
        remote: Path,
        secrets: dict[str, str],
        github: dict[str, str] | None = None,
        *,
        python: str = _PYTHON,
        programs: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.folder, self.remote, self.secrets = folder, remote, secrets
        self.github = {"ref": "refs/heads/main", **(github or {})}
        self.inputs: dict[str, Any] = {}
        self.artifacts = folder / "artifacts"
        self.seen_secrets: set[tuple[str, str]] = set()
        self.deployed = 0
        self.started_at = ""
        shims = folder / "bin"
        shims.mkdir(parents=True)
        for name, text in {"python": python, "docker": _DOCKER, "gh": _GH, **programs}.items():
            self._shim(shims / name, text)
        self.path = f"{shims}:{Path(sys.executable).parent}:{os.environ['PATH']}"

    def _shim(self, path: Path, text: str) -> None:
        path.write_text(text.format(log=self.folder / f"{path.name}.log", python=sys.executable))
        path.chmod(0o755)

    def calls(self, program: str) -> list[str]:
        """How a stood-in program was called, and forgets it."""
        log = self.folder / f"{program}.log"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines

    def workflow(self, name: str, *, before: Any = None, without: tuple[str, ...] = ()) -> dict[str, Job]:
        """Run a workflow; `before(job name)` is called before each job, jobs in `without` are left out."""
        shutil.rmtree(self.artifacts, ignore_errors=True)
        document = self._read(name)
        self.started_at = git(self.remote, "rev-parse", "main")
        for job in without:
            del document["jobs"][job]
        return self._jobs(document, before)

    def _read(self, name: str) -> dict[str, Any]:
        document: dict[str, Any] = yaml.safe_load(git(self.remote, "show", f"main:.github/workflows/{name}"))
        return document

    def _jobs(self, document: dict[str, Any], before: Any = None) -> dict[str, Job]:
        done: dict[str, Job] = {}
        for name, job in document["jobs"].items():
            needs = [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", [])
            facts = _facts(self, {need: done[need] for need in needs if need in done})
            fine = all(done[need].result == "success" for need in needs if need in done)
            if not _applies(job.get("if"), facts, fine=fine):
                done[name] = Job("skipped")
                continue
            if before is not None:
                before(name)
            if "uses" in job:
                done[name] = self._called(job["uses"])
            else:
                done[name] = _Running(self, name, job, document["defaults"]["run"], facts).run()
        return done

    def _called(self, uses: str) -> Job:
        inner = self._jobs(self._read(Path(uses).name))
        good = all(job.result == "success" for job in inner.values())
        return Job("success" if good else "failure", log="".join(job.log for job in inner.values()))


class _Running:
    """One job on its way."""

    def __init__(
        self, runner: Runner, name: str, job: dict[str, Any], defaults: dict[str, str], facts: dict[str, Any]
    ) -> None:
        self.runner, self.name, self.job, self.facts = runner, name, job, facts
        self.shell, self.folder = defaults["shell"], defaults.get("working-directory", ".")
        self.place = runner.folder / "jobs" / f"{name}-{len(list(runner.folder.glob('jobs/*')))}"
        self.workspace = self.place / "work"
        self.done = Job("success", workspace=self.workspace)
        for folder in (self.workspace, self.place / "home"):
            folder.mkdir(parents=True)

    def run(self) -> Job:
        for step in self.job["steps"]:
            if not _applies(step.get("if"), self.facts, fine=self.done.result == "success"):
                continue
            good = self._action(step) if "uses" in step else self._script(step)
            self.facts[f"steps.{step.get('id')}.outcome"] = "success" if good else "failure"
            if not good:
                self.done.result = "failure"
        self.done.outputs = {
            name: _text(value, self.facts) for name, value in self.job.get("outputs", {}).items()
        }
        return self.done

    def _action(self, step: dict[str, Any]) -> bool:
        given = step.get("with", {})
        match step["uses"].split("@")[0]:
            case "actions/checkout":
                self.workspace.rmdir()
                git(self.runner.folder, "clone", "-q", str(self.runner.remote), str(self.workspace))
                at = given.get("ref", self.runner.github.get("checkout", self.runner.started_at))
                git(
                    self.workspace,
                    "checkout",
                    "-q",
                    *(["-B", "main"] if at == self.runner.started_at else []),
                    at,
                )
                if not given.get("persist-credentials", True):
                    git(self.workspace, "remote", "set-url", "--push", "origin", "/nowhere")
            case "actions/upload-artifact" | "actions/upload-pages-artifact":
                store = self.runner.artifacts / given.get("name", "github-pages")
                found = sorted(self.workspace.glob(given["path"]))
                assert found, f"nothing at {given['path']}"
                hidden = any(part.startswith(".") for part in Path(given["path"]).parts)
                assert not hidden or given["include-hidden-files"]
                inside = sorted(found[0].iterdir()) if found[0].is_dir() else found
                store.mkdir(parents=True)
                for path in inside:
                    (shutil.copytree if path.is_dir() else shutil.copy)(path, store / path.name)
            case "actions/download-artifact":
                target = self.workspace / given["path"]
                shutil.copytree(self.runner.artifacts / given["name"], target, dirs_exist_ok=True)
            case "actions/deploy-pages":
                self.runner.deployed += 1
            case other:
                assert other == "actions/setup-python", f"an action nobody imitates: {other}"
        return True

    def _script(self, step: dict[str, Any]) -> bool:
        script, output, summary = (self.place / name for name in ("script.sh", "output", "summary"))
        script.write_text(step["run"])
        output.write_text("")
        summary.touch()
        out = subprocess.run(
            [str(script) if part == "{0}" else part for part in self.shell.split()],
            cwd=self.workspace / self.folder,
            env={
                "PATH": self.runner.path,
                "HOME": str(self.place / "home"),
                "GIT_CONFIG_NOSYSTEM": "1",
                "GITHUB_ACTIONS": "true",
                "GITHUB_ACTOR": "someone",
                "GITHUB_SERVER_URL": "https://github.invalid",
                "GITHUB_SHA": self.runner.started_at,
                "GITHUB_REPOSITORY": "someone/bench",
                "GITHUB_WORKFLOW_REF": "someone/bench/.github/workflows/publish.yml@refs/heads/main",
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(summary),
                "RUNNER_OS": "Linux",
                "RUNNER_ARCH": "X64",
                **{
                    name: self._given(value)
                    for scope in (self.job, step)
                    for name, value in scope.get("env", {}).items()
                },
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=300,
        )
        self.done.log += out.stdout
        self.done.summary = summary.read_text()
        told = dict(line.split("=", 1) for line in output.read_text().splitlines())
        self.facts.update({f"steps.{step.get('id')}.outputs.{name}": value for name, value in told.items()})
        return out.returncode == 0

    def _given(self, value: str) -> str:
        for secret in re.findall(r"secrets\.(\w+)", value):
            self.runner.seen_secrets.add((self.name, secret))
        return _text(value, self.facts)


def _facts(runner: Runner, needs: dict[str, Job]) -> dict[str, Any]:
    facts: dict[str, Any] = {f"github.{name}": value for name, value in runner.github.items()}
    facts.update({f"secrets.{name}": value for name, value in runner.secrets.items()})
    facts.update({f"inputs.{name}": value for name, value in runner.inputs.items()})
    for name, job in needs.items():
        facts[f"needs.{name}.result"] = job.result
        facts.update({f"needs.{name}.outputs.{key}": value for key, value in job.outputs.items()})
    return facts


def _applies(condition: str | None, facts: dict[str, Any], *, fine: bool) -> bool:
    """GitHub's rule: without a status function in it, a condition holds only where nothing failed before."""
    if condition is None:
        return fine
    bare = condition.removeprefix("${{").removesuffix("}}").strip()
    return (fine or "cancelled()" in bare) and bool(_value(bare, facts))


def _value(expression: str, facts: dict[str, Any]) -> Any:
    """An expression of GitHub's, by way of Python's own operators; what is unknown is empty, as there."""
    for word, ours in (("&&", " and "), ("||", " or "), ("!=", " <> "), ("!", " not "), ("<>", "!=")):
        expression = expression.replace(word, ours)
    expression = re.sub(r"\b[a-z]+(?:\.\w+)+", lambda name: json.dumps(facts.get(name[0], "")), expression)
    names = {"cancelled": lambda: False, "true": True, "false": False, "__builtins__": {}}
    return eval(expression.strip(), names)  # noqa: S307 - the repository's own files


def _text(value: str, facts: dict[str, Any]) -> str:
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: str(_value(found[1], facts)), value)
