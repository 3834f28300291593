"""Lexical search over short passages, by BM25 with k1 = 1.2 and b = 0.75; the same query always gives the same text.

The harness's retrieval adapters are another track's, and the pipeline has no way to pass one to a benchmark; so the tool has
its own few lines. Passages below 0.65 of the best score are left out: small models take what stands first for the answer.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from benchsite.tracks.agents.benchmarks.packaged.answers import words
from benchsite.tracks.agents.benchmarks.packaged.functions import ToolError

__all__ = ["Index"]

MOST_FOUND: Final = 4
SHARE_OF_BEST: Final = 0.65
K1: Final = 1.2
B: Final = 0.75
_COMMON: Final = (
    "a an and are at be by does for from has have how in is it its of on or that the to was what when where which who "
    "whose with now today"
)
_STOP: Final = frozenset(_COMMON.split())
_PLURAL: Final = re.compile(r"(?<=[a-z]{2}[^s\W])s\b")


class Index:
    """An index of passages."""

    def __init__(self, passages: Sequence[str]) -> None:
        self._passages = passages
        self._counts = [Counter(_terms(passage)) for passage in passages]
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._mean = sum(self._lengths) / len(passages)
        self._frequency = Counter(term for counts in self._counts for term in counts)

    def search(self, query: str) -> str:
        """Return the passages that fit a query, best first, one a line.

        Raises:
            ToolError: the query has no word to search for.
        """
        terms = sorted(set(_terms(query)))
        if not terms:
            raise ToolError("the query has no word to search for")
        scores = [round(self._score(place, terms), 6) for place in range(len(self._passages))]
        best = max(scores)
        if best == 0:
            return "nothing found"
        order = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
        found = [place for place in order if scores[place] >= SHARE_OF_BEST * best][:MOST_FOUND]
        return "\n".join(self._passages[place] for place in found)

    def _score(self, place: int, terms: Sequence[str]) -> float:
        counts, size = self._counts[place], len(self._passages)
        norm = K1 * (1 - B + B * self._lengths[place] / self._mean)
        return math.fsum(
            math.log(1 + (size - self._frequency[term] + 0.5) / (self._frequency[term] + 0.5))
            * counts[term]
            * (K1 + 1)
            / (counts[term] + norm)
            for term in terms
            if counts[term]
        )


def _terms(text: str) -> list[str]:
    """Return the folded words of a text without the commonest ones, plurals in `-s` as their singulars."""
    return [term for term in _PLURAL.sub("", words(text)).split() if term not in _STOP]
