"""Reports and boards as HTML, through the site's own renderer."""

from __future__ import annotations

import copy
import csv
import io
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from boards import boards_of
from rubric_receipts import PASSES, SIX, Said, cited, draft, payload
from rubric_record import CLEAN, RubricRecord, renders, rules
from word_list import in_text, texts_of

from benchsite.site.pages import home, receipts
from benchsite.site.pages.receipts import Naming
from benchsite.site.render import Renderer
from benchsite.tracks.rubric import TRACK


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return renders()


@pytest.fixture(scope="module")
def record() -> RubricRecord:
    made = RubricRecord()
    made.score("1.3.0")
    made.score("2.0.0", SIX)
    made.score("2.0.0", PASSES, name="Second")
    return made


def report(record: RubricRecord, place: int, renderer: Renderer) -> str:
    return renderer.body(record.report(record.history().headers[place].receipt_id))


def test_every_permanent_address_is_made(record: RubricRecord):
    found = {path for path in record.pages() if "/evaluate/" not in path}
    boards = {f"rubric/{template.slug}/" for template in _templates("2.0.0")}
    assert len(boards) == 10
    assert found == {
        "rubric/",
        *boards,
        "rubric/customer-service/1.3.0/",
        "rubric/customer-service/2.0.0/",
        *(
            f"api/v1/rubric/customer-service{version}{ending}"
            for version in ("", "/1.3.0", "/2.0.0")
            for ending in (".csv", ".json", ".md", ".tex", "/view.json", "/proof.json")
        ),
        "api/v1/rubric/customer-service/pairs.json",
        "rubric/customer-service/compare/",
        "api/v1/rubric/customer-service/per-query.json",
        "api/v1/rubric/customer-service/comparison.json",
        "api/v1/rubric/customer-service/values.csv",
        "rubric/customer-service/criteria/",
        "rubric/customer-service/criteria.json",
    }


def test_reports_and_leaderboards_speak_the_fields_words(record: RubricRecord, renderer: Renderer) -> None:
    """Without the prompts of the forms; tests/pipeline/test_build.py reads those."""
    bodies = [report(record, place, renderer) for place in range(3)]
    shown = (page for page in record.pages().values() if page.data is None and "/evaluate/" not in page.path)
    bodies += [renderer.body(page) for page in shown if page.path.startswith("rubric/customer-service/")]
    assert len(bodies) == 8
    texts = {text for body in bodies for text in texts_of(body)}
    assert [place for text in texts for place in in_text(text, "page")] == []


def _templates(version: str) -> Any:
    instrument = rules(version).data.instrument
    assert instrument is not None
    return instrument.templates


def test_every_domain_of_every_version_has_its_form(record: RubricRecord):
    forms = {path for path in record.pages() if "/evaluate/" in path}
    assert len(forms) == 4 + 4 + 10 + 10 + 10
    assert "rubric/customer-service/evaluate/1.0.0/" in forms


def test_a_board_without_receipts_says_how_to_make_the_first(record: RubricRecord, renderer: Renderer):
    body = text_of(renderer.body(record.pages()["rubric/research/"]))
    assert "No results yet" in body
    assert "benchsite methodology new-sheet 2.0.0 research --output ../sheets/session-1-pass-1.yaml" in body
    # Version 2.0.0 scores three or more sessions together: one sheet alone is refused.
    assert "benchsite run rubric ../sheets/*.yaml" in body
    found = boards_of(TRACK, record.history(), record.body, record.library)
    assert "research" not in [board.target for board in found.current]


def test_a_site_without_rules_and_receipts_has_one_page(renderer: Renderer):
    record = RubricRecord("1.0.0")
    record.methodologies.clear()
    (page,) = record.pages().values()
    assert "No leaderboards yet" in renderer.body(page)


