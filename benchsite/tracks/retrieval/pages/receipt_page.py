"""The certificate, which is what a retrieval receipt's page says: metrics, denominators, and the ranked list of each query.

A function of the receipt, its status record and the content-addressed documents it names, and of no other receipt. Reads both schemas: 1.0.0, and 0.0.1 with its fewer fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, NamedTuple

from benchsite.board.receipt_view import View, board_of, methodology_of, page
from benchsite.history import Header
from benchsite.receipt import Document
from benchsite.track import Library, Page
from benchsite.tracks.retrieval import TRACK
from benchsite.tracks.retrieval.pages.board import LEADERBOARD
from benchsite.tracks.retrieval.pages.metric_table import (
    COLLAPSED,
    Category,
    Metric,
    categories,
    cut_of,
    cuts,
    item_word,
    largest_cut,
    metrics,
    no_width,
    numbers,
    saturation,
)
from benchsite.tracks.retrieval.pages.queries import texts_path
from benchsite.words import amount, share, shortened

SHOWN_QUERIES: Final = 25
SHOWN_RELEVANT: Final = 2
SHOWN_RETURNED: Final = 3
LONGEST_TEXT: Final = 110


class Answer(NamedTuple):
    """The ranked list of one query; `text` is empty where it is not at hand or its license does not permit showing it."""

    query_id: str
    text: str
    category: str
    relevant: tuple[str, ...]
    returned: tuple[str, ...]
    rank: int | None
    depth: int
    answerable: bool
    scored: bool
    error: str
    latency_ms: float | None

    @property
    def cells(self) -> tuple[str, str, str, str, str, str]:
        """Query, category, relevant ids, returned ids, rank of the first relevant, milliseconds, as the table shows them."""
        text = shortened(self.text, LONGEST_TEXT)
        return (
            text or self.query_id,
            self.category or "–",
            _first(self.relevant, SHOWN_RELEVANT),
            _first(self.returned, SHOWN_RETURNED, hits=self.relevant),
            self.outcome,
            "–" if self.latency_ms is None else f"{self.latency_ms:.1f}",
        )

    @property
    def outcome(self) -> str:
        """The rank of the first relevant item, or why there is none."""
        if self.error:
            return self.error
        if not self.answerable:
            return "unanswerable (answered)" if self.returned else "unanswerable (abstained)"
        if self.rank is not None:
            return str(self.rank)
        return f"not in top {self.depth}" if self.scored else "excluded"


def _first(names: Sequence[str], shown: int, hits: Sequence[str] = ()) -> str:
    """The first of several ids, each of `hits` with its mark, and how many more."""
    listed = ", ".join([f"✓ {name}" if name in hits else name for name in names[:shown]])
    return f"{listed} +{len(names) - shown}" if len(names) > shown else listed or "–"


@dataclass(frozen=True, kw_only=True)
class Certificate(View):
    """Everything the template prints that is not the envelope's.

    Attributes:
        k: the headline's cut-off.
        cuts: the cut-offs of the metrics.
        texts: path of the queries' texts; empty where they are not at hand or may not be shown.
    """

    item: str
    k: int
    cuts: tuple[int, ...]
    metrics: tuple[Metric, ...]
    categories: tuple[Category, ...]
    answers: tuple[Answer, ...]
    total_answers: int
    texts: str
    saturation: str
    collapsed: str
    facts: tuple[tuple[str, str], ...]
    imported: str
    faults: tuple[tuple[str, int], ...]
    timing: tuple[tuple[str, float | int, str], ...]
    cautions: tuple[str, ...]


def receipt_page(header: Header, document: Document, library: Library) -> Page:
    """The page of a receipt whose numbers may be quoted."""
    view = certificate(header, document, library)
    return page(LEADERBOARD, header, document, view, "retrieval/receipt.html.j2")


def certificate(header: Header, document: Document, library: Library) -> Certificate:
    """Read a receipt's body into what its page says; `header.summary` must be present."""
    if header.summary is None:
        raise ValueError(f"receipt {header.receipt_id} failed verification: its scores are hidden")
    headline, target = header.summary.headline, header.summary.target
    fixture = library.fixture(target, header.summary.target_sha256)
    item = item_word(document)
    rules = methodology_of(document, library)
    k = cut_of(headline.metric)
    rows = document["perQuery"]
    lines, parts = numbers(document, item, rules), categories(document, headline.metric, k)
    ends = [(one.low, one.high) for one in lines] + [(one.low, one.high) for one in parts]
    flat = any(no_width(low, high) for low, high in ends)
    return Certificate(
        headline=TRACK.metric(headline.metric).label,
        value=headline.value,
        low=headline.low,
        high=headline.high,
        sentence=_sentence(document, k),
        newer=library.newer(header.track, header.methodology),
        item=item,
        k=k,
        numbers=lines,
        cuts=cuts(document),
        metrics=metrics(document, lines, item, rules),
        categories=parts,
        answers=_answers(rows, fixture, largest_cut(document["scores"])),
        total_answers=len(rows),
        texts=texts_path(target) if fixture is not None else "",
        board=board_of(LEADERBOARD, header),
        here=fixture is not None,
        saturation=saturation(document["fixture"], k, item),
        collapsed=COLLAPSED if flat else "",
        facts=_facts(document, header.summary.subject.label),
        imported=_imported(document),
        faults=_faults(document),
        timing=_timing(document),
        cautions=_cautions(document),
    )


