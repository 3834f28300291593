"""The retrieval track's boards: one fixture under one methodology version (specs/retrieval.md, "Boards").

A board ranks by nDCG at the cut-off that its methodology names, so that one column never holds two; which receipts lack
it is said by `verification`. Floors are shown and not ranked; a floor that this site has not run is said to be "not run".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from benchsite import canonical
from benchsite.addresses import board_path
from benchsite.board import RUNS, Board, Column, Leaderboard, leaderboards
from benchsite.board.words import others, subject_words
from benchsite.history import History
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.track import Bodies, Library, Page
from benchsite.tracks.retrieval import TRACK
from benchsite.tracks.retrieval.engines import parameters
from benchsite.tracks.retrieval.figures import COLLAPSED, categories, item_word, no_width, saturation
from benchsite.tracks.retrieval.metrics import score
from benchsite.tracks.retrieval.scoring import Query
from benchsite.tracks.retrieval.verification import HEADLINE_K
from benchsite.words import counted, figure, number_word, sentence_case, whole

FLOORS: Final = ("bm25", "recency", "random")
AUTHOR: Final = "benchsite"
"""Who wrote the floors."""


def pages(history: History, bodies: Bodies, library: Library) -> Iterator[Page]:
    """The boards, and the texts of each fixture that may be shown, for the full table of a certificate."""
    for page in leaderboards(LEADERBOARD, history, bodies, library):
        yield page
        made: Board | None = page.context.get("board")
        if made is None or page.path != made.path:
            continue
        texts = library.fixture(made.target, made.sha256)
        if texts is not None:
            words = {query["id"]: query["query"] for query in texts["queries"]}
            yield Page(path=texts_path(made.target), data=canonical.dumps(words))


def texts_path(fixture: str) -> str:
    """Where the texts of a fixture's questions are served."""
    return f"{board_path(TRACK.name, fixture)}queries.json"


def _detail(made: Board, k: int) -> Mapping[str, Any]:
    """What the template says of the fixture and its categories; `collapsed` where some interval has no width."""
    fixture = made.library.fixture(made.target, made.sha256) or {}
    body = made.newest or {"fixture": {}}
    item, recorded = item_word(body), body["fixture"]
    parts = [part for row in made.rows for part in row.besides]
    drawn = {part.name for part in parts if part.value is not None}
    ends = [(one.low, one.high) for one in (*made.rows, *parts)]
    return {
        "k": k,
        "item": item,
        "counts": recorded,
        "saturation": saturation(recorded, k, item),
        "description": str(fixture.get("description", "")),
        "license": str(fixture.get("license", "")),
        "categories": sorted(drawn),
        "not_drawn": sorted({part.name for part in parts} - drawn),
        "collapsed": COLLAPSED if any(no_width(low, high) for low, high in ends) else "",
    }


def per_query(document: Document, k: int) -> Mapping[str, float]:
    """nDCG@k of every scored query; empty where the receipt does not record what was expected."""
    rows = document["perQuery"]
    if any("expected" not in row for row in rows):
        return {}
    asked = [(row["queryId"], Query.from_row(row)) for row in rows]
    values = score((query for _, query in asked), (k,)).per_query("ndcg", k)
    names = [name for name, query in asked if query.answerable and query.ideal]
    return dict(zip(names, values, strict=True))


def is_floor(document: Document) -> bool:
    """Whether it is a built-in reference adapter: by name and author, so that a namesake is a system like others."""
    adapter = document["adapter"]
    return adapter["name"] in FLOORS and adapter.get("author") == AUTHOR


def readable(fixture: str, item: str) -> str:
    """A fixture's id as a title says it: `three-notebooks-v1` as words; `locomo-10-turn` as the name `locomo-10`."""
    bare = re.sub(r"-v[0-9]+$", "", fixture).removesuffix(f"-{item}")
    return bare if any(char.isdigit() for char in bare) else bare.replace("-", " ")


def lede(made: Board) -> str:
    """The board in three plain sentences, computed from its rows."""
    if not made.rows:
        return "No receipt on this fixture can be ranked; those that exist are listed below with the reasons."
    asked = next((row.own["asked"] for row in made.rows if row.own["asked"] is not None), None)
    systems = [subject_words(made.about, made.ranked)] if made.ranked else []
    floors = [counted(len(made.floors), "floor")] if made.floors else []
    questions = f"{asked:,} questions" if asked is not None else "its questions"
    said = [f"{sentence_case(' and '.join(systems + floors))} answered {questions}."]
    said.extend(_leader_sentence(made))
    if any(row.tied for row in made.ranked):
        said.append("Rows joined by a bar cannot be told apart by a paired test at 95 %.")
    return " ".join(said)


