"""A leaderboard composed of its receipts: the latest of each row, ranked, with baselines, words and the track's own detail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from benchsite.board.board import Board, Leaderboard
from benchsite.board.comparable import comparable, latest
from benchsite.board.compare import by_value, side_by_side
from benchsite.board.picture import picture
from benchsite.board.ranks import PairedTest, Vector, by_interval, by_test, compared, resolution, seed
from benchsite.board.rows import Ranking, Row, best_first
from benchsite.history import Header, History, LatestRow
from benchsite.receipt import Document
from benchsite.track import Bodies, Library


def board(
    about: Leaderboard,
    history: History,
    bodies: Bodies,
    library: Library,
    *,
    target: str,
    methodology: str,
    versions: Mapping[str, Sequence[Header]],
) -> Board:
    """Compose the board of receipts that share a target and a methodology version.

    Args:
        about: what the track says of its boards.
        history: where the newest receipt of each row is found.
        bodies: receipt bodies by id.
        library: what the board's words are drawn from.
        target: the id of what was run.
        methodology: the version.
        versions: every receipt of the target by version, ranked or not, in log order.
    """
    headers = comparable(about, history, bodies, versions.get(methodology, ()))
    versions = {**versions, methodology: headers}
    here, brought = latest(about, history, headers)
    read = _read(about, (*here, *brought), bodies)
    native, imported = read.rows[: len(here)], read.rows[len(here) :]
    baselines = sorted((row for row in native if row.baseline), key=about.place_of_baseline)
    ranking = _ranking(about, [row for row in native if not row.baseline], baselines, read.test)
    made = Board(
        about=about,
        history=history,
        library=library,
        target=target,
        methodology=methodology,
        bodies=bodies,
        versions=versions,
        newest=read.newest,
        test=read.test,
        ranked=ranking.ranked,
        baselines=ranking.baselines,
        tested=ranking.tested,
        imported=_ranking(about, imported, baselines, read.test) if imported else Ranking(),
    )
    if (about.items or about.compared) and not made.newer:
        every = by_value((*made.rows, *made.imported.ranked))
        drawn = picture(made, every, read.items, read.categories) if about.solved else None
        made = replace(made, side_by_side=side_by_side(made, read.items), picture=drawn)
    made = replace(made, detail=about.detail(made))
    return replace(
        made,
        title=about.title(made),
        lede=about.lede(made),
        sentence=about.sentence(made),
        explained=about.explained(made),
        resolution=_resolution(made),
    )


def _resolution(made: Board) -> str:
    """How many adjacent ranks are separable; of imported results if no other system is ranked."""
    tested = made.tested if made.ranked else made.imported.tested
    if made.about.compared is None or not tested:
        return ""
    return resolution(made.contenders, made.test, made.about.tasks)


class _Read(NamedTuple):
    """What a board takes from the bodies of its receipts.

    Attributes:
        items: receipt id to item id to value.
        categories: item id to category, as the first receipt has it.
        newest: the newest of these bodies.
    """

    rows: list[Row]
    items: Mapping[str, Vector]
    categories: Mapping[str, str]
    test: PairedTest
    newest: Document | None


def _read(about: Leaderboard, latest: Sequence[LatestRow], bodies: Bodies) -> _Read:
    """Read one body at a time."""
    last = max(latest, key=lambda row: row.header.index or 0, default=None)
    rows, newest = [], None
    vectors: dict[str, Vector] = {}
    items: dict[str, Vector] = {}
    categories: dict[str, str] = {}
    once: set[str] = set()
    for found in latest:
        document, name = bodies(found.header.receipt_id), found.header.receipt_id
        rows.append(_row(about, found, document))
        vectors[name] = about.compared(document) if about.compared is not None else {}
        items[name] = about.items(document) if about.items is not None else vectors[name]
        categories = {**about.categories(document), **categories} if about.solved else categories
        once |= {name} if about.once(document) else set()
        newest = document if found is last else newest
    drawn = seed(last.header) if last is not None else 0
    test = PairedTest(vectors, about.flips, about.level, drawn, frozenset(once))
    return _Read(rows, items, categories, test, newest)


def _ranking(about: Leaderboard, rows: Sequence[Row], baselines: Sequence[Row], test: PairedTest) -> Ranking:
    """Rows in their order with ranks, and the baselines as compared with them."""
    contenders = sorted(rows, key=best_first)
    if about.compared is None:
        return Ranking(by_interval(contenders), tuple(baselines))
    ranked, tested = by_test(contenders, test)
    if tested:
        ranked, baselines = compared(ranked, baselines, about.reference(baselines), test)
    return Ranking(ranked, tuple(baselines), tested)


def _row(about: Leaderboard, found: LatestRow, document: Document) -> Row:
    """The line of a receipt whose numbers may be quoted."""
    header = found.header
    assert header.summary is not None  # noqa: S101 - History.rows gives quotable headers only
    headline = header.summary.headline
    row = Row(
        header=header,
        runs=found.runs,
        value=headline.value,
        low=headline.low,
        high=headline.high,
        own={key: read(document) for key, read in about.own_fields.items()},
        besides=about.besides(document),
        estimates={one.key: one.read(document) for one in about.measures},
        facts=about.facts(document),
        machine=_machine(document),
        sent=about.sender(header),
        baseline=header.ranked
        and not header.sent_by
        and about.is_baseline(header.summary.subject.name, document),
    )
    return replace(row, cells=tuple((column.text(row), column.under(row)) for column in about.shown))


def _machine(document: Document) -> str:
    """Platform, processor and cores as a receipt states them; empty if it states none."""
    known = document.get("environment") or {}
    return " ".join(str(known[key]) for key in ("platform", "cpu", "cores") if known.get(key) is not None)
