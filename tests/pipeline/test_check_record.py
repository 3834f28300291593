from __future__ import annotations

from pathlib import Path

import pytest
from branches import Work, failing
from examples import some
from publishing import attach, edit, measure
from snapshots import at_head, opened, snapshot

from benchsite.canonical import sha256_hex
from benchsite.environment import Credentials
from benchsite.log import Cosignature, NoteSignature, Witness, cosign
from benchsite.pipeline import check as checking
from benchsite.pipeline import publish
from benchsite.pipeline.publish import events
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey

COSIGNATURES = "results/log/cosignatures"


def line(size: int, name: str = "witness.invalid/w") -> bytes:
    return str(Cosignature(size, NoteSignature(name, b"\1\2\3\4", b"\0" * 72))).encode()


def keys_of(instance: Workspace) -> str:
    return next(
        path.path
        for path in instance.repository.tree("keys", rev="HEAD")
        if path.path.endswith("manifest.json")
    )


@pytest.mark.parametrize("kind", some(["receipt", "segment", "checkpoint", "key file"], gate=3))
@pytest.mark.parametrize("deed", ["edited", "removed"])
def test_nothing_published_is_touched(published: Workspace, kind: str, deed: str) -> None:
    path = {
        "receipt": snapshot(published).published[0].path,
        "segment": "results/log/entries/000000.jsonl",
        "checkpoint": "results/log/checkpoint",
        "key file": keys_of(published),
    }[kind]
    good = (published.root / path).read_bytes()
    work = Work(published)
    done = work.adds({path: good + b" "}) if deed == "edited" else work.adds({}, removes=(path,))
    report = work.checked()
    assert report.exit_code == 3
    found = {item.where: item for item in next(s for s in report.steps if s.name == "record").items}
    assert done[:12] in found[path].message
    assert f"was {deed}" in found[path].message
    assert f"git rebase -i {work.base[:12]}" in found[path].hint
    assert "results/inbox" in found[path].hint

    work.adds({path: good})
    assert (path, 3) in failing(work.checked())["record"], "history keeps what a later commit takes back"


@pytest.mark.parametrize("junk", [1, 90])
def test_lines_appended_to_the_checkpoint_are_an_edit(published: Workspace, junk: int) -> None:
    path = "results/log/checkpoint"
    work = Work(published)
    done = work.adds(
        {path: (published.root / path).read_bytes() + "\u2014 x.invalid AAAAAAAA\n".encode() * junk}
    )
    (item,) = work.step("record").items
    assert (item.where, item.code) == (path, 3)
    assert item.message == f"was edited in commit {done[:12]}: only `benchsite publish` writes there"


@pytest.mark.parametrize("path", ["results/log/sizes", "results/log/entries/000000.jsonl"])
def test_nothing_grows_without_a_publish(published: Workspace, path: str) -> None:
    work = Work(published)
    data = (published.root / path).read_bytes()
    work.adds({path: data + data.splitlines(keepends=True)[-1]})
    assert (path, 3) in failing(work.checked())["record"]


def test_a_missing_receipt_comes_back_only_with_a_publish(published: Workspace) -> None:
    path = snapshot(published).published[0].path
    data = (published.root / path).read_bytes()
    base = Work(published).adds({}, removes=(path,))
    work = Work(published)
    work.adds({path: data})
    assert failing(work.checked(onto=base))["record"] == [(path, 3)]


@pytest.mark.parametrize("lines", [(1, 0), (0, 2, 1)], ids=["another order", "a line between"])
def test_cosignatures_keep_their_order(published: Workspace, lines: tuple[int, ...]) -> None:
    all_lines = [line(3, f"{name}.invalid/w") for name in ("a", "b", "c")]
    base = Work(published).adds({COSIGNATURES: all_lines[0] + all_lines[1]})
    work = Work(published)
    work.adds({COSIGNATURES: b"".join(all_lines[number] for number in lines)})
    assert failing(work.checked(onto=base)) == {"record": [(COSIGNATURES, 3)]}


def test_a_branch_rewritten_without_the_commit_is_clean(published: Workspace) -> None:
    path = snapshot(published).published[0].path
    work = Work(published)
    work.adds({path: b"{}"})
    work.git("reset", "-q", "--hard", work.base)
    work.adds({"content/note.md": b"# A note\n"})
    assert work.checked().ok


