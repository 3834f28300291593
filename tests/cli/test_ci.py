from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

from commands import Run


def test_pin_names_what_to_commit(benchsite: Run, new: Path) -> None:
    refused = benchsite("ci", "pin", cwd=new)
    assert (refused.code, "run: benchsite ci pin wheels/FILE" in refused.err) == (5, True)
    path = new / "benchsite-1.2.3-py3-none-any.whl"
    shutil.make_archive(str(path), "zip", new / ".ci")
    path.with_name(f"{path.name}.zip").rename(path)
    assert benchsite("ci", "pin", path.name, cwd=new).code == 4, "a zip without metadata"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("benchsite-1.2.3.dist-info/METADATA", "Name: benchsite\nVersion: 1.2.3\n")
    assert (
        f"next: git add .ci/benchsite.txt {path.name} && git commit"
        in benchsite("ci", "pin", path.name, cwd=new).out
    )
