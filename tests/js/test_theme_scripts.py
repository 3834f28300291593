"""The theme's modules: types checked by tsc, pure parts run by node. Skipped loudly where neither is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
TSC = FOLDER / "node_modules" / ".bin" / "tsc"


@pytest.mark.skipif(not TSC.exists(), reason="TYPES NOT CHECKED: run `npm ci` in tests/js")
def test_types_hold():
    run = subprocess.run(
        [str(TSC), "--project", "tsconfig.json"], cwd=FOLDER, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout


@pytest.mark.skipif(shutil.which("node") is None, reason="MODULES NOT RUN: node is not installed")
def test_modules_do_what_they_say():
    run = subprocess.run(["node", "--test"], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


def test_no_module_writes_markup():
    """Foreign text reaches the page through textContent alone (specs/log.md, "Threats")."""
    for path in sorted((FOLDER.parents[1] / "theme").rglob("*.js")):
        source = path.read_text(encoding="utf-8")
        for door in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
        ):
            assert door not in source, f"{path.name} uses {door}"
