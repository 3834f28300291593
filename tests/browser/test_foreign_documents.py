"""In both browsers: a third track with its own scoring file and without, and a rubric version that no release has seen.

A scoring file that does not parse, throws or gives what was not promised leaves the numbers of its own track unchecked.
"""

from __future__ import annotations

import http.server
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from browser.exhibits import Exhibits, sign
from browser.host import Elsewhere, Host
from browser.tab import Tab, carried
from browsers import drive_firefox
from examples import some
from third.foreign import OWN, PACKAGE, begin, evaluate, write_version

from benchsite.methodology import FILES
from benchsite.pipeline.browser import verify_files
from benchsite.site.trust import PATH
from benchsite.site.verifier import Verifier, with_tracks

pytestmark = pytest.mark.browser

Open = Callable[..., Tab]


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


SUMS = {path.name: path.read_text() for path in (PACKAGE / "benchsite_sums").glob("*.js")}
SCORING = SUMS["rescore-sums.js"]
BROKEN = {
    "syntax": {**SUMS, "rescore-sums.js": "export const SUMS = {;\n"},
    "throws": {**SUMS, "rescore-sums.js": f'{SCORING}\nthrow new Error("boom");\n'},
    "shapes": {**SUMS, "shapes-sums.js": f"{SUMS['shapes-sums.js']}\n}}\n"},
    "fails": {
        **SUMS,
        "rescore-sums.js": SCORING.replace(
            '  subject: (document) => document["system"],\n  check,\n  rescore,\n',
            "  subject: () => nothing.at.all,\n  check,\n  rescore: () => nothing.at.all,\n",
        ),
    },
    "kinds": {**SUMS, "rescore-sums.js": SCORING.replace("  engines: ENGINES,\n", "")},
    "forges": {
        **SUMS,
        "rescore-sums.js": f"{SCORING}\nself.postMessage({{ report: {{ verdict: 'LOGGED', steps: [] }} }});\n",
    },
}
"""The track's modules, broken in one place."""


def broken(folder: Path, name: str, modules: dict[str, str]) -> None:
    """The site `with` once more, as a build makes it that has these modules."""
    shutil.copytree(folder / "with", folder / name)
    files = with_tracks(verify_files(), {"sums": modules})
    for module, text in files.items():
        if module.endswith(".js"):
            (folder / name / "verify" / module).write_text(text)
    page = Verifier.of(files).with_trust((folder / "with" / PATH).read_bytes())
    (folder / name / "verify.html").write_bytes(page)


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
    for name, modules in BROKEN.items():
        broken(made.root.parent, name, modules)
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


WITH = ["signature valid", "in the log", "scores match"]
WITHOUT = ["signature valid", "in the log", "scores not checked"]


def word(result: dict[str, Any]) -> str:
    """What the page calls the receipt, without its sign."""
    return str(result["verdict"].partition(" ")[2]).strip()


def answers(result: dict[str, Any]) -> list[str]:
    return [part.partition(" ")[2] for part in result["parts"]]


def opened(chromium: Any, address: str, allowed: str = "") -> Iterator[Tab]:
    context = chromium.new_context()
    found = Tab(context)
    found.page.goto(address)
    try:
        yield found
        assert [text for text in found.trouble if not allowed or allowed not in text] == []
    finally:
        context.close()


@pytest.mark.parametrize("name", some(["exact", "forgetful", "tutor"], gate=1))
def test_chromium_computes_the_numbers_again(chromium: Any, built: Built, name: str) -> None:
    for tab in opened(chromium, f"{built.address}with/verify.html?id={built.ids[name]}"):
        assert answers(tab.result()) == WITH


@pytest.mark.full
def test_chromium_checks_signature_and_log_of_a_track_it_cannot_score(chromium: Any, built: Built) -> None:
    for tab in opened(chromium, f"{built.address}without/verify.html?id={built.ids['exact']}"):
        assert answers(tab.result()) == WITHOUT


@pytest.mark.full
def test_chromium_takes_the_document_that_is_dropped_beside_the_receipt(chromium: Any, built: Built) -> None:
    kept = built.root.parent / "with/verify.html"
    for tab in opened(chromium, kept.as_uri()):
        receipt = ("receipt.json", built.bytes_of("tutor"))
        assert answers(tab.drop(receipt).result())[2] == "scores not re-scored"
        version = [built.document(name) for name in FILES]
        assert answers(tab.drop(receipt, *version).result())[2] == "scores match"


REASONS = {
    "syntax": "this browser cannot run its modules: Uncaught SyntaxError",
    "throws": "this browser cannot run its modules: Uncaught Error: boom",
    "shapes": "this browser cannot run its modules: Uncaught SyntaxError",
    "fails": "ReferenceError: nothing is not defined",
    "kinds": "TypeError: engines: must be a Map",
    "forges": "its Worker answered something else",
}


@pytest.mark.parametrize("name", some(list(BROKEN), gate=2))
def test_chromium_scores_other_tracks_beside_modules_that_fail(
    chromium: Any, built: Built, name: str
) -> None:
    page = f"{built.address}{name}/verify.html"
    for tab in opened(chromium, f"{page}?id={built.ids['tutor']}"):
        assert answers(tab.result()) == WITH
    for tab in opened(chromium, f"{page}?id={built.ids['exact']}", "Uncaught"):
        result = tab.result()
        assert answers(result) == WITHOUT
        said = f"scores not checked: track 'sums' failed: {REASONS[name]}"
        assert said in result["rows"]["1"]["said"]


