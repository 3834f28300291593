"""The threat table of specs/log.md once more, in the page: each hostile file gets its verdict and nothing else happens.

Every tab of these tests also fails on an uncaught error, a violation of the policy, a dialog, and a request that
leaves the site (the `tab` fixture).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from browser.exhibits import FINGERPRINT, Exhibits, altered, sign
from browser.host import Host
from browser.tab import Tab
from examples import some, spread
from threats.test_hostile_words import UNSEEN
from threats.test_receipt import ELSEWHERE, IDENTITY, MALFORMED, NAMES, ORDER

from benchsite import canonical
from benchsite.signing import decode_base64url, encode_base64url, fingerprint, public_pem

pytestmark = pytest.mark.browser

Open = Callable[..., Tab]
LIMIT = 8 * 1024 * 1024


def verdicts(found: list[dict[str, Any]]) -> set[str]:
    return {one["verdict"] for one in found}


def test_every_leaf_of_a_receipt_changed(tab: Open, exhibits: Exhibits):
    leaves, files = zip(*exhibits.sampled_leaves(), strict=True)
    opened = tab()
    assert verdicts(opened.rescore([exhibits.files["renewed"]])) == {"SIGNED-ONLY"}
    for leaf, found in zip(leaves, opened.rescore(files), strict=True):
        expected = {"INVALID"}
        if leaf == FINGERPRINT:
            expected = {"UNKNOWN SIGNER"}
        if leaf in ELSEWHERE:
            expected = {"INVALID", "UNSUPPORTED"}
        assert found["verdict"] in expected, f"{leaf}: {found}"
        assert found["verdict"] != "INVALID" or found["failed"]["name"], leaf


@pytest.mark.parametrize(
    "leaf",
    [
        ("scores", "ndcg_at_10"),
        pytest.param(("perQuery", 0, "retrieved", 0), marks=pytest.mark.full),
        pytest.param(("ranAt",), marks=pytest.mark.full),
        pytest.param(("adapter", "name"), marks=pytest.mark.full),
        pytest.param(("logHead", "root"), marks=pytest.mark.full),
    ],
    ids=lambda leaf: str(leaf[0]),
)
def test_a_changed_leaf_is_invalid_to_the_visitor(tab: Open, exhibits: Exhibits, leaf: tuple[Any, ...]):
    data = next(data for place, data in exhibits.tampered_leaves() if place == leaf)
    result = tab().verdict_of(data)
    assert result["verdict"] == "✗ Invalid"
    assert any(notice.startswith("✗ Why:") for notice in result["notices"])
    assert "Verification failed" in result["plainly"]


def test_duplicate_key_proto_deep_or_huge_json(tab: Open, exhibits: Exhibits):
    genuine = exhibits.files["renewed"]
    files = []
    for old, new in MALFORMED.values():
        assert genuine.count(old) == 1
        files.append(genuine.replace(old, new))
    opened = tab()
    for name, found in zip(MALFORMED, opened.rescore(files), strict=True):
        assert (found["verdict"], found["failed"]["name"]) == ("INVALID", "parse"), name
        assert "byte" in found["failed"]["detail"], name
    for name in ("__proto__ by an escape", "100,000 levels", "a million digits"):
        old, new = MALFORMED[name]
        assert opened.verdict_of(genuine.replace(old, new))["verdict"] == "✗ Invalid"


KEYS = ",".join(f'"{number}":1' for number in range(300_000))
LARGEST: dict[str, list[tuple[str, int]]] = {
    "8 MiB of [": [("[", LIMIT)],
    "8 MiB of {": [('{"a":', LIMIT // 5)],
    "8 MiB of one string": [('"', 1), ("a", LIMIT - 2), ('"', 1)],
    "8 MiB of escapes": [('["', 1), ("\\u0061", (LIMIT - 4) // 6), ('"]', 1)],
    "8 MiB of numbers": [("[0", 1), (",0", LIMIT // 2 - 2), ("]", 1)],
    "8 MiB of zero bytes": [("\0", LIMIT)],
    "8 MiB and one byte": [("{", 1), (" ", LIMIT - 1), ("}", 1)],
    "64 MiB": [(" ", 8 * LIMIT)],
    "300,000 keys": [("{", 1), (KEYS, 1), ("}", 1)],
    "a receipt of nothing else than 60,000 rows": [('{"perQuery":[{}', 1), (",{}", 60_000), ("]}", 1)],
    "nothing": [],
}
NO_SCHEMA = ("300,000 keys", "a receipt of nothing else than 60,000 rows")
"""JSON objects that name no schema of ours: what cannot be checked here is not called invalid."""


@pytest.mark.parametrize("name", some(list(LARGEST), "8 MiB of [", "8 MiB and one byte"))
def test_the_largest_files_get_their_verdict_and_the_page_answers_meanwhile(tab: Open, name: str):
    opened = tab().drop_parts(*LARGEST[name])
    opened.page.get_by_text("Paste the text of a receipt").click()
    assert opened.page.evaluate("document.querySelector('.more details').open")
    result = opened.result()
    if name in NO_SCHEMA:
        assert result["verdict"] == "? Not supported"
        assert "names no receipt schema" in result["rows"]["1"]["said"]
        return
    assert result["verdict"] == "✗ Invalid"
    assert result["rows"]["1"]["state"] == "✗ fail"
    if name in ("8 MiB and one byte", "64 MiB"):
        assert "8 MiB" in result["rows"]["1"]["said"] or "8388608" in result["rows"]["1"]["said"].replace(
            ",", ""
        )


def test_the_largest_file_that_is_allowed_is_checked(tab: Open, exhibits: Exhibits):
    text = exhibits.files["renewed"].decode()
    opened = tab().drop_parts((text, 1), (" ", LIMIT - len(text.encode())))
    assert opened.result()["verdict"] == "✓ Logged"


def test_a_key_carried_in_the_receipt_is_never_used(tab: Open, exhibits: Exhibits):
    pem = exhibits.stranger_pem.decode()
    carried = [
        sign({**exhibits.unlogged, name: pem}, exhibits.stranger) for name in ("publicKey", "jwk", "key")
    ]
    document = json.loads(exhibits.files["unknown signer"])
    carried.append(canonical.dumps({**document, "signature": {**document["signature"], "publicKey": pem}}))
    opened = tab()
    for found in opened.rescore(carried):
        assert found["verdict"] == "INVALID"
        assert found["failed"]["field"].rpartition(".")[2] in ("publicKey", "jwk", "key")
    assert opened.verdict_of(exhibits.files["unknown signer"])["verdict"] == "? Unknown signer"


def test_small_order_key_non_canonical_encoding_s_at_least_l(tab: Open, exhibits: Exhibits):
    document = json.loads(exhibits.files["renewed"])
    genuine = decode_base64url(document["signature"]["value"])
    scalar = int.from_bytes(genuine[32:], "little")
    twins = [
        genuine[:32] + (scalar + ORDER).to_bytes(32, "little"),
        IDENTITY + bytes(32),
        b"\xee" + b"\xff" * 30 + b"\x7f" + genuine[32:],
    ]
    opened = tab()
    files = [
        canonical.dumps(altered(document, "signature", "value", value=encode_base64url(twin)))
        for twin in twins
    ]
    for found in opened.rescore(files):
        assert (found["verdict"], found["failed"]["field"]) == ("INVALID", "signature.value")
    anybodys = altered(document, "signature", "publicKeyFingerprint", value=fingerprint(IDENTITY))
    forged = canonical.dumps(altered(anybodys, "signature", "value", value=encode_base64url(twins[1])))
    result = opened.verdict_of(forged, ("small.pub", public_pem(IDENTITY).encode()))
    assert result["verdict"] in ("✗ Invalid", "? Unknown signer")
    assert not result["parts"][0].startswith("✓")
    assert "signature valid" not in result["parts"][0]


def test_back_dated_receipt(tab: Open, exhibits: Exhibits):
    """It names a list longer than one that a witness saw a second after the time the receipt claims for its run."""
    result = tab().verdict_of(exhibits.files["back-dated"])
    assert result["verdict"] == "△ Suspect"
    assert "but a witness saw a smaller log than the receipt names" in result["rows"]["9"]["said"]


def test_leaked_receipt_key(tab: Open, exhibits: Exhibits):
    """Signed by one key: what was logged below the limit stays good, at it is suspect, and after it is refused."""
    opened = tab()
    assert opened.verdict_of(exhibits.files["logged"])["verdict"] == "✓ Logged"
    suspect = opened.verdict_of(exhibits.files["suspect"])
    assert suspect["verdict"] == "△ Suspect"
    assert suspect["parts"][0] == "△ signature valid, key compromised"
    forged = opened.verdict_of(sign(exhibits.unlogged, exhibits.stolen))
    assert forged["verdict"] == "✗ Invalid"
    assert "the key was not valid" in forged["rows"]["3"]["said"]


def test_path_traversal_in_ids_asks_for_no_path(tab: Open, exhibits: Exhibits, host: Host):
    opened = tab()
    known = set(host.asked)
    for place in (("receiptId",), ("track",), ("fixture", "id"), ("adapter", "name"), ("supersedes",)):
        files = [sign(altered(exhibits.unlogged, *place, value=name), exhibits.signer) for name in NAMES]
        assert verdicts(opened.rescore(files)) == {"INVALID"}, place
    host.asked.clear()
    hostile = sign(altered(exhibits.unlogged, "receiptId", value="../../../../etc/passwd"), exhibits.signer)
    result = opened.verdict_of(hostile)
    assert result["verdict"] == "✗ Invalid"
    assert all(re.fullmatch(r"log/[a-z0-9/.]+", path) for path in host.asked), host.asked
    assert known == {"verify.html"}


def globals_of(opened: Tab) -> list[str]:
    found: list[str] = opened.page.evaluate("Object.getOwnPropertyNames(window).sort()")
    return found


def assert_inert(opened: Tab, before: list[str]) -> None:
    """No element and no global that is not the page's own, and no invisible character in what is shown."""
    page = opened.page
    assert globals_of(opened) == before
    assert (
        page.locator("#result :is(script, img, iframe, object, embed, link, style, svg, base, form)").count()
        == 0
    )
    attributes = page.evaluate(
        "[...document.querySelectorAll('#result *')].flatMap((one) => one.getAttributeNames())"
    )
    assert [name for name in attributes if name.startswith("on") or name in ("style", "src", "srcdoc")] == []
    assert not UNSEEN.search(page.locator("body").inner_text())


