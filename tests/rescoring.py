"""Both languages' judgement of one receipt, to be compared, and the ways of altering a receipt that the comparisons take.

One node process answers all questions of a call (tests/js/rescoring.js). Signatures are well formed and never looked
at, as both languages judge before they check them.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

from documents import MATERIALS
from forgery import at, changed, leaves

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.history import UncheckedError, rescored
from benchsite.receipt import ReceiptError, UnsupportedSchema, parse
from benchsite.tracks.agents import TRACK as AGENTS
from benchsite.tracks.retrieval import TRACK as RETRIEVAL
from benchsite.tracks.rubric import TRACK as RUBRIC

SCRIPTS: Final = Path(__file__).parent / "js"
TRACKS: Final = {"agents": AGENTS, "retrieval": RETRIEVAL, "rubric": RUBRIC}
SIGNATURE = {"algorithm": "Ed25519", "publicKeyFingerprint": "sha256:" + "ab" * 32, "value": "A" * 86}


def ask(question: str, given: Iterable[Any]) -> list[Any]:
    """The answers of JavaScript, one for each thing given."""
    lines = "".join(json.dumps([question, item]) + "\n" for item in given)
    run = subprocess.run(
        ["node", "rescoring.js"], cwd=SCRIPTS, input=lines, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def judged(text: str) -> dict[str, Any]:
    """What Python says, in the form rescoring.js says it."""
    try:
        receipt = parse(text.encode())
        track, found = rescored(receipt, TRACKS, MATERIALS, deep=False)
    except JsonError as error:
        return {"outcome": "invalid", "message": str(error)}
    except ReceiptError as error:
        return {"outcome": "invalid", "field": error.field, "message": error.message}
    except (UnsupportedSchema, UncheckedError) as error:
        return {"outcome": "unsupported", "message": str(error)}
    return {
        "outcome": "judged",
        "schema": receipt.schema,
        "isCanonical": receipt.is_canonical,
        "signed": len(receipt.signed_bytes()),
        "target": track.target(receipt.document)._asdict(),
        "rescore": found.rescore.value,
        "reason": found.reason,
        "compared": found.compared,
        "omitted": found.omitted,
        "differences": [
            {"field": item.field, "recorded": item.recorded, "computed": item.computed}
            for item in found.differences
        ],
        "violations": [
            {"code": item.code, "message": item.message, "field": item.field} for item in found.violations
        ],
    }


def compare(texts: Iterable[str]) -> list[dict[str, Any]]:
    """Demand one judgement of both languages for every text; what Python said."""
    given = list(texts)
    expected = [judged(text) for text in given]
    for text, said, here in zip(given, ask("judge", given), expected, strict=True):
        said.pop("missing", None)  # a code for the browser's own page
        assert said == here, text[:300]
    return expected


def written(document: Any) -> str:
    """As JSON, in the members' own order: not canonical as a rule."""
    return json.dumps(document, ensure_ascii=False)


REPLACEMENTS: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2, 0.5, 1.5, 1e-5, 1e21, 1e300, 2**53 - 1),
    *("", "x", "a\x00b", "é\U0001f600", "\U0001f600" * 200, "\U0001f600" * 201, "wilson", "bootstrap"),
    *([], {}, ["x"], {"x": 1}, [[]], [0], ["x"] * 1001, [0] * 21),
)


def every_leaf_altered(document: dict[str, Any], every: int = 1) -> Iterator[str]:
    """Each leaf changed slightly, taken away, and replaced by some other values in turn; `every` nth of these edits."""
    base = written(document)

    def edits() -> Iterator[Callable[[], str]]:
        for number, path in enumerate(leaves(document)):
            others = [REPLACEMENTS[(number + step) % len(REPLACEMENTS)] for step in (0, 7, 13)]
            for value in (changed(get(document, path)), *others):
                yield partial(replaced, base, path, value)
            yield partial(removed, base, path)

    return (made() for made in islice(edits(), 0, None, every))


def replaced(base: str, path: tuple[Any, ...], value: Any) -> str:
    document = json.loads(base)
    holder, key = at(document, path)
    holder[key] = value
    return written(document)


def removed(base: str, path: tuple[Any, ...]) -> str:
    document = json.loads(base)
    holder, key = at(document, path)
    del holder[key]
    return written(document)


def get(document: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        document = document[step]
    return document


def containers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        yield path
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from containers(inner, (*path, key))


def every_object_widened(document: dict[str, Any], every: int = 1) -> Iterator[str]:
    """Unknown members in every object, a foreign entry in every list, every container replaced; `every` nth of these."""
    base = written(document)

    def edits() -> Iterator[Callable[[], str]]:
        for number, path in enumerate(containers(document)):
            for extra in ({"zz": 1, "aa": 2}, {"7": 0.5}, {"": None}, {".x": {}}, {"constructor": 1}):
                yield partial(widened, base, path, extra)
            if path:
                for step in range(0, len(REPLACEMENTS), 4):
                    yield partial(replaced, base, path, REPLACEMENTS[(number + step) % len(REPLACEMENTS)])
                yield partial(removed, base, path)

    return (made() for made in islice(edits(), 0, None, every))


def widened(base: str, path: tuple[Any, ...], extra: dict[str, Any]) -> str:
    document = json.loads(base)
    held = get(document, path)
    held.update(extra) if isinstance(held, dict) else held.append(extra)
    # Of a file that is not canonical, engines do not give back where a member such as "7" stood.
    return canonical.dumps(document).decode() if "7" in extra else written(document)
