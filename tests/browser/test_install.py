"""`make browsers`: quick where the browsers are there, loud where they are not, and it installs only as root."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("install.sh")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder of programs that is the whole PATH; `installed` lists what apt-get was asked for."""
    (tmp_path / "bin").mkdir()
    return tmp_path


def add(machine: Path, name: str, script: str = "") -> None:
    program = machine / "bin" / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def add_apt(machine: Path, *, update: int = 0) -> None:
    log = machine / "installed"
    add(machine, "apt-get", f'echo "$DEBIAN_FRONTEND $*" >> {log}; [ "$1" != update ] || exit {update}')


def install(machine: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", str(SCRIPT)],
        env={"PATH": str(machine / "bin"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_happens_where_both_are_there(machine: Path):
    add(machine, "chromium")
    add(machine, "firefox-esr")
    add_apt(machine)
    run = install(machine)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert not (machine / "installed").exists()


def test_programs_named_in_the_environment_count(machine: Path):
    add(machine, "one")
    add(machine, "two")
    run = install(
        machine,
        BENCHSITE_CHROMIUM=str(machine / "bin" / "one"),
        BENCHSITE_FIREFOX=str(machine / "bin" / "two"),
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_root_gets_what_is_missing_after_an_update(machine: Path):
    add(machine, "chromium")
    add(machine, "id", "echo 0")
    add_apt(machine)
    run = install(machine)
    assert run.returncode == 0
    assert (machine / "installed").read_text().splitlines() == [
        "noninteractive update -qq",
        "noninteractive install -y -qq --no-install-recommends firefox-esr",
    ]


@pytest.mark.parametrize(
    ("uid", "apt", "said"),
    [
        ("0", None, "this machine has no apt-get."),
        ("1000", 0, "only root may install them."),
        ("0", 100, "apt-get update failed."),
    ],
)
def test_what_cannot_be_installed_is_said_with_its_consequence(
    machine: Path, uid: str, apt: int | None, said: str
):
    add(machine, "id", f"echo {uid}")
    if apt is not None:
        add_apt(machine, update=apt)
    run = install(machine)
    assert run.returncode == 0
    assert f"NO BROWSER: {said}" in run.stderr
    consequence = "FAIL" if apt == 100 else "be SKIPPED"
    assert f"chromium is missing: tests/browser/test_site.py will {consequence}" in run.stderr
    assert f"firefox-esr is missing: tests/browser/test_firefox.py will {consequence}" in run.stderr
