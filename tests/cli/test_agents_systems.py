"""Systems of others, an installed class and a program: run in their own process, published and verified."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiny_workbench
from commands import Run

from benchsite.isolation import sandbox

CLASS = '''\
class Lookup:
    """Asks the model which event to delete, and deletes it."""

    name, version, author = "lookup", "0.3.0", "somebody"

    def solve(self, task, tools, models, trace):
        trace.event("plan", {"text": "ask, then act"})
        messages = [{"role": "user", "content": task.query}]
        reply = models["default"].complete(messages, tools.tools)
        for call in reply.calls:
            seen = tools.call(call.tool, call.arguments)
            made = [{"tool": call.tool, "arguments": dict(call.arguments)}]
            messages += [{"role": "assistant", "content": "", "calls": made}]
            messages += [{"role": "tool", "content": str(seen.result)}]
        return models["default"].complete(messages).text

    def describe(self):
        return {"kind": "single-agent", "roles": ["default"], "sizes": {"agents": 1}, "prompts": {"task": "{query}"}}
'''
PROGRAM = f"""\
#!{sys.executable}
import json, sys

def send(message):
    print(json.dumps({{"jsonrpc": "2.0", **message}}), flush=True)

def ask(method, **params):
    send({{"id": 1, "method": method, "params": params}})
    return json.loads(sys.stdin.readline())["result"]

for line in sys.stdin:
    request = json.loads(line)
    result = None
    if request["method"] == "initialize":
        result = {{"name": "program", "version": "1.0.0", "author": "somebody"}}
    elif request["method"] == "describe":
        result = {{"kind": "single-agent", "roles": ["worker"]}}
    elif request["method"] == "solve":
        reply = ask("model.complete", role="worker", messages=[{{"role": "user", "content": request["params"]["task"]["query"]}}])
        for call in reply["calls"]:
            ask("tool.call", name=call["tool"], arguments=call["arguments"])
        result = {{"answer": "Done."}}
    elif request["method"] not in ("reset", "shutdown"):
        send({{"id": request["id"], "error": {{"code": -32601, "message": "no such method"}}}})
        continue
    send({{"id": request["id"], "result": result}})
