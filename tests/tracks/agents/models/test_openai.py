"""The provider `openai` against a real server process: answers, refusals, and what a server gets wrong."""

from __future__ import annotations

import json
import socket
import sys

import pytest

from benchsite.errors import InputError, PrerequisiteError, UsageError
from benchsite.tracks.agents.models import Completion, ProviderError, Usage
from benchsite.tracks.agents.models.chat import MOST_CALLS, MOST_TEXT
from benchsite.tracks.agents.models.connection import connect
from benchsite.tracks.agents.models.openai import OpenAI
from benchsite.tracks.agents.tools import Call, Tool

from .conftest import KEY, Served

ASKED = [{"role": "user", "content": "hi"}]
SEARCH = Tool("kb.search", "Searches.", {"type": "object", "properties": {"query": {"type": "string"}}})
USED = Usage(12, 5)


@pytest.mark.parametrize(
    ("behavior", "expected"),
    [
        ("plain", Completion("hello", (), "stop", "served-1", USED)),
        ("parts", Completion("hello", (), "stop", "served-1", USED)),
        ("no-content", Completion(None, (), "stop", "served-1", USED)),
        ("refusal", Completion("I cannot.", (), "stop", "served-1", USED)),
        ("half-emoji", Completion("x\ufffd", (), "stop", "served-1", USED)),
        ("no-reason", Completion("x", (), "unknown", "served-1", USED)),
        ("path-model", Completion("x", (), "stop", "tiny.gguf", USED)),
        ("slash-model", Completion("x", (), "stop", "vendor/model-1", USED)),
        ("long", Completion("a" * MOST_TEXT, (), "length", "served-1", USED)),
        ("call", Completion(None, (Call("kb.search", {"query": "tea"}),), "stop", "served-1", USED)),
        ("object-call", Completion(None, (Call("kb.search", {"query": "tea"}),), "stop", "served-1", USED)),
        ("empty-call", Completion(None, (Call("kb.search", {}),), "stop", "served-1", USED)),
        (
            "two-calls",
            Completion(None, (Call("kb.search", {"a": 1}), Call("other", {})), "stop", "served-1", USED),
        ),
        ("unknown-call", Completion(None, (Call("rm -rf", {}),), "stop", "served-1", USED)),
        (
            "cut-call",
            Completion(None, (Call("kb.search", {"malformed": '{"query": "te'}),), "stop", "served-1", USED),
        ),
        (
            "list-call",
            Completion(None, (Call("kb.search", {"malformed": "[1, 2]"}),), "stop", "served-1", USED),
        ),
        (
            "nan-call",
            Completion(None, (Call("kb.search", {"malformed": '{"x": NaN}'}),), "stop", "served-1", USED),
        ),
        ("no-usage", Completion("x", (), "stop", "served-1", Usage())),
        ("list-usage", Completion("x", (), "stop", "served-1", Usage())),
        ("wrong-usage", Completion("x", (), "stop", "served-1", Usage())),
        ("float-usage", Completion("x", (), "stop", "served-1", Usage())),
        ("zero-usage", Completion("x", (), "stop", "served-1", Usage(None, 0))),
        ("huge-usage", Completion("x", (), "stop", "served-1", Usage(None, 4))),
        ("full-usage", Completion("x", (), "stop", "served-1", Usage(100, 50, 64, 40))),
        ("more-cached", Completion("x", (), "stop", "served-1", Usage(10, 5))),
    ],
)
def test_an_answer_is_a_completion(served: Served, behavior: str, expected: Completion) -> None:
    assert served(behavior).complete(ASKED, [SEARCH], {}) == expected


def test_arguments_nested_beyond_any_limit_are_kept_as_text(served: Served) -> None:
    (call,) = served("deep-call").complete(ASKED, [SEARCH], {}).calls
    assert call == Call("kb.search", {"malformed": "[" * 10_000})


def test_calls_beyond_the_most_are_left_out(served: Served) -> None:
    assert len(served("many-calls").complete(ASKED, [SEARCH], {}).calls) == MOST_CALLS


def test_a_server_that_names_no_model_leaves_the_requested_name(served: Served) -> None:
    model = served("no-model")
    assert model.complete(ASKED, (), {}).responded == model.requested


