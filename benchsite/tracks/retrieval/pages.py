"""The retrieval track's pages: certificates, boards, their data files, and the list of boards.

Pure: from the verified history and receipt bodies to paths, templates and contexts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchsite import canonical
from benchsite.addresses import board_path, is_slug, receipt_page_path
from benchsite.history import Header, History, Outcome
from benchsite.methodology import newest, version_key
from benchsite.receipt import Document
from benchsite.tabular import csv_bytes
from benchsite.track import Bodies, Library, Page
from benchsite.tracks.retrieval.board import Board, board
from benchsite.tracks.retrieval.board_words import category_names, system_words, variants
from benchsite.tracks.retrieval.certificate import certificate, texts_path
from benchsite.tracks.retrieval.figures import COLLAPSED, no_width
from benchsite.tracks.retrieval.row import Row
from benchsite.words import counted, number_word

TRACK: Final = "retrieval"

OUTCOMES: Final[Mapping[Outcome | None, str]] = {
    "identical": "the same numbers, byte for byte",
    "differs": "other numbers",
    "other source": "made from another source of the system, so it proves nothing here",
    None: "it does not count: what it names is no earlier run of the same, or it is not in good order itself",
}
"""What is said of a receipt that names another one as repeated."""


def receipt_page(header: Header, document: Document, library: Library) -> Page:
    """The certificate of a receipt whose numbers may be quoted."""
    view = certificate(header, document, library)
    assert header.summary is not None  # noqa: S101 - certificate() has refused otherwise
    summary = header.summary
    return Page(
        path=receipt_page_path(header.receipt_id),
        title=f"{summary.subject.name} on {summary.target}",
        description=f"{view.headline}: {_figure(view.value)}. {view.sentence}",
        template="retrieval/receipt.html.j2",
        context={
            "header": header,
            "document": document,
            "view": view,
            "fixture_here": bool(view.texts),
            "outcomes": OUTCOMES,
        },
    )


def pages(history: History, bodies: Bodies, library: Library) -> Iterator[Page]:
    """The list of boards, each board under its newest version and frozen under every version, and their data.

    A receipt of schema 0.0.1 may call its fixture anything: what cannot be part of a path has no board.
    """
    by_fixture: dict[str, dict[str, list[Header]]] = defaultdict(lambda: defaultdict(list))
    for header in history.of(TRACK):
        if header.summary is not None and is_slug(header.summary.target):
            by_fixture[header.summary.target][header.methodology].append(header)
    current: list[Board] = []
    for fixture in sorted(by_fixture):
        versions = by_fixture[fixture]
        latest = newest(versions)
        target: tuple[str, str] = ("", "")
        for version in sorted(versions, key=version_key):
            newer = latest if version != latest else ""
            made = board(history, versions[version], bodies, library, methodology=version, newer=newer)
            others = [
                (other, board_path(TRACK, fixture, other))
                for other in sorted(versions, key=version_key, reverse=True)
                if other != version
            ]
            yield _board_page(made, made.frozen_path, others)
            if version == latest:
                current.append(made)
                yield _board_page(made, made.path, others)
                yield from _data(made, _stem(made.path))
            yield from _data(made, _stem(made.frozen_path))
            target = made.fixture, made.fixture_sha256
        texts = library.fixture(*target)
        if texts is not None:
            yield Page(path=texts_path(fixture), data=_texts(texts))
    yield Page(
        path="retrieval/",
        title="Retrieval boards",
        description="Which memory and retrieval systems find what was asked for, a board a set of questions.",
        template="retrieval/boards.html.j2",
        context={
            "boards": [(made, _leader_words(made.leaders)) for made in current],
            "elsewhere": [
                item
                for item in history.unreported
                if item.track == TRACK and item.methodology not in by_fixture.get(item.target, {})
            ],
        },
    )


def _board_page(made: Board, path: str, others: Sequence[tuple[str, str]]) -> Page:
    frozen = path == made.frozen_path
    drawn, not_drawn = category_names(made.rows)
    context: dict[str, Any] = {
        "board": made,
        "frozen": frozen,
        "others": others,
        "lede": lede(made),
        "category_names": drawn,
        "not_drawn": not_drawn,
        "data": _stem(path),
        "collapsed": COLLAPSED if made.collapsed else "",
        "outcomes": OUTCOMES,
    }
    if not frozen:
        context["teaser"] = teaser(made)
    return Page(
        path=path,
        title=f"{made.title}, methodology {made.methodology}" if frozen else made.title,
        description=context["lede"],
        template="retrieval/board.html.j2",
        context=context,
    )


def lede(made: Board) -> str:
    """The board in three plain sentences, computed from its rows."""
    systems, floors = len(made.ranked), len(made.floors)
    if not systems and not floors:
        return "No receipt on this fixture can be ranked; those that exist are listed below with the reasons."
    asked = next((row.asked for row in made.rows if row.asked is not None), None)
    who = " and ".join(
        part
        for part in (
            system_words(made.ranked) if systems else "",
            counted(floors, "floor") if floors else "",
        )
        if part
    )
    questions = f"{asked:,} questions" if asked is not None else "its questions"
    said = [f"{who[:1].upper()}{who[1:]} answered {questions}."]
    said.extend(_leader_sentence(made))
    if any(row.tied for row in made.ranked):
        said.append("Rows joined by a bar cannot be told apart by a paired test at 95 %.")
    return " ".join(said)


def _leader_sentence(made: Board) -> Iterator[str]:
    if not made.leaders or not made.tested:
        return
    first = made.leaders[0]
    if first.success is None:
        return
    who = (
        "The leader" if len(made.leaders) == 1 else f"{system_words(made.leaders)} share the lead; the first"
    )
    if len(made.ranked) == 1:
        who = first.title
    elif first.sent_by:
        who = f"{who}, {first.title},"
    yield (
        f"{who[:1].upper() if who != first.title else who[:1]}{who[1:]} found a right {made.item} among its first "
        f"{number_word(made.k)} answers for {round(first.success * 100)} of 100 questions."
    )
    yield _floor_sentence(made, "it")


def _floor_sentence(made: Board, who: str, figure: str = "") -> str:
    """Whether the leader, or the first of the leaders, clears the bm25 floor; `figure` follows the floor's name."""
    if made.floor is None:
        return "The bm25 floor was not run."
    floor = f"the bm25 floor{figure}"
    if made.standing is None:
        return f"No paired test against {floor} could be made."
    if made.standing == "level":
        return f"A paired test cannot tell {who} from {floor}."
    return f"{who[:1].upper()}{who[1:]} is {made.standing} {floor}, by a paired test at 95 %."


