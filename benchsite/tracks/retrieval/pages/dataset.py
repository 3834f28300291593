"""The page of a dataset: what it is, its license and authoring, its size, saturation and sample queries.

Every dataset of the commit has one, measured or not (specs/retrieval.md, "Fixtures"); a file that is no valid dataset
has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from benchsite import canonical
from benchsite.addresses import board_path
from benchsite.errors import InputError
from benchsite.track import FixtureFiles, Library, Page
from benchsite.tracks.retrieval import TRACK
from benchsite.tracks.retrieval.fixture import Fixture, Query, parse
from benchsite.tracks.retrieval.pages.metric_table import saturation
from benchsite.tracks.retrieval.record.verification import HEADLINE_K
from benchsite.words import amount

Listed: TypeAlias = Callable[[], Sequence[FixtureFiles]]
Find: TypeAlias = Callable[[str, str], Mapping[str, Any] | None]

__all__ = ["Dataset", "dataset_page", "dataset_path", "datasets"]

RESERVED: Final = "reserved"
"""The split whose queries are no samples."""
SAMPLES: Final = 8
FIRST: Final = 5
"""Samples of a dataset without categories."""
LISTED: Final = 24
"""Categories of a table: a dataset may name any number."""


class Composition(NamedTuple):
    """The queries of one category, `unanswerable` among them, and how many each split has."""

    name: str
    queries: int
    unanswerable: int
    splits: tuple[int, ...]


class Sample(NamedTuple):
    """A query with the texts of its relevant items, each with its timestamp."""

    query: Query
    relevant: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True)
class Dataset:
    """A dataset as its page and the index of leaderboards show it."""

    fixture: Fixture
    files: FixtureFiles

    @property
    def id(self) -> str:
        """The dataset's id."""
        return self.fixture.id

    @property
    def path(self) -> str:
        """The permanent page."""
        return dataset_path(self.id)

    @property
    def item(self) -> str:
        """What is retrieved: `turn`, `session` or `document`."""
        return self.fixture.granularity

    @property
    def beside(self) -> tuple[str, ...]:
        """The paths of the files beside `fixture.json`, such as the license and the authoring log."""
        return tuple(path for path in self.files.paths if not path.endswith("/fixture.json"))

    @cached_property
    def unanswerable(self) -> int:
        """Queries whose correct result is empty."""
        return sum(not query.answerable for query in self.fixture.queries)

    @property
    def summary(self) -> str:
        """The size in one sentence."""
        items = amount(len(self.fixture.items), self.item)
        scopes = amount(len(self.fixture.scopes), "scope")
        queries = amount(len(self.fixture.queries), "query", "queries")
        empty = f", {self.unanswerable:,} of them unanswerable" if self.unanswerable else ""
        return f"{items} in {scopes}, {queries}{empty}."

    @property
    def saturation(self) -> str:
        """Whether the headline cut-off covers the smallest scope."""
        smallest = min(len(items) for items in self.fixture.items_by_scope.values())
        found = saturation({"smallestScope": smallest}, HEADLINE_K, self.item)
        return (
            found
            or f"Not saturated: k = {HEADLINE_K} and the smallest scope has {amount(smallest, self.item)}."
        )

    @cached_property
    def splits(self) -> tuple[str, ...]:
        """The names of the splits, in order of the file."""
        return tuple(dict.fromkeys(query.split for query in self.fixture.queries if query.split))

    @property
    def composition(self) -> Sequence[Composition]:
        """The queries of each category, the largest first; empty without categories and splits."""
        queries = self.fixture.queries
        if not self.splits and not any(query.category for query in queries):
            return ()
        sizes = Counter(query.category or "no category" for query in queries)
        empty = Counter(query.category or "no category" for query in queries if not query.answerable)
        by_split = Counter((query.category or "no category", query.split) for query in queries)
        return [
            Composition(name, count, empty[name], tuple(by_split[name, split] for split in self.splits))
            for name, count in sorted(sizes.items(), key=lambda entry: (-entry[1], entry[0]))[:LISTED]
        ]

    @property
    def more_categories(self) -> int:
        """Categories that the table does not list."""
        return max(0, len({query.category or "no category" for query in self.fixture.queries}) - LISTED)

    @property
    def sampled(self) -> str:
        """Which queries are the samples, in a sentence."""
        categories = len({query.category for query in self.fixture.queries if query.split != RESERVED})
        if categories <= 1:
            return "The first queries of the file."
        some = f"{SAMPLES} of {categories:,} categories" if categories > SAMPLES else "each category"
        return f"The first query of {some}, in the order of the file, with at most {SAMPLES} relevant items."

    @property
    def samples(self) -> Sequence[Sample]:
        """The first query of each category, or the first queries without categories; none that is reserved."""
        shown = [query for query in self.fixture.queries if query.split != RESERVED]
        first: dict[str | None, Query] = {}
        for query in shown:
            first.setdefault(query.category, query)
        chosen = list(first.values())[:SAMPLES] if len(first) > 1 else shown[:FIRST]
        held = {item.id: (item.content, item.timestamp) for item in self.fixture.items}
        return [Sample(query, tuple(held[name] for name in query.relevant[:SAMPLES])) for query in chosen]


def datasets(library: Library) -> Sequence[Dataset]:
    """Return every dataset of the commit, in order of ids."""
    return _read(library.fixtures, library.fixture)


def dataset_page(made: Dataset, leaderboard: str) -> Page:
    """Return the page of a dataset; `leaderboard` is the path of its leaderboard, empty without one."""
    context: Mapping[str, Any] = {"dataset": made, "leaderboard": leaderboard}
    return Page(
        path=made.path,
        title=f"{made.id}: dataset",
        description=f"{made.id}: {made.summary} License, authoring, sample queries and saturation.",
        template="retrieval/dataset.html.j2",
        context=context,
    )


def dataset_path(fixture: str) -> str:
    """`retrieval/three-notebooks-v1/dataset/`."""
    return f"{board_path(TRACK.name, fixture)}dataset/"


@lru_cache(maxsize=1)  # the index, each leaderboard and the pages ask for the same ones
def _read(listed: Listed, fixture: Find) -> Sequence[Dataset]:
    return [found for files in listed() if (found := _dataset(files, fixture)) is not None]


def _dataset(files: FixtureFiles, find: Find) -> Dataset | None:
    value = find(files.id, files.sha256)
    if value is None or "track" in value:  # another track's data, which names it
        return None
    try:
        fixture = parse(canonical.dumps(value), where=files.id)
    except InputError:  # `fixture validate` and `check` say what is wrong
        return None
    return Dataset(fixture, files) if fixture.id == files.id else None
