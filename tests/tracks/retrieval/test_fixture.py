from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.retrieval.fixture import Fixture, parse


def document() -> dict[str, Any]:
    return {
        "id": "two-talks",
        "benchmark": "house",
        "granularity": "turn",
        "items": [
            {"id": "a/1", "scope": "a", "content": "The boiler leaks.", "timestamp": "2024-02-29T10:00:00Z"},
            {
                "id": "a/2",
                "scope": "a",
                "content": "It is mended.",
                "timestamp": None,
                "metadata": {"n": [1]},
            },
            {"id": "b/1", "scope": "b", "content": "Ann likes tea."},
        ],
        "queries": [
            {"id": "q1", "query": "What leaks?", "scope": "a", "expected": [{"id": "a/1", "grade": 1}]},
            {
                "id": "q2",
                "query": "What does Ann like?",
                "scope": "b",
                "expected": [{"id": "b/1", "grade": 2}],
                "when": "2024-03-01T00:00:00+01:00",
                "category": "single-hop",
                "split": "reserved",
            },
            {
                "id": "q3",
                "query": "What does Bob like?",
                "scope": "a",
                "expected": [{"id": "a/2", "grade": 0}],
                "answerable": False,
            },
        ],
        "license": "CC BY 4.0",
        "source": "written for these tests",
    }


def read(value: Any) -> Fixture:
    return parse(json.dumps(value).encode(), where="x.json")


def refusal(value: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(value)
    return caught.value.message


def changed(path: list[Any], value: Any) -> dict[str, Any]:
    """The valid document with one value replaced (or, given `...`, removed)."""
    result = copy.deepcopy(document())
    target: Any = result
    for part in path[:-1]:
        target = target[part]
    if value is ...:
        del target[path[-1]]
    else:
        target[path[-1]] = value
    return result


def test_reads_items_queries_and_counts() -> None:
    fixture = read(document())
    assert fixture.counts == {"n": 3, "queries": 3, "scopes": 2}
    assert fixture.scopes == ("a", "b")
    assert [item.id for item in fixture.items_by_scope["a"]] == ["a/1", "a/2"]
    assert fixture.items[1].metadata == {"n": [1]}
    assert fixture.queries[1].answerable


def test_expected_ids_are_those_of_grade_one_or_more() -> None:
    assert [query.relevant for query in read(document()).queries] == [("a/1",), ("b/1",), ()]


def test_sha256_is_of_the_parsed_object_whatever_its_bytes() -> None:
    spaced = json.dumps(document(), indent=2).encode()
    reversed_keys = json.dumps(dict(reversed(document().items()))).encode()
    expected = canonical.sha256_hex(canonical.dumps(document()))
    assert parse(spaced, where="x").sha256 == parse(reversed_keys, where="x").sha256 == expected


def test_models_are_frozen() -> None:
    with pytest.raises(ValidationError):
        read(document()).queries[0].query = "other"  # type: ignore[misc]


def test_the_message_of_the_specification() -> None:
    message = refusal(changed(["queries", 0, "expected", 0, "id"], "D10:19"))
    assert message == 'fixture x.json: queries[0] "q1": expected id "D10:19" is not in scope "a"'


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["id"], "Two Talks", 'id: "Two Talks" must be 1 to 80 of a-z, 0-9 and "-", not starting with "-"'),
        (["id"], "a" * 81, "must be 1 to 80"),
        (["items", 1, "id"], "a/1", 'items[1] "a/1": id is already used by items[0]'),
        (["queries", 2, "id"], "q1", 'queries[2] "q1": id is already used by queries[0]'),
        (["items", 0, "content"], " \n\t\u00a0", 'items[0] "a/1": content: text is empty'),
        (["queries", 0, "query"], "", 'queries[0] "q1": query: text is empty'),
        (["items", 0, "timestamp"], "2023-02-29T10:00:00Z", '"2023-02-29T10:00:00Z" is not an RFC 3339'),
        (["items", 0, "timestamp"], 5, 'items[0] "a/1": timestamp: must be text'),
        (["queries", 1, "when"], "yesterday", 'queries[1] "q2": when: "yesterday" is not an RFC 3339'),
        (["items", 0, "id"], "a\u0007", 'items[0] "a\ufffd": id: "a\ufffd" must be 1 to 200 characters'),
        (["items", 0, "id"], "", "must be 1 to 200 characters"),
        (["items", 0, "id"], "x" * 201, "must be 1 to 200 characters"),
        (["items", 2, "id"], "?f00", 'ids may not start with "?"'),
        (["queries", 0, "scope"], "aa", 'queries[0] "q1": scope "aa" has no items (did you mean "a"?)'),
        (["queries", 0, "expected", 0, "id"], "b/1", 'is not in scope "a" but in scope "b"'),
        (["queries", 0, "expected", 0, "id"], "a/11", 'is not in scope "a" (did you mean "a/1"?)'),
        (
            ["queries", 0, "expected", 0, "grade"],
            -1,
            'queries[0] "q1": expected[0].grade: input should be gr',
        ),
        (["queries", 0, "expected", 0, "grade"], True, "expected[0].grade: input should be a valid integer"),
        (["queries", 0, "answerable"], "no", 'queries[0] "q1": answerable: input should be a valid boolean'),
        (["queries", 0, "expected"], ..., 'queries[0] "q1": expected: missing'),
        (["queries", 0, "expected"], {}, 'queries[0] "q1": expected: must be an array'),
        (["queries", 0], "q", "queries[0]: must be an object"),
        (
            ["queries", 1, "split"],
            "holdout",
            "split: a public dataset can't have a holdout split: call it \"res",
        ),
        (["items"], [], "items: must not be empty"),
        (["granularity"], "word", "granularity: input should be 'turn', 'session' or 'document'"),
        (["license"], ..., "license: missing"),
        (["itmes"], [], 'itmes: not a field of a dataset (did you mean "items"?)'),
        (["queries", 0, "cattegory"], "x", 'cattegory: not a field of a dataset (did you mean "category"?)'),
        (["sha256"], "0" * 64, "sha256: not a field of a dataset"),
    ],
)
def test_refuses_naming_the_place(path: list[Any], value: Any, message: str) -> None:
    assert message in refusal(changed(path, value))


