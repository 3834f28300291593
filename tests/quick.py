"""`make quick`: ruff over the changed files, and the tests nearest to them, for less than half a minute.

Changed is what is not committed, and what the branch's commits change against its upstream or the remote's default branch.
`nearness` says which tests are near, and `time_limit` ends them. One process runs them, nearest first: a second one takes
seconds to start, after which the nearest tests of most changes are done.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.nearness import near
from tests.time_limit import LONGER, VARIABLE

SECONDS = 22
"""No test starts later; with the last one, and what it has to clean up, it is less than half a minute."""
ENOUGH = SECONDS + LONGER + 2
"""What still runs then does not end by itself, or has not come to its first test."""
MOST = 40
"""Test files that are read; more take the time in which the nearest run."""
ROOT = Path(__file__).resolve().parents[1]


def changed(root: Path = ROOT) -> list[str]:
    """Paths that the branch or the working tree changes, untracked ones included and deleted ones left out."""
    status = _git(root, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames") or ""
    names = {line[3:] for line in status.split("\0") if line}
    if base := _base(root):
        names |= {*(_git(root, "diff", "--name-only", "-z", f"{base}...HEAD") or "").split("\0")}
    return sorted(name for name in names if (root / name).is_file())


def _base(root: Path) -> str | None:
    """What the branch will be merged into, as far as this clone knows."""
    for name in ("@{upstream}", "origin/HEAD"):
        if _git(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"):
            return name
    return None


def _git(root: Path, *arguments: str) -> str | None:
    """What git prints; None where it fails."""
    done = subprocess.run(["git", *arguments], cwd=root, check=False, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def limited(tests: list[str], start: float, root: Path = ROOT, *, seconds: float = SECONDS) -> int:
    """Run tests until this many seconds after the start; the exit code is that of a failure, 0 where only the time ended."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "tests.time_limit", *tests]
    environment = {**os.environ, VARIABLE: str(start + seconds)}
    running = subprocess.Popen(command, cwd=root, env=environment, process_group=0)
    try:
        code = running.wait(start + seconds + (ENOUGH - SECONDS) - time.monotonic())
    except subprocess.TimeoutExpired:
        print("the time is over: make test runs the tests", file=sys.stderr)
        code = 0
    except KeyboardInterrupt:
        os.killpg(running.pid, signal.SIGINT)
        running.wait(5)
        raise
    finally:
        with contextlib.suppress(ProcessLookupError):  # what the tests have started and not ended
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code


def main() -> int:
    """Check what changed; the exit code of what failed first."""
    start = time.monotonic()
    names = changed()
    sources = [name for name in names if name.endswith(".py")]
    if sources and (
        code := subprocess.call([sys.executable, "-m", "ruff", "check", "--quiet", *sources], cwd=ROOT)
    ):
        return code
    found = near(names, ROOT)
    if found.without:
        print(f"no test nearby: {', '.join(found.without)}; make test", file=sys.stderr)
    if not found.tests:
        print("no test is near to what changed: make test", file=sys.stderr)
        return 0
    if found.tests[MOST:]:
        print(
            f"farther from what changed, left to make test: {len(found.tests) - MOST} files", file=sys.stderr
        )
    return limited(found.tests[:MOST], start)


if __name__ == "__main__":
    sys.exit(main())
