"""The digests here are those of the files the tests wrote; a built-in's is that of the file in this repository."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite import plugins
from benchsite.isolation.source import class_sha256, command_sha256
from benchsite.pipeline.measure.adapters import group

ROOT = Path(__file__).parents[2]


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write(folder: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return [str(folder)]


@pytest.mark.parametrize("name", ["bm25", "random", "recency", "sqlite-fts5"])
def test_built_in_digests_are_what_they_were(name: str) -> None:
    """Receipts recorded the file that `inspect` names; the digest must stay that file's."""
    reference = plugins.subjects(group())[name]
    module, _, attribute = reference.partition(":")
    defined_in = inspect.getfile(getattr(importlib.import_module(module), attribute))
    assert class_sha256(reference, [path for path in sys.path if path]) == sha256(Path(defined_in))


def test_nothing_is_imported_to_find_a_class(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    run = f"open({str(mark)!r}, 'w').close()\n"
    path = write(
        tmp_path,
        {
            "loud/__init__.py": run,
            "loud/inner/__init__.py": run,
            "loud/inner/one.py": run + "class A: pass\n",
        },
    )
    assert class_sha256("loud.inner.one:A", path) == sha256(tmp_path / "loud/inner/one.py")
    assert not mark.exists()
    assert "loud" not in sys.modules


@pytest.mark.parametrize(
    ("statement", "defined_in"),
    [
        ("from .core import A", "pack/core.py"),
        ("from pack.core import A", "pack/core.py"),
        ("from pack.core import B as A", "pack/core.py"),
        ("from .deep.most import A", "pack/deep/most.py"),
        ("from . import A", "pack/__init__.py"),
        ("from .nowhere import A", "pack/__init__.py"),
        ("from .core import A\nclass A: pass", "pack/__init__.py"),
        ("class A: pass\nfrom .core import A", "pack/core.py"),
        ("import pack.core\nA = pack.core.A", "pack/__init__.py"),
        ("A = (", "pack/__init__.py"),
    ],
)
def test_a_class_that_its_package_hands_on(tmp_path: Path, statement: str, defined_in: str) -> None:
    path = write(
        tmp_path,
        {
            "pack/__init__.py": statement + "\n",
            "pack/core.py": "class A: pass\nclass B: pass\n",
            "pack/deep/__init__.py": "",
            "pack/deep/most.py": "from ..core import B\nclass A: pass\n",
        },
    )
    assert class_sha256("pack:A", path) == sha256(tmp_path / defined_in)


def test_namespace_packages_and_names_that_are_nowhere(tmp_path: Path) -> None:
    path = write(tmp_path, {"space/inner/one.py": "class A: pass\n"})
    assert class_sha256("space.inner.one:A", path) == sha256(tmp_path / "space/inner/one.py")
    for reference in ("space.inner.two:A", "space:A", "nowhere_at_all:A", "sys:A", "", "a..b:A", ".:A"):
        assert class_sha256(reference, path) is None


def test_imports_in_a_circle_end(tmp_path: Path) -> None:
    path = write(tmp_path, {"one.py": "from two import A\n", "two.py": "from one import A\n"})
    assert class_sha256("one:A", path) in {sha256(tmp_path / "one.py"), sha256(tmp_path / "two.py")}


@given(data=st.binary(max_size=200), name=st.text(max_size=20))
def test_any_bytes_have_a_digest(tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "anything_at_all.py").write_bytes(data)
    digest = class_sha256(f"anything_at_all:{name}", [str(folder)])
    assert digest is not None
    assert len(digest) == 64


def test_a_command_is_its_files_and_arguments(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("one")
    first = command_sha256([str(program), "--flag"])
    assert command_sha256([str(program), "--other"]) != first
    program.write_text("two")
    assert command_sha256([str(program), "--flag"]) != first