@dataclass(frozen=True, slots=True)
class Teaser:
    """What the front page quotes of a board: leader or tie group, figure, interval, one sentence.

    `held` and `floor` are what the scale of its drawing must hold; `receipt` is the first leader's, or empty.
    `explained` says what the measure and the drawing mean.
    """

    kicker: str
    path: str
    receipt: str
    leader: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    held: Sequence[float]
    floor: float | None
    sentence: str
    explained: str = (
        "The dotted line is the bm25 floor, a plain comparison of words that a system should beat. nDCG@10 is 1 when the "
        "right passages stand at the very top of the first ten answers, less the lower they stand, and 0 when none is "
        "among them."
    )


def teaser(made: Board) -> Teaser:
    """A board as the front page quotes it."""
    leaders = made.leaders if made.tested else ()
    first = leaders[0] if leaders else None
    return Teaser(
        kicker=f"Retrieval · {made.fixture}",
        path=made.path,
        receipt=first.header.receipt_id if first else "",
        leader=_leader_words(leaders) if leaders else "no system ranked yet",
        metric=made.metric,
        value=first.value if first else None,
        low=first.low if first else None,
        high=first.high if first else None,
        held=made.values,
        floor=made.floor,
        sentence=_teaser_sentence(made, first),
    )


def _leader_words(rows: Sequence[Row]) -> str:
    different = list(dict.fromkeys(row.title for row in rows))
    if len(rows) < 2:
        return "".join(different)
    if len(different) == 1:
        return f"{different[0]}, {number_word(len(rows))} {variants(rows)} tie"
    if len(different) == 2:
        return f"{different[0]} and {different[1]} tie"
    return f"{different[0]} and {number_word(len(different) - 1)} others tie"


