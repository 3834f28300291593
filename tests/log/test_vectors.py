"""The committed vectors are what their generator writes, and the generator knows nothing of benchsite."""

from __future__ import annotations

import runpy
from pathlib import Path


def test_vectors_are_current(log_vectors: Path, monkeypatch):
    monkeypatch.syspath_prepend(str(log_vectors))
    generator = runpy.run_path(str(log_vectors / "generate.py"))
    assert {path.name for path in log_vectors.glob("*.json")} == set(generator["FILES"])
    for name in generator["FILES"]:
        assert (log_vectors / name).read_text(encoding="ascii") == generator["text_of"](name), name


def test_the_oracle_does_not_use_the_code_under_test(log_vectors: Path):
    sources = [*log_vectors.glob("*.py")]
    assert len(sources) == 5
    for source in sources:
        text = source.read_text(encoding="utf-8")
        assert "import benchsite" not in text
        assert "from benchsite" not in text
