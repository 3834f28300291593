from __future__ import annotations

import base64
import copy
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import commit, retrieval_work

from benchsite import canonical, signing
from benchsite.errors import InputError, IntegrityError, UsageError
from benchsite.history import Rescore, Verdict, examine
from benchsite.log import receipt_path
from benchsite.pipeline import build, run
from benchsite.pipeline import verify as checking
from benchsite.pipeline.instance import Instance, optional_instance
from benchsite.receipt import parse_draft, seal
from benchsite.signing import PrivateKey


def by_name(instance: Instance, adapter: str) -> tuple[str, dict[str, Any]]:
    for item in instance.published():
        document = json.loads(instance.repository.blob(item.blob_id))
        if document["adapter"]["name"] == adapter:
            return item.path, document
    raise AssertionError(adapter)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list) and value:
        for place, inner in enumerate(value):
            yield from leaves(inner, (*path, place))
    else:
        yield path


def changed(value: Any) -> Any:
    """Another value of the same kind, as near as possible: a schema must not be what catches it."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value / 2
    if isinstance(value, str):
        swapped = "b" if value[-1:] == "a" else "a"
        return value[:-1] + swapped if value else "a"
    return "x" if value is None else {"x": 1} if value == {} else ["x"]


def at(document: dict[str, Any], path: tuple[Any, ...]) -> tuple[Any, Any]:
    holder: Any = document
    for key in path[:-1]:
        holder = holder[key]
    return holder, path[-1]


def test_any_leaf_value_changed_is_invalid_in_both_forms(published: Instance) -> None:
    """The threat table's first row, for every path of a real receipt, as a file in the repository and handed over."""
    path, document = by_name(published, "sqlite-fts5")
    log = published.open_log()
    paths = list(leaves(document))
    assert len(paths) > 400
    for leaf in paths:
        forged = copy.deepcopy(document)
        holder, key = at(forged, leaf)
        holder[key] = changed(holder[key])
        data = json.dumps(forged, ensure_ascii=False).encode()
        handed = examine(data, log=log, judges=published.judges)
        expected = {Verdict.INVALID}
        if leaf == ("signature", "publicKeyFingerprint"):
            # Handed over, a key nobody here knows is an unknown signer, never "invalid" (same table, row 4).
            expected = {Verdict.UNKNOWN_SIGNER}
        if leaf in {("schemaVersion",), ("track",), ("methodology", "version")}:
            # A file of another schema, track or methodology that somebody hands over cannot be judged here.
            expected = {Verdict.UNSUPPORTED, Verdict.INVALID}
        assert handed.verdict in expected, f"{leaf}: {handed.verdict} {handed.steps}"
        stored = examine(canonical.dumps(forged), log=log, judges=published.judges, path=path)
        assert stored.verdict is Verdict.INVALID, leaf
        assert stored.exit_code == 3


def test_every_key_removed_or_added_is_invalid(published: Instance) -> None:
    _, document = by_name(published, "bm25")
    log = published.open_log()
    for key in document:
        forged = {name: value for name, value in document.items() if name != key}
        seen = examine(canonical.dumps(forged), log=log, judges=published.judges)
        assert seen.verdict in (Verdict.INVALID, Verdict.UNSUPPORTED), key
    seen = examine(canonical.dumps({**document, "extra": 1}), log=log, judges=published.judges)
    assert seen.verdict is Verdict.INVALID
    assert seen.failed is not None
    assert "extra" in seen.failed.detail


def test_another_layout_is_checked_on_its_canonical_form_and_said(published: Instance) -> None:
    path, document = by_name(published, "bm25")
    data = json.dumps(document, indent=2).encode()
    log = published.open_log()
    handed = examine(data, log=log, judges=published.judges)
    assert handed.verdict is Verdict.LOGGED
    assert any(step.name == "canonical" and step.state == "note" for step in handed.steps)
    stored = examine(data, log=log, judges=published.judges, path=path)
    assert stored.verdict is Verdict.INVALID


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "parse"),
        (b"not json", "byte"),
        (b"\xef\xbb\xbf{}", "byte 0"),
        (b'{"a":"\xff"}', "byte"),
        (b'{"a":1,"a":2}', "byte"),
        (b'{"a":1,"\\u0061":2}', "byte"),
        (b'{"__proto__":1}', "byte"),
        (b'{"a":"\\ud800"}', "byte"),
        (b'{"a":9007199254740992}', "byte"),
        (b'{"a":-0}', "byte"),
        (b'{"a":1e999}', "byte"),
        (b"{} {}", "byte"),
        (b"[" * 100_000, "byte"),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000, "byte"),
        (b'"' + b"x" * (9 * 1024 * 1024) + b'"', "8"),
        (b"[]", "object"),
    ],
    ids=lambda value: repr(value[:12]) if isinstance(value, bytes) else "",
)
def test_malformed_bytes_are_invalid_at_parse(published: Instance, data: bytes, says: str) -> None:
    seen = examine(data, log=published.open_log(), judges=published.judges)
    assert seen.verdict is Verdict.INVALID
    assert seen.exit_code == 3
    assert seen.failed is not None
    assert seen.failed.name == "parse"
    assert says in f"{seen.failed.name} {seen.failed.detail}"


