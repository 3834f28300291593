"""What the page of an agents receipt says."""

from __future__ import annotations

import pytest
from agents_record import AgentsRecord, envelope, renders
from boards import text_of

WORDS = "<script>alert(1)</script>\u202egnp.exe"


def said(record: AgentsRecord, receipt_id: str) -> str:
    return text_of(renders().body(record.certificate(receipt_id)))


@pytest.fixture(scope="module")
def record() -> AgentsRecord:
    return AgentsRecord(count=40, passive=8)


def test_the_sentence_has_every_share_with_its_counts(record: AgentsRecord):
    name = record.run("alpha", "s" * 20 + "h" * 10 + "f" * 4 + "l" * 4 + "e" * 2, origin="import")
    text = said(record, name)
    # 20 of 40; 12 of the 32 that need an action; 10 harmful; 20 of the 38 that are no error.
    assert (
        "Success 50.0% (20/40) of tasks; 37.5% (12/32) of tasks where an action is needed; harmful 25.0% (10/40) of tasks; "
        "2 errors; 52.6% with errors excluded." in text
    )
    assert "success 20, failure 14, limit: iterations 4, error 2; 40 runs." in text
    assert "Success, errors excluded 52.6%" in text


def test_an_import_says_that_it_was_not_run_here_and_names_its_files(record: AgentsRecord):
    text = said(record, record.run("beta", "s" * 40, origin="import"))
    assert "Imported. Graded here, not run here." in text
    assert "Not ranked" not in text
    assert "Imported from workbench-results, configuration all, 1 file" in text
    assert f"1,234 bytes calendar/one_all.csv {'ab' * 32}" in text


def test_blank_metrics_are_named_with_their_reason_and_never_zero(record: AgentsRecord):
    text = said(record, record.run("gamma", "s" * 40))
    assert "Latency p95, Latency variance, CV of latency (no timestamps);" in text
    assert "(the source states no token counts)" in text
    assert "(fewer than k runs per task (1 run; k = 3, 5, 8))" in text
    assert text.count("Not recorded:") == 1
    assert "Latency p95 0" not in text


def test_the_first_runs_are_shown_and_the_rest_is_in_the_receipt(record: AgentsRecord):
    text = said(record, record.run("delta", "h" + "s" * 39))
    assert "First 15 of 40 runs; all are in the receipt ." in text
    assert "calendar-000 calendar failure yes 1 2 calendar-001 calendar success no 1 2" in text
    assert "email-020" not in text


def test_repeated_runs_have_reliability_scores_and_what_is_blank_has_a_reason():
    record = AgentsRecord()
    results = ["sss"] * 5 + ["ssf"] * 5
    text = said(record, record.run("zeta", results, columns={"tokens": [10, 20, 30] * 10}))
    # (2p - 1)² is 1 for p = 1 and 1/9 for p = 2/3: mean 5/9. Tokens: mean 20, variance (100 + 0 + 100)/3, CV 8.165/20.
    assert "Stability 0.556" in text
    assert "CV of tokens 0.408" in text
    assert "Brier score (no confidence is recorded)" in text
    assert "Action consistency, Sequence consistency (no task has two successful runs with a trace)" in text
    assert "Turns per run (the traces name no model)" in text
    # Confidence 0.5 of every run: Brier 0.25 whatever the outcome; 25 of 30 runs succeed: |25/30 − 0.5|; all ties.
    text = said(record, record.run("theta", results, columns={"confidence": [0.5] * 30}))
    assert "Brier score 0.250" in text
    assert (
        "Calibration error of confidence 0.333, AUROC 0.500, n 30 runs. Pooled over runs; not ranked." in text
    )


def test_a_domain_has_success_action_needed_and_harm(record: AgentsRecord):
    text = said(record, record.run("epsilon", "s" * 10 + "h" * 10 + "f" * 20))
    # calendar: 10 of 20, of the 12 that need an action 2, and 10 harmful.
    assert "10/20 16.7% (2/12) 50.0% (10/20)" in text


def test_what_the_receipt_does_not_pin_is_not_checked(record: AgentsRecord):
    text = said(record, record.run("zeta", "s" * 40))
    assert "Not checked: the receipt pins no traces." in text


def test_each_run_leads_to_its_page(record: AgentsRecord):
    name = record.run("eta", "s" * 40, actions=[])
    html = renders().body(record.certificate(name))
    assert f'href="../../../agents/desk/runs/{name}/?task=calendar-003&amp;run=1"' in html


def test_metrics_that_are_the_same_for_every_task_are_folded(record: AgentsRecord):
    # Two steps and one tool call in every run, none of which fails; 7 or 9 tokens.
    name = record.run("iota", "s" * 40, columns={"tokens": [7, 9] * 20})
    shown, folded = renders().body(record.certificate(name)).split('<details class="constant">')
    assert "Tokens per run" in text_of(shown)
    folded = text_of(folded.partition("</details>")[0])
    assert "Steps per run 2.00 40" in folded
    assert "Tool error rate 0.000 40" in folded
    assert "Tokens per run" not in folded
    assert "Steps per run" not in text_of(shown)


def test_foreign_words_are_shown_as_text(record: AgentsRecord):
    system = {"name": "theta", "version": WORDS, "kind": "single-agent"}
    system |= {"models": {"default": {"requested": None, "responded": WORDS}}, "sizes": {}, "prompts": None}
    html = renders().body(record.certificate(record.run("theta", "s" * 40, system=system)))
    assert "<script>" not in html
    assert "\u202e" not in html
    assert "&lt;script&gt;" in html


def test_the_page_of_a_whole_benchmark_stays_small():
    record = AgentsRecord(count=690, passive=124)
    files = [
        {"name": f"domain-{i}/gpt-4_all_2024.csv", "sha256": "ab" * 32, "size": 100_000} for i in range(6)
    ]
    source = {"kind": "workbench-results", "configuration": "gpt-4_all", "files": files}
    config = {**envelope(1, None)["config"], "source": source}
    name = record.run("alpha", "s" * 294 + "h" * 177 + "f" * 219, origin="import", config=config)
    # specs/site.md: 25 KB with the shell, which has less than 8 KB.
    assert len(renders().body(record.certificate(name)).encode()) <= 17_000
