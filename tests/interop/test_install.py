"""`make go`: installs only as root, and is loud where it cannot."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("install.sh")


def install(folder: Path, *, uid: str, apt: int | None) -> subprocess.CompletedProcess[str]:
    """Run the script where the folder is the whole PATH, without Go; apt-get, if any, notes what it was asked for."""
    programs = {"id": f"echo {uid}"}
    if apt is not None:
        programs["apt-get"] = (
            f'echo "$DEBIAN_FRONTEND $*" >> {folder}/asked; [ "$1" != update ] || exit {apt}'
        )
    for name, script in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    return subprocess.run(
        ["/bin/sh", str(SCRIPT)], env={"PATH": str(folder)}, capture_output=True, text=True, check=False
    )


def test_root_gets_both_packages_after_an_update(tmp_path: Path) -> None:
    ran = install(tmp_path, uid="0", apt=0)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert (tmp_path / "asked").read_text().splitlines() == [
        "noninteractive update -qq",
        "noninteractive install -y -qq --no-install-recommends golang-go golang-golang-x-mod-dev",
    ]


@pytest.mark.parametrize(
    ("uid", "apt", "said"),
    [
        ("0", None, "this machine has no apt-get."),
        ("1000", 0, "only root may install it."),
        ("0", 100, "apt-get update failed."),
    ],
)
def test_where_it_cannot_it_says_what_to_install(
    uid: str, apt: int | None, said: str, tmp_path: Path
) -> None:
    ran = install(tmp_path, uid=uid, apt=apt)
    assert ran.returncode == 0, "the tests skip; the rest of make test-full still runs"
    assert f"NO GO: {said} tests/interop will be SKIPPED." in ran.stderr
    assert "apt-get install golang-go golang-golang-x-mod-dev" in ran.stderr
