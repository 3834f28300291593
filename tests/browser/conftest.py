"""A sample site served under a sub-path, and a browser to look at it with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from boards import boards_of
from browser import evaluating
from browser.exhibits import Exhibits, Secrets, make
from browser.host import PLAIN, Elsewhere, Host, hosting, listening
from browser.settling import settled, watch
from browser.tab import Tab
from browsers import chromium_program, firefox_program
from pipeline.conftest import begun_template, secrets  # noqa: F401 - fixtures are found by their names here
from sample_record import SampleRecord, make_fixture, make_methodology

from benchsite.addresses import evidence_page_path
from benchsite.board import Past, subjects, track_pages
from benchsite.pipeline.browser import verifier, verify_files
from benchsite.pipeline.building.many import parents
from benchsite.site import pages
from benchsite.site.feeds import Feeds
from benchsite.site.frame import RenderedPage, SiteConfig, foot, nav_of
from benchsite.site.pages.log import quotes
from benchsite.site.pages.receipts import Naming
from benchsite.site.render import Renderer
from benchsite.site.repository import Hosted
from benchsite.site.shell import build_shell
from benchsite.site.trust import Shown, trust
from benchsite.track import Page, Track
from benchsite.tracks.retrieval import TRACK as RETRIEVAL

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    """The folder that is served; the site itself stands in `sub/`."""
    rules = [
        make_methodology("0.9.0", "## 1 Score\n\nOld."),
        make_methodology("1.0.0", "## 1 Score\n\nNew.\n\n## 2 More\n\n| a | b |\n|--|--:|\n| x | 1 |\n"),
    ]
    record = SampleRecord(make_fixture(120), rules)
    for name, skill in (
        ("good", 0.9),
        ("fair", 0.6),
        ("near", 0.58),
        ("poor", 0.1),
        ("bm25", 0.5),
        ("random", 0.02),
    ):
        record.publish(name, skill)
    gone = record.publish("gone", 0.5, ranAt="2026-10-31T23:59:00Z")
    record.add({"type": "retract", "receiptId": gone, "reason": "a stale index"})
    folder = tmp_path_factory.mktemp("served")
    write_site(record, folder, root)
    return folder


def write_site(
    record: SampleRecord, folder: Path, root: Path, *, track: Track = RETRIEVAL, name: str = "sample"
) -> None:
    history = record.history()
    renderer = Renderer({track.name: track}, site_url="https://bench.invalid/sub/")

    def rendered(page: Page) -> RenderedPage:
        return RenderedPage(page.path, page.title, page.description, renderer.body(page).encode())

    made = boards_of(track, history, record.body, record.library)
    named = subjects(made, history, {})
    found = list(track_pages(made.tracks[track.name], record.body, record.library))
    found += [*pages.methodology(record.library), *pages.subjects(named, Past(made, history))]
    found += pages.receipts(history, record.scorers, Naming.of(made, named))
    found += pages.log(record.log, record.checkpoint)
    feeds = Feeds(history, record.log, quotes(history, record.scorers), "", name, "2026-11-01T00:00:00Z")
    found += feeds.pages(named)
    found += pages.search(record.library, [page.path for page in found])
    found.append(pages.home(history, made, site_name=name))
    told = trust(
        record.log,
        site=name,
        roots=[key.fingerprint for key in record.log.keyring if key.role == "root"],
        checkpoint=record.checkpoint,
        witnesses=(),
        shown=Shown(
            banner="SAMPLE: invented numbers.",
            nav=nav_of([track]),
            links=foot(Hosted("https://code.invalid/lab/bench"), "LICENSE", "log/feed.xml"),
            version="1.2.3",
        ),
    )
    found += pages.verify(verifier(), verify_files(), told, record.log)
    (folder / "mkdocs.yml").write_text("site_name: sample\nmarkdown_extensions: [admonition, tables]\n")
    target = folder / "sub"
    shell = build_shell(
        SiteConfig(
            docs_dir=root / "content",
            theme_dir=root / "theme",
            site_dir=target,
            mkdocs_yml=folder / "mkdocs.yml",
            site_name=name,
            site_url="https://bench.invalid/sub/",
            banner="SAMPLE: invented numbers.",
            pages=[rendered(page) for page in found if page.data is None and not page.many],
            folders=parents([page for page in found if page.many]),
            nav=nav_of([track]),
        )
    )
    files = {page.path: page.data for page in found if page.data is not None}
    files |= {
        evidence_page_path(name): record.library.document(name) or b"" for name in record.library.evidence
    }
    files |= {f"{page.path}index.html": shell.wrap(rendered(page)).encode() for page in found if page.many}
    for header, blob in zip(history, record.blobs, strict=True):
        page = track.receipt_page(header, record.body(header.receipt_id), record.library)
        files[f"{page.path}index.html"] = shell.wrap(rendered(page)).encode()
        files[blob.path] = blob.data
    for path, data in files.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_bytes(data)


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the site is served: `http://127.0.0.1:<port>/sub/`."""
    with hosting(site) as host:
        yield host.address


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program_path = chromium_program()
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program_path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def firefox() -> str:
    """Firefox's program; it is driven by node (tests/js/firefox.js)."""
    return firefox_program()


