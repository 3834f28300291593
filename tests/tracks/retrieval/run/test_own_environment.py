"""A class that runs under the interpreter of its own environment, which is inside a hidden folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harbour import BUILT_IN, FIXTURE

from benchsite import canonical
from benchsite.isolation import sandbox
from benchsite.isolation.environments.install import install
from benchsite.isolation.environments.installed import own_python
from benchsite.isolation.subject import describe
from benchsite.track import System
from benchsite.tracks.retrieval.run.programs import program
from benchsite.tracks.retrieval.run.runner import Settings, measure

PROBE = """
from pathlib import Path

def readable(name):
    try:
        return (Path(__file__).parents[4] / name).read_text()
    except OSError:
        return "hidden"

class Probe:
    about = {"name": "probe", "author": "test", "version": readable("fixtures/answers") + " " + readable("bare/lock.txt")}
"""


@pytest.fixture
def python(tmp_path: Path) -> str:
    """The Python of an environment beside expected answers, with a distribution of its own."""
    scratch = tmp_path / "scratch"
    (scratch / "fixtures").mkdir(parents=True)
    (scratch / "fixtures/answers").write_text("the answers")
    folder = install([System("bare", "bare", ())], scratch / "bare", own_python()).folder
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "prober.py").write_text(PROBE)
    info = packages / "product-2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: product\nVersion: 2.0\n")
    return str(folder / "bin/python")


def test_the_receipt_records_the_interpreter_and_packages_of_the_environment(
    context: Any, python: str
) -> None:
    spec = program("bm25", f"{BUILT_IN}lexical.bm25:Bm25", python=python)
    measured = measure(FIXTURE, spec, Settings(ks=(1, 2), seed=7), context)
    here = measure(FIXTURE, program("bm25", spec.reference), Settings(ks=(1, 2), seed=7), context)
    found = measured.payload["adapter"]["interpreter"]
    assert found["packages"] == canonical.digest(["product==2.0"])
    assert found["version"] == here.payload["adapter"]["interpreter"]["version"]
    assert measured.payload["scores"] == here.payload["scores"]
    assert measured.config["subjectSha256"] != here.config["subjectSha256"]


@pytest.mark.skipif(sandbox.level() != "sealed", reason="mount namespaces are not permitted here")
def test_only_its_own_environment_is_shown_of_a_hidden_folder(context: Any, python: str) -> None:
    context.answers = (str(Path(python).parents[2]),)
    spec = program("probe", "prober:Probe", python=python)
    assert describe(spec, 7, context).version == "hidden "
