"""A subject that looks for signing keys wherever it can, and keeps all that it could read in one file.

Started as `looks_for_keys.py REPORT FOLDER ...`. It speaks the adapter protocol without benchsite, so that a run
made with it is like any other; each FOLDER is one that the harness may have written to.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

REPORT, *FOLDERS = map(Path, sys.argv[1:])
PROCESS = Path("/proc")


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        return f"refused: {error.strerror}".encode()


def parent(process: int) -> int:
    status = read(PROCESS / str(process) / "status").decode()
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("PPid:")), 0)


def harness() -> int:
    """The nearest ancestor that runs benchsite; in a process namespace its first process, for there is no other."""
    process = os.getppid()
    while process > 1 and b"benchsite" not in read(PROCESS / str(process) / "cmdline"):
        process = parent(process)
    return process


def family(root: int) -> list[int]:
    """The harness and every process that it has started."""
    found = []
    for name in filter(str.isdigit, os.listdir(PROCESS)):  # noqa: PTH208 - numbers, not paths
        process = int(name)
        while process > 1 and process != root:
            process = parent(process)
        if process == root:
            found.append(int(name))
    return found


def memory(process: int) -> bytes:
    """What can be read of the memory that it can write to."""
    kept = [b""]
    maps = read(PROCESS / str(process) / "maps").decode(errors="replace")
    try:
        with (PROCESS / str(process) / "mem").open("rb") as source:
            for line in maps.splitlines():
                if " rw" in line:
                    start, end = (int(part, 16) for part in line.split()[0].split("-"))
                    source.seek(start)
                    kept.append(source.read(end - start))
    except OSError as error:
        kept.append(f"refused: {error.strerror}".encode())
    return b"".join(kept)


def links(folder: Path) -> list[Path]:
    """The files that a process has open; none where that is refused."""
    try:
        return [link for link in folder.iterdir() if link.is_file()]
    except OSError:
        return []


def look() -> None:
    kept = {"own": repr(dict(os.environ)).encode()}
    root = harness()
    for process in family(root):
        folder = PROCESS / str(process)
        for name in ("environ", "cmdline"):
            kept[f"{name} {process}"] = read(folder / name)
        for link in links(folder / "fd"):
            kept[f"open {process} {link.name}"] = read(link)
    # A process of root may read any memory; that is said to be outside the guarantee.
    if os.geteuid() != 0:
        kept[f"memory {root}"] = memory(root)
    for folder in (Path.cwd().parent, *FOLDERS):
        for path in folder.rglob("*"):
            if path.is_file() and path != REPORT:
                kept[f"file {path}"] = read(path)
    with REPORT.open("w", encoding="utf-8") as report:
        json.dump({name: data.hex() for name, data in kept.items()} | {"harness": str(root)}, report)


def answer(method: str) -> Any:
    if method == "initialize":
        return {"name": "curious", "version": "1.0.0", "author": "tests"}
    if method == "query":
        if not REPORT.exists():
            look()
        return {"hits": []}
    return None


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        reply = {"jsonrpc": "2.0", "id": request["id"], "result": answer(request["method"])}
        print(json.dumps(reply), flush=True)


main()
