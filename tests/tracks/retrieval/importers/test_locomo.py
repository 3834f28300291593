"""The miniature below holds one of each trap; the counts of the real file are those of the specification."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.retrieval import fixture
from benchsite.tracks.retrieval.importers.locomo import Report, convert
from benchsite.tracks.retrieval.importers.locomo_source import Sample, resolve


def turn(name: str, speaker: str, text: str, **more: Any) -> dict[str, Any]:
    return {"dia_id": name, "speaker": speaker, "text": text, **more}


def question(text: str, category: int, *evidence: str) -> dict[str, Any]:
    return {"question": text, "category": category, "evidence": list(evidence), "answer": "left out"}


def source() -> list[dict[str, Any]]:
    return [
        {
            "sample_id": "conv-1",
            "conversation": {
                "speaker_a": "Ann",
                "speaker_b": "Bob",
                "session_2_date_time": "12:05 am on 29 February, 2024",
                "session_2": [turn("D2:1", "Bob", "I sold the boat.", blip_caption="a photo of a boat")],
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [turn("D1:1", "Ann", "I bought a boat."), turn("D1:2", "Bob", "Nice!")],
                "session_3_date_time": "3:00 pm on 1 March, 2024",
            },
            "qa": [
                question("Who bought a boat?", 4, "D1:1", "D1:1"),
                question("Which boats?", 1, "D1:1; D2:1"),
                question("When was it sold?", 2, "D:02:01"),
                question("Would Ann sail?", 3, "D", "D9:9 D1:x"),
                question("Why did Ann fly?", 5, "D1:2"),
            ],
            "event_summary": {"ignored": True},
        },
        {
            "sample_id": "conv-2",
            "conversation": {
                "session_1_date_time": "12:30 pm on 1 January, 2023",
                "session_1": [turn("D1:1", "Eve", "Hello.")],
            },
            "qa": [question("What did Eve say?", 4, "D1:1")],
        },
    ]


def run(value: Any, **options: Any) -> tuple[dict[str, Any], Report]:
    return convert(json.dumps(value).encode(), where="mini.json", **options)


def test_items_are_turns_in_order_with_date_and_speaker() -> None:
    document, report = run(source())
    assert document["id"] == "altered-locomo-2-turn"
    assert [item["id"] for item in document["items"]] == [
        "conv-1/D1:1", "conv-1/D1:2", "conv-1/D2:1", "conv-2/D1:1",
    ]  # fmt: skip
    assert document["items"][0] == {
        "id": "conv-1/D1:1",
        "scope": "conv-1",
        "content": "1:56 pm on 8 May, 2023 Ann: I bought a boat.",
        "timestamp": "2023-05-08T13:56:00Z",
        "metadata": {"session": 1, "speaker": "Ann"},
    }
    assert [item["timestamp"] for item in document["items"][2:]] == [
        "2024-02-29T00:05:00Z",
        "2023-01-01T12:30:00Z",
    ]
    assert (report.scopes, report.items, report.queries) == (2, 4, 6)


def test_evidence_is_split_stripped_deduplicated_and_what_is_left_is_listed() -> None:
    document, report = run(source())
    expected = {query["id"]: [entry["id"] for entry in query["expected"]] for query in document["queries"]}
    assert expected == {
        "conv-1/qa0": ["conv-1/D1:1"],
        "conv-1/qa1": ["conv-1/D1:1", "conv-1/D2:1"],
        "conv-1/qa2": ["conv-1/D2:1"],
        "conv-1/qa3": [],
        "conv-1/qa4": [],
        "conv-2/qa0": ["conv-2/D1:1"],
    }
    assert [(entry.question, entry.text, entry.found, entry.dropped) for entry in report.unresolved] == [
        (1, "D1:1; D2:1", ("D1:1", "D2:1"), ()),
        (2, "D:02:01", ("D2:1",), ()),
        (3, "D", (), ("D",)),
        (3, "D9:9 D1:x", (), ("D9:9", "D1:x")),
    ]
    assert report.dropped == ("conv-1/qa3: D", "conv-1/qa3: D9:9", "conv-1/qa3: D1:x")
    assert (report.evidence, report.duplicates) == (8, 1)


def test_adversarial_questions_expect_nothing_and_questions_without_evidence_are_counted() -> None:
    document, report = run(source())
    assert [query["category"] for query in document["queries"]] == [
        "single-hop", "multi-hop", "temporal", "open-domain", "adversarial", "single-hop",
    ]  # fmt: skip
    assert [query["answerable"] for query in document["queries"]] == [True] * 4 + [False, True]
    assert (report.scored, report.abstention, report.excluded) == (4, 1, ("conv-1/qa3",))


def test_sessions_are_another_fixture() -> None:
    document, report = run(source(), granularity="session")
    assert document["id"] == "altered-locomo-2-session"
    assert document["granularity"] == "session"
    assert document["items"][0]["content"] == "1:56 pm on 8 May, 2023\nAnn: I bought a boat.\nBob: Nice!"
    assert document["queries"][1]["expected"] == [
        {"id": "conv-1/session_1", "grade": 1},
        {"id": "conv-1/session_2", "grade": 1},
    ]
    assert report.items == 3


def test_captions_are_an_option_that_shows() -> None:
    plain, _ = run(source())
    document, _ = run(source(), captions=True)
    assert "photo" not in json.dumps(plain["items"])
    assert document["items"][2]["content"].endswith("Bob: I sold the boat. [shares a photo of a boat]")
    assert document["id"] == "altered-locomo-2-turn-captions"
    assert document["importer"]["options"] == {"granularity": "turn", "captions": True, "errata": None}


def test_dates_and_adversarial_labels_are_options_that_show() -> None:
    document, report = run(source(), dates=False, adversarial=True)
    assert document["id"] == "altered-locomo-2-turn-undated-adversarial"
    assert document["items"][0]["content"] == "Ann: I bought a boat."
    sessions, _ = run(source(), dates=False, granularity="session")
    assert sessions["items"][0]["content"] == "Ann: I bought a boat.\nBob: Nice!"
    asked = document["queries"][4]
    assert (asked["answerable"], asked["expected"]) == (True, [{"id": "conv-1/D1:2", "grade": 1}])
    assert (report.abstention, report.scored) == (0, 5)
    options = {"granularity": "turn", "captions": False, "errata": None}
    assert document["importer"]["options"] == {**options, "undated": True, "adversarial": True}
    assert run(source())[0]["importer"]["options"] == options


def correction(name: str, text: str, *evidence: str) -> dict[str, Any]:
    return {"question_id": name, "question": text, "correct_evidence": list(evidence), "reasoning": "…"}


def test_errata_replace_evidence_and_are_pinned() -> None:
    overlay = json.dumps(
        [
            correction("locomo_0_qa0", "Who bought a boat?", "D1:2"),
            correction("locomo_1_qa0", "What did Eve say?", "D1:1"),
        ]
    ).encode()
    document, report = run(source(), errata=overlay)
    assert document["queries"][0]["expected"] == [{"id": "conv-1/D1:2", "grade": 1}]
    assert document["id"] == "altered-locomo-2-turn-errata"
    assert document["importer"]["options"]["errata"] == canonical.sha256_hex(overlay)
    assert report.errata == 1
    assert "1 queries" in document["notes"]


@pytest.mark.parametrize(
    ("overlay", "message"),
    [
        ([correction("locomo_0_qa1", "Who bought a boat?", "D1:2")], "locomo_0_qa1 does not match this file"),
        ([correction("locomo_7_qa0", "x", "D1:2")], "locomo_7_qa0 does not match this file"),
        ([correction("locomo_0_qa99", "x")], "locomo_0_qa99 does not match this file"),
        ([correction("q1", "x")], 'record 0: question_id "q1" is not locomo_<sample>_qa<question>'),
        (
            [{"question_id": "locomo_0_qa0", "question": "x"}],
            "record 0: correct_evidence is not a list of texts",
        ),
        ({}, "expected a list of corrections"),
    ],
)
def test_errata_that_do_not_fit(overlay: Any, message: str) -> None:
    with pytest.raises(InputError, match="locomo errata") as caught:
        run(source(), errata=json.dumps(overlay).encode())
    assert message in caught.value.message


def changed(path: list[Any], value: Any) -> list[dict[str, Any]]:
    result = copy.deepcopy(source())
    target: Any = result
    for part in path[:-1]:
        target = target[part]
    if value is ...:
        del target[path[-1]]
    else:
        target[path[-1]] = value
    return result


TALK = [0, "conversation"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "locomo mini.json: expected a list of samples"),
        ([], "locomo mini.json: no samples"),
        ([4], "locomo mini.json: sample 0: expected an object"),
        (changed([0, "sample_id"], 4), "sample 0: sample_id is missing, empty or not text"),
        (changed([1, "sample_id"], "conv-1"), 'sample 1: sample_id "conv-1" is used twice'),
        (changed([0, "conversation"], []), 'sample 0 "conv-1": conversation: expected an object'),
        (changed([0, "conversation"], {}), 'sample 0 "conv-1": the conversation has no sessions'),
        (changed([*TALK, "session_1"], "hi"), '"conv-1": session_1: expected a list of turns'),
        (changed([*TALK, "session_1_date_time"], ...), "session_1: session_1_date_time is missing"),
        (
            changed([*TALK, "session_1_date_time"], "8 May 2023"),
            'session_1: date "8 May 2023" is not of the form',
        ),
        (
            changed([*TALK, "session_1_date_time"], "1:56 pm on 31 June, 2023"),
            'date "1:56 pm on 31 June, 2023"',
        ),
        (changed([*TALK, "session_1_date_time"], "13:56 pm on 8 May, 2023"), 'date "13:56 pm'),
        (changed([*TALK, "session_1", 0], None), "session_1: turn 0: expected an object"),
        (changed([*TALK, "session_1", 1, "text"], ...), "session_1: turn 1: text is missing or not text"),
        (changed([*TALK, "session_1", 1, "dia_id"], ""), "session_1: turn 1: dia_id is missing"),
        (changed([*TALK, "session_1", 1, "dia_id"], "D1:1"), 'session_1: dia_id "D1:1" is used twice'),
        (changed([*TALK, "session_2", 0, "dia_id"], "D1:1"), 'session_2: dia_id "D1:1" is used twice'),
        (changed([*TALK, "session_2", 0, "blip_caption"], 5), "session_2: turn 0: blip_caption is not text"),
        (changed([0, "qa"], ...), '"conv-1": qa: expected a list of questions'),
        (changed([0, "qa", 2], "?"), '"conv-1": question 2: expected an object'),
        (changed([0, "qa", 2, "question"], " "), '"conv-1": question 2: question is missing, empty'),
        (changed([0, "qa", 2, "category"], 6), '"conv-1": question 2: category is not a number from 1 to 5'),
        (changed([0, "qa", 2, "category"], True), "question 2: category is not a number from 1 to 5"),
        (changed([0, "qa", 2, "evidence"], "D1:1"), "question 2: evidence is not a list of texts"),
    ],
)
def test_another_shape_is_refused_naming_sample_and_place(value: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        run(value)
    assert message in caught.value.message
    assert caught.value.message.startswith("locomo mini.json: ")


def test_a_byte_order_mark_changes_nothing_but_the_digest() -> None:
    data = json.dumps(source(), indent=1).replace("\n", "\r\n").encode()
    found, expected = (convert(read, where="mini.json")[0] for read in (b"\xef\xbb\xbf" + data, data))
    assert (found["items"], found["queries"]) == (expected["items"], expected["queries"])


def test_half_of_a_surrogate_pair_is_no_text() -> None:
    with pytest.raises(InputError, match=r"^locomo mini\.json: JSON: lone surrogate is not text"):
        convert(json.dumps(source()).encode().replace(b"Nice!", b"\\ud83d"), where="mini.json")


def test_bytes_that_are_not_json() -> None:
    with pytest.raises(InputError, match=r"^locomo mini\.json: JSON: "):
        convert(b"\xff", where="mini.json")


def test_resolve_survives_absurd_numbers() -> None:
    sample = Sample("s", (), (), {"D1:1": 1})
    assert resolve("D" + "0" * 9000 + "1:1", sample).found == ("D1:1",)
    assert resolve("D" + "9" * 9000 + ":1", sample).found == ()


@pytest.mark.parametrize("granularity", ["turn", "session"])
def test_what_is_written_is_a_valid_fixture(granularity: Any) -> None:
    document, report = run(source(), granularity=granularity)
    parsed = fixture.parse(canonical.dumps(document), where="locomo")
    assert parsed.counts == {"n": report.items, "queries": report.queries, "scopes": report.scopes}
    assert parsed.license == "unknown"  # not the published file


def test_the_real_file(shared: Path) -> None:
    data = (shared / "data" / "locomo10.json").read_bytes()
    document, report = convert(data, where="locomo10.json")
    parsed = fixture.parse(canonical.dumps(document), where="locomo10")
    assert parsed.id == "locomo-10-turn"
    assert (parsed.license, parsed.source) == ("CC BY-NC 4.0", "https://github.com/snap-research/locomo")
    assert report.published
    assert "The published data: SHA-256 79fa87e9" in parsed.notes
    assert parsed.counts == {"n": 5882, "queries": 1986, "scopes": 10}
    assert len({item.id.split("/")[1] for item in parsed.items}) == 1033
    assert (report.scored, report.abstention + len(report.excluded)) == (1536, 450)
    assert report.evidence == 2815
    assert [entry.text for entry in report.unresolved] == [
        "D8:6; D9:17",
        "D10:19",
        "D",
        "D:11:26",
        "D4:36",
        "D9:1 D4:4 D4:6",
        "D22:1 D22:2 D9:10 D9:11",
        "D21:18 D21:22 D11:15 D11:19",
        "D30:05",
    ]
    assert report.dropped == ("conv-42/qa58: D10:19", "conv-42/qa88: D", "conv-47/qa38: D4:36")


def test_the_real_overlay(shared: Path) -> None:
    data = (shared / "data" / "locomo10.json").read_bytes()
    errata = (shared / "data" / "locomo_errata.json").read_bytes()
    document, report = convert(data, where="locomo10.json", errata=errata)
    # 97 of its 156 records name other evidence than they cite; one leaves its question with none.
    assert report.errata == 97
    assert "conv-47/qa11" in report.excluded
    assert document["queries"][1]["expected"] == [{"id": "conv-26/D1:14", "grade": 1}]


def test_another_file_is_called_altered_and_its_source_is_not_the_authors(shared: Path) -> None:
    data = (shared / "cases/locomo-not-the-published-file/notlocomo.json").read_bytes()
    document, report = convert(data, where="notlocomo.json")
    assert not report.published
    assert document["id"].startswith("altered-locomo-")
    assert "snap-research" not in document["source"]
    assert document["notes"].startswith(
        f"Altered data: the input has SHA-256 {hashlib.sha256(data).hexdigest()}"
    )
