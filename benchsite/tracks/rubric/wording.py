"""Words of the rubric track's receipts and leaderboards: points, evaluators, agreement, templates.

The standard term comes first; a gloss for lay readers follows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchsite.methodology.instrument import Instrument
from benchsite.receipt import Document
from benchsite.stats import wilson
from benchsite.tracks.rubric.metrics import ALPHA, KAPPA
from benchsite.words import amount, figure, sentence_case

NO_AGREEMENT = "Agreement not measured: no two evaluators scored the same session."


def points(value: float | None) -> str:
    """Two decimals; a dash where there is no value."""
    return figure(value, 2)


def title_of(slug: str, instrument: Instrument | None) -> str:
    """A template's title; its slug in words where the rules are not at hand."""
    template = instrument.template(slug) if instrument else None
    if template is not None:
        return template.title
    return sentence_case(slug.replace("-", " "))


def rated_by(document: Document) -> str:
    """Who rated, for a person: `1 model (Claude), 2 passes`; `2 humans`."""
    models = [item for item in document["evaluators"] if item["kind"] == "model"]
    humans = len(document["evaluators"]) - len(models)
    who = [amount(humans, "human")] if humans else []
    if models:
        names = ", ".join(dict.fromkeys(_model_name(item) for item in models))
        who.append(f"{amount(len(models), 'model')} ({names})")
    passes = max(sheet["pass"] for sheet in document["sheets"])
    return " and ".join(who) + (f", {passes:,} passes" if passes > 1 else "")


def rating_kind(document: Document) -> str:
    """`human-rated`, `model-rated`, or both: what a leaderboard is filtered by."""
    return ", ".join(sorted({f"{item['kind']}-rated" for item in document["evaluators"]}))


def _model_name(evaluator: Mapping[str, Any]) -> str:
    model = evaluator["model"]
    return model["name"] if model is not None else "not described"


def probe_words(model: Mapping[str, Any]) -> str:
    """A false-positive probe: `5.0% (1/20), 95% CI [0.9%, 23.6%]`, or that there was none."""
    probe = model["falsePositiveProbe"]
    if probe is None:
        return "not measured"
    planted, accepted = probe["planted"], probe["accepted"]
    if accepted > planted:
        return f"not valid ({accepted:,}/{planted:,})"
    interval = wilson(accepted, planted)
    bounds = f"95% CI [{100 * interval.low:.1f}%, {100 * interval.high:.1f}%]"
    return f"{100 * accepted / planted:.1f}% ({accepted:,}/{planted:,}), {bounds}"


def agreement_words(document: Document) -> tuple[str, ...]:
    """Who was compared with whom, how far they agree, and what the figures mean; a sentence each."""
    agreement = document["agreement"]
    if agreement is None:
        return (NO_AGREEMENT,)
    raters, units = agreement["raters"], f"n = {agreement['units']:,} ratings of the same item and session"
    if agreement["kind"] == "inter-rater":
        found = [f"Inter-rater agreement of {amount(raters, 'evaluator')}, {units}."]
    else:
        found = [
            f"Intra-rater agreement of {amount(raters, 'pass', 'passes')} by one evaluator, {units}.",
            "This is self-consistency; it does not show that another evaluator would agree.",
        ]
    given = len(found)
    for key, name in ((ALPHA, "Krippendorff's alpha"), (KAPPA, "Weighted kappa")):
        if key in document["scores"]:
            found.append(f"{name}: {points(document['scores'][key])}.")
        elif key in document["denominators"]:
            found.append(f"{name}: not defined, the ratings do not vary.")
    if len(found) > given:
        found.append(
            "1 is perfect agreement, 0 is chance level. Krippendorff recommends at least 0.80, and 0.67 for tentative "
            "conclusions."
        )
    return tuple(found)
