"""The words of the house style hold in every visible text; `word_list` has the list and how a file is read."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from word_list import Place, files, found, in_text, texts_of

from benchsite import yaml_document
from benchsite.cli.reference import reference

AREAS: Final = {
    "program": ("benchsite",),
    "theme": ("theme",),
    "documentation": ("content", "README.md", "CONTRIBUTING.md", "SECURITY.md", "pyproject.toml"),
    "workflows": (".ci", ".github"),
    "methodologies": ("methodology",),
    "--help": (),
}
RIGHT: Final = {
    ("SECURITY.md", "its drafts or its fixture"): "a row of the specification's table",
    ("benchsite/board/tables.py", "begin{tabular}"): "a command of LaTeX",
    ("benchsite/cli/data_import.py", "--licence-ok"): "the old spelling of an option, hidden, still works",
    ("benchsite/tracks/retrieval/adapters/lexical/sqlite_fts5.py", "under again once"): "a stop word",
    ("benchsite/tracks/retrieval/conformance/cases.py", "mended"): "a word of the sample text",
    ("methodology/retrieval/0.0.1/text.md", "fixture"): "a text that receipts pin by its hash",
    ("methodology/retrieval/1.0.0/text.md", "fixture"): "a term that its chapter 2 defines",
    ("1.0.0/methodology.yaml", "without the fixture"): "the same",
    ("theme/assets/js/verify.js", "aria-labelledby"): "the name of an attribute",
}
"""Word for word right: a file, a piece of its text, and why. One that is not met fails, so that none is forgotten."""


@functools.cache
def places(root: Path, area: str) -> list[Place]:
    if area == "--help":
        return list(in_text(reference(), area))
    return [
        place
        for top in AREAS[area]
        for path in files(root / top)
        if path.name != "methodology.yaml"
        for place in found(path, path.relative_to(root).as_posix())
    ] + [
        place
        for top in AREAS[area]
        for path in (root / top).rglob("methodology.yaml")
        for place in _of_rules(path)
    ]


def _of_rules(path: Path) -> Iterator[Place]:
    """The words of a methodology's data but for prompts and what the agent is given with them."""
    for text in _texts(yaml_document.load(path.read_bytes(), path.name).value):
        yield from in_text(text, f"{path.parent.name}/{path.name}")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in _told(value) if isinstance(value, dict) else value:
            yield from _texts(item)


def _told(value: dict[str, object]) -> Iterator[object]:
    """The values of a mapping without those that the kept transcripts quote."""
    return (item for key, item in value.items() if key not in ("task", "setup"))


def wrong(root: Path, area: str) -> list[str]:
    return [
        f"{place.path}:{place.line}: {place.word!r} in {place.text!r}"
        for place in places(root, area)
        if not any(path == place.path and text in place.text for path, text in RIGHT)
    ]


def test_a_page_is_read_as_a_browser_shows_it() -> None:
    page = """<title>begin</title><p title="Set&#32;apart">a <b>floor</b><code>again</code></p>
    <script>again</script><pre><code>again</code> again</pre><img alt="Somebody"><p data-x="again">stands</p>"""
    assert [place.word for text in texts_of(page) for place in in_text(text, "page")] == [
        "begin",
        "apart",
        "floor",
        "Somebody",
        "stands",
    ]


@pytest.mark.parametrize("area", AREAS)
def test_visible_text_speaks_the_fields_words(root: Path, area: str) -> None:
    found_there = wrong(root, area)
    assert not found_there, "\n".join(found_there)


def test_nothing_is_excused_that_is_not_there(root: Path) -> None:
    met = [place for area in AREAS for place in places(root, area)]
    for path, text in RIGHT:
        assert any(place.path == path and text in place.text for place in met), (path, text)


@pytest.mark.parametrize(
    ("suffix", "text", "words"),
    [
        (
            ".py",
            '"""Begin."""\nX = f"whoever {a} runs it"\n__all__ = ["begin"]\nY = "command.again"\n',
            ["whoever"],
        ),
        (".js", '// somebody\nconst a = "nobody", b = `stands`;\n', ["nobody", "stands"]),
        (".md", "The `floor` is a floor.\n```\nagain\n```\n95 % [x](again)\n", ["floor", "5 %"]),
        (".j2", "{# apart #}<p class='apart'>{{ again }} set apart</p>\n", ["apart"]),
        ("", "echo '  try: this'\n", []),
        (".yml", "name: Say it again\n", ["again"]),
        (".py", 'HINT = "  try: x"\n', ["try:"]),
        (
            ".py",
            'A = ["board", "Id of a fixture.", "on fixtures/x", "see the board"]\n',
            ["fixture", "board"],
        ),
        (".py", 'A = "run benchsite fixture list --fixture ID [FIXTURE ...], see fixture.json"\n', []),
        (
            ".md",
            "It measures systems by the measure, and each\nmeasure counts.\n",
            ["the measure", "each measure"],
        ),
        (".js", "const a = 'begin', b = `x\n ${c} again\n`; /* stands */\n", ["begin", "again"]),
        (".j2", '<p title="Say {{ it }} again" class="floor">a</p>\n', ["again"]),
        (
            ".j2",
            """{{ link("Verify it again") }}{% set x = 'set apart' %}{{ url("again") }}\n""",
            ["again", "apart"],
        ),
        (".html", '<input placeholder="Begin here"><!-- apart -->\n', ["Begin"]),
        (".md", "A name of\nits own.\n", ["of its own"]),
        (".md", "calendar: 3 tasks\n2026-02-30 is in no calendar\n", ["in no calendar"]),
    ],
)
def test_a_forbidden_word_is_found_in_each_kind_of_file(
    tmp_path: Path, suffix: str, text: str, words: list[str]
) -> None:
    path = tmp_path / f"file{suffix}"
    path.write_text(text)
    assert [place.word for place in found(path, "file")] == words
