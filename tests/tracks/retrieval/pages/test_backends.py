"""Products compared with their back ends: on a leaderboard and over all datasets."""

from __future__ import annotations

import math
from typing import Any

import pytest
from boards import begin, made, renders, text_of
from sample_record import SampleRecord, config

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
    assert "Two comparisons: 1 significantly worse, 1 with the same score on every query." in text
    assert "0 identical" in text
    index = renderer.body(pages["retrieval/"])
    assert f'href="{PATH.removeprefix("retrieval/")}"' in index or PATH in index


def test_a_leaderboard_without_products_has_neither(renderer: Renderer) -> None:
    record = begin()
    record.publish("store", 0.9)
    pages = made(record)
    assert PATH not in pages
    assert "back ends" not in text_of(renderer.body(pages[BOARD]))


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
