"""From an empty account with one wheel to a deployed site: the wheel itself is installed in every job of the workflow.

The wheel is built here, put into the instance and pinned. `.ci/install` runs pip, which compares its hash; only the packages
that benchsite imports are taken from this environment, because they would come from a network. The deployed folder is
served by a static server, and read over HTTP as a visitor reads it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from github_runner import Runner
from publishing import git
from wheels import build, checkout, unpacked

from benchsite.addresses import receipt_page_path

pytestmark = pytest.mark.stories

_PYTHON = """#!/bin/sh
site="$HOME/site"
if [ "$1 $2 $3" = "-P -m pip" ]; then
  echo "$@" >> "{log}"
  case "$*" in
    *benchsite.txt*) exec {python} "$@" --no-index ;;
    *requirements.txt*) exit 0 ;;
    *) exec {python} "$@" --target "$site" ;;
  esac
fi
PYTHONPATH="$site" exec {python} "$@"
"""
"""Python of a job: pip is real but for the packages of a network; benchsite is what it installed in this job, or nothing."""
_BENCHSITE = """#!/bin/sh
exec python -P -m benchsite "$@"
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    return build(checkout(folder / "source"), folder / "dist", "wheel")["wheel"]


class Newcomer:
    """A person's empty account: an empty HOME, and benchsite from the wheel alone."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.site = unpacked(wheel, folder / "installed")

    def benchsite(self, cwd: Path, *arguments: str | Path, **variables: str) -> str:
        out = subprocess.run(
            [sys.executable, "-P", "-m", "benchsite", *map(str, arguments)],
            cwd=cwd,
            env={
                "HOME": str(self.home),
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(self.site),
                **variables,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert out.returncode == 0, f"{arguments}: {out.stdout}{out.stderr}"
        return out.stdout


@pytest.fixture
def newcomer(tmp_path: Path, wheel: Path) -> Newcomer:
    return Newcomer(tmp_path, wheel)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print no request."""


@pytest.fixture
def serve() -> Iterator[Callable[[Path], str]]:
    """Serve a folder as any static server does; the address of its top."""
    servers: list[ThreadingHTTPServer] = []

    def start(folder: Path) -> str:
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}/"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.full
def test_nothing_but_a_wheel_becomes_a_signed_deployed_and_verified_site(
    newcomer: Newcomer, wheel: Path, serve: Callable[[Path], str], tmp_path: Path
) -> None:
    bench, kept = tmp_path / "bench", tmp_path / "keys"
    newcomer.benchsite(tmp_path, "init", "bench", "--origin", "tests.invalid/bench/log")
    newcomer.benchsite(bench, "keys", "init", "--out", kept)
    (bench / "wheels").mkdir()
    (bench / "wheels" / wheel.name).write_bytes(wheel.read_bytes())
    newcomer.benchsite(bench, "ci", "pin", f"wheels/{wheel.name}")
    git(bench, "add", ".ci/benchsite.txt", "wheels")
    git(bench, "commit", "-q", "-m", "Pin benchsite")
    remote = tmp_path / "origin.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(remote))
    git(bench, "remote", "add", "origin", str(remote))
    git(bench, "push", "-q", "-u", "origin", "main")

    secrets = {
        f"BENCHSITE_{role.upper()}_KEY": (kept / f"{role}.pem").read_text() for role in ("receipt", "log")
    }
    runner = Runner(tmp_path / "github", remote, secrets, python=_PYTHON, programs={"benchsite": _BENCHSITE})
    jobs = runner.workflow("publish.yml")
    assert {name: job.result for name, job in jobs.items()} == dict.fromkeys(jobs, "success"), "".join(
        job.log for job in jobs.values()
    )
    assert "published 5 receipts" in jobs["sign"].summary
    installed = list((tmp_path / "github").rglob("site/benchsite/__init__.py"))
    assert len(installed) == 3, "in the jobs measure, sign and build, from the pinned wheel"

    reader = tmp_path / "reader"
    git(tmp_path, "clone", "-q", str(remote), str(reader))
    assert "5 receipts verified: 5 LOGGED; 0 problems" in newcomer.benchsite(reader, "verify", "--all")
    assert "no alteration found" in newcomer.benchsite(reader, "audit")
    address = serve(runner.artifacts / "github-pages")
    receipts = [path.stem for path in (reader / "results/published").rglob("*.json")]
    for receipt_id in receipts[:2]:
        said = newcomer.benchsite(reader, "verify", "--json", f"{address}{receipt_page_path(receipt_id)}")
        assert [item["verdict"] for item in json.loads(said)["receipts"]] == ["LOGGED"]


def test_a_wheel_that_was_changed_after_it_was_pinned_is_installed_nowhere(
    newcomer: Newcomer, wheel: Path, tmp_path: Path
) -> None:
    bench = tmp_path / "bench"
    newcomer.benchsite(tmp_path, "init", "bench", "--origin", "tests.invalid/bench/log")
    newcomer.benchsite(bench, "keys", "init", "--out", tmp_path / "keys")
    (bench / "wheels").mkdir()
    path = bench / "wheels" / wheel.name
    path.write_bytes(wheel.read_bytes())
    newcomer.benchsite(bench, "ci", "pin", f"wheels/{wheel.name}")
    path.write_bytes(wheel.read_bytes() + b"\0")
    git(bench, "add", ".ci/benchsite.txt", "wheels")
    git(bench, "commit", "-q", "-m", "Pin benchsite")
    remote = tmp_path / "origin.git"
    git(tmp_path, "clone", "-q", "--bare", str(bench), str(remote))
    runner = Runner(tmp_path / "github", remote, {}, python=_PYTHON, programs={"benchsite": _BENCHSITE})
    jobs = runner.workflow("publish.yml")
    assert [job.result for job in jobs.values()] == ["failure", "skipped", "failure"]
    assert "DO NOT MATCH THE HASHES" in jobs["measure"].log
    assert not list((tmp_path / "github").rglob("site/benchsite"))
