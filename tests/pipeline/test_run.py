from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from builders import FIXTURE, commit, retrieval_work
from examples import some
from snapshots import opened, snapshot
from subjects import of_folder

from benchsite.environment import Credentials
from benchsite.errors import InputError, PrerequisiteError
from benchsite.isolation import sandbox
from benchsite.pipeline import publish
from benchsite.pipeline.measure import run
from benchsite.pipeline.workspace import Workspace
from benchsite.repo.head import resolve_head

ADAPTER = """\
import json, os, pathlib, sys
for line in sys.stdin:
    request = json.loads(line)
    method = request["method"]
    result = None
    if method == "initialize":
        result = {"name": "stranger", "version": "1.0", "author": "tests"}
    if method == "ingest":
        known = [item["id"] for item in request["params"]["items"]]
    if method == "query":
        result = {"hits": [[ANSWER, 1.0, "x"]]}
    print(json.dumps({"jsonrpc": "2.0", "id": request.get("id"), "result": result}), flush=True)
    if method == "shutdown":
        break
"""


def adapter(folder: Path, answer: str) -> str:
    path = folder / "adapter.py"
    path.write_text(ADAPTER.replace("ANSWER", answer))
    return f"command:{sys.executable} {path}"


def test_a_command_in_any_language_is_measured(begun: Workspace, tmp_path: Path) -> None:
    result = next(run.run(begun, opened(begun), [retrieval_work(adapter(tmp_path, "known[0]"))]))
    assert result.draft is not None, result.reason
    document = json.loads(result.draft.read_bytes())
    assert document["adapter"]["name"] == "stranger"
    # The first item of each scope answers q0 of scope a only: 1 of the 7 questions that have an answer.
    assert document["denominators"]["success_at_1"] == {"num": 1, "den": 7, "excluded": 1}


def test_foreign_ids_are_counted_and_strict_fails_on_them(begun: Workspace, tmp_path: Path) -> None:
    command = adapter(tmp_path, '"made up"')
    counted, failed = run.run(
        begun, opened(begun), [retrieval_work(command), retrieval_work(command, strict=True)]
    )
    assert counted.draft is not None
    document = json.loads(counted.draft.read_bytes())
    assert document["faults"]["foreignIds"] == 8
    assert "made up" not in counted.draft.read_text(), "a receipt holds no free text of a subject"
    assert failed.state == "failed"
    assert isinstance(failed.error, InputError)
    assert "not in the scope" in failed.reason


def test_a_commit_that_lands_before_a_run_is_not_the_commit_of_its_receipt(begun: Workspace) -> None:
    """The log head and the commit of a receipt are those of one snapshot, of which the tree then differs."""
    before = opened(begun)
    commit(begun, {"content/note.md": b"# A note\n"})
    result = next(run.run(begun, before, [retrieval_work("recency")]))
    assert result.draft is not None
    recorded = json.loads(result.draft.read_bytes())["environment"]["git"]
    assert recorded == {"commit": before.commit, "dirty": True, "tag": None}


def test_what_a_receipt_says_of_its_moment(begun: Workspace) -> None:
    result = next(run.run(begun, opened(begun), [retrieval_work("recency")]))
    assert result.draft is not None
    document = json.loads(result.draft.read_bytes())
    log = snapshot(begun).log
    assert log is not None
    assert document["logHead"] == {
        "origin": log.origin,
        "size": 3,
        "root": base64.b64encode(log.root()).decode(),
    }
    assert document["environment"]["git"] == {
        "commit": resolve_head(begun.repository),
        "dirty": False,
        "tag": None,
    }
    assert document["methodology"] == begun.methodologies.read("retrieval", "1.0.0").reference
    assert document["simulated"] is False


