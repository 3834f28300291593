"""Whether a draft was scored with the template it names, as the methodology has it.

A receipt can be scored again with nothing else; what its criteria are worth depends on their being the methodology's.
`publish` holds each draft against the rules before it signs.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchsite.errors import IntegrityError
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
    for fault in _faults(document, resolved.rules):
        raise IntegrityError(
            f"draft {document['receiptId']}: {fault}",
            hint="the draft was edited or made from other rules: run it again from its sheets",
        )


def differing(document: Document, again: Document) -> Iterator[tuple[str, str]]:
    """Nothing: no machine repeats an evaluation."""
    del document, again
    yield from ()


def _faults(document: Document, rules: Methodology) -> Iterator[str]:
    name = f"rubric {rules.data.version}"
    slug = document["template"]["slug"]
    instrument = rules.data.instrument
    template = instrument.template(slug) if instrument is not None else None
    if template is None:
        yield f"template {slug} is not one of {name}"
        return
    stated = document["template"]["schemaName"]
    if stated != template.schema_name:
        yield f"template.schemaName is {stated}; {name} calls the schema of {slug} {template.schema_name}"
    wanted = {criterion.id for criterion in template.criteria}
    for scenario, ratings in sorted(document["domain"].items()):
        for given in (question["criteria"] for rating in ratings for question in rating["questions"]):
            if given.keys() != wanted:
                yield (
                    f"{scenario} is scored on {', '.join(sorted(given))}; {name} scores {slug} on "
                    f"{', '.join(sorted(wanted))}"
                )
