"""In both browsers: a third track with its own scoring file and without, and a rubric version that no release has seen."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from browser.host import Elsewhere
from browser.tab import Tab, carried
from browsers import drive_firefox
from third.foreign import OWN, begin, evaluate, write_version

pytestmark = pytest.mark.browser


class Built(NamedTuple):
    """A site with the track's package, one without, and where both are served."""

    root: Path
    address: str
    ids: dict[str, str]

    def bytes_of(self, name: str) -> bytes:
        (path,) = (self.root / "results/published").glob(f"*/{self.ids[name]}.json")
        return path.read_bytes()

    def document(self, name: str) -> tuple[str, bytes]:
        return name, (self.root / OWN / name).read_bytes()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    made = begin(tmp_path_factory.mktemp("foreign"))
    write_version(made)
    evaluate(made)
    made.ran("build", "--output", "../with")
    made.ran("build", "--output", "../without", lacking=True)
    ids = {}
    for path in (made.root / "results/published").glob("*/*.json"):
        document = json.loads(path.read_bytes())
        ids[document["system"]["name"] if document["track"] == "sums" else "tutor"] = document["receiptId"]
    folder = made.root.parent
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Built(made.root, f"http://127.0.0.1:{server.server_address[1]}/", ids)
    server.shutdown()
    server.server_close()


WITH = ["signature valid", "in the log", "numbers match"]
WITHOUT = ["signature valid", "in the log", "numbers not checked"]


def answers(result: dict[str, Any]) -> list[str]:
    return [part.partition(" ")[2] for part in result["parts"]]


def opened(chromium: Any, address: str) -> Iterator[Tab]:
    context = chromium.new_context()
    found = Tab(context)
    found.page.goto(address)
    yield found
    with suppress(Exception):
        assert found.trouble == []
    context.close()


@pytest.mark.parametrize("name", ["exact", "forgetful", "tutor"])
def test_chromium_computes_the_numbers_again(chromium: Any, built: Built, name: str) -> None:
    for tab in opened(chromium, f"{built.address}with/verify.html?id={built.ids[name]}"):
        assert answers(tab.result()) == WITH


def test_chromium_checks_signature_and_log_of_a_track_it_cannot_score(chromium: Any, built: Built) -> None:
    for tab in opened(chromium, f"{built.address}without/verify.html?id={built.ids['exact']}"):
        assert answers(tab.result()) == WITHOUT


def test_chromium_takes_the_document_that_is_dropped_beside_the_receipt(chromium: Any, built: Built) -> None:
    kept = built.root.parent / "with/verify.html"
    for tab in opened(chromium, kept.as_uri()):
        receipt = ("receipt.json", built.bytes_of("tutor"))
        assert answers(tab.drop(receipt).result())[2] == "numbers cannot be re-scored"
        both = (built.document("methodology.yaml"), built.document("text.md"))
        assert answers(tab.drop(receipt, *both).result())[2] == "numbers match"


def test_firefox_says_the_same(firefox: str, built: Built, elsewhere: Elsewhere) -> None:
    receipt = ("receipt.json", built.bytes_of("tutor"))
    both = (built.document("methodology.yaml"), built.document("text.md"))
    kept = (built.root.parent / "with/verify.html").as_uri()
    visits = [
        *(
            {
                "name": name,
                "address": f"{built.address}with/verify.html?id={built.ids[name]}",
                "steps": [["shown"]],
            }
            for name in ("exact", "forgetful", "tutor")
        ),
        {
            "name": "lacking",
            "address": f"{built.address}without/verify.html?id={built.ids['exact']}",
            "steps": [["shown"]],
        },
        {
            "name": "dropped",
            "address": kept,
            "steps": [["drop", carried([receipt])], ["drop", carried([receipt, *both])]],
        },
    ]
    where = urlsplit(elsewhere.address)
    seen = drive_firefox(
        firefox, "firefox-verify.js", given={"visits": visits, "proxy": [where.hostname, where.port]}
    )
    found = {name: [answers(result) for result in visit["results"]] for name, visit in seen["visits"].items()}
    assert [found[name] for name in ("exact", "forgetful", "tutor")] == [[WITH]] * 3
    assert found["lacking"] == [WITHOUT]
    assert [result[2] for result in found["dropped"]] == ["numbers cannot be re-scored", "numbers match"]
