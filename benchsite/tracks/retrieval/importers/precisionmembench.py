"""PrecisionMemBench (tenurehq/precisionMemBench): beliefs about a user, and cases that say which beliefs a search must return.

The folder `fixtures` of its repository: `beliefs.seed.json` and `retrieval.cases.json`. The text of an item is what the benchmark
gives a memory system: name, aliases, content and purpose of the belief. A scope is a user. The relevant items of a case are those of
`shouldOnlyInclude`, else of `mustInclude` without the pinned beliefs, as in the benchmark's own recall.

A case that must return nothing is a query without relevant items, which no metric counts. It isn't an unanswerable one: the benchmark
expects nothing because of the case's domain or budget, or because a belief is pinned, superseded, resolved or an open question,
none of which an adapter is told.

The sessions of the benchmark change beliefs between searches, and aren't imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.retrieval.importers.assembly import Collection, Origin, slug_of
from benchsite.tracks.retrieval.importers.reading import ids_of, json_document, member
from benchsite.words import one_line

__all__ = ["convert"]

SOURCE: Final = "tenurehq/precisionMemBench"
PUBLISHED: Final[Mapping[str, str]] = {
    "fixtures of 18c7955": "caf5869bd3f393bd539a8cfc507743d5850f9d84b1bc6ee4be25556555a682dd",
}
"""SHA-256 of the two files, one after the other."""
USER: Final = "test-user"
"""The user of a case that names none, as in the benchmark's test."""
_BELIEFS, _CASES = "beliefs.seed.json", "retrieval.cases.json"
_HINT: Final = "as in the published data"


def convert(
    files: Mapping[str, bytes], *, where: str, fixture_id: str | None, origin: Mapping[str, str]
) -> tuple[dict[str, Any], list[str]]:
    """Read beliefs and cases.

    Args:
        files: by relative path; those of other names are not read.
        where: the folder's name.
        fixture_id: of the fixture; by default `precisionmembench`, with the prefix `altered-` where it isn't the published data.
        origin: license, source, notes and description, where the person states others.

    Raises:
        InputError: a file is missing or malformed.
    """
    missing = [name for name in (_BELIEFS, _CASES) if name not in files]
    if missing:
        raise InputError(f"{where}: no {missing[0]}", hint="PATH is the folder that has both files")
    found, pinned = Collection(), set[str]()
    for place, belief in _objects(files[_BELIEFS], _BELIEFS):
        _belief(found, belief, place)
        if belief.get("pinned") is True and belief["user_id"] == USER:
            pinned.add(belief["_id"])
    users = {item["scope"] for item in found.items.values()}
    for place, case in _objects(files[_CASES], _CASES):
        _case(found, case, place, users, pinned)
    data = files[_BELIEFS] + files[_CASES]
    is_published = canonical.sha256_hex(data) in PUBLISHED.values()
    stated = {
        "license": "MIT" if is_published else "unknown",
        "source": SOURCE
        if is_published
        else f"files in the format of {SOURCE}, not known as published: {where}",
        **{name: value for name, value in origin.items() if value},
    }
    stated.setdefault(
        "notes",
        "One scope per user, one item per belief. Domains and budgets of cases and the state of beliefs are not imported, so that"
        " cases which must return nothing have no relevant items. Pinned beliefs are items; the benchmark itself removes those of"
        " a case's domain from what a system returns. Sessions are not imported.",
    )
    stated.setdefault(
        "description", "Searches in what an assistant remembers of its user (PrecisionMemBench)."
    )
    return found.fixture(
        data,
        Origin.of("precisionmembench", stated, PUBLISHED),
        fixture_id or ("precisionmembench" if is_published else "altered-precisionmembench"),
        benchmark="precisionmembench",
    )


def _objects(data: bytes, name: str) -> list[tuple[str, dict[str, Any]]]:
    rows = json_document(data, name)
    if not isinstance(rows, list):
        raise InputError(f"{name}: not a list", hint=_HINT)
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            raise InputError(f"{name}[{number}] is not an object", hint=_HINT)
    return [(f"{name}[{number}]", row) for number, row in enumerate(rows)]


def _belief(found: Collection, belief: Mapping[str, Any], place: str) -> None:
    parts = [
        member(belief, ["canonical_name"], place),
        *ids_of(belief.get("aliases", []), f"{place}: aliases"),
        *(member(belief, [part], place) for part in ("content", "why_it_matters") if belief.get(part)),
    ]
    found.item(
        member(belief, ["_id"], place),
        " ".join(filter(None, parts)),
        place,
        scope=member(belief, ["user_id"], place),
        timestamp=belief.get("created_at"),
    )


def _case(found: Collection, case: Mapping[str, Any], place: str, users: set[str], pinned: set[str]) -> None:
    name, text = member(case, ["caseId"], place), member(case, ["query"], place)
    user = member(case, ["userId"], place) if case.get("userId") else USER
    expect = case.get("expect", {})
    stated = expect.get("relevantBeliefs") if isinstance(expect, dict) else []
    beliefs = {} if stated is None else stated
    if not isinstance(beliefs, dict):
        raise InputError(f"{place}: {one_line(name, 60)} has no expect.relevantBeliefs", hint=_HINT)
    if not text.strip():
        found.counted["dropped cases with an empty query"] += 1
        return
    if user not in users:
        found.counted["dropped cases of a user without beliefs"] += 1
        return
    only, must = (beliefs.get(key) for key in ("shouldOnlyInclude", "mustInclude"))
    relevant = (
        ids_of(only, f"{place}: shouldOnlyInclude")
        if only is not None
        else [one for one in ids_of(must or [], f"{place}: mustInclude") if one not in pinned]
    )
    found.query(
        name,
        text,
        place,
        scope=user,
        category=slug_of(member(case, ["category"], place)) or "not-stated",
    )
    for item in relevant:
        found.judge(name, item, 1, place)