def test_a_key_swapped_in_the_repository_is_invalid_and_unknown_elsewhere(published: Instance) -> None:
    """Re-signed whole by a stranger: valid under the stranger's key, which is never taken from the receipt."""
    path, document = by_name(published, "bm25")
    stranger = PrivateKey.generate()
    unsigned = {name: value for name, value in document.items() if name != "signature"}
    value = signing.encode_base64url(stranger.sign(canonical.dumps(unsigned)))
    forged = {
        **unsigned,
        "signature": {"algorithm": "Ed25519", "publicKeyFingerprint": stranger.fingerprint, "value": value},
    }
    data = canonical.dumps(forged)
    log = published.open_log()
    handed = examine(data, log=log, judges=published.judges)
    assert handed.verdict is Verdict.UNKNOWN_SIGNER
    assert any("tests.invalid/benchsite/log" in step.detail for step in handed.steps)
    assert examine(data, log=log, judges=published.judges, path=path).verdict is Verdict.INVALID
    trusted = examine(data, log=log, judges=published.judges, supplied_key=stranger.public)
    assert trusted.verdict is Verdict.UNKNOWN_SIGNER
    assert any(step.name == "signature" and step.state == "pass" for step in trusted.steps)


def test_a_bad_signature_under_the_supplied_key_is_invalid(published: Instance) -> None:
    _, document = by_name(published, "bm25")
    stranger = PrivateKey.generate()
    document["signature"]["publicKeyFingerprint"] = stranger.fingerprint
    seen = examine(
        canonical.dumps(document),
        log=published.open_log(),
        judges=published.judges,
        supplied_key=stranger.public,
    )
    assert seen.verdict is Verdict.INVALID
    assert seen.failed is not None
    assert seen.failed.field == "signature.value"


def test_the_log_key_must_not_sign_receipts(published: Instance, secrets: dict[str, PrivateKey]) -> None:
    _, document = by_name(published, "bm25")
    unsigned = {name: value for name, value in document.items() if name != "signature"}
    key = secrets["log"]
    value = signing.encode_base64url(key.sign(canonical.dumps(unsigned)))
    forged = {
        **unsigned,
        "signature": {"algorithm": "Ed25519", "publicKeyFingerprint": key.fingerprint, "value": value},
    }
    seen = examine(canonical.dumps(forged), log=published.open_log(), judges=published.judges)
    assert seen.verdict is Verdict.INVALID
    assert seen.failed is not None
    assert "log key must not sign" in seen.failed.detail


def test_signed_but_not_logged(published: Instance, secrets: dict[str, PrivateKey]) -> None:
    _, document = by_name(published, "bm25")
    unsigned = {name: value for name, value in document.items() if name != "signature"}
    unsigned["receiptId"] = "11111111-1111-4111-8111-111111111111"
    key = secrets["receipt"]
    value = signing.encode_base64url(key.sign(canonical.dumps(unsigned)))
    made = {
        **unsigned,
        "signature": {"algorithm": "Ed25519", "publicKeyFingerprint": key.fingerprint, "value": value},
    }
    seen = examine(canonical.dumps(made), log=published.open_log(), judges=published.judges)
    assert seen.verdict is Verdict.SIGNED_ONLY
    assert seen.rescore is Rescore.MATCHES
    assert seen.exit_code == 0


def test_a_log_head_the_log_never_had_is_invalid(published: Instance, secrets: dict[str, PrivateKey]) -> None:
    _, document = by_name(published, "bm25")
    for change, field in (
        ({"root": "A" * 43 + "="}, "logHead.root"),
        ({"size": 10_000}, "logHead.size"),
        ({"origin": "other.invalid/log"}, "logHead.origin"),
    ):
        unsigned = {name: value for name, value in document.items() if name != "signature"}
        unsigned["logHead"] = {**unsigned["logHead"], **change}
        key = secrets["receipt"]
        value = signing.encode_base64url(key.sign(canonical.dumps(unsigned)))
        made = {
            **unsigned,
            "signature": {"algorithm": "Ed25519", "publicKeyFingerprint": key.fingerprint, "value": value},
        }
        seen = examine(canonical.dumps(made), log=published.open_log(), judges=published.judges)
        assert seen.verdict is Verdict.INVALID
        assert seen.failed is not None
        assert seen.failed.field == field


