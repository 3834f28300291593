"""The report, a rubric receipt's page: the composite and its parts, what every sheet said, who agreed with whom.

A function of the receipt, its status record, its rules and whether later rules are in force; no other receipt has a part
in it. Every number shown stands in the receipt, or follows from the ratings in it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from benchsite.addresses import evaluate_path, receipt_page_path
from benchsite.board.receipt import board_of, methodology_of
from benchsite.history import Header, Rescore
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.track import Library, Newer, Page
from benchsite.tracks.rubric import metrics
from benchsite.tracks.rubric.board import LEADERBOARD
from benchsite.tracks.rubric.engines import Rules, known_rules
from benchsite.tracks.rubric.likeness import alike
from benchsite.tracks.rubric.testimony import Ability, Task, Tested, Testimony
from benchsite.tracks.rubric.wording import agreement_words, points, sheet_words, title_of
from benchsite.words import counted, number_word, sentence_case

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
    """An evaluator: which sheets are theirs, and what they say of their interests."""

    name: str
    sheets: str
    conflict: str


@dataclass(frozen=True, slots=True)
class Condition:
    """One line of "can it be repeated": `state` is a key of the site's marks."""

    name: str
    state: Literal["pass", "fail", "note", "skip"]
    sentence: str


@dataclass(frozen=True, slots=True)
class Report:
    """Everything the template prints that is not the envelope's.

    Attributes:
        penalty: the line of methodology 1.3.0 that says what was taken off and why; empty elsewhere.
        sessions: each session's composite, as text; empty where there is one.
        drawn: whether every number the two drawings need is there.
        criterion_anchors: what the scores of a criterion mean, best first; empty where the rules do not say.
        form: where the same rules can be scored anew; empty where they are not at hand.
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
    parts: tuple[Part, ...]
    penalty: str
    sessions: tuple[str, ...]
    sheets: int
    newer: Newer | None
    abilities: tuple[Ability, ...]
    tasks: tuple[Task, ...]
    drawn: bool
    tests: tuple[Tested, ...]
    criterion_anchors: tuple[tuple[str, str], ...]
    disclosures: tuple[tuple[str, str], ...]
    people: tuple[Person, ...]
    agreement: tuple[str, ...]
    conditions: tuple[Condition, ...]
    form: str

    @property
    def least(self) -> int:
        """Where the bars of the tasks begin: what a scenario scored 1 everywhere has."""
        return metrics.LEAST

    @property
    def spokes(self) -> list[tuple[str, str, float, float, float]]:
        """The abilities as the radar takes them; only where `drawn`."""
        return [(one.id, f"{one.id} {one.title}", one.mean or 0, one.low, one.high) for one in self.abilities]

    @property
    def rows(self) -> list[tuple[str, str, float, float, float]]:
        """The tasks as the bars take them; only where `drawn`."""
        return [(one.id, f"{one.id} {one.title}", one.mean or 0, one.low, one.high) for one in self.tasks]


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
    testimony = Testimony(header, document, instrument, served=library.evidence)
    abilities, tasks = testimony.abilities(), testimony.tasks()
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
        parts=tuple(_parts(document, demands)),
        penalty=_penalty(document),
        sessions=composites if 1 < len(composites) <= SPREAD else (),
        sheets=len(document["sheets"]),
        newer=library.newer(header.track, header.methodology),
        abilities=abilities,
        tasks=tasks,
        drawn=not any(one.mean is None for one in abilities) and not any(one.mean is None for one in tasks),
        tests=testimony.tests(),
        criterion_anchors=tuple(sorted(anchors.items(), reverse=True)),
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
    """The headline in plain words: what it is a mean of, how sure it is, what the scale means."""
    assert header.summary is not None  # noqa: S101 - report() has refused otherwise
    figure, version = header.summary.headline, header.methodology
    sessions = len({sheet["session"] for sheet in document["sheets"]})
    over = "one session" if sessions == 1 else f"the mean of {counted(sessions, 'session')}"
    yield f"{points(figure.value)} of 100 under rubric {version}: {over}, {sheet_words(document)}."
    if figure.low is not None and figure.high is not None:
        if figure.low == figure.high:
            yield "All sessions scored the same, which does not make the next one certain."
        else:
            yield (
                "Were many more such sessions held, their mean would most likely lie between "
                f"{points(figure.low)} and {points(figure.high)}."
            )
    elif sessions == 1:
        yield "One session cannot tell how sure the number is."
    else:
        yield f"Rubric {version} gives no interval."
    before = "Before anything is taken off, " if document["scores"].get(metrics.PENALTY) else ""
    yield f"{before}{metrics.LEAST} is the least that can be scored, 100 the most."


def _parts(document: Document, demands: Rules | None) -> Iterator[Part]:
    universal, domain = (
        (f"counts {demands.universal_share}: ", f"counts {demands.domain_share}: ") if demands else ("", "")
    )
    for key, name, words in (
        (metrics.UNIVERSAL, "Universal", f"{universal}six abilities that any agent needs"),
        (metrics.DOMAIN, "Domain", f"{domain}five tasks of its own field"),
    ):
        interval = document["intervals"].get(key)
        shown = f"{points(interval['low'])} to {points(interval['high'])}" if interval else ""
        yield Part(name, points(document["scores"].get(key)), shown, words)


def _penalty(document: Document) -> str:
    """What was taken off, and why."""
    scores = document["scores"]
    if metrics.PENALTY not in scores:
        return ""
    raw, result = points(scores.get(metrics.RAW)), points(scores.get(metrics.HEADLINE))
    if scores[metrics.PENALTY] == 0:
        return f"Raw composite {raw}, nothing taken off, because repeatability was tested: {result}."
    taken = f"{scores[metrics.PENALTY]:g}"
    return f"Raw composite {raw}, less {taken} because repeatability was not tested: {result}."


_MULTI_STEP: Final = {
    "single-message": "U3 rests on steps asked for in one message.",
    "multi-turn": "U3 rests on steps spread over several messages.",
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
        return f"Stated as tested; rubric {version} does not ask for the sessions that show it."
    sessions = counted(len({sheet["session"] for sheet in document["sheets"]}), "session")
    held = f"Stated as tested: the receipt holds {sessions}, and"
    asked = [_asked(ratings) for ratings in document["domain"].values()]
    if not any(any(questions) for different in asked for questions in different):
        return f"{held} does not show whether the same was asked in each."
    if any(len(different) > 1 for different in asked):
        return f"{held} the questions written down are not the same in each."
    return f"{held} the questions written down are the same in each. Of others it shows nothing."


def _asked(ratings: Sequence[Mapping[str, Any]]) -> set[tuple[str, ...]]:
    """The different questions that the sheets write down for a scenario; they may be asked in any order."""
    return {
        tuple(sorted(alike(item["question"] or "") for item in rating["questions"])) for rating in ratings
    }


def _people(document: Document) -> tuple[Person, ...]:
    """The evaluators, each with sessions and passes."""
    found = []
    for place, evaluator in enumerate(document["evaluators"]):
        sheets = [sheet for sheet in document["sheets"] if sheet["evaluator"] == place]
        passes = Counter(sheet["session"] for sheet in sheets)
        often = set(passes.values())
        each = "" if often == {1} else f", {number_word(often.pop())} passes each" if len(often) == 1 else ""
        words = f"{counted(len(sheets), 'sheet')} over {counted(len(passes), 'session')}{each}"
        found.append(Person(evaluator["name"], words, evaluator["conflictOfInterest"]))
    return tuple(found)


def _conditions(
    header: Header, document: Document, rules: Methodology | None, served: frozenset[str]
) -> Iterator[Condition]:
    """What can be done again by anybody, and what rests on an evaluator's judgement."""
    if header.rescore is Rescore.MATCHES:
        said = "Computed again from the ratings below, as exact fractions, and every one came out the same."
        yield Condition("Numbers", "pass", said)
    elif header.rescore is Rescore.DIFFERS:
        yield Condition("Numbers", "fail", "Computed again from the ratings below, they come out otherwise.")
    else:
        yield Condition("Numbers", "skip", "They could not be held against all that they rest on.")
    if rules is not None:
        yield Condition("Rules", "pass", "Pinned by hash, and the very same rules are published here.")
    else:
        yield Condition("Rules", "skip", "Pinned by hash; no rules with that hash are published here.")
    yield _evidence(header, document, served)
    yield _judgement(document)


