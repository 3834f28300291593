from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import click
import pytest

from benchsite.cli.grants import grant_options, granted
from benchsite.errors import InputError, UsageError
from benchsite.track import Grant, RunContext
from benchsite.tracks.retrieval.run import command, runner

ENTRY: dict[str, Any] = {"track": "retrieval", "adapter": "bm25", "fixture": "f"}
TWENTY = ",".join(map(str, range(1, 21)))


def ks(text: str) -> Any:
    option = next(option for option in command.parameters() if option.name == "k")
    return option.type.convert(text, option, None)


def test_cut_offs_are_sorted_and_counted_once():
    assert ks("10,1,5,10") == (1, 5, 10)
    assert ks(TWENTY) == tuple(range(1, 21))
    assert command.suite({**ENTRY, "k": [1, 10, 1000]}, "").request["ks"] == (1, 10, 1000)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0", "from 1 to 1,000"),
        ("1001", "from 1 to 1,000"),
        (TWENTY + ",21", "at most 20"),
        ("a", "list"),
    ],
)
def test_cut_offs_that_no_receipt_may_have_are_refused(text: str, says: str):
    with pytest.raises(click.BadParameter, match=says):
        ks(text)


@pytest.mark.parametrize("k", [[], [0], [1001], list(range(1, 22))])
def test_a_suite_may_ask_for_no_more_than_the_command_line(k: list[int]):
    with pytest.raises(InputError, match="^k"):
        command.suite({**ENTRY, "k": k}, "")


def test_a_receipt_without_settings_cannot_be_run_again():
    """Schema 0.0.1 recorded neither seed nor options."""
    with pytest.raises(UsageError, match=r"schema 0\.0\.1"):
        command.work_of({"benchVersion": "0.0.1", "perQuery": []})


OPTIONS: dict[str, Any] = {
    "adapter": ("a", "b"),
    "fixture": ("f",),
    "k": (1,),
    "repeats": 1,
    "seed": 1,
    "limit": None,
    "option": (),
    "stopwords": False,
    "timeout": 1.0,
    "strict": False,
    "methodology": "",
}


def test_options_grant_to_every_adapter_of_the_command_line_and_a_suite_grants_nothing():
    options = {**OPTIONS, "allow_network": True, "allow_env": ("SERVICE_KEY",)}
    assert granted(options) == Grant(network=True, environment=("SERVICE_KEY",))
    assert options == OPTIONS, "the track is not asked"
    assert command.suite(ENTRY, "").grant == Grant()
    with pytest.raises(InputError, match="allow_network"):
        command.suite({**ENTRY, "allow_network": True}, "")


@pytest.mark.parametrize("name", ["BENCHSITE_LOG_KEY", "benchsite_x", "A=B", "", "1A", "A" * 101])
def test_variables_that_no_option_grants(name: str):
    option = next(option for option in grant_options() if option.name == "allow_env")
    with pytest.raises(click.BadParameter):
        option.type.convert(name, option, None)


def test_what_the_command_line_grants_is_added_to_the_configuration(context: Any):
    context.grants = lambda subject: {"a": Grant(environment=("ONE",), memory_mb=5)}.get(subject, Grant())
    grant = Grant(network=True, environment=("TWO", "ONE"))
    works = [replace(work, grant=grant) for work in command.works(**OPTIONS)]
    context = RunContext(
        **{
            field.name: getattr(context, field.name)
            for field in fields(RunContext)
            if hasattr(context, field.name)
        }
    )
    found = [runner._granting(work, context).grants(work.subject) for work in works]
    assert found == [
        Grant(network=True, environment=("ONE", "TWO"), memory_mb=5),
        Grant(network=True, environment=("TWO", "ONE")),
    ]


def assigned(text: str) -> Any:
    option = next(option for option in command.parameters() if option.name == "option")
    return option.type.convert(text, option, None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("dim=64", 64),
        ("rate=0.5", 0.5),
        ("fast=true", True),
        ("fast=false", False),
        ("model=all-minilm", "all-minilm"),
        ("path=a=b", "a=b"),
        ("empty=", ""),
        ("list=[1]", "[1]"),
        ("none=null", "null"),
        ("huge=1e999", "1e999"),
        ("long=99999999999999999999", "99999999999999999999"),
        ('quoted="64"', "64"),
    ],
)
def test_an_option_is_a_number_a_truth_value_or_text(text: str, value: Any):
    found = assigned(text)[1]
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("text", ["dim", "=1", "a b=1", "1a=2", "arguments=x"])
def test_what_is_no_option_is_refused(text: str):
    with pytest.raises(click.BadParameter):
        assigned(text)


def test_options_of_the_command_line_and_of_the_suite_are_the_same():
    works = command.works(**{**OPTIONS, "option": (("dim", 64), ("fast", True)), "stopwords": True})
    assert works[0].request["options"] == {"dim": 64, "fast": True, "stopwords": True}
    entry = {**ENTRY, "options": {"dim": 64, "fast": True}, "stopwords": True}
    assert command.suite(entry, "").request["options"] == works[0].request["options"]


@pytest.mark.parametrize(
    "options", [{"a b": 1}, {"dim": [1]}, {"dim": None}, {"arguments": "x"}, {"dim": float("nan")}]
)
def test_options_of_a_suite_that_cannot_be_recorded_are_refused(options: dict[str, Any]):
    with pytest.raises(InputError, match="^options"):
        command.suite({**ENTRY, "options": options}, "")


@pytest.mark.parametrize("value", ["a\nb", "x\x1b[31m", "y" * 201])
def test_the_text_of_an_option_is_one_printable_line(value: str):
    with pytest.raises(click.BadParameter, match="one line"):
        command.Assignment().convert(f"name={value}", None, None)
