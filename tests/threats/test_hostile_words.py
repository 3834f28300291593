"""Threat "script, bidi or control characters in any string": every string that a signer can sign, on every page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from builders import FIXTURE, commit, small_fixture
from click.testing import CliRunner
from documents import MATERIALS
from forgery import at
from publishing import attach, measure
from snapshots import opened, snapshot

from benchsite import canonical
from benchsite.cli.check import verify as verify_command
from benchsite.environment import Credentials
from benchsite.history import Rescore, Verdict, examine
from benchsite.log import validate_entry
from benchsite.pipeline import build, publish
from benchsite.pipeline.publish import events
from benchsite.pipeline.workspace import Workspace

pytestmark = pytest.mark.stories

Sign = Callable[..., bytes]
Place = tuple[str | int, ...]

WORDS = "\"'></td></script><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7*7 }}\u202egnp.exe\u2066"
CONTROLS = "\x1b[31m\x00\r\n\x9b2J"
# What may stand in no page and on no terminal: directional formatting, zero width, C0 (but for layout) and C1.
UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

# Every free text of schema 1.0.0 that is the signer's own (receipt/envelope.py, retrieval/payload.py: `Text`
# and `Scalar`); those of the fixture and of its questions follow the fixture, which is as hostile below.
SIGNERS_OWN: set[Place] = {
    ("ranBy", "name"),
    ("environment", "python"),
    ("environment", "platform"),
    ("environment", "cpu"),
    ("environment", "runner"),
    ("environment", "containerImage"),
    ("environment", "git", "tag"),
    ("adapter", "version"),
    ("adapter", "author"),
    ("adapter", "interpreter", "name"),
    ("adapter", "interpreter", "version"),
    ("config", "options", "mode"),
    ("evidence", 0, "name"),
    ("evidence", 0, "mediaType"),
}
OF_THE_FIXTURE = ("fixture", "perQuery", "byCategory", "determinism")


def texts(value: Any, path: Place = ()) -> Iterator[Place]:
    """Every string, and every null that a string might replace."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from texts(inner, (*path, key))
    elif value is None or isinstance(value, str):
        yield path


def hostile_fixture() -> bytes:
    """The small fixture with such words in every string that is not an identifier of the fixture itself."""
    document = small_fixture()
    for key in ("benchmark", "subset", "description", "license", "source", "notes"):
        document[key] = WORDS
    for item in document["items"]:
        item["content"] += WORDS
        item["id"] += WORDS
    for query in document["queries"]:
        query["query"] += WORDS
        query["category"] += WORDS
        query["id"] += WORDS
        for expected in query["expected"]:
            expected["id"] += WORDS
    return json.dumps(document).encode()


def with_hostile_words(instance: Workspace, signed: Sign, draft: dict[str, Any]) -> set[Place]:
    """Put them wherever the file would still be a receipt once it is signed; where that was, and how much."""
    log, scorers, taken = snapshot(instance).log, instance.tracks, set()
    for place in [place for place in texts(draft) if place[0] not in OF_THE_FIXTURE]:
        holder, key = at(draft, place)
        before = holder[key]
        for words in (WORDS + CONTROLS, WORDS):
            holder[key] = words
            seen = examine(signed(draft), log=log, scorers=scorers, materials=MATERIALS)
            if seen.verdict is Verdict.SIGNED_ONLY:
                assert seen.rescore is Rescore.MATCHES
                taken.add(place)
                break
            holder[key] = before
    return taken


class Elements(HTMLParser):
    """What a browser would make of a page, as far as markup that nobody of ours wrote is concerned."""

    def __init__(self) -> None:
        super().__init__()
        self.strange: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.strange += [f"{tag} {name}" for name, _ in attrs if name.startswith("on")]
        self.strange += [f"{tag} {value}" for name, value in attrs if name == "src" and value == "x"]
        if tag == "script" and dict(attrs).get("src") is None:
            self.strange.append("script without a file")


def prepared(begun: Workspace, signed: Sign, credentials: Credentials) -> tuple[str, str]:
    """The ids of a hostile receipt that ranks, and of another one, retracted with hostile words."""
    commit(begun, {f"fixtures/{FIXTURE}/fixture.json": hostile_fixture()})
    draft, retracted = measure(begun, "bm25"), measure(begun, "recency")
    document = json.loads(draft.read_bytes())
    document["config"]["options"] = {"mode": "plain"}
    document["evidence"] = [attach(begun, b"x")]
    assert with_hostile_words(begun, signed, document) == SIGNERS_OWN
    draft.write_bytes(canonical.dumps(document))
    publish.publish(begun, opened(begun), [draft, retracted], credentials, push=False)
    # `retract` refuses such a reason; a log that somebody else wrote may hold it.
    said = validate_entry({"v": 1, "type": "retract", "receiptId": retracted.stem, "reason": WORDS})
    events.announce(begun, credentials, said, push=False)
    return draft.stem, retracted.stem


def test_script_bidi_or_control_characters_in_any_string(
    begun: Workspace, signed: Sign, credentials: Credentials, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the repository: every page and feed of the site; handed over: what `verify` prints."""
    receipts = prepared(begun, signed, credentials)
    site = build.build(begun, opened(begun), tmp_path / "site").site
    pages = {page: page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    # verify.html carries the hostile entry as data, and shows it through textContent (tests/browser).
    verifier = site / "verify.html"
    shown = {page for page, text in pages.items() if "\\u202egnp.exe" in text} - {verifier}
    # The lists of entries and receipts, the board under both its addresses, and the two certificates.
    assert {page.relative_to(site).parts[0] for page in shown} == {"log", "receipts", "retrieval", "systems"}
    assert {page.parent.name for page in shown} >= {FIXTURE, *receipts}
    for page, text in pages.items():
        assert not UNSEEN.search(text), page
        written = text.count("{{ 7*7 }}") + text.count(r"\textbraceleft{} 7*7 ")  # the second in BibTeX
        assert written == text.count("7*7"), page
        found = Elements()
        found.feed(text)
        # Its data, and the one script whose hash its policy names.
        assert found.strange == (["script without a file"] * 2 if page == verifier else []), page
    for feed in site.rglob("*.xml"):
        assert not UNSEEN.search(feed.read_text(encoding="utf-8")), feed
        ET.parse(feed)  # noqa: S314 - our own file; it must be well formed

    monkeypatch.chdir(begun.root)
    for number, receipt_id in enumerate(receipts):
        handed = tmp_path / f"{number}.json"
        handed.write_bytes(snapshot(begun).receipt_bytes(receipt_id)[1])
        ran = CliRunner().invoke(verify_command, [str(handed)])
        assert ran.exit_code == 0, ran.output
        assert ("LOGGED", "RETRACTED")[number] in ran.output
        assert not UNSEEN.search(ran.output)
