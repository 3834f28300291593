"""`.benchsite/` is scratch and never authority: a commit brings nothing under it, and nothing there names a path or an entry."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from builders import commit, retrieval_work
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from publishing import edit, git, measure
from snapshots import log_of, opened

from benchsite.environment import Credentials
from benchsite.errors import InputError, IntegrityError
from benchsite.layout import JOURNAL, in_scratch
from benchsite.log import RetractEntry, encode_entry
from benchsite.pipeline import publish
from benchsite.pipeline.measure import run
from benchsite.pipeline.publish import candidates
from benchsite.pipeline.record.commit import recover
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.scratch import require_folder, require_uncommitted
from benchsite.repo import Repository
from benchsite.repo.head import resolve_head

RETRACTION = encode_entry(RetractEntry(receiptId="00000000-0000-4000-8000-000000000000", reason="planted"))
BROUGHT = {
    "a draft": (".benchsite/drafts/11111111-1111-4111-8111-111111111111.json", b"{}"),
    "a queue": (".benchsite/pending/000000-0123456789abcdef.json", RETRACTION),
    "a journal": (JOURNAL, b'{"before": null, "after": null, "paths": ["results/../../victim"]}'),
    "evidence": (".benchsite/attachments/" + "ab" * 32, b"x"),
    "another case": (".BenchSite/drafts/x.json", b"{}"),
    "a file in its place": (".benchsite", b"x"),
}


@pytest.mark.parametrize("what", BROUGHT)
def test_a_commit_that_holds_scratch_stops_every_append(
    published: Workspace, credentials: Credentials, what: str
) -> None:
    """C1 to C3 of the attacks: GitHub's "add file" puts a path into a commit that `.gitignore` names."""
    path, data = BROUGHT[what]
    scratch = published.root / ".benchsite"
    subprocess.run(["rm", "-rf", str(scratch)], check=True)
    commit(published, {path: data})
    size = log_of(published).size
    with pytest.raises((IntegrityError, InputError), match=r"(?i)\.benchsite") as caught:
        publish.publish(
            Workspace(published.root), opened(Workspace(published.root)), [], credentials, push=False
        )
    assert caught.value.exit_code in (3, 4)
    assert log_of(Workspace(published.root)).size == size


def test_scratch_as_a_link_or_a_submodule_is_refused_too(published: Workspace, tmp_path: Path) -> None:
    root = published.root
    subprocess.run(["rm", "-rf", str(root / ".benchsite")], check=True)
    blob = subprocess.run(
        ["git", "-C", str(root), "hash-object", "-w", "--stdin"],
        input=b"/tmp",
        capture_output=True,
        check=True,
    )
    for mode, name in (("120000", blob.stdout.decode().strip()), ("160000", git(root, "rev-parse", "HEAD"))):
        git(root, "update-index", "--add", "--cacheinfo", f"{mode},{name},.benchsite")
        tree = git(root, "write-tree")
        made = git(root, "commit-tree", tree, "-p", "HEAD", "-m", "x")
        with pytest.raises(IntegrityError, match=r"committed: \.benchsite/"):
            require_uncommitted(published.repository, made)
        git(root, "reset", "-q")


@pytest.mark.parametrize("place", [".benchsite", ".benchsite/drafts", ".benchsite/lock"])
def test_nothing_is_written_through_a_link(
    published: Workspace, credentials: Credentials, tmp_path: Path, place: str
) -> None:
    """M12: the lock of a linked folder was truncated, and drafts were written there."""
    subprocess.run(["rm", "-rf", str(published.root / ".benchsite")], check=True)
    target = tmp_path / "precious"
    if place.endswith("lock"):
        target.write_text("precious")
    else:
        target.mkdir()
        (target / "lock").write_text("precious")
    link = published.root / place
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(target)
    (result,) = run.run(published, opened(published), [retrieval_work("recency")])
    if place.endswith("lock"):
        assert result.error is None
        with pytest.raises(InputError, match=r"\.benchsite/lock .*symbolic link") as caught:
            publish.publish(published, opened(published), [], credentials, push=False)
        assert caught.value.hint
    else:
        assert isinstance(result.error, InputError)
        assert f"{place} is a symbolic link" in result.error.message
    held = target if target.is_file() else target / "lock"
    assert held.read_text() == "precious"
    assert target.is_file() or sorted(item.name for item in target.iterdir()) == ["lock"]


