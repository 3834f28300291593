"""An evaluation from the built site's own form to its verified report: fill in, `run rubric`, publish, build, verify."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from browser.evaluating import ANSWERS, FIGURES, by_keyboard, figures
from browser.host import Elsewhere, Host, hosting
from browsers import drive_firefox
from snapshots import opened

from benchsite.addresses import evaluate_path, receipt_page_path
from benchsite.environment import Credentials
from benchsite.pipeline import build, publish
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey

pytestmark = [pytest.mark.browser, pytest.mark.stories]

FORM = evaluate_path("customer-service", "1.3.0")
SHEET = "zoë-s-agent-customer-service-1.3.0-bo-s1-p1.yaml"


@dataclass(frozen=True)
class Story:
    """An instance and its site as it is served."""

    instance: Workspace
    host: Host
    credentials: Credentials

    def site(self) -> None:
        build.build(self.instance, opened(self.instance), self.host.folder / "sub")

    def published(self, sheet: Path) -> str:
        """`benchsite run rubric` with a sheet as it was downloaded, then publish and build; the receipt's id."""
        command = [sys.executable, "-m", "benchsite", "run", "rubric", str(sheet)]
        out = subprocess.run(
            command, cwd=self.instance.root, capture_output=True, text=True, check=False, timeout=120
        )
        assert out.returncode == 0, out.stderr
        done = publish.publish(
            self.instance, opened(self.instance), self.instance.draft_paths(), self.credentials, push=False
        )
        self.site()
        (receipt_id,) = done.receipts
        return receipt_id


@pytest.fixture(scope="module")
def story(
    begun_template: Path, tmp_path_factory: pytest.TempPathFactory, secrets: dict[str, PrivateKey]
) -> Iterator[Story]:
    folder = tmp_path_factory.mktemp("story")
    shutil.copytree(begun_template, folder / "instance", symlinks=True)
    served = folder / "served"
    served.mkdir()
    with hosting(served) as host:
        made = Story(Workspace(folder / "instance"), host, Credentials.of(**secrets))
        made.site()
        yield made
        made.instance.repository.close()


@pytest.mark.full
def test_in_chromium(story: Story, chromium: Any, tmp_path: Path):
    context = chromium.new_context(reduced_motion="reduce")
    page = context.new_page()
    trouble: list[str] = []
    page.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto(story.host.address + FORM)
    page.wait_for_selector(".sofar:not([hidden])")
    by_keyboard(page)
    assert figures(page) == FIGURES
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename == SHEET
    sheet = tmp_path / SHEET
    download.value.save_as(sheet)

    receipt_id = story.published(sheet)
    page.goto(story.host.address + receipt_page_path(receipt_id))
    assert page.locator(".big-number").inner_text() == FIGURES["composite"]
    assert "Raw composite 76.00" in page.locator("main").inner_text()
    assert "Superseded" not in page.locator("main").inner_text(), "1.3.0 is the newest that this log pins"
    page.wait_for_selector('link[rel=stylesheet][href$="verify/result.css"]', state="attached")
    page.get_by_role("link", name="Verify in this browser").click()
    held(page)
    page.goto(f"{story.host.address}verify.html?id={receipt_id}")
    held(page)
    context.close()
    assert trouble == []


def held(page: Any) -> None:
    """The result says logged, and that the numbers come out again."""
    page.wait_for_selector(".result .verdict")
    assert "Logged" in page.locator(".result .verdict").inner_text()
    assert "scores match" in page.locator(".result .parts").inner_text()


@pytest.mark.full
def test_in_firefox(story: Story, firefox: str, elsewhere: Elsewhere, tmp_path: Path):
    given = {"address": story.host.address + FORM, "folder": str(tmp_path), "answers": ANSWERS}
    drive_firefox(firefox, "firefox-evaluate.js", given=given)
    receipt_id = story.published(tmp_path / SHEET)
    addresses = {
        "report": (
            receipt_page_path(receipt_id),
            [["click", "a[data-verify]"], ["text", ".big-number", FIGURES["composite"]]],
        ),
        "page": (f"verify.html?id={receipt_id}", [["shown"]]),
    }
    visits = [
        {"name": name, "address": story.host.address + path, "before": "", "steps": steps}
        for name, (path, steps) in addresses.items()
    ]
    host, port = elsewhere.server_address[:2]
    seen = drive_firefox(firefox, "firefox-verify.js", given={"visits": visits, "proxy": [host, port]})
    for name in addresses:
        found = seen["visits"][name]
        assert found["trouble"] == []
        assert found["results"][0]["verdict"] == "✓ Logged"
        assert "✓ scores match" in found["results"][0]["parts"]
