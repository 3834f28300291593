"""Build cost at many receipts: `python -m tests.bench build [RECEIPTS]`. Not a test.

Makes a record of synthetic signed receipts, then builds the site in a fresh process, cold, and prints wall time,
processor time and peak memory of that process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RECEIPTS = 10_000


def main(count: int) -> None:
    """Measure, print, and end with one JSON line."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "instance"
        start = time.perf_counter()
        # In a process of its own: a forked child's peak memory begins at its parent's.
        subprocess.run([sys.executable, "-m", "tests.bench.synthetic", str(root), str(count)], check=True)
        print(f"made a record of {count:,} receipts in {time.perf_counter() - start:.1f} s")
        start = time.perf_counter()
        child = subprocess.Popen([sys.executable, "-m", "benchsite", "build"], cwd=root)
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        if status:
            sys.exit("the build failed")
        pages = list((root / "site" / "receipts").rglob("index.html"))
        page = max(path.stat().st_size for path in pages if path.parent.name != "receipts")
        files = sum(path.is_file() for path in (root / "site").rglob("*"))
    cpu = used.ru_utime + used.ru_stime
    print(f"cold build: {wall:.1f} s wall, {cpu:.1f} s processor, {used.ru_maxrss / 1024:.0f} MB peak")
    print(f"{files:,} files; largest receipt page {page / 1000:.1f} kB")
    summary = {"receipts": count, "wallSeconds": round(wall, 2), "cpuSeconds": round(cpu, 2)}
    print(json.dumps({**summary, "peakMB": round(used.ru_maxrss / 1024), "largestPageBytes": page}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RECEIPTS)