def test_a_folder_below_scratch_is_made_and_found(tmp_path: Path) -> None:
    made = require_folder(tmp_path, ".benchsite/drafts")
    assert made == tmp_path / ".benchsite/drafts"
    assert require_folder(tmp_path, ".benchsite/drafts") == made


JOURNALS = st.one_of(
    st.binary(max_size=200),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=50),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=12,
    ).map(lambda value: json.dumps(value).encode()),
    st.fixed_dictionaries(
        {
            "before": st.sampled_from((None, "HEAD", "0" * 40, "a" * 40, "f" * 64, "../x", "-x", 7)),
            "after": st.sampled_from((None, "HEAD", "HEAD~1", "0" * 40, "b" * 40, [])),
            "paths": st.lists(
                st.sampled_from(("results/../../victim", "/etc/passwd", "keys/x", "results/log/checkpoint"))
            ),
        }
    ).map(lambda value: json.dumps(value).encode()),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(JOURNALS)
def test_a_planted_journal_restores_nothing_and_is_forgotten(published: Workspace, data: bytes) -> None:
    """C2: a journal's paths were unlinked, `results/../../victim` among them."""
    victim = published.root.parent / "victim"
    victim.write_text("precious")
    own = published.root / "content-of-mine.md"
    own.write_text("mine")
    journal = published.root / JOURNAL
    journal.parent.mkdir(exist_ok=True)
    journal.write_bytes(data)
    assert recover(published, resolve_head(published.repository))
    assert not journal.exists()
    assert (victim.read_text(), own.read_text()) == ("precious", "mine")
    assert published.repository.changed_paths("results", "keys") == []


@pytest.mark.parametrize("size", [1, 1_000_000])
def test_a_journal_of_many_paths_is_not_even_read(published: Workspace, size: int) -> None:
    journal = published.root / JOURNAL
    journal.parent.mkdir(exist_ok=True)
    paths = [f"results/{number}" for number in range(size)]
    journal.write_text(json.dumps({"before": None, "after": None, "paths": paths}))
    assert recover(published, resolve_head(published.repository))
    assert published.repository.changed_paths("results") == []


def test_a_real_journal_restores_what_its_commit_wrote(
    published: Workspace, credentials: Credentials
) -> None:
    before = resolve_head(published.repository)
    publish.publish(published, opened(published), [measure(published)], credentials, push=False)
    after = resolve_head(published.repository)
    (published.root / "results/log/checkpoint").unlink()
    (published.root / JOURNAL).write_text(json.dumps({"before": before, "after": after}))
    assert recover(published, resolve_head(published.repository))
    assert published.repository.changed_paths("results", "keys") == []


def test_a_journal_reaches_nothing_through_a_link(published: Workspace, tmp_path: Path) -> None:
    """Older commits had a folder where the working tree has a link: its files would be unlinked behind the link."""
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "file.json").write_text("precious")
    commit(published, {"results/inbox/x/file.json": b"{}", "content/y/file.json": b"{}"})
    before = resolve_head(published.repository)
    gone = ("results/inbox/x/file.json", "content/y/file.json")
    commit(published, {"note": b"x"}, removes=gone)
    after = resolve_head(published.repository)
    for place in ("results/inbox/x", "content/y"):
        (published.root / place).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["rm", "-rf", str(published.root / place)], check=True)
        (published.root / place).symlink_to(victim)
    for revisions in ((before, after), (after, before)):
        (published.root / JOURNAL).parent.mkdir(exist_ok=True)
        note = dict(zip(("before", "after"), revisions, strict=True))
        (published.root / JOURNAL).write_text(json.dumps(note))
        assert recover(published, resolve_head(published.repository))
        assert (victim / "file.json").read_text() == "precious"


