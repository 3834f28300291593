"""The evaluator form: one static page for each version and template, made from the methodology's own data.

Owns what the page is told; `templates/form.html.j2` lays it out, `theme/assets/js/evaluate.js` computes, keeps and hands
over the sheet. Without script the page is the sheet to read and to print. Versions whose rules this release cannot
compute have no form.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from benchsite.addresses import evaluate_path
from benchsite.methodology import Methodology
from benchsite.methodology.instrument import Instrument, Template
from benchsite.methodology.standing import Standing
from benchsite.track import Library, Page
from benchsite.tracks.rubric.engines import Rules, known_rules

TRACK: Final = "rubric"
LEVELS: Final = ("5", "4", "3", "2", "1")


def forms(library: Library) -> Iterator[Page]:
    """A form for every template of every version at hand."""
    here = {item.data.version: item for item in library.methodologies if item.data.track == TRACK}
    for version, methodology in here.items():
        instrument, rules = methodology.data.instrument, known_rules(methodology)
        if instrument is None or rules is None:
            continue
        standing = library.standing(TRACK, version)
        current = here.get(standing.current)
        for template in instrument.templates:
            yield form(
                methodology,
                instrument,
                template,
                rules,
                standing=standing,
                newer=_form_path(current, template.slug) if current and standing.superseded else "",
            )


def form(
    methodology: Methodology,
    instrument: Instrument,
    template: Template,
    rules: Rules,
    *,
    standing: Standing,
    newer: str,
) -> Page:
    """The form of one template.

    Args:
        methodology: the version it is scored under.
        instrument: what evaluators of that version score with.
        template: the domain.
        rules: what the version demands.
        standing: where the version stands: in force, superseded or proposed.
        newer: the path of the current version's form of the same template; empty where there is none.
    """
    version = methodology.data.version
    title = f"Evaluate an agent: {template.title}, rubric {version}"
    return Page(
        path=evaluate_path(template.slug, version),
        title=title,
        description=(
            f"The evaluator form for {template.title} under rubric {version}: every question with what each score "
            "means, the scores computed as you go, the sheet saved as a file."
        ),
        template="rubric/form.html.j2",
        context={
            "data": methodology.data,
            "instrument": instrument,
            "template": template,
            "rules": rules,
            "standing": standing,
            "newer": newer,
            "levels": LEVELS,
            "form": _asked(instrument, template, rules, version),
        },
    )


def _asked(instrument: Instrument, template: Template, rules: Rules, version: str) -> dict[str, Any]:
    """What the script must know of the form: `Form` in theme/assets/js/sheet-draft.js."""
    return {
        "version": version,
        "template": template.slug,
        "tests": [item.id for item in instrument.required_tests] if rules.required_tests else [],
        "disclosures": rules.disclosures,
        "criteria": [{"id": item.id, "title": item.title} for item in template.criteria],
        "averaging": rules.averaging,
        "evidence": rules.evidence,
        "parameters": rules.model_dump(by_alias=True),
    }


def _form_path(methodology: Methodology, slug: str) -> str:
    """Where another version asks about the same domain; empty where it does not, or has no form."""
    instrument = methodology.data.instrument
    asked = instrument is not None and instrument.template(slug) is not None
    return evaluate_path(slug, methodology.data.version) if asked and known_rules(methodology) else ""
