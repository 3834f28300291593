"""Names that submitters and maintainers choose freely: no page becomes wider than the screen, and nothing is reordered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser.conftest import write_site
from browser.host import Host, hosting
from browser.settling import settled
from examples import some
from rubric_receipts import uniform
from rubric_record import RubricRecord
from sample_record import SampleRecord, make_fixture, make_methodology

from benchsite.pipeline.workspace.config import MAX_SITE_NAME
from benchsite.tracks.rubric import TRACK as RUBRIC

pytestmark = [pytest.mark.browser, pytest.mark.stories]

LONG = "n" * 200
NAMES = (LONG, "\u05e9\u05dc\u05d5\u05dd" * 40, "\U0001f600" * 100, "\u4e2d" * 200)
BIDI = "lmth.\u202eexe"
Visit = Callable[..., Any]


@pytest.fixture(scope="module", params=some(["retrieval", "rubric"], gate=1))
def named(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, root: Path
) -> Iterator[Host]:
    """A site of one track whose systems, and which itself, have such names."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "rubric":
        record: SampleRecord = RubricRecord("2.0.0")
        assert isinstance(record, RubricRecord)
        for less, name in enumerate(NAMES):
            sheets = [uniform(5 - less, session=n, evaluator=e) for n in (1, 2, 3) for e in (0, 1)]
            record.score("2.0.0", sheets, name=name)
        write_site(record, folder, root, track=RUBRIC, name=(BIDI + LONG)[:MAX_SITE_NAME])
    else:
        record = SampleRecord(
            make_fixture(20, fixture_id="d" * 80), [make_methodology("1.0.0", "## 1 Score\n\nNew.\n")]
        )
        record.publish("n" * 80, 0.9)
        gone = record.publish("m" * 80, 0.9)
        record.add({"type": "retract", "receiptId": gone, "reason": "r" * 200})
        write_site(record, folder, root, name="\u05e9" * MAX_SITE_NAME)
    with hosting(folder) as host:
        yield host


@pytest.mark.full
def test_no_page_is_wider_than_the_screen(named: Host, visit: Visit) -> None:
    page = visit("", base=named.address)
    root = named.folder / "sub"
    found = [path for path in sorted(root.rglob("*.html")) if "docs" not in path.parts]
    assert len(found) > 8
    wide = []
    for path in found:
        page.goto(named.address + path.relative_to(named.folder / "sub").as_posix())
        settled(page)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 900})
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                wide.append((path.parent.name, page.evaluate("document.documentElement.scrollWidth")))
    assert wide == []


def test_the_header_is_low_and_a_bidi_override_is_written_out(named: Host, visit: Visit) -> None:
    for path in ("index.html", "verify.html"):
        page = visit(path, base=named.address, viewport={"width": 390, "height": 900})
        assert page.locator("header.top").bounding_box()["height"] <= 110
        assert "\u202e" not in page.content()
        assert len(page.title()) <= 140
