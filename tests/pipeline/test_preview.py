"""build --preview: what a contributor without keys sees of drafts, and that nothing of it is recorded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from builders import FIXTURE, commit, retrieval_work, small_fixture
from commands import run_in
from rebuilding import Secrets, compromising, retracting, tree

from benchsite import canonical
from benchsite.addresses import methodology_path, receipt_page_path
from benchsite.history import Verdict
from benchsite.layout import receipt_path
from benchsite.pipeline import build, init
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.measure import run
from benchsite.pipeline.preview import BANNER, preview
from benchsite.pipeline.record import Record, require_log
from benchsite.track import Work


def drafted(instance: Instance, work: Work) -> str:
    result = next(run.run(instance, [work]))
    assert result.draft is not None, result.reason
    return result.receipt_id


def shown(site: Path) -> dict[str, str]:
    """The verdict of each receipt that a site has, as its index gives it."""
    columns = json.loads((site / "api/v1/index.json").read_bytes())["columns"]
    return dict(zip(columns["receiptId"], columns["verdict"], strict=True))


def state(instance: Instance) -> dict[str, bytes]:
    instance.repository.close()
    return tree(instance.root)


def test_a_draft_is_shown_as_if_it_were_published_and_nothing_is_recorded(
    small: Instance, tmp_path: Path
) -> None:
    draft = drafted(small, retrieval_work("bm25", seed=11))
    before = state(small)
    built = preview(small, tmp_path / "site")
    assert state(small) == before
    assert shown(built.site)[draft] == Verdict.LOGGED
    assert built.receipts == 5
    page = (built.site / receipt_page_path(draft) / "index.html").read_text(encoding="utf-8")
    assert "LOGGED" in page or "logged" in page
    board = json.loads((built.site / f"api/v1/retrieval/{FIXTURE}.json").read_bytes())
    named = [row["receiptId"] for row in board["rows"]] + [one["receiptId"] for one in board["notRanked"]]
    assert draft in named


def test_every_page_of_a_preview_says_that_it_is_one(small: Instance, tmp_path: Path) -> None:
    built = preview(small, tmp_path / "site")
    pages = list(built.site.rglob("index.html"))
    assert len(pages) > 8
    for page in [*pages, built.site / "404.html"]:
        assert BANNER in page.read_text(encoding="utf-8"), page
    assert '"site":"PREVIEW of ' in (built.site / "verify.html").read_text(encoding="utf-8")


def test_no_key_of_the_log_signs_a_preview(small: Instance, tmp_path: Path) -> None:
    def keys(site: Path) -> list[str]:
        trust = (site / "log/trust.json").read_text(encoding="utf-8")
        return [key.fingerprint for key in log.keyring if key.fingerprint in trust]

    log = require_log(small)
    assert len(keys(build.build(small, tmp_path / "plain").site)) == 3
    assert keys(preview(small, tmp_path / "site").site) == []


def test_an_uncommitted_dataset_is_shown(small: Instance, tmp_path: Path) -> None:
    folder = small.root / "fixtures" / "another-v1"
    shutil.copytree(small.root / "fixtures" / FIXTURE, folder)
    value = {**small_fixture(), "id": "another-v1"}
    (folder / "fixture.json").write_text(json.dumps(value))
    work = retrieval_work("bm25")
    draft = drafted(small, Work(work.track, work.subject, "another-v1", work.methodology, work.request))
    built = preview(small, tmp_path / "site")
    assert draft in shown(built.site), built.notes
    assert (built.site / "retrieval/another-v1/index.html").is_file()


def test_an_uncommitted_methodology_is_shown(small: Instance, tmp_path: Path) -> None:
    old, new = (small.root / "methodology" / "retrieval" / version for version in ("1.0.0", "1.1.0"))
    shutil.copytree(old, new)
    data = (new / "methodology.yaml").read_text()
    (new / "methodology.yaml").write_text(data.replace("version: 1.0.0", "version: 1.1.0"))
    built = preview(small, tmp_path / "site")
    assert (built.site / methodology_path("retrieval", "1.1.0") / "index.html").is_file(), built.notes


@pytest.mark.stories
def test_a_draft_that_would_be_refused_is_named_and_left_out(small: Instance, tmp_path: Path) -> None:
    draft = drafted(small, retrieval_work("bm25", seed=12))
    path = small.drafts / f"{draft}.json"
    path.write_bytes(path.read_bytes().replace(b'"ndcg_at_10":', b'"ndcg_at_10":1e-1,"mistake":', 1))
    built = preview(small, tmp_path / "site")
    assert draft not in shown(built.site)
    assert any(note.startswith(f"{draft}.json is left out: ") for note in built.notes)


@pytest.mark.stories
def test_what_was_retracted_stays_retracted(small: Instance, tmp_path: Path, secrets: Secrets) -> None:
    retracting(small, secrets)
    built = preview(small, tmp_path / "site")
    assert list(shown(built.site).values()).count(Verdict.RETRACTED) == 1


@pytest.mark.stories
def test_an_instance_without_a_log_can_be_previewed(tmp_path: Path) -> None:
    made = init.init(tmp_path / "new", name="new", origin="new.invalid/log")
    instance = Instance(made.root)
    assert preview(instance, tmp_path / "site").receipts == 0
    instance.repository.close()


def test_a_published_receipt_that_was_altered_is_named_and_breaks_the_preview(
    small: Instance, tmp_path: Path
) -> None:
    item = Record.at(small).published[0]
    document = json.loads(small.repository.blob(item.blob_id))
    document["scores"]["ndcg_at_10"] = 0.98765
    commit(small, {item.path: canonical.dumps(document)})
    built = preview(small, tmp_path / "site")
    assert [header.path for header in built.broken] == [item.path]
    assert [note.partition(": INVALID: ")[0] for note in built.notes] == [f"{item.path} is left out"]
    assert Path(item.path).stem not in shown(built.site)
    done = run_in(tmp_path / "home", small.root)("build", "--preview", "--output", tmp_path / "site")
    assert done.code == 3
    assert f"{item.path}: INVALID: " in done.err


def test_a_file_beside_the_log_and_one_that_is_gone_are_named(small: Instance, tmp_path: Path) -> None:
    item = Record.at(small).published[0]
    stray = receipt_path("00000000-0000-4000-8000-000000000000")
    commit(small, {stray: small.repository.blob(item.blob_id)}, removes=(item.path,))
    built = preview(small, tmp_path / "site")
    assert {note.partition(" is left out")[0] for note in built.notes} == {item.path, stray}
    assert {header.path for header in built.broken} == {item.path, stray}
    assert len(shown(built.site)) == 3


@pytest.mark.stories
def test_what_a_stolen_key_signed_is_not_shown_as_logged(
    small: Instance, tmp_path: Path, secrets: Secrets
) -> None:
    compromising(small, secrets)
    suspect = [item for item in Record.at(small).history() if item.verdict is Verdict.SUSPECT]
    assert suspect
    built = preview(small, tmp_path / "site")
    assert not {item.receipt_id for item in suspect} & shown(built.site).keys()
    for item in suspect:
        assert any(note.startswith(f"{item.path} is left out: SUSPECT: ") for note in built.notes)
