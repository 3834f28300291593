"""The rubric track's leaderboards: one domain template under one methodology version (specs/rubric.md).

Results under other versions are linked from a row and never ranked with it: scores under different methodologies are not
comparable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite import canonical
from benchsite.addresses import difference_path, evaluate_path
from benchsite.board import Board, Column, Facet, Leaderboard, Measure, Part, Row, TrackBoards
from benchsite.board.items import items_page
from benchsite.board.summary_text import lede
from benchsite.history import Header
from benchsite.methodology import newest, version_key
from benchsite.methodology.instrument import DIMENSIONS, SCENARIOS, Template
from benchsite.receipt import Document
from benchsite.track import Bodies, DataColumn, Library, Metric, Page
from benchsite.tracks.rubric import TRACK, criteria
from benchsite.tracks.rubric.engines import known_rules
from benchsite.tracks.rubric.form import forms
from benchsite.tracks.rubric.metrics import ALPHA, DOMAIN, HEADLINE, LEAST, UNIVERSAL, metric
from benchsite.tracks.rubric.wording import points, rated_by, rating_kind, title_of
from benchsite.words import amount


def pages(boards: TrackBoards, _bodies: Bodies, library: Library) -> Iterator[Page]:
    """The criteria of each domain by agents, then a form for every domain of every version, old ones too."""
    for made in boards.current:
        if made.picture is not None:
            if words := criteria.texts(made):
                yield Page(path=criteria.texts_path(made.target), data=canonical.dumps(words))
            yield items_page(made, criteria.listed(made))
    yield from forms(library)


def _detail(made: Board) -> Mapping[str, Any]:
    """What the template shows of the methodology, and of the same agents under other versions.

    `form` is the path of the evaluation form, `least` the minimum possible composite. `elsewhere` holds, by receipt of
    this board, (version, composite, who rated, receipt) of the agent's latest results under other versions, newest
    first; `differences` the methodology diff, where both versions are published here.
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


def _items(document: Document) -> Mapping[str, float]:
    """The score of each dimension, 1 to 5, and of each scenario, of 100."""
    scores = {name: document["scores"].get(metric(name)) for name in (*DIMENSIONS, *SCENARIOS)}
    return {name: value for name, value in scores.items() if value is not None}


_OF_FIVE: Final = Metric("Mean", 2, " of 5", 5)
_OF_HUNDRED: Final = Metric("Mean", 2, " of 100", 100)


def _parts(row: Row) -> Sequence[Part]:
    """The score of each dimension, 1 to 5, and of each scenario, of 100."""
    items: Mapping[str, float] = row.besides
    return [
        Part(
            f"{'u' if name in DIMENSIONS else 'v'}{name}",
            name,
            "of 5" if name in DIMENSIONS else "of 100",
            value,
            metric=_OF_FIVE if name in DIMENSIONS else _OF_HUNDRED,
        )
        for name, value in items.items()
    ]


def _domain(made: Board) -> str:
    """The domain's title."""
    rules: Template | None = made.detail["rules"]
    return rules.title if rules else title_of(made.target, None)


_Result = tuple[str, float | None, str, str]


def _elsewhere(made: Board, others: Sequence[str]) -> Mapping[str, Sequence[_Result]]:
    found: defaultdict[tuple[str, str], list[_Result]] = defaultdict(list)
    for other in others:
        for row in made.history.rows(made.versions[other]):
            value = row.header.summary.headline.value if row.header.summary else None
            rated = rated_by(made.bodies(row.header.receipt_id))
            found[_line(row.header)].append((other, value, rated, row.header.receipt_id))
    return {row.header.receipt_id: found[_line(row.header)] for row in made.ranked}


def _line(header: Header) -> tuple[str, str]:
    return (header.summary.row if header.summary else "", header.sent_by)


def _lede(made: Board) -> str:
    """The standard sentences, and who rated the leader: a score by a model reads unlike one by people."""
    raters = {row.own["ratedBy"] for row in made.leaders}
    return lede(made) + (f" Rated by {raters.pop()}." if len(raters) == 1 else "")


