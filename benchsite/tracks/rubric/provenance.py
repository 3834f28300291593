"""Whether a receipt was scored with the template it names, as the methodology has it.

A receipt can be re-scored by itself, but its criteria must be those of the methodology. `publish` compares each draft
with the document before it signs, and `join` each sheet when it is read.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchsite.errors import IntegrityError
from benchsite.history import Violation
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.track import Resolved


def hold_against(document: Document, resolved: Resolved) -> None:
    """Compare the template, its schema name and the criteria of every scenario with the methodology.

    Args:
        document: a draft whose schema has been checked.
        resolved: what was looked up for it; `rules` is the methodology it names.

    Raises:
        IntegrityError: the first thing that is not the methodology's.
    """
    for fault in departures(document, resolved.rules):
        raise IntegrityError(
            f"draft {document['receiptId']}: {fault.message}",
            hint="re-run it from its sheets: the draft was edited, or made under another methodology",
        )


def differing(document: Document, again: Document) -> Iterator[tuple[str, str]]:
    """Nothing: evaluators' ratings cannot be re-run."""
    del document, again
    yield from ()


def departures(document: Document, rules: Methodology) -> Iterator[Violation]:
    """Each part of the template and the criteria that differs from the methodology."""
    name = f"rubric {rules.data.version}"
    slug = document["template"]["slug"]
    instrument = rules.data.instrument
    template = instrument.template(slug) if instrument is not None else None
    if template is None:
        yield Violation("template-unknown", f"template {slug} is not one of {name}", "template.slug")
        return
    stated = document["template"]["schemaName"]
    if stated != template.schema_name:
        yield Violation(
            "schema-unknown",
            f"template.schemaName is {stated}; {name} calls the schema of {slug} {template.schema_name}",
            "template.schemaName",
        )
    wanted = {criterion.id for criterion in template.criteria}
    for scenario, ratings in sorted(document["domain"].items()):
        for place, rating in enumerate(ratings):
            for number, question in enumerate(rating["questions"]):
                if question["criteria"].keys() != wanted:
                    yield Violation(
                        "criteria-unknown",
                        f"{scenario} is scored on {', '.join(sorted(question['criteria']))}; {name} scores {slug} on "
                        f"{', '.join(sorted(wanted))}",
                        f"domain.{scenario}[{place}].questions[{number}].criteria",
                    )
