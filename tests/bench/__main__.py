"""`python -m tests.bench [NAME ...]`: run the measurements, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def main(names: list[str]) -> int:
    """Run the named measurements, or all of them in name order; the number that failed."""
    known = sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))
    failed = 0
    for name in names or known:
        if name not in known:
            print(f"no measurement named {name!r}; known: {', '.join(known)}", file=sys.stderr)
            return 2
        print(f"== {name}", flush=True)
        failed += subprocess.call([sys.executable, "-m", f"tests.bench.bench_{name}"]) != 0
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
