"""Policies of tools on the command line, in receipts, and at the terminal."""

from __future__ import annotations

import io
from typing import Any

import click
import pytest

from benchsite.tracks.agents.run import policies
from benchsite.tracks.agents.tools import Call


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_options_of_a_receipt_give_the_policies_back() -> None:
    stated = policies.options({"a.b": "deny", "c": "auto", "d": "ask"})
    assert stated == {"tool a.b": "deny", "tool d": "ask"}
    assert policies.of_options({**stated, "k": 1, "tool x": "never"}) == {"a.b": "deny", "d": "ask"}


@pytest.mark.parametrize("text", ["a", "a=", "=deny", "a=never", "a b=deny", f"{'x' * 200}=deny"])
def test_another_text_is_no_policy(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"is not TOOL=auto, TOOL=deny or TOOL=ask"):
        policies.ToolPolicy().convert(text, None, None)
    assert policies.ToolPolicy().convert("a.b=deny", None, None) == ("a.b", "deny")


@pytest.mark.parametrize(("typed", "allowed"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_a_person_reads_the_call_and_says_no_unless_they_say_yes(
    monkeypatch: pytest.MonkeyPatch, typed: str, *, allowed: bool
) -> None:
    asked = Terminal()
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    monkeypatch.setattr("sys.stderr", asked)
    approve = policies.asking()
    assert approve is not None
    assert approve(Call("email.send_email", {"body": "\x1b[2Jhi"})) is allowed
    assert 'carry out email.send_email {"body":' in asked.getvalue()
    assert "\x1b" not in asked.getvalue(), "a call cannot write to the terminal"


@pytest.mark.parametrize("stream", ["stdin", "stderr"])
def test_without_a_terminal_nobody_is_asked(monkeypatch: pytest.MonkeyPatch, stream: str) -> None:
    streams: dict[str, Any] = {"stdin": Terminal(), "stderr": Terminal(), stream: io.StringIO()}
    for name, value in streams.items():
        monkeypatch.setattr(f"sys.{name}", value)
    assert policies.asking() is None