def _teaser_sentence(made: Board, first: Row | None) -> str:
    if first is None:
        return f"{counted(len(made.floors), 'floor')} measured, nothing ranked above them."
    behind = made.ranked[len(made.leaders) :]
    if behind:
        ahead = f"Ahead of {_others(made.leaders, behind)}."
    elif len(made.ranked) == 1:
        ahead = "The only system ranked so far."
    else:
        ahead = "A paired test cannot tell them apart."
    who = "it" if len(made.leaders) == 1 else "the first"
    figure = "" if made.floor is None else f" at {made.floor:.3f}"
    said = [ahead, _floor_sentence(made, who, figure)]
    if no_width(first.low, first.high):
        said.append("All questions scored the same, so its interval has no width.")
    return " ".join(said)


def _others(leaders: Sequence[Row], behind: Sequence[Row]) -> str:
    """The rows below the leaders: `two others`, or `one other configuration` of a system that leads."""
    names = {row.name for row in behind}
    ahead = {row.name for row in leaders}
    if names <= ahead:
        kind = variants((*leaders, *behind))
        return f"{number_word(len(behind))} other {kind if len(behind) > 1 else _singular(kind)}"
    if len(names) == len(behind) and not names & ahead:
        return counted(len(behind), "other")
    return system_words(behind)


def _singular(kind: str) -> str:
    return " or ".join(word.removesuffix("s") for word in kind.split(" or "))


def _stem(path: str) -> str:
    """Where the data of a board's page stand, without their ending."""
    return f"api/v1/{path.rstrip('/')}"


def _data(made: Board, stem: str) -> Iterator[Page]:
    """The board as JSON and CSV, numbers in full."""
    records = [_record(row, made.metric, rank=True) for row in made.ranked] + [
        _record(row, made.metric, rank=False) for row in made.floors
    ]
    value: dict[str, Any] = {
        "v": 1,
        "track": TRACK,
        "fixture": {"id": made.fixture, "sha256": made.fixture_sha256},
        "methodology": made.methodology,
        "metric": made.metric,
        "rows": records,
        "notRun": list(made.missing_floors),
        "notRanked": [
            {"receiptId": header.receipt_id, "reasons": list(header.unranked)} for header in made.unranked
        ],
        "reproductions": [
            {
                "receiptId": header.receipt_id,
                "reproduces": header.reproduces,
                "outcome": header.reproduction,
                "ranBy": header.ran_by,
            }
            for header in made.reproductions
        ],
        "unreported": [
            {
                "intentId": item.intent_id,
                "index": item.index,
                "subject": item.subject or None,
                "subjectSha256": item.subject_sha256,
            }
            for item in made.unreported
        ],
    }
    yield Page(path=f"{stem}.json", data=canonical.dumps(value))
    yield Page(path=f"{stem}.csv", data=csv_bytes(_COLUMNS, records))


_COLUMNS: Final = (
    "rankFirst",
    "rankLast",
    "floor",
    "subject",
    "version",
    "label",
    "metric",
    "value",
    "low",
    "high",
    "success",
    "found",
    "asked",
    "runs",
    "announced",
    "ranBy",
    "verdict",
    "receiptId",
)


def _record(row: Row, metric: str, *, rank: bool) -> dict[str, Any]:
    assert row.header.summary is not None  # noqa: S101 - rows come from quotable headers only
    subject = row.header.summary.subject
    values = (
        row.first if rank else None,
        row.last if rank else None,
        row.floor,
        subject.name,
        subject.version,
        subject.label,
        metric,
        row.value,
        row.low,
        row.high,
        row.success,
        row.found,
        row.asked,
        row.runs,
        row.header.registered,
        row.header.ran_by,
        str(row.header.verdict),
        row.header.receipt_id,
    )
    return dict(zip(_COLUMNS, values, strict=True))


def _texts(fixture: Mapping[str, Any]) -> bytes:
    """Query id to text, for the full table of a certificate."""
    return canonical.dumps({query["id"]: query["query"] for query in fixture["queries"]})


def _figure(value: float | None) -> str:
    return "blank" if value is None else f"{value:.3f}"
