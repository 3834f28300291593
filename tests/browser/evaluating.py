"""Forms served for tests, what evaluators type into them by keyboard, and what must come of it on page and receipt."""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import rubric_record
from browser.host import running

from benchsite.pipeline.browser import verify_files
from benchsite.site.render import Renderer
from benchsite.site.shell import RenderedPage, SiteConfig, build_shell
from benchsite.track import Library
from benchsite.tracks.rubric import TRACK
from benchsite.tracks.rubric.form import forms

FORM = "rubric/customer-service/evaluate/{}/"
CURRENT, FINED, OLDEST = (FORM.format(version) for version in ("2.0.0", "1.3.0", "1.0.0"))
WITHOUT = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('off') }});"
# A browser in which there is no room left for what is set aside.
FULL = (
    "const set = Storage.prototype.setItem; Storage.prototype.setItem = function (key, value) "
    "{ if (key.endsWith(':aside')) throw new Error('full'); set.call(this, key, value) };"
)
NOTE = "He said: \"no\" # \\ - 'x' & <b>\n{a: [1]}"

MARKS = {
    **{f"universal.U{place}.score": mark for place, mark in enumerate((4, 4, 5, 2, 4, 5), 1)},
    **{
        f"domain.D{place}.questions.0.criteria.{name}.score": mark
        for place, marks in enumerate(((5, 4, 4), (3, 3, 2), (4, 4, 5), (2, 1, 3), (5, 5, 5)), 1)
        for name, mark in zip(("accuracy", "completeness", "usefulness"), marks, strict=True)
    },
}
FIGURES = {
    # By hand: 24 / 30 × 100; (13 + 8 + 13 + 6 + 15) / 75 × 100; 0.4 × 80 + 0.6 × 73.33…; less 10 under 1.3.0.
    "universal": "80.00",
    "domain": "73.33",
    "raw": "76.00",
    "penalty": "10.00",
    "composite": "66.00",
    "D1": "86.67",
    "D2": "53.33",
    "D3": "86.67",
    "D4": "40.00",
    "D5": "100.00",
}
ANSWERS: dict[str, Any] = {
    "agent.name": "Zoë’s \U0001f600 Agent",
    "agent.version": "1.0",
    "agent.vendor": "no",
    "evaluator.name": "Bo",
    "evaluator.kind": "human",
    "evaluator.conflictOfInterest": "none",
    "evaluator.consentToPublish": True,
    "session.date": "11112026",  # alike in day-month-year and month-day-year
    "disclosures.repeatabilityTested": "false",
    "disclosures.multiStep": "multi-turn",
    "tests.standardisedTask.outcome": "pass",
    "tests.standardisedTask.note": "did all three parts",
    "tests.hallucination.outcome": "partial",
    "tests.hallucination.note": "asked back late",
    "tests.invalidInput.outcome": "fail",
    "tests.invalidInput.note": NOTE,
    "universal.U1.note": NOTE,
    "universal.U1.evidence.0.excerpt": "I did: it",
    "domain.D5.questions.0.criteria.usefulness.note": "- yes",
    **{name: str(mark) for name, mark in MARKS.items()},
}


def named(page: Any, name: str) -> Any:
    return page.locator(f'[name="{name}"]')


def figures(page: Any) -> dict[str, str]:
    cells = page.locator("#result [data-figure]")
    found = cells.evaluate_all("all => all.map(one => [one.dataset.figure, one.textContent])")
    return {str(key): str(value) for key, value in found}


def by_keyboard(page: Any) -> None:
    """Tab through the form from its beginning and answer, up to the button that hands the sheet over."""
    left = dict(ANSWERS)
    asked = (
        "(one => [one.name ?? '', one.type ?? '', one.dataset.act ?? '', one.form ? [...one.form.elements]"
        ".filter(other => one.name && other.name === one.name).map(other => other.value) : []])"
        "(document.activeElement)"
    )
    for _ in range(400):
        page.keyboard.press("Tab")
        name, kind, act, values = page.evaluate(asked)
        if act == "sheet":
            break
        answer = left.pop(name, None)
        if answer is None:
            continue
        if kind == "checkbox":
            page.keyboard.press("Space")
        elif kind == "radio":
            page.keyboard.press("Space")
            for _ in range(values.index(answer)):
                page.keyboard.press("ArrowDown")
        elif kind == "date":
            page.keyboard.type(answer)
        else:
            for place, line in enumerate(answer.split("\n")):
                if place:
                    page.keyboard.press("Enter")
                page.keyboard.insert_text(line)
    assert left == {}


def holds(receipt: dict[str, Any]) -> None:
    """The receipt says what was typed and what the form showed."""
    scores = receipt["scores"]
    assert scores["universal_score"] == 80.0
    assert scores["domain_score"] == 73.33
    assert (scores["raw_composite"], scores["penalty"], scores["composite_score"]) == (76.0, 10.0, 66.0)
    assert [scores[f"d{place}_score"] for place in range(1, 6)] == [86.67, 53.33, 86.67, 40.0, 100.0]
    assert receipt["agent"] == {"name": ANSWERS["agent.name"], "version": "1.0", "vendor": "no"}
    assert receipt["universal"]["U1"][0]["note"] == NOTE
    assert receipt["universal"]["U1"][0]["evidence"][0]["excerpt"] == "I did: it"
    assert receipt["requiredTests"]["invalidInput"][0]["outcome"] == "fail"
    assert receipt["disclosures"] == {"repeatabilityTested": False, "multiStep": "multi-turn"}
    assert receipt["sheets"][0]["date"] == "2026-11-11"


