"""BibTeX of a receipt, read back by the rules of BibTeX: braces balance, special characters are commands."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.history import Header, Rescore, Verdict
from benchsite.site.citation import LONGEST, bibtex, latex

HEADER = Header(
    "5f0d6c1e-9b1f-4a57-9d0e-2f1f7c0c9a41", "retrieval", "p", "b", "ab" * 32, 1, 6, Verdict.LOGGED, Rescore.MATCHES, (),
    methodology="1.0.0", ran_at="2026-11-05T00:00:00Z",
)  # fmt: skip


@pytest.mark.parametrize(
    ("char", "command"),
    [
        *((char, f"\\{char}") for char in "&%$#_"),
        ("{", r"\textbraceleft{}"),
        ("}", r"\textbraceright{}"),
        ("~", r"\textasciitilde{}"),
        ("^", r"\textasciicircum{}"),
        ("\\", r"\textbackslash{}"),
    ],
)
def test_the_ten_special_characters_of_latex_are_commands(char: str, command: str):
    assert latex(f"a{char}b") == f"a{command}b"


@given(st.text(max_size=400))
def test_no_text_leaves_its_braces(text: str):
    depth = 0
    for char in latex(text):
        depth += {"{": 1, "}": -1}.get(char, 0)
        assert depth in (0, 1)
    assert depth == 0
    assert "\n" not in latex(text)


def test_a_name_of_ten_thousand_characters_is_shortened():
    assert len(latex("x" * 10_000)) == LONGEST


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\U0001f98a", "[fox face]"),  # names: UnicodeData.txt
        ("\u2764\ufe0f", "[heavy black heart]"),
        ("\U0001f44d\U0001f3fd", "[thumbs up sign]"),
        ("Łódź ©", "Łódź ©"),
        ("模型", "模型"),
        ("−1 ≥ x", r"\ensuremath{-}1 \ensuremath{\geq} x"),
    ],
)
def test_a_symbol_that_no_font_of_latex_has_is_named(text: str, shown: str):
    assert latex(text) == shown


def entry(site_url: str) -> str:
    return entry_of("Design & <Writing> Lab", "a_b on c", site_url)


def entry_of(name: str, title: str, site_url: str) -> str:
    """What a reader copies from the page."""
    document = {"ranBy": {"kind": "submitted", "name": name}}
    made = bibtex(HEADER, document, title, "nDCG@10 0.534", "receipts/5f/x/", site_url=site_url)
    return html.unescape(re.sub(r"</?span[^>]*>", "", made))


def test_an_entry_has_what_a_reader_needs_to_find_the_number():
    assert entry("https://bench.invalid/sub/").splitlines() == [
        "@misc{benchsite-5f0d6c1e,",
        r"  title = {a\_b on c: nDCG@10 0.534},",
        r"  author = {{Design \& <Writing> Lab}},",
        "  year = {2026},",
        "  url = {https://bench.invalid/sub/receipts/5f/x/},",
        "  urldate = {2026-11-05},",
        f"  note = {{benchsite receipt {HEADER.receipt_id}, methodology retrieval 1.0.0, log entry 6, SHA-256 {'ab' * 32}}}",
        "}",
    ]


@pytest.mark.parametrize("name", ["模型", "한국어", "محمد علی", "שלום", "Модель", "Ωmega", "e\u0336"])
def test_letters_that_pdflatex_lacks_are_announced_before_the_entry(name: str):
    """BibTeX ignores text between entries, but for an @ (BibTeXing, 1988)."""
    for made in (entry_of(name, "a on c", ""), entry_of("Lab", f"{name} on c", "")):
        said, _, rest = made.partition("@misc{")
        assert "use XeLaTeX or LuaLaTeX" in said
        assert "@" not in said
        assert name in rest


@pytest.mark.parametrize("name", ["Łódź Ștefan", "fox \U0001f98a", "1 ± 2 – “x” ≥", "e\u0301"])
def test_an_entry_that_pdflatex_sets_starts_at_once(name: str):
    assert entry_of(name, f"{name} on c", "").startswith("@misc{")


def test_without_an_address_there_is_no_url():
    assert "url" not in entry("")


@pytest.mark.stories
@pytest.mark.skipif(
    not (shutil.which("pdflatex") and shutil.which("bibtex")), reason="LaTeX is not installed"
)
@pytest.mark.parametrize(
    "name",
    [
        "Müller & Søn, São Łódź Ångström œuvre ß ñ ç ğ ş Ž",
        "100% #1 snake_case $5 ~home ^caret \\backslash",
        "{unbalanced",
        "}}}{{ \\end{document} \\input{/etc/passwd} %",
        '"quoted" and others, Jr., and @string',
        "emoji \U0001f98a\U0001f44d\U0001f3fd\u200d\u2764\ufe0f \u202eidib",
        "−1 ± … – — ’ “ ” · ≥",
        "x" * 10_000,
    ],
)
def test_bibtex_and_latex_set_a_hostile_name(tmp_path: Path, name: str):
    (tmp_path / "r.bib").write_text(
        entry_of(name, f"{name} on c", "https://b.invalid/a_b/~x/"), encoding="utf-8"
    )
    (tmp_path / "t.tex").write_text(
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\begin{document}\\nocite{*}"
        "\\bibliographystyle{plain}\\bibliography{r}\\end{document}\n"
    )
    latex_run = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape", "t"]
    for command in (latex_run, ["bibtex", "t"], latex_run):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:]
    set_there = (tmp_path / "t.bbl").read_text(encoding="utf-8", errors="replace")
    assert set_there.count("\\bibitem") == 1
