"""`benchsite keys rotate` and `keys compromise`: what a maintainer reads before and after."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import Run


def roles(kept: Path, *names: str) -> dict[str, str]:
    return {f"BENCHSITE_{name.upper()}_KEY_FILE": str(kept / f"{name}.pem") for name in names}


def fingerprints(text: str) -> list[str]:
    return re.findall(r"sha256:[0-9a-f]{64}", text)


@pytest.mark.parametrize(
    "command",
    [("rotate", "receipt"), ("compromise", "receipt", "--reason", "laptop stolen")],
    ids=["rotate", "compromise"],
)
def test_a_missing_root_key_is_said_before_anything_is_asked(
    benchsite: Run, begun: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    ran = benchsite("keys", *command, cwd=begun, **roles(tmp_path / "kept", "log"))
    assert (ran.code, ran.out) == (5, "")
    assert "no root key: BENCHSITE_ROOT_KEY and BENCHSITE_ROOT_KEY_FILE are not set" in ran.err


@pytest.mark.parametrize(
    ("command", "effect"),
    [
        (("rotate", "receipt"), "will be retired"),
        (("rotate", "receipt", "--keep"), "stays in service beside a new key"),
        (("compromise", "log", "--reason", "leaked"), "will be marked as compromised"),
        (
            ("compromise", "receipt", "--reason", "leaked", "--trusted-below", "2"),
            r"will be marked as compromised; trusted below entry 2 \(of 0–2\)",
        ),
    ],
)
def test_without_a_terminal_the_effect_is_said_as_a_plan_and_nothing_is_done(
    benchsite: Run, begun: Path, tmp_path: Path, command: tuple[str, ...], effect: str
) -> None:
    before = benchsite("keys", "list", cwd=begun).out
    ran = benchsite("keys", *command, cwd=begun, **roles(tmp_path / "kept", "root", "log"))
    assert ran.code == 5
    assert re.fullmatch(rf"(receipt|log) key sha256:[0-9a-f]{{64}} {effect}\n", ran.out)
    assert "hint: answer on a terminal, or add --yes in a script" in ran.err
    assert benchsite("keys", "list", cwd=begun).out == before


def test_after_a_rotation_the_next_publish_and_the_workflows_secret_are_named(
    benchsite: Run, begun: Path, tmp_path: Path
) -> None:
    out = tmp_path / "renewed"
    ran = benchsite(
        *("keys", "rotate", "receipt", "--yes", "--out", out),
        cwd=begun,
        **roles(tmp_path / "kept", "root", "log"),
    )
    assert ran.code == 0, ran.err
    old, new = fingerprints(ran.out)[:2]
    assert f"out of service  {old}\nin service      {new}\n" in ran.out
    (key,) = out.iterdir()
    assert f"private key     {key} (mode 0600)\n" in ran.out
    assert f"  export BENCHSITE_RECEIPT_KEY_FILE={key}\n" in ran.out
    assert f"  gh secret set BENCHSITE_RECEIPT_KEY --env publishing < {key}\n" in ran.out
    states = {
        line.split()[-1]: line.split()[1] for line in benchsite("keys", "list", cwd=begun).out.splitlines()
    }
    assert (states[old], states[new]) == ("retired", "active")
