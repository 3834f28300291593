"""What a system's page says: where it leads and what that is worth, its facts, every receipt with what became of it, its ties."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from benchsite.addresses import comparison_path
from benchsite.board import Past, Result, Row, Subject
from benchsite.board.pages import OUTCOMES
from benchsite.board.past import State
from benchsite.history import Header, Verdict
from benchsite.words import amount, p_value, sentence_case, shortened

NAMED: Final = 2
"""Leaderboards that a sentence names; of more it says how many."""

SHOWN: Final = 4
"""Leaderboards with a tie, and rows of each."""

_STATES: Final[dict[State, str]] = {
    "current": "current",
    "archived": "under an older methodology",
    "older": "replaced by a later run",
    "superseded": "superseded",
    "retracted": "retracted",
    "reproduction": "reproduction",
    "unranked": "not ranked",
}
_COUNTED: Final = {"reproduction": "reproductions"}


class Fact(NamedTuple):
    """A figure of the strip: its name, what it is, and the small line below."""

    name: str
    value: str
    note: str = ""


class Line(NamedTuple):
    """An entry of the log about a subject: a receipt with what became of it, or a run without one (`header` is None)."""

    entry: int | None
    track: str
    target: str
    header: Header | None
    state: str
    note: str


class Tied(NamedTuple):
    """Rows tied with a result, each with the p-value of the paired test where it is known, and the page that compares them."""

    result: Result
    rows: tuple[tuple[Row, str], ...]
    more: int
    comparison: str


def summary(subject: Subject) -> str:
    """Say where it leads and whether it beats the baseline: `Among the tied leaders on 2 of 3 leaderboards; not …`."""
    ranked = [one for one in subject.results if not one.row.baseline]
    if not ranked:
        counted = amount(len(subject.headers), "receipt")
        beside = {one.board.path for one in subject.results}
        if not beside:
            return f"No current result; {counted}."
        return f"A baseline on {amount(len(beside), 'leaderboard')}, never ranked; {counted}."
    boards = list(dict.fromkeys(one.board.path for one in ranked))
    first = {one.board.path for one in ranked if one.row.first == 1}
    alone = {one.board.path for one in ranked if one.row.first == one.row.last == 1}
    where = amount(len(boards), "leaderboard")
    lead = "Tied for first" if not alone else "First" if alone == first else "First or tied for first"
    said = (
        f"{lead} on {len(first)} of {where}"
        if first
        else f"Not first on {where if len(boards) > 1 else 'its leaderboard'}"
    )
    if len(ranked) > len(boards):
        said = f"By its best configuration: {said[0].lower()}{said[1:]}"
    return "; ".join([said, *_against_baselines(ranked)]) + "."


def _against_baselines(results: Sequence[Result]) -> Iterator[str]:
    """Where the best row of the subject isn't significantly better than the reference baseline."""
    best: dict[str, Result] = {}
    for one in results:
        best.setdefault(one.board.path, one)
    tested = [(one, test) for one in best.values() if (test := one.row.to_baseline) is not None]
    plain = [one for one, test in tested if test.tied]
    worse = [one for one, test in tested if not test.tied and test.delta < 0]
    for said, found in (("not significantly better than", plain), ("significantly worse than", worse)):
        if found:
            names = {reference_label(one) for one in found}
            what = names.pop() if len(names) == 1 else "the baseline"
            targets = " and ".join(shortened(one.board.target, 60) for one in found)
            where = targets if len(found) <= NAMED else amount(len(found), "leaderboard")
            yield f"{said} {what} on {where}"


def reference_label(result: Result) -> str:
    """The reference baseline of a result's leaderboard: `the BM25 baseline`."""
    row = result.board.about.reference(result.board.baselines) if result.board.baselines else None
    return f"the {result.board.about.label(row)}" if row is not None else "the baseline"


def facts(subject: Subject, past: Past) -> list[Fact]:
    """The strip below the title."""
    summaries = [one.summary for one in subject.headers if one.summary is not None]
    versions = list(dict.fromkeys(one.subject.version for one in summaries))
    labels = list(dict.fromkeys(one.subject.label or "default" for one in summaries))
    states = Counter(past.state(one) for one in subject.headers)
    current = [one for one in subject.headers if past.state(one) == "current"]
    found = [
        Fact(
            "Versions measured",
            shortened(versions[-1], 24),
            "" if len(versions) < 2 else f"newest of {len(versions)}",
        ),
        Fact(
            "Configurations",
            str(len(labels)),
            shortened(", ".join(labels), 80) if labels != ["default"] else "",
        ),
        Fact(
            "Receipts",
            f"{len(subject.headers):,}",
            ", ".join(_counted(state, n) for state, n in states.items()),
        ),
    ]
    if current:
        copies = [one.reproduced_by for one in current if one.reproduced_by]
        outcomes = sorted({OUTCOMES[copy.outcome].partition(":")[0] for of_one in copies for copy in of_one})
        found.append(Fact("Reproduced", f"{len(copies)} of {len(current)}", ", ".join(outcomes)))
    return [*found, Fact("Run by", *_runners(subject.headers))]


