"""The theme's modules: what node can run of them. Their types are checked by tsc in `make check`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
SLOW = {
    *(
        "ed25519.test.js",
        "engine.test.js",
        "engine-fork.test.js",
        "engine-served.test.js",
        "engine-witness.test.js",
    ),
    *("json.test.js", "log-proof.test.js", "log-tiles.test.js"),
}
SCRIPTS = [
    pytest.param(name, marks=pytest.mark.stories if name in SLOW else ())
    for name in sorted(path.name for path in FOLDER.glob("*.test.js"))
]


@pytest.mark.skipif(shutil.which("node") is None, reason="MODULES NOT RUN: node is not installed")
@pytest.mark.parametrize("script", SCRIPTS)
def test_modules_do_what_they_say(script: str, pytestconfig: pytest.Config):
    full = "1" if pytestconfig.getoption("--hypothesis-profile") == "full" else ""
    run = subprocess.run(
        ["node", script],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "BENCHSITE_FULL": full},
    )
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


def test_every_module_that_a_page_asks_for_can_be_started():
    """`page.js` imports what `data-module` names and calls its `start`."""
    root = FOLDER.parents[1]
    asked = {
        name
        for path in (root / "benchsite").rglob("*.j2")
        for name in re.findall(r'data-module="([a-z]+)"', path.read_text(encoding="utf-8"))
    }
    assert {"board", "evaluate", "unfold", "verify"} <= asked
    for name in asked:
        source = (root / "theme/assets/js" / f"{name}.js").read_text(encoding="utf-8")
        assert re.search(r"^export (async )?function start\(", source, re.MULTILINE), name
