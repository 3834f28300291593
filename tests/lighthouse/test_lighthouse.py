"""Lighthouse on the page of verification and on a certificate: accessibility and best practices are perfect.

It installs its own packages into this folder, several hundred of them, and is therefore only part of `make test-full`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from browser.conftest import ARGUMENTS
from browser.exhibits import Exhibits
from browser.host import Host
from browsers import chromium_program

pytestmark = [pytest.mark.full, pytest.mark.browser]

FOLDER = Path(__file__).parent
CATEGORIES = ("accessibility", "best-practices")


@pytest.fixture(scope="session")
def lighthouse() -> Path:
    program = FOLDER / "node_modules" / ".bin" / "lighthouse"
    if shutil.which("npm") is None:
        pytest.skip("LIGHTHOUSE NOT RUN: it takes node and npm")
    if not program.is_file():
        made = subprocess.run(
            ["npm", "ci"], cwd=FOLDER, capture_output=True, text=True, check=False, timeout=600
        )
        if made.returncode != 0:
            pytest.skip(f"LIGHTHOUSE NOT RUN: npm ci failed: {made.stderr[-300:]}")
    return program


def report(program: Path, address: str, *options: str) -> dict[str, Any]:
    flags = " ".join(("--headless=new", *ARGUMENTS))
    ran = subprocess.run(
        [
            str(program),
            address,
            f"--only-categories={','.join(CATEGORIES)}",
            "--output=json",
            "--quiet",
            "--no-enable-error-reporting",
            f"--chrome-flags={flags}",
            *options,
        ],
        env={**os.environ, "CHROME_PATH": chromium_program()},
        cwd=FOLDER,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


@pytest.mark.parametrize("options", [(), ("--preset=desktop",)], ids=["phone", "desktop"])
@pytest.mark.parametrize("place", ["empty", "result", "certificate", "log"])
def test_accessibility_and_best_practices_are_perfect(
    exhibits: Exhibits, hosted: Host, lighthouse: Path, place: str, options: tuple[str, ...]
):
    own = exhibits.ids["witnessed"]
    path = {
        "empty": "verify.html",
        "result": f"verify.html?id={own}",
        "certificate": f"receipts/{own[:2]}/{own}/",
        "log": "log/",
    }[place]
    found = report(lighthouse, hosted.address + path, *options)
    scores = {name: round(100 * found["categories"][name]["score"]) for name in CATEGORIES}
    wrong = [
        (one["id"], one.get("displayValue"))
        for one in found["audits"].values()
        if one["scoreDisplayMode"] == "binary" and one["score"] == 0
    ]
    assert scores == dict.fromkeys(CATEGORIES, 100), wrong
