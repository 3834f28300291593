"""A track from a package of its own goes through every door, and benchsite goes on where the package is not installed."""

from __future__ import annotations

import html
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from examples import some
from third.foreign import PACKAGE, Site, begin, installed

pytestmark = pytest.mark.stories

# Of the eight sums, worked by hand: 15+16, 99+1, 7+8 and 5+5 lose their carry.
EXPECTED = {"exact": 1.0, "forgetful": 0.5}
DESCRIBED = (PACKAGE / "benchsite_sums/board.py").read_text()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return begin(tmp_path_factory.mktemp("third"))


def receipts(site: Site) -> dict[str, dict[str, Any]]:
    found = [json.loads(path.read_bytes()) for path in (site.root / "results/published").glob("*/*.json")]
    return {document["system"]["name"]: document for document in found}


def test_it_runs_and_publishes(site: Site) -> None:
    published = receipts(site)
    assert {name: document["scores"]["accuracy"] for name, document in published.items()} == EXPECTED
    assert all(document["evidence"][0]["name"] == "answers.jsonl" for document in published.values())


def test_it_verifies_from_its_evidence(site: Site) -> None:
    said = json.loads(site.ran("verify", "--all", "--json"))["receipts"]
    assert [(item["verdict"], item["rescore"]) for item in said] == [("LOGGED", "MATCHES")] * 2


@pytest.mark.full
def test_a_page_that_cannot_be_written_is_excluded_and_the_rest_is_built(site: Site, tmp_path: Path) -> None:
    packages = installed(tmp_path / "packages")
    broken = site._replace(with_it={**site.with_it, "PYTHONPATH": str(packages)})
    module = packages / "benchsite_sums/board.py"

    def built(*pages: str) -> str:
        yields = "".join(f"    yield Page({page})\n" for page in pages)
        module.write_text(f"from benchsite.track import Page\n{DESCRIBED}\n\ndef pages(*_):\n{yields}")
        return broken.ran("build", "--output", str(tmp_path / "built"))

    templates = ("sums/none.html.j2", "none.html.j2", "log.html.j2", "../../etc/passwd")
    said = built(*(f"'sums/{i}/', title='X', template='{name}'" for i, name in enumerate(templates)))
    for i, name in enumerate(templates):
        assert f"! track 'sums' failed: page /sums/{i}/: template {name}" in said
    assert (tmp_path / "built/sums/sums-v1/index.html").is_file()
    said = built("'sums/a\\0b', data=b'x'")
    assert r"! track 'sums' failed in benchsite_sums.board: /sums/a\u0000b is not a path" in said
    assert (tmp_path / "built/index.html").is_file()


@pytest.mark.full
def test_it_has_navigation_a_leaderboard_and_receipt_pages(site: Site) -> None:
    said = site.ran("build", "--output", "built")
    assert ", with tracks of other packages: sums\n" in said
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


def test_its_shapes_for_the_browser_are_those_of_its_models(site: Site) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "benchsite.cli.reference", "shapes", "sums"],
        cwd=site.root,
        env=dict(site.with_it),
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == (PACKAGE / "benchsite_sums/shapes-sums.js").read_text()


@pytest.mark.full
def test_it_has_a_place_in_the_suite_and_passes_check(site: Site) -> None:
    site.ran("check", "--no-build")
    assert "sums" in site.ran("run", "--help")
    assert "sums-v1" in site.ran("fixture", "list")


def test_without_its_package_signature_and_log_are_checked_and_numbers_are_not(site: Site) -> None:
    said = json.loads(site.ran("verify", "--all", "--json", lacking=True, code=5))["receipts"]
    for item in said:
        steps = {step["name"]: step["state"] for step in item["steps"]}
        assert item["verdict"] == "UNSUPPORTED"
        assert (steps["signature"], steps["log"], steps["schema"]) == ("pass", "pass", "not checked")
        [why] = [step["detail"] for step in item["steps"] if step["name"] == "schema"]
        assert why == "scores not checked: no track 'sums' is installed here"