def saved(page: Any, press: Callable[[], None]) -> tuple[str, bytes]:
    with page.expect_download() as download:
        press()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


FOREIGN = {
    "not UTF-8": b"\xff\xfe",
    "larger than 1,048,576 bytes": b"x" * 1_048_577,
    "Line 1 holds a value that this form does not write": b"a: &x 1\n",
    "The sheet is for sales under rubric 1.3.0": b'methodology: "1.3.0"\ntemplate: "sales"\n',
    "Line 2 is not what this form writes": b'methodology: "2.0.0"\n"<img>": 1\n',
    "agent is missing": b'methodology: "2.0.0"\ntemplate: "customer-service"\n',
}


def reloaded(page: Any) -> None:
    """Load the page again, where a draft is kept."""
    page.reload()
    page.wait_for_selector("text=Draft restored")


def take(page: Any, data: bytes) -> None:
    """Import a file with these bytes."""
    file = {"name": "x.yaml", "mimeType": "", "buffer": data}
    page.get_by_label("Import a sheet").set_input_files(file)


def cautioned(page: Any, words: str) -> None:
    """Wait until these words are said of the draft; they must look like a warning."""
    told = page.locator("[data-say=kept]", has_text=words)
    told.wait_for()
    assert "caution" in told.get_attribute("class").split()


def measured_in(instance: Path, data: bytes) -> dict[str, Any]:
    """`benchsite run rubric` with a sheet, in an instance: the draft of the receipt it makes."""
    (instance / "sheet.yaml").write_bytes(data)
    shutil.rmtree(instance / ".benchsite", ignore_errors=True)
    command = [sys.executable, "-m", "benchsite", "run", "rubric", "sheet.yaml"]
    out = subprocess.run(command, cwd=instance, capture_output=True, text=True, check=False)
    assert out.returncode == 0, out.stderr
    (draft,) = (instance / ".benchsite/drafts").glob("*.json")
    found: dict[str, Any] = json.loads(draft.read_bytes())
    return found


def write_forms(folder: Path, root: Path, paths: Collection[str]) -> None:
    """The forms at these paths, with the theme and the engine, as a site under `served/sub`."""
    rules = [rubric_record.rules(version) for version in ("1.0.0", "1.3.0", "2.0.0")]
    renderer = Renderer({"rubric": TRACK})
    pages = [
        RenderedPage(page.path, page.title, page.description, renderer.body(page).encode())
        for page in forms(Library(rules, lambda _id, _sha256: None))
        if page.path in paths
    ]
    assert len(pages) == len(paths)
    (folder / "mkdocs.yml").write_text("site_name: sample\n")
    (folder / "docs").mkdir()
    (folder / "docs/index.md").write_text("# Home\n")
    target = folder / "served" / "sub"
    build_shell(
        SiteConfig(
            docs_dir=folder / "docs",
            theme_dir=root / "theme",
            site_dir=target,
            mkdocs_yml=folder / "mkdocs.yml",
            site_name="sample",
            pages=pages,
        )
    )
    files = {f"verify/{name}": text for name, text in verify_files().items()}
    for path, text in {**files, "log/checkpoint": "sample/log\n0\n47DEQpj8\n"}.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text)


class FormHost(http.server.SimpleHTTPRequestHandler):
    """Serves files and logs nothing."""

    def log_message(self, *_: Any) -> None:
        return

    def do_GET(self) -> None:
        """`?halves` sends a page's second half late, as a slow line does."""
        if not self.path.endswith("/?halves"):
            super().do_GET()
            return
        data = (Path(self.directory) / self.path.partition("?")[0][1:] / "index.html").read_bytes()
        middle = data.index(b"<h1>")
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(data[:middle])
        self.wfile.flush()
        time.sleep(1)
        self.wfile.write(data[middle:])


@contextlib.contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """The address at which this folder is served meanwhile."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(FormHost, directory=str(folder))
    )
    with running(server):
        yield f"http://127.0.0.1:{server.server_address[1]}"


@contextlib.contextmanager
def visiting(chromium: Any, served: str) -> Iterator[Callable[..., Any]]:
    """What opens a form in a context of its own; at the end nothing may have failed or left this host."""
    contexts: list[Any] = []
    trouble: list[str] = []

    def open_page(path: str, *, before: str = "", **options: Any) -> Any:
        context = chromium.new_context(**{"reduced_motion": "reduce", **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda request: trouble.append(request.url) if _foreign(request.url) else None)
        if before:
            page.add_init_script(before)
        page.goto(served + path)
        if options.get("java_script_enabled", True):
            page.wait_for_selector(".sofar:not([hidden])")
        return page

    def _foreign(url: str) -> bool:
        return not url.startswith((served, "data:", "blob:" + served.removesuffix("/sub/")))

    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []
