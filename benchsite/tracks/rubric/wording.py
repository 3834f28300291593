"""How reports and boards of the rubric track put things: points, sheets, agreement, templates, ranks.

Plain words for visitors; a figure that a reader may not know is followed by what it means.
"""

from __future__ import annotations

from collections import Counter

from benchsite.methodology.instrument import Instrument
from benchsite.receipt import Document
from benchsite.tracks.rubric.metrics import ALPHA, KAPPA
from benchsite.words import counted, figure, number_word, sentence_case

NO_AGREEMENT = (
    "No two evaluators scored the same session, so nothing shows how far another evaluator would agree."
)


def points(value: float | None) -> str:
    """Two decimals; a dash where there is no value."""
    return figure(value, 2)


def title_of(slug: str, instrument: Instrument | None) -> str:
    """A template's title; its slug in words where the rules are not at hand."""
    template = instrument.template(slug) if instrument else None
    if template is not None:
        return template.title
    return sentence_case(slug.replace("-", " "))


def sheet_words(document: Document) -> str:
    """Who scored how often: `each scored in two passes by one evaluator`."""
    sheets, people = document["sheets"], len(document["evaluators"])
    by_session = Counter(sheet["session"] for sheet in sheets)
    each = "each " if len(by_session) > 1 else ""
    who = counted(people, "evaluator")
    if len(set(by_session.values())) > 1:
        return f"on {counted(len(sheets), 'sheet')} by {who}"
    often = len(sheets) // len(by_session)
    if often == 1:
        return f"{each}scored once, by {who}" if people == 1 else f"{each}scored once, by {who} in turn"
    if people == 1:
        return f"{each}scored in {number_word(often)} separate passes by {who}"
    if often == people and all(sheet["pass"] == 1 for sheet in sheets):
        return f"{each}scored by {who}"
    return f"{each}on {counted(often, 'sheet')} by {who}"


def agreement_words(document: Document) -> tuple[str, ...]:
    """Who was compared with whom, how far they agree, and what the figures mean; a sentence each."""
    agreement = document["agreement"]
    if agreement is None:
        return (NO_AGREEMENT,)
    units = f"{agreement['units']:,} ratings of the same item in the same session"
    if agreement["kind"] == "inter-rater":
        who = f"Inter-rater: {counted(agreement['raters'], 'evaluator')} were compared over {units}."
    else:
        who = (
            f"Intra-rater: {number_word(agreement['raters'])} passes of one evaluator were compared "
            f"over {units}. That is self-consistency: it does not show that anybody else would agree."
        )
    said = [who]
    for key, name in ((ALPHA, "Krippendorff's alpha"), (KAPPA, "weighted kappa")):
        if key in document["scores"]:
            said.append(f"{sentence_case(name)} is {points(document['scores'][key])}.")
        elif key in document["denominators"]:
            said.append(f"{sentence_case(name)} is not defined here: the ratings do not vary.")
    if len(said) > 1:
        said.append(
            "1 is perfect agreement, 0 what chance alone would give, below 0 is less than that. Krippendorff advises to "
            "rely on 0.80 and above, and to draw tentative conclusions only down to 0.67."
        )
    return tuple(said)