@pytest.mark.full
def test_a_track_is_scored_beside_another_one_whose_modules_do_not_parse(chromium: Any, built: Built) -> None:
    files = with_tracks(
        verify_files(), {"other": {"rescore-other.js": "export const OTHER = {;\n"}, "sums": SUMS}
    )
    folder = built.root.parent / "with"
    page = Verifier.of(files).with_trust((folder / PATH).read_bytes())
    (folder / "beside.html").write_bytes(page)
    for tab in opened(chromium, f"{built.address}with/beside.html?id={built.ids['exact']}"):
        assert answers(tab.result()) == WITH


@pytest.mark.full
@pytest.mark.parametrize(
    ("site", "name", "expected"),
    [
        ("with", "exact", WITH),
        ("throws", "exact", WITHOUT),
        ("syntax", "exact", WITHOUT),
        ("syntax", "tutor", WITH),
    ],
)
def test_a_certificate_is_checked_in_place_by_the_modules_of_its_track(
    chromium: Any, built: Built, site: str, name: str, expected: list[str]
) -> None:
    found = built.ids[name]
    for tab in opened(chromium, f"{built.address}{site}/receipts/{found[:2]}/{found}/", "Uncaught"):
        tab.page.wait_for_selector('link[rel=stylesheet][href$="verify/result.css"]', state="attached")
        tab.page.get_by_role("link", name="Verify in this browser").click()
        assert answers(tab.result()) == expected


@pytest.mark.full
@pytest.mark.full
def test_firefox_says_the_same(firefox: str, built: Built, elsewhere: Elsewhere) -> None:
    receipt = ("receipt.json", built.bytes_of("tutor"))
    version = [built.document(name) for name in FILES]
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
        *(
            {
                "name": f"{name} {subject}",
                "address": f"{built.address}{name}/verify.html?id={built.ids[subject]}",
                "steps": [["shown"]],
            }
            for name in ("syntax", "throws", "fails")
            for subject in ("exact", "tutor")
        ),
        {
            "name": "dropped",
            "address": kept,
            "steps": [["drop", carried([receipt])], ["drop", carried([receipt, *version])]],
        },
    ]
    where = urlsplit(elsewhere.address)
    seen = drive_firefox(
        firefox, "firefox-verify.js", given={"visits": visits, "proxy": [where.hostname, where.port]}
    )
    found = {name: [answers(result) for result in visit["results"]] for name, visit in seen["visits"].items()}
    assert [found[name] for name in ("exact", "forgetful", "tutor")] == [[WITH]] * 3
    assert found["lacking"] == [WITHOUT]
    for name in ("syntax", "throws", "fails"):
        assert (found[f"{name} exact"], found[f"{name} tutor"]) == ([WITHOUT], [WITH])
    assert [result[2] for result in found["dropped"]] == ["scores not re-scored", "scores match"]


@pytest.mark.full
def test_a_methodology_that_is_not_at_hand_may_come_along(tab: Open, exhibits: Exhibits, saved: str):
    """Beside the receipt or after it, in any order; nothing is asked for from a folder."""
    receipt, files = exhibits.own_version
    words, parameters, prose = files.values()
    opened = tab(base=saved)
    missing = opened.verdict_of(receipt)
    assert word(missing) == "Signed only"
    assert missing["parts"][2].endswith("scores not re-scored")
    said = (
        "methodology retrieval 1.7.0 is not available: add its methodology.yaml, parameters.json and text.md"
    )
    assert said in missing["rows"]["10"]["said"]
    assert any(said in notice for notice in missing["notices"])
    for name, given in (("anything", prose), ("another", parameters)):
        part = opened.drop((name, given)).result()
        assert part["parts"][2].endswith("scores not re-scored")
    whole = opened.drop(("other", words)).result()
    assert whole["parts"][2].endswith("scores match")
    assert opened.page.locator("#given li").count() == 4
    opened.page.evaluate("desk.forget()")
    opened.page.get_by_role("button", name="Remove: Document").first.click()
    assert opened.result()["parts"][2].endswith("scores not re-scored")
    at_once = tab(base=saved).verdict_of(receipt, ("a", words), ("b", prose), ("c", parameters))
    assert at_once["parts"][2].endswith("scores match")


@pytest.mark.full
def test_the_site_serves_its_methodologies(tab: Open, exhibits: Exhibits, host: Host):
    """A receipt under a version that only the site has is scored again without a file in the visitor's hands."""
    receipt, files = exhibits.own_version
    host.instead.update({f"methodology/retrieval/1.7.0/{name}": data for name, data in files.items()})
    assert tab().verdict_of(receipt)["parts"][2].endswith("scores match")


@pytest.mark.full
def test_a_receipt_of_another_track_has_its_signature_checked(tab: Open, exhibits: Exhibits, saved: str):
    changed = {
        **exhibits.unlogged,
        "track": "puzzles",
        "methodology": {"id": "puzzles", "version": "1.0.0", "sha256": "a" * 64},
    }
    result = tab(base=saved).verdict_of(sign(changed, exhibits.signer))
    assert word(result) == "Not supported"
    assert [part.partition(" ")[2] for part in result["parts"]] == [
        "signature valid",
        "not proven to be in the log",
        "scores not checked",
    ]
    assert "no track 'puzzles' is installed here" in result["rows"]["1"]["said"]
    assert result["rows"]["10"]["said"].endswith("not checked: see step 1")
