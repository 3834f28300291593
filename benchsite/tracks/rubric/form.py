"""The evaluation form: one static page for each version and template, made from the methodology's own data.

Owns the content of the page; `templates/form.html.j2` lays it out, `theme/assets/js/evaluate.js` computes, keeps and
downloads the sheet. Without script the page is the sheet to read and to print. Versions that this release cannot compute
have no form.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from benchsite.addresses import evaluate_path
from benchsite.methodology import Methodology
from benchsite.methodology.instrument import DIMENSIONS, SCENARIOS, Instrument, Template
from benchsite.methodology.status import VersionStatus
from benchsite.track import Library, Page
from benchsite.tracks.rubric.engines import Rules, known_rules

TRACK: Final = "rubric"
LEVELS: Final = ("1", "2", "3", "4", "5")


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
    standing: VersionStatus,
    newer: str,
) -> Page:
    """The form of one template.

    Args:
        methodology: the version it is scored under.
        instrument: what evaluators of that version score with.
        template: the domain.
        rules: what the version requires.
        standing: the status of the version: current, superseded or proposed.
        newer: the path of the current version's form of the same template; empty where there is none.
    """
    version = methodology.data.version
    title = f"Evaluate an agent: {template.title}, rubric {version}"
    return Page(
        path=evaluate_path(template.slug, version),
        title=title,
        description=(
            f"Evaluation form for {template.title} under rubric {version}: every question with its anchors, the scores "
            "computed as you go, the sheet downloaded as a file."
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
            "sections": tuple(_sections(rules)),
            "form": _asked(instrument, template, rules, version),
        },
    )


def _sections(rules: Rules) -> Iterator[tuple[str, str]]:
    """(id, title) of each part of the page, for its navigation; progress is counted by these ids."""
    yield from (("agent", "Agent"), ("evaluator", "Evaluator"), ("session", "Session"))
    if rules.disclosures:
        yield "disclosures", "Disclosures"
    yield "transcripts", "Transcripts"
    if rules.required_tests:
        yield "tests", "Required tests"
    yield from ((name, name) for name in (*DIMENSIONS, *SCENARIOS))
    yield "result", "Result"


def _asked(instrument: Instrument, template: Template, rules: Rules, version: str) -> dict[str, Any]:
    """The data of the form that the script needs: `Form` in theme/assets/js/sheet-draft.js."""
    return {
        "version": version,
        "template": template.slug,
        "tests": [item.id for item in instrument.required_tests] if rules.required_tests else [],
        "criteria": [{"id": item.id, "title": item.title} for item in template.criteria],
        "parameters": rules.model_dump(by_alias=True),
    }


def _form_path(methodology: Methodology, slug: str) -> str:
    """The form of another version for the same domain; empty where there is none."""
    instrument = methodology.data.instrument
    asked = instrument is not None and instrument.template(slug) is not None
    return evaluate_path(slug, methodology.data.version) if asked and known_rules(methodology) else ""
