from __future__ import annotations

import base64
import copy
import json
from pathlib import Path

import pytest
from builders import retrieval_work
from documents import MATERIALS
from forgery import at, by_name, changed, leaves
from snapshots import opened, snapshot

from benchsite import canonical, signing
from benchsite.history import Rescore, Verdict, examine
from benchsite.pipeline import verify as checking
from benchsite.pipeline.measure import run
from benchsite.pipeline.workspace import Workspace, optional_workspace
from benchsite.receipt import parse_draft, seal
from benchsite.signing import PrivateKey


@pytest.mark.stories
def test_any_leaf_value_changed_is_invalid_in_both_forms(published: Workspace) -> None:
    """The threat table's first row, for every path of a real receipt, as a file in the repository and handed over."""
    path, document = by_name(published, "sqlite-fts5")
    log = snapshot(published).log
    paths = list(leaves(document))
    assert len(paths) > 400
    for leaf in paths:
        forged = copy.deepcopy(document)
        holder, key = at(forged, leaf)
        holder[key] = changed(holder[key])
        data = json.dumps(forged, ensure_ascii=False).encode()
        handed = examine(data, log=log, scorers=published.tracks, materials=MATERIALS)
        expected = {Verdict.INVALID}
        if leaf == ("signature", "publicKeyFingerprint"):
            # Handed over, a key nobody here knows is an unknown signer, never "invalid" (same table, row 4).
            expected = {Verdict.UNKNOWN_SIGNER}
        if leaf in {("schemaVersion",), ("track",), ("methodology", "version")}:
            # A file of another schema, track or methodology that somebody hands over cannot be judged here.
            expected = {Verdict.UNSUPPORTED, Verdict.INVALID}
        assert handed.verdict in expected, f"{leaf}: {handed.verdict} {handed.steps}"
        stored = examine(
            canonical.dumps(forged), log=log, scorers=published.tracks, materials=MATERIALS, path=path
        )
        assert stored.verdict is Verdict.INVALID, leaf
        assert stored.exit_code == 3


def test_every_key_removed_or_added_is_invalid(published: Workspace) -> None:
    _, document = by_name(published, "bm25")
    log = snapshot(published).log
    for key in document:
        forged = {name: value for name, value in document.items() if name != key}
        seen = examine(canonical.dumps(forged), log=log, scorers=published.tracks, materials=MATERIALS)
        assert seen.verdict in (Verdict.INVALID, Verdict.UNSUPPORTED), key
    seen = examine(
        canonical.dumps({**document, "extra": 1}), log=log, scorers=published.tracks, materials=MATERIALS
    )
    assert seen.verdict is Verdict.INVALID
    assert seen.failed is not None
    assert "extra" in seen.failed.detail


def test_another_layout_is_checked_on_its_canonical_form_and_said(published: Workspace) -> None:
    path, document = by_name(published, "bm25")
    data = json.dumps(document, indent=2).encode()
    log = snapshot(published).log
    handed = examine(data, log=log, scorers=published.tracks, materials=MATERIALS)
    assert handed.verdict is Verdict.LOGGED
    assert any(step.name == "canonical" and step.state == "warning" for step in handed.steps)
    stored = examine(data, log=log, scorers=published.tracks, materials=MATERIALS, path=path)
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
def test_malformed_bytes_are_invalid_at_parse(published: Workspace, data: bytes, says: str) -> None:
    seen = examine(data, log=snapshot(published).log, scorers=published.tracks, materials=MATERIALS)
    assert seen.verdict is Verdict.INVALID
    assert seen.exit_code == 3
    assert seen.failed is not None
    assert seen.failed.name == "parse"
    assert says in f"{seen.failed.name} {seen.failed.detail}"


def test_a_key_swapped_in_the_repository_is_invalid_and_unknown_elsewhere(published: Workspace) -> None:
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
    log = snapshot(published).log
    handed = examine(data, log=log, scorers=published.tracks, materials=MATERIALS)
    assert handed.verdict is Verdict.UNKNOWN_SIGNER
    assert any("tests.invalid/benchsite/log" in step.detail for step in handed.steps)
    assert (
        examine(data, log=log, scorers=published.tracks, materials=MATERIALS, path=path).verdict
        is Verdict.INVALID
    )
    trusted = examine(
        data, log=log, scorers=published.tracks, materials=MATERIALS, supplied_key=stranger.public
    )
    assert trusted.verdict is Verdict.UNKNOWN_SIGNER
    assert any(step.name == "signature" and step.state == "pass" for step in trusted.steps)


def test_a_bad_signature_under_the_supplied_key_is_invalid(published: Workspace) -> None:
    _, document = by_name(published, "bm25")
    stranger = PrivateKey.generate()
    document["signature"]["publicKeyFingerprint"] = stranger.fingerprint
    seen = examine(
        canonical.dumps(document),
        log=snapshot(published).log,
        scorers=published.tracks,
        materials=MATERIALS,
        supplied_key=stranger.public,
    )
    assert seen.verdict is Verdict.INVALID
    assert seen.failed is not None
    assert seen.failed.field == "signature.value"


def test_the_log_key_must_not_sign_receipts(published: Workspace, secrets: dict[str, PrivateKey]) -> None:
    _, document = by_name(published, "bm25")
    unsigned = {name: value for name, value in document.items() if name != "signature"}
    key = secrets["log"]
    value = signing.encode_base64url(key.sign(canonical.dumps(unsigned)))
    forged = {
        **unsigned,
        "signature": {"algorithm": "Ed25519", "publicKeyFingerprint": key.fingerprint, "value": value},
    }
    seen = examine(
        canonical.dumps(forged), log=snapshot(published).log, scorers=published.tracks, materials=MATERIALS
    )
    assert seen.verdict is Verdict.INVALID
    assert seen.failed is not None
    assert "log key must not sign" in seen.failed.detail


def test_signed_but_not_logged(published: Workspace, secrets: dict[str, PrivateKey]) -> None:
    _, document = by_name(published, "bm25")
    unsigned = {name: value for name, value in document.items() if name != "signature"}
    unsigned["receiptId"] = "11111111-1111-4111-8111-111111111111"
    key = secrets["receipt"]
    value = signing.encode_base64url(key.sign(canonical.dumps(unsigned)))
    made = {
        **unsigned,
        "signature": {"algorithm": "Ed25519", "publicKeyFingerprint": key.fingerprint, "value": value},
    }
    seen = examine(
        canonical.dumps(made), log=snapshot(published).log, scorers=published.tracks, materials=MATERIALS
    )
    assert seen.verdict is Verdict.SIGNED_ONLY
    assert seen.rescore is Rescore.MATCHES
    assert seen.exit_code == 0


def test_a_log_head_the_log_never_had_is_invalid(
    published: Workspace, secrets: dict[str, PrivateKey]
) -> None:
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
        seen = examine(
            canonical.dumps(made),
            log=snapshot(published).log,
            scorers=published.tracks,
            materials=MATERIALS,
        )
        assert seen.verdict is Verdict.INVALID
        assert seen.failed is not None
        assert seen.failed.field == field


def test_a_newer_receipt_in_an_older_clone_is_not_yet_proven_and_not_invalid(
    published: Workspace, begun: Workspace
) -> None:
    """Both logs begin alike; the shorter one has not seen the entries the receipt saw."""
    path, _ = by_name(published, "random")
    newer = next(run.run(published, opened(published), [retrieval_work("recency", seed=99)]))
    assert newer.draft is not None
    draft = parse_draft(newer.draft.read_bytes())
    secret = PrivateKey.from_text(base64.b64encode(b"\x02" * 32).decode(), "receipt")
    value = signing.encode_base64url(secret.sign(draft.signed_bytes()))
    data = seal(draft, fingerprint=secret.fingerprint, value=value).file_bytes()
    seen = examine(data, log=snapshot(begun).log, scorers=begun.tracks, materials=MATERIALS)
    assert seen.verdict is Verdict.SIGNED_ONLY
    assert seen.exit_code == 0
    assert any("this copy may be stale" in step.detail for step in seen.steps)
    assert path


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
    scorers = __import__("benchsite.plugins", fromlist=["tracks"]).tracks()
    seen = examine(data, log=None, scorers=scorers, materials=MATERIALS, supplied_key=key)
    assert seen.verdict is Verdict.UNKNOWN_SIGNER
    assert any(step.name == "signature" and step.state == "pass" for step in seen.steps)
    assert seen.rescore is Rescore.NOT_RESCORABLE
    assert seen.exit_code == 3
    said = " ".join(item.message for item in seen.rescoring.violations)
    assert "nDCG@10 is 0.913 but hit rate@10 is 0.778" in said
    assert "more than once" in said


def test_outside_an_instance_files_can_still_be_verified(tmp_path: Path) -> None:
    assert optional_workspace(tmp_path) is None
    (tmp_path / "x.json").write_bytes(b"{}")
    (tmp_path / "y.json").write_bytes(b"[]")
    checked = list(checking.verify(None, [str(tmp_path / "x.json"), str(tmp_path / "y.json"), "abcdef"]))
    assert [item.exit_code for item in checked] == [5, 3, 2]


