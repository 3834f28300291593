"""The page of each query: ranks of the relevant items by hand, neighbors, what may be shown, and which datasets have files."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from boards import pages_of, renders, text_of
from sample_record import (
    SampleRecord,
    answers,
    config,
    invented_envelope,
    make_fixture,
    make_methodology,
    payload,
)

from benchsite.site.render import Renderer
from benchsite.track import Page
from benchsite.tracks.retrieval import TRACK
from benchsite.tracks.retrieval.pages import queries

ROOT = "retrieval/sample-notes-v1/queries/"


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return renders()


def record_of(fixture: dict[str, Any], **systems: list[list[str]]) -> SampleRecord:
    """A record in which each system returned these items for the first queries, and nothing for the others."""
    made = SampleRecord(fixture, [make_methodology("1.0.0", "## 1 Score\n\nText.")])
    for number, (name, returned) in enumerate(systems.items(), 1):
        rows = answers(fixture, 0.0, number)
        for place, row in enumerate(rows):
            row["retrieved"] = returned[place] if place < len(returned) else []
            expected = {one["id"] for one in row["expected"]}
            row["rank"] = next((at for at, item in enumerate(row["retrieved"], 1) if item in expected), None)
            row["hit"] = row["rank"] is not None
        made.add_receipt(
            {
                **invented_envelope(),
                "track": "retrieval",
                "methodology": made.methodologies[0].reference,
                "config": config(seed=7, label=False),
                **made.envelope(number),
                **payload(fixture, name, rows),
            }
        )
    return made


def pages(record: SampleRecord) -> dict[str, Page]:
    return {page.path: page for page in pages_of(TRACK, record.history(), record.body, record.library)}


@pytest.fixture(scope="module")
def record() -> SampleRecord:
    # q0000 expects n0000; q0001 expects n0007 and n0011.
    found = [["n0000"], ["n0050", "n0007", "n0051", "n0011"]]
    return record_of(make_fixture(20), alpha=found, beta=found, gamma=[["n0001"], ["n0011"]])


def rows_of(html: str) -> list[list[str]]:
    table = html[html.index('<table class="ranked">') :]
    lines = re.findall(r"<tr>(.*?)</tr>", table[: table.index("</table>")], re.DOTALL)
    return [[text_of(cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", line)] for line in lines]


def test_a_query_is_the_title_and_systems_with_equal_ranks_share_a_row(
    record: SampleRecord, renderer: Renderer
) -> None:
    page = pages(record)[f"{ROOT}q0001/"]
    assert (
        page.title == "When did we last talk about Maren's new flat, and since when, as far as note 1 goes?"
    )
    html = renderer.body(page)
    # Ranks 2 and 4 of two: (1/log2 3 + 1/log2 5) / (1 + 1/log2 3) = 0.6509; rank 1 of one: 1 / 1.6309 = 0.6131.
    assert rows_of(html) == [
        ["System", "nDCG@10", "n0007", "n0011"],
        ["alpha , beta", "0.651", "2", "4"],
        ["gamma", "0.613", "–", "1"],
    ]
    text = text_of(html)
    assert "3 of 3 systems, baselines included, returned a relevant item in the first 10." in text
    assert "n0007 grade 1 note 7" in text


def test_neighbors_follow_the_picture_and_unscored_queries_come_last(
    record: SampleRecord, renderer: Renderer
) -> None:
    found = pages(record)
    made = found[ROOT].context["picture"].items
    assert set(made) == {f"q{n:04d}" for n in range(20) if n % 10 != 9}
    order, at = [made[0]], made[0]
    while after := found[f"{ROOT}{at}/"].context["after"]:
        order.append(after)
        at = after
    assert order == [*made, "q0009", "q0019"]
    html = renderer.body(found[f"{ROOT}q0009/"])
    assert "It has no answer: the correct result is empty." in text_of(html)
    assert rows_of(html) == [["System", "Items returned"], ["alpha , beta , gamma", "0"]]
    assert f'rel="prev" href="../../../../{ROOT}{made[-1]}/"' in html


def test_without_the_dataset_ids_alone_are_shown(renderer: Renderer) -> None:
    made = record_of(make_fixture(20), alpha=[["n0000"]])
    made.fixture = make_fixture(5)  # another hash: the pinned dataset isn't in the repository
    page = pages(made)[f"{ROOT}q0000/"]
    assert page.title == "q0000"
    text = text_of(renderer.body(page))
    assert "or may not be shown" in text
    assert "spare key" not in text
    assert "n0000 grade 1" in text


@pytest.mark.parametrize("name", ["conv-26/qa0", "../up", "a b", "%2e", "ü", "x" * 81])
def test_ids_that_are_no_paths_make_one_page_for_the_dataset(name: str, renderer: Renderer) -> None:
    fixture = make_fixture(20)
    fixture["queries"][0]["id"] = name
    found = pages(record_of(fixture, alpha=[["n0000"]]))
    assert [path for path in found if path.startswith(ROOT)] == [ROOT]
    page = renderer.body(found["retrieval/sample-notes-v1/query/"])
    assert 'data-module="query"' in page
    assert 'data-values="../../../api/v1/retrieval/sample-notes-v1/per-query.json"' in page
    shown = renderer.body(found[ROOT])
    assert re.search(r'href="../../../retrieval/sample-notes-v1/query/\?id=[A-Za-z0-9%_.-]+">', shown)


def test_ids_that_differ_in_case_alone_are_not_files() -> None:
    fixture = make_fixture(20)
    fixture["queries"][0]["id"], fixture["queries"][1]["id"] = "Q1", "q1"
    assert "retrieval/sample-notes-v1/query/" in pages(record_of(fixture, alpha=[["n0000"]]))


def test_a_large_dataset_has_one_page(monkeypatch: pytest.MonkeyPatch, record: SampleRecord) -> None:
    monkeypatch.setattr(queries, "STATIC", 19)
    found = pages(record)
    assert [path for path in found if path.startswith(ROOT)] == [ROOT]
    assert "retrieval/sample-notes-v1/query/" in found


def test_the_data_has_the_ids_behind_the_ranks(record: SampleRecord) -> None:
    value = json.loads(pages(record)["api/v1/retrieval/sample-notes-v1/per-query.json"].data or b"")
    at = value["items"]["id"].index("q0001")
    assert value["items"]["relevant"][at] == ["n0007", "n0011"]
    assert value["systems"][0]["own"][at] == [2, 4]


def test_a_query_without_a_category_has_a_page(renderer: Renderer) -> None:
    fixture = make_fixture(20)
    made = record_of(fixture, alpha=[["n0000"]])
    for body in made.bodies.values():
        for row in body["perQuery"]:
            del row["category"]
    text = text_of(renderer.body(pages(made)[f"{ROOT}q0000/"]))
    assert "Query q0000. 1 of 1 system, baselines included" in text
