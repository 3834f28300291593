"""BEIR's layout: both forms of labels, splits, ids with blanks, and everything that is wrong with a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchsite.errors import InputError
from benchsite.tracks.retrieval.importers.beir import PUBLISHED
from benchsite.tracks.retrieval.importers.formats import FORMATS

from .importing import imported, labels

CORPUS = (
    b'{"_id": "Ada L.", "title": "Ada", "text": "wrote notes", "metadata": {}}\n'
    b'\n{"_id": "2", "text": "a loom"}\r\n{"_id": "3", "title": "", "text": " "}\n'
)
QUERIES = b'{"_id": "q1", "text": "who wrote?"}\n{"_id": "q2", "text": "looms"}\n{"_id": "q3", "text": "other split"}\n'
TSV = b"query-id\tcorpus-id\tscore\nq1\tAda L.\t2\nq1\t2\t-1\nq2\t2\t1\nq2\t9\t1\nq2\t3\t1\nq9\t2\t1\n"


def folder(**changes: bytes) -> dict[str, bytes]:
    files = {"corpus.jsonl": CORPUS, "queries.jsonl": QUERIES, "qrels/test.tsv": TSV}
    return {**files, **{name.replace("__", "/").replace("_", "."): data for name, data in changes.items()}}


def test_only_queries_of_the_split_are_imported_and_what_is_left_out_is_said() -> None:
    fixture, lines = imported("beir", folder(), where="My Set")
    assert fixture.id == "my-set-test"
    assert (fixture.benchmark, fixture.subset) == ("my-set", "test")
    assert [(item.id, item.content) for item in fixture.items] == [
        ("Ada L.", "Ada\nwrote notes"),
        ("2", "a loom"),
    ]
    assert labels(fixture) == {"q1": {"Ada L.": 2, "2": 0}, "q2": {"2": 1}}
    assert lines == [
        "2 items, 2 queries",
        "dropped documents without text: 1 (3; the first in corpus.jsonl line 4)",
        "negative grades taken as 0: 1 (2; the first in qrels/test.tsv line 3)",
        "dropped labels of unknown documents: 2 (9, 3; the first in qrels/test.tsv line 5)",
        "dropped labels of unknown queries: 1 (q9; the first in qrels/test.tsv line 7)",
        "dropped queries without labels: 1",
    ]
    # Places are of files that the fixture's readers don't have.
    assert "Dropped labels of unknown documents: 2 (9, 3). " in fixture.notes
    assert ".tsv" not in fixture.notes


def test_labels_as_lines_of_json_and_without_a_header_are_the_same() -> None:
    rows = [line.split(b"\t") for line in TSV.splitlines()[1:]]
    lines = b"\n".join(b'{"query-id": "%s", "corpus-id": "%s", "score": %s}' % tuple(row) for row in rows)
    files = folder()
    del files["qrels/test.tsv"]
    expected = labels(imported("beir", folder())[0])
    assert labels(imported("beir", {**files, "qrels.jsonl": lines})[0]) == expected
    assert labels(imported("beir", {**files, "qrels/test.tsv": TSV.split(b"\n", 1)[1]})[0]) == expected


@pytest.mark.parametrize("grade", ["1", "1.0", "-1", "2.0"])
def test_a_grade_in_the_first_line_is_no_header(grade: str) -> None:
    first = f"q1\t2\t{grade}\nq2\t2\t1\n".encode()
    found = labels(imported("beir", folder(qrels__test_tsv=first))[0])
    assert found == {"q1": {"2": max(0, int(float(grade)))}, "q2": {"2": 1}}


@pytest.mark.parametrize("grade", ["0.5", "1_0", "+1", ""])
def test_a_wrong_grade_in_the_first_line_is_no_header_either(grade: str) -> None:
    with pytest.raises(InputError, match=r"qrels/test\.tsv line 1: grade .* is no whole number"):
        imported("beir", folder(qrels__test_tsv=f"q1\t2\t{grade}\n".encode()))


def test_labels_of_no_split_are_not_called_a_split() -> None:
    files = {**folder(), "qrels.tsv": TSV}
    del files["qrels/test.tsv"]
    assert imported("beir", files)[0].subset is None
    with pytest.raises(InputError, match=r"no labels of split 'dev': qrels/dev\.tsv") as raised:
        imported("beir", files, split="dev")
    assert raised.value.hint == "qrels.tsv has no split: remove --split"


def test_a_byte_order_mark_and_windows_lines_change_nothing() -> None:
    def windows(data: bytes) -> bytes:
        return b"\xef\xbb\xbf" + data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")

    fixture, _ = imported("beir", {name: windows(data) for name, data in folder().items()})
    assert fixture.items == imported("beir", folder())[0].items
    assert fixture.queries == imported("beir", folder())[0].queries


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"corpus.jsonl": None}, "no corpus.jsonl in the folder"),
        ({"qrels/test.tsv": None, "qrels/dev.tsv": TSV}, "no labels of split 'test': qrels/test.tsv"),
        ({"corpus.jsonl": CORPUS[:-5]}, "corpus.jsonl line 4: not JSON"),
        ({"corpus.jsonl": CORPUS + CORPUS}, "corpus.jsonl line 5: document 'Ada L.' occurs twice"),
        ({"corpus.jsonl": b'{"text": "x"}\n'}, "corpus.jsonl line 1: no _id"),
        ({"corpus.jsonl": b"[1]\n"}, "corpus.jsonl line 1: not a JSON object"),
        ({"corpus.jsonl": CORPUS.replace(b"loom", b"l\xfcm")}, "corpus.jsonl line 3: not UTF-8"),
        (
            {"corpus.jsonl": CORPUS.replace(b"a loom", b"\\uD83d")},
            "corpus.jsonl line 3: a lone surrogate is not text",
        ),
        ({"corpus.jsonl": b""}, "beir: no document"),
        ({"queries.jsonl": QUERIES + QUERIES}, "queries.jsonl line 4: query 'q1' occurs twice"),
        ({"queries.jsonl": b'{"_id": "q1", "text": " "}\n'}, "query 'q1' has no text"),
        ({"qrels/test.tsv": b"q1\t2\n"}, "qrels/test.tsv line 1: 2 fields"),
        (
            {"qrels/test.tsv": b"q1\t2\t1\nq1\t2\thigh\n"},
            "qrels/test.tsv line 2: grade 'high' is no whole number",
        ),
        (
            {"qrels/test.tsv": b"q1\t2\t1\nq1\t2\tNaN\n"},
            "qrels/test.tsv line 2: grade 'NaN' is no whole number",
        ),
        (
            {"qrels/test.tsv": b"q1\t2\t1\nq1\t2\t1\n"},
            "qrels/test.tsv line 2: document '2' is labeled twice for query 'q1'",
        ),
        ({"qrels/test.tsv": b"q8\t2\t1\n"}, "beir: no query with a label"),
    ],
)
def test_what_is_wrong_is_named_by_file_and_line(files: dict[str, bytes | None], said: str) -> None:
    given = {name: data for name, data in {**folder(), **files}.items() if data is not None}
    with pytest.raises(InputError) as raised:
        imported("beir", given)
    assert said in raised.value.message
    assert raised.value.hint


def test_limit_small_is_recognized_and_an_altered_file_is_not(shared: Path) -> None:
    source = shared / "data/limit-small"
    files = {path.name: path.read_bytes() for path in source.glob("*.jsonl")}
    fixture, lines = imported("beir", files, where="limit-small")
    assert (fixture.id, len(fixture.items), len(fixture.queries)) == ("limit-small", 46, 1_000)
    assert {len(query.relevant) for query in fixture.queries} == {2}
    assert lines[-1] == "the published data (limit-small)"
    files["corpus.jsonl"] += b"\n"
    assert "altered data" in imported("beir", files, where="limit-small")[1][-1]
    assert len(PUBLISHED["limit-small"]) == 64


def test_every_format_has_help_and_its_options_have_too() -> None:
    for form in FORMATS.values():
        assert form.help
        assert all(param.help for param in form.parameters), form.help
