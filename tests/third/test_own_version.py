"""A rubric version of one's own, with a new template and other weights: written, published, used, verified; no code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from publishing import git
from third.foreign import COMPOSITE, OWN, Site, begin, evaluate, write_version

pytestmark = pytest.mark.stories


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    made = begin(tmp_path_factory.mktemp("own"))
    write_version(made)
    evaluate(made)
    return made


def published(site: Site) -> tuple[Path, dict[str, Any]]:
    for path in (site.root / "results/published").glob("*/*.json"):
        document = json.loads(path.read_bytes())
        if document["track"] == "rubric":
            return path, document
    raise AssertionError("no rubric receipt")


@pytest.mark.full
def test_the_composite_is_that_of_its_own_weights(site: Site) -> None:
    _, document = published(site)
    assert document["methodology"]["version"] == "2.1.0"
    assert (document["exact"]["composite_score"], document["scores"]["composite_score"]) == (
        "70/1",
        COMPOSITE,
    )
    assert document["template"]["slug"] == "tutoring"


@pytest.mark.full
def test_it_verifies_and_has_its_pages(site: Site) -> None:
    said = json.loads(site.ran("verify", "--all", "--json"))["receipts"]
    assert {(item["verdict"], item["rescore"]) for item in said} == {("LOGGED", "MATCHES")}
    site.ran("build", "--output", "built")
    assert (site.root / "built/rubric/tutoring/index.html").is_file()
    assert (site.root / "built/methodology/rubric/2.1.0/index.html").is_file()


@pytest.mark.full
def test_an_installation_that_never_saw_the_document_says_so_and_takes_it_beside_the_receipt(
    site: Site, tmp_path: Path
) -> None:
    path, _ = published(site)
    elsewhere = Site(tmp_path, site.without, site.without)
    (tmp_path / "receipt.json").write_bytes(path.read_bytes())
    key = str(site.root / "keys/receipt-signing.pub")
    command = ("verify", "receipt.json", "--key", key, "--json")
    [lacking] = json.loads(elsewhere.ran(*command))["receipts"]
    assert lacking["rescore"] == "NOT RE-SCORABLE"
    [why] = [step["detail"] for step in lacking["steps"] if step["name"] == "re-score"]
    assert (
        why
        == "methodology rubric 2.1.0 is not available: add its methodology.yaml, parameters.json and text.md"
    )
    for name in ("methodology.yaml", "parameters.json", "text.md"):
        shutil.copy(site.root / OWN / name, tmp_path / name)
    [given] = json.loads(elsewhere.ran(*command))["receipts"]
    assert given["rescore"] == "MATCHES"
    (tmp_path / "text.md").write_text("other words\n")
    [other] = json.loads(elsewhere.ran(*command))["receipts"]
    assert other["rescore"] == "NOT RE-SCORABLE"
    named = (*command, "--methodology", str(site.root / OWN))
    [given] = json.loads(elsewhere.ran(*named))["receipts"]
    assert given["rescore"] == "MATCHES"


@pytest.mark.full
@pytest.mark.parametrize("command", ["verify", "rescore"])
def test_a_folder_of_a_version_is_looked_in_for_every_receipt(
    site: Site, tmp_path: Path, command: str
) -> None:
    """Its folder was removed, which is said (3); the receipts of it are scored again from a copy."""
    shutil.copytree(site.root, tmp_path / "clone", symlinks=True)
    clone = site._replace(root=tmp_path / "clone")
    shutil.move(clone.root / OWN, tmp_path / "kept")
    git(clone.root, "commit", "-qam", "gone")

    def states(*more: str) -> set[str]:
        said = clone.ran(command, "--all", "--json", *more, code=3)
        found, _ = json.JSONDecoder().raw_decode(said)
        return {item["rescore"] for item in found["receipts"] if item["receiptId"]}

    assert states() == {"MATCHES", "NOT RE-SCORABLE"}
    assert states("--methodology", str(tmp_path / "kept")) == {"MATCHES"}
