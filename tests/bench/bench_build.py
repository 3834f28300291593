"""The build of many receipts, beside Hugo on the same pages: cold, with nothing changed, and with one receipt added.

Ours and Hugo's alternate in a round, each in processes of its own, with files warm in the system's cache. Cold is without
the site and without `.benchsite/`. The ratio of processor times is what a busy machine changes least. Hugo keeps nothing
from build to build, and verifies nothing (`hugo` says what it is given).
`prose` is a cold build of the same record before its first receipt, for what does not depend on their number.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from benchsite.layout import SCRATCH
from benchsite.pipeline.build import MARKER
from tests.bench import hugo, synthetic
from tests.bench.measurement import Gate, Numbers
from tests.bench.spending import medians, ratio, spent

UNIT = "receipts"
SIZE = 10_000
TINY = 3
ROUNDS = 3
GATES = {
    "cold_to_hugo_ratio": Gate(4),
    "unchanged_to_cold_ratio": Gate(0.5),
    "added_to_cold_ratio": Gate(0.5),
    "cold.largest_mb": Gate(150),
    "largest_receipt_page_bytes": Gate(25_000),
}
BUILD = (sys.executable, "-m", "benchsite", "build")

Rounds = dict[str, list[dict[str, float]]]


def measure(size: int, rounds: int) -> Numbers:
    """Time and memory of each build, and what was written."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        root = folder / "instance"
        # In a process of its own, which gives its memory back.
        subprocess.run([sys.executable, "-m", "tests.bench.synthetic", str(root), str(size)], check=True)
        _head(root, "main", as_="bare")
        found: Rounds = defaultdict(list)
        for _ in range(rounds):
            _round(root, folder / "hugo", found)
        pages = [path.stat().st_size for path in (root / "site" / "receipts").glob("*/*/index.html")]
        counted = {
            "receipt_pages": len(pages),
            "largest_receipt_page_bytes": max(pages),
            "files": _files(root / "site"),
            "hugo_files": _files(folder / "hugo" / "public"),
        }
    walls, processor = (
        {kind: [one[clock] for one in every] for kind, every in found.items()}
        for clock in ("wall_s", "cpu_s")
    )
    return {
        **{kind: medians(every) for kind, every in found.items()},
        "cold_to_hugo_ratio": ratio(walls["cold"], walls["hugo_cold"]),
        "cold_to_hugo_cpu_ratio": ratio(processor["cold"], processor["hugo_cold"]),
        "unchanged_to_cold_ratio": ratio(walls["unchanged"], walls["cold"]),
        "added_to_cold_ratio": ratio(walls["added"], walls["cold"]),
        **counted,
    }


def _round(root: Path, source: Path, found: Rounds) -> None:
    """Every build once; the record ends with the added receipt."""
    for kind, commit in (("prose", "bare~1"), ("cold", "bare")):
        _head(root, commit)
        for made in (root / "site", root / SCRATCH, source):
            _put_aside(made, source.parent)
        found[kind].append(spent(BUILD, cwd=root))
    command = hugo.write_source(root / "site", source)
    found["hugo_cold"].append(spent(command, cwd=source))
    found["unchanged"].append(spent(BUILD, cwd=root))
    found["hugo_unchanged"].append(spent(command, cwd=source))
    _head(root, synthetic.ADDED)
    found["added"].append(spent(BUILD, cwd=root))
    hugo.write_source(root / "site", source)
    found["hugo_added"].append(spent(command, cwd=source))


def _put_aside(made: Path, folder: Path) -> None:
    """Out of the way, to be deleted in the end: after many files were deleted, some file systems are slow to create new
    ones for minutes (ext4 without a journal looks past each of them), and the first build after that would pay for it."""
    if made.exists():
        made.rename(Path(tempfile.mkdtemp(dir=folder)) / made.name)


def _head(root: Path, commit: str, as_: str = "main") -> None:
    """Move a branch to a commit."""
    subprocess.run(["git", "update-ref", f"refs/heads/{as_}", commit], cwd=root, check=True)


def _files(folder: Path) -> int:
    return sum(path.is_file() and path.name != MARKER for path in folder.rglob("*"))
