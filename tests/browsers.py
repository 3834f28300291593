"""The browsers of this machine: which program each is, what is said where there is none, and how Firefox is driven."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).parent / "js"


def program(variable: str, name: str) -> str:
    """A browser's program. Missing, it is a failure where root could have installed it, else a loud skip."""
    found = shutil.which(os.environ.get(variable) or name)
    if found is not None:
        return found
    said = f"NO BROWSER: install Debian's {name}, or set {variable}; nothing was tried in it"
    if os.geteuid() == 0 and shutil.which("apt-get"):
        pytest.fail(f"{said} (`make browsers` installs it)")
    pytest.skip(said)


def chromium_program() -> str:
    return program("BENCHSITE_CHROMIUM", "chromium")


def firefox_program() -> str:
    return program("BENCHSITE_FIREFOX", "firefox-esr")


def drive_firefox(program: str, script: str, *arguments: str, given: Any = None) -> Any:
    """What a script of `tests/js` says that it saw, driving Firefox over WebDriver BiDi; it fails where a step does.

    `given` goes to its standard input as JSON.
    """
    node = shutil.which("node")
    if node is None or not (SCRIPTS / "node_modules" / "puppeteer-core").is_dir():
        pytest.skip("FIREFOX NOT DRIVEN: it takes node and `npm ci` in tests/js")
    run = subprocess.run(
        [node, script, program, *arguments],
        cwd=SCRIPTS,
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
