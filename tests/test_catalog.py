"""The sentences of errors are what `catalog.txt` says, and all of them are written alike; other tests compare places and values."""

from __future__ import annotations

import ast
import re
from difflib import unified_diff
from types import ModuleType

import pytest
from catalog import FILE, catalog, template, templates
from constructions import NAMED
from word_list import in_text

from benchsite.canonical.sentences import said

ERRORS = [item for item in templates() if item.name.removesuffix(".next_step") in NAMED]
"""Of the tree: Python's own errors may repeat what another program says."""
_FILLED = re.compile(r"\{[^{}]*\}")


def test_the_catalog_is_what_the_program_says() -> None:
    kept, told = FILE.read_text(encoding="utf-8"), catalog()
    changed = unified_diff(
        kept.splitlines(), told.splitlines(), "tests/catalog.txt", "the program", lineterm="", n=0
    )
    assert kept == told, "\n".join(["read the sentences that changed, then run: make reference", *changed])


def test_no_sentence_of_an_error_ends_in_a_full_stop() -> None:
    texts = [text for item in ERRORS for text in (item.message, item.hint)]
    assert len(texts) > 1_000
    assert [text for text in texts if re.search(r"(?<!\.)\.$", text)] == []


def test_every_sentence_of_an_error_starts_with_a_small_letter_or_a_name() -> None:
    """The command line prints it after `error:` or `hint:`. A name has another capital, as HEAD and WorkBench have."""
    texts = [text for item in ERRORS for text in (item.message, item.hint)]
    assert [text for text in texts if re.match(r"[A-Z][a-z]*\b", text)] == []


def test_errors_speak_the_fields_words_also_across_what_is_filled_in() -> None:
    texts = [_FILLED.sub("X", f"{item.message}; {item.hint}") for item in ERRORS]
    assert [place for text in texts for place in in_text(text, "catalog.txt")] == []


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("'no key'", "no key"),
        ("f'{path}: {len(data):,} bytes, {name!r}'", "{path}: {len(data):,} bytes, {name!r}"),
        ("'a' + _HINT + other", "apass a file{other}"),
        ("'one' if more else f'{count} of {a}'", "{'one' if more else '{count} of {a}'}"),
        ("f'{f\"{a} b\"[:9]}'", "{'{a} b'[:9]}"),
        ("said('key-twice', key=key)", "{said('key-twice', key=key)}"),
        ("ours('duplicate-key', key=key)", "key {key} occurs twice in one object"),
        ("error.message", "{error.message}"),
    ],
)
def test_a_template_shows_what_is_literal_and_names_the_rest(expression: str, shown: str) -> None:
    module = ModuleType("sample")
    module.__dict__.update(_HINT="pass a file", ours=said)
    assert template(ast.parse(expression, mode="eval").body, module) == shown
