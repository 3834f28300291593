from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from builders import FIXTURE, commit, retrieval_work
from publishing import edit, measure
from snapshots import opened, snapshot

from benchsite.environment import Credentials
from benchsite.errors import InputError, IntegrityError, PrerequisiteError, UsageError
from benchsite.history import Header, Verdict
from benchsite.pipeline import publish
from benchsite.pipeline.measure import run
from benchsite.pipeline.measure.reproduce import reproduce
from benchsite.pipeline.publish import events
from benchsite.pipeline.publish import links_check as claims
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace import drafts as draft_files

ADAPTER = """\
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    method, result = request["method"], None
    if method == "initialize":
        result = {"name": "stranger", "version": "VERSION", "author": "tests"}
    if method == "ingest":
        known = [item["id"] for item in request["params"]["items"]]
    if method == "query":
        result = {"hits": [[known[PLACE], 1.0, "x"]]}
    print(json.dumps({"jsonrpc": "2.0", "id": request.get("id"), "result": result}), flush=True)
    if method == "shutdown":
        break
"""


def command(folder: Path, place: int = 0, version: str = "1.0") -> str:
    """A program that answers every question with the item at this place of its scope."""
    path = folder / "adapter.py"
    path.write_text(ADAPTER.replace("PLACE", str(place)).replace("VERSION", version))
    return f"command:{sys.executable} {path}"


def receipt_of(instance: Workspace, subject: str) -> Header:
    return next(
        header
        for header in snapshot(instance).history()
        if header.summary is not None and header.summary.subject.name == subject
    )


def publish_command(instance: Workspace, credentials: Credentials, subject: str) -> str:
    (result,) = run.run(instance, opened(instance), [retrieval_work(subject)])
    assert result.draft is not None, result.reason
    publish.publish(instance, opened(instance), [result.draft], credentials, push=False)
    return result.receipt_id


def test_the_same_run_gives_the_same_numbers_and_fills_the_originals_page(
    published: Workspace, credentials: Credentials
) -> None:
    original = receipt_of(published, "sqlite-fts5")
    found = reproduce(published, opened(published), original.receipt_id[:8])
    assert found.identical
    assert (found.differences, found.queries, found.warnings) == ((), (), ())
    assert found.result.draft is not None
    document = json.loads(found.result.draft.read_bytes())
    assert document["reproduces"] == original.receipt_id
    old = json.loads(snapshot(published).receipt_bytes(original.receipt_id)[1])
    assert document["scores"] == old["scores"]
    assert document["config"] == old["config"]
    assert found.compared == len(old["scores"])
    publish.publish(published, opened(published), [found.result.draft], credentials, push=False)
    (copy,) = receipt_of(published, "sqlite-fts5").reproduced_by
    assert (copy.receipt_id, copy.outcome) == (document["receiptId"], "identical")


def test_every_setting_of_the_receipt_is_taken_over(begun: Workspace, credentials: Credentials) -> None:
    path = measure(
        begun,
        "sqlite-fts5",
        ks=(2, 3),
        seed=11,
        limit=5,
        repeats=2,
        timeout=7.5,
        options={"stopwords": True},
    )
    publish.publish(begun, opened(begun), [path], credentials, push=False)
    found = reproduce(begun, opened(begun), path.stem)
    assert found.identical
    assert found.result.draft is not None
    config = json.loads(found.result.draft.read_bytes())["config"]
    # Written out from the call above; `isolation` and `importer` are the same for every run of this fixture.
    assert {key: config[key] for key in ("k", "seed", "limit", "repeats", "timeoutSeconds", "options")} == {
        "k": [2, 3],
        "seed": 11,
        "limit": 5,
        "repeats": 2,
        "timeoutSeconds": 7.5,
        "options": {"stopwords": True},
    }