def _leader_sentence(made: Board) -> Iterator[str]:
    if not made.leaders or made.leaders[0].own["success"] is None:
        return
    first = made.leaders[0]
    who = "The leader"
    if len(made.leaders) > 1:
        who = f"{sentence_case(subject_words(made.about, made.leaders))} share the lead; the first"
    if len(made.ranked) == 1:
        who = first.title
    elif first.sent:
        who = f"{who}, {first.title},"
    yield (
        f"{who} found a right {made.detail['item']} among its first {number_word(made.detail['k'])} answers for "
        f"{round(first.own['success'] * 100)} of 100 questions."
    )
    yield _floor_sentence(made, "it")


def _floor_sentence(made: Board, who: str, at: str = "") -> str:
    """Whether the leader, or the first of the leaders, clears the bm25 floor; `at` follows the floor's name."""
    if made.floor is None:
        return "The bm25 floor was not run."
    floor = f"the bm25 floor{at}"
    if made.standing is None:
        return f"No paired test against {floor} could be made."
    if made.standing == "level":
        return f"A paired test cannot tell {who} from {floor}."
    return f"{sentence_case(who)} is {made.standing} {floor}, by a paired test at 95 %."


def _sentence(made: Board) -> str:
    if not made.leaders:
        return f"{counted(len(made.floors), 'floor')} measured, nothing ranked above them."
    first, behind = made.leaders[0], made.ranked[len(made.leaders) :]
    if behind:
        ahead = f"Ahead of {others(made.about, made.leaders, behind)}."
    elif len(made.ranked) == 1:
        ahead = "The only system ranked so far."
    else:
        ahead = "A paired test cannot tell them apart."
    who = "it" if len(made.leaders) == 1 else "the first"
    said = [ahead, _floor_sentence(made, who, "" if made.floor is None else f" at {made.floor:.3f}")]
    if no_width(first.low, first.high):
        said.append("All questions scored the same, so its interval has no width.")
    return " ".join(said)


def _under(methodology: Methodology) -> Leaderboard:
    """By nDCG at the cut-off of a methodology, with its paired test; the seed's names neither."""
    if methodology.engine != "retrieval/1":
        return LEADERBOARD
    known = parameters(methodology)
    return replace(_at(known.headline_k), flips=known.flips, level=known.level)


def _at(k: int) -> Leaderboard:
    """What is ranked, by nDCG at a cut-off."""
    success = f"success_at_{k}"
    return Leaderboard(
        track=TRACK,
        headline=f"ndcg_at_{k}",
        target="fixture",
        tasks="questions",
        description="Which memory and retrieval systems find what was asked for, a board a set of questions.",
        opening=(
            "Given a question, does a memory or retrieval system find the right passages? A board is one set of questions "
            "under one version of the rules."
        ),
        fields={
            "success": lambda document: document["scores"].get(success),
            "found": lambda document: (document["denominators"].get(success) or {}).get("num"),
            "asked": lambda document: (document["denominators"].get(success) or {}).get("den"),
        },
        columns=(
            Column(f"success@{k}", lambda row: figure(row.own["success"])),
            Column("found / asked", lambda row: f"{whole(row.own['found'])} / {whole(row.own['asked'])}"),
            RUNS,
        ),
        under=_under,
        compared=lambda document: per_query(document, k),
        floors=FLOORS,
        is_floor=is_floor,
        besides=lambda document: categories(document, f"ndcg_at_{k}", k),
        detail=lambda made: _detail(made, k),
        template="retrieval/board.html.j2",
        title=lambda made: (
            f"Finding the right {made.detail['item']} in {readable(made.target, made.detail['item'])}"
        ),
        lede=lede,
        sentence=_sentence,
        explained=lambda _made: (
            "The dotted line is the bm25 floor, a plain comparison of words that a system should beat. "
            f"nDCG@{k} is 1 when the right passages stand at the very top of the first {number_word(k)} answers, less the lower "
            "they stand, and 0 when none is among them."
        ),
        tie="tie",
        empty="A board appears with the first receipt on a fixture.",
        begin=(
            "benchsite fixture list\nbenchsite run retrieval --adapter sqlite-fts5 --fixture FIXTURE\nbenchsite publish"
        ),
        idle="not run",
    )


LEADERBOARD: Final = _at(HEADLINE_K)
