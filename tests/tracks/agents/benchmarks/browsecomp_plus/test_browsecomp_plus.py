"""BrowseComp-Plus on a hand-made set of its layout: search, documents, exact answers, and no text that gets out."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from agents_systems import Harness, calls, says

from benchsite.errors import InputError, PrerequisiteError
from benchsite.isolation import data_files
from benchsite.pipeline.measure import fixtures
from benchsite.pipeline.record.evidence import to_mirror
from benchsite.tracks.agents.benchmarks.browsecomp_plus.benchmark import KIND, BrowseCompPlus, read
from benchsite.tracks.agents.fixtures import formats
from benchsite.tracks.agents.record import payload_from_runs
from benchsite.tracks.agents.systems.graph.sas import Sas

CORPUS = [
    {
        "docid": "11",
        "text": "The lighthouse of Quellmar was built by Ida Verrin in 1841.",
        "url": "https://a.invalid",
    },
    {"docid": "12", "text": "Ida Verrin was born in the village of Ostrand.", "url": "https://b.invalid"},
    {"docid": "13", "text": "A recipe for plum cake.", "url": "https://c.invalid"},
]
ROW: dict[str, Any] = {
    "query_id": "769",
    "query": "Where was the builder of the lighthouse of Quellmar born?",
    "answer": "Ostrand",
    "gold_docs": [CORPUS[1]],
    "evidence_docs": CORPUS[:2],
    "negative_docs": [CORPUS[2]],
    "canary": "canary GUID of the test",
}
CALLS = (
    calls("search", query="builder of the lighthouse of Quellmar"),
    calls("search", query="Ida Verrin born"),
    calls("get_document", docid="12"),
)


def write(folder: Path, rows: Any = (ROW,), corpus: Any = tuple(CORPUS)) -> Path:
    folder.mkdir(exist_ok=True)
    for name, objects in (("browsecomp_plus_decrypted.jsonl", rows), ("corpus.jsonl", corpus)):
        (folder / name).write_text("".join(json.dumps(one) + "\n" for one in objects), "utf-8")
    return folder


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> fixtures.Converted:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return fixtures.convert(formats["browsecomp-plus"], write(tmp_path / "set"), searcher="bm25")


@pytest.fixture
def benchmark(imported: fixtures.Converted) -> BrowseCompPlus:
    for file in imported.large:
        data_files.keep(file)
    return read(imported.made.data, "set")


def test_the_single_agent_searches_reads_and_answers(benchmark: BrowseCompPlus) -> None:
    workspace = benchmark.open("769")

    def tool(name: str) -> Any:
        return lambda **arguments: workspace.call(name, arguments).result

    tools = {name: tool(name) for name in ("search", "get_document")}
    harness = Harness([*CALLS, says("Ostrand.")], tools, benchmark.tasks[0])
    answer = harness.run(Sas())["answer"]
    first, second, read_text = (harness.asked[place].last for place in (1, 2, 3))
    assert first.startswith("docid 11: The lighthouse of Quellmar")
    assert second.startswith("docid 12: Ida Verrin was born")
    assert read_text == CORPUS[1]["text"]
    graded = benchmark.grade("769", [one.calls[0] for one in CALLS], answer, "")
    assert (graded.success, graded.score, graded.skipped) == (True, 1.0, [])


@pytest.mark.parametrize(
    ("answer", "is_right"),
    [
        ("ostrand", True),
        ("Explanation: see 12.\nExact Answer: Ostrand\nConfidence: 90%", True),
        ("**Exact Answer:** Ostrand", True),
        ("It is Ostrand", False),  # a judge may accept this; exact evaluation does not
        ("Exact Answer: Quellmar\nOstrand", False),
        (None, False),
    ],
)
def test_exact_evaluation_compares_the_normalized_answer(
    answer: str | None,
    is_right: bool,  # noqa: FBT001 - a table of cases
    benchmark: BrowseCompPlus,
) -> None:
    assert benchmark.grade("769", (), answer, "").success is is_right
    assert benchmark.grade("769", (), answer, "benchsite: limit tokens").success is False


def test_nothing_that_is_shown_has_a_query_an_answer_or_a_text(
    benchmark: BrowseCompPlus, imported: fixtures.Converted
) -> None:
    wrong = benchmark.grade("769", (), "Quellmar", "")
    shown = json.dumps(
        [dict(benchmark.facts()), imported.made.report, list(imported.made.lines), list(wrong.difference)]
    )
    for word in ("Ostrand", "Quellmar", "Verrin", "plum", "builder"):
        assert word not in shown
    assert benchmark.publish == "sealed"
    assert benchmark.document.canary == ROW["canary"]
    assert benchmark.most_common_answer() == ((), None)
    assert "judge" in benchmark.facts()


def test_evidence_of_a_sealed_benchmark_is_for_no_mirror(benchmark: BrowseCompPlus, tmp_path: Path) -> None:
    workspace: Any = SimpleNamespace(root=tmp_path)
    for item in payload_from_runs._evidence(benchmark, [], [], imported=False):
        assert "never publish it" in to_mirror(workspace, item)


def test_a_sealed_benchmark_never_goes_into_the_repository(
    imported: fixtures.Converted,
) -> None:
    nowhere: Any = None
    with pytest.raises(PrerequisiteError, match="is sealed: its texts must never be published"):
        fixtures.keep(nowhere, imported, into_repo=True, license_ok=True)


def test_unknown_documents_and_a_corpus_that_is_gone_are_said(benchmark: BrowseCompPlus) -> None:
    seen = benchmark.open("769").call("get_document", {"docid": "99"})
    assert (seen.failed, "no document of this id" in str(seen.result)) == (True, True)
    (data_files.folder() / benchmark.document.corpus.sha256).unlink()
    with pytest.raises(
        PrerequisiteError, match=r"the corpus corpus.jsonl of browsecomp-plus-bm25 is not on this"
    ):
        read(b"" + _bytes(benchmark), "x").open("769").call("search", {"query": "a"})


def _bytes(benchmark: BrowseCompPlus) -> bytes:
    return json.dumps(benchmark.document.model_dump(mode="json", by_alias=True)).encode()


@pytest.mark.parametrize(
    ("rows", "corpus", "message"),
    [
        ([{**ROW, "query": "bG9uZyBlbmNyeXB0ZWQgdGV4dA=="}], CORPUS, "line 1: query 769 is still encrypted"),
        ([ROW, ROW], CORPUS, "query 769 occurs twice"),
        ([ROW], CORPUS[:1], "query 769: the corpus has no document 12"),
        ([ROW], [CORPUS[0], *CORPUS], "corpus.jsonl: line 2: document 11 occurs twice"),
        ([{**ROW, "answer": ""}], CORPUS, "line 1: answer"),
        ([ROW], [], "corpus.jsonl: no documents"),
        ([], CORPUS, "queries"),
    ],
)
def test_rows_and_corpora_that_do_not_fit_are_refused(
    rows: Any, corpus: Any, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        fixtures.convert(formats["browsecomp-plus"], write(tmp_path / "set", rows, corpus), searcher="bm25")
    assert message in caught.value.message
    assert "Quellmar" not in caught.value.message


def test_a_missing_corpus_is_named() -> None:
    assert KIND.convert is not None
    with pytest.raises(InputError, match="no file with the corpus"):
        KIND.convert({"rows.jsonl": b"{}"}, large={}, searcher="bm25")