def _evidence(header: Header, document: Document, served: frozenset[str]) -> Condition:
    pinned = len(document["evidence"])
    withdrawn = {step.field for step in header.steps if step.name == "evidence"}
    gone = sum(item["sha256"] in withdrawn for item in document["evidence"])
    lost = sum(item["sha256"] not in served | withdrawn for item in document["evidence"])
    counts = [
        f"{counted(count, 'document')} {one if count == 1 else many}"
        for count, one, many in (
            (gone, "was withdrawn", "were withdrawn"),
            (lost, "is not here", "are not here"),
        )
        if count
    ]
    if counts:
        rest = "it" if gone + lost == 1 else "them"
        said = f"{' and '.join(counts)}, of {number_word(pinned)} pinned: scores that rest on {rest} cannot be looked into."
        return Condition("Evidence", "fail", sentence_case(said))
    if pinned:
        said = f"{counted(pinned, 'document')} pinned by hash and served here."
        return Condition("Evidence", "pass", sentence_case(said))
    return Condition(
        "Evidence", "note", "No transcript is kept: scores rest on notes and quoted words alone."
    )


def _judgement(document: Document) -> Condition:
    agreement = document["agreement"]
    again = "Who wants to check it scores the same transcripts with the form of these rules and compares."
    if agreement is not None and agreement["kind"] == "inter-rater":
        said = f"It is the evaluators'; {number_word(agreement['raters'])} gave theirs, apart. {again}"
        return Condition("Judgement", "note", said)
    people = len(document["evaluators"])
    if people > 1:
        said = f"It is that of {number_word(people)} evaluators in turn: no two of them scored the same session. {again}"
        return Condition("Judgement", "skip", said)
    return Condition("Judgement", "skip", f"One evaluator's, which nothing computes again. {again}")
