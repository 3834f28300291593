"""What stands beside the receipts: keys and their copies, rules, data, evidence, cosignatures, `mkdocs.yml`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from altering import data_of, found, grow, head, kinds, merge
from branches import Work, failing
from builders import commit
from publishing import git, measure
from snapshots import log_of, opened, snapshot
from watching import NAMES, line

from benchsite import canonical
from benchsite.environment import Credentials
from benchsite.log import WithdrawEvidenceEntry, make_key_event
from benchsite.pipeline import publish
from benchsite.pipeline.audit import Kind, audit
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey

MANIFEST = "keys/manifest.json"
CURRENT = "keys/receipt-signing.pub"
FIXTURE = "fixtures/small-v1/fixture.json"
RULES = "methodology/retrieval/1.0.0/text.md"
COSIGNATURES = "results/log/cosignatures"


def rotate(instance: Workspace, secrets: dict) -> PrivateKey:
    """A new receipt key in force, the old one retired."""
    fresh, log = PrivateKey.generate(), log_of(instance)
    common = {"root": secrets["root"], "origin": log.origin, "role": "receipt"}
    added = make_key_event("key-add", **common, seq=3, public_key=fresh.public)
    retired = make_key_event("key-retire", **common, seq=4, public_key=secrets["receipt"].public)
    grow(instance, secrets["log"], added, retired)
    return fresh


def test_a_rotation_makes_the_copies_anew_and_passes(published: Workspace, secrets: dict) -> None:
    before = data_of(published, MANIFEST), data_of(published, CURRENT)
    rotate(published, secrets)
    assert data_of(published, MANIFEST) != before[0]
    assert data_of(published, CURRENT) != before[1]
    assert found(published) == set()


@pytest.mark.parametrize("path", [MANIFEST, CURRENT])
def test_a_copy_put_back_to_what_it_was_before_a_rotation(
    published: Workspace, secrets: dict, path: str
) -> None:
    """Bytes that were right once, at another size of the log."""
    older = data_of(published, path)
    rotate(published, secrets)
    genuine = data_of(published, path)
    commit(published, {path: older})
    kind = Kind.MANIFEST if path == MANIFEST else Kind.KEY_FILE
    assert found(published) == {(kind, path, head(published))}
    wrong = head(published)
    commit(published, {path: genuine})
    assert found(published) == {(kind, path, wrong)}


@pytest.mark.parametrize("path", [MANIFEST, CURRENT])
def test_an_edited_copy(published: Workspace, path: str) -> None:
    genuine = data_of(published, path)
    commit(published, {path: genuine + b"\n"})
    wrong = head(published)
    kind = Kind.MANIFEST if path == MANIFEST else Kind.KEY_FILE
    assert found(published) == {(kind, path, wrong)}
    commit(published, {path: genuine})
    assert (kind, path, wrong) in found(published)


def test_a_public_key_is_never_removed_or_changed(published: Workspace, secrets: dict) -> None:
    path = f"keys/{secrets['receipt'].fingerprint.removeprefix('sha256:')}.pub"
    genuine = data_of(published, path)
    commit(published, {path: genuine + b"\n"})
    edited = head(published)
    assert found(published) == {(Kind.KEY_FILE, path, edited)}
    commit(published, {}, removes=(path,))
    assert found(published) == {(Kind.KEY_FILE, path, edited), (Kind.DELETED, path, head(published))}


def test_a_key_that_no_event_names(published: Workspace) -> None:
    path = f"keys/{'a' * 64}.pub"
    commit(published, {path: b"-----BEGIN PUBLIC KEY-----\n"})
    assert found(published) == {(Kind.KEY_FILE, path, head(published))}


def test_rules_may_change_until_the_log_names_them(begun: Workspace, credentials: Credentials) -> None:
    commit(begun, {RULES: data_of(begun, RULES) + b"\nOne more sentence.\n"})
    again = Workspace(begun.root)
    publish.publish(again, opened(again), [measure(again)], credentials, push=False)
    assert found(again) == set()
    named, genuine = log_of(again).methodologies["retrieval", "1.0.0"].index, data_of(again, RULES)
    commit(again, {RULES: genuine + b"\nAnd another.\n"})
    edited = head(again)
    assert found(again) == {
        (Kind.METHODOLOGY, RULES, edited),
        (Kind.METHODOLOGY, "methodology/retrieval/1.0.0", edited),
    }
    commit(again, {RULES: genuine})
    result = audit(snapshot(Workspace(again.root)))
    assert {(item.path, item.commit) for item in result.findings} == {(RULES, edited), (RULES, head(again))}
    assert f"after entry {named} of the log named it" in result.findings[0].detail


def test_rules_nobody_used_change_at_will(published: Workspace) -> None:
    unused = "methodology/retrieval/0.0.1/text.md"
    commit(published, {unused: b"other words\n"})
    commit(published, {}, removes=(unused,))
    assert found(published) == set()


def test_a_fixture_may_change_until_the_log_names_it(begun: Workspace, credentials: Credentials) -> None:
    document = json.loads(data_of(begun, FIXTURE))
    commit(begun, {FIXTURE: json.dumps(document | {"notes": "corrected"}, indent=1).encode()})
    publish.publish(begun, opened(begun), [measure(begun)], credentials, push=False)
    assert found(begun) == set()
    genuine = data_of(begun, FIXTURE)
    commit(begun, {FIXTURE: json.dumps(document | {"notes": "improved"}, indent=1).encode()})
    edited = head(begun)
    assert found(begun) == {(Kind.FIXTURE, FIXTURE, edited)}
    commit(begun, {FIXTURE: genuine})
    assert found(begun) == {(Kind.FIXTURE, FIXTURE, edited), (Kind.RESTORED, FIXTURE, head(begun))}


def test_a_fixture_laid_out_anew_is_the_same_fixture(published: Workspace) -> None:
    """Its digest is over the canonical form."""
    commit(published, {FIXTURE: canonical.dumps(json.loads(data_of(published, FIXTURE)))})
    result = audit(snapshot(published))
    assert result.ok
    assert "was reformatted" in result.notes[0]


def test_a_fixture_that_was_removed_or_is_no_json_any_more(published: Workspace) -> None:
    commit(published, {FIXTURE: b"{"})
    assert found(published) == {(Kind.FIXTURE, FIXTURE, head(published))}
    commit(published, {}, removes=(FIXTURE,))
    assert (Kind.FIXTURE, FIXTURE, head(published)) in found(published)


def test_a_branch_that_edits_a_fixture_before_main_names_it(
    begun: Workspace, credentials: Credentials
) -> None:
    """On the branch the edit is allowed, and the merge that brings it to a log that names the fixture is not."""
    root = begun.root
    document = json.loads(data_of(begun, FIXTURE))
    git(root, "switch", "-q", "-c", "side")
    commit(begun, {FIXTURE: json.dumps(document | {"notes": "mine"}).encode()})
    git(root, "switch", "-q", "main")
    publish.publish(
        Workspace(root), opened(Workspace(root)), [measure(Workspace(root))], credentials, push=False
    )
    merge(root, "side")
    git(root, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "merge")
    assert found(begun) == {(Kind.FIXTURE, FIXTURE, head(begun))}


def test_evidence_vanishes_only_once_it_is_withdrawn(published: Workspace, secrets: dict) -> None:
    data = b"a trace\n"
    sha256 = canonical.sha256_hex(data)
    path = f"results/evidence/{sha256[:2]}/{sha256}"
    commit(published, {path: data})
    assert found(published) == {(Kind.UNPINNED, path, head(published))}
    commit(published, {}, removes=(path,))
    gone = head(published)
    assert found(published) == {(Kind.DELETED, path, gone)}
    grow(published, secrets["log"], WithdrawEvidenceEntry(sha256=sha256, reason="a token leaked"))
    assert found(published) == set()


def test_evidence_is_never_edited(published: Workspace) -> None:
    path = f"results/evidence/ab/{'ab' * 32}"
    commit(published, {path: b"one"})
    commit(published, {path: b"two"})
    assert kinds(published) & {Kind.EDITED, Kind.RESTORED}


def test_cosignatures_gain_lines_at_the_end_and_lose_none(published: Workspace) -> None:
    log = log_of(published)
    one, two, three = (str(line(log, name, 4, "2026-11-20T00:00:00Z")).encode() for name in NAMES)
    commit(published, {COSIGNATURES: one})
    commit(published, {COSIGNATURES: one + two})
    assert found(published) == set()
    commit(published, {COSIGNATURES: one + three + two})
    between = (Kind.COSIGNATURES, COSIGNATURES, head(published))
    assert found(published) == {between}
    commit(published, {COSIGNATURES: one + two})
    assert found(published) == {between, (Kind.COSIGNATURES, COSIGNATURES, head(published))}


def test_a_merge_of_two_branches_of_cosignatures_is_no_alteration(published: Workspace) -> None:
    log, work = log_of(published), Work(published)
    one, two, _ = (str(line(log, name, 4, "2026-11-20T00:00:00Z")).encode() for name in NAMES)
    theirs = work.adds({COSIGNATURES: one})
    work.git("reset", "-q", "--hard", work.base)
    ours = work.adds({COSIGNATURES: two})
    work.adds({COSIGNATURES: two + one})
    tree = work.git("rev-parse", "HEAD^{tree}")
    work.git("reset", "-q", "--hard", work.git("commit-tree", tree, "-p", ours, "-p", theirs, "-m", "both"))
    assert found(published) == set()
    assert work.checked(onto=ours).ok
    report = work.checked(onto=theirs)
    assert failing(report) == {"record": [(COSIGNATURES, 3)]}, "the lines of the base come first"


def test_lines_appended_to_a_checkpoint_of_the_same_size_are_an_edit(published: Workspace) -> None:
    path = "results/log/checkpoint"
    genuine = data_of(published, path)
    for junk in (1, 90):
        commit(published, {path: genuine + "\u2014 other.invalid AAAAAAAA\n".encode() * junk})
        added = head(published)
        assert (Kind.EDITED, path, added) in found(published)
        commit(published, {path: genuine})
        assert (Kind.EDITED, path, head(published)) in found(published)


def configure(instance: Workspace, old: bytes, new: bytes) -> str:
    data = data_of(instance, "mkdocs.yml")
    assert old in data
    commit(instance, {"mkdocs.yml": data.replace(old, new)})
    return head(instance)


def test_a_past_change_of_the_origin_is_reported(published: Workspace) -> None:
    changed = configure(published, b"tests.invalid/benchsite", b"other.invalid/benchsite")
    back = configure(published, b"other.invalid/benchsite", b"tests.invalid/benchsite")
    assert found(published) == {(Kind.ORIGIN, "mkdocs.yml", changed), (Kind.ORIGIN, "mkdocs.yml", back)}


def test_a_past_change_of_the_root_keys_is_reported(published: Workspace, secrets: dict) -> None:
    genuine = secrets["root"].fingerprint.encode()
    changed = configure(published, genuine, b"sha256:" + b"0" * 64)
    back = configure(published, b"sha256:" + b"0" * 64, genuine)
    assert found(published) == {(Kind.ROOT, "mkdocs.yml", changed), (Kind.ROOT, "mkdocs.yml", back)}


def test_a_root_key_that_is_changed_now(published: Workspace, secrets: dict) -> None:
    """The log no longer opens under the configuration: everything about it is said, nothing raised."""
    changed = configure(published, secrets["root"].fingerprint.encode(), b"sha256:" + b"0" * 64)
    result = audit(snapshot(Workspace(published.root)))
    assert (Kind.ROOT, changed) in {(item.kind, item.commit) for item in result.findings}
    assert Kind.LOG_BROKEN in {item.kind for item in result.findings}
    assert any("past checkpoints were not checked" in note for note in result.notes)


def test_before_the_log_begins_nothing_is_fixed(begun: Workspace) -> None:
    """`keys init` itself fills in root_keys, in the commit that begins the log."""
    changed = git(begun.root, "log", "--format=%H", "--", "mkdocs.yml").split()
    assert len(changed) == 2
    assert found(begun) == set()


def test_other_settings_change_at_will_and_an_unreadable_version_is_mentioned(published: Workspace) -> None:
    genuine = data_of(published, "mkdocs.yml")
    commit(published, {"mkdocs.yml": genuine + b"# a remark\n"})
    commit(published, {"mkdocs.yml": b"]["})
    commit(published, {"mkdocs.yml": genuine})
    result = audit(snapshot(Workspace(published.root)))
    assert result.ok, result.findings
    assert any("could not be read" in note for note in result.notes)


def test_an_uncommitted_configuration_is_mentioned(published: Workspace) -> None:
    path = Path(published.root / "mkdocs.yml")
    path.write_text(path.read_text().replace("root_keys: [", f'root_keys: ["sha256:{"0" * 64}", '))
    result = audit(snapshot(Workspace(published.root)))
    assert any("in the working tree names another origin" in note for note in result.notes)
