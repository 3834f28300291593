"""The page of a rubric receipt: the composite and its parts, the ratings of every sheet, evaluators and agreement.

A function of the receipt, its status record, its methodology and whether a later one is current; it depends on no other
receipt. Every number shown is in the receipt, or follows from its ratings.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from benchsite.addresses import evaluate_path, receipt_page_path
from benchsite.board.receipt_view import board_of, methodology_of
from benchsite.history import Header, Rescore
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.track import Library, Newer, Page
from benchsite.tracks.rubric import metrics
from benchsite.tracks.rubric.board import LEADERBOARD
from benchsite.tracks.rubric.engines import Rules, known_rules
from benchsite.tracks.rubric.normalization import normalized
from benchsite.tracks.rubric.ratings import DimensionScores, ReceiptRatings, ScenarioScores, TestOutcomes
from benchsite.tracks.rubric.wording import agreement_words, points, probe_words, rated_by, title_of
from benchsite.words import amount, counted

SPREAD: Final = 20
"""Most sessions whose composites are listed one by one."""


@dataclass(frozen=True, slots=True)
class Part:
    """One of the two parts of the composite, or a line of how it came about."""

    name: str
    value: str
    interval: str
    words: str


@dataclass(frozen=True, slots=True)
class Person:
    """An evaluator: human or model, which sheets are theirs, and their conflict of interest.

    `facts` describe a model evaluator, as (term, value); a human has none.
    """

    name: str
    kind: str
    sheets: str
    conflict: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """One line of "Reproducibility": `state` is a key of the site's marks."""

    name: str
    state: Literal["pass", "fail", "warning", "not checked"]
    sentence: str


@dataclass(frozen=True, slots=True)
class Report:
    """What the template prints besides the envelope.

    Attributes:
        rated_by: who rated, in a few words.
        penalty: the line of methodology 1.3.0 that gives the penalty and its reason; empty elsewhere.
        sessions: each session's composite, as text; empty where there is one.
        drawn: whether every number the two drawings need is there.
        criterion_anchors: what the scores of a criterion mean, 1 to 5; empty where the methodology has none.
        form: the evaluation form of the same methodology; empty where it is not at hand.
    """

    headline: str
    value: float | None
    low: float | None
    high: float | None
    title: str
    template: str
    board: str
    version: str
    sentence: str
    rated_by: str
    parts: tuple[Part, ...]
    penalty: str
    sessions: tuple[str, ...]
    sheets: int
    newer: Newer | None
    dimensions: tuple[DimensionScores, ...]
    scenarios: tuple[ScenarioScores, ...]
    drawn: bool
    tests: tuple[TestOutcomes, ...]
    criterion_anchors: tuple[tuple[str, str], ...]
    disclosures: tuple[tuple[str, str], ...]
    people: tuple[Person, ...]
    agreement: tuple[str, ...]
    conditions: tuple[Condition, ...]
    form: str

    @property
    def least(self) -> int:
        """Where the bars of the scenarios begin: what a scenario scored 1 everywhere has."""
        return metrics.LEAST

    @property
    def spokes(self) -> list[tuple[str, str, float, float, float]]:
        """The dimensions as the radar takes them; only where `drawn`."""
        return [
            (one.id, f"{one.id} {one.title}", one.mean or 0, one.low, one.high) for one in self.dimensions
        ]

    @property
    def rows(self) -> list[tuple[str, str, float, float, float]]:
        """The scenarios as the bars take them; only where `drawn`."""
        return [(one.id, f"{one.id} {one.title}", one.mean or 0, one.low, one.high) for one in self.scenarios]


def receipt_page(header: Header, document: Document, library: Library) -> Page:
    """The page of a receipt whose numbers may be quoted."""
    view = report(header, document, library)
    return Page(
        path=receipt_page_path(header.receipt_id),
        title=view.title,
        description=f"{view.headline}: {view.sentence}",
        template="rubric/report.html.j2",
        context={"about": LEADERBOARD, "header": header, "document": document, "view": view},
    )