def test_data_and_board_say_the_same_digits(record: RubricRecord, renderer: Renderer):
    found = record.pages()
    value = json.loads(found["api/v1/rubric/customer-service.json"].data or b"")
    rows = list(
        csv.DictReader(io.StringIO((found["api/v1/rubric/customer-service.csv"].data or b"").decode()))
    )
    body = text_of(renderer.body(found["rubric/customer-service/"]))
    assert len(rows) == len(value["rows"]) == 2
    for line, entry in zip(rows, value["rows"], strict=True):
        recorded = record.body(entry["receiptId"])
        assert float(line["value"]) == entry["value"] == recorded["scores"]["composite_score"]
        assert entry["low"] == recorded["intervals"]["composite_score"]["low"]
        assert line["agreement"] == recorded["agreement"]["kind"]
        assert f"{entry['value']:.2f}" in body
    assert (
        found["api/v1/rubric/customer-service.json"].data
        == found["api/v1/rubric/customer-service/2.0.0.json"].data
    )


def test_a_board_needs_no_script_and_draws_on_one_scale(record: RubricRecord, renderer: Renderer):
    body = renderer.body(record.pages()["rubric/customer-service/"])
    assert body.count('<svg class="plot"') == 2
    assert body.count("<desc>Scale 0–100.</desc>") == 2
    assert body.count("data-verify=") == 2
    assert not re.search(r"\sstyle=", body)
    assert "1st to 2nd" in body


def test_other_rules_stand_beside_a_notice_and_lead_to_what_differs(record: RubricRecord, renderer: Renderer):
    body = renderer.body(record.pages()["rubric/customer-service/"])
    part = body[body.index('id="other-versions"') :]
    assert "Not comparable." in part
    assert 'href="../../methodology/rubric/1.3.0/to/2.0.0/"' in part
    assert "66.80" in part
    assert "66.80" not in body[: body.index('id="other-versions"')]


def test_a_frozen_board_says_what_replaced_it(record: RubricRecord, renderer: Renderer):
    body = text_of(renderer.body(record.pages()["rubric/customer-service/1.3.0/"]))
    assert "Archived (rubric 1.3.0)." in body
    assert "their scores are not comparable" in body
    assert "No CI, 0–100" in body
    assert "Archived" not in renderer.body(record.pages()["rubric/customer-service/2.0.0/"])


def test_a_board_under_superseded_rules_without_a_newer_one_says_so(renderer: Renderer):
    record = RubricRecord()
    record.score("1.3.0")
    body = text_of(renderer.body(record.pages()["rubric/customer-service/"]))
    assert "is current and has no results here yet" in body


def test_a_report_has_everything_an_auditor_asks_for(record: RubricRecord, renderer: Renderer):
    html = report(record, 1, renderer)
    body = text_of(html)
    for words in (
        "76.13 Composite · 95% CI [72.82, 79.45]",
        "Universal 78.33 95% CI [70.05, 86.61]",
        "40%: six universal dimensions",
        "Signature ✓ valid",
        "Log ✓ logged",
        "Re-score ✓ matches",
        "Conflict of interest:",
        "Inter-rater agreement of 2 evaluators",
        "Required tests",
        "✓ pass 6 of 6",
        "composite per session: 74.80, 76.13, 77.47",
        "benchsite verify",
        "Ratings △ warning",
        "Rated by 2 humans",
    ):
        assert words in body, words
    assert html.count('<svg class="radar"') == html.count('<svg class="bars"') == 1
    assert "</span> Superseded" not in body
    assert "six conditions" not in body
    assert not re.search(r"\sstyle=", html)


def test_an_old_version_opens_with_the_notice(record: RubricRecord, renderer: Renderer):
    html = report(record, 0, renderer)
    assert html.index("</span> Superseded") < html.index("big-number")
    assert 'href="../../../methodology/rubric/1.3.0/to/2.0.0/"' in html


def test_a_report_depends_on_no_other_receipt(renderer: Renderer, record: RubricRecord):
    alone = RubricRecord()
    alone.score("1.3.0")
    assert report(alone, 0, renderer) == report(record, 0, renderer)