def test_a_receipt_of_another_benchmark_is_unsupported_and_in_the_record_invalid(
    published: Workspace,
) -> None:
    path, document = by_name(published, "bm25")
    log = snapshot(published).log
    foreign = {name: document[name] for name in ("receiptId", "ranAt", "signature")} | {
        "kind": "convergence-v0.1-preview"
    }
    data = canonical.dumps(foreign)
    handed = examine(data, log=log, scorers=published.tracks, materials=MATERIALS)
    assert handed.verdict is Verdict.UNSUPPORTED
    assert handed.exit_code == 5
    assert handed.failed is None
    for place in (path, path.replace(document["receiptId"], "0" * 36)):
        stored = examine(data, log=log, scorers=published.tracks, materials=MATERIALS, path=place)
        assert stored.verdict is Verdict.INVALID
        assert stored.failed is not None
        assert stored.failed.field == "schemaVersion"


def test_what_is_left_of_a_receipt_without_its_schema(published: Workspace) -> None:
    """Handed over it cannot be judged, but in the shape of schema 0.0.1 it is judged as one; in the record it is invalid."""
    path, document = by_name(published, "bm25")
    log = snapshot(published).log
    del document["schemaVersion"]
    bare = {name: value for name, value in document.items() if name != "perQuery"}
    for left, verdict in ((document, Verdict.INVALID), (bare, Verdict.UNSUPPORTED)):
        data = canonical.dumps(left)
        assert examine(data, log=log, scorers=published.tracks, materials=MATERIALS).verdict is verdict
        assert (
            examine(data, log=log, scorers=published.tracks, materials=MATERIALS, path=path).verdict
            is Verdict.INVALID
        )


def test_a_draft_is_called_a_draft(begun: Workspace) -> None:
    result = next(run.run(begun, opened(begun), [retrieval_work("recency")]))
    assert result.draft is not None
    seen = examine(
        result.draft.read_bytes(), log=snapshot(begun).log, scorers=begun.tracks, materials=MATERIALS
    )
    assert seen.failed is not None
    assert seen.failed.detail == "draft: not signed yet"


def test_the_wrong_key_given_is_not_held_against_the_file(published: Workspace) -> None:
    _, document = by_name(published, "bm25")
    seen = examine(
        canonical.dumps(document),
        log=None,
        scorers=published.tracks,
        materials=MATERIALS,
        supplied_key=PrivateKey.generate().public,
    )
    assert seen.verdict is Verdict.UNKNOWN_SIGNER
    assert any(step.name == "signature" and step.state == "not checked" for step in seen.steps)


def test_an_unchecked_signature_ends_in_5_and_the_hint_names_the_key(
    published: Workspace, secrets: dict[str, PrivateKey], tmp_path: Path
) -> None:
    _, document = by_name(published, "bm25")
    handed = tmp_path / "r.json"
    handed.write_bytes(canonical.dumps(document))
    signer, other = secrets["receipt"], PrivateKey.generate()

    def verified(key: bytes | None) -> checking.Checked:
        return next(checking.verify(None, [str(handed)], key=key))

    unchecked, wrong, right = verified(None), verified(other.public), verified(signer.public)
    assert [item.exit_code for item in (unchecked, wrong, right)] == [5, 5, 0]
    assert unchecked.hint(None).startswith(
        "clone the site's repository and run it there, or benchsite verify --key PEM"
    )
    assert signer.fingerprint in unchecked.hint(None)
    assert "--key" not in wrong.hint(other.public)
    assert signer.fingerprint in wrong.hint(other.public)
    assert other.fingerprint in wrong.hint(other.public)
    assert right.hint(signer.public) == ""
    handed.write_bytes(canonical.dumps({**document, "simulated": True}))
    assert [verified(key).exit_code for key in (None, other.public, signer.public)] == [5, 5, 3]


def test_a_draft_is_no_receipt_to_verify(begun: Workspace, tmp_path: Path) -> None:
    result = next(run.run(begun, opened(begun), [retrieval_work("recency")]))
    assert result.draft is not None
    name = str(result.draft)
    checked = next(checking.verify(opened(begun), [name]))
    assert (checked.exit_code, checked.examination) == (5, None)
    assert checked.error is not None
    assert "draft: not signed yet" in checked.error.message
    assert f"benchsite rescore {name}" in checked.hint(None)
    absent = next(checking.verify(opened(begun), [str(tmp_path / "absent.json")]))
    assert (absent.exit_code, absent.examination) == (4, None)


def test_a_logged_receipt_without_its_signature_is_no_draft(published: Workspace, tmp_path: Path) -> None:
    _, document = by_name(published, "bm25")
    del document["signature"]
    (tmp_path / "r.json").write_bytes(canonical.dumps(document))
    (checked,) = checking.verify(opened(published), [str(tmp_path / "r.json")])
    assert checked.exit_code == 3
    (outside,) = checking.verify(None, [str(tmp_path / "r.json")])
    assert outside.exit_code == 5
