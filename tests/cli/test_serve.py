from __future__ import annotations

import re
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest

from benchsite.cli import site
from benchsite.pipeline import init


@pytest.mark.stories
def test_serve_answers_and_stops(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>hello</p>")
    server = subprocess.Popen(
        [sys.executable, "-m", "benchsite", "serve", "--dir", str(tmp_path), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())
        assert found is not None
        assert page(found[0]) == "<p>hello</p>"
    finally:
        server.terminate()
        server.wait(10)
        server.stdout.close()


def test_watch_builds_when_a_source_changed_and_stood_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three looks: a change that is still going on, one that stands still, and none; then Ctrl-C."""
    looks = iter([{"a": ("1", 1)}, {"a": ("2", 2)}, {"a": ("2", 2)}, {"a": ("2", 2)}, {"a": ("2", 2)}])
    built: list[Path] = []
    monkeypatch.setattr(site, "_sources", lambda _root: next(looks, None) or ended.set() or {"a": ("2", 2)})
    monkeypatch.setattr(site, "_rebuild", lambda _root, folder: built.append(folder))
    monkeypatch.setattr(site, "_EVERY", 0)
    monkeypatch.setattr(site, "_STILL", 0)
    ended = threading.Event()
    site._watch(tmp_path, tmp_path / "site", {}, ended)
    assert built == [tmp_path / "site"]


@pytest.mark.stories
def test_a_watched_site_shows_a_change_while_it_is_served(tmp_path: Path) -> None:
    made = init.init(tmp_path / "one", name="Before", origin="one.invalid/log")
    command = [sys.executable, "-m", "benchsite", "serve", "--watch", "--port", "0"]
    server = subprocess.Popen(
        command, cwd=made.root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert server.stdout is not None
        found = next(filter(None, (re.search(r"http://127\.0\.0\.1:\d+/", line) for line in server.stdout)))
        assert "<title>Before" in page(found[0])
        settings = made.root / "mkdocs.yml"
        settings.write_text(settings.read_text().replace("Before", "After"))
        for line in server.stdout:  # what the second build says
            if line.startswith("wrote"):
                break
        assert "<title>After" in page(found[0])
    finally:
        server.terminate()
        server.wait(10)
        server.stdout.close()


def page(address: str) -> str:
    with urllib.request.urlopen(address, timeout=10) as answer:  # noqa: S310 - our own server, on loopback
        text: str = answer.read().decode()
    return text


def test_the_sources_of_a_build_are_seen_to_change(tmp_path: Path) -> None:
    made = init.init(tmp_path / "one", name="one", origin="one.invalid/log")
    before = site._sources(made.root)
    assert site._sources(made.root) == before
    (made.root / "content").mkdir(exist_ok=True)
    (made.root / "content" / "more.md").write_text("# More")
    assert site._sources(made.root) != before


def test_a_build_that_fails_while_watching_leaves_the_site(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    made = init.init(tmp_path / "one", name="one", origin="one.invalid/log")
    (made.root / "mkdocs.yml").write_text("extra: {")
    (tmp_path / "site").mkdir()
    site._rebuild(made.root, tmp_path / "site")
    assert "mkdocs.yml" in capfd.readouterr().err
    assert (tmp_path / "site").is_dir()
