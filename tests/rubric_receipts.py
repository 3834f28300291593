"""Small rubric receipts to build tests from: what a sheet says in a few numbers, and the whole draft around it.

`payload("1.3.0")` is one valid sheet; `draft("2.0.0", SIX)` three sessions of two evaluators. Numbers are filled in by
`rescored`, so a test that changes ratings calls it again, and a test of the numbers themselves never uses it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from documents import digest_of
from rubric_rules import RULES

from benchsite import canonical
from benchsite.tracks.rubric.metrics import score

TRANSCRIPT = "USER: organise this list\nAGENT: here it is, in order\n"
"""Evidence of the first session: the draft pins its sha256, and those of the other sessions' (`transcript`)."""
EXCERPT = "here it is, in order"
LOOSE = "seen on screen, not in the transcript"
"""An excerpt without a file: it stands for itself."""

Marks = tuple[int, int, int]
CRITERIA = {
    "customer-service": ("accuracy", "completeness", "usefulness"),
    "coding-development": ("correctness", "completeness", "codeQuality"),
}


@dataclass(frozen=True)
class Said:
    """One sheet: who scored what in which session, and the marks.

    `domain` holds a scenario each: three marks, or a list of several questions' marks, which are averaged.
    """

    universal: tuple[int, ...] = (4, 4, 4, 3, 5, 4)
    domain: tuple[Marks | list[Marks], ...] = ((4, 4, 4), (5, 4, 3), (3, 3, 3), (4, 5, 5), (2, 3, 4))
    evaluator: int = 0
    pass_: int = 1
    session: int = 1


def uniform(mark: int, **place: int) -> Said:
    """The same mark everywhere."""
    return Said((mark,) * 6, ((mark,) * 3,) * 5, **place)


SIX = tuple(
    Said(universal=(mark, 4, 4, 3, 5, 4 - evaluator), evaluator=evaluator, session=session)
    for session, mark in ((1, 3), (2, 4), (3, 5))
    for evaluator in (0, 1)
)
"""Three sessions, each scored by two evaluators: enough for 2.0.0."""

PASSES = tuple(
    Said(universal=(mark, 4, 4, 3, 5, 5 - number), pass_=number, session=session)
    for session, mark in ((1, 3), (2, 4), (3, 5))
    for number in (1, 2)
)
"""Three sessions, each scored twice by one evaluator."""


def payload(
    version: str = "1.3.0",
    said: Sequence[Said] = (Said(),),
    *,
    template: str = "customer-service",
    tested: bool | Literal["as shown"] | None = "as shown",
    scored: bool = True,
) -> dict[str, Any]:
    """The track's keys of a receipt under a version.

    Args:
        version: decides what is recorded: no tests and disclosures under 1.0.0.
        said: the sheets, in the order of a receipt: by session, evaluator, pass.
        template: one of `CRITERIA`.
        tested: what is disclosed of repeatability, where the version asks; by default what the sessions show.
        scored: whether to fill in the numbers; else they are empty.
    """
    rules = RULES[version]
    if tested == "as shown":
        tested = len({one.session for one in said}) > 1
    criteria = CRITERIA[template]
    body: dict[str, Any] = {
        "agent": {"name": "Helper", "version": "2.1", "vendor": "Example Works"},
        "template": {"slug": template, "schemaName": f"{template.replace('-', '_')}_v1"},
        "evaluators": [
            {
                "name": f"evaluator {number}",
                "kind": "human",
                "model": None,
                "conflictOfInterest": "none",
                "consentToPublish": True,
            }
            for number in range(1 + max(sheet.evaluator for sheet in said))
        ],
        "sheets": [
            {
                "evaluator": sheet.evaluator,
                "pass": sheet.pass_,
                "session": sheet.session,
                "date": f"2026-05-{sheet.session:02}",
            }
            for sheet in said
        ],
        "universal": {
            f"U{place + 1}": [
                {
                    "score": sheet.universal[place],
                    "note": f"U{place + 1} noted",
                    "evidence": [cited(text=transcript(sheet.session))],
                }
                for sheet in said
            ]
            for place in range(6)
        },
        "domain": {
            f"D{place + 1}": [_scenario(sheet, place, criteria) for sheet in said] for place in range(5)
        },
        "requiredTests": _tests(said) if rules.required_tests else None,
        "disclosures": {
            "repeatabilityTested": tested if rules.disclosures else None,
            "multiStep": "single-message" if rules.disclosures else None,
        },
        "scores": {},
        "exact": {},
        "denominators": {},
        "intervals": {},
        "agreement": None,
    }
    return rescored(body, version) if scored else body