"""
SCRIPT = [
    {
        "calls": [{"tool": "calendar.delete_event", "arguments": {"event_id": "00000001"}}],
        "tokensIn": 40,
        "tokensOut": 8,
    },
    {"text": "I deleted it.", "tokensIn": 60, "tokensOut": 4},
]


@pytest.fixture
def instance(benchsite: Run, begun: Path, tmp_path: Path) -> Path:
    for name, data in tiny_workbench.published().items():
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / name).write_bytes(data)
    assert benchsite("benchmark", "import", "workbench", "../data", cwd=begun).code == 0
    (begun / "script.json").write_text(json.dumps(SCRIPT))
    return begun


@pytest.fixture
def keys(tmp_path: Path) -> dict[str, str]:
    return {
        f"BENCHSITE_{role.upper()}_KEY_FILE": str(tmp_path / f"kept/{role}.pem")
        for role in ("receipt", "log")
    }


@pytest.fixture
def installed(tmp_path: Path) -> str:
    """What installing a package leaves: a module on the path, and its entry points beside it."""
    folder = tmp_path / "site"
    info = folder / "somebody-0.3.0.dist-info"
    info.mkdir(parents=True)
    (folder / "somebodys_systems.py").write_text(CLASS)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: somebody\nVersion: 0.3.0\n")
    (info / "entry_points.txt").write_text("[benchsite.agents.systems]\nlookup = somebodys_systems:Lookup\n")
    return str(folder)


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program"
    path.write_text(PROGRAM)
    path.chmod(0o755)
    return f"command:{path}"


def receipt(root: Path) -> dict[str, Any]:
    (path,) = (root / "results/published").rglob("*.json")
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def publish(benchsite: Run, root: Path, keys: dict[str, str], **variables: str) -> dict[str, Any]:
    ran = benchsite("publish", "--yes", cwd=root, **keys, **variables)
    assert ran.code == 0, ran.out + ran.err
    verified = benchsite("verify", "--all", cwd=root)
    assert verified.code == 0, verified.out
    return receipt(root)


def test_an_installed_class_uses_a_tool_and_a_model_and_is_published(
    benchsite: Run, instance: Path, keys: dict[str, str], installed: str
) -> None:
    run = (
        "run",
        "agents",
        "--benchmark",
        "workbench",
        "--system",
        "lookup",
        "--model",
        "simulated:script.json",
    )
    ran = benchsite(*run, cwd=instance, PYTHONPATH=installed)
    assert ran.code == 0, ran.err
    (draft,) = (instance / ".benchsite/drafts").iterdir()
    levels = benchsite("rescore", "--evaluate", "--json", str(draft.relative_to(instance)), cwd=instance)
    assert levels.code == 0, levels.out + levels.err
    made = publish(benchsite, instance, keys)
    assert made["simulated"] is True
    system = made["system"]
    assert (system["name"], system["version"], system["kind"]) == ("lookup", "0.3.0", "single-agent")
    model = system["models"]["default"]
    assert (model["requested"].partition(":")[0], model["responded"]) == ("simulated", "simulated")
    assert system["sizes"] == {"agents": 1}
    assert len(system["prompts"]) == 64
    runs = made["runs"]
    by_task = dict(zip(runs["taskId"], runs["outcome"], strict=True))
    assert by_task["calendar-001"] == "success", "the one task for which the scripted call is right"
    assert by_task["calendar-002"] == "failure"
    assert set(runs["tokens"]) == {40 + 8 + 60 + 4}
    assert set(runs["toolCalls"]) == {1}
    assert set(runs["steps"]) == {6}, "plan, two completions, a call, its result, the answer"
    assert "costUsd" not in runs, "no price is known: blank"
    assert made["config"]["isolation"] == "process"
    assert made["config"]["budget"]["toolCalls"] == 200
    assert len(made["config"]["subjectSha256"]) == 64


def test_a_program_is_a_system_too(
    benchsite: Run, instance: Path, keys: dict[str, str], program: str
) -> None:
    run = ("run", "agents", "--benchmark", "workbench", "--model", "worker=simulated:script.json")
    ran = benchsite(*run, "--system", program, cwd=instance)
    assert ran.code == 0, ran.err
    made = publish(benchsite, instance, keys)
    assert made["system"]["name"] == "program"
    assert made["system"]["models"].keys() == {"worker"}
    assert made["denominators"]["success"]["num"] == 1
    assert set(made["runs"]["completion"]) == {True}


def test_a_role_without_a_model_is_a_usage_error(benchsite: Run, instance: Path, program: str) -> None:
    run = ("run", "agents", "--benchmark", "workbench", "--system", program)
    ran = benchsite(*run, cwd=instance)
    assert ran.code == 2
    assert "needs a model for role worker" in ran.err
    assert "openai, replay, simulated" in ran.err
    ran = benchsite(*run, "--model", "judge=simulated:script.json", cwd=instance)
    assert ran.code == 2
    ran = benchsite(*run, "--model", "elsewhere:x", cwd=instance)
    assert (ran.code, "no installed model named 'elsewhere'" in ran.err) == (2, True)
    ran = benchsite(*run, "--model", "simulated:absent.json", cwd=instance)
    assert (ran.code, "absent.json" in ran.err) == (4, True)


@pytest.mark.skipif(sandbox.level() != "sealed", reason="this system permits no namespaces")
def test_the_file_with_the_answers_cannot_be_read(benchsite: Run, instance: Path, tmp_path: Path) -> None:
    gold = instance / ".benchsite/fixtures/workbench/fixture.json"
    assert b"delete_event" in gold.read_bytes()
    folder = tmp_path / "site"
    info = folder / "reader-1.dist-info"
    info.mkdir(parents=True)
    (folder / "readers_system.py").write_text(
        CLASS.replace(
            "def solve", f"def solve(self, *_): return open({str(gold)!r}).read()\n    def unused"
        ).replace('"roles": ["default"]', '"roles": []')
    )
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: reader\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[benchsite.agents.systems]\nreader = readers_system:Lookup\n")
    run = ("run", "agents", "--benchmark", "workbench", "--system", "reader", "--task-limit", "1")
    ran = benchsite(*run, cwd=instance, PYTHONPATH=str(folder))
    assert ran.code == 0, ran.err
    kept = b"".join(path.read_bytes() for path in (instance / ".benchsite/attachments").iterdir())
    assert b"delete_event.func" not in kept


@pytest.mark.parametrize("system", ["command:", "command:./absent", 'command:"', "elsewhere"])
def test_a_system_that_is_not_there_is_a_sentence(benchsite: Run, instance: Path, system: str) -> None:
    ran = benchsite("run", "agents", "--benchmark", "workbench", "--system", system, cwd=instance)
    assert ran.code in (2, 4)
    assert "Traceback" not in ran.err


def test_what_a_system_asks_for_is_granted_or_refused_by_name(
    benchsite: Run, instance: Path, tmp_path: Path, write_program: Callable[[str], str]
) -> None:
    wants = write_program(
        '{"name": "wants", "version": "1", "author": "x", "network": True, "environment": ["KEY"]}'
    )
    run = ("run", "agents", "--benchmark", "workbench", "--system", wants, "--task-limit", "1")
    ran = benchsite(*run, cwd=instance)
    assert ran.code == 5
    assert "--allow-network --allow-env KEY" in ran.err
    ran = benchsite(*run, "--allow-network", "--allow-env", "KEY", cwd=instance)
    assert ran.code == 0, ran.err


@pytest.fixture
def write_program(tmp_path: Path) -> Callable[[str], str]:
    """Writes a program that declares something and answers nothing."""

    def write(declaration: str) -> str:
        path = tmp_path / "declares"
        text = PROGRAM.replace('{"name": "program", "version": "1.0.0", "author": "somebody"}', declaration)
        text = text.replace('"roles": ["worker"]', '"roles": []')
        text = text.replace('reply = ask("model.complete"', 'reply = {"calls": []} or ask("model.complete"')
        path.write_text(text)
        path.chmod(0o755)
        return f"command:{path}"

    return write


def test_a_baseline_is_planned_and_reproduced(benchsite: Run, instance: Path, keys: dict[str, str]) -> None:
    run = ("run", "agents", "--benchmark", "workbench", "--system", "spam-tools", "--max-tool-calls", "5")
    planned = benchsite(*run, "--dry-run", cwd=instance)
    assert (planned.code, "7 runs of spam-tools 1.0.0 on workbench, no model" in planned.out) == (0, True)
    assert benchsite(*run, cwd=instance).code == 0
    made = publish(benchsite, instance, keys)
    assert set(made["runs"]["limit"]) == {"tool-calls"}
    again = benchsite("reproduce", made["receiptId"], cwd=instance)
    assert again.code == 0, again.out + again.err
    skipped = benchsite(*run, "--changed", cwd=instance)
    assert "skipped" in skipped.out, "the budget is part of what was measured"


QUIZ = """\
import hashlib
import json

