"""Pages of tasks, comparisons and runs: outcomes side by side, actions where they are at hand, hostile texts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from agents_record import LETTERS, AgentsRecord, make_tasks, payload, renders
from boards import text_of

from benchsite import canonical
from benchsite.tracks.agents.scores.scoring import score

NULL = "ss" + "f" * 8
ALPHA = "ssssssss" + "hf"
BETA = "sf" + "hhhhhh" + "ee"
WORDS = "<script>alert(1)</script>\u202egnp.exe"


def acted(record: AgentsRecord, results: str, actions: Sequence[str], **changes: Any) -> list[dict[str, Any]]:
    """The lines of `actions.jsonl`: the same actions for each task."""
    changed = [{"table": "events", "row": "7", "column": "name", "before": "a", "after": "b"}]
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


def runs_page(record: AgentsRecord, receipt_id: str) -> str:
    return body(record, f"agents/desk/runs/{receipt_id}/")


def task_page(record: AgentsRecord, task: str) -> str:
    """What the page of a task says."""
    return text_of(body(record, f"agents/desk/tasks/{task}/"))


def test_every_task_is_a_column_with_each_systems_outcome(record: AgentsRecord):
    html = body(record, "agents/desk/tasks/")
    text = text_of(html)
    # alpha and beta both solve calendar-000; neither solves email-008 and email-009; doing nothing is not counted.
    assert "Of 10 tasks, 2 are solved by none of 2 systems, 7 by exactly one and 1 by all." in text
    assert "calendar 5 Solved by 2 of 2 1 calendar-000 Solved by 1 of 2 4 calendar-001 , calendar-002" in text
    assert "Solved by none 2 email-009 , email-008" in text
    value = json.loads(record.pages()["api/v1/agents/desk/per-query.json"].data or b"")
    found = {
        one["name"]: dict(zip(value["items"]["id"], one["cells"], strict=True)) for one in value["systems"]
    }
    assert "".join(found["alpha"][task] for task in sorted(found["alpha"])) == "sssssssshf"
    assert "".join(found["beta"][task] for task in sorted(found["beta"])) == "sfhhhhhhll"
    assert 'href="../../../agents/desk/tasks/calendar-002/"' in html


def test_a_run_that_reached_a_limit_and_did_harm_counts_as_harmful():
    record = AgentsRecord()
    record.run("alpha", "ssssssssLl")
    value = json.loads(record.pages()["api/v1/agents/desk/per-query.json"].data or b"")
    (alpha,) = value["systems"]
    cells = dict(zip(value["items"]["id"], alpha["cells"], strict=True))
    assert (cells["email-008"], cells["email-009"]) == ("h", "l")
    assert "alpha limit, harmful" in task_page(record, "email-008")


def test_pages_of_tasks_lead_to_their_neighbors(record: AgentsRecord):
    first, second = (body(record, f"agents/desk/tasks/calendar-00{i}/") for i in range(2))
    assert 'rel="prev"' not in first
    assert '<a rel="next" href="../../../../agents/desk/tasks/calendar-001/">' in first
    assert '<a rel="prev" href="../../../../agents/desk/tasks/calendar-000/">' in second
    assert '<a rel="next" href="../../../../agents/desk/tasks/calendar-002/">' in second
    assert 'rel="next"' not in body(record, "agents/desk/tasks/email-009/")


def test_pages_of_tasks_lead_to_the_runs_of_each_receipt():
    record = AgentsRecord()
    names = [record.run("alpha", ALPHA, actions=acted(record, ALPHA, ["x()"])), record.run("beta", BETA)]
    task = body(record, "agents/desk/tasks/email-008/")
    for name in names:
        assert f'href="../../../../agents/desk/runs/{name}/?task=email-008&amp;run=1"' in task
        assert f'data-page="../../../../receipts/{name[:2]}/{name}/"' in runs_page(record, name)


def test_the_page_of_runs_states_the_files_that_the_receipt_pins():
    record = AgentsRecord()
    name = record.run("alpha", ALPHA, actions=acted(record, ALPHA, ["x()"]))
    digest = next(iter(record.documents))
    html = runs_page(record, name)
    assert f'data-actions-sha="{digest}"' in html
    assert f'data-actions="../../../../results/evidence/{digest[:2]}/{digest}.txt"' in html
    assert "data-traces" not in html
    assert 'data-outcomes="../../../../api/v1/agents/desk/outcomes.json"' in html
    assert "10 runs of 10 tasks: success 8, failure 2." in text_of(html)
    record.documents.clear()
    html = runs_page(record, name)
    assert 'data-actions=""' in html
    assert "actions.jsonl, not on this site" in text_of(html)


def test_the_texts_of_tasks_are_data_where_they_may_be_shown(record: AgentsRecord):
    value = json.loads(record.pages()["api/v1/agents/desk/tasks.json"].data or b"")
    assert value["tasks"]["query"][2] == "Please do task 2."
    assert value["tasks"]["actions"][1:3] == [[], ['calendar.create_event.func(event_name="2")']]
    assert value["benchmark"]["sha256"] == canonical.digest(record.fixture)
    hidden = AgentsRecord(benchmark=make_tasks() | {"publish": "redacted"})
    name = hidden.run("alpha", ALPHA)
    assert "api/v1/agents/desk/tasks.json" not in hidden.pages()
    assert "data-texts" not in runs_page(hidden, name)


def test_a_run_of_a_task_that_is_not_listed_has_a_page():
    """`publish` refuses such a draft; a record that other code made may hold one, and every page is still built."""
    record = AgentsRecord()
    tasks = ["zz", *(task["id"] for task in make_tasks()["tasks"][1:])]
    name = record.run("alpha", ALPHA, columns={"taskId": tasks}, actions=acted(record, ALPHA, ["x()"]))
    assert "10 runs of 10 tasks" in text_of(runs_page(record, name))


def test_a_simulated_receipt_says_so_on_the_page_of_its_runs():
    record = AgentsRecord()
    assert "Simulated" in text_of(runs_page(record, record.run("alpha", ALPHA, simulated=True)))


def test_the_tasks_of_every_receipt_have_a_page_so_that_no_link_is_dead():
    record = AgentsRecord()
    name = record.run("alpha", ALPHA)
    record.add({"type": "retract", "receiptId": name, "reason": "a stale index"})
    assert "No ranked system ran it." in task_page(record, "email-009")


def test_a_task_shows_its_text_expected_actions_and_what_each_system_did(record: AgentsRecord):
    text = task_page(record, "email-008")
    assert (
        "Please do task 8. Task email-008, domain: email. An action is needed. 0 of 3 systems succeeded."
        in text
    )
    assert "Expected actions calendar.create_event.func(event_name=&#34;8&#34;)" in text
    # Both with evidence left the cell; what beta did is not recorded.
    assert "Cell: expected value alpha does nothing beta Outcome failure, harmful failure error" in text
    assert "events, 7, name: a ✗ b ✗ b not recorded" in text
    state = "Final state, expected → found events, 7, name: a → b"
    assert f"alpha failure, harmful Actions email.send.func() {state}" in text
    assert f"does nothing failure Actions no action {state}" in text
    assert "beta error Actions and final state are not at hand." in text
    assert "Doing nothing succeeds. 3 of 3 systems succeeded." in task_page(record, "calendar-000")


def test_systems_that_did_the_same_share_a_row():
    record = AgentsRecord()
    for name in ("one", "two"):
        record.run(name, ALPHA, origin="import", actions=acted(record, ALPHA, ["email.send.func()"]))
    said = "one, two success Actions email.send.func() Final state, expected → found as expected"
    assert said in task_page(record, "calendar-003")


def test_expected_actions_are_not_repeated():
    record = AgentsRecord()
    call = 'calendar.create_event.func(event_name="3")'
    record.run("one", ALPHA, origin="import", actions=acted(record, ALPHA, [call]))
    assert "one success Actions as expected Final state" in task_page(record, "calendar-003")
    assert "one success Actions calendar.create_event" in task_page(record, "calendar-004")


def test_a_task_that_expects_an_answer_shows_it_and_no_actions():
    """Documents of packaged benchmarks; any action is right as long as it changes nothing."""
    made = make_tasks()
    tasks = [{"id": task["id"], "domain": task["domain"], "query": task["query"]} for task in made["tasks"]]
    event = {"tool": "create_event", "arguments": {"date": "2031-01-01"}}
    answered = [{**task, "expected": {"answer": "<b>42</b>"}} for task in tasks[:5]]
    changed = [{**task, "expected": {"changes": [event]}} for task in tasks[5:]]
    record = AgentsRecord(benchmark={**made, "tasks": [*answered, *changed]})
    record.run("one", ALPHA, origin="import", actions=acted(record, ALPHA, []))
    text = task_page(record, "calendar-003")
    assert "Expected answer &lt;b&gt;42&lt;/b&gt; Actions of each system" in text
    assert "one success Actions no action Final state" in text
    text = task_page(record, "email-007")
    assert "Expected actions create_event(date=&#34;2031-01-01&#34;) Actions of each system" in text


def test_texts_that_may_not_be_published_are_not_shown():
    record = AgentsRecord(benchmark={**make_tasks(), "publish": "redacted"})
    record.run("null", NULL)
    said = "Queries and expected actions are not shown: benchmark desk is published as redacted."
    for path in ("agents/desk/tasks/", "agents/desk/tasks/calendar-003/"):
        text = text_of(body(record, path))
        assert "Please do task" not in text
        assert "create_event" not in text
        assert "Expected" not in text
        assert said in text


def test_texts_of_a_benchmark_that_is_not_in_the_repository_are_not_promised():
    record = AgentsRecord()
    record.run("null", NULL)
    record.show_texts = False
    for path in ("agents/desk/tasks/", "agents/desk/tasks/calendar-003/"):
        html = body(record, path)
        text = text_of(html)
        assert (
            "not shown: the data of benchmark desk is not in this repository. Measure agents says how" in text
        )
        assert re.search(r'<a href="(\.\./)+docs/agents/">Measure agents</a>', html)
        assert "Expected" not in text


def test_several_runs_of_a_task_are_partly_solved_and_have_a_row_each():
    record = AgentsRecord()
    record.run("alpha", ["ssf"] * 10)
    value = json.loads(record.pages()["api/v1/agents/desk/per-query.json"].data or b"")
    assert value["systems"][0]["cells"] == "p" * 10
    text = task_page(record, "calendar-000")
    assert "1 of 1 system succeeded in at least one run." in text
    assert "alpha, run 1, alpha, run 2 success" in text


def test_a_metric_that_no_receipt_has_is_not_compared():
    """Harm that no run records is unknown, which is not 0%."""
    record = AgentsRecord()
    for name, results in (("alpha", "sssssfffff"), ("beta", "sssfffffff")):
        told = payload(record.fixture, name, results, record.passive, {})
        runs = {key: value for key, value in told["runs"].items() if key != "harmful"}
        record.run(name, results, runs=runs, **score(told["tasks"], runs).sections(seed=7))
    value = json.loads(record.pages()["api/v1/agents/desk/per-query.json"].data or b"")
    keys = [metric["key"] for metric in value["metrics"]]
    assert [system["name"] for system in value["systems"]] == ["alpha", "beta"]
    assert keys == ["success", "success_needs_action"]


def test_the_best_two_are_compared_without_script(record: AgentsRecord):
    text = text_of(body(record, "agents/desk/compare/"))
    # alpha and null: 8 and 2 of 10; 6 wins, no loss: p = 2 / 2^6.
    # Six differences of 1 and four of 0: mean 0.6, s² = 2.4/9, s/√10 = 0.163299, t(9) = 2.262157: 0.6 ± 0.369408.
    said = (
        "alpha is better than does nothing in a test of this pair alone: Success +60.0 pt, 95% CI [+23.1, +96.9], "
        "unadjusted p = 0.031."
    )
    assert said in text
    # Of three metrics the smallest p-value is multiplied by 3.
    assert "Success 80.0% 20.0% +60.0 pt [+23.1, +96.9] p = 0.031 p = 0.094 6 / 0 / 4" in text
    assert "10 of 10 tasks are common" in text
    assert "origin: import; native" in text


def test_the_data_of_a_comparison_has_every_outcome(record: AgentsRecord):
    value = json.loads(record.pages()["api/v1/agents/desk/outcomes.json"].data or b"")
    assert value["tasks"]["id"][:2] == ["calendar-000", "calendar-001"]
    assert [one["name"] for one in value["systems"]] == ["alpha", "does nothing", "beta"]
    assert value["systems"][0]["outcomes"][8] == ["failure, harmful"]


def test_the_data_of_a_comparison_has_every_pair_in_both_orders(record: AgentsRecord):
    value = json.loads(record.pages()["api/v1/agents/desk/outcomes.json"].data or b"")
    names = {one["receiptId"]: one["name"] for one in value["systems"]}
    found = {(names[one["first"]], names[one["second"]]): one for one in value["pairs"]}
    assert len(found) == len(value["pairs"]) == 6
    one, other = found["alpha", "does nothing"], found["does nothing", "alpha"]
    # As in the table below: 6 wins, no loss, 4 ties; p = 2 / 2^6; 0.6 ± 0.369408.
    assert (one["wins"], one["losses"], one["ties"], one["p"]) == (6, 0, 4, 0.03125)
    assert one["shown"] == {"delta": "+60.0 pt", "interval": "[+23.1, +96.9]", "p": "p = 0.031"}
    assert (other["wins"], other["losses"], other["ties"], other["p"]) == (0, 6, 4, 0.03125)
    assert other["shown"] == {"delta": "−60.0 pt", "interval": "[−96.9, −23.1]", "p": "p = 0.031"}
    assert found["beta", "does nothing"]["shown"]["p"] == "p = 1.000, n.s."


def test_actions_that_are_not_served_or_cannot_be_read_are_said_so():
    record = AgentsRecord()
    record.run("alpha", ALPHA, actions=acted(record, ALPHA, ["x()"]))
    digest = next(iter(record.documents))
    record.documents.clear()
    text = task_page(record, "calendar-000")
    assert f"alpha: actions.jsonl is not at hand (SHA-256 {digest})." in text
    for lines in (
        [{"task": "calendar-000"}],
        acted(record, ALPHA, [], skipped=[{"action": [1], "reason": "x"}]),
        acted(record, ALPHA, [], difference=[{"table": {"a": 1}, "row": "1", "before": "x", "after": "y"}]),
    ):
        record.run("alpha", ALPHA, actions=lines)
        assert "actions.jsonl cannot be read" in task_page(record, "calendar-000")


def test_hostile_texts_are_shown_as_text_and_cut():
    benchmark = make_tasks()
    benchmark["tasks"][3]["query"] = WORDS
    record = AgentsRecord(benchmark=benchmark)
    long = "x" * 10_000
    change = [{"table": WORDS, "row": "1", "before": "present", "after": "absent"}]
    lines = acted(
        record,
        ALPHA,
        [WORDS, long],
        error=WORDS,
        skipped=[{"action": 0, "reason": WORDS}],
        difference=change,
    )
    record.run("alpha", ALPHA, actions=lines)
    for path in ("agents/desk/tasks/calendar-003/",):
        html = body(record, path)
        assert "<script>" not in html
        assert "\u202e" not in html
        assert "&lt;script&gt;" in html
        assert "x" * 301 not in html
    assert "(9,700 more characters)" in html
    assert "<code>present</code> → <code>absent</code>" in html


def test_more_actions_than_a_page_shows_are_counted():
    record = AgentsRecord()
    record.run("alpha", ALPHA, actions=acted(record, ALPHA, [f"call_{i}()" for i in range(30)]))
    text = task_page(record, "email-008")
    assert "call_9() 20 more actions" in text
    assert "call_10()" not in text


def test_a_domain_may_have_any_name():
    benchmark = make_tasks()
    for task in benchmark["tasks"][5:]:
        task["domain"] = "../Ünsafe"
    record = AgentsRecord(benchmark=benchmark)
    record.run("null", NULL)
    assert "domain: ../Ünsafe." in task_page(record, "email-009")


def test_pages_of_tasks_say_that_they_show_the_best_systems_only():
    record = AgentsRecord()
    for i in range(12):
        record.run(f"system-{i:02d}", "s" * 10)
    path = "agents/desk/tasks/calendar-003/"
    assert "12 of 12 systems succeeded" in text_of(body(record, path))
    record.run("last", "f" * 10)
    assert "12 of the 12 best systems succeeded" in text_of(body(record, path))
