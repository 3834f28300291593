"""The served log in the page's eyes: what it remembers of it, what a host may do to it, and browsers that lack something."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from browser import stubs
from browser.exhibits import Exhibits, changed_byte
from browser.host import PLAIN, Host
from browser.tab import Tab
from examples import some

from benchsite.log import Checkpoint, sign_checkpoint

pytestmark = pytest.mark.browser

Open = Callable[..., Tab]
OTHER = b"\x07" * 32
"""A root that the log never had."""


def verdict(result: dict[str, Any]) -> str:
    return str(result["verdict"]).partition(" ")[2].strip()


def remembering(opened: Tab, head: dict[str, Any]) -> Tab:
    opened.page.evaluate(
        "head => localStorage.setItem(`benchsite:head:${head.origin}`, JSON.stringify(head))", head
    )
    return opened


def remembered(opened: Tab) -> dict[str, Any]:
    (text,) = opened.stored().values()
    found: dict[str, Any] = json.loads(text)
    return found


def tile(host: Host, kind: str) -> str:
    """The path of the partial tile of that kind, `0` or `entries`, that the served head needs: the widest."""
    partial = (host.folder / "sub/log/tile" / kind).rglob("*.p/*")
    found = max(partial, key=lambda path: int(path.name))
    return found.relative_to(host.folder / "sub").as_posix()


def altered(host: Host, path: str, change: Callable[[bytes], bytes]) -> None:
    host.instead[path] = change((host.folder / "sub" / path).read_bytes())


def test_the_first_head_is_remembered_and_the_next_is_the_same(tab: Open, exhibits: Exhibits):
    opened = tab()
    first = opened.verdict_of(exhibits.files["renewed"])["rows"]["7"]
    assert (first["state"], "no earlier checkpoint in this browser" in first["said"]) == (
        "– not checked",
        True,
    )
    served = (exhibits.site / "log/checkpoint").read_text()
    assert remembered(opened) == {**exhibits.head(), "note": served}
    opened.page.reload()
    again = opened.verdict_of(exhibits.files["renewed"])["rows"]["7"]
    assert again["state"] == "✓ pass"
    assert f"the same log: the {exhibits.log.size} entries that this browser has seen before" in again["said"]


def test_a_grown_list_is_proven_to_continue_the_one_seen(tab: Open, exhibits: Exhibits):
    opened = remembering(tab(), exhibits.head(5))
    result = opened.verdict_of(exhibits.files["renewed"])
    assert verdict(result) == "Logged"
    assert result["rows"]["7"]["state"] == "✓ pass"
    assert "consistent with the 5 entries" in result["rows"]["7"]["said"]
    assert remembered(opened)["size"] == exhibits.log.size


def test_a_shorter_list_is_stale_and_never_a_fork(tab: Open, exhibits: Exhibits):
    longer = exhibits.head(exhibits.log.size + 5, root=OTHER)
    opened = remembering(tab(), longer)
    result = opened.verdict_of(exhibits.files["renewed"])
    assert verdict(result) == "Logged"
    assert (result["rows"]["7"]["state"], "stale" in result["rows"]["7"]["said"]) == ("△ warning", True)
    assert [notice.partition(":")[0] for notice in result["notices"]] == ["△ Stale"]
    assert remembered(opened) == longer


@pytest.mark.parametrize("size", some([5, None], gate=1))
def test_a_list_that_excludes_the_one_seen_is_a_fork_and_both_heads_can_be_saved(
    tab: Open, exhibits: Exhibits, size: int | None
):
    other = exhibits.head(size, root=OTHER)
    opened = remembering(tab(), other)
    result = opened.verdict_of(exhibits.files["renewed"])
    assert verdict(result) == "Signed only, but the log has two versions"
    assert result["parts"][1] == "✗ log has two versions"
    assert result["rows"]["7"]["state"] == "✗ fail"
    assert any(notice.startswith("✗ Fork:") for notice in result["notices"])
    served = (exhibits.site / "log/checkpoint").read_text()
    assert opened.download("Save both checkpoints").decode() == f"{other['note']}\n{served}"
    assert remembered(opened) == other


def test_a_head_that_the_host_splits_is_shown_with_both_signatures(tab: Open, exhibits: Exhibits, host: Host):
    forged = sign_checkpoint(Checkpoint(exhibits.log.origin, exhibits.log.size, OTHER), exhibits.log_key)
    host.instead["log/checkpoint"] = forged.encode()
    opened = tab()
    result = opened.verdict_of(exhibits.files["renewed"])
    assert verdict(result) == "Signed only, but the log has two versions"
    pinned = (exhibits.site / "log/checkpoint").read_text()
    assert opened.download("Save both checkpoints").decode() == f"{pinned}\n{forged}"
    assert opened.stored() == {}


@pytest.mark.parametrize("kind", some(["0", "entries"], gate=1))
def test_a_flipped_bit_in_a_served_tile_is_the_site_s_fault(
    tab: Open, exhibits: Exhibits, host: Host, kind: str
):
    index = exhibits.log.receipts[exhibits.ids["renewed"]]
    # Of 32-byte hashes, the receipt's own; of the bundle, the last byte of its last entry.
    altered(host, tile(host, kind), changed_byte(32 * index if kind == "0" else -1))
    result = tab().verdict_of(exhibits.files["renewed"])
    assert verdict(result) == "Signed only, but log verification failed"
    assert result["rows"]["7"]["state"] == "✗ fail"
    assert any(notice.startswith("✗ Log verification failed.") for notice in result["notices"])


@pytest.mark.parametrize("kind", ["0", "entries"])
@pytest.mark.parametrize("harm", some(["missing", "cut short", "empty", "an error page"], "cut short"))
def test_a_tile_that_cannot_be_had_leaves_the_receipt_unproven_and_not_invalid(
    tab: Open, exhibits: Exhibits, host: Host, kind: str, harm: str
):
    path = tile(host, kind)
    whole = (host.folder / "sub" / path).read_bytes()
    host.instead[path] = {"missing": 404, "cut short": whole[:-1], "empty": b"", "an error page": 500}[harm]
    result = tab(allowed=("404", "500")).verdict_of(exhibits.files["renewed"])
    assert verdict(result) == "Signed only"
    assert "✗ fail" not in [row["state"] for row in result["rows"].values()]


def unsigned(note: str) -> str:
    return note.partition("\n\n")[0] + "\n\n"


def strangers(note: str) -> str:
    """The signature of a key whose public half nobody here knows, under the log's name."""
    head, _, line = note.partition("\n\n")
    return (
        f"{head}\n\n{line[:-20]}{'A' * 17}A=\n" if line.endswith("=\n") else f"{head}\n\n{line[:-8]}AAAAAAA\n"
    )