def test_what_differs_is_named_score_by_score_and_question_by_question(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    original = publish_command(begun, credentials, command(tmp_path, place=0))
    warned: list[str] = []
    found = reproduce(begun, opened(begun), original, subject=command(tmp_path, place=1), warn=warned.append)
    assert not found.identical
    # a0 answers q0 and b0 nothing: 1 of 7 questions with an answer. a1 answers q2, b1 answers q3: 2 of 7.
    success = {item.field: (item.recorded, item.computed) for item in found.differences}
    assert success["scores.success_at_1"] == (1 / 7, 2 / 7)
    assert {name for name, _ in found.queries} == {f"q{place}" for place in range(8)}
    assert dict(found.queries)["q0"] == "from rank 1: a0 became a1"
    assert warned == list(found.warnings)
    assert "the source of stranger here has sha256" in warned[0]


def test_other_numbers_can_be_published_and_the_record_shows_them(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """The adapter answers from a file beside it, so that its source stays the same and its answers do not."""
    answers = tmp_path / "answers.txt"
    path = tmp_path / "adapter.py"
    path.write_text(ADAPTER.replace("PLACE", f"int(open({str(answers)!r}).read())").replace("VERSION", "1.0"))
    subject = f"command:{sys.executable} {path}"
    answers.write_text("0")
    original = publish_command(begun, credentials, subject)
    answers.write_text("1")
    found = reproduce(begun, opened(begun), original, subject=subject)
    assert (found.identical, found.warnings) == (False, ())
    assert found.result.draft is not None
    publish.publish(begun, opened(begun), [found.result.draft], credentials, push=False)
    (copy,) = receipt_of(begun, "stranger").reproduced_by
    assert copy.outcome == "differs"


def test_another_version_is_refused_before_anything_is_measured(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    original = publish_command(begun, credentials, command(tmp_path, version="1.0"))
    with pytest.raises(PrerequisiteError, match=r"stranger 1\.0, .*1\.1"):
        reproduce(begun, opened(begun), original, subject=command(tmp_path, version="1.1"))
    assert begun.draft_paths() == []


def test_a_command_must_be_given_again(begun: Workspace, credentials: Credentials, tmp_path: Path) -> None:
    original = publish_command(begun, credentials, command(tmp_path))
    with pytest.raises(UsageError, match="start command") as caught:
        reproduce(begun, opened(begun), original)
    assert "--adapter" in caught.value.hint


def test_an_unknown_receipt_and_a_draft_are_refused(published: Workspace) -> None:
    with pytest.raises(UsageError, match="no receipt named"):
        reproduce(published, opened(published), "0f8fad5b-d9cb-469f-a165-70867728950e")
    draft = measure(published)
    with pytest.raises(UsageError, match="is a draft"):
        reproduce(published, opened(published), draft.stem)


def test_a_receipt_of_another_log_is_refused(
    begun: Workspace, published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """Signed by the same keys and in nobody's log here."""
    path = measure(begun)
    publish.publish(begun, opened(begun), [path], credentials, push=False)
    loose = tmp_path / "loose.json"
    loose.write_bytes(snapshot(begun).receipt_bytes(path.stem)[1])
    with pytest.raises(UsageError, match="in the log"):
        reproduce(published, opened(published), str(loose))


def test_what_was_measured_elsewhere_cannot_be_run_again(begun: Workspace, credentials: Credentials) -> None:
    path = edit(measure(begun), {"origin": "external-run"})
    publish.publish(begun, opened(begun), [path], credentials, push=False)
    with pytest.raises(UsageError, match=r"\(origin external-run\)"):
        reproduce(begun, opened(begun), path.stem)


def test_a_tampered_receipt_is_refused(published: Workspace, tmp_path: Path) -> None:
    _, data = snapshot(published).receipt_bytes(receipt_of(published, "bm25").receipt_id)
    loose = tmp_path / "loose.json"
    loose.write_bytes(data.replace(b'"seed":7', b'"seed":8'))
    with pytest.raises(IntegrityError, match="signature"):
        reproduce(published, opened(published), str(loose))


def test_other_data_is_refused_and_missing_data_says_where_it_came_from(published: Workspace) -> None:
    original = receipt_of(published, "recency").receipt_id
    path = published.fixture_path(FIXTURE)
    document = json.loads(path.read_bytes())
    document["items"][0]["content"] = "changed"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="dataset small-v1 differs"):
        reproduce(published, opened(published), original)
    path.unlink()
    with pytest.raises(InputError, match="small-v1 is missing"):
        reproduce(published, opened(published), original)


def test_missing_data_that_was_imported_names_the_importer(
    begun: Workspace, credentials: Credentials
) -> None:
    path = begun.fixture_path(FIXTURE)
    document = {
        **json.loads(path.read_bytes()),
        "importer": {"kind": "locomo", "sha256": "0b" * 32, "options": {}},
    }
    commit(begun, {f"fixtures/{FIXTURE}/fixture.json": json.dumps(document).encode()})
    original = measure(begun)
    publish.publish(begun, opened(begun), [original], credentials, push=False)
    path.unlink()
    with pytest.raises(InputError, match="is missing") as caught:
        reproduce(begun, opened(begun), original.stem)
    assert caught.value.hint == "it was imported: benchsite fixture import locomo PATH --id small-v1"


def test_a_reproduction_does_not_stand_for_a_measurement(
    published: Workspace, credentials: Credentials
) -> None:
    """Its original withdrawn, `run --changed` measures the system again."""
    original = receipt_of(published, "recency").receipt_id
    found = reproduce(published, opened(published), original)
    assert found.result.draft is not None
    publish.publish(published, opened(published), [found.result.draft], credentials, push=False)
    withdrawn = events.retraction(original, "measured by mistake")
    events.announce(published, credentials, withdrawn, push=False)
    (result,) = run.run(published, opened(published), [retrieval_work("recency")], changed=True, dry_run=True)
    assert result.state == "planned"


def test_other_rules_are_refused(published: Workspace) -> None:
    original = receipt_of(published, "recency").receipt_id
    rules = published.root / "methodology/retrieval/1.0.0/text.md"
    rules.write_text(rules.read_text() + "\nOne more sentence.\n")
    with pytest.raises(InputError, match=r"retrieval 1\.0\.0 differs"):
        reproduce(Workspace(published.root), opened(Workspace(published.root)), original)


def test_a_reproduction_can_be_reproduced(published: Workspace, credentials: Credentials) -> None:
    original = receipt_of(published, "recency").receipt_id
    for _ in range(2):
        found = reproduce(published, opened(published), original)
        assert found.result.draft is not None
        publish.publish(published, opened(published), [found.result.draft], credentials, push=False)
        original = found.result.receipt_id
    history = snapshot(published).history()
    header = history.get(original)
    assert header is not None
    assert (header.verdict, header.reproduction) == (Verdict.LOGGED, "identical")


@pytest.mark.parametrize(
    ("reproduces", "match"),
    [
        ("0f8fad5b-d9cb-469f-a165-70867728950e", "in the log"),
        ("itself", "in the log"),
        ("random", "measured something else"),
    ],
)
def test_a_draft_may_not_claim_to_reproduce_what_it_does_not(
    published: Workspace, reproduces: str, match: str
) -> None:
    path = measure(published, "bm25")
    named: dict[str, Any] = {
        "itself": path.stem,
        "random": receipt_of(published, "random").receipt_id,
    }
    draft = draft_files.load(edit(path, {"reproduces": named.get(reproduces, reproduces)}))
    log = snapshot(published).log
    assert log is not None
    with pytest.raises(IntegrityError, match=match):
        claims.check(opened(published), log, draft)


def test_a_fair_claim_passes(published: Workspace) -> None:
    draft = edit(measure(published, "bm25"), {"reproduces": receipt_of(published, "bm25").receipt_id})
    log = snapshot(published).log
    assert log is not None
    claims.check(opened(published), log, draft_files.load(draft))
