"""Completions that were paid for: an attempt that did not end loses none of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agents_receipts import context, document, resolved, work
from examples import some

from benchsite.canonical import Json
from benchsite.errors import PrerequisiteError
from benchsite.track import Measurement, Resolved
from benchsite.tracks.agents.models import Completion, Message, ProviderError, Usage, connection
from benchsite.tracks.agents.run import runner
from benchsite.tracks.agents.run.paid import Paid
from benchsite.tracks.agents.tools import Tool
from benchsite.tracks.agents.trace import archive
from benchsite.tracks.agents.trace.event import Event

SYSTEM = (
    "class Asker:\n"
    "    name, version, author = 'asker', '1.0.0', 'me'\n"
    "    def solve(self, task, tools, models, trace):\n"
    "        said = [models['default'].complete([{'role': 'user', 'content': str(n)}]).text for n in (1, 2, 3)]\n"
    "        return ' '.join(said)\n"
    "    def describe(self):\n"
    "        return {'roles': ['default']}\n"
)


class Provider:
    """A live model that counts what it is asked, and stops answering when it is told to."""

    requested, simulated, sha256 = "live-1", False, None

    def __init__(self, stop: type[BaseException], at: int) -> None:
        self.asked: list[str] = []
        self._stop, self._at = stop, at

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool], settings: Mapping[str, Json]
    ) -> Completion:
        del tools, settings
        if len(self.asked) == self._at:
            self._at = -1
            raise self._stop("stopped")
        self.asked.append(str(messages[0]["content"]))
        return Completion(f"answer {messages[0]['content']}", (), "stop", "live-1-x", Usage(10, 1), 0.01)


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Resolved:
    (tmp_path / "asker.py").write_text(SYSTEM)
    monkeypatch.syspath_prepend(tmp_path)
    return replace(resolved(), references={"system": "asker:Asker"})


def run(
    folder: Path, known: Resolved, provider: Provider, monkeypatch: pytest.MonkeyPatch, **how: int
) -> Measurement:
    monkeypatch.setattr(
        connection.TRACK.__class__, "plugin", _plugin(provider, connection.TRACK.__class__.plugin)
    )
    experiment = {"root": str(folder), "name": "e", "executor": "inline", **how}
    asked = work("asker", limit=1, models={"default": "live:x"}, experiment=experiment)
    return runner.run(asked, known, context())


def _plugin(provider: Provider, whole: Any) -> Any:
    return lambda track, role, name: (
        (lambda _text: provider) if (role, name) == ("model", "live") else whole(track, role, name)
    )


@pytest.mark.parametrize("at", some([0, 1, 2], gate=1))
def test_a_killed_run_asks_again_only_for_what_it_had_not_got(
    tmp_path: Path, known: Resolved, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        run(tmp_path / "out", known, Provider(KeyboardInterrupt, at), patch)
    second = Provider(KeyboardInterrupt, -1)
    made = run(tmp_path / "out", known, second, monkeypatch)
    assert second.asked == ["1", "2", "3"][at:]
    body = document(made)
    assert body["runs"]["tokens"] == [33]
    assert body["runs"]["costUsd"] == [pytest.approx(0.03)], "what was paid before is counted"
    (traced,) = archive.unpacked(made.evidence[1].data)
    asked = [event for event in traced.events if "model_requested" in event.payload]
    assert [event.latency_ms is None for event in asked] == [place < at for place in range(3)]
    assert not list((tmp_path / "out").rglob("*.attempt_*")), "the record has them now"


@pytest.mark.parametrize("at", [0, 2])
def test_an_attempt_after_a_failure_of_the_provider_pays_for_nothing_twice(
    tmp_path: Path, known: Resolved, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    provider = Provider(ProviderError, at)
    body = document(run(tmp_path / "out", known, provider, monkeypatch))
    assert provider.asked == ["1", "2", "3"]
    assert body["runs"]["outcome"] != ["error"]


def test_if_the_provider_ends_every_unit_there_is_no_draft_and_what_was_paid_for_stays(
    tmp_path: Path, known: Resolved, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Down(Provider):
        """Answers twice, then never again."""

        def complete(self, *request: Any) -> Completion:
            if len(self.asked) == 2:
                raise ProviderError("503")
            return super().complete(*request)

    first = Down(ProviderError, -1)
    with pytest.raises(PrerequisiteError, match="no model answered in 1 run"):
        run(tmp_path / "out", known, first, monkeypatch)
    assert first.asked == ["1", "2"]
    second = Provider(ProviderError, -1)
    body = document(run(tmp_path / "out", known, second, monkeypatch))
    assert second.asked == ["3"]
    assert body["runs"]["costUsd"] == [pytest.approx(0.03)]
    assert not list((tmp_path / "out").rglob("*.attempt_*"))


def test_each_completion_is_taken_once_and_of_two_attempts_the_longer_counts() -> None:
    def event(number: int, text: str) -> Event:
        payload = {"request": "r", "model_requested": "m", "model_responded": "m-1", "text": text}
        return Event(id=f"e{number}", actor="a", event_type="act", payload=payload)

    paid = Paid([[event(1, "one")], [event(1, "one"), event(2, "two")]])
    assert [found and found.text for found in (paid.take("m", "r") for _ in range(3))] == ["one", "two", None]
    assert paid.take("other", "r") is None
    assert paid.take("m", None) is None
