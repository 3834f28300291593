"""The certificate, which is what a retrieval receipt's page says: numbers, denominators, plain words, and what came back for each query.

A function of the receipt, its status record and the content-addressed documents it names; no other receipt has
a part in it. Reads both schemas: 1.0.0, and 0.0.1 with its fewer fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from benchsite.board.receipt import View, board_of, methodology_of, page
from benchsite.history import Header
from benchsite.receipt import Document
from benchsite.track import Library, Page
from benchsite.tracks.retrieval import TRACK
from benchsite.tracks.retrieval.board import LEADERBOARD, texts_path
from benchsite.tracks.retrieval.figures import (
    COLLAPSED,
    Category,
    categories,
    cut_of,
    item_word,
    largest_cut,
    no_width,
    numbers,
    saturation,
)
from benchsite.words import amount, number_word

SHOWN_QUERIES: Final = 25
LONGEST_TEXT: Final = 110


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one query; `text` is empty where it may not or cannot be shown."""

    query_id: str
    text: str
    category: str
    expected: tuple[str, ...]
    more_expected: int
    rank: int | None
    scored: bool
    silent: bool
    error: str
    latency_ms: float | None

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """Question, expected ids, place of the first right answer, milliseconds: as the table shows them."""
        text = self.text if len(self.text) <= LONGEST_TEXT else f"{self.text[: LONGEST_TEXT - 1]}…"
        more = f" +{self.more_expected}" if self.more_expected else ""
        return (
            text or self.query_id,
            (", ".join(self.expected) or "–") + more,
            self.outcome,
            "–" if self.latency_ms is None else f"{self.latency_ms:.1f}",
        )

    @property
    def outcome(self) -> str:
        """The rank of the first right answer, or one word for why there is none."""
        if self.error:
            return self.error
        if self.rank is not None:
            return str(self.rank)
        if self.scored:
            return "missed"
        return "silent" if self.silent else "apart"


@dataclass(frozen=True, kw_only=True)
class Certificate(View):
    """Everything the template prints that is not the envelope's.

    Attributes:
        k: the headline's cut-off.
        texts: where the questions' texts are served, empty where they may not or cannot be shown.
    """

    item: str
    k: int
    categories: tuple[Category, ...]
    answers: tuple[Answer, ...]
    total_answers: int
    texts: str
    saturation: str
    collapsed: str
    facts: tuple[tuple[str, str], ...]
    imported: str
    faults: tuple[tuple[str, int], ...]
    speeds: tuple[tuple[str, float | None, str], ...]
    cautions: tuple[str, ...]


def receipt_page(header: Header, document: Document, library: Library) -> Page:
    """The page of a receipt whose numbers may be quoted."""
    view = certificate(header, document, library)
    return page(LEADERBOARD, header, document, view, "retrieval/receipt.html.j2")


def certificate(header: Header, document: Document, library: Library) -> Certificate:
    """Read a receipt's body into what its page says; `header.summary` must be present."""
    if header.summary is None:
        raise ValueError(f"receipt {header.receipt_id} may not be quoted")
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
        sentence=_sentence(document, item, k),
        newer=library.newer(header.track, header.methodology),
        item=item,
        k=k,
        numbers=lines,
        categories=parts,
        answers=_answers(rows, fixture),
        total_answers=len(rows),
        texts=texts_path(target) if fixture is not None else "",
        board=board_of(LEADERBOARD, header),
        here=fixture is not None,
        saturation=saturation(document["fixture"], k, item),
        collapsed=COLLAPSED if flat else "",
        facts=_facts(document, header.summary.subject.label),
        imported=_imported(document),
        faults=_faults(document),
        speeds=_speeds(document),
        cautions=_cautions(document),
    )


def _sentence(document: Document, item: str, k: int) -> str:
    """One plain sentence with counts, and what was left out or went wrong."""
    counted = document.get("denominators", {}).get(f"success_at_{k}") or {}
    rows = document["perQuery"]
    if "num" not in counted:
        hits = sum(1 for row in rows if row["hit"])  # `hit` is at the largest cut-off
        k = largest_cut(document["scores"])
        return (
            f"It says that it found a right {item} among its first {number_word(k)} answers for {hits:,} of "
            f"{len(rows):,} questions."
        )
    said = (
        f"It found a right {item} among its first {number_word(k)} answers for {counted['num']:,} of "
        f"{counted['den']:,} questions."
    )
    failed = sum(1 for row in rows if row.get("error") is not None)
    parts = [_left_out(rows, counted.get("excluded") or 0)]
    parts.append(f"{failed:,} failed and count as not found" if failed else "none failed")
    rest = "; ".join(part for part in parts if part)
    return f"{said} {rest[:1].upper()}{rest[1:]}."


def _left_out(rows: Sequence[Mapping[str, Any]], excluded: int) -> str:
    """How many questions no measure counts, and why: no answer exists, or nothing says where it stands."""
    if not excluded:
        return ""
    without_answer = sum(1 for row in rows if not row["answerable"])
    without_evidence = sum(
        1 for row in rows if row["answerable"] and not any(one["grade"] >= 1 for one in row["expected"])
    )
    said = f"{amount(excluded, 'question')} {'was' if excluded == 1 else 'were'} left out"
    if without_answer + without_evidence != excluded:
        return said  # the rows tell another story; the re-score says so
    no_answer = "no answer among the items"
    no_evidence = "no usable evidence"
    if not without_evidence:
        return f"{said}, having {no_answer}"
    if not without_answer:
        return f"{said}, having {no_evidence}"
    return (
        f"{said}: {without_answer:,} {_have(without_answer)} {no_answer}, "
        f"{without_evidence:,} {_have(without_evidence)} {no_evidence}"
    )


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def _answers(rows: Sequence[Mapping[str, Any]], fixture: Mapping[str, Any] | None) -> tuple[Answer, ...]:
    """The first queries, in the fixture's order where it is at hand."""
    ordered: Iterable[tuple[Mapping[str, Any], str]] = (
        ((row, "") for row in rows) if fixture is None else _in_order(rows, fixture["queries"])
    )
    return tuple(_answer(row, text) for row, text in islice(ordered, SHOWN_QUERIES))


