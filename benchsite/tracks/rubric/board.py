"""A leaderboard of the rubric track: one domain template under one methodology version (specs/rubric.md).

A row is the latest receipt of an agent, version and vendor, never the best; what somebody sent has a row of its own, one
a sender. Results under other versions stand beside a row as links, apart and never in its order: scores under different
rules are not comparable. No number is averaged across boards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from benchsite.addresses import board_path, evaluate_path
from benchsite.history import Header, History
from benchsite.history import Row as LatestRow
from benchsite.methodology import Methodology, version_key
from benchsite.methodology.instrument import Template
from benchsite.track import Bodies, Library
from benchsite.tracks.rubric.engines import Rules, known_rules
from benchsite.tracks.rubric.metrics import HEADLINE, LEAST
from benchsite.tracks.rubric.row import Elsewhere, Row, ranked, row_of
from benchsite.tracks.rubric.wording import title_of

TRACK = "rubric"
Versions = Mapping[str, Sequence[Header]]
"""Methodology version to the receipts of one template under it, in log order."""


@dataclass(frozen=True, slots=True)
class Board:
    """Everything a board's page and its data files say.

    Attributes:
        newer: a later version under which this template was scored too, or empty.
        current: the version in force, where it is not this one; else empty.
        demands: what the rules go by, if they are at hand.
        rules: the template as the rules have it, if they are at hand.
        form: where an evaluator begins under these rules; empty where there is no form.
    """

    template: str
    title: str
    methodology: str
    newer: str
    current: str
    demands: Rules | None
    rules: Template | None
    ranked: tuple[Row, ...]
    unranked: tuple[Header, ...]
    form: str

    @property
    def metric(self) -> str:
        """What it is ranked by."""
        return HEADLINE

    @property
    def path(self) -> str:
        """The permanent page of the template; it shows the newest version with receipts."""
        return board_path(TRACK, self.template)

    @property
    def frozen_path(self) -> str:
        """The permanent page of the template under this version."""
        return board_path(TRACK, self.template, self.methodology)

    @property
    def penalty(self) -> int:
        """Points that these rules take off where repeatability was not tested."""
        return self.demands.penalty if self.demands else 0

    @property
    def intervals(self) -> bool:
        """Whether the rules give intervals, so that ranks are ranges."""
        return self.demands is not None and self.demands.intervals

    @property
    def least(self) -> int:
        """The least composite that these rules can give."""
        return LEAST - self.penalty

    @property
    def leaders(self) -> tuple[Row, ...]:
        """The agents that may be first."""
        return tuple(row for row in self.ranked if row.first == 1)

    @property
    def elsewhere(self) -> tuple[tuple[Row, Elsewhere], ...]:
        """Results of these agents under other rules."""
        return tuple((row, other) for row in self.ranked for other in row.elsewhere)


def board(
    history: History, template: str, version: str, versions: Versions, bodies: Bodies, library: Library
) -> Board:
    """Compose the board of a template under a version.

    Args:
        history: where the newest receipt of each row is found.
        template: its slug.
        version: the methodology version.
        versions: every receipt of the template, ranked or not.
        bodies: receipt bodies by id.
        library: the rules, and which of them are in force.
    """
    headers = versions.get(version, ())
    latest = {other: history.rows(found) for other, found in versions.items()}
    elsewhere = _elsewhere(version, latest)
    rows = [
        replace(
            row_of(found.header, found.runs, bodies(found.header.receipt_id)),
            elsewhere=tuple(elsewhere[_line(found.header)]),
        )
        for found in latest.get(version, ())
    ]
    document = _document(version, library)
    here, later = _template(template, document), max(versions, key=version_key, default=version)
    current = library.standing(TRACK, version).current
    return Board(
        template=template,
        title=f"{here.title if here else title_of(template, None)} agents",
        methodology=version,
        newer=later if version_key(later) > version_key(version) else "",
        current=current if version_key(current) > version_key(version) else "",
        demands=known_rules(document),
        rules=here,
        ranked=ranked(rows),
        unranked=tuple(header for header in headers if not header.ranked),
        form=evaluate_path(template, version) if here else "",
    )


def rules_of(template: str, version: str, library: Library) -> Template | None:
    """A template as a version has it, if the version lies here."""
    return _template(template, _document(version, library))


def _document(version: str, library: Library) -> Methodology | None:
    named = ((item.data.track, item.data.version) for item in library.methodologies)
    return dict(zip(named, library.methodologies, strict=True)).get((TRACK, version))


def _template(template: str, document: Methodology | None) -> Template | None:
    instrument = document.data.instrument if document else None
    return instrument.template(template) if instrument else None


def _elsewhere(
    version: str, latest: Mapping[str, Sequence[LatestRow]]
) -> defaultdict[tuple[str, str], list[Elsewhere]]:
    """By agent, the latest results under other versions, newest rules first."""
    found: defaultdict[tuple[str, str], list[Elsewhere]] = defaultdict(list)
    for other in sorted(latest, key=version_key, reverse=True):
        for row in latest[other] if other != version else ():
            summary = row.header.summary
            value = summary.headline.value if summary else None
            found[_line(row.header)].append(Elsewhere(other, value, row.header.receipt_id))
    return found


def _line(header: Header) -> tuple[str, str]:
    return (header.summary.row if header.summary else "", header.sent_by)
