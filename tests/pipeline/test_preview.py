"""build --preview: what a contributor without keys sees of drafts, and that nothing of it is recorded."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from builders import FIXTURE, commit, retrieval_work, small_fixture
from commands import run_in
from examples import some
from publishing import git
from rebuilding import Secrets, compromising, new_methodology, retracting, tree
from snapshots import log_of, opened, snapshot

from benchsite import canonical
from benchsite.addresses import methodology_path, receipt_page_path
from benchsite.history import Verdict
from benchsite.layout import INBOX, SIZES_PATH, inbox_path, receipt_path
from benchsite.pipeline import build, init
from benchsite.pipeline.measure import run
from benchsite.pipeline.preview import BANNER, preview
from benchsite.pipeline.publish import inbox
from benchsite.pipeline.workspace import Workspace
from benchsite.track import Work

OURS = (
    "drafts of .benchsite/drafts are shown as runs of the maintainer: "
    "copy one to results/inbox to see it as submitted, which a pull request makes it"
)


def drafted(instance: Workspace, work: Work) -> str:
    result = next(run.run(instance, opened(instance), [work]))
    assert result.draft is not None, result.reason
    return result.receipt_id


def shown(site: Path) -> dict[str, str]:
    """The verdict of each receipt that a site has, as its index gives it."""
    columns = json.loads((site / "api/v1/index.json").read_bytes())["columns"]
    return dict(zip(columns["receiptId"], columns["verdict"], strict=True))


def state(instance: Workspace) -> dict[str, bytes]:
    instance.repository.close()
    return tree(instance.root)


def test_a_draft_is_shown_as_if_it_were_published_and_nothing_is_recorded(
    small: Workspace, tmp_path: Path
) -> None:
    draft = drafted(small, retrieval_work("bm25", seed=11))
    before = state(small)
    built = preview(small, opened(small), tmp_path / "site")
    assert state(small) == before
    assert shown(built.site)[draft] == Verdict.LOGGED
    assert built.receipts == 5
    page = (built.site / receipt_page_path(draft) / "index.html").read_text(encoding="utf-8")
    assert "LOGGED" in page or "logged" in page
    board = json.loads((built.site / f"api/v1/retrieval/{FIXTURE}.json").read_bytes())
    named = [row["receiptId"] for row in board["rows"]] + [one["receiptId"] for one in board["notRanked"]]
    assert draft in named


SHOWN_AS_PAGES = {".html", ".htm", ".shtml", ".xhtml", ".xht"}
"""What browsers show as a page, by the types that web servers give these names."""


def without_banner(site: Path) -> list[str]:
    """The pages of a site that do not say that it is a preview; of verify.html, the trust data says so."""
    pages = [path for path in site.rglob("*") if path.suffix.lower() in SHOWN_AS_PAGES]
    assert len(pages) > 10
    assert {site / "404.html", site / "verify.html"} <= {*pages}
    silent = [page for page in pages if BANNER not in page.read_text(encoding="utf-8")]
    return [page.relative_to(site).as_posix() for page in silent]


def test_every_page_of_a_preview_says_that_it_is_one(small: Workspace, tmp_path: Path) -> None:
    built = preview(small, opened(small), tmp_path / "site")
    assert without_banner(built.site) == []
    verify = (built.site / "verify.html").read_text(encoding="utf-8")
    assert '"site":"PREVIEW of ' in verify
    assert f'"banner":"{BANNER}"' in verify


@pytest.mark.full
def test_html_files_of_the_prose_are_named_and_replaced_by_pages_with_the_banner(
    small: Workspace, tmp_path: Path
) -> None:
    """Committed or staged; a link to one and the promise of its address hold in a preview as on the site."""
    raw = b"<!doctype html><title>Raw</title>"
    commit(small, {"content/raw.html": raw, "content/urls.txt": b"raw.html\n"})
    (small.root / "content/more").mkdir()
    (small.root / "content/more/OLD.HTM").write_bytes(raw)
    (small.root / "content/m.xhtml").write_bytes(raw)
    (small.root / "content/page.md").write_text("# Page\n\n[Raw](raw.html), [old](more/OLD.HTM).\n")
    git(small.root, "add", "content")
    built = preview(small, opened(small), tmp_path / "site")
    said = "is excluded: an HTML file would have no banner"
    assert built.notes == tuple(f"content/{name} {said}" for name in ("m.xhtml", "more/OLD.HTM", "raw.html"))
    assert without_banner(built.site) == []
    assert raw not in tree(built.site).values()
    assert (small.root / "content/raw.html").read_bytes() == raw


@pytest.mark.full
@pytest.mark.stories
def test_a_build_takes_nothing_over_from_a_preview_in_its_folder(small: Workspace, tmp_path: Path) -> None:
    before = tree(build.build(small, opened(small), tmp_path / "site").site)
    drafted(small, retrieval_work("bm25", seed=13))
    assert tree(preview(small, opened(small), tmp_path / "site").site) != before
    assert tree(build.build(small, opened(small), tmp_path / "site").site) == before


def test_no_key_of_the_log_signs_a_preview(small: Workspace, tmp_path: Path) -> None:
    def keys(site: Path) -> list[str]:
        trust = (site / "log/trust.json").read_text(encoding="utf-8")
        return [key.fingerprint for key in log.keyring if key.fingerprint in trust]

    log = log_of(small)
    assert len(keys(build.build(small, opened(small), tmp_path / "plain").site)) == 3
    assert keys(preview(small, opened(small), tmp_path / "site").site) == []


def new_dataset(instance: Workspace) -> Path:
    """A dataset `another-v1`, not committed."""
    folder = instance.root / "fixtures" / "another-v1"
    shutil.copytree(instance.root / "fixtures" / FIXTURE, folder)
    (folder / "fixture.json").write_text(json.dumps({**small_fixture(), "id": "another-v1"}))
    return folder / "fixture.json"


def on_another(instance: Workspace) -> str:
    work = retrieval_work("bm25")
    return drafted(instance, Work(work.track, work.subject, "another-v1", work.methodology, work.request))


@pytest.mark.full
def test_an_uncommitted_dataset_is_shown_and_its_draft_unranked_as_it_would_be(
    small: Workspace, tmp_path: Path
) -> None:
    new_dataset(small)
    draft = on_another(small)
    built = preview(small, opened(small), tmp_path / "site")
    assert shown(built.site)[draft] == Verdict.LOGGED
    assert (built.site / "retrieval/another-v1/index.html").is_file()
    assert built.notes == (
        f"{draft}.json will not be ranked: dirty tree: the code had uncommitted changes",
        OURS,
    )


def test_a_dataset_that_nothing_was_measured_on_is_named(small: Workspace, tmp_path: Path) -> None:
    new_dataset(small)
    assert preview(small, opened(small), tmp_path / "site").notes == (
        "dataset another-v1: no receipt or draft uses it: it has no leaderboard",
    )


@pytest.mark.parametrize(
    "data", some([b"", b'{"id": "another-v1"', b'{"id": "another-v1"}', b'{"id": "third-v1"}'], gate=1)
)
def test_a_dataset_that_is_malformed_is_named_with_the_reason(
    small: Workspace, tmp_path: Path, data: bytes
) -> None:
    new_dataset(small).write_bytes(data)
    (note,) = preview(small, opened(small), tmp_path / "site").notes
    assert note.startswith("fixtures/another-v1/fixture.json cannot be used: fixture ")


def test_a_draft_of_data_that_changed_since_is_left_out_and_the_rest_is_shown(
    small: Workspace, tmp_path: Path
) -> None:
    path = new_dataset(small)
    draft = on_another(small)
    path.write_text(json.dumps({**small_fixture(), "id": "another-v1", "notes": "corrected"}))
    built = preview(small, opened(small), tmp_path / "site")
    assert draft not in shown(built.site)
    assert len(shown(built.site)) == 4
    assert built.notes[0] == (
        f"{draft}.json is excluded: dataset mismatch: it was measured on another-v1, whose hash differs here"
    )


def new_rules(instance: Workspace) -> Path:
    """Version 1.1.0 of the retrieval rules, not committed."""
    old, new = (instance.root / "methodology" / "retrieval" / version for version in ("1.0.0", "1.1.0"))
    shutil.copytree(old, new)
    data = (new / "parameters.json").read_text()
    (new / "parameters.json").write_text(data.replace('"version": "1.0.0"', '"version": "1.1.0"'))
    return new / "methodology.yaml"


def rules_page(site: Path, version: str) -> str:
    return (site / methodology_path("retrieval", version) / "index.html").read_text(encoding="utf-8")


def test_an_uncommitted_methodology_is_shown_as_the_one_in_force(small: Workspace, tmp_path: Path) -> None:
    new_rules(small)
    built = preview(small, opened(small), tmp_path / "site")
    assert built.notes == ()
    assert "Proposed." not in rules_page(built.site, "1.1.0")
    assert "Superseded." in rules_page(built.site, "1.0.0")


@pytest.mark.stories
def test_uncommitted_rules_that_could_not_be_published_stay_a_proposal(
    small: Workspace, tmp_path: Path
) -> None:
    path = new_rules(small)
    data = path.read_text()
    path.write_text(re.sub(r"published: \S+", "published: 2000-01-01", data))
    built = preview(small, opened(small), tmp_path / "site")
    assert "Proposed." in rules_page(built.site, "1.1.0")
    (note,) = built.notes
    assert note.startswith("shown as proposed, cannot be published: methodology/retrieval/1.1.0: ")


@pytest.mark.stories
def test_committed_rules_that_no_log_pins_stay_a_proposal(small: Workspace, tmp_path: Path) -> None:
    new_methodology(small, {})
    built = preview(small, opened(small), tmp_path / "site")
    assert built.notes == ()
    (version,) = set(small.methodologies.versions("retrieval")) - {"0.0.1", "1.0.0"}
    assert "Proposed." in rules_page(built.site, version)


@pytest.mark.stories
def test_a_draft_that_would_be_refused_is_named_and_left_out(small: Workspace, tmp_path: Path) -> None:
    draft = drafted(small, retrieval_work("bm25", seed=12))
    path = small.drafts / f"{draft}.json"
    path.write_bytes(path.read_bytes().replace(b'"ndcg_at_10":', b'"ndcg_at_10":1e-1,"mistake":', 1))
    built = preview(small, opened(small), tmp_path / "site")
    assert draft not in shown(built.site)
    assert any(note.startswith(f"{draft}.json is excluded: ") for note in built.notes)


@pytest.mark.full
@pytest.mark.stories
def test_what_was_retracted_stays_retracted(small: Workspace, tmp_path: Path, secrets: Secrets) -> None:
    retracting(small, secrets)
    built = preview(small, opened(small), tmp_path / "site")
    assert list(shown(built.site).values()).count(Verdict.RETRACTED) == 1


@pytest.mark.full
@pytest.mark.stories
def test_an_instance_without_a_log_can_be_previewed(tmp_path: Path) -> None:
    made = init.init(tmp_path / "new", name="new", origin="new.invalid/log")
    instance = Workspace(made.root)
    assert preview(instance, opened(instance), tmp_path / "site").receipts == 0
    instance.repository.close()


@pytest.mark.full
def test_a_published_receipt_that_was_altered_is_named_and_breaks_the_preview(
    small: Workspace, tmp_path: Path
) -> None:
    item = snapshot(small).published[0]
    document = json.loads(small.repository.blob(item.blob_id))
    document["scores"]["ndcg_at_10"] = 0.98765
    commit(small, {item.path: canonical.dumps(document)})
    built = preview(small, opened(small), tmp_path / "site")
    assert [header.path for header in built.broken] == [item.path]
    assert [note.partition(": INVALID: ")[0] for note in built.notes] == [f"{item.path} is excluded"]
    assert Path(item.path).stem not in shown(built.site)
    assert not built.damaged
    done = run_in(tmp_path / "home", small.root)("build", "--preview", "--output", tmp_path / "site")
    assert done.code == 3
    assert f"{item.path}: INVALID: " in done.err


def test_a_record_that_is_damaged_beside_its_receipts_is_named(small: Workspace, tmp_path: Path) -> None:
    commit(small, {SIZES_PATH: b"x"})
    built = preview(small, opened(small), tmp_path / "site")
    assert (built.damaged, built.broken) == (1, ())
    assert f"{SIZES_PATH}: line 1: cut short (no newline at its end)" in built.notes


def test_a_file_beside_the_log_and_one_that_is_gone_are_named(small: Workspace, tmp_path: Path) -> None:
    item = snapshot(small).published[0]
    stray = receipt_path("00000000-0000-4000-8000-000000000000")
    commit(small, {stray: small.repository.blob(item.blob_id)}, removes=(item.path,))
    built = preview(small, opened(small), tmp_path / "site")
    assert {note.partition(" is excluded")[0] for note in built.notes} == {item.path, stray}
    assert {header.path for header in built.broken} == {item.path, stray}
    assert len(shown(built.site)) == 3


@pytest.mark.stories
def test_what_a_stolen_key_signed_is_not_shown_as_logged(
    small: Workspace, tmp_path: Path, secrets: Secrets
) -> None:
    compromising(small, {**secrets})
    suspect = [item for item in snapshot(small).history() if item.verdict is Verdict.SUSPECT]
    assert suspect
    built = preview(small, opened(small), tmp_path / "site")
    assert not {item.receipt_id for item in suspect} & shown(built.site).keys()
    for item in suspect:
        assert any(note.startswith(f"{item.path} is excluded: SUSPECT: ") for note in built.notes)


def sent(instance: Workspace, seed: int) -> Path:
    """A draft in the inbox that is not committed."""
    draft = drafted(instance, retrieval_work("bm25", seed=seed))
    path = instance.root / inbox_path(draft)
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(instance.drafts / path.name, path)
    return path


def sent_by(site: Path, receipt_id: str) -> str:
    columns = json.loads((site / "api/v1/index.json").read_bytes())["columns"]
    name: str = columns["sentBy"][columns["receiptId"].index(receipt_id)]
    return name


def test_an_uncommitted_draft_in_the_inbox_is_shown_as_submitted(small: Workspace, tmp_path: Path) -> None:
    """A draft that is in both places is one, and shown as it is after the pull request."""
    both, alone = sent(small, 21), sent(small, 22)
    (small.drafts / alone.name).unlink()
    built = preview(small, opened(small), tmp_path / "site")
    assert built.notes == ()
    assert sent_by(built.site, both.stem)
    assert sent_by(built.site, alone.stem)
    assert inbox.sent(opened(small)) == ()


@pytest.mark.stories
def test_what_was_changed_or_removed_in_the_inbox_is_shown_as_it_is_now(
    small: Workspace, tmp_path: Path
) -> None:
    changed, removed = sent(small, 23), sent(small, 24)
    for path in (changed, removed):
        (small.drafts / path.name).unlink()
        commit(small, {f"{INBOX}/{path.name}": path.read_bytes()})
    removed.unlink()
    changed.write_bytes(b"{")
    built = preview(small, opened(small), tmp_path / "site")
    assert not {changed.stem, removed.stem} & shown(built.site).keys()
    assert [note.partition(": ")[0] for note in built.notes] == [f"{changed.name} is excluded"]


@pytest.mark.parametrize("how", ["link", "folder link", "runnable", "large", "other name", "signed"])
def test_hostile_files_of_the_inbox_are_refused_as_they_were_if_committed(
    small: Workspace, tmp_path: Path, how: str
) -> None:
    item = snapshot(small).published[0]
    document = json.loads(small.repository.blob(item.blob_id))
    path = small.root / inbox_path("00000000-0000-4000-8000-000000000000")
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = {**document, "receiptId": path.stem}
    path.write_bytes(canonical.dumps({name: draft[name] for name in draft if name != "signature"}))
    (found,) = inbox.in_working_tree(small, opened(small))
    assert found.error is None
    if how == "link":
        path.rename(tmp_path / "elsewhere")
        path.symlink_to(tmp_path / "elsewhere")
    elif how == "folder link":
        path.parent.rename(tmp_path / "elsewhere")
        path.parent.symlink_to(tmp_path / "elsewhere")
    elif how == "runnable":
        path.chmod(0o755)
    elif how == "large":
        os.truncate(path, canonical.MAX_BYTES + 1)
    elif how == "other name":
        path.rename(path.with_name("mine.json"))
    elif how == "signed":
        path.write_bytes(canonical.dumps(draft))
    (found,) = inbox.in_working_tree(small, opened(small))
    assert found.draft is None
    said = {"large": "is larger than", "other name": "holds draft", "signed": "it carries a signature"}
    assert said.get(how, "is not a regular file (git mode 1") in str(found.error)