def draft(
    version: str = "1.3.0",
    said: Sequence[Said] = (Said(),),
    *,
    methodology_sha256: str | None = None,
    **options: Any,
) -> dict[str, Any]:
    """A whole unsigned receipt: envelope, `config` and payload."""
    return {
        "schemaVersion": "1.0.0",
        "track": "rubric",
        "receiptId": "00000000-0000-4000-8000-000000000001",
        "benchVersion": "0.1.0",
        "ranAt": "2026-05-04T12:00:00Z",
        "ranBy": {"kind": "maintainer", "name": "the maintainers"},
        "origin": "native",
        "methodology": {
            "id": "rubric",
            "version": version,
            "sha256": methodology_sha256 or digest_of("rubric", version),
        },
        "config": {"sheets": [f"{place + 1:064x}" for place in range(len(said))], "subjectSha256": None},
        "environment": {
            "python": "3.11.9",
            "platform": "linux",
            "cpu": None,
            "cores": None,
            "loadAverage": None,
            "runner": None,
            "containerImage": None,
            "packages": None,
            "git": {"commit": None, "dirty": None, "tag": None},
        },
        "logHead": None,
        "supersedes": None,
        "reproduces": None,
        "intentId": None,
        "derivedFrom": None,
        "evidence": [pinned(transcript(number)) for number in sorted({one.session for one in said})],
        "simulated": False,
        **payload(version, said, **options),
    }


def rescored(body: Mapping[str, Any], version: str = "") -> dict[str, Any]:
    """A copy whose numbers follow from its ratings; a draft knows its own version."""
    made = copy.deepcopy(dict(body))
    rules = RULES[version or made["methodology"]["version"]]
    return made | score(made, rules).sections()


def transcript(session: int) -> str:
    """What was said in a session: the excerpt occurs in each."""
    return TRANSCRIPT if session == 1 else f"{TRANSCRIPT}Session {session} ends.\n"


def pinned(text: str = TRANSCRIPT, name: str = "transcript.txt") -> dict[str, Any]:
    """An entry of the receipt's `evidence`."""
    data = text.encode()
    return {
        "name": name,
        "sha256": canonical.sha256_hex(data),
        "size": len(data),
        "mediaType": "text/plain",
    }


def cited(excerpt: str | None = EXCERPT, text: str = TRANSCRIPT) -> dict[str, Any]:
    """Words of a pinned document, or the whole of it."""
    return {"sha256": canonical.sha256_hex(text.encode()), "excerpt": excerpt}


def loose(excerpt: str = LOOSE) -> dict[str, Any]:
    """Words without a document."""
    return cited(excerpt, excerpt)


def _scenario(sheet: Said, place: int, criteria: Sequence[str]) -> dict[str, Any]:
    given = sheet.domain[place]
    questions = given if isinstance(given, list) else [given]
    return {
        "questions": [
            {
                "question": f"question {number}" if len(questions) > 1 else None,
                "criteria": {
                    name: {"score": mark, "note": f"{name} noted"}
                    for name, mark in zip(criteria, marks, strict=True)
                },
            }
            for number, marks in enumerate(questions, start=1)
        ],
        "evidence": [cited(text=transcript(sheet.session)), loose()],
    }


def _tests(said: Sequence[Said]) -> dict[str, Any]:
    return {
        name: [
            {"outcome": "pass", "note": "as desired", "evidence": [cited(None, transcript(sheet.session))]}
            for sheet in said
        ]
        for name in ("standardisedTask", "hallucination", "invalidInput")
    }
