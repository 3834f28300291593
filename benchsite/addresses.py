"""Where a page is under the site: the paths that several parts link to, made in one place.

Every part of a path is an identifier whose shape was checked. Refuses anything else, because it is untrusted.
"""

from __future__ import annotations

import re
from typing import Final

from benchsite.schema import HEX64, SEMVER, SLUG

__all__ = [
    "FEED_PATH",
    "badge_path",
    "board_path",
    "comparison_path",
    "difference_path",
    "evaluate_path",
    "evidence_page_path",
    "is_slug",
    "methodology_path",
    "methodology_track_path",
    "receipt_page_path",
    "schema_path",
    "sheet_path",
    "subject_badge_path",
    "subject_feed_path",
    "subject_path",
]

FEED_PATH: Final = "log/feed.xml"
"""The Atom feed of the log."""
_SLUG: Final = re.compile(SLUG)
_SEMVER: Final = re.compile(SEMVER)
_SHA256: Final = re.compile(HEX64)


def is_slug(text: str) -> bool:
    """Whether a name may be part of a path."""
    return _SLUG.fullmatch(text) is not None


def receipt_page_path(receipt_id: str) -> str:
    """`receipts/3f/3f25…/`: the page of a receipt."""
    return f"receipts/{_checked(_SLUG, receipt_id)[:2]}/{receipt_id}/"


def badge_path(receipt_id: str) -> str:
    """`receipts/3f/3f25…/badge.json`: the badge of a receipt, beside its page."""
    return f"{receipt_page_path(receipt_id)}badge.json"


def evidence_page_path(sha256: str) -> str:
    """Where published evidence is served: as `.txt`, because a browser offers any other file for download."""
    return f"results/evidence/{_checked(_SHA256, sha256)[:2]}/{sha256}.txt"


def methodology_path(track: str, version: str) -> str:
    """`methodology/retrieval/1.0.0/`: the page of a rule set."""
    return f"methodology/{_checked(_SLUG, track)}/{_checked(_SEMVER, version)}/"


def methodology_track_path(track: str) -> str:
    """`methodology/retrieval/`: every version of the rule sets of a track."""
    return f"methodology/{_checked(_SLUG, track)}/"


def difference_path(track: str, old: str, new: str) -> str:
    """`methodology/rubric/1.2.0/to/1.3.0/`: what became of one rule set in another, in either direction."""
    return f"{methodology_path(track, old)}to/{_checked(_SEMVER, new)}/"


def evaluate_path(template: str, version: str) -> str:
    """`rubric/customer-service/evaluate/1.3.0/`: the form an evaluator fills for a template of a version."""
    return f"rubric/{_checked(_SLUG, template)}/evaluate/{_checked(_SEMVER, version)}/"


def board_path(track: str, target: str, version: str = "") -> str:
    """`retrieval/locomo-10-turn/`, the board of a fixture or benchmark, with a version the frozen one."""
    newest = f"{_checked(_SLUG, track)}/{_checked(_SLUG, target)}/"
    return f"{newest}{_checked(_SEMVER, version)}/" if version else newest


def comparison_path(track: str, target: str) -> str:
    """`agents/workbench/compare/`, the systems of a board side by side."""
    return f"{board_path(track, target)}compare/"


def sheet_path(path: str, number: int) -> str:
    """`retrieval/locomo-10-turn/rows/2/`: the further pages of a long leaderboard; the first is its own page."""
    return path if number == 1 else f"{path}rows/{number}/"


def card_path(folder: str) -> str:
    """`retrieval/locomo-10-turn/card.png`: the picture that a link preview shows of a leaderboard or a system."""
    return f"{folder}card.png"


def schema_path(name: str, track: str = "") -> str:
    """`api/v1/schema/retrieval/leaderboard.json`: the JSON Schema of a track's files, without a track of the site's."""
    return f"api/v1/schema/{_checked(_SLUG, track)}/{name}.json" if track else f"api/v1/schema/{name}.json"


def subject_path(subject_id: str) -> str:
    """`systems/bm25/`, the page of a subject; the list of all for an empty id."""
    return f"systems/{_checked(_SLUG, subject_id)}/" if subject_id else "systems/"


def subject_badge_path(subject_id: str, track: str, target: str) -> str:
    """`systems/bm25/badges/retrieval/locomo-10-turn.json`: the badge of a subject on a leaderboard."""
    return f"{subject_path(subject_id)}badges/{_checked(_SLUG, track)}/{_checked(_SLUG, target)}.json"


def subject_feed_path(subject_id: str) -> str:
    """`systems/bm25/feed.xml`: the Atom feed of a subject."""
    return f"{subject_path(subject_id)}feed.xml"


def _checked(shape: re.Pattern[str], text: str) -> str:
    if shape.fullmatch(text) is None:
        raise ValueError(f"{text[:80]!r} cannot be part of a path")
    return text