def test_a_newer_receipt_in_an_older_clone_is_not_yet_proven_and_not_invalid(
    published: Instance, begun: Instance
) -> None:
    """Both logs begin alike; the shorter one has not seen the entries the receipt saw."""
    path, _ = by_name(published, "random")
    newer = next(run.run(published, [retrieval_work("recency", seed=99)]))
    assert newer.draft is not None
    draft = parse_draft(newer.draft.read_bytes())
    secret = PrivateKey.from_text(base64.b64encode(b"\x02" * 32).decode(), "receipt")
    value = signing.encode_base64url(secret.sign(draft.signed_bytes()))
    data = seal(draft, fingerprint=secret.fingerprint, value=value).file_bytes()
    seen = examine(data, log=begun.open_log(), judges=begun.judges)
    assert seen.verdict is Verdict.SIGNED_ONLY
    assert seen.exit_code == 0
    assert any("it may be stale" in step.detail for step in seen.steps)
    assert path


@pytest.mark.parametrize(
    "name",
    [
        "results/published/aa/...json",
        "results/published/zz/{id}.json",
        "results/published/{id}.json",
        "results/published/ab/notes.txt",
        "results/published/ab/caf\u00e9.json",
    ],
)
def test_a_stray_name_in_the_record_is_refused_by_name(published: Instance, name: str) -> None:
    """No path is made from it, no genuine receipt is shadowed by it."""
    _, document = by_name(published, "bm25")
    stray = name.format(id=document["receiptId"])
    commit(published, {stray: b"{}"})
    with pytest.raises(IntegrityError, match="is not where any receipt lies"):
        published.history(published.open_log())
    with pytest.raises(IntegrityError, match="is not where any receipt lies"):
        build.build(published, published.root.parent / "site")
    assert not (published.root / "index.html").exists()


def test_replace_objects_are_never_followed(published: Instance) -> None:
    item = published.published()[0]
    forged = subprocess.run(
        ["git", "-C", str(published.root), "hash-object", "-w", "--stdin"],
        input=b"{}",
        capture_output=True,
        check=True,
    ).stdout.decode()
    subprocess.run(["git", "-C", str(published.root), "replace", item.blob_id, forged.strip()], check=True)
    again = Instance(published.root)
    assert again.repository.blob(item.blob_id) != b"{}"
    assert [checked.exit_code for checked in checking.verify(again, (), everything=True)] == [0] * 4
    again.repository.close()


def test_a_missing_file_is_said_to_be_missing(published: Instance) -> None:
    path, document = by_name(published, "bm25")
    commit(published, {}, removes=(path,))
    found = {checked.path: checked for checked in checking.verify(published, (), everything=True)}
    assert len(found) == 4
    lost = found[path].examination
    assert lost is not None
    assert lost.verdict is Verdict.INVALID
    assert lost.failed is not None
    assert "the file is missing" in lost.failed.detail
    header = published.history(published.open_log()).get(document["receiptId"])
    assert header is not None
    assert header.summary is None


def test_a_file_nobody_logged_is_examined_too(published: Instance) -> None:
    path, document = by_name(published, "bm25")
    stray = receipt_path("22222222-2222-4222-8222-222222222222")
    commit(published, {stray: canonical.dumps(document)})
    found = {checked.path: checked for checked in checking.verify(published, (), everything=True)}
    assert found[path].exit_code == 0
    assert found[stray].exit_code == 3


def test_names_are_paths_ids_or_unique_prefixes(published: Instance, tmp_path: Path) -> None:
    path, document = by_name(published, "bm25")
    receipt_id = document["receiptId"]
    assert published.receipt_bytes(receipt_id)[0] == path
    assert published.receipt_bytes(receipt_id[:10])[0] == path
    handed = tmp_path / "handed.json"
    handed.write_bytes(canonical.dumps(document))
    assert published.receipt_bytes(str(handed)) == (None, canonical.dumps(document))
    with pytest.raises(UsageError, match="no receipt named 'ffffffff'"):
        published.receipt_bytes("ffffffff")
    shared = [item.path for item in published.published()]
    twin = receipt_path(receipt_id[:8] + "-0000-4000-8000-000000000000")
    commit(published, {twin: b"{}"})
    assert twin not in shared
    with pytest.raises(UsageError, match="is the beginning of 2 receipt ids"):
        published.receipt_bytes(receipt_id[:8])
    with pytest.raises(InputError, match="cannot read"):
        published.receipt_bytes(str(tmp_path / "absent.json"))


