"""What a rubric board says in sentences, and how the front page quotes it: computed from its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchsite.tracks.rubric.board import Board
from benchsite.tracks.rubric.row import Row
from benchsite.tracks.rubric.wording import points, sentence_case
from benchsite.words import counted, number_word

EXPLAINED = (
    "A composite of 100 is made of the scores that evaluators gave an agent: {universal} six abilities that any agent needs, "
    "{domain} five tasks of its field; {least} is the least that can be scored."
)


@dataclass(frozen=True, slots=True)
class Teaser:
    """What the front page quotes of a board: who leads, figure, interval, one sentence."""

    kicker: str
    path: str
    receipt: str
    leader: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    sentence: str
    explained: str
    held: Sequence[float] = ()
    floor: float | None = None


def lede(made: Board) -> str:
    """The board in a few plain sentences."""
    if not made.ranked:
        if made.unranked:
            return "No receipt here can be ranked; those that exist are listed below with the reasons."
        return "No agent has been scored on this domain yet."
    agents = counted(len(made.ranked), "agent")
    said = [f"{sentence_case(agents)} scored under rubric {made.methodology}."]
    said.extend(_leading(made))
    return " ".join(said)


def _leading(made: Board) -> Iterator[str]:
    leaders = made.leaders
    if not leaders:
        return
    first = leaders[0]
    if len(made.ranked) == 1:
        yield f"{first.title} has {points(first.value)} of 100."
    elif len(leaders) == 1:
        yield f"{first.title} leads with {points(first.value)} of 100."
    elif made.intervals:
        yield f"{leader_words(leaders)}: their intervals overlap, so their order could be chance."
    else:
        yield f"{leader_words(leaders)} at {points(first.value)} of 100."
    if not made.intervals:
        yield "These rules give no interval, so nothing tells how sure a number is."


def teaser(made: Board) -> Teaser:
    """A board as the front page quotes it."""
    first = made.leaders[0] if made.leaders else None
    return Teaser(
        kicker=f"Rubric · {made.template}",
        path=made.path,
        receipt=first.header.receipt_id if first else "",
        leader=leader_words(made.leaders) if first else "no agent ranked yet",
        metric=made.metric,
        value=first.value if first else None,
        low=first.low if first else None,
        high=first.high if first else None,
        sentence=_teaser_sentence(made, first),
        explained=EXPLAINED.format(
            least=made.least,
            universal=made.demands.universal_share if made.demands else "",
            domain=made.demands.domain_share if made.demands else "",
        ),
    )


def _teaser_sentence(made: Board, first: Row | None) -> str:
    if first is None:
        return "Nothing on this board can be ranked."
    behind = len(made.ranked) - len(made.leaders)
    if behind:
        said = f"Ahead of {counted(behind, 'other')}."
    elif len(made.ranked) == 1:
        said = f"The only agent scored under {made.methodology} so far."
    else:
        said = "Their intervals overlap." if made.intervals else "The same composite."
    if not made.intervals:
        said += " No interval, so nothing tells how sure the number is."
    return said


def leader_words(rows: Sequence[Row]) -> str:
    """One name, or who shares the lead."""
    names = list(dict.fromkeys(row.title for row in rows))
    if len(rows) < 2:
        return "".join(names)
    if len(names) == 1:
        return f"{names[0]}, {number_word(len(rows))} rows tie"
    if len(names) == 2:
        return f"{names[0]} and {names[1]} share the lead"
    return f"{names[0]} and {number_word(len(names) - 1)} others share the lead"
