"""A small signed and logged record of rubric receipts: for tests of what reports and boards say.

The rules are the published ones; agents, evaluators and scores are invented. Every receipt passes the same verification
as a published one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from boards import pages_of
from rubric_receipts import Said, draft, rescored
from rubric_rules import VERSIONS
from rubric_rules import published as rules
from sample_record import SampleRecord, make_fixture

from benchsite.site.render import Renderer
from benchsite.track import Library, Page
from benchsite.tracks.rubric import TRACK

CLEAN = {"commit": "5e" * 20, "dirty": False, "tag": None}


class RubricRecord(SampleRecord):
    """A log that pins some versions of the rules, with its receipts; `missing` are documents that vanished from it."""

    def __init__(self, *versions: str) -> None:
        super().__init__(
            make_fixture(10),
            [rules(version) for version in versions or VERSIONS],
            scorers={"rubric": TRACK},
        )
        self.missing: set[str] = set()

    @property
    def library(self) -> Library:
        pinned = {item["sha256"] for body in self.bodies.values() for item in body.get("evidence", ())}
        served = frozenset(pinned - self.log.withdrawn.keys() - self.missing)
        return Library(self.methodologies, lambda _id, _sha256: None, self.log.methodologies, served)

    def score(self, version: str, said: Sequence[Said] = (Said(),), **changes: Any) -> str:
        """Publish an evaluation; `name` is the agent's, other changes are keys of the receipt."""
        options = {key: changes.pop(key) for key in ("template", "tested") if key in changes}
        made = draft(version, said, methodology_sha256=rules(version).sha256, **options)
        made["agent"] = {**made["agent"], "name": changes.pop("name", "Helper")}
        made["environment"] = {**made["environment"], "git": CLEAN}
        return self.add_receipt(rescored(made | changes) | self.envelope())

    def pages(self) -> dict[str, Page]:
        """Boards and data by path."""
        return {page.path: page for page in pages_of(TRACK, self.history(), self.body, self.library)}

    def report(self, receipt_id: str) -> Page:
        """The page of a receipt."""
        header = self.history().get(receipt_id)
        assert header is not None
        return TRACK.receipt_page(header, self.body(receipt_id), self.library)


def renders() -> Renderer:
    return Renderer({"rubric": TRACK})
