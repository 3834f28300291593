"""Pages of tasks, comparisons and evidence: outcomes side by side, actions where they are at hand, hostile texts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from agents_record import LETTERS, AgentsRecord, make_tasks, renders
from boards import text_of

NULL = "ss" + "f" * 8
ALPHA = "ssssssss" + "hf"
BETA = "sf" + "hhhhhh" + "ee"
WORDS = "<script>alert(1)</script>\u202egnp.exe"


def acted(record: AgentsRecord, results: str, actions: Sequence[str], **changes: Any) -> list[dict[str, Any]]:
    """The lines of `actions.jsonl`: the same actions for each task."""
    changed = [
        {"table": "events", "row": "7", "kind": "changed", "column": "name", "before": "a", "after": "b"}
    ]
    return [
        {
            "task": task["id"],
            "run": 1,
            "actions": list(actions),
            "error": None,
            "skipped": [],
            "difference": [] if LETTERS[letter] == "success" else changed,
            **changes,
        }
        for task, letter in zip(record.fixture["tasks"], results, strict=True)
    ]


@pytest.fixture(scope="module")
def record() -> AgentsRecord:
    made = AgentsRecord()
    made.run("null", NULL, actions=acted(made, NULL, []))
    made.run("alpha", ALPHA, origin="import", actions=acted(made, ALPHA, ["email.send.func()"]))
    made.run("beta", BETA, origin="import")
    return made


def body(record: AgentsRecord, path: str) -> str:
    return renders().body(record.pages()[path])


def section(record: AgentsRecord, task: str) -> str:
    """What the page of a domain says of one task."""
    html = body(record, f"agents/desk/tasks/{task.partition('-')[0]}/")
    return text_of(html.partition(f'id="{task}"')[2].partition("</section>")[0])


def test_every_task_has_a_row_with_each_systems_outcome(record: AgentsRecord):
    html = body(record, "agents/desk/tasks/")
    text = text_of(html)
    # Best first: alpha, null, beta.
    assert "Task Query alpha does nothing beta" in text
    assert "calendar-000 Please do task 0. yes yes yes calendar-001 Please do task 1. yes yes no" in text
    assert "email-008 Please do task 8. harm no error" in text
    # All three solve calendar-000; nobody solves email-009.
    rows = {
        line.partition("#")[2].partition('"')[0]: line
        for line in html.splitlines()
        if line.startswith("<tr data")
    }
    assert "data-split" not in rows["calendar-000"]
    assert "data-split" in rows["calendar-001"]
    assert "data-split" not in rows["email-009"]
    assert "data-acts" not in rows["calendar-001"]
    assert "data-acts" in rows["calendar-002"]
    assert 'href="calendar/#calendar-002"' in rows["calendar-002"].replace("../../../agents/desk/tasks/", "")


def test_a_task_shows_its_text_expected_actions_and_what_each_system_did(record: AgentsRecord):
    text = section(record, "email-008")
    assert "Please do task 8. Expected: calendar.create_event.func(event_name=&#34;8&#34;)" in text
    assert "alpha failure, harmful email.send.func() events, 7, name: a → b" in text
    assert "does nothing failure no action events, 7, name: a → b" in text
    assert "beta error not at hand not at hand" in text


def test_systems_that_did_the_same_share_a_row():
    record = AgentsRecord()
    for name in ("one", "two"):
        record.run(name, ALPHA, origin="import", actions=acted(record, ALPHA, ["email.send.func()"]))
    assert "one, two success email.send.func() none" in section(record, "calendar-003")


def test_expected_actions_are_not_repeated():
    record = AgentsRecord()
    call = 'calendar.create_event.func(event_name="3")'
    record.run("one", ALPHA, origin="import", actions=acted(record, ALPHA, [call]))
    assert "one success as expected none" in section(record, "calendar-003")
    assert "one success calendar.create_event" in section(record, "calendar-004")


def test_texts_that_may_not_be_published_are_not_shown():
    record = AgentsRecord(benchmark={**make_tasks(), "publish": "redacted"})
    record.run("null", NULL)
    assert "Please do task" not in text_of(body(record, "agents/desk/tasks/"))
    text = text_of(body(record, "agents/desk/tasks/calendar/"))
    assert "Please do task" not in text
    assert "Task texts and expected actions are not shown" in text


def test_several_runs_of_a_task_are_a_fraction_and_have_a_row_each():
    record = AgentsRecord()
    record.run("alpha", ["ssf"] * 10)
    assert "calendar-000 Please do task 0. 2/3" in text_of(body(record, "agents/desk/tasks/"))
    assert "alpha, run 1, alpha, run 2 success" in section(record, "calendar-000")


def test_every_pair_has_its_difference_counts_and_test(record: AgentsRecord):
    text = text_of(body(record, "agents/desk/compare/"))
    # alpha against null: 8 and 2 of 10; 6 wins, no loss: p = 2 / 2^6.
    assert "alpha does nothing +60.0 pt" in text
    assert "p = 0.031 6 / 0 / 4" in text
    # alpha against beta: 7 wins; p = 2 / 2^7. null against beta: one win, p = 1.
    assert "p = 0.016 7 / 0 / 3" in text
    assert "p = 1.000 n.s. 1 / 0 / 9" in text
    assert "McNemar&#39;s exact test; unadjusted" in text
    assert "Comparable: the same data of desk" in text


def test_the_interval_of_a_pair_is_students_t_over_the_differences(record: AgentsRecord):
    # Six differences of 1 and four of 0: mean 0.6, s² = 2.4/9, s/√10 = 0.163299, t(9) = 2.262157: 0.6 ± 0.369408.
    assert "+60.0 pt [+23.1, +96.9]" in text_of(body(record, "agents/desk/compare/"))


def test_the_data_of_a_comparison_has_every_outcome(record: AgentsRecord):
    value = json.loads(record.pages()["api/v1/agents/desk/outcomes.json"].data or b"")
    assert value["tasks"]["id"][:2] == ["calendar-000", "calendar-001"]
    assert value["tasks"]["page"][0] == "calendar"
    assert [one["name"] for one in value["systems"]] == ["alpha", "does nothing", "beta"]
    assert value["systems"][0]["outcomes"][8] == ["failure, harmful"]


def test_evidence_that_is_not_served_is_said_to_be_missing():
    record = AgentsRecord()
    name = record.run("alpha", ALPHA, actions=acted(record, ALPHA, ["x()"]))
    digest = next(iter(record.documents))
    assert "alpha" in body(record, f"agents/desk/evidence/{name}/")
    record.documents.clear()
    text = text_of(body(record, f"agents/desk/evidence/{name}/"))
    assert f"actions.jsonl is not at hand (SHA-256 {digest})." in text
    assert "calendar-000 success not at hand not at hand" in text


def test_evidence_that_cannot_be_read_is_said_so():
    record = AgentsRecord()
    name = record.run("alpha", ALPHA, actions=[{"task": "calendar-000"}])
    assert "actions.jsonl cannot be read" in text_of(body(record, f"agents/desk/evidence/{name}/"))


def test_hostile_texts_are_shown_as_text_and_cut():
    benchmark = make_tasks()
    benchmark["tasks"][3]["query"] = WORDS
    record = AgentsRecord(benchmark=benchmark)
    long = "x" * 10_000
    change = [{"table": WORDS, "row": "1", "kind": "deleted"}]
    lines = acted(
        record,
        ALPHA,
        [WORDS, long],
        error=WORDS,
        skipped=[{"action": 0, "reason": WORDS}],
        difference=change,
    )
    name = record.run("alpha", ALPHA, actions=lines)
    for path in ("agents/desk/tasks/", "agents/desk/tasks/calendar/", f"agents/desk/evidence/{name}/"):
        html = body(record, path)
        assert "<script>" not in html
        assert "\u202e" not in html
        assert "&lt;script&gt;" in html
        assert "x" * 301 not in html
    html = body(record, f"agents/desk/evidence/{name}/")
    assert "(9,700 more characters)" in html
    assert "row missing" in html


def test_more_actions_than_a_page_shows_are_counted():
    record = AgentsRecord()
    name = record.run("alpha", ALPHA, actions=acted(record, ALPHA, [f"call_{i}()" for i in range(30)]))
    text = text_of(body(record, f"agents/desk/evidence/{name}/"))
    assert "call_9() 20 more actions" in text
    assert "call_10()" not in text


def test_a_domain_with_a_name_that_is_no_path_has_a_number():
    benchmark = make_tasks()
    for task in benchmark["tasks"][5:]:
        task["domain"] = "../Ünsafe"
    record = AgentsRecord(benchmark=benchmark)
    record.run("null", NULL)
    assert "agents/desk/tasks/domain-2/" in record.pages()
