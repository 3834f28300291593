"""A track from a package of its own goes through every door, and benchsite goes on where the package is not installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from publishing import git

PACKAGE = Path(__file__).parent
# Of the eight sums, worked by hand: 15+16, 99+1, 7+8 and 5+5 lose their carry.
EXPECTED = {"exact": 1.0, "forgetful": 0.5}


class Site(NamedTuple):
    """An instance with two published receipts of the track, and how commands are run with and without its package."""

    root: Path
    with_it: Mapping[str, str]
    without: Mapping[str, str]


def ran(site: Site, *arguments: str, lacking: bool = False, code: int = 0) -> str:
    run = subprocess.run(
        [sys.executable, "-m", "benchsite", *arguments],
        cwd=site.root,
        env=dict(site.without if lacking else site.with_it),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == code, (arguments, run.stdout, run.stderr)
    assert "Traceback" not in run.stderr
    return run.stdout + run.stderr


def installed(folder: Path) -> Path:
    """The package as pip would have it: its modules and the entry points that its `pyproject.toml` declares."""
    import tomllib

    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    shutil.copytree(
        PACKAGE / "benchsite_sums", folder / "benchsite_sums", ignore=shutil.ignore_patterns("__pycache__")
    )
    info = folder / "benchsite_sums-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: benchsite-sums\nVersion: 0.1.0\n")
    lines = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("third")
    plain = {key: value for key, value in os.environ.items() if not key.startswith("BENCHSITE_")}
    packages = installed(folder / "packages")
    made = Site(folder / "site", {**plain, "PYTHONPATH": str(packages)}, plain)
    made.root.mkdir()
    ran(made, "init", ".")
    for name in ("methodology", "fixtures"):
        shutil.copytree(PACKAGE / name, made.root / name, dirs_exist_ok=True)
    git(made.root, "add", "-A")
    git(made.root, "commit", "-qm", "begin")
    said = ran(made, "keys", "init", "--out", str(folder / "keys"))
    exported = dict(
        line.removeprefix("  export ").split("=", 1)
        for line in said.splitlines()
        if line.startswith("  export ")
    )
    made = made._replace(with_it={**made.with_it, **exported})
    ran(made, "run", "sums", "--system", "exact", "--system", "forgetful", "--fixture", "sums-v1")
    ran(made, "publish", "--yes")
    return made


def receipts(site: Site) -> dict[str, dict[str, Any]]:
    found = [json.loads(path.read_bytes()) for path in (site.root / "results/published").glob("*/*.json")]
    return {document["system"]["name"]: document for document in found}


def test_it_runs_and_publishes(site: Site) -> None:
    published = receipts(site)
    assert {name: document["scores"]["accuracy"] for name, document in published.items()} == EXPECTED
    assert all(document["evidence"][0]["name"] == "answers.jsonl" for document in published.values())


def test_it_verifies_from_its_evidence(site: Site) -> None:
    said = json.loads(ran(site, "verify", "--all", "--json"))["receipts"]
    assert [(item["verdict"], item["rescore"]) for item in said] == [("LOGGED", "MATCHES")] * 2


def test_it_has_navigation_a_leaderboard_and_receipt_pages(site: Site) -> None:
    ran(site, "build", "--output", "built")
    built = site.root / "built"
    index = (built / "index.html").read_text()
    assert 'href="./sums/"' in index
    board = (built / "sums/sums-v1/index.html").read_text()
    assert board.index("exact") < board.index("forgetful")
    for document in receipts(site).values():
        page = (
            built / f"receipts/{document['receiptId'][:2]}/{document['receiptId']}/index.html"
        ).read_text()
        assert "Accuracy" in page
    assert (built / "api/v1/schema/sums.json").is_file()


def test_it_has_a_place_in_the_suite_and_passes_check(site: Site) -> None:
    ran(site, "check", "--no-build")
    assert "sums" in ran(site, "run", "--help")


def test_without_its_package_signature_and_log_are_checked_and_numbers_are_not(site: Site) -> None:
    said = json.loads(ran(site, "verify", "--all", "--json", lacking=True, code=5))["receipts"]
    for item in said:
        steps = {step["name"]: step["state"] for step in item["steps"]}
        assert item["verdict"] == "UNSUPPORTED"
        assert (steps["signature"], steps["log"], steps["schema"]) == ("pass", "pass", "skip")
        [why] = [step["detail"] for step in item["steps"] if step["name"] == "schema"]
        assert why == "numbers not checked: no track 'sums' is installed here"


def test_without_its_package_the_site_builds_and_says_so(site: Site) -> None:
    said = ran(site, "build", "--output", "lacking", lacking=True)
    assert "no track 'sums' is installed here" in said
    name = receipts(site)["exact"]["receiptId"]
    page = (site.root / f"lacking/receipts/{name[:2]}/{name}/index.html").read_text()
    assert "numbers not checked" in page
    assert not (site.root / "lacking/sums").exists()


def test_without_its_package_others_publish_and_its_drafts_wait(site: Site) -> None:
    ran(site, "run", "sums", "--system", "exact", "--fixture", "sums-v1", "--limit", "3")
    keys = {key: value for key, value in site.with_it.items() if key.startswith("BENCHSITE_")}
    lacking = Site(site.root, site.with_it, {**site.without, **keys})
    said = ran(lacking, "publish", "--yes", lacking=True, code=5)
    assert "no track 'sums' is installed" in said
    assert len(receipts(site)) == 2
