"""The site's own pages, as values and as HTML."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from boards import boards_of, pages_of
from sample_record import SampleRecord, make_fixture, make_methodology, verify

from benchsite import canonical
from benchsite.board import Boards
from benchsite.history import Blob, History, Verdict, verify_record
from benchsite.site import pages
from benchsite.site.pages.home import Finding
from benchsite.site.pages.receipts import Naming, index
from benchsite.site.render import Renderer
from benchsite.track import Page
from benchsite.tracks.retrieval import TRACK


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer({"retrieval": TRACK})


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def begin() -> SampleRecord:
    return SampleRecord(make_fixture(40), [make_methodology("1.0.0", "## 1 Score\n\nText.")])


def home(record: SampleRecord) -> Page:
    history = record.history()
    return pages.home(history, boards_of(TRACK, history, record.body, record.library), site_name="tried")


def test_an_empty_record_has_a_front_page_that_says_so_and_what_to_type(
    record: SampleRecord, renderer: Renderer
):
    body = text_of(renderer.body(home(record)))
    assert "No receipts yet" in body
    assert "benchsite publish" in body
    assert "Leaderboards" not in body


def test_the_front_page_names_one_leader_a_board_with_its_interval(
    published: SampleRecord, renderer: Renderer
):
    history = published.history()
    leader = max(
        (header for header in history if header.summary and header.summary.subject.name != "bm25"),
        key=lambda header: header.summary.headline.value or 0,  # type: ignore[union-attr]
    )
    assert leader.summary is not None
    figure = leader.summary.headline
    body = text_of(renderer.body(home(published)))
    assert f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]" in body
    assert "No receipts yet" not in body


def unranked_only() -> SampleRecord:
    record = begin()
    record.publish("one", 0.5, simulated=True)
    return record


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("empty", "No receipts yet"),
        ("unranked", "no ranked system"),
        ("ranked", "One leader (or tie) per leaderboard"),
    ],
)
def test_every_anchor_of_the_front_page_exists_in_every_state(
    state: str, words: str, published: SampleRecord, renderer: Renderer
):
    record = {"empty": begin, "unranked": unranked_only, "ranked": lambda: published}[state]()
    body = renderer.body(home(record))
    assert words in text_of(body)
    assert set(re.findall(r'href="#([^"]+)"', body)) <= set(re.findall(r'\sid="([^"]+)"', body))


def test_receipts_without_a_board_are_not_called_no_receipts(renderer: Renderer):
    history = unranked_only().history()
    body = renderer.body(pages.home(history, Boards(), site_name="tried"))
    assert "No results are ranked yet" in body
    assert "No receipts yet" not in body
    assert 'href="receipts/"' in body


def test_the_home_page_opens_the_verify_page_with_the_leader(published: SampleRecord, renderer: Renderer):
    page = home(published)
    leader = page.context["boards"][0].leaders[0].header.receipt_id
    assert f'href="verify.html?id={leader}">Verify the leading result in your browser</a>' in renderer.body(
        page
    )


def test_a_site_of_baselines_offers_to_verify_one_and_calls_none_a_leader(renderer: Renderer):
    record = begin()
    name = record.publish("bm25", 0.5)
    body = renderer.body(home(record))
    assert f'href="verify.html?id={name}">Verify a receipt in your browser</a>' in body
    assert "Verify the leading result" not in body


@pytest.mark.parametrize("count", [0, 1, 4])
def test_the_home_page_quotes_at_most_three_findings_and_nothing_without_one(
    published: SampleRecord, renderer: Renderer, count: int
):
    found = [
        Finding(f"Title {i}", f"<b>{i} of 9</b> ranks are ties.", f"findings/f{i}/") for i in range(count)
    ]
    history = published.history()
    made = boards_of(TRACK, history, published.body, published.library)
    body = renderer.body(pages.home(history, made, site_name="tried", findings=found))
    quoted = re.findall(r'<p class="big">(.*?)</p><p><a href="(.*?)">(.*?)</a>', body)
    assert quoted == [
        (f"&lt;b&gt;{i} of 9&lt;/b&gt; ranks are ties.", f"findings/f{i}/", f"Title {i}")
        for i in range(min(count, 3))
    ]
    assert ('class="findings"' in body) == (count > 0)


def test_a_row_of_the_home_page_has_leader_ends_of_its_axis_systems_and_newest_receipt(
    published: SampleRecord, renderer: Renderer
):
    body = renderer.body(home(published))
    newest = published.history().headers[-1]
    row = body[body.index("<tbody>") : body.index("</tbody>")]
    assert row.count("<tr>") == 1
    text = text_of(row)
    assert "Retrieval · sample-notes-v1 good Ahead of two others." in text
    assert re.search(r"0\.\d0 [01]\.\d0 3 systems 1 baseline ✓ logged \d+ \w+ 20\d\d", text)
    assert f'href="receipts/{newest.receipt_id[:2]}/{newest.receipt_id}/"' in row


def test_before_the_log_begins_there_is_a_front_page_and_an_empty_index(renderer: Renderer):
    history: History = verify_record(None, [], {}, lambda _: [])
    assert "No receipts yet" in renderer.body(pages.home(history, Boards(), site_name="tried"))
    page, data = pages.receipts(history, {"retrieval": TRACK}, Naming())
    assert "No receipts yet" in renderer.body(page)
    assert json.loads(data.data or b"")["count"] == 0


def test_the_index_is_columnar_canonical_and_in_log_order(published: SampleRecord):
    history = published.history()
    data = index(history, Naming())
    value = json.loads(data)
    assert canonical.dumps(value) == data
    assert value["columns"]["receiptId"] == [header.receipt_id for header in history]
    assert {len(column) for column in value["columns"].values()} == {len(history)} == {value["count"]}


def test_the_receipts_page_lists_the_newest_first(published: SampleRecord, renderer: Renderer):
    history = published.history()
    page, _ = pages.receipts(history, {"retrieval": TRACK}, Naming())
    found = re.findall(r'href="\.\./receipts/[0-9a-f]{2}/([0-9a-f-]{36})/"', renderer.body(page))
    newest = [header.receipt_id for header in reversed(history.headers)]
    # Subject, value and verdict lead there: on a phone the last is off the screen.
    assert found == [name for name in newest for _ in range(3)]
    cell = (
        '<td class="target"><a href="../retrieval/sample-notes-v1/">sample-notes-v1</a><small>nDCG@10</small>'
    )
    assert renderer.body(page).count(cell) == len(newest)


def test_a_file_that_fails_is_shown_with_the_failed_step_and_no_number(
    published: SampleRecord, renderer: Renderer
):
    first = published.blobs[0]
    document = json.loads(first.data)
    document["timing"]["n"] = 7654321
    edited = canonical.dumps(document)
    blobs = [Blob(first.path, first.blob_id, edited), *published.blobs[1:]]
    history = verify(published, blobs)
    header = history.headers[0]
    assert header.verdict is Verdict.INVALID
    body = renderer.body(pages.untrusted(header))
    assert "Verification failed" in body
    assert "the signature does not match" in body
    assert f"{document['scores']['ndcg_at_10']:.3f}" not in text_of(body)


def test_a_missing_file_says_how_to_find_who_removed_it(published: SampleRecord, renderer: Renderer):
    history = verify(published, [None, *published.blobs[1:]])
    body = renderer.body(pages.untrusted(history.headers[0]))
    assert "file missing" in body
    assert "git log --diff-filter=D" in body


@pytest.mark.parametrize("shows", [True, False])
def test_a_leaderboard_says_of_its_dataset_what_the_site_may_show(
    published: SampleRecord, renderer: Renderer, *, shows: bool
):
    library = published.library if shows else replace(published.library, fixture=lambda _id, _sha256: None)
    made = pages_of(TRACK, published.history(), published.body, library)
    (board,) = [page for page in made if page.path == "retrieval/sample-notes-v1/"]
    said = text_of(renderer.body(board))
    assert ("license CC-BY-4.0" in said) == shows
    assert ("does not show the dataset, its source or its license" in said) != shows
    assert f"sample-notes-v1, SHA-256 {board.context['board'].sha256}" in said


@pytest.mark.parametrize("description", [None, "", "  "])
def test_a_dataset_without_a_description_is_shown_with_its_license_source_and_notes(
    renderer: Renderer, description: str | None
):
    fixture = {**make_fixture(40), "notes": "Labeled by one person.", "source": "Written for a test."}
    fixture["description"] = description
    if description is None:
        del fixture["description"]
    record = SampleRecord(fixture, [make_methodology("1.0.0", "## 1 Score\n\nText.")])
    record.publish("one", 0.5)
    made = pages_of(TRACK, record.history(), record.body, record.library)
    (board,) = [page for page in made if page.path == "retrieval/sample-notes-v1/"]
    said = text_of(renderer.body(board))
    digest = board.context["board"].sha256
    assert (
        f"Dataset Labeled by one person. sample-notes-v1, SHA-256 {digest} , license CC-BY-4.0. Source: Written"
        in said
    )
    assert "does not show the dataset" not in said
