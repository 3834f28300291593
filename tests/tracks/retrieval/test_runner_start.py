from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harbour import BUILT_IN, errors, measured

from benchsite.errors import InputError
from benchsite.track import Grant
from benchsite.tracks.retrieval.confinement import network_cut
from benchsite.tracks.retrieval.runner import AdapterSpec, describe
from benchsite.tracks.retrieval.subject import Subject

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
    spec = AdapterSpec("net", "wants:DumpsNetwork", None, {})
    described = describe(spec, 0, context)
    assert described.network is True
    assert describe(AdapterSpec("v", "wants:DumpsVariable", None, {}), 0, context).environment == (
        "WANTED_TOKEN",
        "NOT_SET_ANYWHERE",
    )


def test_network_is_off_unless_asked_for_or_not_to_be_cut(context: Any) -> None:
    context.grants = lambda _subject: Grant(network=True)
    quiet = AdapterSpec("quiet", "honest:Honest", None, {})
    loud = AdapterSpec("loud", "wants:DumpsNetwork", None, {})
    with Subject(quiet, 0, context) as first, Subject(loud, 0, context) as second:
        assert first.network == ("off" if network_cut() else "not blocked")
        assert second.network == "allowed"


@pytest.mark.parametrize(
    ("reference", "message", "hint"),
    [
        (
            "raises:RaisesOnStart",
            "adapter subject: it does not start: RuntimeError: no licence file",
            "start it by hand",
        ),
        (
            "dies:DiesOnStart",
            "; its last words on stderr: cannot find model.bin",
            "start it by hand",
        ),
        ("no_such_module:X", "ModuleNotFoundError", "start it by hand"),
        ("wants:NoVersion", "it declares no version", "start it by hand"),
        ("wants:BadName", "its name is not", "start it by hand"),
        ("wants:BadHosted", "its hosted is not true or false", "start it by hand"),
    ],
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
    with pytest.raises(InputError, match=r"no answer within 0\.3 s"):
        measured(context, "hangs:HangsOnStart", start_timeout_s=0.3)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("./no-such-adapter",), "no executable ./no-such-adapter"),
        ((), "neither a class nor a command"),
        (("true",), "the adapter ended"),
    ],
)
def test_commands_that_are_no_adapters(context: Any, command: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        measured(context, None, command=command)


def test_unknown_options_are_refused(context: Any) -> None:
    with pytest.raises(InputError, match="stopwords"):
        measured(context, BUILT_IN + "bm25:Bm25", options={"stopwords": True})
