"""The retrieval track's boards: one fixture under one methodology version (specs/retrieval.md, "Boards").

A board ranks by nDCG at the cut-off that its methodology names, so that one column never holds two; `verification` says
which receipts lack it. Baselines are shown and not ranked; one without a receipt is shown as not run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from benchsite.board import RUNS, Board, Column, Facet, Leaderboard, Measure, Part, Row, TrackBoards
from benchsite.board.per_item import Evidence
from benchsite.board.summary_text import leader_words, others, subject_words, tied
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.track import Bodies, DataColumn, Library, Metric, Page
from benchsite.tracks.retrieval import TRACK
from benchsite.tracks.retrieval.metrics import score
from benchsite.tracks.retrieval.pages import backends
from benchsite.tracks.retrieval.pages.backends import Addition
from benchsite.tracks.retrieval.pages.dataset import dataset_page, datasets
from benchsite.tracks.retrieval.pages.metric_table import (
    COLLAPSED,
    categories,
    item_word,
    no_width,
    saturation,
)
from benchsite.tracks.retrieval.pages.queries import listed, query_pages
from benchsite.tracks.retrieval.record.verification import HEADLINE_K
from benchsite.tracks.retrieval.scores.engines import parameters
from benchsite.tracks.retrieval.scores.scoring import Query
from benchsite.words import counted, figure, sentence_case, share

BASELINES: Final = ("bm25", "recency", "random")
AUTHOR: Final = "benchsite"
"""Who wrote the baselines."""


def pages(boards: TrackBoards, _bodies: Bodies, library: Library) -> Iterator[Page]:
    """Yield the products over all datasets, the texts of each fixture that may be shown, and a page per dataset."""
    yield from backends.page(boards)
    for made in boards.current:
        yield from query_pages(made)
    measured = {made.target: made.path for made in boards.current}
    for dataset in datasets(library):
        yield dataset_page(dataset, measured.get(dataset.id, ""))


def evidence(document: Document) -> Evidence:
    """The grades of the relevant items of every scored query, best first, and their ranks; 0 for one not returned."""
    rows = document["perQuery"]
    if any("expected" not in row for row in rows):
        return Evidence({}, {})
    asked = ((row["queryId"], Query.from_row(row)) for row in rows)
    scored = [(name, query) for name, query in asked if query.answerable and query.ideal]
    return Evidence(
        {name: list(query.ideal) for name, query in scored},
        {name: [query.ranks.get(item, 0) for item in query.relevant] for name, query in scored},
        {name: query.relevant for name, query in scored},
    )


def _share(row: Row) -> str:
    """`75.6% (93/123)`; a dash without counts."""
    found, asked = row.own["found"], row.own["asked"]
    return "–" if found is None or asked is None else share(found, asked)


LATENCY: Final = "latency_p95_ms"


def _milliseconds(value: float | None) -> str:
    """`0.31 ms`, to three significant digits."""
    return "–" if value is None else f"{value:,.0f} ms" if value >= 100 else f"{value:.3g} ms"


def _parts(row: Row) -> Sequence[Part]:
    """The headline metric by category of queries; abstentions of a category that has only unanswerable ones."""
    return [
        Part(
            one.name,
            one.name,
            one.counts,
            one.value,
            one.low,
            one.high,
            one.abstentions if one.value is None and one.unanswerable else "",
        )
        for one in row.besides
    ]


_COMPARED: Final = ("ndcg", "success", "recall", "precision", "mrr", "map")
"""Metrics of which two systems are compared, at the cut-off of the headline."""
_SHOWN: Final = ("description", "notes", "license", "source")
"""What a board says of a dataset that the site shows."""


def _detail(made: Board, k: int) -> Mapping[str, Any]:
    """What the template says of the fixture and its categories; `collapsed` where some CI has zero width."""
    fixture = made.library.fixture(made.target, made.sha256) or {}
    recorded = made.newest["fixture"] if made.newest else {}
    item = item_word({"fixture": recorded or fixture})
    parts = [part for row in made.rows for part in row.besides]
    ends = [(one.low, one.high) for one in (*made.rows, *parts)]
    return {
        "k": k,
        "item": item,
        "counts": recorded,
        "saturation": saturation(recorded, k, item),
        "composition": composition(made) if made.rows else "",
        "dataset_page": _dataset_page(made),
        "dataset": {name: str(fixture.get(name, "")).strip() for name in _SHOWN} if fixture else None,
        "additions": _additions(made, k),
        "collapsed": COLLAPSED if any(no_width(low, high) for low, high in ends) else "",
    }


def _additions(made: Board, k: int) -> tuple[Addition, ...]:
    """Products compared with their back ends; reads the bodies of a leaderboard that has products."""
    if not any(row.own["backend"] for row in made.rows):
        return ()
    bodies = {row.header.receipt_id: made.bodies(row.header.receipt_id) for row in made.rows}
    vectors = {name: per_query(document, k) for name, document in bodies.items()}
    rankings = {
        name: {row["queryId"]: row["retrieved"] for row in document["perQuery"]}
        for name, document in bodies.items()
    }
    return backends.additions(made, vectors, rankings)


def _dataset_page(made: Board) -> str:
    """The page of the dataset as the receipts pin it; empty if the commit has none."""
    pinned = (made.target, made.sha256)
    found = (one.path for one in datasets(made.library) if (one.id, one.files.sha256) == pinned)
    return next(found, "")


def per_query(document: Document, k: int) -> Mapping[str, float]:
    """nDCG@k of every scored query; empty where the receipt does not record the relevant items."""
    rows = document["perQuery"]
    if any("expected" not in row for row in rows):
        return {}
    asked = [(row["queryId"], Query.from_row(row)) for row in rows]
    values = score((query for _, query in asked), (k,)).per_query("ndcg", k)
    names = [name for name, query in asked if query.answerable and query.ideal]
    return dict(zip(names, values, strict=True))


def accepts_baseline(document: Document) -> bool:
    """Whether it is a built-in baseline: by name and author, so that a namesake is a ranked system."""
    adapter = document["adapter"]
    return adapter["name"] in BASELINES and adapter.get("author") == AUTHOR


_KINDS: Final = {
    "turn": "conversational memory retrieval",
    "session": "session retrieval",
    "document": "document retrieval",
}
"""What is measured, by the granularity of the items."""


def lede(made: Board) -> str:
    """The leader, and whether it is better than the reference baseline."""
    if not made.rows:
        return "No receipt on this dataset is ranked. Reasons are listed below."
    return " ".join(_leader_sentence(made)) or composition(made)


def composition(made: Board) -> str:
    """The rows and the scored queries in one sentence."""
    asked = next((row.own["asked"] for row in made.rows if row.own["asked"] is not None), None)
    systems = [subject_words(made.about, made.ranked)] if made.ranked else []
    baselines = [counted(len(made.baselines), "baseline")] if made.baselines else []
    queries = f", {asked:,} scored queries" if asked is not None else ""
    return f"{sentence_case(' and '.join(systems + baselines))}{queries}."


def _leader_sentence(made: Board) -> Iterator[str]:
    if not made.leaders:
        return
    first = made.leaders[0]
    value = f"{made.about.metric.label} {figure(first.value)}"
    yield f"{'Leader: ' if len(made.leaders) < len(made.ranked) else ''}{leader_words(made.about, made.leaders)}, {value}."
    yield _baseline_sentence(made)


def _baseline_sentence(made: Board) -> str:
    """Whether the first row is significantly better than the reference baseline."""
    baseline = made.about.baseline_label(made.about.baselines[0])
    if made.baseline is None:
        return f"The {baseline} was not run."
    if made.standing is None:
        return f"No paired test with the {baseline}: other scored queries."
    result = f"({', '.join(made.standing.cells)})"
    if made.standing.tied:
        return f"Not significantly better than the {baseline} {result}."
    return f"Significantly {'better' if made.standing.delta > 0 else 'worse'} than the {baseline} {result}."


def _sentence(made: Board) -> str:
    if not made.leaders:
        return f"{sentence_case(counted(len(made.baselines), 'baseline'))}; no ranked system."
    first, behind = made.leaders[0], made.ranked[len(made.leaders) :]
    if behind:
        ahead = f"Ahead of {others(made.about, made.leaders, behind)}."
    elif len(made.ranked) == 1:
        ahead = "The only ranked system."
    else:
        ahead = tied(made)
    said = [ahead, _baseline_sentence(made)]
    if no_width(first.low, first.high):
        said.append("Zero-width CI: every query scored the same.")
    return " ".join(said)


def _under(methodology: Methodology) -> Leaderboard:
    """By nDCG at the cut-off of a methodology, with its paired test; the seed's names neither."""
    if methodology.engine != "retrieval/1":
        return LEADERBOARD
    known = parameters(methodology)
    return replace(_at(known.headline_k), flips=known.flips, level=known.level)


