"""The digest of what runs: what changes it, what does not, and that nothing runs to take it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite import plugins
from benchsite.canonical import digest, sha256_hex
from benchsite.errors import InputError
from benchsite.isolation import imports, source
from benchsite.pipeline.measure.adapters import group

Write = Callable[[dict[str, str]], None]


def write(folder: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return [str(folder)]


def modules(reference: str, path: list[str]) -> dict[str, str]:
    found = source.of_reference(reference, path)
    assert found is not None
    return dict(found.modules)


def test_the_digest_is_of_the_canonical_json_of_what_it_names(tmp_path: Path) -> None:
    path = write(tmp_path, {"mine.py": "import _help\nclass A: pass\n", "_help.py": "x = 1\n"})
    found = source.of_reference("mine:A", path)
    assert found is not None
    expected = {
        "entry": "mine:A",
        "modules": {
            "mine": sha256_hex(b"import _help\nclass A: pass\n"),
            "_help": sha256_hex(b"x = 1\n"),
        },
        "distributions": {},
        "assets": {},
    }
    assert found.sha256() == digest(expected)


@pytest.mark.parametrize(
    "statement",
    [
        "from pack._rank import rank",
        "from ._rank import rank",
        "from . import _rank",
        "from . import _rank as other",
        "import pack._rank",
        "import pack._rank as other",
        "from ._rank import *",
        "def query():\n    from ._rank import rank",
        "try:\n    import nothing\nexcept ImportError:\n    from . import _rank",
        "if TYPE_CHECKING:\n    pass\nelse:\n    from . import _rank",
        "import importlib\nimportlib.import_module('pack._rank')",
        "from importlib import import_module\nimport_module('._rank', __package__)",
        "__import__('pack._rank')",
        "from .between import nothing",
    ],
)
def test_a_helper_that_changes_what_an_adapter_returns_changes_its_digest(
    tmp_path: Path, statement: str
) -> None:
    files = {
        "pack/__init__.py": "",
        "pack/adapter.py": f"{statement}\nclass A: pass\n",
        "pack/between.py": "from . import deep\n",
        "pack/deep/__init__.py": "from .._rank import rank\n",
        "pack/_rank.py": "def rank(q, k): return []\n",
    }
    path = write(tmp_path, files)
    first = source.of_reference("pack.adapter:A", path)
    write(tmp_path, {"pack/_rank.py": "def rank(q, k): return ['everything else']\n"})
    second = source.of_reference("pack.adapter:A", path)
    assert first is not None
    assert second is not None
    assert first.sha256() != second.sha256()


def test_packages_run_when_their_modules_are_imported_and_type_checkers_run_nothing(tmp_path: Path) -> None:
    files = {
        "pack/__init__.py": "from . import patches\n",
        "pack/patches.py": "",
        "pack/adapter.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import types_only\n",
        "pack/types_only.py": "",
        "pack/unused.py": "",
    }
    assert set(modules("pack.adapter:A", write(tmp_path, files))) == {"pack", "pack.patches", "pack.adapter"}


def test_a_reexported_class_is_pinned_with_the_module_that_defines_it(tmp_path: Path) -> None:
    files = {
        "pack/__init__.py": "from .deep.most import A\n",
        "pack/deep/__init__.py": "",
        "pack/deep/most.py": "",
    }
    assert set(modules("pack:A", write(tmp_path, files))) == {"pack", "pack.deep", "pack.deep.most"}


def test_a_module_beside_it_counts_and_the_standard_library_does_not(tmp_path: Path) -> None:
    files = {"mine.py": "import json, beside, email.mime.text\n", "beside.py": "import queue\n"}
    assert set(modules("mine:A", [*write(tmp_path, files), *sys.path])) == {"mine", "beside"}


def test_equal_files_in_another_folder_have_an_equal_digest(tmp_path: Path) -> None:
    files = {"pack/__init__.py": "", "pack/adapter.py": "from . import _rank\n", "pack/_rank.py": "x = 1\n"}
    found = [
        source.of_reference("pack.adapter:A", write(tmp_path / name, files)) for name in ("one", "two/deeper")
    ]
    assert len({one.sha256() for one in found if one}) == 1


def installed(folder: Path, name: str, version: str, files: dict[str, str]) -> None:
    info = f"{name}-{version}.dist-info"
    record = "".join(f"{file},,\n" for file in files)
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    write(folder, {**files, f"{info}/METADATA": metadata, f"{info}/RECORD": record})


def test_other_distributions_count_by_version_and_its_own_by_their_files(tmp_path: Path) -> None:
    own = {
        "mine/__init__.py": "",
        "mine/adapter.py": "import mine_help, engine.fast\n",
        "mine_help.py": "x = 1\n",
    }
    installed(tmp_path, "mine", "1.0", own)
    installed(
        tmp_path, "The_Engine", "2.5", {"engine/__init__.py": "", "engine/fast.py": "import unheard_of\n"}
    )
    installed(tmp_path, "not-imported", "9", {"other.py": ""})
    found = source.of_reference("mine.adapter:A", [str(tmp_path)])
    assert found is not None
    assert set(found.modules) == {"mine", "mine.adapter", "mine_help"}
    assert found.distributions == {"The_Engine": "2.5"}
    assert found.versions(["the-engine", "not-imported"]) == {"the-engine": "2.5", "not-imported": "9"}
    before = found.sha256()
    assert found.sha256(["not-imported"]) != before
    with pytest.raises(InputError, match="distribution absent: not installed"):
        found.sha256(["absent"])


def test_packages_that_share_a_namespace_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, {"mine.py": "import shared.one\n"})
    installed(tmp_path, "shared-one", "1", {"shared/one.py": ""})
    installed(tmp_path, "shared-two", "2", {"shared/two.py": ""})
    found = source.of_reference("mine:A", [str(tmp_path)])
    assert found is not None
    assert found.distributions == {"shared-one": "1"}


def test_too_many_local_modules_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "MAX_FILES", 3)
    files = {f"m{place}.py": f"import m{place + 1}\n" for place in range(5)}
    with pytest.raises(InputError, match="source of m0: more than 3 local modules"):
        source.of_reference("m0:A", write(tmp_path, files))


def test_a_module_too_large_to_parse_is_an_error_before_it_is_parsed(tmp_path: Path) -> None:
    path = write(tmp_path, {"large.py": "x = 1\n" * (imports.MAX_BYTES // 6 + 1)})
    with pytest.raises(InputError, match="source of large: more than"):
        source.of_reference("large:A", path)


@pytest.mark.parametrize("name", ["bm25", "random", "recency", "sqlite-fts5"])
def test_a_built_in_is_pinned_without_the_harness_that_runs_it(name: str) -> None:
    reference = plugins.subjects(group())[name]
    found = source.of_reference(reference, [path for path in sys.path if path])
    assert found is not None
    assert reference.partition(":")[0] in found.modules
    assert not any(
        module.startswith(("benchsite.pipeline", "benchsite.cli", "benchsite.site"))
        for module in found.modules
    )


def test_nothing_is_imported_to_find_a_class(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    run = f"open({str(mark)!r}, 'w').close()\n"
    files = {f"loud/{name}.py": run for name in ("__init__", "inner/__init__", "inner/one")}
    assert len(modules("loud.inner.one:A", write(tmp_path, files))) == 3
    assert not mark.exists()
    assert "loud" not in sys.modules


def test_namespace_packages_and_names_that_are_nowhere(tmp_path: Path) -> None:
    path = write(tmp_path, {"space/inner/one.py": "class A: pass\n"})
    assert set(modules("space.inner.one:A", path)) == {"space.inner.one"}
    for reference in ("space.inner.two:A", "space:A", "nowhere_at_all:A", "sys:A", "", "a..b:A", ".:A"):
        assert source.of_reference(reference, path) is None


def test_imports_in_a_circle_end(tmp_path: Path) -> None:
    path = write(tmp_path, {"one.py": "from two import A\n", "two.py": "from one import A\n"})
    assert set(modules("one:A", path)) == {"one", "two"}


@given(data=st.binary(max_size=200))
def test_any_bytes_have_a_digest(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "anything_at_all.py").write_bytes(data)
    assert modules("anything_at_all:X", [str(folder)])["anything_at_all"] == sha256_hex(data)


def command(*parts: str | Path) -> source.Source:
    return source.of_program(tuple(map(str, parts)))


def test_a_command_is_its_files_folders_and_arguments(tmp_path: Path) -> None:
    write(tmp_path, {"program": "one", "weights/a.bin": "1", "weights/deep/b.bin": "2"})
    program, folder = tmp_path / "program", f"{tmp_path}/weights"
    found = [command(program, *more) for more in ((), ("--flag",), (folder,), (f"--weights={folder}",))]
    write(tmp_path, {"weights/deep/b.bin": "3"})
    found.append(command(program, folder))
    write(tmp_path, {"program": "two"})
    found.append(command(program, "--flag"))
    assert len({one.sha256() for one in found}) == len(found)


def test_a_program_in_another_folder_has_an_equal_digest(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, {"run.py": "import _rank\n", "_rank.py": "x = 1\n", "weights/a": "w"})
    found = [
        command(sys.executable, tmp_path / name / "run.py", f"--weights={tmp_path}/{name}/weights")
        for name in ("one", "two")
    ]
    assert found[0].sha256() == found[1].sha256()
    assert str(tmp_path) not in json.dumps(dict(found[0].modules)) + json.dumps(
        [dict(part) for part in found[0].parts]
    )


@pytest.mark.parametrize("start", ["interpreter", "shebang", "module"])
def test_the_modules_of_a_python_program_count(tmp_path: Path, start: str) -> None:
    program = tmp_path / "adapter"
    packages = environment(tmp_path)
    write(tmp_path, {"adapter": f"#!{packages.parents[2]}/bin/python\nimport _rank\n", "_rank.py": "x = 1\n"})
    write(
        packages,
        {"served/__init__.py": "", "served/__main__.py": "from . import _rank\n", "served/_rank.py": ""},
    )
    python = packages.parents[2] / "bin" / "python"
    parts = {"interpreter": (python, program), "shebang": (program,), "module": (python, "-m", "served")}[
        start
    ]
    first = command(*parts)
    assert {"interpreter": 2, "shebang": 2, "module": 3}[start] == len(first.modules)
    write(tmp_path, {"_rank.py": "x = 2\n"})
    write(packages, {"served/_rank.py": "x = 2\n"})
    assert command(*parts).sha256() != first.sha256()


def environment(folder: Path) -> Path:
    """The packages of a virtual environment that nobody has to create."""
    home = folder / "venv"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "python").symlink_to(Path(sys.executable).resolve())
    (home / "pyvenv.cfg").write_text("home = /x\ninclude-system-site-packages = false\nversion = 3.11.99\n")
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    packages = home / "lib" / version / "site-packages"
    packages.mkdir(parents=True)
    return packages


def test_the_interpreter_of_a_program_and_its_packages_are_its_own(tmp_path: Path) -> None:
    packages = environment(tmp_path)
    installed(packages, "Fast_Search", "3.1", {"fast_search.py": ""})
    write(tmp_path, {"run.py": "import fast_search\n"})
    parts = (packages.parents[2] / "bin" / "python", tmp_path / "run.py")
    found = command(*parts)
    assert found.interpreter is not None
    assert (found.interpreter.version, found.interpreter.packages) == ("3.11.99", {"fast-search": "3.1"})
    assert found.interpreter.packages_sha256 == digest(["fast-search==3.1"])
    assert found.distributions == {"Fast_Search": "3.1"}
    installed(packages, "never-imported", "1", {"other.py": ""})
    assert command(*parts).sha256() != found.sha256()


@pytest.mark.parametrize(
    ("argument", "kept"),
    [("config={}", "config="), ("--config={}", "--config="), ("-c{}", "-c"), ("a=b={}", "a=b=")],
)
def test_the_file_of_an_argument_counts_and_its_folder_does_not(
    tmp_path: Path, argument: str, kept: str
) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, {"run": "", "config.json": "{}"})
    one, two = (
        command(tmp_path / name / "run", argument.format(tmp_path / name / "config.json"))
        for name in ("one", "two")
    )
    assert one.parts[1] == {"text": kept, "file": sha256_hex(b"{}")}
    assert one.sha256() == two.sha256()


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("/absent/a.json", "a.json"),
        ("--out=/absent/a.json", "--out=a.json"),
        ("out=/absent/a", "out=a"),
    ],
)
def test_an_absolute_path_that_names_nothing_keeps_its_last_part(
    tmp_path: Path, argument: str, text: str
) -> None:
    write(tmp_path, {"run": ""})
    assert command(tmp_path / "run", argument).parts[1] == {"text": text}


@pytest.mark.parametrize(
    "options", [["-m", "served"], ["-Im", "served"], ["-mserved"], ["-X", "dev", "-m", "served"]]
)
def test_a_module_is_the_program_although_a_file_follows(tmp_path: Path, options: list[str]) -> None:
    packages = environment(tmp_path)
    write(tmp_path, {"config.json": "{}"})
    write(packages, {"served/__init__.py": "", "served/__main__.py": ""})
    found = command(packages.parents[2] / "bin/python", *options, tmp_path / "config.json")
    assert set(found.modules) == {"served", "served.__main__"}


def test_what_a_build_leaves_beside_local_code_makes_it_no_distribution(tmp_path: Path) -> None:
    files = {
        "adapter.py": "import mine\n",
        "mine/__init__.py": "",
        "mine.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: mine\nVersion: 1\n",
        "mine.egg-info/top_level.txt": "mine\n",
    }
    found = source.of_reference("adapter:A", write(tmp_path, files))
    assert found is not None
    assert (set(found.modules), found.distributions) == ({"adapter", "mine"}, {})


def test_an_editable_install_is_local(tmp_path: Path) -> None:
    packages = environment(tmp_path)
    installed(packages, "mine", "1", {"mine.pth": f"{tmp_path}/src\n", "copied.py": ""})
    write(
        packages, {"mine-1.dist-info/direct_url.json": '{"url": "file:///x", "dir_info": {"editable": true}}'}
    )
    write(tmp_path, {"src/mine/__init__.py": "", "run.py": "import mine, copied\n"})
    found = command(packages.parents[2] / "bin/python", tmp_path / "run.py")
    assert (set(found.modules), found.distributions) == ({"__main__", "mine", "copied"}, {})


@pytest.mark.parametrize("broken", ["print 'Python 2'\nimport _rank\n", "x = 1 +\n"])
def test_beside_a_module_that_cannot_be_parsed_every_module_counts(tmp_path: Path, broken: str) -> None:
    files = {
        "pack/__init__.py": "",
        "pack/adapter.py": "from . import broken\n",
        "pack/broken.py": broken,
        "pack/_rank.py": "x = 1\n",
        "pack/deep/__init__.py": "",
    }
    found = modules("pack.adapter:A", write(tmp_path, files))
    assert set(found) == {"pack", "pack.adapter", "pack.broken", "pack._rank", "pack.deep"}


def test_the_files_and_packages_of_a_node_program_count(tmp_path: Path) -> None:
    node = tmp_path / "bin" / "node"
    write(tmp_path, {"bin/node": "not run"})
    package = "node_modules/@scope/search/package.json"
    files = {
        "app/run.mjs": "import { rank } from './lib/rank.js'\nimport x from 'left-pad'\n",
        "app/lib/rank.js": 'const data = require("../data")\n',
        "app/data.json": "[]",
        "app/unused.js": "",
        package: json.dumps({"name": "@scope/search", "version": "1.2.3"}),
    }
    write(tmp_path, files)
    found = command(node, tmp_path / "app/run.mjs")
    assert set(found.modules) == {"lib/rank.js", "data.json"}
    assert found.versions(["@scope/search"]) == {"@scope/search": "1.2.3"}
    write(tmp_path, {"app/data.json": "[1]"})
    second = command(node, tmp_path / "app/run.mjs")
    assert second.sha256() != found.sha256()
    write(tmp_path, {package: json.dumps({"name": "@scope/search", "version": "1.2.4"})})
    assert command(node, tmp_path / "app/run.mjs").sha256() != second.sha256()