@pytest.mark.parametrize("committed", [True, False])
def test_a_folder_in_place_of_the_journal_is_named(
    published: Workspace, credentials: Credentials, *, committed: bool
) -> None:
    (published.root / JOURNAL).mkdir(parents=True)
    (published.root / JOURNAL / "x").write_text("x")
    if committed:
        git(published.root, "add", "-f", ".benchsite")
        git(published.root, "commit", "-qm", "x")
    with pytest.raises((IntegrityError, InputError), match=r"\.benchsite/") as caught:
        publish.publish(
            Workspace(published.root), opened(Workspace(published.root)), [], credentials, push=False
        )
    assert caught.value.exit_code == (3 if committed else 4)


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        (".benchsite", True),
        (".benchsite/drafts/x.json", True),
        (".BENCHSITE/x", True),
        ("benchsite/x", False),
        ("results/.benchsite", False),
        (".benchsite2/x", False),
    ],
)
def test_what_is_scratch_is_decided_by_the_first_folder(path: str, *, inside: bool) -> None:
    assert in_scratch(path) is inside


def test_a_draft_that_was_changed_after_its_run_is_refused(
    published: Workspace, credentials: Credentials
) -> None:
    """S2: a lingering program rewrote another subject's draft between the run and the signature."""
    (result,) = run.run(published, opened(published), [retrieval_work("recency")])
    assert result.draft is not None
    honest = result.draft.read_bytes()
    edit(result.draft, {"ranAt": "2026-01-01T00:00:00Z"})
    with pytest.raises(IntegrityError, match="was changed after"):
        candidates.collect(
            published, opened(published), [result.draft], digests={result.draft: result.digest}
        )
    result.draft.write_bytes(honest)
    collected = candidates.collect(
        published, opened(published), [result.draft], digests={result.draft: result.digest}
    )
    result.draft.write_bytes(b"rewritten after it was read")
    done = publish.publish_collected(published, collected, credentials, push=False)
    assert done.receipts == (result.receipt_id,), "what is signed is what was read and shown"


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    with closing(Repository.create(tmp_path / "repo")) as made:
        yield made


def put(repository: Repository, path: str) -> None:
    place = repository.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"x")


def everything(repository: Repository) -> None:
    git(repository.root, "add", "--force", "--all")
    git(repository.root, "commit", "-qm", "by hand")


def test_a_repository_without_a_commit_and_one_without_scratch_are_accepted(repository: Repository) -> None:
    require_uncommitted(repository, None)
    put(repository, "docs/.benchsite/note")  # only the root's folder is benchsite's own
    put(repository, ".benchsite.md")
    everything(repository)
    put(repository, ".benchsite/drafts/a.json")  # of the working tree, in no commit
    require_uncommitted(repository, "HEAD")


@pytest.mark.parametrize(
    "path",
    [
        ".benchsite/drafts/7c1b7bd5-0d2c-4f1c-8a69-3f6d1c5a2b10.json",
        ".benchsite/pending/0.json",
        ".benchsite/publish.journal",
        ".BenchSite/attachments/x",
        ".benchſite/lock",
        ".benchsite",
    ],
)
def test_a_commit_that_holds_scratch_is_refused_by_its_path(repository: Repository, path: str) -> None:
    put(repository, "mkdocs.yml")
    put(repository, path)
    everything(repository)
    with pytest.raises(IntegrityError) as caught:
        require_uncommitted(repository, "HEAD")
    top = path.split("/", maxsplit=1)[0]
    assert path in caught.value.message
    assert f"git rm -r {top}" in caught.value.hint
    git(repository.root, "rm", "-rq", "--cached", top)
    git(repository.root, "commit", "-qm", "take it out")
    require_uncommitted(repository, "HEAD")
    with pytest.raises(IntegrityError):
        require_uncommitted(repository, "HEAD~1")
