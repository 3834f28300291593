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


@pytest.mark.parametrize(
    ("actions", "recall"),
    [
        ((), 0.0),
        ([calls("get_document", docid="12").calls[0]], 0.5),
        ([calls("get_document", docid="13").calls[0]], 0.0),  # the corpus has it; no query needs it
        ([calls("get_document", docid="12").calls[0]] * 2, 0.5),
        ([one.calls[0] for one in CALLS], 1.0),  # found 11 and 12, and opened 12
        (['retrieved: ["11","12","99"]'], 1.0),  # an imported run
        (["11 12"], 0.0),
        (
            [calls("retrieved", docids="11").calls[0]],
            0.0,
        ),  # no tool of this name: a native run can't state it
    ],
)
def test_recall_is_the_share_of_evidence_documents_found_or_opened(
    actions: Any, recall: float, benchmark: BrowseCompPlus
) -> None:
    """The query has the evidence documents 11 and 12."""
    assert benchmark.grade("769", actions, None, "").evidence_recall == recall


def test_without_evidence_documents_there_is_no_recall(tmp_path: Path) -> None:
    made = fixtures.convert(
        formats["browsecomp-plus"], write(tmp_path / "set", [{**ROW, "evidence_docs": []}]), searcher="bm25"
    )
    assert read(made.made.data, "set").grade("769", (), "Ostrand", "").evidence_recall is None


def test_baselines_are_given_documents_that_no_query_needs(benchmark: BrowseCompPlus, tmp_path: Path) -> None:
    assert [benchmark.example("get_document", lambda n, i=i: i % n).arguments for i in range(4)] == [
        {"docid": "13"}
    ] * 4
    made = fixtures.convert(
        formats["browsecomp-plus"], write(tmp_path / "all", corpus=CORPUS[:2]), searcher="bm25"
    )
    for file in made.large:
        data_files.keep(file)
    whole = read(made.made.data, "set")
    assert whole.example("get_document", lambda _: 0).arguments == {"docid": "0"}


def test_the_importer_says_which_evaluation_ranks(benchmark: BrowseCompPlus) -> None:
    facts = benchmark.facts()
    assert "leaderboards rank by it" in facts["evaluator"]
    assert "not ranked" in facts["judge"]


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
