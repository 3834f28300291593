"""Products compared with their back ends: on a leaderboard and over all datasets."""

from __future__ import annotations

import math
from typing import Any

import pytest
from boards import begin, made, renders, text_of
from sample_record import SampleRecord, config, make_fixture, make_methodology

from benchsite.site.render import Renderer
from benchsite.tracks.retrieval.pages.backends import PATH

BOARD = "retrieval/sample-notes-v1/"


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return renders()


def adapter(name: str, backend: str = "") -> dict[str, Any]:
    declared = {"name": name, "version": "2.0", "author": "x", "hosted": False, "network": False}
    return {"adapter": {**declared, "networkAccess": "off", **({"backend": backend} if backend else {})}}


def products() -> SampleRecord:
    """A bare store, a product that finds less, a copy of the store, and a product of a store that was not run."""
    record = begin()
    bare = record.publish("store", 0.9, **adapter("store"))
    record.publish("product", 0.2, **adapter("product", "store"))
    rows = record.body(bare)
    same = {key: rows[key] for key in ("perQuery", "scores", "denominators", "intervals", "byCategory")}
    record.publish("wrapper", 0.9, **adapter("wrapper", "store"), **same)
    record.publish("orphan", 0.5, **adapter("orphan", "elsewhere"))
    return record


def test_a_leaderboard_compares_each_product_with_its_bare_back_end() -> None:
    record = products()
    board = made(record)[BOARD].context["board"]
    found = {one.row.name: one for one in board.detail["additions"]}
    assert [one.row.name for one in board.detail["additions"]] == ["orphan", "wrapper", "product"]
    values = {row.name: row.value for row in board.rows}
    product = found["product"].pair
    assert product is not None
    assert math.isclose(product.delta, values["product"] - values["store"], abs_tol=1e-12)
    assert (product.tied, product.delta < 0, product.low is not None) == (False, True, True)
    assert product.wins + product.losses + product.ties == 54, "the scored queries"
    wrapper = found["wrapper"].pair
    assert wrapper is not None
    assert (wrapper.delta, wrapper.wins, wrapper.losses, wrapper.p) == (0.0, 0, 0, 1.0)
    assert (found["orphan"].bare, found["orphan"].pair) == (None, None)


def test_pages_show_differences_and_what_was_not_run(renderer: Renderer) -> None:
    pages = made(products())
    text = text_of(renderer.body(pages[BOARD]))
    assert "Products and their back ends" in text
    assert "back end not run" in text
    text = text_of(renderer.body(pages[PATH]))
    assert "Two comparisons: 1 worse (p &lt; 0.05, unadjusted), 1 with identical rankings." in text
    assert "0 identical" in text
    index = renderer.body(pages["retrieval/"])
    assert f'href="{PATH.removeprefix("retrieval/")}"' in index or PATH in index


def test_a_leaderboard_without_products_has_neither(renderer: Renderer) -> None:
    record = begin()
    record.publish("store", 0.9)
    pages = made(record)
    assert PATH not in pages
    assert "back ends" not in text_of(renderer.body(pages[BOARD]))


def test_a_store_over_an_embedding_is_the_back_end_of_a_product() -> None:
    record = begin()
    record.publish("minilm", 0.9, **adapter("minilm"))
    store = record.publish("chroma", 0.8, **adapter("chroma", "minilm"))
    record.publish("mempalace", 0.4, **adapter("mempalace", "chroma"))
    found = {one.row.name: one for one in made(record)[BOARD].context["board"].detail["additions"]}
    assert found["chroma"].bare is not None
    product = found["mempalace"]
    assert product.bare is not None
    assert (product.bare.header.receipt_id, product.pair is not None) == (store, True)


def test_a_submitted_product_has_a_line_of_its_own_and_shown_cells_are_counted(renderer: Renderer) -> None:
    record = begin()
    record.publish("store", 0.5, **adapter("store"))
    record.publish("product", 0.9, **adapter("product", "store"))
    stranger = {"ranBy": {"kind": "submitted", "name": "a stranger"}}
    record.publish("product", 0.05, **adapter("product", "store"), **stranger)
    page = made(record)[PATH]
    assert [product[1:] for product, _ in page.context["lines"]] == [
        ("product", "", ""),
        ("product", "", "submitted by a stranger"),
    ]
    assert "submitted by a stranger" in text_of(renderer.body(page))
    record.publish("product", 0.9, adapter={**adapter("product", "store")["adapter"], "version": "3.0"})
    page = made(record)[PATH]
    assert page.context["lede"].startswith("Two comparisons"), "of two versions one is shown"


def test_a_dataset_with_the_name_of_the_page_keeps_its_leaderboard() -> None:
    record = SampleRecord(
        make_fixture(60, fixture_id="what-products-add"), [make_methodology("1.0.0", "## 1 Score\n\nText.")]
    )
    record.publish("store", 0.9, **adapter("store"))
    record.publish("product", 0.4, **adapter("product", "store"))
    assert made(record)[PATH].context["board"].target == "what-products-add"


def test_other_results_with_the_same_scores_are_not_identical() -> None:
    record = begin()
    bare = record.publish("store", 0.9, **adapter("store"))
    rows = [dict(row) for row in record.body(bare)["perQuery"]]
    irrelevant = next(row for row in rows if not row["answerable"])
    other = next(item["id"] for item in record.fixture["items"] if item["id"] not in irrelevant["retrieved"])
    irrelevant["retrieved"] = [other]
    record.publish("product", 0.9, **adapter("product", "store"), perQuery=rows, **_scores(record, bare))
    (found,) = made(record)[BOARD].context["board"].detail["additions"]
    assert found.pair is not None
    assert (found.pair.wins, found.pair.losses, found.is_identical) == (0, 0, False)


def _scores(record: SampleRecord, name: str) -> dict[str, Any]:
    return {key: record.body(name)[key] for key in ("scores", "denominators", "intervals", "byCategory")}


def test_the_bare_system_has_default_options_and_is_run_here() -> None:
    """A row with options of its own is taken only if there is no other."""
    record = begin()
    tuned = record.publish("store", 0.9, label=True, **adapter("store"))
    plain = record.publish("store", 0.4, **adapter("store"))
    record.publish("product", 0.5, **adapter("product", "store"))
    (found,) = made(record)[BOARD].context["board"].detail["additions"]
    assert found.bare is not None
    assert (found.bare.header.receipt_id, tuned != plain) == (plain, True)
    assert config(seed=7, label=True)["options"], "the first row has options"