@pytest.fixture
def visit(chromium: Any, address: str) -> Iterator[Callable[..., Any]]:
    """`visit(path, **context)` opens a page; at the end nothing may have failed or left this host."""
    contexts: list[Any] = []
    trouble: list[str] = []

    def open_page(path: str, *, base: str = address, **options: Any) -> Any:
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((address, base, "file://", "data:"))
                else trouble.append(f"left the site: {request.url}")
            ),
        )
        watch(page)
        page.goto(base + path)
        if options.get("java_script_enabled", True):
            settled(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []


@pytest.fixture(scope="session")
def exhibits(
    begun_template: Path,  # noqa: F811 - it is the fixture imported above
    secrets: Secrets,  # noqa: F811
    tmp_path_factory: pytest.TempPathFactory,
) -> Exhibits:
    """A published site with a receipt of every verdict."""
    return make(begun_template, tmp_path_factory.mktemp("exhibits"), secrets)


@pytest.fixture(scope="session")
def hosted(exhibits: Exhibits) -> Iterator[Host]:
    with hosting(exhibits.folder) as found:
        yield found


@pytest.fixture
def host(hosted: Host) -> Iterator[Host]:
    """The exhibits' host, honest again at the end."""
    hosted.asked.clear()
    yield hosted
    hosted.instead.clear()


@pytest.fixture(scope="session")
def elsewhere() -> Iterator[Elsewhere]:
    with listening() as found:
        yield found


@pytest.fixture
def tab(chromium: Any, host: Host, elsewhere: Elsewhere) -> Iterator[Callable[..., Tab]]:
    """`tab(path, **context)` opens a page of the exhibits' site, or another one; at the end nothing may have failed.

    `before` runs ahead of the page's own scripts; `allowed` names errors on the console that the test itself causes.
    """
    elsewhere.heard.clear()
    opened: list[tuple[Any, Tab, tuple[str, ...]]] = []

    def open_tab(
        path: str = "verify.html",
        *,
        base: str | None = None,
        before: str = "",
        allowed: tuple[str, ...] = (),
        **options: Any,
    ) -> Tab:
        options.setdefault("proxy", {"server": elsewhere.address, "bypass": "127.0.0.1"})
        context = chromium.new_context(**options)
        found = Tab(context, before)
        opened.append((context, found, allowed))
        found.page.goto((host.address if base is None else base) + path)
        return found

    yield open_tab
    trouble: list[str] = []
    for context, found, allowed in opened:
        with suppress(Exception):  # pages without script have no desk
            trouble += found.page.evaluate("desk.violations")
        trouble += [text for text in found.trouble if not any(part in text for part in allowed)]
        ours = (host.address, PLAIN, "file://", "data:", "blob:")
        trouble += [f"left the site: {url}" for url in found.requests if not url.startswith(ours)]
        context.close()
    assert trouble + elsewhere.heard == []


@pytest.fixture
def saved(exhibits: Exhibits, tmp_path: Path) -> str:
    """The page in a folder of its own, as a visitor has saved it."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "verify.html").write_bytes((exhibits.site / "verify.html").read_bytes())
    return f"file://{tmp_path}/kept/"


@pytest.fixture(scope="session")
def forms(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[str]:
    """Where the evaluator forms of three versions are served, with the theme and the engine, under a sub-path."""
    folder = tmp_path_factory.mktemp("forms")
    evaluating.write_forms(folder, root, (evaluating.CURRENT, evaluating.FINED, evaluating.OLDEST))
    with evaluating.hosted(folder / "served") as address:
        yield f"{address}/sub/"


@pytest.fixture
def visit_form(chromium: Any, forms: str) -> Iterator[Callable[..., Any]]:
    """`visit_form(path, before, **context)` opens a form; at the end nothing may have failed or left this host."""
    with evaluating.visiting(chromium, forms) as opened:
        yield opened
