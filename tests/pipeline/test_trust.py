"""Whose draft it is decides what is asked of it: malformed drafts stop no good one, and a job's are bounded by the suite."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import commit, retrieval_work
from examples import some
from publishing import edit, git, measure, remote_pair, suite
from snapshots import log_of, opened, snapshot

from benchsite import canonical
from benchsite.environment import Credentials
from benchsite.errors import InputError, IntegrityError
from benchsite.layout import inbox_path, receipt_path
from benchsite.pipeline import publish
from benchsite.pipeline.measure import compose, run
from benchsite.pipeline.measure.register import announcer
from benchsite.pipeline.publish import candidates, inbox
from benchsite.pipeline.workspace import Workspace
from benchsite.repo.head import resolve_head
from benchsite.track import Measurement
from benchsite.tracks.retrieval import metrics
from benchsite.tracks.retrieval.scores import scoring

Change = Callable[[dict[str, Any]], Any]


def without(*names: str) -> Change:
    return lambda document: [document.pop(name, None) for name in names]


def having(name: str, value: object) -> Change:
    return lambda document: document.update({name: value})


MALFORMED: dict[str, Change] = {
    "no scores": without("scores"),
    "scores a list": having("scores", []),
    "no fixture": without("fixture"),
    "a fixture that is text": having("fixture", "x"),
    "no adapter": without("adapter"),
    "an adapter that is a number": having("adapter", 7),
    "the track of another payload": having("track", "rubric"),
    "a track that is not installed": having("track", "latency"),
    "no config": without("config"),
    "a config without k": having("config", {}),
    "no methodology": without("methodology"),
    "an unknown methodology": lambda d: d["methodology"].update(version="9.9.9"),
    "queries that are null": having("perQuery", None),
    "queries that are empty objects": having("perQuery", [{}] * 50),
    "no denominators": without("denominators"),
    "an unknown schema": having("schemaVersion", "7.0.0"),
    "a member too many": having("sudo", True),
    "a date that is none": having("ranAt", "2026-02-31T00:00:00Z"),
    "evidence that is text": having("evidence", "x"),
}


def sent(instance: Workspace, path: Path, change: Change) -> str:
    """A draft in the inbox, committed; its repository path. `path` is the measured one, which goes."""
    document = json.loads(path.read_bytes())
    path.unlink()
    change(document)
    place = inbox_path(path.stem)
    commit(instance, {place: canonical.dumps(document)})
    return place


def test_malformed_drafts_in_the_inbox_stop_no_good_one(begun: Workspace, credentials: Credentials) -> None:
    path = measure(begun)
    bad = {}
    files = {}
    for number, (what, change) in enumerate(MALFORMED.items()):
        document = json.loads(path.read_bytes())
        document["receiptId"] = name = f"0f8fad5b-d9cb-469f-a165-7086772895{number:02x}"
        change(document)
        bad[name] = what
        files[inbox_path(name)] = canonical.dumps(document)
    commit(begun, files)
    good = sent(begun, path, lambda _: None)
    instance = Workspace(begun.root)
    done = publish.publish(
        instance, opened(instance), candidates.named(instance, opened(instance), []), credentials, push=False
    )
    assert done.receipts == (Path(good).stem,)
    assert {bad[name] for name in done.left} == {*MALFORMED}
    for name, error in done.left.items():
        assert error.exit_code in (3, 4, 5), bad[name]
        assert error.message, bad[name]
        assert instance.repository.read(inbox_path(name), rev="HEAD") is not None, (
            "it stays, for its submitter to see"
        )


def test_a_malformed_draft_of_ones_own_is_a_sentence(begun: Workspace, credentials: Credentials) -> None:
    path = measure(begun)
    good = path.read_bytes()
    for change in MALFORMED.values():
        document = json.loads(good)
        change(document)
        path.write_bytes(canonical.dumps(document))
        with pytest.raises((InputError, IntegrityError, Exception)) as caught:
            publish.publish(begun, opened(begun), [path], credentials, push=False)
        assert type(caught.value).__module__.startswith("benchsite."), caught.value
        candidates.discard(begun, path)
    assert list(candidates.review(begun, opened(begun))) == []


# --- what a measuring job hands over ---------------------------------------------------------------------------------


def entry_draft(instance: Workspace, place: int = 0) -> Path:
    """The draft that an entry of the suite makes."""
    (result,) = run.run(instance, opened(instance), [run.entry_work(instance, place)])
    assert result.draft is not None, result.reason
    return result.draft


def forged(path: Path, **changes: Any) -> Path:
    """A consistent draft with perfect answers, under a new id."""
    document = json.loads(path.read_bytes())
    for row in document["perQuery"]:
        row["retrieved"] = [item["id"] for item in row["expected"]]
        row["foreign"] = []
        rank = scoring.Query.from_row(row).rank(document["config"]["k"][-1])
        row.update(hit=rank is not None, rank=rank)
    rows = (scoring.Query.from_row(row) for row in document["perQuery"])
    document.update(metrics.score(rows, document["config"]["k"]).sections(seed=document["config"]["seed"]))
    document["receiptId"] = "0f8fad5b-d9cb-469f-a165-70867728950e"
    for name, value in changes.items():
        document[name] = {**document[name], **value} if isinstance(value, dict) else value
    made = path.with_name(f"{document['receiptId']}.json")
    made.write_bytes(canonical.dumps(document))
    return made


def test_a_run_of_an_entry_is_published_once(begun: Workspace, credentials: Credentials) -> None:
    instance = suite(begun, "recency", "bm25")
    paths = [entry_draft(instance, 0), entry_draft(instance, 1)]
    done = publish.publish(instance, opened(instance), paths, credentials, push=False, untrusted=True)
    assert sorted(done.receipts) == sorted(path.stem for path in paths)
    again = entry_draft(instance, 0)
    done = publish.publish(instance, opened(instance), [again], credentials, push=False, untrusted=True)
    assert done.receipts == ()
    assert "is already published" in done.left[again.stem].message


INVENTED: tuple[dict[str, Any], ...] = (
    {"adapter": {"name": "invented"}},
    {"config": {"seed": 8}},
    {"config": {"options": {"stopwords": True}}},
    {"config": {"repeats": 2}},
    {"config": {"timeoutSeconds": 1.0}},
    {"fixture": {"id": "another"}},
)


def test_a_job_hands_over_runs_of_the_suite_only(begun: Workspace, credentials: Credentials) -> None:
    """S1: an adapter in a measuring job wrote 46 systems that no suite lists, and all were signed."""
    instance = suite(begun, "recency")
    honest = entry_draft(instance)
    for changes in INVENTED:
        made = forged(honest, **changes)
        with pytest.raises(IntegrityError, match="matches no entry"):
            publish.publish(
                instance, opened(instance), [honest, made], credentials, push=False, untrusted=True
            )
        assert log_of(instance).receipts == {}
    done = publish.publish(instance, opened(instance), [honest], credentials, push=False, untrusted=True)
    assert done.receipts == (honest.stem,)


def test_an_entry_has_one_draft(begun: Workspace, credentials: Credentials) -> None:
    instance = suite(begun, "recency")
    honest = entry_draft(instance)
    with pytest.raises(IntegrityError, match="another draft matches"):
        publish.publish(
            instance, opened(instance), [honest, forged(honest)], credentials, push=False, untrusted=True
        )
    assert log_of(instance).receipts == {}


@pytest.mark.parametrize(
    "change",
    [{"supersedes": "x"}, {"origin": "import"}, {"ranBy": {"kind": "workflow", "name": "another/job"}}],
    ids=str,
)
def test_a_job_s_draft_acts_on_nothing_and_names_no_other_runner(
    published: Workspace, credentials: Credentials, change: dict[str, Any]
) -> None:
    instance = suite(published, "sqlite-fts5")
    if change == {"supersedes": "x"}:
        change = {"supersedes": next(iter(log_of(instance).receipts))}
    path = edit(entry_draft(instance), change)
    with pytest.raises(IntegrityError, match="the suite gives"):
        publish.publish(instance, opened(instance), [path], credentials, push=False, untrusted=True)


def test_a_program_takes_no_name_of_the_suite(begun: Workspace, credentials: Credentials) -> None:
    """A `command:` entry names no system; what it calls itself must not be another entry's name."""
    instance = suite(begun, "recency", '"command:./own"')
    path = entry_draft(instance, 0)
    first = publish.publish(instance, opened(instance), [path], credentials, push=False, untrusted=True)
    assert first.receipts == (path.stem,)
    other = forged(measure(instance), config={"subjectSha256": "ab" * 32})
    with pytest.raises(IntegrityError, match="draft matches|no entry"):
        publish.publish(
            instance, opened(instance), [other, forged_twin(other)], credentials, push=False, untrusted=True
        )