@pytest.mark.parametrize(
    "path",
    [
        "results/published/ab/ab000000-0000-4000-8000-000000000000.json",
        "results/log/entries/000001.jsonl",
        "results/evidence/ab/" + "ab" * 32,
        "results/readme.md",
        "keys/mine.pub",
    ],
)
def test_nothing_else_is_added(published: Workspace, path: str) -> None:
    work = Work(published)
    work.adds({path: b"{}"})
    assert (path, 3) in failing(work.checked())["record"]


def test_the_prose_and_the_placeholders_may_change(published: Workspace) -> None:
    work = Work(published)
    work.adds({"keys/ROTATION.md": b"# Call Ada\n", "results/inbox/.gitkeep": b""})
    assert work.checked().ok
    work.links("keys/ROTATION.md", "/etc/passwd")
    assert failing(work.checked()) == {"record": [("keys/ROTATION.md", 4)]}


def test_names_that_are_not_utf8_are_shown(published: Workspace) -> None:
    work = Work(published)
    folder = bytes(published.root) + b"/results/published"
    Path((folder + b"/\xff\xfe.json").decode("utf-8", "surrogateescape")).write_bytes(b"{}")
    work.git("add", "-A")
    work.git("commit", "-qm", "a strange name")
    ((where, code),) = failing(work.checked())["record"]
    assert (where, code) == ("results/published/\\xff\\xfe.json", 3)


def test_a_link_in_the_place_of_a_receipt(published: Workspace) -> None:
    path = snapshot(published).published[0].path
    work = Work(published)
    work.links(path, "/dev/zero")
    found = failing(work.checked())["record"]
    assert (path, 3) in found


def test_a_draft_that_waited_before_is_somebody_elses(published: Workspace) -> None:
    work = Work(published)
    draft = measure(published)
    path = f"results/inbox/{draft.name}"
    base = work.adds({path: draft.read_bytes()})
    assert work.checked().ok
    work.adds({}, removes=(path,))
    report = work.checked(onto=base)
    assert failing(report) == {"record": [(path, 3)]}
    assert work.checked().ok, "who brought it may take it back"


def test_cosignatures_are_appended(published: Workspace) -> None:
    work = Work(published)
    log = snapshot(published).log
    assert log is not None
    first = work.adds({COSIGNATURES: line(3)})
    assert work.checked().ok
    work.adds({COSIGNATURES: line(3) + line(log.size, "other.invalid/w")})
    assert work.checked(onto=first).ok
    work.adds({COSIGNATURES: line(4) + line(log.size, "other.invalid/w")})
    assert failing(work.checked(onto=first)) == {"record": [(COSIGNATURES, 3)]}
    work.adds({}, removes=(COSIGNATURES,))
    assert failing(work.checked(onto=first)) == {"record": [(COSIGNATURES, 3)]}


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\n",
        line(3)[:-1],
        line(999),
        b"03" + line(3)[1:],
        "3 — n\xa0ame AAAAAAAA\n".encode(),
        b"\xff\n",
    ],
    ids=["words", "cut", "ahead of the log", "leading zero", "a space in the name", "not UTF-8"],
)
def test_a_malformed_cosignature_is_named(published: Workspace, data: bytes) -> None:
    work = Work(published)
    work.adds({COSIGNATURES: data})
    assert failing(work.checked()) == {"record": [(COSIGNATURES, 4)]}


def test_a_line_that_a_trusted_witness_never_signed(published: Workspace) -> None:
    witness = PrivateKey.generate()
    log = snapshot(published).log
    assert log is not None
    trusted = str(Witness("witness.invalid/w", witness.public))
    text = (published.root / "mkdocs.yml").read_text(encoding="utf-8")
    base = Work(published).adds(
        {"mkdocs.yml": (text.rstrip("\n") + f'\n    witnesses: ["{trusted}"]\n').encode()}
    )
    work = Work(published)
    good = cosign(log.checkpoint(), name="witness.invalid/w", key=witness, time=1_800_000_000)
    work.adds({COSIGNATURES: str(Cosignature(log.size, good)).encode()})
    assert work.checked(onto=base).ok
    work = Work(published)
    forged = NoteSignature(good.name, good.key_id, good.signature[:-1] + bytes([good.signature[-1] ^ 1]))
    lines = str(Cosignature(log.size, good)) + str(Cosignature(log.size, forged))
    work.adds({COSIGNATURES: lines.encode()})
    (item,) = work.step("record").items
    assert (item.where, item.code) == (COSIGNATURES, 3)
    assert "does not verify" in item.message