def _expected(library: Library) -> tuple[str, Sequence[str]]:
    """The version in force and its domains, each of which has a page that says how to start."""
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
    description="Agents rated by humans or models on anchored 1–5 scales: one leaderboard per domain.",
    opening=(
        "Agents rated by humans or models on anchored 1–5 scales. One leaderboard per domain and methodology version."
    ),
    fields={
        "universal": lambda document: document["scores"].get(UNIVERSAL),
        "domain": lambda document: document["scores"].get(DOMAIN),
        "sessions": lambda document: len({sheet["session"] for sheet in document["sheets"]}),
        "sheets": lambda document: len(document["sheets"]),
        "evaluators": lambda document: len(document["evaluators"]),
        "alpha": lambda document: document["scores"].get(ALPHA),
        "agreement": lambda document: (document["agreement"] or {}).get("kind"),
        "ratingKind": rating_kind,
        "ratedBy": rated_by,
    },
    described=(
        DataColumn("universal", "number", "Universal score, a part of the composite."),
        DataColumn("domain", "number", "Domain score, a part of the composite."),
        DataColumn("sessions", "integer", "Number of sessions.", required=True),
        DataColumn("sheets", "integer", "Number of evaluation sheets.", required=True),
        DataColumn("evaluators", "integer", "Number of evaluators.", required=True),
        DataColumn("alpha", "number", "Krippendorff's alpha."),
        DataColumn("agreement", "text", "Kind of `alpha`: `inter-rater` or `intra-rater`."),
        DataColumn(
            "ratingKind", "text", "`human-rated`, `model-rated`, or both, joined by a comma.", required=True
        ),
        DataColumn(
            "ratedBy",
            "text",
            "Number and kind of the evaluators, names of models, and passes.",
            required=True,
        ),
    ),
    columns=(
        Column(
            "Rated by",
            lambda row: row.own["ratingKind"],
            lambda row: row.own["ratedBy"],
            prose=True,
        ),
        Column("Universal", lambda row: points(row.own["universal"]), phone="universal"),
        Column("Domain", lambda row: points(row.own["domain"])),
        Column(
            "Sessions",
            lambda row: f"{row.own['sessions']:,}",
            lambda row: amount(row.own["sheets"], "sheet"),
            folded=True,
        ),
        Column(
            "Agreement",
            lambda row: points(row.own["alpha"] if row.own["agreement"] else None),
            lambda row: row.own["agreement"] or "",
        ),
    ),
    facets=(Facet("rated", "Rated by", lambda row: row.own["ratingKind"].split(", ")),),
    items=criteria.ratings,
    cells=(criteria.KINDS, criteria.kind_of),
    solved=f"A mean rating of at least {criteria.MET}",
    solving=("meet", "met"),
    categories=criteria.categories,
    listed=criteria.listed,
    besides=_items,
    measures=(Measure(UNIVERSAL), Measure(DOMAIN)),
    drawn=DOMAIN,
    parts=_parts,
    parts_title="Dimensions and scenarios",
    item_noun="criteria",
    programs=False,
    configured=False,
    detail=_detail,
    expected=_expected,
    sent="submitted by {}, not rated by this site",
    keys=("agent", "vendor"),
    rules="rubric",
    template="rubric/board.html.j2",
    index="rubric/boards.html.j2",
    title=lambda made: f"{_domain(made)} agents",
    explained=lambda made: (
        (f"{_domain(made)} agents: rated by {made.ranked[0].own['ratedBy']}. " if made.ranked else "")
        + "Composite: 40% universal dimensions (U1–U6), 60% domain scenarios (D1–D5); "
        f"minimum possible score {made.detail['least']}, maximum 100."
    ),
    lede=_lede,
    nothing="No results for this domain yet.",
    empty="A leaderboard appears with the first receipt of a scored agent.",
    begin="benchsite methodology list\nbenchsite run rubric sheet.yaml\nbenchsite publish",
)
