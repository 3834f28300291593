from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from examples import some
from harbour import BUILT_IN, errors, measured

from benchsite import yaml_document
from benchsite.errors import InputError, IntegrityError, UsageError
from benchsite.isolation import sandbox, source
from benchsite.isolation.grants import NotGrantedError
from benchsite.isolation.sandbox import network_cut
from benchsite.isolation.subject import Subject, describe
from benchsite.pipeline.workspace.config import Config
from benchsite.track import NOTHING, Grant
from benchsite.tracks.retrieval.run.programs import program

pytestmark = pytest.mark.usefixtures("hostile")


def test_no_key_reaches_an_adapter(context: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHSITE_RECEIPT_KEY", "secret-seed")
    with pytest.raises(InputError, match="BENCHSITE_RECEIPT_KEY") as caught:
        measured(context, "wants:WantsKey")
    assert "secret-seed" not in caught.value.message + caught.value.hint


def test_declared_needs_are_granted_on_a_second_start(context: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANTED_TOKEN", "granted")
    context.grants = lambda _subject: Grant(
        network=True, environment=("WANTED_TOKEN", "NOT_SET_ANYWHERE", "UNASKED")
    )
    assert errors(measured(context, "wants:NeedsVariable")) == {}
    spec = program("net", "wants:DumpsNetwork")
    described = describe(spec, 0, context)
    assert described.declared.network is True
    assert describe(program("v", "wants:DumpsVariable"), 0, context).declared.environment == (
        "WANTED_TOKEN",
        "NOT_SET_ANYWHERE",
    )


def test_network_is_off_unless_asked_for_or_not_to_be_cut(context: Any) -> None:
    context.grants = lambda _subject: Grant(network=True)
    quiet = program("quiet", "honest:Honest")
    loud = program("loud", "wants:DumpsNetwork")
    with Subject(quiet, 0, context) as first, Subject(loud, 0, context) as second:
        assert first.network == ("off" if network_cut() else "not blocked")
        assert second.network == "allowed"


@pytest.mark.skipif(sandbox.level() != "sealed", reason="namespaces are not permitted here")
def test_the_receipt_names_hosts_that_the_network_access_was_limited_to(context: Any) -> None:
    hosts = ("a.example", "b.example:8443")
    for grant, limit in ((Grant(hosts=(*hosts, "c.example")), hosts), (Grant(network=True), ())):
        context.grants = lambda _subject, grant=grant: grant
        adapter = measured(context, "wants:DumpsHosts").payload["adapter"]
        assert (adapter["networkAccess"], tuple(adapter["hosts"])) == ("allowed", limit)


@pytest.mark.parametrize(
    ("reference", "message", "hint"),
    some(
        [
            (
                "raises:RaisesOnStart",
                "adapter subject: failed to start: RuntimeError: no licence file",
                "to see its messages",
            ),
            (
                "dies:DiesOnStart",
                "; stderr: cannot find model.bin",
                "to see its messages",
            ),
            ("no_such_module:X", "ModuleNotFoundError", "to see its messages"),
            ("wants:NoVersion", "version is missing", "to see its messages"),
            ("wants:BadName", "name is not", "to see its messages"),
            ("wants:BadHosted", "hosted is not true or false", "to see its messages"),
        ],
        gate=3,
    ),
)
def test_an_adapter_that_does_not_start_is_an_input_error(
    context: Any, reference: str, message: str, hint: str
) -> None:
    with pytest.raises(InputError) as caught:
        measured(context, reference)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert list(Path(context.temp_dir).iterdir()) == []


def test_an_adapter_that_hangs_on_start(context: Any) -> None:
    with pytest.raises(InputError, match=r"within 0\.3 s"):
        measured(context, "hangs:HangsOnStart", start_timeout_s=0.3)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("./no-such-adapter",), "no executable ./no-such-adapter"),
        ((), "not an installed adapter"),
        (("true",), "the adapter ended"),
    ],
)
def test_commands_that_are_no_adapters(context: Any, command: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        measured(context, None, command=command)


@pytest.mark.parametrize(
    ("reference", "hint"),
    [
        (BUILT_IN + "lexical.bm25:Bm25", "it has none"),
        (BUILT_IN + "baselines.random_order:RandomOrder", "available: seed"),
        ("wants:Options", "available: depth, seed"),
    ],
)
def test_an_option_that_an_adapter_does_not_take_is_never_passed_to_it(
    context: Any, reference: str, hint: str
) -> None:
    with pytest.raises(UsageError, match="^adapter subject: no option 'stopwords'$") as caught:
        measured(context, reference, options={"stopwords": True})
    assert caught.value.hint == hint
    assert list(Path(context.temp_dir).iterdir()) == []


def test_a_program_takes_the_options_that_it_lists(context: Any, hostile: Callable[[str], Path]) -> None:
    command = (sys.executable, str(hostile("program.py")), "honest")
    with pytest.raises(UsageError, match="no option 'depth'") as caught:
        measured(context, None, command=command, options={"depth": 3})
    assert caught.value.hint == "it has none: a program takes its settings as arguments"
    measurement = measured(context, None, command=(*command[:2], "options"), options={"depth": 3})
    assert measurement.config["options"] == {"arguments": "options", "depth": 3}


@pytest.mark.parametrize(
    ("reference", "granted", "missing", "options", "lines"),
    some(
        [
            (
                "wants:DumpsNetwork",
                Grant(environment=("WANTED_TOKEN",)),
                "network access",
                "--allow-network",
                'grants: {"subject": {network: true}}',
            ),
            (
                "wants:DumpsHosts",
                Grant(hosts=("b.example:8443",)),
                "network access to a.example",
                "--allow-network (any host)",
                'grants: {"subject": {hosts: ["a.example"]}}',
            ),
            (
                "wants:DumpsVariable",
                Grant(network=True, environment=("WANTED_TOKEN",)),
                "NOT_SET_ANYWHERE",
                "--allow-env NOT_SET_ANYWHERE",
                'grants: {"subject": {env: [NOT_SET_ANYWHERE]}}',
            ),
            (
                "wants:NeedsVariable",
                NOTHING,
                "WANTED_TOKEN",
                "--allow-env WANTED_TOKEN",
                'grants: {"subject": {env: [WANTED_TOKEN]}}',
            ),
        ],
        gate=2,
    ),
)
def test_what_is_not_granted_is_refused_by_name(
    context: Any, reference: str, granted: Grant, missing: str, options: str, lines: str
) -> None:
    """The lines of the hint, pasted into mkdocs.yml, grant exactly what was asked for."""
    context.grants = lambda _subject: granted
    with pytest.raises(NotGrantedError) as caught:
        measured(context, reference)
    assert caught.value.message == f"adapter subject: not granted: {missing}"
    assert caught.value.hint.startswith(f"for one run: {options};")
    assert caught.value.hint.endswith(lines)
    assert caught.value.exit_code == 5
    assert list(Path(context.temp_dir).iterdir()) == []
    text = f"extra:\n  benchsite:\n    origin: a.example/log\n    {lines}\n"
    pasted = Config(yaml_document.load(text.encode(), "mkdocs.yml")).grant("subject")
    context.grants = lambda _subject: granted.extended(pasted)
    assert describe(program("subject", "wants:Dumps"), 0, context).name == "honest"


def test_an_adapter_that_asks_again_once_started_gets_no_more(
    context: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WANTED_TOKEN", "granted")
    monkeypatch.setenv("UNASKED", "secret")
    context.grants = lambda _subject: Grant(environment=("WANTED_TOKEN", "UNASKED", "NOT_SET_ANYWHERE"))
    with Subject(program("v", "wants:DumpsVariable"), 0, context) as subject:
        reply = subject.call("query", {"query": "boat", "k": 1, "when": None}, timeout_s=10)
    environment = json.loads(reply.result["hits"][0][2])["environment"]
    assert environment["WANTED_TOKEN"] == "granted"
    assert "UNASKED" not in environment


def test_the_digest_is_taken_before_any_code_of_the_adapter(
    context: Any, hostile: Callable[[str], Path]
) -> None:
    before = source.of_reference("lies:Lies", [str(hostile(""))])
    assert before is not None
    assert measured(context, "lies:Lies").config["subjectSha256"] == before.sha256()


def test_a_program_that_replaces_itself_is_pinned_as_it_was(context: Any, tmp_path: Path) -> None:
    file = tmp_path / "replaces.py"
    file.write_text(
        "import json, sys\n"
        f"open({str(file)!r}, 'w').write('innocent')\n"
        "for line in sys.stdin:\n"
        "    request = json.loads(line)\n"
        "    result = {'name': 'x', 'version': '1', 'author': 'x'}\n"
        "    print(json.dumps({'jsonrpc': '2.0', 'id': request['id'], 'result': result}), flush=True)\n"
    )
    command = (sys.executable, str(file))
    before = source.of_program(command).sha256()
    described = describe(program("x", None, command), 0, context)
    assert file.read_text() == "innocent"
    assert described.subject_sha256 == before


def test_without_a_seal_a_changed_repository_spoils_the_run(
    context: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = tmp_path / "repo" / "draft.json"
    draft.parent.mkdir()
    draft.write_text("honest")
    context.watched = (str(draft.parent),)
    context.sealed = (str(draft.parent),)
    monkeypatch.setattr(sandbox, "level", lambda: "open")
    assert errors(measured(context, "honest:Honest")) == {}
    with pytest.raises(IntegrityError, match=r"repository changed .*draft\.json"):
        measured(context, "escapes:WritesQuietly", options={"path": str(draft)})
