"""Recording and replay: inverses by run, resumed, shared by processes, and cut by a kill."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from answering import Counting
from hypothesis import given
from hypothesis import strategies as st

from benchsite.errors import InputError, PrerequisiteError, UsageError
from benchsite.tracks.agents.models import Completion, Message, ProviderError, Usage
from benchsite.tracks.agents.models.recorded import Answer
from benchsite.tracks.agents.models.recording import Recording, RecordingFile, read_recording
from benchsite.tracks.agents.models.replay import Replay
from benchsite.tracks.agents.tools import Call, Tool

TOOL = Tool("sum", "Adds.", {"type": "object"})


def asking(word: str) -> list[Message]:
    return [{"role": "user", "content": word}]


def answers(model: Recording | Replay, run: str, words: str) -> list[Completion | str]:
    """What a run is answered, one request a letter; an error as its message."""
    found: list[Completion | str] = []
    own = model.for_run(run)
    for word in words:
        try:
            found.append(own.complete(asking(word), [TOOL], {"temperature": 0.7}))
        except ProviderError as error:
            found.append(error.message)
    return found


def recorded(path: Path, model: Counting, settings: dict[str, object] | None = None) -> Recording:
    return Recording(model, RecordingFile(path), settings)


@given(st.lists(st.tuples(st.sampled_from(["t/1", "t/2", "u/1"]), st.text("ab", max_size=4)), max_size=6))
def test_a_replay_gives_every_run_what_it_was_answered(
    tmp_path_factory: pytest.TempPathFactory, attempts: list[tuple[str, str]]
) -> None:
    """Of several attempts at a run the later ones count, request by request."""
    path = tmp_path_factory.mktemp("r") / "answers.jsonl"
    model = recorded(path, Counting(failing=(3, 7)))
    given_last: dict[tuple[str, str, int], Completion | str] = {}
    for run, words in attempts:
        for place, found in enumerate(answers(model, run, words)):
            word = words[place]
            given_last[run, word, words[:place].count(word)] = found
    replay = Replay(str(path))
    for (run, word, occurrence), found in given_last.items():
        assert answers(replay, run, word * (occurrence + 1))[-1] == found


def test_a_file_that_exists_is_continued_and_nothing_is_asked_twice(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    first = Counting(failing=(3,))
    before = answers(recorded(path, first), "t/1", "aab")
    assert before[2] == "model counting: down at 3"
    second = Counting()
    after = answers(recorded(path, second), "t/1", "aabc")
    assert after[:2] == before[:2]
    assert second.asked == 2, "the error and the new request alone"
    assert answers(Replay(str(path)), "t/1", "aabc") == after


def test_runs_and_repeated_requests_have_answers_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    model = recorded(path, Counting())
    first, second = answers(model, "t/1", "aa"), answers(model, "t/2", "aa")
    assert len({str(one) for one in (*first, *second)}) == 4
    replay = Replay(str(path))
    assert answers(replay, "t/2", "aa") == second
    assert answers(replay, "t/1", "aa") == first


def test_a_run_that_was_not_recorded_gets_every_answer_in_the_order_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    model = recorded(path, Counting())
    every = answers(model, "t/1", "aa") + answers(model, "t/2", "a")
    found = answers(Replay(str(path)), "else", "aaaa")
    assert found[:3] == every
    assert "is recorded 3 times, and made once more" in str(found[3])


def test_what_shapes_an_answer_is_part_of_the_request(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    answers(recorded(path, Counting(), {"temperature": 0.2, "base_url": "http://a/v1"}), "t/1", "a")
    for settings, is_known in (
        ({"temperature": 0.2, "base_url": "http://b/v1", "timeout_s": 3.0}, True),
        ({"temperature": 0.3}, False),
        ({}, False),
    ):
        (found,) = answers(Replay.of(path, "counting", settings), "t/1", "a")
        assert isinstance(found, Completion) == is_known
    replay = Replay.of(path, "counting", {"temperature": 0.2})
    with pytest.raises(ProviderError, match="is not recorded"):
        replay.for_run("t/1").complete(asking("a"), [Tool("sum", "Subtracts.")], {"temperature": 0.7})


def test_a_recording_has_no_secret(tmp_path: Path) -> None:
    class Telling(Counting):
        def complete(self, messages: Any, tools: Any, settings: Any) -> Completion:
            return replace(super().complete(messages, tools, settings), text="the key is sk-very-secret")

    path = tmp_path / "answers.jsonl"
    answers(Recording(Telling(), RecordingFile(path, ("sk-very-secret",))), "t/1", "a")
    assert b"sk-very-secret" not in path.read_bytes()
    assert read_recording(path)[0].text == "the key is [redacted]"


def test_models_share_a_file_by_name(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    file = RecordingFile(path)
    one, two = Recording(Counting("one"), file), Recording(Counting("two"), file)
    expected = answers(one, "t/1", "a"), answers(two, "t/1", "aa")
    assert answers(Replay(f"{path}#one"), "t/1", "a") == expected[0]
    assert answers(Replay.of(path, "two"), "t/1", "aa") == expected[1]
    with pytest.raises(UsageError, match="has answers of 2 models") as raised:
        Replay(str(path))
    assert raised.value.hint == "add #NAME; available: one, two"
    with pytest.raises(UsageError, match="no answers of 'three'"):
        Replay(f"{path}#three")


def test_a_replay_is_named_as_its_model_and_marked(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    answers(recorded(path, Counting()), "t/1", "a")
    replay = Replay(str(path))
    assert (replay.requested, replay.simulated) == ("counting", True)
    assert replay.sha256 is not None


def test_a_line_is_read_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    answers(recorded(path, Counting()), "t/1", "ab")
    first, second = (json.loads(line) for line in path.read_text().splitlines())
    assert first.pop("request") != second.pop("request")
    common = {"model": "counting", "run": "t/1", "occurrence": 0, "responded": "counting-served"}
    tokens = {"tokensCached": 3, "tokensReasoning": 1}
    assert first == {
        **common,
        **tokens,
        "text": "answer 1 é😀",
        "costUsd": 0.001,
        "tokensIn": 10,
        "tokensOut": 1,
    }
    assert second == {
        **common,
        **tokens,
        "calls": [{"tool": "sum", "arguments": {"terms": [2, 0.5, None]}}],
        "costUsd": 0.002,
        "tokensIn": 20,
        "tokensOut": 2,
    }


texts = st.text("ab\n\x00é😀", max_size=8)
completions = st.builds(
    Completion,
    text=st.none() | texts,
    calls=st.lists(
        st.builds(Call, st.text("abc.", min_size=1), st.dictionaries(texts, texts)), max_size=2
    ).map(tuple),
    finish_reason=st.sampled_from(["stop", "length"]),
    responded=st.just("m"),
    usage=st.builds(Usage, *[st.none() | st.integers(0, 2**53 - 1)] * 4),
    cost_usd=st.none() | st.floats(0, 1e6),
)


@given(completions)
def test_a_completion_comes_back_from_its_line(found: Completion) -> None:
    line = Answer.of(("r", "0" * 64, 0), "m", found).line()
    assert line.count(b"\n") == 1
    from benchsite import canonical

    assert Answer.model_validate(canonical.loads(line)).completion("m") == found


@pytest.mark.parametrize("cut", [1, 40, 10_000])
def test_a_line_that_a_kill_cut_is_left_out_and_replaced(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "answers.jsonl"
    before = answers(recorded(path, Counting()), "t/1", "aa")
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"run": "' + b"x" * cut)
    assert len(read_recording(path)) == 2
    model = Counting("counting")
    found = answers(recorded(path, model), "t/1", "aab")
    assert found[:2] == before
    assert path.read_bytes().startswith(whole)
    assert len(read_recording(path)) == 3


def test_processes_append_to_one_file(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    code = (
        "import sys; from pathlib import Path; from answering import Counting\n"
        "from benchsite.tracks.agents.models.recording import Recording, RecordingFile\n"
        "model = Recording(Counting(), RecordingFile(Path(sys.argv[1]))).for_run(sys.argv[2])\n"
        "for number in range(200):\n"
        "    model.complete([{'role': 'user', 'content': 'x' * number}], (), {})\n"
    )
    tests = str(Path(__file__).parents[3])
    writers = [
        subprocess.Popen([sys.executable, "-c", code, path, run], env={"PYTHONPATH": tests, "PATH": ""})
        for run in "ab"
    ]
    assert [one.wait() for one in writers] == [0, 0]
    found = read_recording(path)
    assert sorted(one.run for one in found) == ["a"] * 200 + ["b"] * 200
    for run in "ab":
        assert [one.tokens_out for one in found if one.run == run] == list(range(1, 201))


def test_a_full_disk_is_said_and_the_file_stays_whole(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    model = recorded(path, Counting())
    answers(model, "t/1", "aa")
    whole = path.read_bytes()
    import signal

    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 20, limits[1]))
    try:
        with pytest.raises(PrerequisiteError, match="cannot record completions: .*file too large"):
            model.for_run("t/2").complete(asking("a"), [TOOL], {})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert len(read_recording(path)) == 2
    answers(recorded(path, Counting()), "t/3", "a")
    assert path.read_bytes().startswith(whole)
    assert len(read_recording(path)) == 3


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 1: "),
        ("[]", "line 1: "),
        ('{"run": "a"}', "line 1: model"),
        ('{"run": "a", "model": "m", "request": "x", "occurrence": 0}', "line 1: request"),
        (f'{{"run": "a", "model": "m", "request": "{"0" * 64}", "occurrence": -1}}', "line 1: occurrence"),
        (
            f'{{"run": "a", "model": "m", "request": "{"0" * 64}", "occurrence": 0, "tokensIn": -1}}',
            "line 1: tokensIn",
        ),
    ],
)
def test_a_line_of_another_form_is_named(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(InputError) as raised:
        Replay(str(path))
    assert said in raised.value.message
    with pytest.raises(InputError):
        RecordingFile(path)


def test_a_file_that_is_not_there_or_cannot_be_made(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        Replay(str(tmp_path / "absent.jsonl"))
    (tmp_path / "file").write_text("")
    with pytest.raises(PrerequisiteError, match="cannot record completions"):
        RecordingFile(tmp_path / "file" / "answers.jsonl")


def test_what_cannot_be_recorded_is_an_error_of_the_provider(tmp_path: Path) -> None:
    class Odd(Counting):
        def complete(self, *_: object) -> Completion:
            return Completion("\ud800")

    with pytest.raises(ProviderError, match="the completion cannot be recorded"):
        recorded(tmp_path / "answers.jsonl", Odd()).complete(asking("a"), (), {})
