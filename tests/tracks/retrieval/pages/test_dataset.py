"""Pages of datasets, through the site's own renderer."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from boards import begin, pages_of, renders, text_of
from sample_record import SampleRecord, make_fixture, make_methodology

from benchsite import canonical, resources
from benchsite.site.render import Renderer
from benchsite.site.repository import Hosted
from benchsite.track import FixtureFiles, Library, Page
from benchsite.tracks.retrieval import TRACK

SAMPLE = 'href="../../retrieval/sample-notes-v1/dataset/"'
SHIPPED = ("lifeboat-logbook-v1", "limit-small", "three-notebooks-v1")
LEAST: dict[str, Any] = {
    "id": "least",
    "benchmark": "none",
    "granularity": "document",
    "items": [{"id": "n1", "scope": "home", "content": "The <b>spare</b> key hangs in the shed."}],
    "queries": [{"id": "q1", "scope": "home", "query": "Where is it?", "expected": []}],
    "license": "CC0",
    "source": "",
}
"""A dataset without any optional field, whose only query has no relevant item."""


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return renders()


def holding(record: SampleRecord, *documents: dict[str, Any]) -> dict[str, Page]:
    """The pages of a site whose repository has these fixtures."""
    found = {document["id"]: (canonical.digest(document), document) for document in documents}
    listed = [
        FixtureFiles(name, sha256, (f"fixtures/{name}/LICENSE", f"fixtures/{name}/fixture.json"))
        for name, (sha256, _) in found.items()
    ]

    def fixture(name: str, sha256: str) -> Any:
        known, document = found.get(name, ("", None))
        return document if known == sha256 else None

    library: Library = replace(record.library, fixture=fixture, fixtures=lambda: listed)
    pages = pages_of(TRACK, record.history(), record.body, library)
    return {page.path: page for page in pages}


def shipped(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((resources.folder("fixtures") / name / "fixture.json").read_bytes())
    return document


@pytest.mark.parametrize("name", SHIPPED)
def test_a_dataset_that_nobody_measured_has_a_page(name: str, renderer: Renderer) -> None:
    document = shipped(name)
    pages = holding(begin(), document)
    body = text_of(renderer.body(pages[f"retrieval/{name}/dataset/"]))
    for said in (
        f"License {document['license']}",
        " ".join(document["description"].split()),
        f"{len(document['queries']):,} queries",
        f"fixtures/{name}/LICENSE",
        canonical.digest(document),
        "Not saturated: k = 10",
        "Sample queries",
        "No published receipt uses this dataset.",
    ):
        assert said in body.replace("&#39;", "'"), said


def test_samples_are_one_a_category_and_none_is_reserved(renderer: Renderer) -> None:
    document = shipped("lifeboat-logbook-v1")
    body = renderer.body(holding(begin(), document)["retrieval/lifeboat-logbook-v1/dataset/"])
    shown = text_of(body[body.index("Sample queries") :]).replace("&#39;", "'")
    sampled = [query for query in document["queries"] if query["query"] in shown]
    assert {query["category"] for query in sampled} == {query["category"] for query in document["queries"]}
    assert len(sampled) == 6
    assert {query["split"] for query in sampled} == {"seen"}
    assert "none: not answerable" in shown
    assert "single-hop 45 22 23 0" in text_of(body)


def test_an_imported_dataset_names_the_importer_and_the_hash_of_its_files(renderer: Renderer) -> None:
    document = shipped("limit-small")
    body = text_of(renderer.body(holding(begin(), document)["retrieval/limit-small/dataset/"]))
    assert f"benchsite fixture import beir from files with SHA-256 {document['importer']['sha256']}" in body
    assert "Category" not in body


def test_without_optional_fields_the_page_says_less_and_foreign_text_is_inert(renderer: Renderer) -> None:
    body = renderer.body(holding(begin(), LEAST)["retrieval/least/dataset/"])
    assert "1 document in 1 scope, 1 query." in body
    assert "Saturated: k = 10 and the smallest scope has 1 document." in body
    assert "none labeled" in body
    assert not re.findall(r"<dt>(?:Source|Notes|Imported)</dt>", body)
    answered = {**LEAST, "queries": [{**LEAST["queries"][0], "expected": [{"id": "n1", "grade": 1}]}]}
    body = renderer.body(holding(begin(), answered)["retrieval/least/dataset/"])
    assert "The &lt;b&gt;spare&lt;/b&gt; key" in body


def test_reserved_queries_alone_leave_the_samples_out(renderer: Renderer) -> None:
    queries = [{**LEAST["queries"][0], "split": "reserved"}]
    body = renderer.body(holding(begin(), {**LEAST, "queries": queries})["retrieval/least/dataset/"])
    assert "Sample queries" not in body
    assert "Where is it?" not in body


def test_the_leaderboard_and_the_dataset_link_to_each_other(renderer: Renderer) -> None:
    fixture = make_fixture(60)
    for each in (*fixture["items"], *fixture["queries"]):
        each["scope"] = "s0"
    record = SampleRecord(fixture, [make_methodology("1.0.0", "## 1 Score\n\nText.")])
    record.publish("one", 0.7)
    pages = holding(record, record.fixture)
    assert SAMPLE in renderer.body(pages["retrieval/sample-notes-v1/"])
    assert 'href="../../../retrieval/sample-notes-v1/"' in renderer.body(
        pages["retrieval/sample-notes-v1/dataset/"]
    )
    changed = holding(record, {**record.fixture, "notes": "corrected"})
    assert SAMPLE not in renderer.body(changed["retrieval/sample-notes-v1/"])


def test_a_leaderboard_on_data_that_is_no_valid_dataset_has_no_link_to_its_page(renderer: Renderer) -> None:
    record = begin()  # its items are not in the scopes of their queries
    record.publish("one", 0.7)
    pages = holding(record, record.fixture)
    assert "retrieval/sample-notes-v1/dataset/" not in pages
    assert SAMPLE not in renderer.body(pages["retrieval/sample-notes-v1/"])


def test_the_index_lists_every_dataset_beside_the_leaderboards(renderer: Renderer) -> None:
    pages = holding(begin(), LEAST, shipped("limit-small"))
    body = renderer.body(pages["retrieval/"])
    assert 'href="../retrieval/limit-small/dataset/"' in body
    assert "limit-small 46 1 1,000 CC BY 4.0" in text_of(body)
    assert "No leaderboards yet" in body


def test_what_is_no_dataset_has_no_page() -> None:
    broken = {**LEAST, "id": "broken", "queries": [{"id": "q1"}]}
    other = {"id": "arithmetic", "track": "agents"}
    pages = holding(begin(), broken, other, LEAST)
    assert [path for path in pages if path.endswith("/dataset/")] == ["retrieval/least/dataset/"]


def test_files_are_linked_where_the_repository_is_known() -> None:
    page = holding(begin(), LEAST)["retrieval/least/dataset/"]
    body = Renderer({"retrieval": TRACK}, repository=Hosted("https://host.invalid/a/b")).body(page)
    assert 'href="https://host.invalid/a/b/blob/HEAD/fixtures/least/LICENSE"' in body