@pytest.mark.parametrize(
    ("behavior", "said"),
    [
        ("no-choice", "the answer has no choice"),
        ("choices-null", "the answer has no choice"),
        ("error-200", "the answer has no choice: the backend is gone"),
        ("no-message", "the answer has no message"),
        ("number-content", "the content of the answer is not text"),
        ("nameless-call", "a tool call of the answer has no name"),
        ("no-list-of-calls", "the tool calls of the answer are not a list"),
        ("a-list", "the answer is not an object"),
        ("a-word", "the answer is not an object"),
        ("not-json", "the answer is not JSON (20 bytes)"),
        ("cut-json", "the answer is not JSON"),
        ("not-utf8", "the answer is not JSON (15 bytes)"),
        ("nested", "the answer is not JSON (200,000 bytes)"),
        ("flood", "the answer has more than 16,777,216 bytes"),
        ("broken-off", "the answer broke off (3 attempts)"),
        ("always-busy", "status 429: slow down 3"),
        ("always-down", "status 500: down 3"),
        ("bad-request", "status 400: temperature is not supported"),
        ("page-500", "status 500"),
    ],
)
def test_what_is_no_answer_is_an_error_of_the_provider(served: Served, behavior: str, said: str) -> None:
    model = served(behavior)
    with pytest.raises(ProviderError) as raised:
        model.complete(ASKED, [SEARCH], {})
    assert said in raised.value.message
    assert raised.value.message.startswith(f"model {model.requested}: ")
    assert "\n" not in raised.value.message
    assert not raised.value.permanent


@pytest.mark.parametrize("behavior", ["missing", "no-credit", "keyed"])
def test_what_repeating_cannot_help_is_permanent(served: Served, behavior: str) -> None:
    with pytest.raises(ProviderError) as raised:
        served(behavior).complete(ASKED, (), {})
    assert raised.value.permanent


@pytest.mark.parametrize(
    ("behavior", "reason"),
    [("too-long", "context_length"), ("too-long-here", "context_length"), ("filtered", "content_filter")],
)
def test_a_conversation_that_the_model_does_not_take_is_an_answer(
    served: Served, behavior: str, reason: str
) -> None:
    model = served(behavior)
    assert model.complete(ASKED, (), {}) == Completion(None, (), reason, model.requested)


@pytest.mark.parametrize(
    ("behavior", "requests"),
    [("busy-twice", "3"), ("down-once", "2"), ("broken-off-once", "2"), ("count", "1")],
)
def test_what_may_pass_is_repeated(served: Served, behavior: str, requests: str) -> None:
    assert served(behavior).complete(ASKED, (), {}).text == requests


@pytest.mark.parametrize(
    ("behavior", "said"), [("hang", "no answer within 0.2 s"), ("drip", "no whole answer within 0.2 s")]
)
def test_a_server_that_does_not_end_is_left(served: Served, behavior: str, said: str) -> None:
    with pytest.raises(ProviderError, match=said):
        served(behavior, timeout_s=0.2, max_retries=0).complete(ASKED, (), {})


def test_a_server_that_is_not_there(served: Served) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    model = served("plain", base_url=f"http://127.0.0.1:{port}/v1", max_retries=0)
    with pytest.raises(ProviderError, match="cannot connect: .*refused"):
        model.complete(ASKED, (), {})


