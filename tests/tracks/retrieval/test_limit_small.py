"""The dataset `limit-small`, converted from the files that its authors published."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest

from benchsite import canonical, resources
from benchsite.tracks.retrieval.fixture import Fixture, parse
from benchsite.tracks.retrieval.importers.formats import FORMATS

FOLDER = resources.folder("fixtures") / "limit-small"


@pytest.fixture(scope="module")
def fixture() -> Fixture:
    return parse((FOLDER / "fixture.json").read_bytes(), where="limit-small")


def test_it_has_the_size_that_its_authors_state(fixture: Fixture) -> None:
    """46 documents and 1,000 queries with two relevant documents each (google-deepmind/limit, README)."""
    assert (fixture.id, len(fixture.items), len(fixture.queries)) == ("limit-small", 46, 1_000)
    assert {len(query.relevant) for query in fixture.queries} == {2}


def test_each_pair_of_documents_is_relevant_to_at_most_one_query(fixture: Fixture) -> None:
    pairs = [frozenset(query.relevant) for query in fixture.queries]
    assert len(set(pairs)) == len(pairs) <= 46 * 45 // 2
    assert len(set(chain.from_iterable(pairs))) == 46


def test_what_a_query_asks_for_is_written_in_both_documents(fixture: Fixture) -> None:
    texts = {item.id: item.content for item in fixture.items}
    for query in fixture.queries:
        thing = query.query.removeprefix("Who likes ").removesuffix("?")
        assert all(thing in texts[name] for name in query.relevant), query.id


def test_its_license_and_authors_are_stated(fixture: Fixture) -> None:
    notice = (FOLDER / "LICENSE").read_text("utf-8")
    assert fixture.license == "CC BY 4.0"
    assert notice.startswith("limit-small (fixture.json)\n")
    for words in ("Orion Weller", "Google LLC", "90c5dd3", "Changes:", "CC-BY-4.0"):
        assert words in notice
    assert "commit 90c5dd3" in fixture.source
    assert "The published data (limit-small)." in fixture.notes


def test_its_bytes_are_what_the_importer_makes_of_the_published_files(shared: Path) -> None:
    held = (FOLDER / "fixture.json").read_bytes()
    document = canonical.loads(held, max_bytes=len(held))
    assert isinstance(document, dict)
    stated = {name: document[name] for name in ("license", "source", "description")}
    notes = str(document["notes"]).removesuffix(" The published data (limit-small).")
    files = {path.name: path.read_bytes() for path in (shared / "data/limit-small").glob("*.jsonl")}
    options = {"fixture_id": None, "where": "limit-small", "split": "test"}
    assert FORMATS["beir"].convert(files, **options, **stated, notes=notes).data == held
