"""One system's stored rankings under every combination of settings.

The rules are those of specs/retrieval.md, "Metrics": any is success, fraction is recall, all is full recall, and ndcg is nDCG, each
of one query; their mean is a ratio of whole numbers or a correctly rounded sum. So a receipt's own settings give its own scores,
bit for bit. Refuses a cut-off beyond the depth of a ranking, and labels of other queries.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from benchsite.receipt import Document
from benchsite.tracks.retrieval.fixture import Fixture
from benchsite.tracks.retrieval.grids.declaration import Dataset
from benchsite.tracks.retrieval.scores.scoring import Query, columns, values
from benchsite.words import amount

__all__ = ["Ranked", "Refused", "Score", "ranked", "scope_sizes", "setting_of", "system_names"]

_RULES: Final = {"any": "success", "fraction": "recall", "all": "recall_all", "ndcg": "ndcg"}
_SHARES: Final = frozenset({"any", "all"})


class Refused(Exception):  # noqa: N818 - data of a result, and no error of a command
    """Why a combination cannot be answered."""


class Score(NamedTuple):
    """A mean over `n` questions."""

    value: float
    n: int


@dataclass(frozen=True, slots=True)
class _Question:
    category: str
    query: Query
    known: int | None
    """The largest cut-off that the ranking answers; None for any."""


class _Asked(NamedTuple):
    """A question set at one cut-off: the values by rule, questions without evidence, and the least depth."""

    values: Mapping[str, Sequence[float]]
    without: int
    depth: int | None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A system's rankings with one set of labels."""

    questions: Sequence[_Question]
    unlabeled: Mapping[str, int]
    """Queries without labels because the dataset calls them unanswerable, by category."""
    group: str = ""
    """What k counts, if it isn't items."""
    _known: dict[tuple[int, frozenset[str]], _Asked] = field(default_factory=dict)

    def score(self, k: int, rule: str, categories: Sequence[str], empty: str) -> Score:
        """Return the mean under these settings.

        Raises:
            Refused: a ranking is not deep enough, or a category has no labels.
        """
        for category in categories:
            if lost := self.unlabeled.get(category):
                raise Refused(f"the labels have no evidence for {amount(lost, 'question')} of {category}")
        found = self._asked(k, categories)
        if found.depth is not None and found.depth < k:
            unit = f" by {self.group}" if self.group else ""
            raise Refused(f"k = {k} is beyond the stored rankings (depth {found.depth}{unit})")
        scores = [*found.values[rule], *([] if empty == "excluded" else [float(empty)] * found.without)]
        if not scores:
            raise Refused(f"no question of category {', '.join(categories)} is scored")
        total = sum(map(int, scores)) if rule in _SHARES else math.fsum(scores)
        return Score(total / len(scores), len(scores))

    def _asked(self, k: int, categories: Sequence[str]) -> _Asked:
        """The values of a question set at a cut-off, computed once."""
        key = k, frozenset(categories)
        if key not in self._known:
            asked = [one for one in self.questions if one.category in categories]
            rows = [_values(one.query, k) for one in asked if one.query.ideal]
            names = [column.measure.name for column in columns((k,))]
            places = {rule: names.index(measure) for rule, measure in _RULES.items()}
            self._known[key] = _Asked(
                {rule: [row[place] for row in rows] for rule, place in places.items()},
                len(asked) - len(rows),
                min((one.known for one in asked if one.known is not None), default=None),
            )
        return self._known[key]


def _values(query: Query, k: int) -> tuple[float, ...]:
    return values(query.ideal + tuple(query.ranks.get(item, 0) for item in query.relevant), (k,))


def ranked(document: Document, dataset: Dataset, labels: Fixture) -> Ranked:
    """Join a receipt's rankings with labels, by query id.

    Raises:
        Refused: the receipt lacks a query, or the dataset has other items.
    """
    rows = {row["queryId"]: row for row in document["perQuery"]}
    lacking = [query.id for query in labels.queries if query.id not in rows]
    if lacking:
        raise Refused(
            f"{amount(len(lacking), 'query', 'queries')} of {labels.id} without a ranking, first {lacking[0]}"
        )
    items = {item.id for item in labels.items}
    other = next(
        (name for row in rows.values() for name in row["retrieved"] if not _is_known(name, items)), None
    )
    if other is not None:
        raise Refused(f"{other} is no item of {labels.id}")
    depth, unlabeled = max(document["config"]["k"]), dict[str, int]()
    joined = _joining(labels, dataset.group)
    sizes = scope_sizes(dataset, labels)
    questions = []
    for query in labels.queries:
        category = query.category or ""
        if not query.answerable:
            unlabeled[category] = unlabeled.get(category, 0) + 1
            continue
        row = rows[query.id]
        found = list(dict.fromkeys(joined(name) for name in row["retrieved"]))
        is_whole = (
            len(row["retrieved"]) < depth or len(found) >= sizes[query.scope] or row.get("error") is not None
        )
        expected = {joined(name): 1 for name in query.relevant}
        grades = expected if dataset.group else {one.id: one.grade for one in query.expected}
        asked = Query.from_ids(grades, found, failed=row.get("error") is not None)
        known = len(found) if dataset.group else depth
        questions.append(_Question(category, asked, None if is_whole else known))
    return Ranked(questions, unlabeled, dataset.group)


def scope_sizes(dataset: Dataset, labels: Fixture) -> Mapping[str, int]:
    """Return the number of what k counts in each scope; raises `Refused` if an item lacks its group."""
    joined = _joining(labels, dataset.group)
    return {scope: len({joined(name) for name in names}) for scope, names in labels.ids_by_scope.items()}


def _is_known(name: str, items: AbstractSet[str]) -> bool:
    return name in items or name.startswith("?")


def _joining(labels: Fixture, group: str) -> Callable[[str], str]:
    """What k counts of each item: the item, or its group within its scope."""
    if not group:
        return lambda name: name
    lacking = next((item.id for item in labels.items if group not in item.metadata), None)
    if lacking is not None:
        raise Refused(f"item {lacking} of {labels.id} has no {group} in its metadata")
    known = {item.id: f"{item.scope}/{item.metadata[group]}" for item in labels.items}
    return lambda name: known.get(name, name)


def system_names(documents: Sequence[Document], name: Callable[[Document], str]) -> Iterator[str]:
    """Names of systems: with the version if there are several, and numbered if one is used twice on one dataset."""
    versions: dict[str, set[str]] = {}
    for document in documents:
        versions.setdefault(name(document), set()).add(str(document["adapter"]["version"]))
    seen: Counter[tuple[str, str]] = Counter()
    for document in documents:
        dataset, shown = str(document["fixture"]["id"]), name(document)
        if len(versions[shown]) > 1:
            shown = f"{shown} {document['adapter']['version']}"
        seen[shown, dataset] += 1
        yield shown if seen[shown, dataset] == 1 else f"{shown} #{seen[shown, dataset]}"


def setting_of(axes: Sequence[str], combination: Sequence[Any]) -> Mapping[str, Any]:
    """A combination by the names of its axes."""
    return dict(zip(axes, combination, strict=True))
