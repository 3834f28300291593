"""Packed traces and the file of actions: parsers and their exact inverses, and what they refuse."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.errors import InputError
from benchsite.tracks.agents.record import action_log
from benchsite.tracks.agents.record.action_log import Acted, Change, Skipped
from benchsite.tracks.agents.trace import archive
from benchsite.tracks.agents.trace.archive import Traced
from benchsite.tracks.agents.trace.event import EVENT_TYPES, Event

SLUGS = st.from_regex(r"\A[a-z0-9][a-z0-9-]{0,20}\Z")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
EVENTS = st.builds(
    lambda number, kind, payload: (
        number,
        Event(id=f"e{number}", actor="a", event_type=kind, payload=payload),
    ),
    st.integers(0, 99),
    st.sampled_from(EVENT_TYPES),
    st.dictionaries(st.text("abc", max_size=3), TEXTS | st.integers(-9, 9) | st.none(), max_size=3),
)
TRACED = st.lists(
    st.builds(
        lambda task, run, events: Traced(task, run, tuple(dict(events).values())),
        SLUGS,
        st.integers(1, 5),
        st.lists(EVENTS, max_size=4),
    ),
    max_size=5,
    unique_by=lambda one: (one.task, one.run),
)
ACTED = st.lists(
    st.builds(
        lambda task, run, texts, error: Acted(
            task=task,
            run=run,
            actions=tuple(texts),
            error=error,
            skipped=(Skipped(action=0, reason=error or ""),),
            difference=(Change(table="t", row="1", before=None, after=error),),
        ),
        SLUGS,
        st.integers(1, 5),
        st.lists(TEXTS, max_size=3),
        TEXTS | st.none(),
    ),
    max_size=5,
    unique_by=lambda one: (one.task, one.run),
)


@given(TRACED)
def test_traces_are_unpacked_as_they_were_packed(runs: list[Traced]) -> None:
    assert list(archive.unpacked(archive.packed(runs))) == runs


@given(ACTED)
def test_actions_are_read_as_they_were_written(runs: list[Acted]) -> None:
    assert list(action_log.read(action_log.written(runs))) == runs


@given(st.binary(max_size=200))
def test_no_bytes_do_more_than_be_refused(data: bytes) -> None:
    for read in (archive.unpacked, action_log.read):
        try:
            list(read(data))
        except InputError as error:
            assert error.hint


HEAD = b'{"run":1,"task":"a"}\n'
EVENT = b'{"id":"e","actor":"a","event_type":"act"}\n'


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (EVENT, "first run: .*line 1"),
        (HEAD + HEAD, "task a .*line 2"),
        (HEAD[:-1], "line feed"),
        (HEAD + EVENT + EVENT, "id occurs twice"),
        (b'{"run":0,"task":"a"}\n', "run: .*traces.jsonl line 1"),
        (b'{"run":1,"task":"../a"}\n', "task: .*traces.jsonl line 1"),
        (HEAD + b'{"id":"e","actor":"a","event_type":"dance"}\n', "event_type"),
        (HEAD + b'{"id":"e","id":"f","actor":"a","event_type":"act"}\n', "line 2, event line 1"),
    ],
)
def test_a_line_that_is_wrong_is_named(data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        list(archive.unpacked(data))


@pytest.mark.parametrize(("name", "most"), [("MAX_EVENTS", 3), ("MAX_RUN", 3 * len(EVENT) - 3)])
def test_a_run_above_the_limit_is_refused_at_its_line(
    monkeypatch: pytest.MonkeyPatch, name: str, most: int
) -> None:
    """Before it is parsed: the events that are too many may be any bytes. The limit is of each run alone."""
    monkeypatch.setattr(archive, name, most)
    other = HEAD.replace(b'"a"', b'"b"')
    whole = HEAD + b"".join(EVENT.replace(b'"e"', b'"%d"' % number) for number in range(3))
    assert len(list(archive.unpacked(whole + whole.replace(HEAD, other)))) == 2
    with pytest.raises(InputError, match="task b.*line 9"):
        list(archive.unpacked(whole + other + b"x\n" * 3 + b"x" * len(EVENT) * 3 + b"\n"))


def test_a_hostile_file_is_refused_in_little_memory() -> None:
    """Millions of empty events: what is held grows with the limit of one run, not with the file."""
    data = HEAD + b"\n" * 20_000_000
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="100,000 .*67,108,864"):
            list(archive.unpacked(data))
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_a_run_without_events_is_a_run() -> None:
    assert list(archive.unpacked(HEAD)) == [Traced("a", 1, ())]


def test_an_action_file_refuses_a_run_that_occurs_twice_and_an_empty_line() -> None:
    line = action_log.written([Acted(task="a", run=1, actions=(), error=None, skipped=(), difference=())])
    assert len(list(action_log.read(line))) == 1
    with pytest.raises(InputError, match="twice: .*line 2"):
        list(action_log.read(line + line))
    with pytest.raises(InputError, match=r"actions\.jsonl line 1"):
        list(action_log.read(b"\n" + line))


def peak(runs: int) -> int:
    """Bytes held at most while a file of so many runs of 20 KB is read, besides the file."""
    one = {"run": 1, "actions": ["x" * 20_000], "error": None, "skipped": [], "difference": []}
    data = action_log.written(action_log.Acted.model_validate({**one, "task": f"t{i}"}) for i in range(runs))
    tracemalloc.start()
    try:
        assert sum(1 for _ in action_log.read(data)) == runs
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_actions_are_read_one_run_at_a_time():
    # Of a run that was read its name stays, to refuse a second one: well below the 20 KB of its actions.
    assert peak(220) - peak(20) < 200 * 1_000
