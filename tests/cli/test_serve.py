from __future__ import annotations

import re
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from commands import run_in

from benchsite.cli import site
from benchsite.pipeline import init
from benchsite.pipeline.preview import BANNER


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
    built: list[object] = []
    monkeypatch.setattr(site, "_sources", lambda _: next(looks, None) or ended.set() or {"a": ("2", 2)})
    monkeypatch.setattr(site, "_standing", lambda _: {})
    monkeypatch.setattr(site, "_rebuild", built.append)
    monkeypatch.setattr(site, "_EVERY", 0)
    monkeypatch.setattr(site, "_STILL", 0)
    ended = threading.Event()
    watched = site._Watched(tmp_path, tmp_path / "site", as_published=False)
    site._watch(watched, {}, ended)
    assert built == [watched]


@pytest.mark.parametrize(("made", "builds"), [("a site", 2), ("", 1)])
def test_a_watched_site_that_was_deleted_is_built_again_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: str, builds: int
) -> None:
    """Deleted before the first look and at the fourth; builds that make no site are not tried at each look."""
    watched = site._Watched(tmp_path, tmp_path / "site", as_published=False)
    page, ended, looks, built = tmp_path / "site/index.html", threading.Event(), iter(range(20)), []
    page.parent.mkdir()

    def sources(_: object) -> site.Sources:
        if (look := next(looks)) == 3:
            page.unlink(missing_ok=True)
        if look == 19:
            ended.set()
        return site._standing(watched)

    def rebuild(_: object) -> None:
        built.append(1)
        if made:
            page.write_text(made)

    monkeypatch.setattr(site, "_sources", sources)
    monkeypatch.setattr(site, "_rebuild", rebuild)
    monkeypatch.setattr(site, "_EVERY", 0)
    monkeypatch.setattr(site, "_STILL", 0)
    site._watch(watched, {"site": ("True", 0)}, ended)
    assert len(built) == builds


def test_a_port_in_use_is_said_before_anything_is_built(tmp_path: Path) -> None:
    made = init.init(tmp_path / "one", name="one", origin="one.invalid/log")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = run_in(tmp_path / "home", made.root)("serve", "--watch", "--port", port)
    assert done.code == 4
    assert f"cannot listen on 127.0.0.1:{port}" in done.err
    assert not (made.root / "site").exists()


def test_preview_is_for_a_server_that_builds(tmp_path: Path) -> None:
    done = run_in(tmp_path / "home", tmp_path)("serve", "--preview")
    assert done.code == 2
    assert "add --watch" in done.err


@pytest.mark.full
@pytest.mark.stories
def test_watch_builds_previews_when_it_is_told_to(tmp_path: Path) -> None:
    made = init.init(tmp_path / "one", name="one", origin="one.invalid/log")
    watched = site._Watched(made.root, tmp_path / "site", as_published=True)
    before = site._sources(watched)
    site._rebuild(watched)
    assert BANNER in (tmp_path / "site/index.html").read_text(encoding="utf-8")
    (made.root / "fixtures/more-v1").mkdir(parents=True)
    (made.root / "fixtures/more-v1/fixture.json").write_text("{}")
    assert site._sources(watched).keys() > before.keys()
    assert str(made.root / "fixtures/more-v1/fixture.json") not in site._sources(
        watched._replace(as_published=False)
    )


@pytest.mark.full
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
    watched = site._Watched(made.root, tmp_path / "site", as_published=False)
    before = site._sources(watched)
    assert site._sources(watched) == before
    (made.root / "content").mkdir(exist_ok=True)
    (made.root / "content" / "more.md").write_text("# More")
    assert site._sources(watched) != before


def test_a_build_that_fails_while_watching_leaves_the_site(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    made = init.init(tmp_path / "one", name="one", origin="one.invalid/log")
    (made.root / "mkdocs.yml").write_text("extra: {")
    (tmp_path / "site").mkdir()
    site._rebuild(site._Watched(made.root, tmp_path / "site", as_published=False))
    assert "mkdocs.yml" in capfd.readouterr().err
    assert (tmp_path / "site").is_dir()


def test_a_page_that_was_found_prints_nothing_and_one_that_was_not_prints_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "index.html").write_text("<p>hello</p>")
    server = site._listening(tmp_path, "127.0.0.1", 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    try:
        assert page(address) == "<p>hello</p>"
        with pytest.raises(urllib.error.HTTPError):
            page(f"{address}absent.html")
    finally:
        server.shutdown()
        server.server_close()
    printed = capsys.readouterr().err
    assert "GET /absent.html" in printed
    assert "GET / " not in printed
