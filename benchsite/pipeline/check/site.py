"""Does the site build: the installed benchsite builds it, in a process of its own.

A branch's theme and mkdocs hooks are code, and this process may hold keys, so the build is started apart from it. No
file of the branch takes the place of benchsite or of a module it imports: Python looks for none of them in the working
folder (`-P`), nor in a `PYTHONPATH` that leads into the branch. What ends well without having written a site is refused.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from benchsite.errors import InputError, IntegrityError, PrerequisiteError
from benchsite.pipeline.build import MARKER
from benchsite.pipeline.check.case import Case
from benchsite.pipeline.report import Item, Step, judged
from benchsite.pipeline.workspace import Workspace

__all__ = ["check"]

NAME: Final = "build"
_EXPECTED: Final = (IntegrityError.exit_code, InputError.exit_code, PrerequisiteError.exit_code)
_MOST_TOLD: Final = 20


def check(case: Case, workspace: Workspace) -> Step:
    """Build the site of the branch's newest commit into a folder that is thrown away."""
    with tempfile.TemporaryDirectory(prefix="benchsite-check-") as folder:
        site = Path(folder) / "site"
        command = [sys.executable, "-P", "-m", "benchsite", "build", "--full", "--output", str(site)]
        command += ["--only-at", case.branch.head]
        done = subprocess.run(
            command,
            cwd=workspace.root,
            env=_environment(workspace.root, os.environ),
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        written = (site / MARKER).is_file()
    said = [done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")]
    if done.returncode == 0 and written:
        return Step(NAME, "pass", " ".join(said[0].split()).partition(", to ")[0])
    lines = [line.strip() for line in said[1].splitlines() if line.strip()]
    lines = lines or ["the build failed without a message"]
    code = done.returncode if done.returncode in _EXPECTED else InputError.exit_code
    hint = next(
        (line.removeprefix("hint: ") for line in lines if line.startswith("hint: ")), "benchsite build"
    )
    told = [line.removeprefix("error: ") for line in lines if not line.startswith("hint: ")]
    return judged(NAME, [Item("site", line[:500], hint, code) for line in told[:_MOST_TOLD]], "")


def _environment(root: Path, given: Mapping[str, str]) -> dict[str, str]:
    """The variables of this process; of `PYTHONPATH` only what leads outside the branch."""
    entries = [Path(entry) for entry in given.get("PYTHONPATH", "").split(os.pathsep) if entry]
    own = root.resolve()
    kept = [str(path) for path in entries if path.is_absolute() and not path.resolve().is_relative_to(own)]
    variables = {name: value for name, value in given.items() if name != "PYTHONPATH"}
    if kept:
        variables["PYTHONPATH"] = os.pathsep.join(kept)
    return {**variables, "PYTHONSAFEPATH": "1"}
