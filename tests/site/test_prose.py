from __future__ import annotations

from benchsite.site import prose


def test_a_document_is_cut_at_its_numbered_headings():
    found = prose.sections("Intro.\n\n## 1 Score\n\nText *R*.\n\n## 2 Rest\n\nMore.\n")
    assert [(section.anchor, str(section.title)) for section in found] == [
        ("", ""),
        ("1-score", "1 Score"),
        ("2-rest", "2 Rest"),
    ]
    assert str(found[1].body).strip() == "<p>Text <em>R</em>.</p>"
    assert found[2].source.strip() == "More."


def test_raw_html_is_shown_and_never_interpreted():
    (section,) = prose.sections("a <script>x</script>\n\n<div onclick=y>b</div>\n")
    assert "<script" not in section.body
    assert "<div" not in section.body
    assert "&lt;script&gt;" in section.body


def test_tables_scroll_and_align_without_a_style_attribute():
    (section,) = prose.sections("| a | b |\n|---|--:|\n| x | 1 |\n")
    assert section.body.startswith(
        '<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>'
    )
    assert '<td align="right">1</td>' in section.body
    assert "style=" not in section.body