def _counted(state: State, count: int) -> str:
    word = _STATES[state]
    return f"{count:,} {_COUNTED.get(word, word) if count > 1 else word}"


def _runners(headers: Sequence[Header]) -> tuple[str, str]:
    """Return who ran the receipts (this site, a number of submitters, imports), and the submitters' names."""
    sent = {one.sent_by for one in headers if one.sent_by}
    kinds = []
    if any(not one.sent_by and not _is_import(one) for one in headers):
        kinds.append("this site")
    if sent:
        kinds.append(amount(len(sent), "submitter"))
    if any(_is_import(one) for one in headers):
        kinds.append("imported")
    names = shortened(", ".join(sorted(sent)), 80)
    return sentence_case(", ".join(kinds)) if kinds[0] != "this site" else ", ".join(kinds), names


def _is_import(header: Header) -> bool:
    return any(reason.startswith("origin ") for reason in header.unranked)


def lines(subject: Subject, past: Past) -> list[Line]:
    """Every receipt and every pre-registered run without one, the newest log entry first."""
    found = [
        Line(
            one.index,
            one.track,
            one.summary.target if one.summary else "",
            one,
            _word(one, past),
            _note(one, past),
        )
        for one in subject.headers
    ]
    names = set(subject.names)
    found += [
        Line(
            one.index,
            one.track,
            one.target,
            None,
            "overdue" if one.overdue else "no receipt",
            _due(one.due_by, one.due),
        )
        for one in past.history.unreported
        if (one.track, one.subject) in names
    ]
    found += [
        Line(at, entry.track, entry.target, None, "declined", f"not measured: {entry.reason}")
        for at, entry in past.history.declined
        if (entry.track, entry.subject) in names
    ]
    return sorted(found, key=lambda line: -1 if line.entry is None else line.entry, reverse=True)


def _due(due_by: str, due: str) -> str:
    return f"pre-registered, no receipt; due by {due}" if due_by else "pre-registered, no receipt"


def _word(header: Header, past: Past) -> str:
    return _STATES[past.state(header)]


def _note(header: Header, past: Past) -> str:
    """What became of a receipt, and what else its reader should know."""
    said: list[str] = []
    state = past.state(header)
    event = next((step.detail.removesuffix(step.link) for step in header.steps if step.name == "events"), "")
    by = past.history.get(header.superseded_by or "")
    later = past.later(header)
    if state == "superseded":
        said.append(
            "superseded" + (f" by entry {by.index:,}" if by is not None and by.index is not None else "")
        )
    elif state == "retracted" or header.verdict is Verdict.DISPUTED:
        said.append(event.rstrip(" :") or str(header.verdict).lower())
    elif state == "reproduction":
        said.append(f"reproduction: {OUTCOMES[header.reproduction].partition(':')[0]}")
    elif state == "older" and later is not None and later.index is not None:
        said.append(f"later run: entry {later.index:,}")
    elif state == "archived":
        said.append(f"methodology {header.methodology}, archived")
    elif state == "unranked":
        said.append("; ".join(reason.rstrip(".") for reason in header.unranked))
    if header.registered:
        said.append("pre-registered")
    if header.sent_by:
        said.append(f"submitted by {header.sent_by}")
    said += [f"reproduced: {OUTCOMES[copy.outcome].partition(':')[0]}" for copy in header.reproduced_by]
    return "; ".join(said)


def ties(results: Sequence[Result]) -> list[Tied]:
    """What the first row of the subject on each leaderboard is tied with, of the first few leaderboards with a tie."""
    first = {one.board.path: one for one in reversed(results)}
    found = (_tied_with(one) for one in results if first[one.board.path] is one)
    return [one for one in found if one is not None][:SHOWN]


def _tied_with(result: Result) -> Tied | None:
    """The rows that share the range of ranks of a result; None without one."""
    board, row = result.board, result.row
    if row.baseline or row.first is None or row.first == row.last:
        return None
    among = board.imported.ranked if row.header.imported else board.ranked
    tied = [
        one
        for one in among
        if one.first is not None
        and one.last is not None
        and one.header.receipt_id != row.header.receipt_id
        and one.first <= (row.last or 0)
        and (row.first or 0) <= one.last
    ]
    shown = tuple((one, _p(result, one)) for one in tied[:SHOWN])
    pairs = board.side_by_side is not None and bool(board.side_by_side.pairs)
    path = comparison_path(board.about.track.name, board.target) if pairs else ""
    return Tied(result, shown, len(tied) - len(shown), path) if tied else None


def _p(result: Result, other: Row) -> str:
    """The p-value of the paired test with another row, if the comparison page has it."""
    compared = result.board.side_by_side
    wanted = {result.row.header.receipt_id, other.header.receipt_id}
    found = next((pair for pair in (compared.pairs if compared else ()) if set(pair.ids) == wanted), None)
    return p_value(found.p) if found is not None and found.p is not None else ""