def test_an_id_expected_twice() -> None:
    twice = [{"id": "a/1", "grade": 1}, {"id": "a/1", "grade": 2}]
    assert 'queries[0] "q1": expected id "a/1" is listed twice' in refusal(
        changed(["queries", 0, "expected"], twice)
    )


def test_all_problems_come_together_and_only_twenty_are_spelled_out() -> None:
    broken = document()
    broken["items"][0]["content"] = ""
    broken["queries"] = [
        {"id": f"n{n}", "query": "?", "scope": "a", "expected": [{"id": f"z{n}", "grade": 1}]}
        for n in range(30)
    ]
    message = refusal(broken)
    lines = message.splitlines()
    assert lines[0] == "fixture x.json: 31 problems"
    assert lines[1] == '  items[0] "a/1": content: text is empty'
    assert len(lines) == 22
    assert lines[-1] == "  and 11 more"


def test_of_problems_that_are_alike_five_are_spelled_out() -> None:
    """Two kinds of 12 each: five lines a kind, and 24 - 10 = 14 are counted."""
    broken = document()
    broken["queries"] = [
        {"id": f"n{n}", "query": "", "scope": "elsewhere", "expected": []} for n in range(12)
    ]
    lines = refusal(broken).splitlines()
    assert lines[0] == "fixture x.json: 24 problems"
    assert [line.rpartition(": ")[0] for line in lines[1:6]] == [
        f'  queries[{n}] "n{n}": query' for n in range(5)
    ]
    assert len(lines) == 1 + 10 + 1
    assert lines[-1] == "  and 14 more"


def test_one_broken_entry_does_not_hide_the_others() -> None:
    broken = document()
    broken["items"][1] = 7
    broken["queries"][0]["expected"][0]["id"] = "a/2"
    message = refusal(broken)
    assert "items[1]: " in message
    assert 'expected id "a/2" is not in scope "a"' in message


def test_a_broken_only_entry_has_no_false_follow_ups() -> None:
    """A list whose entries are all malformed is not empty, and an item that cannot be placed may be in any scope."""
    broken = document()
    broken["queries"] = [{**broken["queries"][0], "query": 7}]
    assert refusal(broken) == 'fixture x.json: queries[0] "q1": query: must be text'
    broken = document()
    broken["items"] = [{"id": "a/1", "content": "The boiler leaks."}]
    broken["queries"] = broken["queries"][:1]
    assert refusal(broken) == 'fixture x.json: items[0] "a/1": scope: missing'


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "fixture x.json: JSON: "),
        (b"{", "fixture x.json: JSON: "),
        (b'{"id": 1, "id": 2}', "fixture x.json: JSON: key"),
        (b'{"id": "\xff"}', "fixture x.json: JSON: "),
        (b"[" * 1000 + b"]" * 1000, "fixture x.json: JSON: "),
        (b"[]", "fixture x.json: expected a JSON object, not an array"),
        (b"null", "expected a JSON object, not null"),
        (b"3", "expected a JSON object, not a number"),
    ],
)
def test_bytes_that_are_no_fixture(data: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(data, where="x.json")
    assert caught.value.message.startswith("fixture x.json: ")
    assert message in caught.value.message
    assert caught.value.exit_code == 4


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
PATHS: list[list[Any]] = [
    ["id"], ["items"], ["items", 0], ["items", 0, "id"], ["items", 0, "metadata"], ["queries"], ["queries", 0],
    ["queries", 0, "id"], ["queries", 0, "expected"], ["queries", 0, "expected", 0], ["importer"], ["extra"],
]  # fmt: skip


@given(st.sampled_from(PATHS), json_values)
def test_any_value_anywhere_is_read_or_refused_in_words(path: list[Any], value: Any) -> None:
    value_in_place = changed(path, value)
    message = outcome(value_in_place)
    if message:
        assert message.startswith("fixture x.json: ")
        assert not set(message) & {chr(code) for code in range(32) if code != 10}
    else:
        assert read(value_in_place).sha256 == canonical.digest(value_in_place)


def outcome(value: Any) -> str:
    """The refusal, empty where the document is accepted; any other exception fails the test."""
    try:
        read(value)
    except InputError as error:
        return error.message
    return ""
