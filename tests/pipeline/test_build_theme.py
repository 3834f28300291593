"""An instance's own `theme/`, where it fails."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from examples import some
from publishing import git
from snapshots import opened

from benchsite import resources
from benchsite.errors import InputError, ThemeError
from benchsite.pipeline import build
from benchsite.pipeline.workspace import Workspace
from benchsite.site.shell import Shell


@pytest.fixture
def theme(small: Workspace) -> Path:
    folder = small.root / "theme"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(resources.folder("theme"), folder)
    git(small.root, "add", "theme")
    return folder


@pytest.mark.parametrize(
    ("template", "fault"),
    some(
        [
            ("{% if %}", "TemplateSyntaxError: "),
            ("{% block styles %}{{ 1 / 0 }}{% endblock %}", "ZeroDivisionError: division by zero"),
            ("{% block styles %}{{ nosuch.thing }}{% endblock %}", "UndefinedError: 'nosuch' is undefined"),
            ("{% block styles %}{{ '{0.nosuch}'.format(page) }}{% endblock %}", "AttributeError: "),
            (
                "{% block styles %}{% include 'nosuch.html' %}{% endblock %}",
                "TemplateNotFound: 'nosuch.html' not found",
            ),
        ],
        gate=2,
    ),
)
def test_a_template_that_fails_is_named(
    small: Workspace, theme: Path, tmp_path: Path, template: str, fault: str
) -> None:
    with (theme / "main.html").open("a", encoding="utf-8") as out:
        out.write(template)
    line = len((theme / "main.html").read_text(encoding="utf-8").splitlines())
    with pytest.raises(ThemeError, match=re.escape(f"theme: main.html, line {line}: {fault}")):
        build.build(small, opened(small), tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_a_page_that_asks_for_no_template_there_is_named(small: Workspace, tmp_path: Path) -> None:
    (small.root / "content").mkdir(exist_ok=True)
    (small.root / "content/hello.md").write_text("---\ntemplate: nosuch.html\n---\n# Hello\n")
    git(small.root, "add", "content")
    with pytest.raises(InputError, match=r"hello\.md.*nosuch\.html"):
        build.build(small, opened(small), tmp_path / "site")


def test_an_error_of_our_own_is_not_the_themes(
    small: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> None:
        raise AttributeError("ours", name="main.html")

    monkeypatch.setattr(Shell, "of", fails)
    with pytest.raises(AttributeError, match="ours"):
        build.build(small, opened(small), tmp_path / "site")