def _in_order(
    rows: Sequence[Mapping[str, Any]], queries: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Rows with their texts as the fixture orders them, lazily; rows it does not know come last."""
    waiting: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        waiting.setdefault(row["queryId"], []).append(row)
    for query in queries:
        for row in waiting.pop(query["id"], ()):
            yield row, query["query"]
    for left in waiting.values():
        for row in left:
            yield row, ""


def _answer(row: Mapping[str, Any], text: str) -> Answer:
    expected = [entry["id"] for entry in row.get("expected", ()) if entry["grade"] >= 1]
    return Answer(
        query_id=row["queryId"],
        text=text,
        category=row.get("category") or "",
        expected=tuple(expected[:2]),
        more_expected=max(0, len(expected) - 2),
        rank=row["rank"],
        scored="expected" not in row or bool(expected),
        silent=not row["retrieved"],
        error=_ERRORS.get(row.get("error") or "", ""),
        latency_ms=row.get("latencyMs"),
    )


_NETWORK: Final = {
    "off": "network off",
    "allowed": "network allowed",
    "not blocked": "network not blocked, because this machine could not cut it off",
}


def _facts(document: Document, configured: str) -> tuple[tuple[str, str], ...]:
    """The adapter and how it was asked, line by line."""
    adapter, config = document["adapter"], document.get("config") or {}
    found = [("Adapter", "; ".join(_adapter(adapter, config, configured)))]
    if config:
        cuts = ", ".join(map(str, config["k"]))
        repeats = "one run" if config["repeats"] == 1 else f"{config['repeats']:,} runs"
        settings = f"seed {config['seed']}; k {cuts}; {repeats}"
        if config.get("timeoutSeconds") is not None:
            settings += f"; at most {config['timeoutSeconds']:g} s a question"
        found.append(("Settings", settings))
    return tuple(found)


def _imported(document: Document) -> str:
    """What the fixture was made from, and how; empty where it was not imported."""
    importer = (document.get("config") or {}).get("importer")
    if not importer:
        return ""
    options = [f"{name} {_said(value)}" for name, value in sorted(importer["options"].items())]
    return "; ".join([f"{importer['kind']} data, sha256 {importer['sha256'][:8]}…", *options])


def _adapter(adapter: Mapping[str, Any], config: Mapping[str, Any], configured: str) -> Iterator[str]:
    yield f"{adapter['name']} {adapter['version']}" + (f", {configured}" if configured else "")
    if config.get("isolation") == "process":
        yield "own process"
    if (access := adapter.get("networkAccess")) is not None:
        yield _NETWORK.get(access, f"network {access}")
    if adapter.get("author"):
        yield f"adapter written by {adapter['author']}"


def _said(value: str | float | bool | None) -> str:  # noqa: FBT001 - a recorded option, not a flag
    """An option's value in words."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


_ERRORS: Final = {
    "timeout": "no answer in time",
    "raised": "raised an error",
    "crashed": "crashed",
    "protocol": "broke the protocol",
}
_FAULTS: Final = {
    "duplicates": "the same id more than once in one answer",
    "foreignIds": "ids from outside the question's scope",
    "badScores": "scores outside 0 to 1",
    "overK": "more answers than asked for",
    "failed": "questions that failed and count as not found",
    "timedOut": "questions that ran out of time and count as not found",
}


def _faults(document: Document) -> tuple[tuple[str, int], ...]:
    """How often the adapter broke its contract, in words; schema 0.0.1 counted only by what it recorded."""
    recorded = document.get("faults")
    if recorded is None:
        twice = sum(len(row["retrieved"]) - len(set(row["retrieved"])) for row in document["perQuery"])
        return ((_FAULTS["duplicates"], twice),) if twice else ()
    return tuple((words, recorded[key]) for key, words in _FAULTS.items() if recorded.get(key))


_SPEEDS: Final = (
    ("latency_p50_ms", "half of the questions within", "ms"),
    ("latency_p95_ms", "19 of 20 within", "ms"),
    ("latency_p99_ms", "99 of 100 within", "ms"),
    ("ingest_throughput_items_per_sec", "items taken in a second", ""),
)


def _speeds(document: Document) -> tuple[tuple[str, float | None, str], ...]:
    timing = document.get("timing") or document["scores"]
    return tuple((words, timing[key], unit) for key, words, unit in _SPEEDS if timing.get(key) is not None)


_CAUTIONS: Final = {
    "low-n": "Fewer than 20 questions were timed, so the slowest of them decides the second figure.",
    "unreliable-load": "The machine was busy with other work, so these times are unreliable.",
}


def _cautions(document: Document) -> tuple[str, ...]:
    """What to hold against the times, in words."""
    flags = (document.get("timing") or {}).get("flags") or ()
    return tuple(_CAUTIONS.get(flag, flag) for flag in flags)