def _sentence(document: Document, k: int) -> str:
    """The hit rate with its counts, and the queries that were excluded or failed."""
    counted = document.get("denominators", {}).get(f"success_at_{k}") or {}
    rows = document["perQuery"]
    if "num" not in counted:
        hits = sum(1 for row in rows if row["hit"])  # `hit` is at the largest cut-off
        return f"Hits in the top {largest_cut(document['scores'])}: {hits:,} of {len(rows):,} queries (self-reported)."
    failed = sum(1 for row in rows if row.get("error") is not None)
    parts = [
        f"Hit rate@{k} {share(counted['num'], counted['den'])}",
        _excluded(rows, counted.get("excluded") or 0),
        f"{amount(failed, 'failed query', 'failed queries')}, scored 0" if failed else "no failed queries",
    ]
    return f"{'; '.join(part for part in parts if part)}."


def _excluded(rows: Sequence[Mapping[str, Any]], excluded: int) -> str:
    """How many queries no metric counts, and why: unanswerable, or no item of grade 1 or more."""
    if not excluded:
        return ""
    unanswerable = sum(1 for row in rows if not row["answerable"])
    unlabeled = sum(
        1 for row in rows if row["answerable"] and not any(one["grade"] >= 1 for one in row["expected"])
    )
    if unanswerable + unlabeled != excluded:  # the rows disagree; the re-score reports it
        return f"{amount(excluded, 'query', 'queries')} excluded"
    kinds = ((unanswerable, "unanswerable"), (unlabeled, "without relevant items"))
    said = [f"{count:,} {kind}" for count, kind in kinds if count]
    return f"{amount(excluded, 'query', 'queries')} excluded ({', '.join(said)})"


def _answers(
    rows: Sequence[Mapping[str, Any]], fixture: Mapping[str, Any] | None, depth: int
) -> tuple[Answer, ...]:
    """The first queries, in the fixture's order where it is at hand."""
    ordered: Iterable[tuple[Mapping[str, Any], str]] = (
        ((row, "") for row in rows) if fixture is None else _in_order(rows, fixture["queries"])
    )
    return tuple(_answer(row, text, depth) for row, text in islice(ordered, SHOWN_QUERIES))


