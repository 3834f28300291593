"""What a track's package of others raises by mistake names the track and the part, and is an error like any other."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchsite.errors import IntegrityError, TrackError
from benchsite.receipt import ReceiptError
from benchsite.track import Track

PARTS = {
    "verification": ("check", "rescore", "needs", "target", "summary"),
    "provenance": ("hold_against", "differing"),
    "receipt_page": ("receipt_page",),
    "board": ("pages",),
    "runner": ("plan", "run"),
    "command": ("parameters", "works", "suite", "measures", "work_of"),
    "sheets": ("digests", "is_sheet", "blank"),
    "fixtures": ("described",),
    "subjects": ("examined", "begun"),
}
WRONG = "def {name}(*given, **options):\n    return {{}}['missing']\n"


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Track]:
    """A track of which every function fails."""
    package = tmp_path / "broken_track"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for part, names in PARTS.items():
        (package / f"{part}.py").write_text("".join(WRONG.format(name=name) for name in names))
    (package / "engines.py").write_text("import no_such_module\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Track("broken", "Broken", "broken_track")
    for name in [name for name in sys.modules if name.partition(".")[0] == "broken_track"]:
        del sys.modules[name]


CALLS: dict[str, Callable[[Track], Any]] = {
    "verification.check": lambda track: track.check({}),
    "verification.rescore": lambda track: track.rescore(None, None, deep=False),  # type: ignore[arg-type]
    "verification.needs": lambda track: track.needs({}),
    "verification.target": lambda track: track.target({}),
    "verification.summary": lambda track: track.summary({}, None),
    "provenance.hold_against": lambda track: track.hold_against({}, None),  # type: ignore[arg-type]
    "provenance.differing": lambda track: list(track.differing({}, {})),
    "receipt_page.receipt_page": lambda track: track.receipt_page(None, {}, None),  # type: ignore[arg-type]
    "board.pages": lambda track: list(track.own_pages(track.pages(None, None, None))),  # type: ignore[arg-type]
    "runner.plan": lambda track: track.runner.plan(None, None, None),  # type: ignore[arg-type]
    "runner.run": lambda track: track.runner.run(None, None, None),  # type: ignore[arg-type]
    "command.works": lambda track: track.command.works(),
    "command.suite": lambda track: track.command.suite({}, ""),
    "sheets.digests": lambda track: track.sheets.digests({}),  # type: ignore[union-attr]
    "fixtures.described": lambda track: track.fixtures.described(b"", ""),  # type: ignore[union-attr]
    "subjects.scaffold": lambda track: track.subjects.scaffold("", ""),  # type: ignore[union-attr]
    "command.HELP": lambda track: track.command.HELP,
    "engines": lambda track: track.engines,
    "payload": lambda track: track.schema(),
}


@pytest.mark.parametrize("where", CALLS)
def test_every_part_that_raises_is_named(broken: Track, where: str) -> None:
    with pytest.raises(TrackError) as caught:
        CALLS[where](broken)
    assert f"track 'broken' failed in broken_track.{where}: " in caught.value.message
    assert caught.value.exit_code == 5
    assert caught.value.hint


def test_what_it_raises_on_purpose_is_handed_on(broken: Track, tmp_path: Path) -> None:
    head = "from benchsite.errors import IntegrityError\nfrom benchsite.receipt import ReceiptError\n"
    check = "def check(document):\n    raise ReceiptError('said', field='here')\n"
    (tmp_path / "broken_track/verification.py").write_text(head + check)
    hold = "def hold_against(document, resolved):\n    raise IntegrityError('said', hint='so')\n"
    (tmp_path / "broken_track/provenance.py").write_text(head + hold)
    with pytest.raises(ReceiptError, match="said"):
        broken.check({})
    with pytest.raises(IntegrityError, match="said"):
        broken.hold_against({}, None)  # type: ignore[arg-type]


def test_a_generator_that_fails_on_its_way_is_contained(broken: Track, tmp_path: Path) -> None:
    (tmp_path / "broken_track/board.py").write_text(
        "from benchsite.track import Page\ndef pages(*given):\n    yield Page('broken/')\n    raise KeyError('x')\n"
    )
    pages = broken.own_pages(broken.pages(None, None, None))  # type: ignore[arg-type]
    assert next(pages).path == "broken/"
    with pytest.raises(TrackError, match=r"broken_track\.board\.pages: KeyError"):
        next(pages)


def test_a_face_that_a_track_does_not_have_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bare_track").mkdir()
    (tmp_path / "bare_track/__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    track = Track("bare", "Bare", "bare_track")
    assert (track.sheets, track.fixtures, track.subjects) == (None, None, None)


@pytest.mark.parametrize(
    "text",
    [
        "from benchsite.errors import InputError\ndef rescore(*_, **__):\n    raise InputError('mine', hint='none')\n",
        "from functools import partial\nrescore = partial({}.__getitem__, 1)\n",
        "def rescore(*_, **__):\n    return None\n",
        "def rescore(*_, **__):\n    raise SystemExit(0)\n",
    ],
    ids=["an error of ours", "a callable", "nothing", "an exit"],
)
def test_whatever_scoring_does_it_says_that_numbers_are_not_checked(
    broken: Track, tmp_path: Path, text: str
) -> None:
    (tmp_path / "broken_track/verification.py").write_text(text)
    with pytest.raises(TrackError):
        broken.rescore(None, None, deep=False)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["ENGINES = 3\n", "ENGINES = {'broken/1': int}\n"])
def test_engines_are_models_by_name(broken: Track, tmp_path: Path, text: str) -> None:
    (tmp_path / "broken_track/engines.py").write_text(text)
    with pytest.raises(TrackError, match="names to models"):
        _ = broken.engines


GIVES = [
    ("verification", "rescore", "Rescoring(Rescore.MATCHES, violations=None)", "its violations is wrong"),
    ("verification", "target", "Target('fixture', [], {})", "its id is wrong"),
    (
        "verification",
        "summary",
        "Summary(Subject('a', '1', ''), 't', 's', 'r', 'i', None)",
        "its headline is wrong",
    ),
    ("verification", "needs", "['a list']", "gave list"),
    ("receipt_page", "receipt_page", "None", "gave NoneType"),
    ("receipt_page", "receipt_page", "Page('receipts/00/another/')", "is not the receipt's own page"),
    ("board", "pages", "[42]", "gave int"),
    ("board", "pages", "None", "TypeError"),
    ("board", "pages", "[Page('broken/', data='x')]", "its data is wrong"),
    ("board", "pages", "[Page('index.html', data=b'x')]", "/index.html is not below /broken/"),
    ("board", "pages", "[Page('broken/../x')]", "is not below /broken/"),
    ("board", "pages", "[Page('broken/x/'), Page('broken/x/')]", "/broken/x/ is made twice"),
    ("runner", "run", "None", "gave NoneType"),
    ("command", "works", "None", "gave NoneType"),
    ("fixtures", "described", "None", "gave NoneType"),
]
ASKED: dict[str, Callable[[Track], Any]] = {
    **{name.rpartition(".")[2]: call for name, call in CALLS.items()},
    "receipt_page": lambda track: track.receipt_page(
        SimpleNamespace(receipt_id="00000000-0000-4000-8000-000000000000"),  # type: ignore[arg-type]
        {},
        None,  # type: ignore[arg-type]
    ),
}


@pytest.mark.parametrize(("part", "name", "gives", "says"), GIVES)
def test_what_was_not_promised_is_named(
    broken: Track, tmp_path: Path, part: str, name: str, gives: str, says: str
) -> None:
    (tmp_path / f"broken_track/{part}.py").write_text(
        "from benchsite.history import *\nfrom benchsite.history.verdict import *\nfrom benchsite.track import Page\n"
        f"def {name}(*_, **__):\n    return {gives}\n"
    )
    with pytest.raises(TrackError, match=re.escape(says)) as caught:
        ASKED[name](broken)
    assert f"broken_track.{part}" in caught.value.message


def test_what_was_promised_passes_as_it_is(broken: Track, tmp_path: Path) -> None:
    (tmp_path / "broken_track/board.py").write_text(
        "from benchsite.track import Page\n"
        "MADE = [Page('broken/'), Page('api/v1/broken/x.json', data=b'{}')]\ndef pages(*_):\n    return MADE\n"
    )
    found = list(broken.own_pages(broken.pages(None, None, None)))  # type: ignore[arg-type]
    assert [page.path for page in found] == ["broken/", "api/v1/broken/x.json"]


def test_a_payload_without_a_schema_is_named(broken: Track, tmp_path: Path) -> None:
    (tmp_path / "broken_track/payload.py").write_text(
        "from collections.abc import Callable\nfrom pydantic import BaseModel\n"
        "class Payload(BaseModel):\n    f: Callable[[int], int]\n"
    )
    with pytest.raises(TrackError, match=r"broken_track\.payload"):
        broken.schema()


@pytest.mark.parametrize(
    "wrong",
    [{"groups": None}, {"metrics": ["a"]}, {"metrics": {"a": "b"}}, {"package": None}, {"groups": {"a": 1}}],
)
def test_a_track_is_made_of_names_and_words(wrong: dict[str, Any]) -> None:
    with pytest.raises((TypeError, AttributeError)):
        Track(**{"name": "x", "title": "X", "package": "x", **wrong})