def test_script_bidi_or_control_characters_in_any_string_are_shown_and_inert(tab: Open, exhibits: Exhibits):
    opened = tab()
    before = globals_of(opened)
    result = opened.verdict_of(exhibits.hostile())
    assert result["verdict"] == "△ Signed only"
    assert "<script>alert(1)</script>" in result["whole"]
    assert r"\u202egnp.exe" in result["whole"]
    assert_inert(opened, before)


def test_hostile_words_in_each_string_by_itself(tab: Open, exhibits: Exhibits):
    """Whatever the schema says of them: a verdict, no error; some of them are quoted in it."""
    opened = tab()
    before = globals_of(opened)
    strings = list(exhibits.hostile_strings())
    assert len(strings) > 100
    places, files = zip(*spread(strings, gate=60), strict=True)
    found = opened.rescore(files)
    assert verdicts(found) <= {"INVALID", "UNSUPPORTED", "SIGNED-ONLY", "UNKNOWN SIGNER"}
    chosen = {}
    for place, data, one in zip(places, files, found, strict=True):
        chosen.setdefault((place[0], one["verdict"]), data)
    for data in chosen.values():
        opened.verdict_of(data)
        assert_inert(opened, before)


def test_hostile_file_names_are_inert(tab: Open, exhibits: Exhibits):
    opened = tab()
    before = globals_of(opened)
    name = "\u202e<img src=x onerror=alert(1)>';touch x;'\x1b[2J.json"
    opened.drop((name, exhibits.files["logged"])).result()
    assert "\\u202e<img src=x" in opened.page.locator("#given").inner_text()
    assert_inert(opened, before)
    commands = (
        opened.page.get_by_text("Verify the signature with openssl").locator("xpath=../pre").text_content()
    )
    assert "touch x" not in commands


def test_hostile_words_in_a_proof_a_key_and_what_the_browser_remembers(tab: Open, exhibits: Exhibits):
    words = "</script><script>alert(1)</script>\u202e"
    opened = tab()
    before = globals_of(opened)
    opened.page.evaluate(
        "([origin, head]) => localStorage.setItem(`benchsite:head:${origin}`, head)",
        [exhibits.log.origin, json.dumps({**exhibits.head(3), "note": words, "root": words})],
    )
    proof = f"c2sp.org/tlog-proof@v1\nindex 1\n{words}\n\n{words}\n"
    result = opened.verdict_of(
        exhibits.files["renewed"],
        ("p", proof.encode()),
        ("k", f"-----BEGIN PUBLIC KEY-----\n{words}\n-----END PUBLIC KEY-----\n".encode()),
    )
    assert result["verdict"] == "✓ Logged"
    assert_inert(opened, before)