@pytest.mark.parametrize(
    "change",
    some(
        [
            unsigned,
            pytest.param(strangers, marks=pytest.mark.full),
            pytest.param(lambda note: note.replace("tests.invalid", "other.invalid"), marks=pytest.mark.full),
            pytest.param(lambda _: "", marks=pytest.mark.full),
            lambda _: "{",
        ],
        gate=1,
    ),
    ids=["unsigned", "a stranger's", "another log's", "empty", "no note"],
)
def test_a_served_head_that_the_log_did_not_sign(
    tab: Open, exhibits: Exhibits, host: Host, change: Callable[[str], str]
):
    altered(host, "log/checkpoint", lambda data: change(data.decode()).encode())
    opened = tab()
    result = opened.verdict_of(exhibits.files["renewed"])
    assert verdict(result) == "Signed only, but log verification failed"
    assert result["rows"]["6"]["state"] == "✗ fail"
    assert opened.stored() == {}
    assert verdict(opened.verdict_of(exhibits.files["invalid"])) == "Invalid"


def test_an_older_served_head_is_stale(tab: Open, exhibits: Exhibits, host: Host):
    host.instead["log/checkpoint"] = exhibits.head(5)["note"].encode()
    opened = tab(allowed=("404",))
    result = opened.verdict_of(exhibits.files["renewed"])
    # The page's own head is the newer one, and the tiles under it are still served.
    assert verdict(result) == "Logged"
    assert (result["rows"]["7"]["state"], "stale" in result["rows"]["7"]["said"]) == ("△ warning", True)
    assert opened.stored() == {}


@pytest.mark.parametrize("name", some(["retracted", "suspect", "renewed", "witnessed"], "retracted"))
def test_a_page_that_was_saved_long_ago_catches_up_with_the_served_list(
    tab: Open, exhibits: Exhibits, host: Host, name: str
):
    """It knows nothing but the log's first entries: neither the retraction nor the stolen key and its successor."""
    host.instead["verify.html"] = exhibits.page_of(exhibits.log.receipts[exhibits.ids["retracted"]])
    words = {"retracted": "Retracted", "suspect": "Suspect", "renewed": "Logged", "witnessed": "Witnessed"}
    assert verdict(tab().verdict_of(exhibits.files[name])) == words[name]


def test_a_short_list_is_read_whole_and_the_list_of_places_is_not_believed(
    tab: Open, exhibits: Exhibits, host: Host
):
    own = exhibits.ids["renewed"]
    place = exhibits.log.receipts[exhibits.ids["logged"]]
    host.instead[f"log/lookup/{own[:2]}.json"] = json.dumps({own: place}).encode()
    assert verdict(tab().verdict_of(exhibits.files["renewed"])) == "Logged"


