from __future__ import annotations

import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag

import pytest
from builders import commit, retrieval_work
from publishing import git
from snapshots import opened, snapshot
from word_list import in_text, texts_of

from benchsite import canonical, resources
from benchsite.environment import Credentials
from benchsite.errors import InputError, IntegrityError
from benchsite.log import TileReader, leaf_hash, open_checkpoint, verify_inclusion
from benchsite.log.tiles import unbundle
from benchsite.pipeline import build, publish
from benchsite.pipeline.measure import run
from benchsite.pipeline.workspace import Workspace


def tree(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def site(published_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build.build(
        Workspace(published_template),
        opened(Workspace(published_template)),
        tmp_path_factory.mktemp("build") / "site",
    ).site


@pytest.mark.stories
def test_two_builds_of_one_commit_are_byte_identical(
    published: Workspace, tmp_path: Path, site: Path
) -> None:
    again = build.build(published, opened(published), tmp_path / "site")
    assert tree(again.site) == tree(site)


def test_no_page_names_this_machine_or_its_folders(site: Path, published_template: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert str(published_template) not in text
        assert str(site.parent) not in text, "the folder that the build was staged in included"


def test_pages_speak_the_fields_words(site: Path, published: Workspace) -> None:
    """All but the prompts of scenarios, which the kept transcripts quote; one form and one comparison of each kind."""
    pages = {
        path.relative_to(site).as_posix(): texts_of(path.read_text("utf-8"))
        for path in site.rglob("*.html")
        if not re.search("/(evaluate|to)/", path.as_posix())
        or re.search(r"customer-service/evaluate/|retrieval/.*/to/", path.as_posix())
    }
    instrument = published.methodologies.read("rubric", "2.0.0").data.instrument
    assert instrument is not None
    scenarios = [scenario for template in instrument.templates for scenario in template.scenarios]
    prompts = " ".join(" ".join(f"{one.task} {one.setup}".split()) for one in scenarios)
    shown = {text: path for path, texts in pages.items() for text in texts}
    places = [place for text, path in shown.items() for place in in_text(text, path)]
    known = f"{prompts} nobody"  # the last word is a category of the small fixture
    places = [place for place in places if place.text not in known and "category: nobody" not in place.text]
    # Words of methodologies' texts, which receipts pin by their hash.
    kept = {"fixture", "fixtures", "these measures"}
    assert [
        place
        for place in places
        if not place.path.startswith("methodology/") or place.word.lower() not in kept
    ] == []


def test_raw_bytes_are_served_identical(published: Workspace, site: Path) -> None:
    for item in snapshot(published).published:
        assert (site / item.path).read_bytes() == published.repository.blob(item.blob_id)


def test_a_page_a_receipt_outside_nav_and_search(published: Workspace, site: Path) -> None:
    index = site / "search" / "search_index.json"
    searched = index.read_text(encoding="utf-8") if index.exists() else ""
    home = (site / "index.html").read_text(encoding="utf-8")
    for item in snapshot(published).published:
        receipt_id = Path(item.path).stem
        page = site / "receipts" / receipt_id[:2] / receipt_id / "index.html"
        text = page.read_text(encoding="utf-8")
        assert receipt_id in text
        assert receipt_id not in searched
        document = json.loads(published.repository.blob(item.blob_id))
        assert f"{document['scores']['ndcg_at_10']:.3f}" in text
    assert "receipts/" in home


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ids: set[str] = set()
        self.styles: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value and tag != "base":
                self.found.append(value)
            if name == "id" and value:
                self.ids.add(value)
            if name == "style":
                self.styles.append(f"{tag}: {value}")


def parsed(path: Path) -> Links:
    links = Links()
    links.feed(path.read_text(encoding="utf-8"))
    return links


def test_every_internal_link_and_anchor_leads_somewhere(site: Path) -> None:
    pages = {path: parsed(path) for path in site.rglob("*.html")}
    assert len(pages) > 15
    for path, links in pages.items():
        if path.name == "404.html":
            continue  # served at any depth, its links cannot be relative to a place
        for link in links.found:
            if re.match(r"[a-z]+:", link):
                continue
            assert not link.startswith("/"), f"{path}: {link} would break under a sub-path"
            target, anchor = urldefrag(link)
            target = target.partition("?")[0]
            place = (path.parent / target).resolve() if target else path
            if place.is_dir():
                place /= "index.html"
            assert place.is_file(), f"{path.relative_to(site)}: {link}"
            if anchor and place.suffix == ".html":
                assert anchor in pages[place].ids, f"{path.relative_to(site)}: {link} has no such anchor"


def test_no_style_attribute_survives_the_content_security_policy(site: Path) -> None:
    for path in site.rglob("*.html"):
        assert parsed(path).styles == [], path
        text = path.read_text(encoding="utf-8")
        assert "Content-Security-Policy" in text, path
        assert re.search(r"\son[a-z]+=", text.split("<body", 1)[-1]) is None, path


def test_the_board_orders_by_the_headline_and_shows_baselines(published: Workspace, site: Path) -> None:
    board = json.loads((site / "api/v1/retrieval/small-v1.json").read_bytes())
    names = [row["subject"] for row in board["rows"] if not row["baseline"]]
    assert names == ["sqlite-fts5"]
    assert {row["subject"] for row in board["rows"] if row["baseline"]} == {"bm25", "recency", "random"}
    values = {row["subject"]: row["value"] for row in board["rows"]}
    for item in snapshot(published).published:
        document = json.loads(published.repository.blob(item.blob_id))
        assert values[document["adapter"]["name"]] == document["scores"]["ndcg_at_10"]


def test_the_receipts_index_is_columnar_and_complete(published: Workspace, site: Path) -> None:
    index = json.loads((site / "api/v1/index.json").read_bytes())
    assert index["count"] == 4
    assert {len(column) for column in index["columns"].values()} == {4}
    assert sorted(index["columns"]["path"]) == sorted(item.path for item in snapshot(published).published)


def test_a_tampered_receipt_gets_a_page_that_quotes_nothing_from_it(
    published: Workspace, tmp_path: Path
) -> None:
    item = snapshot(published).published[0]
    document = json.loads(published.repository.blob(item.blob_id))
    document["scores"]["ndcg_at_10"] = 0.98765
    commit(published, {item.path: canonical.dumps(document)})
    built = build.build(published, opened(published), tmp_path / "site")
    assert [header.path for header in built.broken] == [item.path]
    receipt_id = Path(item.path).stem
    page = (built.site / "receipts" / receipt_id[:2] / receipt_id / "index.html").read_text(encoding="utf-8")
    assert "Verification failed" in page
    columns = json.loads((built.site / "api/v1/index.json").read_bytes())["columns"]
    assert columns["value"][columns["receiptId"].index(receipt_id)] is None
    board = (built.site / "api/v1/retrieval/small-v1.json").read_text()
    assert receipt_id not in board


@pytest.mark.stories
def test_a_superseded_receipt_says_so_in_static_html(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    item = next(
        item
        for item in snapshot(published).published
        if b'"name":"bm25"' in published.repository.blob(item.blob_id)
    )
    old = Path(item.path).stem
    result = next(run.run(published, opened(published), [retrieval_work("bm25")]))
    assert result.draft is not None
    document = {**json.loads(result.draft.read_bytes()), "supersedes": old}
    result.draft.write_bytes(canonical.dumps(document))
    publish.publish(published, opened(published), [result.draft], credentials, push=False)
    built = build.build(published, opened(published), tmp_path / "site")
    page = (built.site / "receipts" / old[:2] / old / "index.html").read_text(encoding="utf-8")
    assert "uperseded" in page
    assert result.receipt_id in page
    board = json.loads((built.site / "api/v1/retrieval/small-v1.json").read_bytes())
    assert [row["receiptId"] for row in board["rows"] if row["subject"] == "bm25"] == [result.receipt_id]


@pytest.mark.full
def test_adding_one_receipt_changes_other_receipt_pages_by_their_place_on_the_leaderboard_alone(
    published: Workspace, credentials: Credentials, tmp_path: Path, site: Path
) -> None:
    result = next(run.run(published, opened(published), [retrieval_work("sqlite-fts5", seed=8)]))
    assert result.draft is not None
    publish.publish(published, opened(published), [result.draft], credentials, push=False)
    built = build.build(published, opened(published), tmp_path / "site")
    before, after = (
        {
            path: re.sub("Leaderboard: [^<]*|, rank [^,]*,", "", (folder / path).read_text())
            for path in tree(folder)
            if re.match("receipts/../", path)
        }
        for folder in (site, built.site)
    )
    assert {path: after[path] for path in before} == before
    assert len(after) == len(before) + 2, "its page and its badge"


@pytest.mark.full
@pytest.mark.stories
def test_a_dirty_run_is_published_and_not_ranked(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    (published.root / "untracked.txt").write_text("work in progress")
    result = next(run.run(published, opened(published), [retrieval_work("sqlite-fts5", seed=9)]))
    assert result.draft is not None
    publish.publish(published, opened(published), [result.draft], credentials, push=False)
    built = build.build(published, opened(published), tmp_path / "site")
    header = snapshot(published).history().get(result.receipt_id)
    assert header is not None
    assert not header.ranked
    assert any("dirty tree" in reason for reason in header.unranked)
    board = json.loads((built.site / "api/v1/retrieval/small-v1.json").read_bytes())
    assert result.receipt_id not in [row["receiptId"] for row in board["rows"]]
    assert result.receipt_id in [row["receiptId"] for row in board["notRanked"]]
    page = (built.site / "retrieval/small-v1/index.html").read_text(encoding="utf-8")
    assert "dirty tree" in page


def test_an_edited_methodology_stops_the_build(published: Workspace, tmp_path: Path) -> None:
    path = "methodology/retrieval/1.0.0/text.md"
    commit(published, {path: (published.root / path).read_bytes() + b"\nA new rule.\n"})
    with pytest.raises(IntegrityError, match=r"methodology/retrieval/1\.0\.0 "):
        build.build(Workspace(published.root), opened(Workspace(published.root)), tmp_path / "site")


@pytest.mark.stories
def test_a_failed_build_leaves_the_old_site_standing(published: Workspace, tmp_path: Path) -> None:
    built = build.build(published, opened(published), tmp_path / "site")
    before = tree(built.site)
    item = next(
        item
        for item in published.repository.tree("results/log/entries", rev="HEAD")
        if item.path.endswith("jsonl")
    )
    commit(published, {item.path: published.repository.blob(item.blob_id)[:-1]})
    with pytest.raises(IntegrityError, match="cut short"):
        build.build(published, opened(published), tmp_path / "site")
    assert tree(built.site) == before
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_folders_that_no_build_made_are_never_emptied(published: Workspace, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="precious"):
        build.build(published, opened(published), precious)
    with pytest.raises(InputError, match=published.root.name):
        build.build(published, opened(published), published.root)
    assert (precious / "thesis.tex").read_text() == "years of work"
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(InputError, match="is not a folder"):
        build.build(published, opened(published), tmp_path / "loop")


@pytest.mark.full
def test_a_build_neither_goes_into_a_site_nor_replaces_a_repository(
    published: Workspace, tmp_path: Path
) -> None:
    site = build.build(published, opened(published), tmp_path / "site").site
    with pytest.raises(InputError, match="inside a built site"):
        build.build(published, opened(published), site / "sub")
    (site / ".git").mkdir()
    with pytest.raises(InputError, match="is a git repository"):
        build.build(published, opened(published), site)
    assert (site / ".git").is_dir()


def test_an_empty_record_builds_an_honest_site(begun: Workspace, tmp_path: Path) -> None:
    built = build.build(begun, opened(begun), tmp_path / "site")
    assert built.receipts == 0
    home = (built.site / "index.html").read_text(encoding="utf-8")
    assert "No receipts yet" in home


@pytest.mark.full
def test_a_promised_url_that_vanished_stops_the_build(published: Workspace, tmp_path: Path) -> None:
    content = published.root / "content"
    content.mkdir()
    (content / "about.md").write_text("# About\n\nWords.\n")
    (content / "urls.txt").write_text("about/\ngone/\n")
    git(published.root, "add", "content")
    with pytest.raises(InputError, match=r"urls\.txt, line 2: /gone/ was promised"):
        build.build(published, opened(published), tmp_path / "site")


@pytest.mark.full
@pytest.mark.stories
def test_a_site_above_its_limit_fails_with_advice(published: Workspace, tmp_path: Path) -> None:
    config = published.root / "mkdocs.yml"
    config.write_text(config.read_text() + "    site_size_limit_mb: 1\n")
    big = published.root / "content" / "big.md"
    big.parent.mkdir()
    big.write_text("# Big\n\n" + "word " * 300_000)
    with pytest.raises(InputError, match="above site_size_limit_mb"):
        build.build(Workspace(published.root), opened(Workspace(published.root)), tmp_path / "site")


@pytest.mark.stories
def test_script_and_bidi_in_recorded_text_are_inert(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """`ranBy.name` is anybody's text: it must come out as text, with reordering marks made visible."""
    result = next(run.run(published, opened(published), [retrieval_work("sqlite-fts5", seed=10)]))
    assert result.draft is not None
    document = json.loads(result.draft.read_bytes())
    document["ranBy"]["name"] = "<script>alert(1)</script>\u202egnp.exe"
    result.draft.write_bytes(canonical.dumps(document))
    publish.publish(published, opened(published), [result.draft], credentials, push=False)
    built = build.build(published, opened(published), tmp_path / "site")
    for path in built.site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "<script>alert" not in text
        assert "\u202e" not in text


def test_the_served_tiles_prove_every_receipt_against_the_served_checkpoint(
    published: Workspace, site: Path
) -> None:
    """What any tlog-tiles client does: checkpoint, tiles and bundles from the site, nothing from the repository."""
    log = snapshot(published).log
    assert log is not None
    signers = [record.public_key for record in log.keyring if record.role == "log"]
    head = open_checkpoint((site / "log/checkpoint").read_bytes(), origin=log.origin, keys=signers)
    reader = TileReader(head.size, lambda path: (site / "log" / path).read_bytes())
    assert reader.root() == head.root
    entries = unbundle((site / f"log/tile/entries/000.p/{head.size}").read_bytes())
    for item in snapshot(published).published:
        digest = hashlib.sha256((site / item.path).read_bytes()).hexdigest()
        index = next(place for place, entry in enumerate(entries) if digest.encode() in entry)
        proof = reader.inclusion_proof(index)
        assert verify_inclusion(leaf_hash(entries[index]), index, head.size, proof, head.root)


@pytest.mark.full
def test_every_committed_dataset_has_a_page_and_what_is_none_stops_nothing(
    published: Workspace, tmp_path: Path
) -> None:
    shipped = {"lifeboat-logbook-v1", "limit-small", "three-notebooks-v1", "table-ops"}
    files = {
        f"fixtures/{name}/{file.name}": file.read_bytes()
        for name in shipped
        for file in (resources.folder("fixtures") / name).iterdir()
    }
    none = {
        "fixtures/broken/fixture.json": b"{",
        "fixtures/list/fixture.json": b"[]",
        "fixtures/Upper/fixture.json": files["fixtures/limit-small/fixture.json"],
        "fixtures/other-id/fixture.json": files["fixtures/limit-small/fixture.json"],
        "fixtures/loose.json": b"{}",
    }
    kept = {path.parent.name for path in published.fixture_paths()}
    commit(published, {**files, **none})
    made = build.build(published, opened(published), tmp_path / "site")
    pages = {path.parent.parent.name for path in (made.site / "retrieval").glob("*/dataset/index.html")}
    assert pages - kept == shipped - {"table-ops"}  # a benchmark of agents is no dataset
    shown = (made.site / "retrieval/lifeboat-logbook-v1/dataset/index.html").read_text("utf-8")
    assert "fixtures/lifeboat-logbook-v1/AUTHORING.md" in shown
    assert "fixtures/lifeboat-logbook-v1/LICENSE" in shown