@pytest.mark.parametrize(
    ("first", "options"), some([(65, ()), (1, ("--register",))], gate=1), ids=["run", "registered"]
)
def test_an_adapter_that_looks_for_keys_finds_none(
    begun: Workspace, tmp_path: Path, first: int, options: tuple[str, ...]
) -> None:
    """The threat table's row, end to end: planted keys, a hostile adapter, its environment and its parent's.

    Announcing a run signs with the log key in force (seeds of 32 equal bytes, from 1) before the adapter is measured.
    """
    seeds = {
        f"BENCHSITE_{role}_KEY": base64.b64encode(bytes([first + place]) * 32).decode()
        for place, role in enumerate(("ROOT", "RECEIPT", "LOG"))
    }
    found = tmp_path / "found.bin"
    path = tmp_path / "hostile.py"
    path.write_text(
        "import os, pathlib\n"
        f"loot = open({str(found)!r}, 'ab')\n"
        "loot.write(repr(dict(os.environ)).encode())\n"
        "process = os.getpid()\n"
        "while process > 1:\n"
        "    status = pathlib.Path(f'/proc/{process}/status')\n"
        "    for name in ('environ', 'cmdline'):\n"
        "        try:\n"
        "            loot.write(pathlib.Path(f'/proc/{process}/{name}').read_bytes())\n"
        "        except OSError as error:\n"
        "            loot.write(repr(error).encode())\n"
        f"    if b'pytest' in pathlib.Path(f'/proc/{{process}}/cmdline').read_bytes(): break\n"
        "    process = int(status.read_text().split('PPid:')[1].split()[0])\n"
        "loot.flush()\n" + ADAPTER.replace("ANSWER", "known[0]")
    )
    clean = {name: value for name, value in os.environ.items() if not name.startswith("BENCHSITE_")}
    out = subprocess.run(
        [
            *(sys.executable, "-m", "benchsite", "run", "retrieval", "--fixture", FIXTURE),
            *("--adapter", f"command:{sys.executable} {path}", *options),
        ],
        cwd=begun.root,
        env={**clean, **seeds},
        capture_output=True,
        text=True,
        check=False,
    )
    assert out.returncode == 0, out.stderr
    loot = found.read_bytes()
    assert b"benchsite" in loot, "the hostile adapter did run and did look"
    written = b"".join(path.read_bytes() for path in begun.drafts.glob("*"))
    for seed in seeds.values():
        assert seed.encode() not in loot
        assert seed not in out.stdout + out.stderr
        assert seed.encode() not in written


def test_limited_runs_are_recorded_as_such(begun: Workspace) -> None:
    result = next(run.run(begun, opened(begun), [retrieval_work("recency", limit=3)]))
    assert result.draft is not None
    document = json.loads(result.draft.read_bytes())
    assert document["config"]["limit"] == 3
    assert len(document["perQuery"]) == 3


def test_repeats_say_whether_they_agreed(begun: Workspace) -> None:
    result = next(run.run(begun, opened(begun), [retrieval_work("bm25", repeats=3)]))
    assert result.draft is not None
    document = json.loads(result.draft.read_bytes())
    assert document["determinism"] == {"runs": 3, "identical": True, "differing": []}


@pytest.mark.parametrize("methodology", ["0.0.1", "9.9.9"])
def test_rules_that_cannot_be_scored_under_fail_before_a_draft_is_left(
    begun: Workspace, methodology: str
) -> None:
    work = retrieval_work("recency")
    asked = type(work)(work.track, work.subject, work.target, methodology, work.request)
    result = next(run.run(begun, opened(begun), [asked]))
    assert result.state == "failed"
    assert begun.draft_paths() == []