def test_of_several_exit_codes_integrity_comes_first() -> None:
    assert checking.exit_code([0, 5, 4, 3]) == 3
    assert checking.exit_code([0, 5, 4]) == 4
    assert checking.exit_code([5, 0]) == 5
    assert checking.exit_code([0]) == 0
    assert checking.exit_code([]) == 0


def test_the_seeds_own_receipt(shared: Path) -> None:
    """A real receipt of schema 0.0.1: signature valid, numbers impossible, and why (specs/retrieval.md)."""
    data = (shared / "data/przm_receipt_b12b9a56.json").read_bytes()
    key = checking.supplied_key(shared / "data/przm_receipt_signing.pub")
    judges = __import__("benchsite.plugins", fromlist=["tracks"]).tracks()
    seen = examine(data, log=None, judges=judges, supplied_key=key)
    assert seen.verdict is Verdict.UNKNOWN_SIGNER
    assert any(step.name == "signature" and step.state == "pass" for step in seen.steps)
    assert seen.rescore is Rescore.NOT_RESCORABLE
    assert seen.exit_code == 3
    said = " ".join(item.message for item in seen.judgement.violations)
    assert "nDCG@10 is 0.913 but success@10 is 0.778" in said
    assert "more than once" in said


def test_outside_an_instance_files_can_still_be_verified(tmp_path: Path) -> None:
    assert optional_instance(tmp_path) is None
    (tmp_path / "x.json").write_bytes(b"{}")
    checked = list(checking.verify(None, [str(tmp_path / "x.json"), "abcdef"]))
    assert checked[0].exit_code == 3
    assert checked[1].exit_code == 2


@pytest.mark.parametrize("name", ["manifest.json", "receipt-signing.pub"])
def test_key_files_that_contradict_the_log_are_an_integrity_error(published: Instance, name: str) -> None:
    commit(published, {f"keys/{name}": b"{}"})
    with pytest.raises(IntegrityError, match=f"keys/{name} is not what the log's key events say"):
        published.open_log()
    commit(published, {}, removes=(f"keys/{name}",))
    with pytest.raises(IntegrityError, match=f"keys/{name} is missing"):
        published.open_log()


def test_a_symbolic_link_in_the_record_is_refused(published: Instance) -> None:
    item = published.published()[0]
    path = published.root / item.path
    path.unlink()
    path.symlink_to("/etc/hostname")
    command = ["git", "-C", str(published.root), "-c", "user.name=x", "-c", "user.email=x"]
    subprocess.run([*command, "add", "-A"], check=True)
    subprocess.run([*command, "commit", "-qm", "link"], check=True)
    with pytest.raises(IntegrityError, match="is not a regular file"):
        list(checking.verify(published, (), everything=True))


def test_a_draft_is_called_a_draft(begun: Instance) -> None:
    result = next(run.run(begun, [retrieval_work("recency")]))
    assert result.draft is not None
    seen = examine(result.draft.read_bytes(), log=begun.open_log(), judges=begun.judges)
    assert seen.failed is not None
    assert seen.failed.detail == "this is a draft: it carries no signature yet"


def test_the_wrong_key_given_is_not_held_against_the_file(published: Instance) -> None:
    _, document = by_name(published, "bm25")
    seen = examine(
        canonical.dumps(document),
        log=None,
        judges=published.judges,
        supplied_key=PrivateKey.generate().public,
    )
    assert seen.verdict is Verdict.UNKNOWN_SIGNER
    assert any(step.name == "signature" and step.state == "skip" for step in seen.steps)


def test_a_pipe_that_nobody_writes_to_does_not_hang(published: Instance, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a regular file"):
        published.receipt_bytes(str(tmp_path / "pipe"))


def test_an_edited_fixture_is_found_by_verify_and_build(published: Instance) -> None:
    path = published.fixture_path("small-v1")
    document = json.loads(path.read_bytes())
    document["items"][0]["content"] = "changed"
    commit(published, {"fixtures/small-v1/fixture.json": json.dumps(document).encode()})
    *receipts, documents = checking.verify(published, (), everything=True)
    assert [checked.exit_code for checked in receipts] == [0] * 4
    assert documents.exit_code == 3
    assert documents.error is not None
    assert "was edited after it was published" in documents.error.message
    with pytest.raises(IntegrityError, match="was edited after it was published"):
        build.build(published, published.root.parent / "site")


@pytest.mark.parametrize("name", ["results/published/site", ".git/site", "theme", "content/site", "keys"])
def test_a_site_is_never_written_among_sources(published: Instance, name: str) -> None:
    with pytest.raises(InputError, match="which holds sources"):
        build.build(published, published.root / name)
