"""`langchain-bm25`: `BM25Retriever` of LangChain over rank-bm25.

By default it splits at white space and keeps case and punctuation: "Boat." is another word than "boat". With the option
`tokenizer=words` its `preprocess_func` is that of `rank-bm25`: lower-cased words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from langchain_community.retrievers import BM25Retriever

from benchsite.tracks.retrieval.adapter import About, Hit, Item

__all__ = ["LangChainBm25"]

_WORD: Final = re.compile(r"\w+")
_TOKENIZERS: Final[dict[str, Callable[[str], list[str]]]] = {
    "whitespace": str.split,
    "words": lambda text: _WORD.findall(text.lower()),
}
"""The first is the retriever's own."""


class LangChainBm25:
    """The k best documents, also those without a word of the question.

    The retriever has no scores: those of the hits are 1 / rank.
    """

    about = About(
        "langchain-bm25",
        author="benchsite",
        distributions=("langchain-community", "langchain-core", "rank-bm25", "numpy"),
        backend="rank-bm25",
    )

    def __init__(self, *, tokenizer: str = "whitespace") -> None:
        if tokenizer not in _TOKENIZERS:
            raise ValueError(f"tokenizer is whitespace or words, not {tokenizer}")
        self._words = _TOKENIZERS[tokenizer]
        self.reset()

    def reset(self) -> None:
        """Forget the scope."""
        self._items: list[Item] = []
        self._retriever: BM25Retriever | None = None

    def ingest(self, items: Sequence[Item]) -> None:
        """Keep the items: the retriever cannot be extended."""
        self._items.extend(items)

    def flush(self) -> None:
        """Build the retriever; none if no item has a word, by which rank-bm25 divides."""
        texts = [item.content for item in self._items]
        self._retriever = None
        if any(self._words(text) for text in texts):
            ids = [item.id for item in self._items]
            self._retriever = BM25Retriever.from_texts(texts, ids=ids, preprocess_func=self._words)

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - it has no clock
        """Ask the retriever, whose k is set when it is built."""
        if self._retriever is None:
            return []
        self._retriever.k = k
        found = self._retriever.invoke(q)
        return [Hit(one.id, 1 / rank, one.page_content) for rank, one in enumerate(found, 1)]
