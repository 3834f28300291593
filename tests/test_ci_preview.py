"""`.ci/preview.py`: what a pull request's summary says of its scores."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from builders import retrieval_work

from benchsite.errors import InputError
from benchsite.pipeline.measure.run import Result

ROOT = Path(__file__).resolve().parent.parent


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ci_preview", ROOT / ".ci" / "preview.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


preview = script()


@pytest.mark.parametrize(("own", "limit", "expected"), [(None, 20, 20), (5, 20, 5), (50, 20, 20)])
def test_a_suite_entrys_own_limit_stands_where_it_is_smaller(
    own: int | None, limit: int, expected: int
) -> None:
    work = retrieval_work("bm25", limit=own)
    assert preview.limited(work, limit) == replace(work, request={**work.request, "limit": expected})


def test_a_row_says_the_score_or_why_there_is_none() -> None:
    work = retrieval_work("bm25", options={"stopwords": True})
    measured = Result(work, "measured", draft=Path("x"), headline="ndcg 0.5")
    assert preview.row(measured) == "| bm25 (stopwords) | small-v1 | ndcg 0.5 |"
    failed = Result(work, "failed", "it said nothing", error=InputError("it said nothing"))
    assert preview.row(failed) == "| bm25 (stopwords) | small-v1 | failed: it said nothing |"


def test_what_a_stranger_wrote_stays_in_its_cell_as_text() -> None:
    work = retrieval_work("command:x | ![a](http://b) <img>\n# `h`\u202e")
    line = preview.row(Result(work, "failed", "a|b"))
    assert line == (
        "| command:x \\| \\!\\[a\\](http://b) \\<img\\> \\# \\`h\\`  | small-v1 | failed: a\\|b |"
    )


def test_it_says_how_to_delete_the_drafts_that_it_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    work = retrieval_work("bm25", options={})
    done = [Result(work, "measured", draft=Path(f"{name}.json"), headline="ndcg 0.5") for name in "ab"]
    monkeypatch.setattr(preview, "Workspace", lambda _root: None)
    monkeypatch.setattr(preview.head, "snapshot", lambda _instance: None)
    monkeypatch.setattr(preview, "changed", lambda _instance, _snapshot: done)
    monkeypatch.setattr(sys, "argv", ["preview.py", "--limit", "5"])
    assert preview.main() == 0
    assert "benchsite drafts discard a b\n" in capsys.readouterr().err