class _Balanced(HTMLParser):
    """Refuses a tag that closes nothing, or one left open."""

    VOID = frozenset({"br", "hr", "img", "input", "meta", "link", "path", "circle"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        return

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def hostile() -> dict[str, Any]:
    """A receipt in which every free text tries to be markup, and to turn the line around."""
    bad = (
        '</p></details><script>alert(1)</script><img src=x onerror="x">\u202e\u2066{{ 7 * 7 }}\n' + "x" * 700
    )
    made = copy.deepcopy(draft("1.3.0", methodology_sha256=rules("1.3.0").sha256))
    made["agent"] = dict.fromkeys(("name", "version", "vendor"), bad[:150].replace("\n", " "))
    made["evaluators"][0].update(name=bad[:150].replace("\n", " "), conflictOfInterest=bad)
    made["evaluators"][0].update(
        kind="model",
        model={
            "name": bad[:150].replace("\n", " "),
            "promptSha256": None,
            "saw": bad,
            "falsePositiveProbe": None,
        },
    )
    for ratings in made["universal"].values():
        ratings[0].update(note=bad, evidence=[cited(bad, bad)])
    for ratings in made["domain"].values():
        ratings[0]["evidence"] = [cited(bad, bad)]
        for asked in ratings[0]["questions"]:
            for rating in asked["criteria"].values():
                rating["note"] = bad
    for results in made["requiredTests"].values():
        results[0].update(note=bad, evidence=[])
    made["environment"]["git"] = CLEAN
    return made


def test_foreign_text_is_inert_everywhere(renderer: Renderer):
    record = RubricRecord()
    receipt = record.add_receipt(hostile() | record.envelope())
    header = record.history().get(receipt)
    assert header is not None
    assert header.quotable
    everything = [
        record.report(receipt),
        *record.pages().values(),
        *receipts(record.history(), record.scorers, Naming()),
    ]
    for page in everything:
        if page.data is not None or "/evaluate/" in page.path:
            continue
        html = renderer.body(page)
        assert "<script>" not in html
        assert "<img" not in html
        assert "\u202e" not in html
        assert "\u2066" not in html
        assert "{{ 7 * 7 }}" in html or "alert" not in html
        parser = _Balanced()
        parser.feed(html)
        assert parser.open == []


def test_a_long_note_is_folded_and_whole(renderer: Renderer):
    record = RubricRecord()
    made = draft("1.3.0", methodology_sha256=rules("1.3.0").sha256)
    note = " ".join(f"word{number}" for number in range(300))
    made["universal"]["U1"][0]["note"] = note
    made["environment"]["git"] = CLEAN
    html = renderer.body(record.report(record.add_receipt(made | record.envelope())))
    assert note in html
    assert '<details class="long"><summary><span>word0 word1' in html


def test_a_report_of_one_sheet_stays_small(record: RubricRecord, renderer: Renderer):
    # The frame around it has about 3 kB. The fixed words are the rules' tasks, tests and anchors.
    assert len(report(record, 0, renderer).encode()) < 25_000


def test_what_breaks_its_rules_is_called_so_on_report_and_board(renderer: Renderer):
    record = RubricRecord()
    receipt = record.score("2.0.0", (Said(),))
    body = text_of(renderer.body(record.report(receipt)))
    assert "Violates its methodology." in body
    assert "These values are inconsistent" not in body
    assert ".." not in body.replace("…", "")
    board = text_of(renderer.body(record.pages()["rubric/customer-service/"]))
    assert ".;" not in board


def test_a_version_without_required_tests_and_anchors_says_so(renderer: Renderer):
    record = RubricRecord()
    body = text_of(renderer.body(record.report(record.score("1.0.0"))))
    assert "rubric 1.0.0 has no required tests" in body
    assert "Criterion anchors" not in body


def test_front_page_and_list_write_points_with_two_decimals(record: RubricRecord, renderer: Renderer):
    history = record.history()
    found = boards_of(TRACK, history, record.body, record.library)
    front = text_of(renderer.body(home(history, found, site_name="tried")))
    assert "76.13 [72.82, 79.45] Composite, human-rated" in front
    assert "nDCG" not in front
    assert "minimum possible score 20" in front
    listed = text_of(renderer.body(next(iter(receipts(history, record.scorers, Naming())))))
    assert "Composite, human-rated 76.13 [72.82, 79.45]" in listed


def test_two_builds_agree(record: RubricRecord, renderer: Renderer):
    first, second = (
        {path: page.data or renderer.body(page) for path, page in record.pages().items()} for _ in range(2)
    )
    assert first == second


def test_a_payload_is_all_a_report_needs(record: RubricRecord):
    page = record.report(record.history().headers[0].receipt_id)
    assert set(page.context["document"]) >= set(payload("1.3.0"))
