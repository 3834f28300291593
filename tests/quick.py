"""`make quick`: ruff over the changed files, and the tests nearest to them, for half a minute.

Near is a test file that changed, that has the name of a changed module, or that imports it; in this order. What is left
when the time is over is said: `make test` runs it.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

SECONDS = 25
"""No test begins later; with ruff and the last test to begin it is half a minute."""
ROOT = Path(__file__).resolve().parents[1]


def changed(root: Path = ROOT) -> list[str]:
    """Paths that differ from the commit, untracked ones included and deleted ones left out."""
    out = subprocess.run(
        ["git", "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    names = [line[3:] for line in out.split("\0") if line]
    return sorted(name for name in names if (root / name).is_file())


def near(names: list[str], root: Path = ROOT) -> list[str]:
    """The test files nearest to these paths, nearest first."""
    tests = sorted(path.relative_to(root).as_posix() for path in (root / "tests").rglob("test_*.py"))
    tests = [name for name in tests if "node_modules" not in name]
    modules = [name for name in names if name.startswith("benchsite/") and name.endswith(".py")]
    stems = {Path(name).parent.name if name.endswith("__init__.py") else Path(name).stem for name in modules}
    dotted = [
        name.removesuffix(".py").removesuffix("/__init__").replace("/", ".").lstrip("_") for name in modules
    ]
    called = [name for name in tests if Path(name).stem.removeprefix("test_") in stems]
    return list(
        dict.fromkeys([*(name for name in tests if name in names), *called, *_importing(dotted, tests, root)])
    )


def _importing(modules: list[str], tests: list[str], root: Path) -> list[str]:
    """Test files with an import of one of the modules."""
    patterns = []
    for module in modules:
        parent, _, name = module.rpartition(".")
        patterns.append(
            rf"^(from|import) {re.escape(module)}\b|^from {re.escape(parent)} import .*\b{name}\b"
        )
    if not patterns:
        return []
    wanted = re.compile("|".join(patterns), re.MULTILINE)
    return [name for name in tests if wanted.search((root / name).read_text(encoding="utf-8"))]


class HalfAMinute:
    """Stops pytest between two tests when the time is over."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @pytest.hookimpl
    def pytest_runtest_logfinish(self) -> None:
        if time.monotonic() > self._end and self.session is not None:
            self.session.shouldstop = f"{SECONDS} s are over: `make test` runs the rest"

    session: pytest.Session | None = None

    @pytest.hookimpl
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self.session = session


def main() -> int:
    """Check what changed; the exit code of what failed first."""
    names = changed()
    sources = [name for name in names if name.endswith(".py")]
    if sources and (
        code := subprocess.call([sys.executable, "-m", "ruff", "check", "--quiet", *sources], cwd=ROOT)
    ):
        return code
    tests = near(names)
    if not tests:
        print("nothing changed that has a test of its own: make test", file=sys.stderr)
        return 0
    chosen = ["-q", "-x", "-m", "not (browser or stories or full)", *tests]
    code = pytest.main(chosen, plugins=[HalfAMinute(SECONDS)])
    return 0 if code is pytest.ExitCode.NO_TESTS_COLLECTED else int(code)


if __name__ == "__main__":
    sys.exit(main())
