"""Results per instance: what is read, and what is refused with its line."""

from __future__ import annotations

import json
import math

import pytest

from benchsite.board.resolution import read_lines
from benchsite.errors import InputError

GOOD = b'{"system": "a", "outcomes": {"q2": 0, "q1": 1}}\n'


def second(text: str) -> list[bytes]:
    return [GOOD, text.encode()]


def test_instances_are_in_the_order_of_their_ids_whatever_the_file_says():
    a, b = read_lines(second('{"system": "b", "outcomes": {"q1": 0.25, "q3": true, "q2": false}}'), "f")
    assert (a.name, a.places.tolist(), a.values.tolist()) == ("a", [0, 1], [1, 0])
    assert (b.name, b.places.tolist(), b.values.tolist()) == ("b", [0, 1, 2], [0.25, 0, 1])
    assert (a.mean, b.mean) == (0.5, 1.25 / 3)


@pytest.mark.parametrize("value", ["false", "true", "null", "{}"])
def test_a_system_without_outcomes_is_kept_with_the_reason(value):
    read = read_lines(second(f'{{"system": "b", "published": 3, "outcomes": {value}}}'), "f")[1]
    assert (read.unread, read.published, len(read.values)) == ("no results per instance", {"published": 3}, 0)


def test_published_numbers_are_one_or_several_and_other_values_are_kept_by_kind():
    lines = [
        json.dumps({"system": name, "outcomes": {"q": 1}} | stated).encode()
        for name, stated in (
            ("a", {"published": {"score": 74.4, "cost": "3 $", "rank": 1}}),
            ("b", {"aggregate": 74.4}),
            ("c", {"published": "74.4"}),
            ("d", {"published": None}),
            ("e", {"published": math.nan, "aggregate": 74.4}),
            ("f", {"published": {"score": math.inf, "rank": True}}),
        )
    ]
    assert [(one.published, one.unusable) for one in read_lines(lines, "f")] == [
        ({"score": 74.4, "rank": 1}, {"cost": "text"}),
        ({"aggregate": 74.4}, {}),
        ({}, {"published": "a number in quotes"}),
        ({}, {}),
        ({"aggregate": 74.4}, {"published": "NaN or infinite"}),
        ({}, {"score": "NaN or infinite", "rank": "true or false"}),
    ]


def test_a_byte_order_mark_and_blank_lines_are_ignored():
    assert [one.name for one in read_lines([b"\xef\xbb\xbf" + GOOD, b" \r\n"], "f")] == ["a"]


def test_zero_has_no_sign():
    (read,) = read_lines([b'{"system": "a", "outcomes": {"q": -0.0}}'], "f")
    assert str(read.mean) == str(read.values[0]) == "0.0"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"system": "b", "outcomes": {"q1": 1, "q1": 1}}', '"q1" occurs twice'),
        ('{"system": "b", "system": "c", "outcomes": {}}', '"system" occurs twice'),
        ('{"system": "a", "outcomes": {"q1": 1}}', 'system "a" is in f line 1 too'),
        ('{"system": "b", "outcomes": {"q1": 1, "q9": "0.5"}}', 'the outcome of instance "q9" is text'),
        ('{"system": "b", "outcomes": {"q1": null}}', 'the outcome of instance "q1" is null'),
        ('{"system": "b", "outcomes": {"q1": [1]}}', 'the outcome of instance "q1" is a list'),
        ('{"system": "b", "outcomes": {"q1": NaN}}', 'the outcome of instance "q1" is not a finite number'),
        ('{"system": "b", "outcomes": {"q1": -Infinity}}', "is not a finite number"),
        ('{"system": "b", "outcomes": {"q1": 1e999}}', "is not a finite number"),
        (f'{{"system": "b", "outcomes": {{"q1": {"9" * 5000}}}}}', "is not a finite number"),
        ('{"system": "b", "outcomes": {"q1": 1e101}}', "is beyond 1e100"),
        ('{"system": "b", "outcomes": {"q1": -1e-310}}', "is nearer to 0 than 1e-290"),
        ('{"system": "b", "outcomes": [1, 0]}', "outcomes is a list, not an object"),
        ('{"system": "b", "outcomes": "1"}', "outcomes is text, not an object"),
        ('{"model": "b", "outcomes": {}}', "no name of a system"),
        ('{"system": 7, "outcomes": {}}', "no name of a system"),
        ('{"system": " ", "outcomes": {}}', "no name of a system"),
        ('["b"]', "a list, not a JSON object"),
        ("3", "a number, not a JSON object"),
        ('{"system": "b", "outco', "not JSON at column 17"),
        ("q1 Q0 d1 1 3.5 bm25", "not JSON at column 1"),
        ("[" * 100_000, "JSON nested too deeply"),
    ],
)
def test_what_is_malformed_is_refused_with_its_line(line, said):
    with pytest.raises(InputError) as caught:
        read_lines(second(line), "f")
    assert caught.value.message.startswith("f line 2: ")
    assert said in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("data", ["é".encode("latin-1"), GOOD.decode().encode("utf-16")])
def test_another_encoding_is_refused(data):
    with pytest.raises(InputError, match="^f line 2: not UTF-8$"):
        read_lines([GOOD, data], "f")


@pytest.mark.parametrize("lines", [[], [b"\n", b"  \n"]])
def test_an_empty_file_is_refused(lines):
    with pytest.raises(InputError, match="^f is empty$"):
        read_lines(lines, "f")
