"""`benchsite status`: what an instance lacks before its site can be published with every link."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from commands import Run

NO_REMOTE = "no remote: commits stay on this machine; git remote add origin URL"
NO_LINKS = "no links to the repository: mkdocs.yml sets no repo_url, and there is no remote origin"
NO_WEB = "no links to the repository: mkdocs.yml sets no repo_url, and origin has no web address"
NO_ADDRESS = "no sitemap, canonical URLs or citation URLs: mkdocs.yml sets no site_url"


def setup(benchsite: Run, folder: Path) -> list[str]:
    ran = benchsite("status", cwd=folder)
    assert ran.code == 0, ran.err
    return [line.removeprefix("setup").strip() for line in ran.out.splitlines() if line.startswith("setup")]


def set_site_url(folder: Path) -> None:
    config = folder / "mkdocs.yml"
    lines = [line for line in config.read_text().splitlines() if not line.startswith("site_url:")]
    config.write_text("\n".join(["site_url: https://bench.example.org/", *lines, ""]))


def test_a_new_instance_says_each_setting_that_it_lacks(benchsite: Run, new: Path) -> None:
    assert setup(benchsite, new) == [NO_REMOTE, NO_LINKS, NO_ADDRESS]
    said = json.loads(benchsite("status", "--json", cwd=new).out)
    assert NO_REMOTE in json.dumps(said)


@pytest.mark.full
def test_each_setting_that_is_made_takes_its_line_away(benchsite: Run, new: Path) -> None:
    """A remote on this machine has no web address; one with a password has, and it is not shown."""
    set_site_url(new)
    assert setup(benchsite, new) == [NO_REMOTE, NO_LINKS]
    subprocess.run(["git", "-C", new, "remote", "add", "origin", "/srv/bench.git"], check=True)
    assert setup(benchsite, new) == [NO_WEB]
    address = "https://me:hunter2@git.example.org/me/bench.git"
    subprocess.run(["git", "-C", new, "remote", "set-url", "origin", address], check=True)
    assert setup(benchsite, new) == []
    assert "hunter2" not in benchsite("status", cwd=new).out
