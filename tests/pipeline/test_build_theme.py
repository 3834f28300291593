"""An instance's own `theme/`, where it fails."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchsite import resources
from benchsite.errors import ThemeError
from benchsite.pipeline import build
from benchsite.pipeline.instance import Instance


@pytest.mark.parametrize(
    ("template", "place"),
    [
        ("{% if %}", r"main\.html, line [0-9]+: TemplateSyntaxError"),
        ("{% block styles %}{{ 1 / 0 }}{% endblock %}", "ZeroDivisionError"),
    ],
)
def test_a_template_that_fails_is_named(small: Instance, tmp_path: Path, template: str, place: str) -> None:
    theme = small.root / "theme"
    shutil.rmtree(theme, ignore_errors=True)
    shutil.copytree(resources.folder("theme"), theme)
    with (theme / "main.html").open("a", encoding="utf-8") as out:
        out.write(template)
    with pytest.raises(ThemeError, match=f"theme: .*{place}"):
        build.build(small, tmp_path / "site")
    assert not (tmp_path / "site").exists()
