"""Verification on the site's own pages: on a certificate, over a board, of the list itself, and without script."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from browser import axe, stubs
from browser.exhibits import Exhibits, changed_byte
from browser.host import Host
from browser.tab import Tab
from examples import some

from benchsite import canonical

pytestmark = pytest.mark.browser

Open = Callable[..., Tab]
BOARD = "retrieval/small-v1/"
OTHER = b"\x07" * 32
WORDS = {
    "witnessed": "Witnessed",
    "logged": "Logged",
    "suspect": "Suspect",
    "retracted": "Retracted",
    "superseded": "Superseded",
    "disputed": "Disputed",
}


def page_of(exhibits: Exhibits, name: str) -> str:
    found = exhibits.ids[name]
    return f"receipts/{found[:2]}/{found}/"


def verdict(result: dict[str, Any]) -> str:
    return str(result["verdict"]).partition(" ")[2].strip()


def click(opened: Tab) -> dict[str, Any]:
    """Press the certificate's button; the script that takes it over has come by then."""
    ready(opened)
    opened.page.get_by_role("link", name="Verify in this browser").click()
    return opened.result()


def ready(opened: Tab) -> None:
    """The page's modules have come: the style of a result is the last thing that they ask for."""
    opened.page.wait_for_selector('link[rel=stylesheet][href$="verify/result.css"]', state="attached")


@pytest.mark.parametrize("name", some(list(WORDS), "logged"))
def test_a_certificate_is_verified_where_it_stands(tab: Open, exhibits: Exhibits, host: Host, name: str):
    opened = tab(page_of(exhibits, name))
    address = opened.page.url
    result = click(opened)
    assert verdict(result) == WORDS[name]
    assert result["parts"][2] == "✓ scores match"
    assert opened.page.url == address
    assert opened.page.evaluate("document.activeElement.className") == "verdict"
    assert exhibits.path(name) in host.asked


def test_a_file_that_the_host_has_changed_is_invalid_in_place(tab: Open, exhibits: Exhibits, host: Host):
    host.instead[exhibits.path("logged")] = exhibits.files["invalid"]
    result = click(tab(page_of(exhibits, "logged")))
    assert verdict(result) == "Invalid"
    assert any("the signature does not match" in notice for notice in result["notices"])


def test_numbers_that_the_host_has_changed_are_shown_with_both_values(
    tab: Open, exhibits: Exhibits, host: Host
):
    document = exhibits.document("logged")
    figure = document["scores"]["ndcg_at_10"]
    document["scores"]["ndcg_at_10"] = 0.75
    host.instead[exhibits.path("logged")] = canonical.dumps(document)
    result = click(tab(page_of(exhibits, "logged")))
    assert verdict(result) == "Invalid"
    assert result["differences"] == [["scores.ndcg_at_10", "0.75", json.dumps(figure)]]


def test_a_missing_file_is_said_and_a_second_press_checks_again(tab: Open, exhibits: Exhibits, host: Host):
    host.instead[exhibits.path("logged")] = 404
    opened = tab(page_of(exhibits, "logged"), allowed=("404",))
    ready(opened)
    opened.page.get_by_role("link", name="Verify in this browser").click()
    opened.page.get_by_text("Not checked: no such file on this site.").wait_for()
    host.instead.clear()
    assert verdict(click(opened)) == "Logged"
    opened.page.evaluate("desk.forget()")
    assert verdict(click(opened)) == "Logged"
    assert opened.page.locator(".result").count() == 1


@pytest.mark.smoke
def test_a_board_s_row_opens_its_result_over_the_board(tab: Open, exhibits: Exhibits):
    opened = tab(BOARD)
    page = opened.page
    ready(opened)
    link = page.locator(f"a[data-verify$='{exhibits.ids['renewed']}.json']").first
    link.click()
    assert verdict(opened.result()) == "Logged"
    dialog = page.get_by_role("dialog")
    assert dialog.get_attribute("aria-labelledby") == "verifier-name"
    assert "verified in this browser" in dialog.inner_text()
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    assert link.evaluate("link => link === document.activeElement")
    page.keyboard.press("Enter")
    opened.page.wait_for_selector("dialog .verdict")
    page.get_by_role("button", name="Close").click()
    dialog.wait_for(state="detached")