def test_the_key_is_sent_and_never_said(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    assert served("authorization").complete(ASKED, (), {}).text == "Bearer [key]"
    with pytest.raises(ProviderError) as raised:
        served("keyed").complete(ASKED, (), {})
    assert "wrong key Bearer [key]" in raised.value.message
    assert KEY not in "".join(map(repr, (raised.value, raised.value.__cause__, served("plain"))))
    assert caplog.text
    assert KEY not in caplog.text


def test_the_key_of_a_named_variable(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_KEY", "other")
    assert served("authorization", api_key_env="OTHER_KEY").complete(ASKED, (), {}).text == "Bearer other"
    monkeypatch.delenv("OTHER_KEY")
    with pytest.raises(PrerequisiteError, match="OTHER_KEY is not set"):
        served("authorization", api_key_env="OTHER_KEY")


def test_a_key_goes_to_no_server_that_it_was_not_named_for(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = connect("openai:authorization", {"base_url": address})
    assert model.complete(ASKED, (), {}).text == "Bearer none"


def test_a_key_goes_over_plain_http_to_this_machine_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_KEY", KEY)
    away = {"base_url": "http://models.example.com/v1", "api_key_env": "OTHER_KEY"}
    with pytest.raises(
        InputError, match=r"key of OTHER_KEY would go over plain http to models\.example\.com"
    ) as raised:
        connect("openai:plain", away)
    assert KEY not in raised.value.message
    connect("openai:plain", {**away, "base_url": "https://models.example.com/v1"})
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://models.example.com/v1")
    with pytest.raises(InputError, match="key of OPENAI_API_KEY would go over plain http"):
        OpenAI("plain")


def test_openai_itself_needs_a_key_and_other_servers_do_not(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(PrerequisiteError, match="OPENAI_API_KEY is not set"):
        OpenAI("plain")
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    assert OpenAI("plain").complete(ASKED, (), {}).text == "hello"


def test_an_address_with_a_password_is_refused(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="base_url"):
        served("plain", base_url="http://user:secret@127.0.0.1/v1")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://user:secret@127.0.0.1/v1")
    with pytest.raises(InputError, match="OPENAI_BASE_URL") as raised:
        OpenAI("plain")
    assert "secret" not in raised.value.message


def test_settings_are_sent_and_defaults_give_way(served: Served) -> None:
    model = served("echo", temperature=0.2, seed=7, max_tokens=50, extra_body={"top_k": 1})
    asked = json.loads(model.complete(ASKED, (), {"temperature": 0.9}).text or "")
    assert (asked["temperature"], asked["seed"], asked["max_tokens"], asked["top_k"]) == (0.9, 7, 50, 1)
    assert "tools" not in asked


def test_what_is_omitted_is_never_sent(served: Served) -> None:
    model = served("echo", omit=["temperature", "seed"])
    asked = json.loads(model.complete(ASKED, (), {"temperature": 0, "seed": 1, "max_tokens": 9}).text or "")
    assert sorted(asked) == ["max_tokens", "messages", "model"]


def test_tools_and_the_form_of_the_answer(served: Served) -> None:
    closed = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    settings = {"tool_choice": "required", "schema": closed}
    asked = json.loads(served("echo").complete(ASKED, [SEARCH], settings).text or "")
    function = {"name": "kb_search", "description": "Searches.", "parameters": SEARCH.parameters}
    assert asked["tools"] == [{"type": "function", "function": function}]
    assert asked["tool_choice"] == "required"
    form = {"name": "answer", "schema": closed, "strict": True}
    assert asked["response_format"] == {"type": "json_schema", "json_schema": form}


def test_a_form_with_optional_members_is_not_strict(served: Served) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    asked = json.loads(served("echo").complete(ASKED, (), {"schema": schema}).text or "")
    assert asked["response_format"]["json_schema"]["strict"] is False


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"temprature": 1}, "temprature"),
        ({"temperature": -1}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"max_retries": True}, "max_retries"),
        ({"base_url": "ftp://x"}, "base_url"),
        ({"tools": "none"}, "tools"),
        ({"api_key_env": "sk-123"}, "api_key_env"),
        ({"omit": ["messages"]}, "omit"),
    ],
)
def test_wrong_settings_name_their_key(settings: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=f"model openai:x: {said}"):
        connect("openai:x", settings)


def test_a_provider_without_a_name_or_settings() -> None:
    with pytest.raises(UsageError, match="model openai: no name"):
        connect("openai")
    with pytest.raises(UsageError, match="no installed model named 'opanai'"):
        connect("opanai:x")


def test_the_package_is_imported_when_it_is_used(served: Served) -> None:
    import subprocess

    code = "import sys, os; os.environ['OPENAI_BASE_URL'] = 'http://127.0.0.1:9'\n"
    code += "from benchsite.tracks.agents.models.openai import OpenAI; OpenAI('x'); print('openai' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user"}],
        [{"role": "user", "content": 3}],
        [{"role": "robot", "content": "x"}],
        [{"content": "x"}],
        [{"role": "tool", "content": "x"}],
        [{"role": "assistant", "content": None}],
        [{"role": "assistant", "content": "", "calls": "x"}],
        [{"role": "assistant", "content": "", "calls": [{"tool": "a"}]}],
        [{"role": "assistant", "content": "", "calls": [{"tool": "a", "arguments": {}}]}],
        [
            {"role": "assistant", "content": "", "calls": [{"tool": "a", "arguments": {}}]},
            {"role": "user", "content": "x"},
        ],
    ],
)
def test_messages_of_another_form_are_refused(served: Served, messages: list[dict[str, object]]) -> None:
    with pytest.raises(ProviderError, match="message"):
        served("plain").complete(messages, (), {})
