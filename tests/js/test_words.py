"""The lone page has the site's colors, names nothing outside itself, and prints its own hash."""

from __future__ import annotations

import html
import re
import subprocess
from pathlib import Path

import pytest

from benchsite.pipeline.browser import verify_files
from benchsite.site.verifier import Verifier

THEME = Path(__file__).parents[2] / "theme"


def tokens(name: str, start: str) -> dict[str, str]:
    """The custom properties of the first block that begins with `start`, print and forced colors excluded."""
    css = (THEME / name).read_text(encoding="utf-8")
    block = css[css.index(start) :].split("}", 1)[0]
    return dict(re.findall(r"(--[a-z]+): ([^;]+);", block))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (":root {\n  color-scheme: light;", ":root {\n  color-scheme: light;"),
        (
            '  :root:not([data-scheme="light"]) {\n    color-scheme: dark;',
            '  :root:not([data-scheme="light"]) {\n    color-scheme: dark;',
        ),
        (':root[data-scheme="dark"] {', ':root[data-scheme="dark"] {'),
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
    assert links == ["data:,"]
    assert "url(" not in styles
    assert "@import" not in styles
    assert " style=" not in skeleton
    assert not re.search(r"\son[a-z]+=", skeleton)


def test_the_command_on_the_page_prints_the_engine_hash(tmp_path: Path):
    verifier = Verifier.of(verify_files())
    (tmp_path / "verify.html").write_bytes(verifier.with_trust(b'{"site":"</script>\xc3\xa9"}'))
    (command,) = re.findall(r"<code>(sed [^\n]*)</code>", verifier.page)
    run = subprocess.run(
        ["sh", "-c", html.unescape(command)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert run.stdout.split()[0] == verifier.engine_hash