def _in_order(
    rows: Sequence[Mapping[str, Any]], queries: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Rows with their texts in the fixture's order, lazily; rows without a query in the fixture come last."""
    waiting: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        waiting.setdefault(row["queryId"], []).append(row)
    for query in queries:
        for row in waiting.pop(query["id"], ()):
            yield row, query["query"]
    for left in waiting.values():
        for row in left:
            yield row, ""


def _answer(row: Mapping[str, Any], text: str, depth: int) -> Answer:
    relevant = tuple([entry["id"] for entry in row.get("expected", ()) if entry["grade"] >= 1])
    return Answer(
        query_id=row["queryId"],
        text=text,
        category=row.get("category") or "",
        relevant=relevant,
        returned=tuple(dict.fromkeys(row["retrieved"])),
        rank=row["rank"],
        depth=depth,
        answerable=row.get("answerable", True),
        scored="expected" not in row or bool(relevant),
        error=_ERRORS.get(row.get("error") or "", ""),
        latency_ms=row.get("latencyMs"),
    )


_NETWORK: Final = {
    "off": "network off",
    "allowed": "network allowed",
    "not blocked": "network not blocked (unshare unavailable)",
}


def _facts(document: Document, configured: str) -> tuple[tuple[str, str], ...]:
    """The adapter and the settings of the run, line by line."""
    adapter, config = document["adapter"], document.get("config") or {}
    found = [("Adapter", "; ".join(_adapter(adapter, config, configured)))]
    if config:
        cuts = ", ".join(map(str, config["k"]))
        repeats = amount(config["repeats"], "run")
        settings = f"seed {config['seed']}; k {cuts}; {repeats}"
        if config.get("timeoutSeconds") is not None:
            settings += f"; query timeout {config['timeoutSeconds']:g} s"
        if config.get("threads") is not None:
            settings += f"; {amount(config['threads'], 'thread')}"
        found.append(("Settings", settings))
    if source := config.get("source"):
        found.append(("Run file", f"{source['name']}, sha256 {source['sha256'][:8]}…"))
    found.extend(_ran_in(adapter, config))
    return tuple(found)


_NAMESPACES: Final = {
    "all": "own user, mount, process and network namespaces",
    "network": "own network namespace alone",
    "none": "no namespaces (not permitted)",
}


def _ran_in(adapter: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What the adapter ran in and on, as far as it is recorded."""
    if adapter.get("backend"):
        yield "Built on", adapter["backend"]
    versions = [f"{name} {version}" for name, version in sorted((adapter.get("distributions") or {}).items())]
    if runs_in := adapter.get("interpreter"):
        named = " ".join(filter(None, (runs_in["name"], runs_in.get("version"))))
        versions.append(f"{named}, packages sha256 {runs_in['packages'][:8]}…")
    if versions:
        yield "Software", "; ".join(versions)
    if confinement := adapter.get("confinement"):
        user = "root" if confinement["root"] else "not root"
        keys = "key folders hidden" if confinement["keysHidden"] else "key folders not hidden"
        yield "Isolation", f"{_NAMESPACES[confinement['namespaces']]}; {user}; {keys}"
    if adapter.get("hosts"):
        yield "Hosts granted", ", ".join(adapter["hosts"])
    if config.get("assets"):
        yield (
            "Weights and mappings",
            "; ".join(f"{one['name']}, sha256 {one['sha256'][:8]}…" for one in config["assets"]),
        )


def _imported(document: Document) -> str:
    """The source of an imported fixture and the options; empty where it was not imported."""
    importer = (document.get("config") or {}).get("importer")
    if not importer:
        return ""
    options = [f"{name} {_said(value)}" for name, value in sorted(importer["options"].items())]
    return "; ".join([f"{importer['kind']} dataset, sha256 {importer['sha256'][:8]}…", *options])


def _adapter(adapter: Mapping[str, Any], config: Mapping[str, Any], configured: str) -> Iterator[str]:
    yield f"{adapter['name']} {adapter['version']}" + (f", {configured}" if configured else "")
    if config.get("isolation") == "process":
        yield "own process"
    if (access := adapter.get("networkAccess")) is not None:
        yield _NETWORK.get(access, f"network {access}")
    if adapter.get("author"):
        yield f"adapter author {adapter['author']}"


_LONGEST: Final = 120
"""Characters of an option's value on the page."""


def _said(value: str | float | bool | None) -> str:  # noqa: FBT001 - a recorded option, not a flag
    """An option's value in words."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


_ERRORS: Final = {
    "timeout": "timeout",
    "raised": "adapter error",
    "crashed": "adapter crashed",
    "protocol": "protocol error",
}
_FAULTS: Final = {
    "duplicates": "duplicate ids in a result list",
    "foreignIds": "ids outside the query's scope",
    "badScores": "scores outside [0, 1]",
    "overK": "result lists longer than k",
    "failed": "failed queries, scored 0",
    "timedOut": "timed-out queries, scored 0",
}


def _faults(document: Document) -> tuple[tuple[str, int], ...]:
    """Counts of contract violations by kind; for schema 0.0.1, the duplicates in its lists."""
    recorded = document.get("faults")
    if recorded is None:
        twice = sum(len(row["retrieved"]) - len(set(row["retrieved"])) for row in document["perQuery"])
        return ((_FAULTS["duplicates"], twice),) if twice else ()
    return tuple((words, recorded[key]) for key, words in _FAULTS.items() if recorded.get(key))


_TIMING: Final = (
    ("latency_p50_ms", "p50", "ms"),
    ("latency_p95_ms", "p95", "ms"),
    ("latency_p99_ms", "p99", "ms"),
    ("n", "n (queries timed)", ""),
    ("first_query_ms", "First query", "ms"),
    ("ingest_throughput_items_per_sec", "Ingest", "items/s"),
)


def _timing(document: Document) -> tuple[tuple[str, float | int, str], ...]:
    """Heading, value and unit of each recorded time; an external run has none."""
    if (document.get("config") or {}).get("source"):
        return ()
    timing = document.get("timing") or document["scores"]
    return tuple((words, timing[key], unit) for key, words, unit in _TIMING if timing.get(key) is not None)


_CAUTIONS: Final = {
    "low-n": "n < 20 timed queries: p95 is the maximum.",
    "unreliable-load": "Load average above the number of cores: times are unreliable.",
}


def _cautions(document: Document) -> tuple[str, ...]:
    """Cautions about the times."""
    flags = (document.get("timing") or {}).get("flags") or ()
    return tuple(_CAUTIONS.get(flag, flag) for flag in flags)