def report(header: Header, document: Document, library: Library) -> Report:
    """Read a receipt's body into what its page says; `header.summary` must be present."""
    if header.summary is None:
        raise ValueError(f"receipt {header.receipt_id} may not be quoted")
    headline, slug = header.summary.headline, document["template"]["slug"]
    rules = methodology_of(document, library)
    instrument = rules.data.instrument if rules else None
    ratings = ReceiptRatings(header, document, instrument, served=library.evidence)
    dimensions, scenarios = ratings.dimensions(), ratings.scenarios()
    template = title_of(slug, instrument)
    known = instrument is not None and instrument.template(slug) is not None
    anchors: Mapping[str, str] = dict(instrument.criterion_anchors) if instrument else {}  # type: ignore[arg-type]
    demands = known_rules(rules)
    composites = _composites(document, demands)
    return Report(
        headline="Composite",
        value=headline.value,
        low=headline.low,
        high=headline.high,
        title=f"{document['agent']['name']}: {template}",
        template=template,
        board=board_of(LEADERBOARD, header),
        version=header.methodology,
        sentence=" ".join(_sentence(header, document)),
        rated_by=rated_by(document),
        parts=tuple(_parts(document, demands)),
        penalty=_penalty(document),
        sessions=composites if 1 < len(composites) <= SPREAD else (),
        sheets=len(document["sheets"]),
        newer=library.newer(header.track, header.methodology),
        dimensions=dimensions,
        scenarios=scenarios,
        drawn=not any(one.mean is None for one in dimensions)
        and not any(one.mean is None for one in scenarios),
        tests=ratings.tests(),
        criterion_anchors=tuple(sorted(anchors.items())),
        disclosures=tuple(_disclosures(document, header.methodology, demands)),
        people=_people(document),
        agreement=agreement_words(document),
        conditions=tuple(_conditions(header, document, rules, library.evidence)),
        form=evaluate_path(slug, header.methodology) if known else "",
    )


def _composites(document: Document, demands: Rules | None) -> tuple[str, ...]:
    """Each session's composite, after any penalty, in the order of the sessions; none where the rules are not at hand."""
    if demands is None:
        return ()
    places: defaultdict[int, list[int]] = defaultdict(list)
    for place, sheet in enumerate(document["sheets"]):
        places[sheet["session"]].append(place)
    taken = metrics.taken_off(document, demands)
    found = []
    for _, held in sorted(places.items()):
        values = [metrics.sheet_values(document, place, demands)[metrics.HEADLINE] for place in held]
        found.append(points(metrics.hundredths(metrics.mean(values) - taken) / 100))
    return tuple(found)


def _sentence(header: Header, document: Document) -> Iterator[str]:
    """The headline: what it is a mean of, who rated, its CI, and the range of the scale."""
    assert header.summary is not None  # noqa: S101 - report() has refused otherwise
    figure, version = header.summary.headline, header.methodology
    sessions = len({sheet["session"] for sheet in document["sheets"]})
    over = "1 session" if sessions == 1 else f"mean of {sessions:,} sessions"
    yield f"{points(figure.value)}/100 under rubric {version}: {over}."
    yield f"Rated by {rated_by(document)}."
    if figure.low is not None and figure.high is not None:
        if figure.low == figure.high:
            yield "Zero-width CI: every session scored the same; not evidence of certainty."
        else:
            yield (
                f"95% CI [{points(figure.low)}, {points(figure.high)}] (Student's t, {amount(sessions, 'session')})."
            )
    elif sessions == 1:
        yield "No CI: one session only."
    else:
        yield f"No CI: rubric {version} has no confidence interval."
    before = " before the penalty" if document["scores"].get(metrics.PENALTY) else ""
    yield f"Minimum possible score {metrics.LEAST}, maximum {metrics.FULL}{before}."


def _parts(document: Document, demands: Rules | None) -> Iterator[Part]:
    universal, domain = (f"{demands.universal_share}: ", f"{demands.domain_share}: ") if demands else ("", "")
    for key, name, words in (
        (metrics.UNIVERSAL, "Universal", f"{universal}six universal dimensions (U1–U6)"),
        (metrics.DOMAIN, "Domain", f"{domain}five domain scenarios (D1–D5)"),
    ):
        interval = document["intervals"].get(key)
        shown = f"95% CI [{points(interval['low'])}, {points(interval['high'])}]" if interval else ""
        yield Part(name, points(document["scores"].get(key)), shown, words)


def _penalty(document: Document) -> str:
    """The penalty and its reason."""
    scores = document["scores"]
    if metrics.PENALTY not in scores:
        return ""
    raw, result = points(scores.get(metrics.RAW)), points(scores.get(metrics.HEADLINE))
    if scores[metrics.PENALTY] == 0:
        return f"Raw composite {raw}, no penalty (repeatability tested): {result}."
    taken = f"{scores[metrics.PENALTY]:g}"
    return f"Raw composite {raw} − {taken} penalty (repeatability not tested): {result}."


_MULTI_STEP: Final = {
    "single-message": "U3 was tested with all steps in one message.",
    "multi-turn": "U3 was tested with steps over several messages.",
}


def _disclosures(document: Document, version: str, demands: Rules | None) -> Iterator[tuple[str, str]]:
    stated = document["disclosures"]
    if (tested := stated["repeatabilityTested"]) is not None:
        yield "Repeatability", _repeatability(document, version, demands) if tested else "Not tested."
    if (reading := stated["multiStep"]) is not None:
        yield "Multi-step", _MULTI_STEP[reading]


