"""The importer's document and its parser; what is refused is named by file, row and column."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

import pytest
from workbench_files import PEOPLE, QUERIES, dataset, source_files, table

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.schema import SLUG
from benchsite.tracks.agents.benchmarks.workbench import importer
from benchsite.tracks.agents.benchmarks.workbench.dataset import DOMAINS, parse

EMAIL = importer.FILES["email"]
EVENTS = importer.FILES["calendar_events"]


def test_tasks_are_numbered_by_the_files_order() -> None:
    found = dataset()
    assert [task.id for task in found.tasks[:4]] == [
        "analytics-001",
        "analytics-002",
        "calendar-001",
        "calendar-002",
    ]
    assert {task.domain for task in found.tasks} == {*DOMAINS}
    assert all(re.fullmatch(SLUG, task.id) for task in found.tasks)
    assert found.by_id["crm-001"].domains == ("customer_relationship_manager",)
    assert (found.license, found.publish, found.described) == ("MIT", "full", "altered data")


def test_the_digest_is_that_of_the_canonical_document() -> None:
    document = importer.convert(source_files())
    data = canonical.dumps(document)
    assert parse(data, where="fixture.json").sha256 == canonical.sha256_hex(data)
    one = source_files()
    one[EVENTS] = one[EVENTS].replace(b"Talk 3", b"Talk 30")
    assert dataset(one).sha256 != dataset().sha256


def test_the_directory_holds_the_addresses_of_the_calendar_and_the_mailbox() -> None:
    assert sorted(dataset().directory) == sorted(PEOPLE)


def rewritten(rows: list[tuple[str, ...]]) -> dict[str, bytes]:
    return {**source_files(), EMAIL: table(QUERIES, rows)}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "WorkBench: 11 files are missing: processed/analytics_data.csv"),
        ({**source_files(), EVENTS: b""}, f"{EVENTS}: row 1: missing columns: event_id"),
        ({**source_files(), EVENTS: source_files()[EVENTS][:-9]}, f"{EVENTS}: row 6, column 4"),
        (rewritten([("q", "[]", "", "", "[]")] * 2), f"{EMAIL}: row 3: the query of row 2 once more"),
        (rewritten([("", "[]", "", "", "[]")]), f"{EMAIL}: row 2, column 1: no query"),
        (rewritten([("q", "open('x')", "", "", "[]")]), f"{EMAIL}: row 2, column 2: Call is not"),
        (rewritten([("q", "[1]", "", "", "[]")]), f"{EMAIL}: row 2, column 2: expected a list of texts"),
        (rewritten([("q", "[]", "", "", "crm")]), f"{EMAIL}: row 2, column 5: Name is not"),
        (rewritten([("q" * 100_001, "[]", "", "", "[]")]), f"{EMAIL}: row 2, column 1: a cell of 100,001"),
    ],
)
def test_files_of_another_shape_are_refused(files: dict[str, bytes], message: str) -> None:
    with pytest.raises(InputError, match="^" + re.escape(message)):
        importer.convert(files)


def drop(key: str) -> Callable[[dict[str, Any]], object]:
    return lambda document: document.pop(key)


ALTERED: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (drop("license"), "license: is missing"),
    (lambda d: d.update(more=1), "more: is not a field of this schema"),
    (lambda d: d.update(id="other"), "id: must be 'workbench'"),
    (lambda d: d.update(tasks=[]), "tasks: "),
    (lambda d: d["tasks"][0].update(id="../x"), "tasks.0.id: "),
    (lambda d: d["tasks"][0].update(domain="shop"), "tasks.0.domain: "),
    (lambda d: d["tasks"][0].update(actions=["x" * 100_001]), "tasks.0.actions.0: "),
    (lambda d: d["tasks"][1].update(d["tasks"][0]), "tasks: an id or a query of a domain occurs twice"),
    (lambda d: d["tables"].pop("emails"), "tables emails: unknown, missing, or other columns"),
    (lambda d: d["tables"].update(more=d["tables"]["emails"]), "tables more: unknown"),
    (lambda d: d["tables"]["emails"]["columns"].reverse(), "tables emails: unknown, missing, or other"),
    (lambda d: d["tables"]["emails"]["rows"][2].pop(), "tables.emails.rows[2]: 5 cells; expected 6"),
    (lambda d: d["tables"]["emails"]["rows"][2].__setitem__(0, 5), "tables.emails.rows.2.0: "),
]


@pytest.mark.parametrize(("alter", "message"), ALTERED)
def test_a_document_of_another_shape_is_refused(
    alter: Callable[[dict[str, Any]], object], message: str
) -> None:
    document = copy.deepcopy(importer.convert(source_files()))
    alter(document)
    with pytest.raises(InputError, match="^" + re.escape(f"dataset f.json: {message}")):
        parse(canonical.dumps(document), where="f.json")


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"a":1,"a":2}', b"\xff", b"null"])
def test_bytes_that_are_no_object_are_refused(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^dataset f\.json: "):
        parse(data, where="f.json")
