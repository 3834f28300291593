"""Verification in Firefox: every verdict, every leaf, hostile files, the remembered head, saved copies, what is lacking."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from browser import stubs
from browser.exhibits import FINGERPRINT, WORD_OF, Exhibits
from browser.host import Elsewhere, Host
from browser.tab import carried
from browser.test_verify_agents import signed
from browsers import drive_firefox
from examples import some, spread
from threats.test_hostile_words import UNSEEN
from threats.test_receipt import ELSEWHERE, MALFORMED

from benchsite.tracks.agents.trace import archive

pytestmark = pytest.mark.browser

OTHER = b"\x07" * 32
LIMIT = 8 * 1024 * 1024
BIG = {
    "8 MiB of [": [["[", LIMIT]],
    "8 MiB of one string": [['"', 1], ["a", LIMIT - 2], ['"', 1]],
    "8 MiB and one byte": [[" ", LIMIT + 1]],
}
LACKING = {
    "no Ed25519": (stubs.in_the_worker(stubs.WITHOUT_ED25519), "✓ Witnessed", "the bundled @noble/ed25519"),
    "no cryptography": (
        stubs.in_the_worker(stubs.WITHOUT_SUBTLE),
        "? Not checked: this browser offers no cryptography on http:// pages",
        "Open the site over https, or save this page and open the file.",
    ),
    "no workers": (
        stubs.NO_WORKERS,
        "? Not checked: this browser cannot start a worker",
        "workers are off",
    ),
    "no storage": (stubs.STORAGE_THROWS, "✓ Witnessed", "This browser cannot store a checkpoint"),
}


def dropped(*things: tuple[str, bytes]) -> list[Any]:
    return ["drop", carried(things)]


def one(data: bytes) -> list[Any]:
    return dropped(("receipt.json", data))


def judged(files: list[bytes]) -> list[Any]:
    return ["judge", [base64.b64encode(data).decode() for data in files]]


def remembering(exhibits: Exhibits, size: int | None, root: bytes | None = None) -> str:
    head = json.dumps(exhibits.head(size, root=root))
    return f"localStorage.setItem('benchsite:head:{exhibits.log.origin}', {head!r});"


def plan(exhibits: Exhibits, address: str, saved: str) -> list[dict[str, Any]]:
    files = exhibits.files
    page = f"{address}verify.html"
    own = exhibits.ids["witnessed"]
    genuine = files["renewed"]
    runs, traces = signed(exhibits)
    own_receipt, version = exhibits.own_version
    malformed = [genuine.replace(old, new) for old, new in MALFORMED.values()]
    heads = {
        "grown": remembering(exhibits, 5),
        "stale": remembering(exhibits, exhibits.log.size + 1, OTHER),
        "fork": remembering(exhibits, None, OTHER),
    }
    in_place = "a[data-verify]"
    styled = 'link[href$="verify/result.css"]'
    return [
        {"name": "verdicts", "address": page, "steps": [one(files[name]) for name in WORD_OF]},
        {"name": "pasted", "address": page, "steps": [["type", genuine.decode()]]},
        {"name": "by id", "address": f"{page}?id={own}", "steps": [["shown"]]},
        {
            "name": "hostile id",
            "address": f"{page}?id=..%2F..%2Fetc",
            "steps": [["text", "#status", "No receipt id in the address"]],
        },
        {
            "name": "leaves",
            "address": page,
            "steps": [judged([data for _, data in exhibits.sampled_leaves()])],
        },
        {"name": "malformed", "address": page, "steps": [judged(malformed), one(malformed[1])]},
        {"name": "big", "address": page, "steps": [["busy", parts] for parts in BIG.values()]},
        {
            "name": "hostile",
            "address": page,
            "steps": [["globals"], one(exhibits.hostile()), ["globals"]],
        },
        {
            "name": "hostile strings",
            "address": page,
            "steps": [judged([data for _, data in spread(exhibits.hostile_strings(), gate=60)])],
        },
        {
            "name": "saved",
            "address": saved,
            "steps": [
                one(genuine),
                dropped(("r.json", genuine), ("p", exhibits.proof)),
                one(files["invalid"]),
            ],
        },
        {
            "name": "traces",
            "address": saved,
            "steps": [
                one(runs),
                # Before the right ones: the page keeps what was dropped, by its hash.
                dropped(("receipt.json", runs), (archive.NAME, traces + b"{}\n")),
                dropped((archive.NAME, traces)),
                dropped(("receipt.json", runs), ("any.gz", gzip.compress(traces))),
            ],
        },
        {
            "name": "own version",
            "address": saved,
            "steps": [
                one(own_receipt),
                *(dropped(file) for file in reversed(version.items())),
                dropped(("r.json", own_receipt), *version.items()),
            ],
        },
        {"name": "remembered", "address": page, "steps": [one(genuine), ["stored"], one(genuine)]},
        *(
            {"name": name, "address": page, "before": before, "steps": [one(genuine), ["stored"]]}
            for name, before in heads.items()
        ),
        *(
            {"name": name, "address": page, "before": before, "steps": [one(files["witnessed"])]}
            for name, (before, _, _) in LACKING.items()
        ),
        {
            "name": "certificate",
            "address": f"{address}receipts/{own[:2]}/{own}/",
            "steps": [["text", "body", "Verify in this browser"], ["styled", styled], ["click", in_place]],
        },
        {
            "name": "board",
            "address": f"{address}retrieval/small-v1/",
            "steps": [["styled", styled], ["click", in_place]],
        },
        {"name": "log", "address": f"{address}log/", "steps": [["text", ".result.log", "checkpoint"]]},
    ]


@pytest.fixture(scope="module")
def seen(
    exhibits: Exhibits,
    hosted: Host,
    elsewhere: Elsewhere,
    firefox: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Any:
    """What `tests/js/firefox-verify.js` has seen; it fails where a step of it does."""
    kept = tmp_path_factory.mktemp("kept") / "verify.html"
    kept.write_bytes((exhibits.site / "verify.html").read_bytes())
    elsewhere.heard.clear()
    where = urlsplit(elsewhere.address)
    visits = plan(exhibits, hosted.address, kept.as_uri())
    given = {"visits": visits, "proxy": [where.hostname, where.port]}
    found = drive_firefox(firefox, "firefox-verify.js", given=given)
    return {**found, "heard": list(elsewhere.heard), "kept": kept.as_uri()}


def results(seen: Any, name: str) -> list[Any]:
    found: list[Any] = seen["visits"][name]["results"]
    return found


def test_it_was_firefox(seen: Any):
    assert seen["version"].lower().startswith("firefox")


def test_no_error_no_exception_no_violation_of_the_policy(seen: Any):
    assert {name: visit["trouble"] for name, visit in seen["visits"].items() if visit["trouble"]} == {}


def test_no_request_leaves_the_site_and_a_saved_copy_asks_for_nothing(seen: Any, hosted: Host):
    asked = [url for visit in seen["visits"].values() for url in visit["requests"]]
    assert len(asked) > 50
    ours = (hosted.address, "data:", "blob:", seen["kept"])
    assert [url for url in asked if not url.startswith(ours)] == []
    saved = {url for url in seen["visits"]["saved"]["requests"] if not url.startswith(("data:", "blob:"))}
    assert saved <= {seen["kept"]}
    # Firefox asks its maker for settings and lists of its own, whatever page is open.
    foreign = {urlsplit(f"//{line.split()[1].rpartition('//')[2]}").hostname or "" for line in seen["heard"]}
    own = (".mozilla.com", ".mozilla.org", ".firefox.com")
    assert {name for name in foreign if not name.endswith(own)} == set()


def test_every_verdict_has_its_word(seen: Any):
    words = [result["verdict"].partition(" ")[2].strip() for result in results(seen, "verdicts")]
    assert words == list(WORD_OF.values())


def test_pasted_text_and_an_address_are_ways_in(seen: Any, hosted: Host):
    assert results(seen, "pasted")[0]["verdict"] == "✓ Logged"
    assert results(seen, "by id")[0]["verdict"] == "✓ Witnessed"
    asked = [url for url in seen["visits"]["hostile id"]["requests"] if not url.startswith("data:")]
    assert asked == [f"{hosted.address}verify.html?id=..%2F..%2Fetc"]


def test_every_leaf_of_a_receipt_changed_is_invalid(seen: Any, exhibits: Exhibits):
    leaves = [leaf for leaf, _ in exhibits.sampled_leaves()]
    found = {leaf: one["verdict"] for leaf, one in zip(leaves, results(seen, "leaves")[0], strict=True)}
    assert found.pop(FINGERPRINT) == "UNKNOWN SIGNER"
    assert {leaf for leaf, one in found.items() if one == "UNSUPPORTED"} <= ELSEWHERE
    assert {one for leaf, one in found.items() if leaf not in ELSEWHERE} == {"INVALID"}


def test_malformed_and_huge_files_are_invalid_at_parse_and_the_page_answers(seen: Any):
    judged, shown = results(seen, "malformed")
    for name, found in zip(MALFORMED, judged, strict=True):
        assert (found["verdict"], found["failed"]["name"]) == ("INVALID", "parse"), name
    assert shown["verdict"] == "✗ Invalid"
    big = results(seen, "big")
    assert [result["verdict"] for result in big] == ["✗ Invalid"] * len(BIG)
    assert [result["open"] for result in big] == [True, False, True]


def test_hostile_strings_are_shown_and_inert(seen: Any):
    before, shown, after = results(seen, "hostile")
    assert after == before
    assert shown["verdict"] == "△ Signed only"
    assert "<script>alert(1)</script>" in shown["whole"]
    assert "<script" not in shown["html"]
    assert not UNSEEN.search(shown["whole"])
    verdicts = {found["verdict"] for found in results(seen, "hostile strings")[0]}
    assert verdicts <= {"INVALID", "UNSUPPORTED", "SIGNED-ONLY", "UNKNOWN SIGNER"}


def test_a_saved_copy_works_from_a_folder(seen: Any):
    words = [result["verdict"] for result in results(seen, "saved")]
    assert words == ["△ Signed only", "✓ Logged", "✗ Invalid"]


def test_columns_follow_from_traces_dropped_beside_the_receipt(seen: Any):
    alone, other, later, at_once = (visit["whole"] for visit in results(seen, "traces"))
    assert "traces.jsonl is not at hand" in alone
    assert "To check this step, drop traces.jsonl on this page." in alone
    for whole in (later, at_once):  # 40 runs x 19 columns, and 20 tasks x 2
        assert "all 800 values of the traced columns follow from traces.jsonl" in whole
        assert "drop traces.jsonl" not in whole
    assert "traces.jsonl is not at hand" in other, "traces of another hash are not those of the receipt"


def test_a_methodology_that_is_not_at_hand_may_come_along(seen: Any):
    numbers = [result["parts"][2].partition(" ")[2] for result in results(seen, "own version")]
    assert numbers == [*["scores not re-scored"] * 3, *["scores match"] * 2]


def test_the_head_is_remembered_and_compared(seen: Any, exhibits: Exhibits):
    first, stored, again = results(seen, "remembered")
    assert "no earlier checkpoint in this browser" in first["rows"]["7"]["said"]
    assert json.loads(next(iter(stored.values())))["size"] == exhibits.log.size
    assert f"the same log: the {exhibits.log.size} entries" in again["rows"]["7"]["said"]
    grown, stored = results(seen, "grown")
    assert "consistent with the 5 entries" in grown["rows"]["7"]["said"]
    assert json.loads(next(iter(stored.values())))["size"] == exhibits.log.size
    stale, stored = results(seen, "stale")
    assert (stale["verdict"], stale["rows"]["7"]["state"]) == ("✓ Logged", "△ warning")
    assert json.loads(next(iter(stored.values())))["size"] == exhibits.log.size + 1
    fork, _ = results(seen, "fork")
    assert fork["verdict"] == "✗ Signed only, but the log has two versions"
    assert "Save both checkpoints" in fork["buttons"]


@pytest.mark.parametrize("name", some(list(LACKING), gate=2))
def test_a_browser_that_lacks_something(seen: Any, name: str):
    (result,) = results(seen, name)
    _, word, says = LACKING[name]
    assert result["verdict"] == word
    assert says in result["whole"]


def test_verification_in_place(seen: Any):
    assert results(seen, "certificate")[-1]["verdict"] == "✓ Witnessed"
    assert results(seen, "board")[-1]["verdict"] in ("✓ Witnessed", "✓ Logged")
    assert "First visit" in results(seen, "log")[0]
