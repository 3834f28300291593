"""Pictures of findings: values and intervals of the receipts that the front matter names, and nothing of withdrawn ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from publishing import git
from snapshots import snapshot

from benchsite import resources
from benchsite.environment import Credentials
from benchsite.errors import InputError
from benchsite.history import Header
from benchsite.pipeline.building import findings, output, pages, sources
from benchsite.pipeline.building.quoted_findings import Written, written_findings
from benchsite.pipeline.publish import events
from benchsite.pipeline.workspace import Workspace
from benchsite.site.pages.findings import Row
from benchsite.track import Page


def written(prose: Path, plot: str, metric: str = "") -> tuple[Written, ...]:
    (prose / "findings").mkdir(parents=True, exist_ok=True)
    (prose / "findings/index.md").write_text("---\ntitle: Findings\n---\n")
    head = f"---\ntitle: A\nfinding: 1 of 2.\n{metric}plot:\n{plot}---\n"
    (prose / "findings/a.md").write_text(head)
    return written_findings(prose)


def framed(instance: Workspace, found: tuple[Written, ...]) -> list[Page]:
    made = snapshot(instance)
    history = made.history()
    return list(findings.frames(found, history, made.tracks, pages.bodies(made, history)))


def headers(instance: Workspace) -> dict[str, Header]:
    return {one.summary.subject.name: one for one in snapshot(instance).history() if one.summary is not None}


def rows(page: Page) -> list[Row]:
    return [row for group in page.context["groups"] for row in group.rows]


def test_a_picture_has_the_values_and_intervals_of_its_receipts(published: Workspace, tmp_path: Path):
    bm25, random = (headers(published)[name] for name in ("bm25", "random"))
    plot = (
        f"  - {{group: G, label: B, receipt: {bm25.receipt_id}}}\n"
        f"  - {{group: G, label: R, receipt: {random.receipt_id}, baseline: true}}\n"
    )
    page, index = framed(published, written(tmp_path, plot))
    assert bm25.summary is not None
    assert random.summary is not None
    stated = [one.summary.headline for one in (bm25, random) if one.summary is not None]
    assert [(row.value, row.low, row.high) for row in rows(page)] == [
        (one.value, one.low, one.high) for one in stated
    ]
    (group,) = page.context["groups"]
    assert group.scale.baseline == random.summary.headline.value
    assert (page.path, index.path) == ("findings/a/", "findings/")


def test_a_withdrawn_receipt_has_no_value_and_is_named(
    published: Workspace, credentials: Credentials, tmp_path: Path
):
    one = headers(published)["bm25"]
    events.announce(published, credentials, events.retraction(one.receipt_id, "wrong"), push=False)
    found = written(tmp_path, f"  - {{label: B, receipt: {one.receipt_id}}}\n")
    page = framed(published, found)[0]
    assert [row.value for row in rows(page)] == [None]
    assert [row.header.receipt_id for row in page.context["withdrawn"]] == [one.receipt_id]
    (note,) = findings.withdrawn(found, snapshot(published).history())
    assert note.startswith(f"content/findings/a.md: receipt {one.receipt_id} is RETRACTED")


@pytest.mark.parametrize(
    ("metric", "receipt", "message"),
    [
        ("", "00000000-0000-4000-8000-000000000000", r"content/findings/a\.md, line 5: plot\.0: no receipt"),
        ("metric: speed\n", "", r"line 6: plot\.0: receipt .* has no speed"),
    ],
)
def test_a_row_that_the_record_lacks_is_refused_with_its_line(
    published: Workspace, tmp_path: Path, metric: str, receipt: str, message: str
):
    name = receipt or headers(published)["bm25"].receipt_id
    with pytest.raises(InputError, match=message):
        framed(published, written(tmp_path, f"  - {{label: B, receipt: {name}}}\n", metric))


def test_findings_need_the_page_that_lists_them(tmp_path: Path):
    (tmp_path / "findings").mkdir()
    (tmp_path / "findings/a.md").write_text("---\ntitle: A\nfinding: 1 of 2.\n---\n")
    with pytest.raises(InputError, match=r"content/findings/ has no index\.md"):
        written_findings(tmp_path)


def test_an_instance_has_no_findings_of_ours_and_keeps_its_promises(published: Workspace, tmp_path: Path):
    """Ours are promised in content/urls.txt, which every instance has; its own urls.txt is checked whole."""
    assert (resources.folder("content") / "findings/index.md").is_file()
    with sources.gathered(published, sources.check(published, snapshot(published))) as files:
        assert not (files.prose / "findings").exists()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.html").write_text("x")
    (tmp_path / "urls.txt").write_text("docs/\nfindings/\nfindings/a/\n")
    output.require_urls(tmp_path, tmp_path, but="findings/")
    with pytest.raises(InputError, match=r"line 2: /findings/ was promised"):
        output.require_urls(tmp_path, tmp_path)
    (published.root / "content").mkdir()
    (published.root / "content/urls.txt").write_text("own/\n")
    git(published.root, "add", "content")
    assert [others for _, others in sources.promised(published)] == ["findings/", ""]
