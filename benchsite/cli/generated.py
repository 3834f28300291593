"""What `make reference` writes from the program itself: JavaScript's shapes, tables and sentences.

Owns which files those are and what each of them holds. `theme/verify/schemas.js` and one `shapes-<track>.js` a track
come from the pydantic models, `tables.js` from the literals of benchsite.stats and benchsite.unseen, `sentences.js` from
benchsite.history.sentences and benchsite.site.marks, each `sentences-<name>.js` from a module `sentences` of benchsite or of
a track. The shapes of another package's track are written the same way, for that package to ship beside its `rescore-<track>.js`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from types import ModuleType
from typing import Any, Final

import benchsite.board.sentences
import benchsite.canonical.sentences
import benchsite.log.sentences
import benchsite.methodology.sentences
import benchsite.receipt.sentences
import benchsite.sentences
from benchsite import plugins, resources, unseen
from benchsite.board import Leaderboard
from benchsite.board.statement import Statement
from benchsite.cli.shapes import Shapes
from benchsite.history import DETAILS, RESCORE_SENTENCES, SENTENCES, TITLES
from benchsite.log.entries import ENTRY_TYPES
from benchsite.methodology import FILES as METHODOLOGY_FILES
from benchsite.methodology import PARAMETERS_FILE, digest, parameters, version_key
from benchsite.receipt.envelope import SignedEnvelope
from benchsite.receipt.schema_0_0_1 import LegacyReceipt
from benchsite.site.marks import STATES, VERDICTS, Mark
from benchsite.site.verifier import tracks_module
from benchsite.stats.discounts import DISCOUNTS
from benchsite.stats.student import T_975

_OWN: Final = ("agents", "retrieval", "rubric")
_WORDS: Final[Mapping[str, ModuleType]] = {
    "board": benchsite.board.sentences,
    "canonical": benchsite.canonical.sentences,
    "log": benchsite.log.sentences,
    "methodology": benchsite.methodology.sentences,
    "receipt": benchsite.receipt.sentences,
    "schema": benchsite.sentences,
}
_HEAD: Final = "Written by `make reference` from {source}; do not edit."
_ROW: Final = 6


def shapes(name: str) -> str:
    """The module of an installed track's shapes: `PAYLOAD`, `CONFIG`, and `ENGINES` where parameters are modeled."""
    track = plugins.track(name)
    payload = track.part("payload")
    made = Shapes(name, track.package)
    made.formats()
    made.export("PAYLOAD", payload.Payload)
    made.export("CONFIG", payload.Config)
    made.export_map("ENGINES", track.engines)
    return made.text(_HEAD.format(source=f"the models of {track.package}"))


def schemas() -> str:
    """The module of what every track shares: the named strings, receipts of both schemas, log entries."""
    made = Shapes()
    made.formats(here=True)
    made.export("RECEIPT", SignedEnvelope)
    made.export_fields("RECEIPT_FIELDS", SignedEnvelope)
    made.export("LEGACY_RECEIPT", LegacyReceipt)
    made.export_map("ENTRIES", ENTRY_TYPES)
    made.export("STATEMENT", Statement)
    return made.text(_HEAD.format(source="benchsite.schema, benchsite.receipt and benchsite.log"))


def tables() -> str:
    """The module of literal tables: engines disagree about logarithms, and have no quantiles."""
    head = _HEAD.format(source="benchsite.stats and benchsite.unseen")
    return (
        f"// {head}\n\n"
        "/** Weights of nDCG by rank, 1/log2(rank + 1); the first is rank 1. @type {readonly number[]} */\n"
        f"export const DISCOUNTS = [\n{_rows(DISCOUNTS)}];\n\n"
        "/** The two-sided 95% quantiles of Student's t, for 1 degree of freedom and more. @type {readonly number[]} */\n"
        f"export const T_975 = [\n{_rows(T_975)}];\n\n"
        "/** Characters that no reader sees, as the inside of a character class. */\n"
        f"export const INVISIBLE =\n{_class(unseen.INVISIBLE)};\n\n"
        "/** Spaces, likewise. */\n"
        f"export const SPACE =\n{_class(unseen.SPACE)};\n"
    )


def sentences() -> str:
    """The module of the words that verification says in both languages."""
    head = _HEAD.format(source="benchsite.history.sentences and benchsite.site.marks")
    named: list[tuple[str, str, Mapping[Any, str | Mark]]] = [
        ("SENTENCES", "Verdict, string", SENTENCES),
        ("RESCORE_SENTENCES", "Rescore, string", RESCORE_SENTENCES),
        ("VERDICTS", "Verdict, Mark", VERDICTS),
        ("STATES", "State, Mark", STATES),
    ]
    tables = "".join(
        f"/** @type {{Readonly<Record<{kinds}>>}} */\n{_object(name, values)}\n"
        for name, kinds, values in named
    )
    return (
        f"// {head}\n\n"
        '/** @typedef {import("./types.js").Verdict} Verdict */\n'
        '/** @typedef {import("./types.js").Rescore} Rescore */\n'
        '/** @typedef {import("./types.js").State} State */\n'
        '/** @typedef {"good" | "caution" | "bad" | "soft"} Tone */\n'
        "/** @typedef {{glyph: string, word: string, tone: Tone}} Mark color is never the only carrier */\n\n"
        f"{tables}{_object('TITLES', TITLES)}\n{_object('DETAILS', DETAILS)}"
    )