def forged_twin(path: Path) -> Path:
    """The same draft under another id."""
    document = json.loads(path.read_bytes())
    document["receiptId"] = "1f8fad5b-d9cb-469f-a165-70867728950e"
    made = path.with_name(f"{document['receiptId']}.json")
    made.write_bytes(canonical.dumps(document))
    return made


def test_a_draft_that_left_the_inbox_upstream_is_not_signed(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """What a maintainer refused and removed must not be signed by a clone that is behind."""
    place = sent(begun, measure(begun), lambda _: None)
    here, there = remote_pair(begun, tmp_path)
    paths = candidates.named(here, opened(here), [])
    assert [path.name for path in paths] == [Path(place).name]
    commit(there, {}, removes=(place,))
    there.repository.push("HEAD")
    done = publish.publish(here, opened(here), paths, credentials)
    assert done.receipts == ()
    assert "was removed from the inbox" in done.left[Path(place).stem].message
    assert log_of(here).receipts == {}


def test_a_repository_behind_a_link_is_published_in(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(begun.root)
    instance = Workspace(link)
    draft = measure(instance)
    done = publish.publish(instance, opened(instance), [draft], credentials, push=False)
    assert done.receipts == (draft.stem,)
    assert instance.repository.changed_paths("results", "keys") == []
    assert (link / receipt_path(draft.stem)).is_file()


@pytest.mark.stories
def test_folders_nested_deeper_than_python_calls_stop_nothing(
    begun: Workspace, credentials: Credentials
) -> None:
    deep = "/".join("a" * 1 for _ in range(1_500))
    instance = begun
    parent = resolve_head(instance.repository)
    made = instance.repository.build_commit(
        {f"results/inbox/{deep}/x.json": b"{}"}, parent=parent, message="deep"
    )
    instance.repository.advance(made, expected=parent)
    git(instance.root, "reset", "-q", "--hard")
    draft = measure(instance)
    done = publish.publish(instance, opened(instance), [draft], credentials, push=False)
    assert done.receipts == (draft.stem,)
    assert len(inbox.sent(opened(instance))) == 1
    subprocess.run(
        ["rm", "-rf", str(instance.root / "results/inbox")], check=True
    )  # deeper than pytest removes


def test_a_draft_of_ones_own_outlives_another_one_s_of_its_id(
    begun: Workspace, credentials: Credentials
) -> None:
    place = sent(begun, measure(begun), lambda _: None)
    own = begun.drafts / Path(place).name
    own.write_bytes(b"not that run")
    done = publish.publish(
        Workspace(begun.root), opened(Workspace(begun.root)), [begun.root / place], credentials, push=False
    )
    assert done.receipts == (own.stem,)
    assert own.read_bytes() == b"not that run"


def test_scratch_of_the_remote_does_not_come_into_the_working_tree(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    here, there = remote_pair(begun, tmp_path)
    commit(there, {".benchsite/drafts/smuggled.json": b"{}"})
    there.repository.push("HEAD")
    with pytest.raises(IntegrityError, match=r"committed: \.benchsite/"):
        publish.publish(here, opened(here), [], credentials)
    assert not (here.drafts / "smuggled.json").exists()


@pytest.mark.parametrize("named", ["mkdocs.yml", "results/log/checkpoint", "../precious"])
def test_only_drafts_are_discarded(begun: Workspace, named: str) -> None:
    path = begun.root / named
    if not path.exists():
        path.write_text("precious")
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"in \.benchsite/drafts"):
        candidates.discard(begun, path)
    assert path.read_bytes() == before


# --- members of the envelope -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    some([{"intentId": "ID"}, {"x": '"intentId":"ID"'}, {"note": "ID"}], gate=1),
    ids=["a key", "text that looks like a member", "a value"],
)
def test_only_the_envelope_s_intent_reports_a_run(
    begun: Workspace, credentials: Credentials, options: dict[str, str]
) -> None:
    """B1: a submitter's options blocked an announced run permanently."""
    announce = announcer(begun, opened(begun), credentials, push=False)
    (result,) = run.run(begun, opened(begun), [retrieval_work("bm25")], announce=announce)
    assert result.draft is not None
    assert result.announced is not None
    said = {key: value.replace("ID", result.announced.intent_id) for key, value in options.items()}

    def imitate(document: dict[str, Any]) -> None:
        document["config"]["options"] = said

    place = sent(begun, measure(begun), imitate)
    instance = Workspace(begun.root)
    done = publish.publish(instance, opened(instance), [instance.root / place], credentials, push=False)
    assert done.receipts == (Path(place).stem,)
    done = publish.publish(
        Workspace(begun.root), opened(Workspace(begun.root)), [result.draft], credentials, push=False
    )
    assert done.receipts == (result.receipt_id,)
    assert snapshot(instance).history().unreported == ()


@pytest.mark.parametrize(
    "member", some(["ranBy", "origin", "receiptId", "simulated", "config", "evidence"], gate=3)
)
def test_a_payload_sets_no_member_of_the_envelope(begun: Workspace, member: str) -> None:
    """B7: a track's measurement said who had run it."""
    document = json.loads(measure(begun).read_bytes())
    own = ("adapter", "fixture", "scores", "denominators", "intervals", "byCategory", "timing", "perQuery")
    payload = {name: document[name] for name in (*own, "determinism", "faults")}
    rules = begun.methodologies.read("retrieval", "1.0.0")
    started = compose.start(begun, opened(begun))
    with pytest.raises(InputError, match=f"reserved key .*'{member}'"):
        compose.finish(
            started,
            "retrieval",
            rules,
            Measurement(document["config"], {**payload, member: document[member]}),
        )
    told = Measurement(document["config"], payload, simulated=True, origin="import")
    made = compose.finish(started, "retrieval", rules, told)
    assert (made.document["simulated"], made.document["origin"]) == (True, "import")
