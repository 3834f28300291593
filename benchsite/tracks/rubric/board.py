"""The rubric track's boards: one domain template under one methodology version (specs/rubric.md).

Results under other versions stand beside a row as links, apart and never in its order: scores under different rules are
not comparable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite.addresses import difference_path, evaluate_path
from benchsite.board import Board, Column, Leaderboard, leaderboards
from benchsite.history import Header, History
from benchsite.methodology import newest, version_key
from benchsite.methodology.instrument import Template
from benchsite.track import Bodies, Library, Page
from benchsite.tracks.rubric import TRACK
from benchsite.tracks.rubric.engines import known_rules
from benchsite.tracks.rubric.form import forms
from benchsite.tracks.rubric.metrics import ALPHA, DOMAIN, HEADLINE, LEAST, UNIVERSAL
from benchsite.tracks.rubric.wording import points, title_of


def pages(history: History, bodies: Bodies, library: Library) -> Iterator[Page]:
    """The boards, and a form for every domain of every version: old rules stay open to whoever must score under them."""
    yield from leaderboards(LEADERBOARD, history, bodies, library)
    yield from forms(library)


def _detail(made: Board) -> Mapping[str, Any]:
    """What the template says of the rules, and of the same agents under others.

    `form` is where an evaluator begins, `least` the least composite that the rules can give. `elsewhere` holds, by receipt
    of this board, (version, composite, receipt) of the agent's latest results under other versions, newest rules first;
    `differences` the page of what differs, where both versions are published here.
    """
    version = made.methodology
    rules = _rules_of(made)
    demands = known_rules(made.library.methodology(TRACK.name, version))
    penalty = demands.penalty if demands else 0
    here = {found.data.version for found in made.library.methodologies if found.data.track == TRACK.name}
    others = sorted(made.versions.keys() - {version}, key=version_key, reverse=True)
    both = [other for other in others if {other, version} <= here]
    return {
        "rules": rules,
        "penalty": penalty,
        "shares": (demands.universal_share, demands.domain_share) if demands else None,
        "least": LEAST - penalty,
        "form": evaluate_path(made.target, version) if rules else "",
        "elsewhere": _elsewhere(made, others),
        "differences": {other: difference_path(TRACK.name, other, version) for other in both},
    }


def _rules_of(made: Board) -> Template | None:
    """The template as the board's version has it, if the version is published here."""
    found = made.library.methodology(TRACK.name, made.methodology)
    return found.data.instrument.template(made.target) if found and found.data.instrument else None


_Result = tuple[str, float | None, str]


def _elsewhere(made: Board, others: Sequence[str]) -> Mapping[str, Sequence[_Result]]:
    found: defaultdict[tuple[str, str], list[_Result]] = defaultdict(list)
    for other in others:
        for row in made.history.rows(made.versions[other]):
            value = row.header.summary.headline.value if row.header.summary else None
            found[_line(row.header)].append((other, value, row.header.receipt_id))
    return {row.header.receipt_id: found[_line(row.header)] for row in made.ranked}


def _line(header: Header) -> tuple[str, str]:
    return (header.summary.row if header.summary else "", header.sent_by)


def _expected(library: Library) -> tuple[str, Sequence[str]]:
    """The version in force and its domains, each of which has a page that says how to begin."""
    present = {rules.data.version: rules for rules in library.methodologies if rules.data.track == TRACK.name}
    if not present:
        return "", ()
    current = library.standing(TRACK.name, newest(present)).current
    instrument = present[current].data.instrument if current in present else None
    return current, [template.slug for template in instrument.templates] if instrument else ()


LEADERBOARD: Final = Leaderboard(
    track=TRACK,
    headline=HEADLINE,
    subject="agent",
    verb="scored",
    target="template",
    description="How well agents do their work, in the judgement of evaluators: a board a field.",
    opening=(
        "How well do agents do their work, in the judgement of evaluators who scored them against written anchors? A board "
        "is one field under one version of the rules."
    ),
    fields={
        "universal": lambda document: document["scores"].get(UNIVERSAL),
        "domain": lambda document: document["scores"].get(DOMAIN),
        "sessions": lambda document: len({sheet["session"] for sheet in document["sheets"]}),
        "sheets": lambda document: len(document["sheets"]),
        "evaluators": lambda document: len(document["evaluators"]),
        "alpha": lambda document: document["scores"].get(ALPHA),
        "agreement": lambda document: (document["agreement"] or {}).get("kind"),
    },
    columns=(
        Column("Universal", lambda row: points(row.own["universal"])),
        Column("Domain", lambda row: points(row.own["domain"])),
        Column(
            "sessions",
            lambda row: f"{row.own['sessions']:,}",
            lambda row: (
                f"{row.own['sheets']:,} sheet{'' if row.own['sheets'] == 1 else 's'} by {row.own['evaluators']:,}"
            ),
        ),
        Column(
            "agreement",
            lambda row: points(row.own["alpha"] if row.own["agreement"] else None),
            lambda row: row.own["agreement"] or "",
        ),
    ),
    programs=False,
    configured=False,
    detail=_detail,
    expected=_expected,
    sent="sent by {}, not scored by us",
    keys=("agent", "vendor"),
    rules="rubric",
    template="rubric/board.html.j2",
    index="rubric/boards.html.j2",
    title=lambda made: (
        f"{made.detail['rules'].title if made.detail['rules'] else title_of(made.target, None)} agents"
    ),
    explained=lambda made: (
        "A composite of 100 is made of the scores that evaluators gave an agent: 40 % six abilities that any agent needs, "
        f"60 % five tasks of its field; {made.detail['least']} is the least that can be scored."
    ),
    nothing="No agent has been scored on this domain yet.",
    empty="A board appears with the first receipt of an agent that was scored.",
    begin="benchsite methodology list\nbenchsite run rubric sheet.yaml\nbenchsite publish",
)