@pytest.mark.parametrize("harm", some(["another time", "not a list", "missing"], gate=1))
def test_a_countersignature_that_does_not_fit_witnesses_nothing(
    tab: Open, exhibits: Exhibits, host: Host, harm: str
):
    whole = (exhibits.site / "log/cosignatures").read_text()
    size, _, line = whole.partition(" ")
    host.instead["log/cosignatures"] = {
        "another time": f"{int(size) - 1} {line}".encode(),
        "not a list": b"\x00" * 1000,
        "missing": 404,
    }[harm]
    result = tab(allowed=("404",)).verdict_of(exhibits.files["witnessed"])
    # A line under a trusted witness's name that it never signed is the site's fault, and said.
    word = "Logged, but a cosignature is not valid" if harm == "another time" else "Logged"
    assert verdict(result) == word
    assert "cosigned" not in result["parts"][1]


@pytest.mark.parametrize(
    "before", some([stubs.STORAGE_THROWS, stubs.STORAGE_FULL], gate=1), ids=["off", "full"]
)
def test_a_browser_that_cannot_remember_says_so(tab: Open, exhibits: Exhibits, before: str):
    result = tab(before=before).verdict_of(exhibits.files["renewed"])
    assert verdict(result) == "Logged"
    assert "This browser cannot store a checkpoint" in result["whole"]


def test_what_is_remembered_of_other_logs_or_spoilt_is_ignored(tab: Open, exhibits: Exhibits):
    for head in (
        {"origin": exhibits.log.origin},
        {**exhibits.head(), "size": -1},
        {**exhibits.head(), "root": "x"},
    ):
        opened = remembering(tab(), {"origin": exhibits.log.origin, **head})
        assert (
            "no earlier checkpoint in this browser"
            in opened.verdict_of(exhibits.files["renewed"])["rows"]["7"]["said"]
        )


@pytest.mark.parametrize(
    ("before", "cause", "says"),
    some(
        [
            (stubs.NO_WORKERS, "this browser cannot start a worker", "workers are off"),
            (
                stubs.in_the_worker("throw new Error('no such syntax');"),
                "this browser cannot run the checks",
                "no such syntax",
            ),
            (
                stubs.in_the_worker("self.crypto.subtle.digest = () => { throw new TypeError('x'); };"),
                "a bug in this page",
                "TypeError: x",
            ),
        ],
        gate=1,
    ),
    ids=["none", "too old", "broken"],
)
def test_a_browser_without_a_worker_that_works_cannot_check(
    tab: Open, exhibits: Exhibits, before: str, cause: str, says: str
):
    opened = tab(before=before, allowed=("no such syntax",))
    for name in ("renewed", "invalid"):
        result = opened.verdict_of(exhibits.files[name])
        assert verdict(result) == f"Not checked: {cause}"
        assert f"{cause}: " in result["whole"]
        assert says in result["whole"]
        assert result["plainly"] == "Reload the page, or verify on your machine: benchsite verify."


@pytest.mark.full
def test_without_an_ed25519_of_its_own_the_browser_uses_the_bundled_one_and_says_so(
    tab: Open, exhibits: Exhibits
):
    own = tab().verdict_of(exhibits.files["witnessed"])
    assert "the browser's own Ed25519" in own["rows"]["4"]["said"]
    opened = tab(before=stubs.in_the_worker(stubs.WITHOUT_ED25519))
    result = opened.verdict_of(exhibits.files["witnessed"])
    assert verdict(result) == "Witnessed"
    assert "the bundled @noble/ed25519" in result["rows"]["4"]["said"]
    files = [data for leaf, data in exhibits.tampered_leaves() if leaf[0] in ("scores", "adapter", "logHead")]
    assert {found["verdict"] for found in opened.rescore(files)} == {"INVALID"}
    assert verdict(opened.verdict_of(exhibits.files["invalid"])) == "Invalid"


NO_CRYPTOGRAPHY = "Not checked: this browser offers no cryptography on http:// pages"
WAYS_OUT = "Open the site over https, or save this page and open the file."


def test_without_any_cryptography_nothing_is_called_invalid(tab: Open, exhibits: Exhibits):
    opened = tab(before=stubs.in_the_worker(stubs.WITHOUT_SUBTLE))
    for name in ("renewed", "witnessed", "invalid"):
        result = opened.verdict_of(exhibits.files[name])
        assert verdict(result) == NO_CRYPTOGRAPHY
        assert WAYS_OUT in result["whole"]
    assert opened.stored() == {}


def test_over_plain_http_the_same_is_said(tab: Open, exhibits: Exhibits, host: Host):
    """Not stubbed: browsers withhold WebCrypto from a page that came over http from another machine."""
    opened = tab(base=PLAIN, proxy={"server": host.address.removesuffix("/sub/")})
    assert opened.page.evaluate("isSecureContext") is False
    result = opened.verdict_of(exhibits.files["renewed"])
    assert verdict(result) == NO_CRYPTOGRAPHY
    assert WAYS_OUT in result["whole"]
    assert "Not supported" not in result["whole"], (
        "the cause is the headline, and no general verdict beside it"
    )