DESCRIBED: Final = (
    DataColumn("backend", "text", "Underlying system that a product is built on; null for none."),
    DataColumn("success", "number", "Success at the cut-off of `metric`, the hit rate."),
    DataColumn("found", "integer", "Numerator of `success`: queries with a hit."),
    DataColumn("asked", "integer", "Denominator of `success`: scored queries."),
)


def _columns(k: int) -> tuple[Column, ...]:
    """Return the hit rate, the latency and the number of runs."""
    return (
        Column(
            f"Hit rate@{k}",
            lambda row: _share(row).partition(" ")[0],
            lambda row: _share(row).partition(" ")[2].strip("()"),
            words=f"Share of queries with at least one relevant item in the top {k} (success@{k}), and the counts.",
            phone="hit rate",
        ),
        Column(
            "Latency p95",
            lambda row: _milliseconds(row.estimates[LATENCY].value),
            words="95th percentile of the latency of a query. Not comparable across machines.",
            optional=True,
            folded=True,
        ),
        RUNS,
    )


def _measures(k: int) -> tuple[Measure, ...]:
    """Return the metrics that rows can be shown and drawn by, besides nDCG."""
    return (
        Measure(f"success_at_{k}", label=f"Hit rate@{k}", metric=Metric(f"Hit rate@{k}", percent=True)),
        Measure(f"recall_at_{k}"),
        Measure(f"mrr_at_{k}"),
        Measure(LATENCY, is_cost=True, is_timed=True, metric=Metric("Latency p95", 2, " ms")),
    )


