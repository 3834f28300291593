"""Sentences of the documentation and the methodologies have at most 25 words (STYLE.md, "Words", rule 6)."""

from __future__ import annotations

from pathlib import Path

import pytest
from sentences import LONGEST, sentences

PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "content/**/*.md", "methodology/**/text.md")
GENERATED = {"cli.md"}
"""Written from the texts of the commands, which `--help` breaks into its own lines."""


def test_no_sentence_is_too_long(root: Path) -> None:
    found = sorted(path for pattern in PAGES for path in root.glob(pattern) if path.name not in GENERATED)
    assert len(found) > 30
    long = [
        f"{path.relative_to(root)}: {sentence.words} words: {sentence.text}"
        for path in found
        for sentence in sentences(path.read_text(encoding="utf-8"))
        if sentence.words > LONGEST
    ]
    assert not long, "\n".join(long)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("One two three. Four five.", [3, 2]),
        ("One two\nthree (e.g. four). Five `six seven` eight.", [5, 3]),
        ("One two. `code` three four.", [2, 3]),
        ("---\ntitle: not read\n---\n# Not read\n\n- One two;\n- three.\n\n1. Four five six\n", [2, 1, 3]),
        ("One:\n\n```\nnot read\n```\n\n| not | read |\n\nTwo [three four](not/read.md) five.", [1, 4]),
        ("Term\n:   One two three.\n", [1, 3]),
        ("An example: Two words. 1 ÷ 2 = 0.5 is left out.", [2, 2, 3]),
    ],
)
def test_sentences_are_found_and_their_words_counted(page: str, words: list[int]) -> None:
    """Counted by hand; inline code is one word, a number none."""
    assert [sentence.words for sentence in sentences(page)] == words