def test_every_ranked_row_of_a_board_has_its_own_receipt(tab: Open, exhibits: Exhibits):
    opened = tab(BOARD)
    links = opened.page.locator("a[data-verify]")
    named = {links.nth(place).get_attribute("data-verify").split("/")[-1] for place in range(links.count())}
    assert {f"{exhibits.ids[name]}.json" for name in ("renewed", "newer")} <= named
    for place in range(links.count()):
        address = links.nth(place).get_attribute("href")
        found = links.nth(place).get_attribute("data-verify").split("/")[-1].removesuffix(".json")
        assert address.endswith(f"verify.html?id={found}")


def log_state(opened: Tab) -> str:
    place = opened.page.locator(".result.log")
    place.wait_for()
    return str(place.inner_text())


def remembering(exhibits: Exhibits, size: int | None, root: bytes | None = None) -> str:
    head = json.dumps(exhibits.head(size, root=root))
    return f"localStorage.setItem('benchsite:head:{exhibits.log.origin}', {head!r});"


@pytest.mark.smoke
def test_the_log_page_remembers_the_list_and_finds_it_again(tab: Open, exhibits: Exhibits):
    opened = tab("log/")
    assert "First visit" in log_state(opened)
    opened.page.reload()
    assert "Same log" in log_state(opened)
    (text,) = opened.stored().values()
    assert json.loads(text)["size"] == exhibits.log.size


@pytest.mark.full
def test_the_log_page_proves_growth_and_tells_a_stale_copy(tab: Open, exhibits: Exhibits):
    assert "Consistent" in log_state(tab("log/", before=remembering(exhibits, 5)))
    stale = tab("log/", before=remembering(exhibits, exhibits.log.size + 1, OTHER))
    assert "Stale" in log_state(stale)
    assert stale.page.get_by_role("button", name="Save both checkpoints").count() == 0


def test_the_log_page_exports_both_heads_of_a_fork(tab: Open, exhibits: Exhibits):
    opened = tab("log/", before=remembering(exhibits, 5, OTHER))
    assert "Fork" in log_state(opened)
    saved = opened.download("Save both checkpoints").decode()
    assert (
        saved == f"{exhibits.head(5, root=OTHER)['note']}\n{(exhibits.site / 'log/checkpoint').read_text()}"
    )


@pytest.mark.full
def test_the_log_page_says_that_a_list_is_not_sound_or_not_there(tab: Open, exhibits: Exhibits, host: Host):
    whole = (exhibits.site / "log/checkpoint").read_bytes()
    host.instead["log/checkpoint"] = changed_byte(-5)(whole)
    assert "Log verification failed" in log_state(tab("log/"))
    host.instead["log/checkpoint"] = 404
    assert "Not checked" in log_state(tab("log/", allowed=("404",)))
    del host.instead["log/checkpoint"]
    host.instead["log/trust.json"] = 404
    opened = tab("log/", allowed=("404",))
    opened.page.get_by_text("The log could not be checked.").wait_for()


def test_without_script_every_page_is_whole_and_links_to_the_page_of_verification(
    tab: Open, exhibits: Exhibits
):
    opened = tab(page_of(exhibits, "logged"), java_script_enabled=False)
    page = opened.page
    link = page.get_by_role("link", name="Verify in this browser")
    assert link.get_attribute("href").endswith(f"verify.html?id={exhibits.ids['logged']}")
    assert page.locator(".big-number").is_visible()
    link.click()
    page.wait_for_load_state()
    assert "This page needs JavaScript" in page.locator("main").inner_text()
    page.goto(page.url.split("verify.html")[0] + "log/")
    assert "Without JavaScript, keep a copy of the checkpoint." in page.locator("main").inner_text()
    page.goto(page.url.removesuffix("log/") + BOARD)
    assert page.locator("table.board tbody tr").count() >= 2


def test_the_link_in_a_new_tab_is_the_page_of_verification(tab: Open, exhibits: Exhibits):
    opened = tab(page_of(exhibits, "logged"))
    ready(opened)
    with opened.page.context.expect_page() as caught:
        opened.page.get_by_role("link", name="Verify in this browser").click(modifiers=["Control"])
    other = caught.value
    other.wait_for_selector(".verdict")
    assert "Logged" in other.locator(".verdict").inner_text()
    assert other.url.endswith(f"verify.html?id={exhibits.ids['logged']}")


