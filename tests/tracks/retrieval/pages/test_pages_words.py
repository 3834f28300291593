"""What boards and certificates say in words: systems or configurations, baselines, widths, columns."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from boards import begin, certificate, five_systems, made, renders, text_of
from sample_record import SampleRecord

from benchsite.board.data import columns
from benchsite.site.pages import receipts
from benchsite.site.pages.receipts import Naming
from benchsite.site.render import Renderer
from benchsite.tracks.retrieval.pages import metric_table as figures
from benchsite.tracks.retrieval.pages.board import LEADERBOARD


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return renders()


@pytest.fixture(scope="module")
def record() -> SampleRecord:
    return five_systems()


def test_two_configurations_of_one_system_are_not_called_two_systems(renderer: Renderer):
    record = begin()
    record.publish("one", 0.7)
    record.publish("one", 0.7, label=True)
    found = made(record)
    lede = found["retrieval/sample-notes-v1/"].context["board"].lede
    assert lede.startswith("one, two configurations tie, nDCG@10 0.")
    assert "system" not in lede
    listed = renderer.body(found["retrieval/"])
    assert "<span>1</span><small>2 configurations</small>" in listed  # one system, though two rows


def test_the_lede_and_the_front_page_say_whether_the_leader_clears_the_baseline():
    # 54 questions: 0.9 against 0.1 differs beyond chance; the same answers as the baseline's do not.
    clear, level, below, alone = begin(), begin(), begin(), begin()
    for record, skill, baseline in ((clear, 0.9, 0.1), (level, 0.5, 0.5), (below, 0.1, 0.9)):
        record.publish("one", skill)
        record.publish("bm25", baseline)
    alone.publish("one", 0.5)
    said = []
    for record in (clear, level, below, alone):
        board = made(record)["retrieval/sample-notes-v1/"].context["board"]
        said.append(board.lede.partition(". ")[2])
        assert board.sentence.endswith(said[-1])
        if board.standing is not None:
            assert f"({board.standing.delta:+.3f}, p ".replace("-", "−") in said[-1]
    assert [text.partition(" (")[0] for text in said] == [
        "Significantly better than the BM25 baseline",
        "Not significantly better than the BM25 baseline",
        "Significantly worse than the BM25 baseline",
        "The BM25 baseline was not run.",
    ]


def test_a_row_has_one_link_to_its_receipt_and_one_that_verifies_it(record: SampleRecord, renderer: Renderer):
    body = renderer.body(made(record)["retrieval/sample-notes-v1/"])
    for name in record.bodies:
        assert body.count(f'href="../../receipts/{name[:2]}/{name}/"') == 1
        assert body.count(f'href="../../verify.html?id={name}"') == 1


def test_the_board_explains_its_words(record: SampleRecord, renderer: Renderer):
    body = renderer.body(made(record)["retrieval/sample-notes-v1/"])
    start = body.index("How to read this table")
    explained = re.findall(r"<dt>(.*?)</dt>", body[start : body.index("</dl>", start)])
    assert {
        "nDCG@10",
        "Hit rate@10",
        "95% CI",
        "Δ leader, Δ BM25",
        "Rank",
        "Baseline",
        "Scope",
        "Runs",
        "Latency p95",
        "Test",
        "Separable",
        "Submitted by",
        "Pre-registered",
        "Receipt",
    } == set(explained)


def test_an_interval_without_width_is_not_left_to_read_as_certainty(record: SampleRecord, renderer: Renderer):
    flat = begin()
    flat.publish("none", 0.0)
    certain = next(iter(flat.bodies.values()))
    assert certain["intervals"]["ndcg_at_10"]["low"] == certain["intervals"]["ndcg_at_10"]["high"]
    found = made(flat)["retrieval/sample-notes-v1/"]
    assert renderer.body(found).count(figures.COLLAPSED) == 1
    assert found.context["board"].sentence.endswith("Zero-width CI: every query scored the same.")
    page = text_of(renderer.body(certificate(flat)))
    assert figures.COLLAPSED in page
    assert "without width" not in text_of(renderer.body(certificate(record, 1)))


def test_the_csv_names_its_metric(record: SampleRecord):
    data = (made(record)["api/v1/retrieval/sample-notes-v1.csv"].data or b"").decode()
    assert {row["metric"] for row in csv.DictReader(io.StringIO(data))} == {"ndcg_at_10"}


DOCS = Path(__file__).parents[4] / "content/docs"


def test_every_column_is_documented(record: SampleRecord):
    named = set(re.findall(r"`([A-Za-z0-9]+)`", (DOCS / "api.md").read_text()))
    index = json.loads(list(receipts(record.history(), record.scorers, Naming()))[1].data or b"")
    assert set(columns(LEADERBOARD)) | set(index["columns"]) <= named


@pytest.mark.full
@pytest.mark.stories
def test_the_documented_lines_recompute_success_from_a_raw_receipt(tmp_path: Path, record: SampleRecord):
    section = (DOCS / "use-the-data.md").read_text().partition("## Recompute a score")[2]
    block = re.search(r"```python\n(.*?)\n```", section, re.DOTALL)
    assert block is not None
    for blob in record.blobs:
        (tmp_path / "receipt.json").write_bytes(blob.data)
        run = subprocess.run(
            [sys.executable, "-c", block[1]], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        computed, recorded = map(float, run.stdout.split())
        assert computed == recorded == json.loads(blob.data)["scores"]["success_at_10"]