def test_a_base_whose_configuration_is_broken_excuses_nothing(published: Workspace) -> None:
    good = (published.root / "mkdocs.yml").read_bytes()
    broken = Work(published).adds({"mkdocs.yml": b"site_name: [\n"})
    work = Work(published)
    work.adds({"mkdocs.yml": good})
    (item,) = next(step for step in work.checked(onto=broken).steps if step.name == "record").items
    assert item.where.startswith("mkdocs.yml at ")
    assert item.code == 4


def test_a_branch_of_publishes_is_held_against_its_own_log(
    published: Workspace, credentials: Credentials
) -> None:
    work = Work(published)
    publish.publish(published, opened(published), [measure(published)], credentials, push=False)
    report = work.checked()
    assert report.ok, report.steps
    record = next(step for step in report.steps if step.name == "record")
    assert "signed by the log" in record.detail

    log = snapshot(published).log
    assert log is not None
    new = list(log.receipts)[-1]
    path = f"results/published/{new[:2]}/{new}.json"
    work.adds({path: (published.root / path).read_bytes() + b"\n"})
    assert (path, 3) in failing(work.checked())["record"], "a publish excuses no edit after it"


def test_other_bytes_in_the_place_of_withdrawn_evidence_are_found(
    published: Workspace, credentials: Credentials
) -> None:
    """On a branch that publishes, it may be added and removed in turn, but only under its own digest."""
    work, data = Work(published), b"a transcript"
    draft = edit(measure(published), {"evidence": [attach(published, data)]})
    publish.publish(published, opened(published), [draft], credentials, push=False)
    sha256 = sha256_hex(data)
    path = f"results/evidence/{sha256[:2]}/{sha256}"
    events.announce(published, credentials, events.withdrawal(sha256, "a token"), push=False)
    assert work.checked().ok
    work.adds({path: b"anything"})
    work.adds({}, removes=(path,))
    assert failing(work.checked()) == {"record": [(path, 3)]}


def test_the_beginning_of_a_log_is_a_publish_too(begun: Workspace) -> None:
    first = Work(begun).git("rev-list", "--max-parents=0", "HEAD")
    report = checking.check(*at_head(begun.root), onto=first, build=False)
    record = next(step for step in report.steps if step.name == "record")
    assert record.state == "pass", record.items
    assert "every entry up to 3 is signed" in record.detail, "the three keys"


def test_a_log_that_was_cut_back_is_no_continuation(published: Workspace, credentials: Credentials) -> None:
    work = Work(published)
    earlier = work.base
    publish.publish(published, opened(published), [measure(published)], credentials, push=False)
    work.git("branch", "theirs")
    base = work.git("rev-parse", "HEAD")
    tree = work.git("rev-parse", f"{earlier}^{{tree}}")
    cut = work.git("commit-tree", tree, "-p", base, "-m", "back to before")
    work.git("reset", "-q", "--hard", cut)
    step = next(step for step in work.checked(onto="theirs").steps if step.name == "record")
    assert any("not an extension of the log at theirs" in item.message for item in step.items)
    assert {item.code for item in step.items} == {3}


@pytest.mark.parametrize(
    "path", some(["results/log/entries/000000.jsonl", "results/log/checkpoint", "results/log/sizes"], gate=1)
)
def test_a_publish_on_the_branch_hides_no_cut_that_was_put_back(
    published: Workspace, credentials: Credentials, path: str
) -> None:
    """The log at HEAD is whole again, and an audit would name the two commits for ever."""
    work = Work(published)
    before = (published.root / path).read_bytes()
    publish.publish(published, opened(published), [measure(published)], credentials, push=False)
    assert work.checked().ok
    good = (published.root / path).read_bytes()
    work.adds({path: before})
    work.adds({path: good})
    report = work.checked()
    assert [item.where for step in report.steps for item in step.items] == [path]
    assert report.exit_code == 3