def _repeatability(document: Document, version: str, demands: Rules | None) -> str:
    """What the receipt shows of a test of repeatability: its sessions, and the questions that sheets write down."""
    if demands is not None and not demands.repeatability_shown:
        return f"Stated as tested; rubric {version} does not require the sessions that show it."
    sessions = counted(len({sheet["session"] for sheet in document["sheets"]}), "session")
    held = f"Stated as tested, with {sessions}."
    asked = [_asked(ratings) for ratings in document["domain"].values()]
    if not any(any(questions) for different in asked for questions in different):
        return f"{held} The receipt does not record the questions."
    if any(len(different) > 1 for different in asked):
        return f"{held} The recorded questions differ between sessions."
    return f"{held} The recorded questions are the same in every session."


def _asked(ratings: Sequence[Mapping[str, Any]]) -> set[tuple[str, ...]]:
    """The different questions that the sheets write down for a scenario; they may be asked in any order."""
    return {
        tuple(sorted(normalized(item["question"] or "") for item in rating["questions"]))
        for rating in ratings
    }


def _people(document: Document) -> tuple[Person, ...]:
    """The evaluators, each with sessions and passes."""
    found = []
    for place, evaluator in enumerate(document["evaluators"]):
        sheets = [sheet for sheet in document["sheets"] if sheet["evaluator"] == place]
        passes = Counter(sheet["session"] for sheet in sheets)
        often = set(passes.values())
        each = "" if often == {1} else f", {often.pop():,} passes each" if len(often) == 1 else ""
        words = f"{amount(len(sheets), 'sheet')} over {amount(len(passes), 'session')}{each}"
        facts = tuple(_model_facts(evaluator["model"] or {}))
        found.append(
            Person(evaluator["name"], evaluator["kind"], words, evaluator["conflictOfInterest"], facts)
        )
    return tuple(found)


def _model_facts(model: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """A model evaluator: the model, its prompt, what it could see, and its false-positive probe."""
    if model:
        yield "Model", model["name"]
        yield "Prompt", f"SHA-256 {model['promptSha256']}" if model["promptSha256"] else "prompt not recorded"
        yield "Could see", model["saw"]
        yield "False-positive probe", probe_words(model)


def _conditions(
    header: Header, document: Document, rules: Methodology | None, served: frozenset[str]
) -> Iterator[Condition]:
    """What can be recomputed, and what depends on the evaluators."""
    if header.rescore is Rescore.MATCHES:
        yield Condition(
            "Re-score", "pass", "Every number recomputed from the ratings below, as exact fractions."
        )
    elif header.rescore is Rescore.DIFFERS:
        yield Condition("Re-score", "fail", "The numbers do not follow from the ratings below.")
    else:
        yield Condition("Re-score", "not checked", "The numbers could not be recomputed.")
    if rules is not None:
        yield Condition("Methodology", "pass", "Pinned by hash and published here.")
    else:
        yield Condition("Methodology", "not checked", "Pinned by hash; not published here.")
    yield _evidence(header, document, served)
    yield _independent(document)


def _evidence(header: Header, document: Document, served: frozenset[str]) -> Condition:
    pinned = len(document["evidence"])
    withdrawn = {step.field for step in header.steps if step.name == "evidence"}
    gone = sum(item["sha256"] in withdrawn for item in document["evidence"])
    lost = sum(item["sha256"] not in served | withdrawn for item in document["evidence"])
    counts = [
        f"{amount(count, 'document')} {word}"
        for count, word in (
            (gone, "withdrawn"),
            (lost, "missing"),
        )
        if count
    ]
    if counts:
        return Condition("Evidence", "fail", f"{', '.join(counts)}, of {pinned:,} pinned by hash.")
    if pinned:
        return Condition("Evidence", "pass", f"{amount(pinned, 'document')} pinned by hash and served here.")
    return Condition("Evidence", "warning", "No transcript: only notes and quotes support the scores.")


def _independent(document: Document) -> Condition:
    """Whether more than one evaluator rated the same session; ratings cannot be recomputed."""
    agreement, evaluators = document["agreement"], len(document["evaluators"])
    check = "To check them, score the same transcripts."
    if agreement is not None and agreement["kind"] == "inter-rater":
        found = f"{amount(agreement['raters'], 'evaluator')} rated independently. {check}"
        return Condition("Ratings", "warning", found)
    if evaluators > 1:
        found = f"{amount(evaluators, 'evaluator')}, but no two of them scored the same session. {check}"
    else:
        found = f"One evaluator; ratings cannot be recomputed. {check}"
    return Condition("Ratings", "not checked", found)
