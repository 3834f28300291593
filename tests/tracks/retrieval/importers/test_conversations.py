"""The seed's format, BEAM and LongMemEval: hand-made files of the official shape, and the real ones where they are at hand."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchsite.errors import InputError

from .importing import imported, labels

SEED = {
    "id": "Temporal V1",
    "benchmark": "memory",
    "items": [
        {"id": "s1", "content": "gym", "timestamp": "2024-01-03T00:00:00.000Z", "metadata": {"a": 1}},
        {"id": "s2", "content": "pool"},
    ],
    "queries": [
        {"id": "q1", "query": "When?", "expectedAnswerIds": ["s1", "s1"], "when": "2024-06-30T00:00:00.000Z"},
        {"id": "q2", "query": "Who?", "expectedAnswerIds": []},
    ],
}
EMPTY = {"license": "", "source": "", "notes": "", "description": ""}


def seeded(document: Any) -> Any:
    return imported("seed", {"v1.json": json.dumps(document).encode()}, **EMPTY)


def test_the_seeds_format_is_one_scope_with_grades_of_1() -> None:
    fixture, lines = seeded(SEED)
    assert (fixture.id, fixture.scopes, fixture.license) == ("temporal-v1", ("all",), "not stated")
    assert labels(fixture) == {"q1": {"s1": 1}, "q2": {}}
    assert [query.answerable for query in fixture.queries] == [True, False]
    assert "altered data" in lines[-1]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"items": None}, "v1.json: no list items"),
        ({"items": ["x"]}, "v1.json: items[0] is not an object"),
        (
            {"queries": [{"id": "q", "query": "x"}]},
            "v1.json: queries[0]: expectedAnswerIds is not a list of ids",
        ),
        ({"items": [{"id": "s1", "content": "\ud83d"}]}, "v1.json: JSON: lone surrogate is not text"),
        ({"items": SEED["items"] * 2}, "v1.json: items[2]: document 's1' occurs twice"),  # type: ignore[operator]
    ],
)
def test_what_is_wrong_with_the_seeds_format_is_named(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as raised:
        seeded({**SEED, **changes})
    assert said in raised.value.message


def test_the_seeds_own_fixture_is_the_published_one(shared: Path) -> None:
    data = (shared / "data/przm_longmemeval_temporal_v1.json").read_bytes()
    fixture, lines = imported("seed", {"przm.json": data}, **EMPTY)
    assert (len(fixture.items), len(fixture.queries), fixture.license) == (51, 50, "Apache-2.0")
    assert lines[-1].startswith("the published data")


def test_a_truncated_file_of_the_seed_is_named() -> None:
    with pytest.raises(InputError, match=r"v1\.json: JSON: document ends too early"):
        imported("seed", {"v1.json": json.dumps(SEED).encode()[:-9]}, **EMPTY)


def windows(data: bytes) -> bytes:
    return b"\xef\xbb\xbf" + json.dumps(json.loads(data), indent=1).replace("\n", "\r\n").encode()


def test_windows_files_change_nothing() -> None:
    asked = json.dumps(QUESTIONS).encode()
    files: dict[str, tuple[dict[str, bytes], dict[str, str]]] = {
        "seed": ({"v1.json": json.dumps(SEED).encode()}, {}),
        "beam": ({"1/chat.json": CHAT, "1/probing_questions.json": asked}, {}),
        "longmemeval": ({"s.json": json.dumps([QUESTION]).encode()}, {"edition": "v2"}),
    }
    for kind, (plain, options) in files.items():
        written = {name: windows(data) for name, data in plain.items()}
        found, expected = (imported(kind, data, **EMPTY, **options)[0] for data in (written, plain))
        assert (found.items, found.queries) == (expected.items, expected.queries), kind


def chat(*messages: Any) -> bytes:
    return json.dumps([{"batch_number": 1, "turns": [list(messages)]}]).encode()


CHAT = chat(
    {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "I use 2 columns. ->-> 1,1"},
    {"role": "assistant", "id": 1, "content": "Noted -> fine"},
    {"role": "user", "id": 2, "content": "Now 3 columns. ->-> 1,2"},
)
QUESTIONS = {
    "abstention": [{"question": "How much?"}],
    "knowledge_update": [
        {"question": "How many columns?", "source_chat_ids": {"original_info": [0], "updated_info": [2]}}
    ],
    "temporal_reasoning": [
        {"question": "When?", "source_chat_ids": {"first_event": [0], "second_event": [[2]]}}
    ],
    "summarization": [
        {"question": "What?", "source_chat_ids": [0, 1, 0]},
        {"question": "Why?", "source_chat_ids": None},
    ],
}


def beam(**changes: bytes | None) -> Any:
    files = {
        "1/chat.json": CHAT,
        "1/probing_questions.json": json.dumps(QUESTIONS).encode(),
        "10/chat.json": CHAT,
    }
    files["10/probing_questions.json"] = files["1/probing_questions.json"]
    given = {name: data for name, data in {**files, **changes}.items() if data is not None}
    return imported("beam", given, **EMPTY)


def test_beams_messages_and_sources() -> None:
    """Ids count within a chat; the generator's index goes; the day holds for the batch; an update's later statement has grade 2."""
    fixture, _ = beam()
    assert [(item.id, item.content, item.timestamp) for item in fixture.items[:3]] == [
        ("1/0", "user: I use 2 columns.", "2024-03-15T00:00:00Z"),
        ("1/1", "assistant: Noted -> fine", "2024-03-15T00:00:00Z"),
        ("1/2", "user: Now 3 columns.", "2024-03-15T00:00:00Z"),
    ]
    assert fixture.scopes == ("1", "10")
    found = labels(fixture)
    assert found["1/abstention/0"] == {}
    assert found["1/knowledge_update/0"] == {"1/0": 1, "1/2": 2}
    assert found["10/temporal_reasoning/0"] == {"10/0": 1, "10/2": 1}
    assert found["1/summarization/0"] == {"1/0": 1, "1/1": 1}
    assert found["1/summarization/1"] == {}
    assert Counter(query.answerable for query in fixture.queries) == {True: 8, False: 2}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"10/probing_questions.json": None}, "10/probing_questions.json is missing"),
        ({"1/chat.json": CHAT[:-3]}, "1/chat.json: "),
        ({"1/chat.json": chat({"id": 1})}, "1/chat.json: batch 0 has a message without id or content"),
        (
            {"1/chat.json": CHAT.replace(b"March", b"Mars")},
            "1/chat.json: time_anchor 'Mars-15-2024' is no day",
        ),
        ({"1/chat.json": b"{}"}, "1/chat.json: not a list of batches"),
        (
            {"1/chat.json": CHAT.replace(b"Noted", b"\\ud83d")},
            "1/chat.json: JSON: lone surrogate is not text",
        ),
        (
            {"1/probing_questions.json": b'{"temporal_reasoning": {"question": "When?"}}'},
            "1/probing_questions.json: temporal_reasoning is not a list of questions",
        ),
    ],
)
def test_what_is_wrong_with_a_conversation_is_named(changes: dict[str, bytes | None], said: str) -> None:
    with pytest.raises(InputError) as raised:
        beam(**changes)
    assert said in raised.value.message


def test_questions_may_have_a_folder_of_their_own_as_in_the_published_data() -> None:
    asked = json.dumps(QUESTIONS).encode()
    moved = {"1/probing_questions.json": None, "1/probing_questions/probing_questions.json": asked}
    assert beam(**moved)[0].queries == beam()[0].queries


def test_the_authors_license_is_not_stated_of_other_conversations() -> None:
    fixture, lines = beam()
    assert (fixture.id, fixture.license) == ("altered-beam", "unknown")
    assert fixture.source == "files in the format of BEAM, not known as published: folder"
    assert lines[-1].startswith("altered data, or a part or edition unknown to this release: its SHA-256 ")
    assert f"{lines[-1][1:]}." in fixture.notes


def test_a_folder_without_a_conversation_is_none() -> None:
    with pytest.raises(InputError, match=r"no chat\.json in a folder below this one"):
        imported("beam", {"notes.json": b"{}"}, **EMPTY)


def test_the_real_conversations_of_beam(shared: Path) -> None:
    root = shared / "data/beam-100k"
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.json")}
    fixture, lines = imported("beam", files, **EMPTY)
    assert lines[-1] == "the published data (11 of the 20 conversations of chats/100K)"
    assert fixture.license.startswith("CC BY-SA 4.0")
    # As pinned by published receipts.
    assert fixture.sha256 == "54a8ce0658d704779c3ad02cd19889e93a52833004c01abcb35895b0ee8bd7ae"
    answerable = [query for query in fixture.queries if query.answerable]
    assert (len(fixture.items), len(fixture.queries), len(fixture.scopes)) == (2_754, 220, 11)
    assert (len(answerable), sum(not query.relevant for query in answerable)) == (198, 1)
    assert not any("->->" in item.content[-12:] for item in fixture.items)


QUESTION = {
    "question_id": "a1",
    "question_type": "temporal-reasoning",
    "question": "When did I move?",
    "question_date": "2023/05/30 (Tue) 23:40",
    "haystack_session_ids": ["s1", "s2", "s1"],
    "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00", "2023/05/22 (Mon) 10:00"],
    "haystack_sessions": [
        [
            {"role": "user", "content": "I moved.", "has_answer": True},
            {"role": "assistant", "content": "Good."},
        ],
        [{"role": "user", "content": "Rain."}],
        [{"role": "user", "content": "a duplicate"}],
    ],
    "answer_session_ids": ["s1"],
}


def memory(*questions: Any, **options: Any) -> Any:
    return imported(
        "longmemeval", {"s.json": json.dumps(questions).encode()}, edition="cleaned", **EMPTY, **options
    )


def test_longmemeval_by_session_and_by_turn() -> None:
    absent = {**QUESTION, "question_id": "a2_abs"}
    fixture, _ = memory(QUESTION, absent)
    assert fixture.id == "longmemeval-cleaned-session"
    assert [(item.id, item.scope, item.timestamp) for item in fixture.items[:2]] == [
        ("a1/s1", "a1", "2023-05-20T02:21:00Z"),
        ("a1/s2", "a1", "2023-05-21T10:00:00Z"),
    ]
    assert fixture.items[0].content == "user: I moved.\nassistant: Good."
    assert labels(fixture) == {"a1": {"a1/s1": 1}, "a2_abs": {}}
    assert [query.answerable for query in fixture.queries] == [True, False]
    assert fixture.queries[0].when == "2023-05-30T23:40:00Z"
    by_turn, _ = memory(QUESTION, granularity="turn")
    assert [item.id for item in by_turn.items] == ["a1/s1/0", "a1/s1/1", "a1/s2/0"]
    assert labels(by_turn) == {"a1": {"a1/s1/0": 1}}


def test_relevant_items_in_which_only_the_assistant_answers_are_recorded() -> None:
    """For LongMemEval's own metrics, which count an item only where a turn of the user has the answer."""
    said = {"role": "assistant", "content": "You moved in May.", "has_answer": True}
    sessions = [[*QUESTION["haystack_sessions"][0], said], [said], [said]]  # type: ignore[misc]
    question = {
        **QUESTION,
        "haystack_session_ids": ["s1", "s2", "s3"],
        "haystack_sessions": sessions,
        "answer_session_ids": ["s1", "s2", "s9"],
    }
    recorded = {}
    for granularity in ("session", "turn"):
        fixture, _ = memory(question, {**question, "question_id": "a2_abs"}, granularity=granularity)
        assert fixture.importer is not None
        recorded[granularity] = json.loads(str(fixture.importer.options["answeredByAssistant"]))
    assert recorded == {"session": ["a1/s2"], "turn": ["a1/s1/2", "a1/s2/0", "a1/s3/0"]}


