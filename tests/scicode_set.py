"""A hand-made set in the layout of SciCode: two problems, of one and of three steps, and their targets in an HDF5 file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchsite.isolation import data_files
from benchsite.isolation.data_files import DataFile
from benchsite.track import Imported
from benchsite.tracks.agents.benchmarks.scicode.benchmark import KIND


def step(number: str, header: str, ending: str, *tests: str) -> dict[str, Any]:
    return {
        "step_number": number,
        "step_description_prompt": f"What step {number} does.",
        "step_background": "",
        "function_header": header,
        "return_line": ending,
        "test_cases": list(tests),
    }


PROBLEMS: list[dict[str, Any]] = [
    {
        "problem_name": "doubling",
        "problem_id": "7",
        "problem_description_main": "Double an array.",
        "problem_background_main": "",
        "problem_io": "",
        "required_dependencies": "import numpy as np",
        "sub_steps": [
            step(
                "7.1",
                "def double(x):\n    '''Return twice x.'''",
                "    return y",
                "assert np.allclose(double(np.array([1.0, 2.0])), target)",
                "assert np.allclose(double(3.0), target)",
            )
        ],
        "general_tests": [],
    },
    {
        "problem_name": "scaling",
        "problem_id": "8",
        "problem_description_main": "Center values, then scale them.",
        "problem_background_main": "",
        "problem_io": "",
        "required_dependencies": "import numpy as np\nfrom math import sqrt",
        "sub_steps": [
            step(
                "8.1",
                "def center(x):\n    '''Return x minus its mean.'''",
                "    return x",
                "v = np.array([1.0, 3.0])\nassert np.allclose(center(v), target)",
            ),
            step("8.2", "def norm(x):\n    '''Return the length of x.'''", "    return n"),
            step(
                "8.3",
                "def scale(x):\n    '''Return the centered x, divided by its length, and the length.'''",
                "    return x, n",
                "from scicode.compare.cmp import cmp_tuple_or_list\n"
                "assert cmp_tuple_or_list(scale(np.array([1.0, 7.0])), target)",
            ),
        ],
        "general_tests": [],
    },
]
DOUBLE = "def double(x):\n    return 2 * x\n"
CENTER = "def center(x):\n    return x - np.mean(x)\n"
SCALE = "def scale(x):\n    y = center(x)\n    return y / norm(y), norm(y)\n"
NORM = "import numpy\n\n\ndef norm(x):\n    # the length\n    return sqrt(float(np.sum(x * x)))\n"


def write(folder: Path, problems: list[dict[str, Any]] | None = None) -> Path:
    """Write the set as published, and return its folder."""
    h5py, np = pytest.importorskip("h5py"), pytest.importorskip("numpy")
    data = folder / "eval" / "data"
    data.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(problem) for problem in problems or PROBLEMS]
    (data / "problems_dev.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (data / "8.2.txt").write_text(NORM, "utf-8")
    root_of_18 = 18.0**0.5
    with h5py.File(data / "test_data.h5", "w") as file:
        file["7.1/test1/var1"] = np.array([2.0, 4.0])
        file["7.1/test2/var1"] = 6.0
        file["8.1/test1/var1"] = np.array([-1.0, 1.0])
        file["8.3/test1/var1"] = np.array([-3.0, 3.0]) / root_of_18
        file["8.3/test1/var2"] = root_of_18
    return folder


def converted(folder: Path, split: str = "dev") -> Imported:
    """Import a folder as the command does, without keeping the targets."""
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.suffix in KIND.suffixes
    }
    large: dict[str, DataFile] = {
        name: data_files.described(path, name)
        for path in sorted(folder.rglob("*"))
        if path.suffix in KIND.large and (name := path.relative_to(folder).as_posix())
    }
    assert KIND.convert is not None
    return KIND.convert(files, large=large, split=split)