def messages(words: ModuleType) -> str:
    """The module of the words that a module `sentences` holds for both languages."""
    head = _HEAD.format(source=words.__name__)
    tables = [
        _object(name, getattr(words, name))
        for name in ("MESSAGES", "DETAILS", "TERMS")
        if hasattr(words, name)
    ]
    return f"// {head}\n\n" + "\n".join(tables)


def _of_track(name: str) -> str:
    return messages(plugins.track(name).part("sentences"))


def _object(name: str, values: Mapping[Any, str | Mark]) -> str:
    """A frozen object of texts or marks, one member a line."""
    rows = "".join(f"  {json.dumps(str(key))}: {_literal(value)},\n" for key, value in values.items())
    return f"export const {name} = Object.freeze({{\n{rows}}});\n"


def _literal(value: str | Mark) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    members = ", ".join(
        f"{key}: {json.dumps(text, ensure_ascii=False)}" for key, text in asdict(value).items()
    )
    return f"{{ {members} }}"


def methodologies() -> str:
    """The module of the packaged methodology versions: what a re-score goes by, by the digest that receipts name."""
    base = resources.folder("methodology")
    folders = sorted(base.glob("*/*/"), key=lambda path: (path.parent.name, version_key(path.name)))
    entries = []
    for folder in folders:
        files = {name: (folder / name).read_bytes() for name in METHODOLOGY_FILES}
        known = parameters.read(files[PARAMETERS_FILE], f"{folder}/{PARAMETERS_FILE}")
        entries.append(f'  ["{digest(files)}", {json.dumps(known.model_dump())}],\n')
    return (
        f"// {_HEAD.format(source='the documents under methodology/')}\n\n"
        '/** @typedef {import("./types.js").Methodology} Methodology */\n\n'
        "/** @type {ReadonlyMap<string, Methodology>} by digest */\n"
        f"export const KNOWN = new Map([\n{''.join(entries)}]);\n"
    )


def tracks() -> str:
    """The list of our own tracks; a site's build writes it from what is installed."""
    return tracks_module(f"rescore-{name}.js" for name in _OWN)


def leaderboards() -> str:
    """The module of what our tracks rank by default."""
    rows = []
    for name in _OWN:
        track = plugins.track(name)
        about: Leaderboard = track.part("board").LEADERBOARD
        rules = {
            "headline": about.headline,
            "tasks": about.tasks,
            "limited": track.limited,
            "baselines": list(about.baselines),
            "imports": about.imports,
            "isCompared": about.compared is not None,
            "flips": about.flips,
            "level": about.level,
        }
        rows.append(f'  ["{name}", {json.dumps(rules, ensure_ascii=False)}],\n')
    return (
        f"// {_HEAD.format(source='the leaderboards of our tracks')}\n\n"
        '/** @typedef {import("./leaderboard.js").Rules} Rules */\n\n'
        "/** @type {ReadonlyMap<string, Rules>} by track; a methodology may have other values */\n"
        f"export const LEADERBOARDS = new Map([\n{''.join(rows)}]);\n"
    )


def _rows(numbers: tuple[float, ...]) -> str:
    rows = (numbers[at : at + _ROW] for at in range(0, len(numbers), _ROW))
    return "".join(f"  {', '.join(json.dumps(one) for one in row)},\n" for row in rows)


def _class(ranges: str) -> str:
    """The inside of a character class of Python, with JavaScript's escapes, in lines of a text."""
    escape = re.compile(r"\\U([0-9a-f]{8})|\\x([0-9a-f]{2})")
    text = escape.sub(lambda found: f"\\u{{{int(found[1] or found[2], 16):x}}}", ranges)
    text = "".join(one if one.isascii() else f"\\u{ord(one):04x}" for one in text)
    pieces = re.findall(r".{1,90}(?=\\u|$)", text)
    return " +\n".join(f"  {json.dumps(piece)}" for piece in pieces)


FILES: Final[Mapping[str, Callable[[], str]]] = {
    "theme/verify/schemas.js": schemas,
    "theme/verify/sentences.js": sentences,
    "theme/verify/tables.js": tables,
    "theme/verify/tracks.js": tracks,
    "theme/verify/known-methodologies.js": methodologies,
    "theme/verify/leaderboards.js": leaderboards,
    **{f"theme/verify/shapes-{name}.js": partial(shapes, name) for name in _OWN},
    **{f"theme/verify/sentences-{name}.js": partial(messages, words) for name, words in _WORDS.items()},
    **{f"theme/verify/sentences-{name}.js": partial(_of_track, name) for name in _OWN},
}
"""Every generated file but the pages of prose: its path in a checkout, and what makes it."""
