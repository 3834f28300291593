"""What installed products find, by cases computed by hand; skipped if the environment is not installed in this repository."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchsite.isolation.environments.installed import state
from benchsite.isolation.subject import Subject
from benchsite.layout import ENVIRONMENTS
from benchsite.plugins import reference
from benchsite.tracks.retrieval import fixture as fixtures
from benchsite.tracks.retrieval.run.answers import ReturnedHit, read_hits
from benchsite.tracks.retrieval.run.programs import spec_of
from benchsite.tracks.retrieval.run.runner import Settings, measure
from benchsite.tracks.retrieval.systems.catalog import system

ROOT = Path(__file__).resolve().parents[4]
PAGE = (ROOT / "content/docs/systems.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([a-z0-9-]+)`(?: with `([a-z]+)=([a-z]+)`)? \| (\.\d{3}) \|", re.MULTILINE)
FIGURES: list[tuple[str, str, str, str]] = ROW.findall(PAGE)
"""System, option, its value, and nDCG@10 on three-notebooks-v1, as the page states it."""

BOATS = ("The boat, painted.", "A car by the road.", "Old boats are sold.", "Nothing else here.")

pytestmark = pytest.mark.full

Find = Callable[..., list[ReturnedHit]]


def spec(name: str, options: Mapping[str, Any]) -> Any:
    one = system(name)
    assert one is not None
    if state(one, str(ROOT / ENVIRONMENTS)) != "installed":
        pytest.skip(f"benchsite adapter install {name}")
    found = reference("benchsite.retrieval.adapters", name)
    return spec_of(name, found, options, environments=str(ROOT / ENVIRONMENTS))


@pytest.fixture
def find(context: Any) -> Find:
    """Ask a system about texts, whose ids are d0, d1, and so on."""

    def answer(name: str, texts: Sequence[str], q: str, k: int = 10, **options: Any) -> list[ReturnedHit]:
        items = [
            {"id": f"d{place}", "content": text, "metadata": {}, "timestamp": None}
            for place, text in enumerate(texts)
        ]
        with Subject(spec(name, options), 7, context) as subject:
            for method, params in (("reset", {}), ("ingest", {"items": items}), ("flush", {})):
                subject.call(method, params, timeout_s=60)
            reply = subject.call("query", {"query": q, "k": k, "when": None}, timeout_s=60)
            assert reply.fault is None, (reply.fault, subject.stderr)
            hits = read_hits(reply.result)
        assert isinstance(hits, list)
        return hits

    return answer


@pytest.mark.parametrize("stated", FIGURES, ids=lambda row: "-".join(filter(None, row[:3])))
def test_the_page_states_what_a_run_scores(context: Any, stated: tuple[str, str, str, str]) -> None:
    name, option, value, figure = stated
    document = (ROOT / "fixtures/three-notebooks-v1/fixture.json").read_bytes()
    data = fixtures.parse(document, where="three-notebooks-v1")
    chosen = spec(name, {option: value} if option else {})
    measured = measure(data, chosen, Settings(ks=(1, 5, 10), seed=20260101), context)
    assert measured.payload["scores"]["ndcg_at_10"] == pytest.approx(float(figure), abs=0.005)
    assert [row["error"] for row in measured.payload["perQuery"] if "error" in row] == []


@pytest.mark.parametrize("name", ["llama-index-bm25"])
def test_llama_index_stems_and_drops_stopwords(find: Find, name: str) -> None:
    # Only "boat" and "boats" share a stem with the question; the shorter text, after stopwords, is the first one.
    hits = find(name, BOATS, "Which boats are these?")
    assert [(hit.id, hit.content) for hit in hits] == [("d0", BOATS[0]), ("d2", BOATS[2])]
    assert hits[0].score == 1.0
    assert find(name, BOATS, "is the of") == []
