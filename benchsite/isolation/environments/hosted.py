"""The start of a worker module under another interpreter, whose environment has no benchsite.

    python -P hosted.py benchsite.tracks.retrieval.run.worker package.module:Class

Makes the package importable by its place alone: adding its folder to the search path would also add every package that is
installed with it. Workers import the standard library and a few small modules of benchsite. Run as a file, imports nothing else.
"""

from __future__ import annotations

import importlib.util
import runpy
import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]


def main() -> None:
    """Run the module that the first argument names, with the rest as its arguments."""
    spec = importlib.util.spec_from_file_location(_PACKAGE.name, _PACKAGE / "__init__.py")
    if spec is None or spec.loader is None:
        raise ImportError(f"no package {_PACKAGE.name}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[_PACKAGE.name] = module
    spec.loader.exec_module(module)
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