def test_longmemeval_claims_nothing_about_its_file() -> None:
    fixture, lines = memory(QUESTION)
    assert lines[-1] == "unknown whether altered: no digest of the published file is known"
    assert "Unknown whether altered: no digest of the published file is known." in fixture.notes
    assert (fixture.license, fixture.source) == (
        "unknown",
        "a file in the format of xiaowu0162/LongMemEval, unknown whether the published one: s.json",
    )


def test_a_session_with_the_id_of_another_is_dropped_and_counted_unless_it_says_the_same() -> None:
    same = [QUESTION["haystack_sessions"][0], [], QUESTION["haystack_sessions"][0]]  # type: ignore[index]
    said = "dropped sessions with the id of another one: 1 (a1/s1; the first in s.json: question 0 (a1))"
    assert said in memory(QUESTION)[1]
    fixture, lines = memory({**QUESTION, "haystack_sessions": same})
    assert [item.id for item in fixture.items] == ["a1/s1"]
    assert not any("the id of another" in line for line in lines)


def test_labels_of_unknown_sessions_are_counted() -> None:
    fixture, _ = memory({**QUESTION, "answer_session_ids": ["s9", "s1", "s9"]})
    assert labels(fixture) == {"a1": {"a1/s1": 1}}
    assert "Dropped labels of unknown documents: 1 (a1/s9)." in fixture.notes


