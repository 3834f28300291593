"""The sentences of a leaderboard: how many subjects, the leader, the rows below; a track may have its own."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchsite.board.rows import Row
from benchsite.methodology import Methodology
from benchsite.words import amount, counted, number_word, p_value, rounded, sentence_case

if TYPE_CHECKING:
    from benchsite.board.board import Board, Leaderboard


def lede(board: Board) -> str:
    """The leaderboard in a few sentences."""
    about = board.about
    if not board.contenders:
        unranked = "No receipt is ranked. Reasons are listed below."
        return unranked if board.unranked else about.nothing
    who = sentence_case(subject_words(about, board.contenders))
    return " ".join([f"{who} {about.verb}, {about.rules} {board.methodology}.", *_leading(board)])


def _leading(board: Board) -> Iterator[str]:
    about, leaders = board.about, board.leaders
    if not leaders:
        return
    first = f"{about.metric.figure(leaders[0].value)}{about.metric.scale}"
    if len(leaders) == 1:
        yield f"{leaders[0].title} {'scores' if len(board.contenders) == 1 else 'leads with'} {first}."
    elif about.compared is not None:
        yield f"{leader_words(about, leaders)} (p ≥ {about.level:g})."
    elif board.intervals:
        yield f"{leader_words(about, leaders)}: their 95% CIs overlap."
    else:
        yield f"{leader_words(about, leaders)} at {first}."
    if not board.intervals:
        yield f"No CI: {about.rules} {board.methodology} gives none."


def sentence(board: Board) -> str:
    """The sentence on the home page about the leaders."""
    about = board.about
    if not board.leaders:
        return "No receipt is ranked."
    behind = board.contenders[len(board.leaders) :]
    if behind:
        said = f"Ahead of {others(about, board.leaders, behind)}."
    elif len(board.contenders) == 1:
        said = f"The only {about.subject} {about.verb} under {about.rules} {board.methodology}."
    elif about.compared is not None:
        said = tied(board)
    else:
        said = "Tied: their 95% CIs overlap." if board.intervals else f"Equal {about.metric.label.lower()}."
    return said if board.intervals else f"{said} No CI."


def tied(board: Board) -> str:
    """The tie of the leaders, with the p-value where there are two: `Tied: difference not significant (p = 0.300)`."""
    second = board.leaders[1].to_leader
    p = p_value(second.holm) if second and len(board.leaders) == 2 else f"p ≥ {board.about.level:g}"
    return f"Tied: difference not significant ({p})."


def separable(
    adjacent: Sequence[bool],
    n: int,
    difference: float | None,
    p: float | None,
    needed: int | None,
    noun: tuple[str, str],
) -> str:
    """How many adjacent ranks are separable, and what the first two would need.

    Args:
        adjacent: whether each two neighbors are separable, from the top.
        n: what ranks 1 and 2 have in common.
        difference, p: of these two, unadjusted; None without anything in common.
        needed: how many would separate them; None if they do not differ.
        noun: what is counted, in the singular and the plural.
    """
    common = amount(n, *noun)
    if p is None:
        first = f"ranks 1 and 2 have no common {noun[1]}"
    elif adjacent[0]:
        first = f"ranks 1 and 2 differ significantly on {common}"
    elif not difference:
        first = f"ranks 1 and 2 do not differ on {common}"
    elif difference < 0:
        first = f"rank 2 has the higher mean on the {common} of both"
    elif needed is None:
        first = f"rank 1 against 2 cannot be tested on {common}"
    elif needed <= n:
        first = f"rank 1 against 2 is not separable after Holm ({p_value(p)} alone)"
    else:
        first = f"rank 1 against 2 would need {rounded(needed)} {noun[1]}"
    return f"{sum(adjacent):,} of {len(adjacent):,} adjacent ranks separable; {first}"


def leader_words(about: Leaderboard, rows: Sequence[Row]) -> str:
    """One name, or the tied leaders."""
    names = list(dict.fromkeys(row.title for row in rows))
    if len(rows) < 2:
        return "".join(names)
    if len(names) == 1:
        return f"{names[0]}, {number_word(len(rows))} {_variants(about, rows)} tie"
    rest = names[1] if len(names) == 2 else f"{number_word(len(names) - 1)} others"
    return f"{names[0]} and {rest} {about.tie}"


def others(about: Leaderboard, leaders: Sequence[Row], behind: Sequence[Row]) -> str:
    """The rows below the leaders: `two others`, or `one other configuration` of a subject that leads."""
    names = {row.name for row in behind}
    ahead = {row.name for row in leaders}
    if not about.configured or (len(names) == len(behind) and not names & ahead):
        return counted(len(behind), "other")
    if names <= ahead:
        kind = _variants(about, (*leaders, *behind))
        return f"{number_word(len(behind))} other {kind if len(behind) > 1 else _singular(kind)}"
    return subject_words(about, behind)


def subject_words(about: Leaderboard, rows: Sequence[Row]) -> str:
    """Rows as what they are: `two systems`, `two configurations of a`, `two systems in three configurations`."""
    noun, subjects = about.subject, len({row.name for row in rows})
    if not about.configured or subjects == len(rows):
        return counted(len(rows), noun)
    several = f"{number_word(len(rows))} {_variants(about, rows)}"
    return f"{several} of {rows[0].name}" if subjects == 1 else f"{counted(subjects, noun)} in {several}"


def _variants(about: Leaderboard, rows: Sequence[Row]) -> str:
    """How rows of one name differ, in the plural: `versions`, `configurations`, or the submitters of `runs`."""
    if not about.configured:
        return "rows"
    versions: dict[str, set[str]] = defaultdict(set)
    labels: dict[str, set[str]] = defaultdict(set)
    senders: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for row in rows:
        versions[row.name].add(row.subject.version)
        labels[row.name].add(row.subject.label)
        senders[row.name, row.subject.version, row.subject.label].add(row.sent)
    told_by = {
        "versions": versions.values(),
        "configurations": labels.values(),
        "runs": senders.values(),
    }
    kinds = [kind for kind, sets in told_by.items() if any(len(found) > 1 for found in sets)]
    return " or ".join(kinds) or "configurations"


def _singular(kind: str) -> str:
    return " or ".join(word.removesuffix("s") for word in kind.split(" or "))


def measure_words(key: str, methodology: Methodology | None) -> str:
    """A methodology's definition of a metric; empty without one."""
    family, at, cut = key.rpartition("_at_")
    name = f"{family}_at_k" if at else key
    measures = methodology.data.measures if methodology else ()
    words = next((measure.words for measure in measures if measure.name == name), "")
    return re.sub(r"\bk\b", cut, words) if at else words