from benchsite.tracks.agents.benchmarks import Graded, Kind, Task
from benchsite.tracks.agents.tools import Call, Observation, Tool

SHOUT = Tool("shout", "Say it in capitals.", {"type": "object", "properties": {"text": {"type": "string"}}})


class Room:
    tools = (SHOUT,)

    def call(self, name, arguments):
        return Observation(str(arguments.get("text", "")).upper(), failed=name != "shout")


class Quiz:
    license, source, notes, publish = "MIT", "written for this test", "", "full"
    tools, rows = (SHOUT,), 2

    def __init__(self, data):
        document = json.loads(data)
        self.id, self.sha256 = document["id"], hashlib.sha256(data).hexdigest()
        self._answers = document["answers"]
        self.tasks = [Task(name, "words", f"Shout {name}") for name in self._answers]

    def open(self, task):
        return Room()

    def grade(self, task, actions, answer, error):
        right = answer == self._answers[task] and not error
        return Graded(right, float(right))

    def ended(self, error):
        return "failure", None

    def most_common_answer(self):
        return (), "CAT"

    def example(self, tool, pick):
        return Call(tool, {"text": "dog"})

    def facts(self):
        return {"publish": self.publish}


KIND = Kind(lambda data, where: Quiz(data))
"""


def test_an_option_that_a_system_needs_is_named_without_a_traceback(benchsite: Run, new: Path) -> None:
    (new / "script.json").write_text('[{"text": "4"}]')
    given = (
        "--benchmark",
        "arithmetic-tools",
        "--system",
        "sas-majority",
        "--model",
        "simulated:script.json",
    )
    ran = benchsite("run", "agents", *given, cwd=new)
    assert "system sas-majority: needs option budget" in ran.err
    assert "hint: add --option budget=VALUE" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.full
def test_a_benchmark_of_another_package_grades_by_the_answer(
    benchsite: Run, begun: Path, keys: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "site"
    info = folder / "quiz-1.dist-info"
    info.mkdir(parents=True)
    (folder / "quizzes.py").write_text(QUIZ)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: quiz\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[benchsite.agents.benchmarks]\nquiz = quizzes:KIND\n")
    (begun / "fixtures/quiz").mkdir(parents=True)
    document = {"answers": {"cat": "CAT", "dog": "DOG"}, "id": "quiz", "kind": "quiz", "track": "agents"}
    (begun / "fixtures/quiz/fixture.json").write_text(json.dumps(document, separators=(",", ":")))
    installed = {"PYTHONPATH": str(folder)}
    run = ("run", "agents", "--benchmark", "quiz", "--system", "constant")
    ran = benchsite(*run, cwd=begun, **installed)
    assert ran.code == 0, ran.err
    (draft,) = (begun / ".benchsite/drafts").iterdir()
    body = json.loads(draft.read_bytes())
    assert body["runs"]["outcome"] == ["success", "failure"]
    assert "harmful" not in body["runs"], "the benchmark cannot tell"
    assert "needsAction" not in body["tasks"]
    levels = benchsite("rescore", "--evaluate", str(draft.relative_to(begun)), cwd=begun, **installed)
    assert levels.code == 0, levels.out + levels.err
    assert "the benchmark decides all 2 runs as recorded" in levels.out
    without = benchsite("rescore", "--evaluate", str(draft.relative_to(begun)), cwd=begun)
    assert without.code == 0, "a missing package is no difference"
    assert "no installed package registers its kind 'quiz'" in without.out
