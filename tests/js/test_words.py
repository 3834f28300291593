"""The words of the browser's result are Python's words, and the lone page wears the site's colours."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchsite.history import RESCORE_SENTENCES, SENTENCES
from benchsite.site.marks import VERDICTS
from benchsite.site.verifier import Verifier

THEME = Path(__file__).parents[2] / "theme"

needs_node = pytest.mark.skipif(
    shutil.which("node") is None, reason="WORDS NOT COMPARED: node is not installed"
)


def from_node(script: str, given: str = "") -> Any:
    run = subprocess.run(
        ["node", "--input-type=module", "--eval", script],
        cwd=THEME / "verify",
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@needs_node
def test_sentences_and_marks_are_those_of_the_site():
    words = from_node(
        'import * as words from "./words.js";'
        "process.stdout.write(JSON.stringify([words.SENTENCES, words.RESCORE_SENTENCES, words.VERDICTS]));"
    )
    marks = {
        str(verdict): {"glyph": m.glyph, "word": m.word, "tone": m.tone} for verdict, m in VERDICTS.items()
    }
    assert words == [
        {str(verdict): text for verdict, text in SENTENCES.items()},
        {str(rescore): text for rescore, text in RESCORE_SENTENCES.items()},
        marks,
    ]


def tokens(name: str, start: str) -> dict[str, str]:
    """The custom properties of the first block that begins with `start`, print and forced colours left out."""
    css = (THEME / name).read_text(encoding="utf-8")
    block = css[css.index(start) :].split("}", 1)[0]
    return dict(re.findall(r"(--[a-z]+): ([^;]+);", block))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (":root {\n  color-scheme: light;", ":root {\n  color-scheme: light;"),
        (
            "  :root {\n    color-scheme: dark;",
            '  :root:not([data-scheme="light"]) {\n    color-scheme: dark;',
        ),
    ],
)
def test_the_lone_page_has_the_tokens_of_the_site(ours: str, theirs: str):
    found = tokens("verify/verify.css", ours)
    assert len(found) >= 13
    assert found == tokens("assets/site.css", theirs)


def test_the_lone_page_names_nothing_outside_itself():
    skeleton = (THEME / "verify" / "verify.html").read_text(encoding="utf-8")
    styles = "".join((THEME / "verify" / name).read_text() for name in ("result.css", "verify.css"))
    links = re.findall(r'(?:href|src)="([^"]*)"', skeleton)
    assert sorted(links) == ["./", "./log/", "./receipts/", "data:,"]
    assert "url(" not in styles
    assert "@import" not in styles
    assert " style=" not in skeleton
    assert not re.search(r"\son[a-z]+=", skeleton)


def test_the_command_on_the_page_prints_the_engine_hash(tmp_path: Path):
    folder = THEME / "verify"
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    wanted = {name: path for name, path in files.items() if path.suffix in {".js", ".css", ".html"}}
    verifier = Verifier.of({name: path.read_text(encoding="utf-8") for name, path in wanted.items()})
    (tmp_path / "verify.html").write_bytes(verifier.with_trust(b'{"site":"</script>\xc3\xa9"}'))
    (command,) = re.findall(r"<code>(sed [^\n]*)</code>", verifier.page)
    run = subprocess.run(
        ["sh", "-c", html.unescape(command)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert run.stdout.split()[0] == verifier.engine_hash
