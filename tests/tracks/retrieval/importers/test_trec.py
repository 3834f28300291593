"""TREC's files: documents and topics in their three forms, qrels, and files that are cut or of another encoding."""

from __future__ import annotations

from typing import Any

import pytest

from benchsite.errors import InputError

from .importing import imported, labels

SGML = (
    b"<DOC>\n<DOCNO> AP-1 </DOCNO>\n<HEAD>Tea &amp; trade</HEAD>\n<TEXT>\n The ship\n sailed. </TEXT>\n</DOC>\n"
    b"<doc><docno>AP-2</docno><text>Nothing</text></doc>\n"
)
TOPICS = (
    b"<top>\n<num> Number: 51\n<title> Topic: Airbus Subsidies\n<desc> Description:\nlong\n</top>\n"
    b"<top><num> Number: 052 <title>Tea</top>\n"
)
QRELS = b"51 0 AP-1 1\n51 0 AP-2 -2\n052 0 AP-1 0\n99 0 AP-1 1\n"


def collection(**changes: Any) -> Any:
    files = {"docs": SGML, "queries": TOPICS, "qrels": QRELS}
    named = {name: (f"{name}.txt", changes.pop(name, data)) for name, data in files.items()}
    return imported("trec", {}, **named, **changes)


def test_sgml_topics_and_qrels_are_a_dataset() -> None:
    fixture, lines = collection()
    assert [(item.id, item.content) for item in fixture.items] == [
        ("AP-1", "Tea & trade The ship sailed."),
        ("AP-2", "Nothing"),
    ]
    assert [(query.id, query.query) for query in fixture.queries] == [
        ("51", "Airbus Subsidies"),
        ("052", "Tea"),
    ]
    assert labels(fixture) == {"51": {"AP-1": 1, "AP-2": 0}, "052": {"AP-1": 0}}
    assert lines[1:] == [
        "negative grades taken as 0: 1 (AP-2; the first in qrels.txt line 2)",
        "dropped labels of unknown queries: 1 (99; the first in qrels.txt line 4)",
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"docs": b"AP-1\tTea & trade The ship sailed.\nAP-2\tNothing\n"},
        {
            "docs": b'{"id": "AP-1", "contents": "Tea & trade The ship sailed."}\n{"docno": "AP-2", "text": "Nothing"}\n'
        },
        {"queries": b"51\tAirbus Subsidies\n052\tTea\n"},
        {
            "queries": b'<topics><topic number="51"><query>Airbus Subsidies</query></topic><topic number="052"><title>Tea</title></topic></topics>'
        },
        {"queries": b'{"qid": 51, "query": "Airbus Subsidies"}\n{"_id": "052", "text": "Tea"}\n'},
        {"qrels": QRELS.replace(b" ", b"\t").replace(b"\n", b"\r\n")},
    ],
)
def test_other_forms_of_the_same_are_the_same(changes: dict[str, bytes]) -> None:
    expected, found = collection()[0], collection(**changes)[0]
    assert (found.items, found.queries) == (expected.items, expected.queries)


def test_only_tags_and_comments_are_no_text() -> None:
    docs = b"<DOC>\n<DOCNO>AP-1</DOCNO><!-- PJG > 4700 -->\n<TEXT>a < 5 and b > 3 <i>c</i>\n</TEXT></DOC>\n"
    topics = b"<top><num> Number: 51 <title> is a < 5 and b > 3? <desc> Description: x</top>"
    fixture, _ = collection(docs=docs, queries=topics, qrels=b"51 0 AP-1 1\n")
    assert fixture.items[0].content == "a < 5 and b > 3 c"
    assert fixture.queries[0].query == "is a < 5 and b > 3?"


def test_only_a_line_feed_ends_a_line_of_fields() -> None:
    text = "Tea\x85and\u2028trade\x0csailed"
    fixture, _ = collection(docs=f"AP-1\t{text}\r\nAP-2\tNothing\n".encode())
    assert [item.content for item in fixture.items] == [text, "Nothing"]


def test_windows_files_change_nothing() -> None:
    files = {"docs": SGML, "queries": TOPICS, "qrels": QRELS}
    found = collection(**{n: b"\xef\xbb\xbf" + d.replace(b"\n", b"\r\n") for n, d in files.items()})[0]
    expected = collection()[0]
    assert (found.items, found.queries) == (expected.items, expected.queries)


def test_an_old_encoding_is_named() -> None:
    docs = SGML.replace(b"Tea", "Thé".encode("latin-1"))
    with pytest.raises(InputError, match="docs.txt line 3: not UTF-8"):
        collection(docs=docs)
    assert collection(docs=docs, encoding="latin-1")[0].items[0].content.startswith("Thé & trade")
    with pytest.raises(InputError, match="no encoding 'klingon'"):
        collection(encoding="klingon")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"docs": SGML[:-8]}, "docs.txt: 2 <DOC> and 1 </DOC>"),
        ({"docs": SGML.replace(b"<docno>AP-2</docno>", b"")}, "docs.txt document 2: no <DOCNO>"),
        ({"docs": SGML + SGML}, "docs.txt document 3: document 'AP-1' occurs twice"),
        ({"docs": b"AP-1 no tab\n"}, "docs.txt line 1: 1 fields"),
        ({"queries": b"<nothing/>"}, "queries.txt: no topic"),
        ({"queries": TOPICS[:-8]}, "queries.txt: 2 <top> and 1 </top>"),
        ({"queries": TOPICS.replace(b"</top>\n<top>", b"\n<top>")}, "queries.txt: 2 <top> and 1 </top>"),
        ({"queries": b"<top><num> Number: 5</top>"}, "queries.txt topic 1: no title"),
        ({"qrels": b"51 AP-1 1\n"}, "qrels.txt line 1: 3 fields"),
        ({"qrels": b"51 0 AP-1 yes\n"}, "qrels.txt line 1: grade 'yes' is no whole number"),
        ({"qrels": b""}, "trec: no query with a label"),
    ],
)
def test_what_is_wrong_is_named(changes: dict[str, bytes], said: str) -> None:
    with pytest.raises(InputError) as raised:
        collection(**changes)
    assert said in raised.value.message
