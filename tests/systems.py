"""`make systems`: install each group of retrieval systems in turn, one environment at a time, and test its adapters.

They are held against the contract, against rankings computed by hand, and against the figures of the page.

An environment that was not there before is removed once its adapters are tested: all of them would take gigabytes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from benchsite.errors import BenchsiteError
from benchsite.layout import ENVIRONMENTS
from benchsite.pipeline.measure import adapters
from benchsite.pipeline.workspace import Workspace
from benchsite.tracks.retrieval.systems.catalog import SYSTEMS

ROOT = Path(__file__).resolve().parents[1]
TESTS = "tests/tracks/retrieval/systems"


def main(groups: list[str]) -> int:
    """Test the named groups, or all; the exit code is 1 if one cannot be installed or breaks the contract."""
    workspace = Workspace(ROOT)
    failed = []
    for group in groups or list(dict.fromkeys(one.group for one in SYSTEMS)):
        folder = ROOT / ENVIRONMENTS / group
        was_there = folder.exists()
        try:
            adapters.install(group, workspace, "", print)
        except BenchsiteError as error:
            print(error.message, error.hint, sep="\n", file=sys.stderr)
            failed.append(group)
            continue
        names = " or ".join(f"[{one.name}" for one in SYSTEMS if one.group == group)
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", TESTS, "-k", names], cwd=ROOT, check=False
        )
        if ran.returncode:
            failed.append(group)
        if not was_there:
            shutil.rmtree(folder)
    print(f"failed: {', '.join(failed)}" if failed else "every group passes")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