@pytest.mark.full
def test_without_its_package_the_site_builds_and_says_so(site: Site) -> None:
    said = site.ran("build", "--output", "lacking", lacking=True)
    assert "no track 'sums' is installed here" in said
    name = receipts(site)["exact"]["receiptId"]
    page = (site.root / f"lacking/receipts/{name[:2]}/{name}/index.html").read_text()
    assert "scores not checked" in page
    assert not (site.root / "lacking/sums").exists()


def test_without_its_package_nothing_of_a_batch_with_its_draft_is_published(site: Site) -> None:
    site.ran("run", "sums", "--system", "exact", "--fixture", "sums-v1", "--limit", "3")
    keys = {key: value for key, value in site.with_it.items() if key.startswith("BENCHSITE_")}
    lacking = Site(site.root, site.with_it, {**site.without, **keys})
    said = lacking.ran("publish", "--yes", lacking=True, code=5)
    assert "no track 'sums' is installed" in said
    assert len(receipts(site)) == 2


@pytest.mark.full
@pytest.mark.parametrize(
    ("module", "text", "says"),
    some(
        {
            "package": ("__init__.py", "1 / 0\n", "track 'sums' cannot be loaded: ZeroDivisionError"),
            "board": (
                "board.py",
                f"{DESCRIBED}\n\ndef pages(*_):\n    yield 1 / 0\n",
                "benchsite_sums.board.pages: Zero",
            ),
            "template": (
                "receipt_page.py",
                (
                    "from benchsite.track import Page\ndef receipt_page(header, *_):\n"
                    "    return Page(f'receipts/{header.receipt_id[:2]}/{header.receipt_id}/', template='sums/none.html.j2')\n"
                ),
                "sums/none.html.j2",
            ),
            "exit": ("__init__.py", "raise SystemExit(0)\n", "track 'sums' cannot be loaded: SystemExit"),
            "verification": (
                "verification.py",
                "1 / 0\n",
                "track 'sums' failed in benchsite_sums.verification: ZeroDivisionError",
            ),
            "description": (
                "board.py",
                "LEADERBOARD = None\n",
                "track 'sums': board.LEADERBOARD is not a Leaderboard",
            ),
            "receipt page": (
                "receipt_page.py",
                "def receipt_page(*_):\n    return {}[0]\n",
                "benchsite_sums.receipt_page.receipt_page: Key",
            ),
            "our template": (
                "receipt_page.py",
                (
                    "from benchsite.track import Page\ndef receipt_page(header, *_):\n"
                    "    return Page(f'receipts/{header.receipt_id[:2]}/{header.receipt_id}/', template='certificate.html.j2')\n"
                ),
                "certificate.html.j2",
            ),
            "browser": (
                "rescore-sums.js",
                "import './absent.js';\n",
                "the numbers of track 'sums' are not checked in the browser",
            ),
        },
        gate=1,
    ),
)
def test_a_package_that_fails_is_named_and_the_site_is_built(
    site: Site, tmp_path: Path, module: str, text: str, says: str
) -> None:
    packages = installed(tmp_path / "packages")
    (packages / "benchsite_sums" / module).write_text(text)
    broken = site._replace(with_it={**site.with_it, "PYTHONPATH": str(packages)})
    said = broken.ran("build", "--output", str(tmp_path / "built"))
    name = receipts(site)["exact"]["receiptId"]
    page = (tmp_path / f"built/receipts/{name[:2]}/{name}/index.html").read_text()
    assert says in said + html.unescape(page)
    assert (tmp_path / "built/index.html").is_file()
    if module == "verification.py":
        assert f"2 receipts of track 'sums': scores not checked: {says}" in said
        verified = broken.ran("verify", "--all", code=5)
        assert f"Scores: NOT RE-SCORABLE: scores not checked: {says}" in verified
    if module == "__init__.py":
        verified = json.loads(broken.ran("verify", "--all", "--json", code=5))["receipts"]
        assert [item["verdict"] for item in verified] == ["UNSUPPORTED"] * 2
        assert says in broken.ran("run", "--help")
