"""Actions are texts that others wrote: one call of a known tool with literal arguments, or a reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.agents import tools
from benchsite.tracks.agents.benchmarks.workbench.actions import (
    Call,
    Unusable,
    action_text,
    canonical_action,
    read_action,
    read_actions,
    usable,
)
from benchsite.tracks.agents.benchmarks.workbench.literals import UnreadableError
from benchsite.tracks.agents.benchmarks.workbench.tools import CATALOG

DELETE = "calendar.delete_event.func"
UPDATE = "calendar.update_event.func"


def arguments(text: str) -> dict[str, object]:
    found = read_action(text)
    assert isinstance(found, Call), found
    return dict(found.arguments)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f'{DELETE}(event_id="1")', "1"),
        (f'  {DELETE}("1")', "1"),
        (f'{DELETE}(event_id="it\'s")', "it's"),
        (f'{DELETE}(event_id="a\nb")', "a\nb"),
        (f'{DELETE}(event_id="a\\nb")', "a\nb"),
        (f'{DELETE}(event_id="\\d")', "\\d"),
        (f'{DELETE}(event_id="a" "b")', "ab"),
        (f'{DELETE}(event_id="a" + "b")', "ab"),
        (f'{DELETE}(event_id="Plan F")', "Plan F"),
        (f"{DELETE}(event_id=':rf')", ":rf"),
        (f"{DELETE}(event_id=None)", None),
        (f"{DELETE}(event_id=True)", True),
        (f"{DELETE}(event_id=-5)", -5),
        (f"{DELETE}(event_id=[1, 'a'])", [1, "a"]),
        (f"{DELETE}(event_id={{'a': (1, 2)}})", {"a": (1, 2)}),
        (f"{DELETE}(event_id='{'x' * 100_000}')", "x" * 100_000),
    ],
)
def test_a_literal_argument_is_what_python_reads(text: str, value: object) -> None:
    assert arguments(text) == {"event_id": value}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not a Python expression"),
        ("restart", "not a call"),
        ("1 + 1", "not a call"),
        (f'{DELETE}(event_id="1"), {DELETE}(event_id="2")', "not a call"),
        (f'{DELETE}(event_id="1"); 1', "not a Python expression"),
        (f'{DELETE}(event_id="say "no"")', "not a Python expression"),
        (f'{DELETE}(event_id="1"', "not a Python expression"),
        ('email.send.func(from="a")', "not a Python expression"),
        ('calendar.add_event.func(name="a")', "unknown tool: calendar.add_event"),
        ('delete_event.func(event_id="1")', "not a call of group.tool.func"),
        ('calendar.delete_event(event_id="1")', "not a call of group.tool.func"),
        ("().__class__.__bases__[0].__subclasses__()", "not a call of group.tool.func"),
        ('__import__("os").system("true")', "not a call of group.tool.func"),
        (f"{DELETE}(event_id=().__class__)", "Attribute is not a literal value"),
        (f"{DELETE}(event_id={DELETE}('1'))", "Call is not a literal value"),
        (f"{DELETE}(event_id=f'{{1}}')", "a text that is computed"),
        (f"{DELETE}(event_id=[x for x in 'a'])", "ListComp is not a literal value"),
        (f"{DELETE}(event_id=(lambda: 1)())", "Call is not a literal value"),
        (f"{DELETE}(event_id='a' * 10)", "BinOp is not a literal value"),
        (f"{DELETE}(event_id={{**{{}}}})", "a key that is no plain value"),
        (f"{DELETE}(*['1'])", "a starred argument"),
        (f"{DELETE}(**{{'event_id': '1'}})", "a starred argument"),
        (f"{DELETE}('1', '2')", "2 arguments; the tool has 1 parameters"),
        (f"{DELETE}('1', event_id='2')", "two values for event_id"),
        (f"{DELETE}(id='1')", "unknown parameter: id"),
        (f"{DELETE}(event_id={'[' * 60}{']' * 60})", "nested too deeply"),
        (f"{DELETE}(event_id={'(' * 50_000})", "not a Python expression"),
        (f"{DELETE}(event_id={'-' * 50_000}1)", "nested too deeply"),
        (f"{DELETE}(event_id={'+'.join(['1'] * 50_000)})", "nested too deeply"),
        ("x" * 200_001, "more than 200,000 characters"),
        (f"{DELETE}(event_id='\\ud800')", "half of a character"),
        (f"{DELETE}(event_id=0x1{'0' * 5_000})", "a number of too many digits"),
        (f"{DELETE}(event_id='\0')", "not a Python expression"),
    ],
)
def test_what_is_no_call_of_a_tool_is_unusable_with_its_reason(text: str, reason: str) -> None:
    found = read_action(text)
    assert isinstance(found, Unusable)
    assert found.reason.startswith(reason)


VALUE = st.one_of(
    st.text(max_size=30),
    st.integers(-(2**53) + 1, 2**53 - 1),
    st.none(),
    st.booleans(),
    st.lists(st.text(max_size=5)),
)


@given(st.sampled_from(sorted(CATALOG)), st.data())
def test_evidence_records_a_call_as_tool_and_arguments(name: str, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(CATALOG[name].parameters), unique=True))
    arguments = {parameter: data.draw(VALUE) for parameter in chosen}
    written = ", ".join(f"{parameter}={value!r}" for parameter, value in arguments.items())
    found = canonical_action(f"{name}.func({written})")
    assert found == tools.Call(name, arguments)
    call = usable(found)
    assert isinstance(call, Call)
    assert (call.tool.name, call.arguments) == (name, arguments)


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (tools.Call("calendar.burn", {}), "unknown tool: calendar.burn"),
        (tools.Call("calendar.delete_event", {"id": "1"}), "unknown parameter: id"),
        ("print('hello')", "not a call of group.tool.func"),
    ],
)
def test_what_is_no_call_of_a_known_tool_stays_as_it_is_and_does_nothing(
    action: tools.Action, reason: str
) -> None:
    assert usable(action) == Unusable(reason)
    if isinstance(action, str):
        assert canonical_action(action) == action


def test_the_original_writes_values_without_escapes() -> None:
    # langchain_core AgentAction -> `f'{k}="{v}"'` in the original's convert_agent_action_to_function_call
    assert action_text("a.b", {"c": 'say "x"', "d": None}) == 'a.b.func(c="say "x"", d="None")'


@given(st.one_of(st.text(max_size=80), st.text("()[]{}'\"\\\n.,=*+-:calendrft1 ", max_size=60)))
def test_any_text_is_a_call_or_a_reason(text: str) -> None:
    for whole in (text, f"{UPDATE}({text})", f'{UPDATE}(field="{text}")'):
        found = read_action(whole)
        assert isinstance(found, Call) or found.reason


@pytest.mark.parametrize("text", ["", "1", "['a', 1]", "('a',)", "[a]", "['a'", "[open('x')]"])
def test_a_cell_that_is_no_list_of_texts_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_actions(text)


@given(st.lists(st.text(max_size=30), max_size=4))
def test_a_list_of_texts_is_read_as_python_writes_it(found: list[str]) -> None:
    assert read_actions(repr(found)) == tuple(found)