@pytest.mark.parametrize(
    ("script", "word", "says"),
    some(
        [
            (stubs.WITHOUT_ED25519, "Witnessed", "the bundled @noble/ed25519"),
            (
                stubs.WITHOUT_SUBTLE,
                "Not checked: this browser offers no cryptography on http:// pages",
                "Open the site over https, or save this page and open the file.",
            ),
            (
                "throw new Error('no such syntax');",
                "Not checked: this browser cannot run the checks",
                "Reload the page, or verify on your machine: benchsite verify.",
            ),
        ],
        gate=1,
    ),
    ids=["no Ed25519", "no cryptography", "a broken worker"],
)
def test_browsers_that_lack_something(
    tab: Open, exhibits: Exhibits, host: Host, script: str, word: str, says: str
):
    worker = (exhibits.site / "verify/worker.js").read_bytes()
    host.instead["verify/worker.js"] = worker + script.encode()
    result = click(tab(page_of(exhibits, "witnessed"), allowed=("no such syntax",)))
    assert verdict(result) == word
    assert says in result["whole"]


def test_a_browser_without_workers_cannot_check_in_place(tab: Open, exhibits: Exhibits):
    result = click(tab(page_of(exhibits, "witnessed"), before=stubs.NO_WORKERS))
    assert verdict(result) == "Not checked: this browser cannot start a worker"


def test_an_engine_that_does_not_load_is_named_with_the_next_step(tab: Open, exhibits: Exhibits, host: Host):
    host.instead["verify/worker.js"] = 404
    result = click(tab(page_of(exhibits, "logged"), allowed=("404",)))
    assert verdict(result) == "Not checked: the verification engine could not be loaded"
    host.instead["verify/client.js"] = 404
    opened = tab(page_of(exhibits, "logged"), allowed=("404",))
    ready(opened)
    opened.page.get_by_role("link", name="Verify in this browser").click()
    opened.page.get_by_text(
        "Not checked: the verification engine could not be loaded. Reload the page"
    ).wait_for()


def test_the_engine_is_fetched_only_once_somebody_asks(tab: Open, exhibits: Exhibits, host: Host):
    opened = tab(page_of(exhibits, "logged"))
    opened.page.wait_for_load_state("networkidle")
    engine = {"verify/client.js", "verify/worker.js", "verify/engine.js", "log/trust.json"}
    assert not engine & set(host.asked)
    click(opened)
    assert engine <= set(host.asked)


@pytest.mark.full
def test_from_a_folder_the_link_leads_to_the_page(tab: Open, exhibits: Exhibits, host: Host):
    opened = tab(f"{page_of(exhibits, 'logged')}index.html", base=f"file://{exhibits.site}/")
    opened.page.get_by_role("link", name="Verify in this browser").click()
    opened.status("Drop the file here instead")
    assert verdict(opened.verdict_of(exhibits.files["renewed"], ("p", exhibits.proof))) == "Logged"
    assert host.asked == []


def test_hostile_words_in_place_are_inert(tab: Open, exhibits: Exhibits, host: Host):
    host.instead[exhibits.path("logged")] = exhibits.hostile()
    result = click(tab(page_of(exhibits, "logged")))
    assert verdict(result) == "Invalid"  # it is another receipt than the page's
    assert "<script>alert(1)</script>" in result["whole"]
    assert "<script" not in result["html"]
    assert r"\u202egnp.exe" in result["whole"]


@pytest.mark.full
@pytest.mark.parametrize("width", [320, 390])
def test_nothing_scrolls_sideways_on_a_phone(tab: Open, exhibits: Exhibits, width: int):
    opened = tab(page_of(exhibits, "witnessed"), viewport={"width": width, "height": 800})
    click(opened)
    opened.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    assert not opened.page.evaluate("document.documentElement.scrollWidth > innerWidth")
    board = tab(BOARD, viewport={"width": width, "height": 800})
    ready(board)
    assert not board.page.evaluate("document.documentElement.scrollWidth > innerWidth")
    # A row of three lines has no place for the link: it leads to the receipt's page, which has it.
    row = board.page.locator("tr:has(> .receipt)").first
    assert not row.locator("a[data-verify]").is_visible()
    row.locator(".what a").first.click()
    board.page.locator("a[data-verify]").first.wait_for(state="visible")


@pytest.mark.full
@axe.installed
def test_axe_finds_nothing_beside_a_result(tab: Open, exhibits: Exhibits):
    found = []
    for path in (page_of(exhibits, "retracted"), BOARD, "log/"):
        opened = tab(path, bypass_csp=True)
        if path == "log/":
            log_state(opened)
        else:
            ready(opened)
            opened.page.locator("a[data-verify]").first.click()
            opened.result()
        found += [(path, *broken) for broken in axe.violations(opened.page)]
    assert found == [], "\n".join(map(str, found))