def _at(k: int) -> Leaderboard:
    """What is ranked, by nDCG at a cut-off."""
    success = f"success_at_{k}"
    return Leaderboard(
        track=TRACK,
        headline=f"ndcg_at_{k}",
        target="fixture",
        tasks="queries",
        description=f"Leaderboards of memory and retrieval systems: nDCG@{k} with 95% CIs, ties and baselines.",
        opening=(
            "Ranking quality of memory and retrieval systems on labeled queries. One leaderboard per dataset and "
            "methodology version."
        ),
        fields={
            "backend": lambda document: document["adapter"].get("backend"),
            "success": lambda document: document["scores"].get(success),
            "found": lambda document: (document["denominators"].get(success) or {}).get("num"),
            "asked": lambda document: (document["denominators"].get(success) or {}).get("den"),
        },
        described=DESCRIBED,
        columns=_columns(k),
        facts=lambda document: {"hosted": ["hosted" if document["adapter"].get("hosted") else "local"]},
        facets=(Facet("hosted", "Hosted", lambda row: row.facts["hosted"]),),
        measures=_measures(k),
        parts=_parts,
        under=_under,
        compared=lambda document: per_query(document, k),
        metrics=tuple(f"{name}_at_{k}" for name in _COMPARED),
        evidence=evidence,
        listed=listed,
        categories=lambda document: {
            row["queryId"]: row["category"] for row in document["perQuery"] if row.get("category")
        },
        solved=f"Queries with a hit in the top {k}",
        baselines=BASELINES,
        accepts_baseline=accepts_baseline,
        labels={"bm25": "BM25"},
        besides=lambda document: categories(document, f"ndcg_at_{k}", k),
        detail=lambda made: _detail(made, k),
        template="retrieval/board.html.j2",
        index="retrieval/boards.html.j2",
        datasets=datasets,
        title=lambda made: f"{made.target}: {_KINDS.get(made.detail['item'], 'retrieval')}",
        lede=lede,
        sentence=_sentence,
        explained=lambda _made: (
            f"Dashed line: BM25, a lexical baseline. nDCG@{k}: ranking quality in the top {k}, from 0 to 1 (ideal order)."
        ),
        tie="tie",
        empty="A leaderboard appears with the first receipt on a dataset.",
        begin=(
            "benchsite fixture list\nbenchsite run retrieval --adapter sqlite-fts5 --fixture FIXTURE\nbenchsite publish"
        ),
    )


LEADERBOARD: Final = _at(HEADLINE_K)