def test_a_truncated_file_of_longmemeval_is_named() -> None:
    with pytest.raises(InputError, match=r"s\.json: JSON: document ends too early"):
        imported("longmemeval", {"s.json": json.dumps([QUESTION]).encode()[:-9]}, edition="v2", **EMPTY)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        *(
            ({"answer_session_ids": ids}, "s.json: question 0 (a1): answer_session_ids is not a list of ids")
            for ids in ("s1", "", 7, [["s1"]], [7])
        ),
        (
            {"haystack_session_ids": [["s1"], "s2", "s3"]},
            "s.json: question 0 (a1): haystack_session_ids is not a list of ids",
        ),
        ({"question": "\ud83d"}, "s.json: JSON: lone surrogate is not text"),
        ({"question_id": None}, "s.json: question 0 has no question_id"),
        ({"haystack_dates": []}, "haystack_session_ids, dates and sessions differ in length"),
        ({"haystack_dates": ["2023/05/20", "", ""]}, "s.json: question 0 (a1): '2023/05/20' is no time"),
        ({"haystack_dates": ["2023/15/20 (Sat) 02:21"] * 3}, "'2023/15/20 (Sat) 02:21' is no time"),
        ({"haystack_sessions": ["x", [], []]}, "a session is no list of turns with content"),
    ],
)
def test_what_is_wrong_with_a_question_is_named(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as raised:
        memory({**QUESTION, **changes})
    assert said in raised.value.message