def test_failed_questions_are_said_with_the_adapters_last_words(begun: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "adapter.py"
    faulty = 'result = print("out of memory", file=sys.stderr) or 7'
    path.write_text(ADAPTER.replace('result = {"hits": [[ANSWER, 1.0, "x"]]}', faulty))
    result = next(run.run(begun, opened(begun), [retrieval_work(f"command:{sys.executable} {path}")]))
    assert result.draft is not None
    assert result.notes[0] == "8 of 8 queries failed, scored 0: 8 protocol"
    assert (
        result.notes[1] == 'first failure: query: no list of hits; return {"hits": [[id, score, content], …]}'
    )
    assert result.notes[2] == "adapter stderr: out of memory"
    assert "out of memory" not in result.draft.read_text(), "a receipt holds no free text of a subject"


def test_an_option_an_adapter_does_not_take_is_named(begun: Workspace) -> None:
    result = next(run.run(begun, opened(begun), [retrieval_work("bm25", options={"stopwords": True})]))
    assert result.state == "failed"
    assert "no option 'stopwords'" in result.reason
    assert result.error is not None
    assert result.error.hint == "it has none"


def test_a_changed_adapter_takes_its_own_old_place(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    """Same name, version and options, other source: `--changed` measures it again, and the board shows the latest."""
    command = adapter(tmp_path, "known[0]")
    for answer in ("known[0]", "known[1]"):
        adapter(tmp_path, answer)
        (result,) = run.run(begun, opened(begun), [retrieval_work(command)], changed=True)
        assert result.draft is not None, result.reason
        publish.publish(begun, opened(begun), [result.draft], credentials, push=False)
    history = snapshot(begun).history()
    (row,) = history.rows(history)
    assert row.runs == 2
    assert row.header.receipt_id == result.receipt_id
    (again,) = run.run(begun, opened(begun), [retrieval_work(command)], changed=True)
    assert again.state == "skipped"


TWICE = """\
import os, signal, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for descriptor in range(3):
            os.close(descriptor)
        drafts = pathlib.Path(DRAFTS)
        while True:
            for draft in drafts.glob("*.json"):
                try:
                    draft.write_text("forged")
                except OSError:
                    pass
            time.sleep(0.001)
    os._exit(0)
"""


def test_what_an_adapter_leaves_behind_cannot_touch_the_next_draft(begun: Workspace, tmp_path: Path) -> None:
    if sandbox.level() != "sealed":
        pytest.skip("namespaces are not permitted here")
    command = adapter(tmp_path, "known[0]")
    path = tmp_path / "adapter.py"
    drafts = str(begun.root / ".benchsite" / "drafts")
    path.write_text(
        path.read_text().replace("for line", TWICE.replace("DRAFTS", repr(drafts)) + "for line", 1)
    )
    first, second = run.run(begun, opened(begun), [retrieval_work(command), retrieval_work("recency")])
    for result in (first, second):
        assert result.draft is not None, result.reason
        assert json.loads(result.draft.read_bytes())["receiptId"] == result.receipt_id
    assert of_folder(tmp_path) == []


def test_folders_that_an_adapter_nests_do_not_end_the_suite(begun: Workspace, tmp_path: Path) -> None:
    command = adapter(tmp_path, "known[0]")
    path = tmp_path / "adapter.py"
    nests = "for _ in range(3000):\n    os.mkdir('d')\n    os.chdir('d')\n"
    path.write_text(path.read_text().replace("for line", nests + "for line", 1))
    states = [
        result.state
        for result in run.run(begun, opened(begun), [retrieval_work(command), retrieval_work("recency")])
    ]
    assert states == ["measured", "measured"]


def test_a_grant_of_the_configuration_is_found_by_the_name_of_the_suite(
    begun: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_KEY", "granted")
    command = adapter(tmp_path, "os.environ.get('SERVICE_KEY', 'nothing') + known[0]")
    path = tmp_path / "adapter.py"
    path.write_text(
        path.read_text().replace('"author": "tests"', '"author": "tests", "environment": ["SERVICE_KEY"]')
    )
    (refused,) = run.run(begun, opened(begun), [retrieval_work(command)])
    assert refused.state == "failed"
    assert isinstance(refused.error, PrerequisiteError)
    assert "not granted: SERVICE_KEY" in refused.reason

    text = (begun.root / "mkdocs.yml").read_text()
    grants = f"    grants: {{{json.dumps(command)}: {{env: [SERVICE_KEY]}}}}\n"
    (begun.root / "mkdocs.yml").write_text(text.replace("    root_keys:", f"{grants}    root_keys:", 1))
    (measured,) = run.run(Workspace(begun.root), opened(Workspace(begun.root)), [retrieval_work(command)])
    assert measured.draft is not None, measured.reason
    assert json.loads(measured.draft.read_bytes())["faults"]["foreignIds"] == 8, (
        "its answers hold the variable"
    )
    assert b"granted" not in measured.draft.read_bytes()
