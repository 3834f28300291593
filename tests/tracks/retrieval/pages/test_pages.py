"""Boards and certificates as HTML, through the site's own renderer."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from boards import begin, certificate, five_systems, made, pages_of, renders, text_of
from documents import like
from sample_record import SampleRecord, config, make_fixture, make_methodology

from benchsite import signing
from benchsite.history import Difference, Given, Rescore, Rescoring, Summary, Violation
from benchsite.receipt import Receipt
from benchsite.site.pages import receipts
from benchsite.site.pages.receipts import Naming
from benchsite.site.render import Renderer
from benchsite.track import Track
from benchsite.tracks.retrieval import TRACK
from benchsite.tracks.retrieval.metrics import score
from benchsite.tracks.retrieval.scores.scoring import Query


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return renders()


@pytest.fixture(scope="module")
def record() -> SampleRecord:
    return five_systems()


def test_every_permanent_address_of_a_board_is_made(record: SampleRecord):
    assert set(made(record)) == {
        "retrieval/",
        "retrieval/sample-notes-v1/",
        "retrieval/sample-notes-v1/1.0.0/",
        "retrieval/sample-notes-v1/queries.json",
        *(
            f"api/v1/retrieval/sample-notes-v1{version}{ending}"
            for version in ("", "/1.0.0")
            for ending in (".json", ".csv", ".md", ".tex", "/view.json", "/proof.json")
        ),
        "api/v1/retrieval/sample-notes-v1/pairs.json",
        "retrieval/sample-notes-v1/compare/",
        "retrieval/sample-notes-v1/queries/",
        "api/v1/retrieval/sample-notes-v1/comparison.json",
        "api/v1/retrieval/sample-notes-v1/values.csv",
        "api/v1/retrieval/sample-notes-v1/per-query.json",
        *(f"retrieval/sample-notes-v1/queries/{query['id']}/" for query in record.fixture["queries"]),
    }


def test_an_empty_track_has_one_page_that_says_what_to_type(renderer: Renderer):
    (page,) = made(begin()).values()
    assert "No leaderboards yet" in renderer.body(page)


def test_the_board_is_a_table_that_needs_no_script(record: SampleRecord, renderer: Renderer):
    body = renderer.body(made(record)["retrieval/sample-notes-v1/"])
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", body[: body.index("Results by category")], re.DOTALL)
    scores = {body["adapter"]["name"]: body["scores"]["ndcg_at_10"] for body in record.bodies.values()}
    best_first = sorted(scores.keys() - {"bm25"}, key=lambda name: -scores[name])
    shown = [text_of(re.findall(r"<b>(.*?)</b>", row)[0]) for row in rows[1:]]
    assert shown == [*best_first, "BM25 baseline", "recency baseline", "random baseline"]
    assert text_of(rows[1]).startswith("1 1st good")
    assert all("not run" in row for row in rows[6:])
    assert body.count('<svg class="plot') >= 5
    assert not re.search(r"\sstyle=", body)


def test_data_and_page_say_the_same_digits(record: SampleRecord, renderer: Renderer):
    found = made(record)
    value = json.loads(found["api/v1/retrieval/sample-notes-v1.json"].data or b"")
    rows = list(
        csv.DictReader(io.StringIO((found["api/v1/retrieval/sample-notes-v1.csv"].data or b"").decode()))
    )
    body = text_of(renderer.body(found["retrieval/sample-notes-v1/"]))
    assert len(rows) == len(value["rows"]) == 5
    for line, entry in zip(rows, value["rows"], strict=True):
        recorded = record.body(entry["receiptId"])["scores"]["ndcg_at_10"]
        assert float(line["value"]) == entry["value"] == recorded
        assert f"{recorded:.3f}" in body
        assert line["subject"] == entry["subject"]
    assert value["notRun"] == ["recency", "random"]


def test_the_lede_is_computed_from_the_rows(record: SampleRecord):
    page = made(record)["retrieval/sample-notes-v1/"]
    board = page.context["board"]
    lede = page.context["board"].lede
    assert lede.startswith(
        f"Leader: good, nDCG@10 {board.ranked[0].value:.3f}. Significantly better than the BM25 baseline"
    )
    assert board.detail["composition"] == "Four systems and one baseline, 54 scored queries."


def test_a_board_of_one_names_it():
    record = begin()
    record.publish("alone", 0.7)
    page = made(record)["retrieval/sample-notes-v1/"]
    assert page.context["board"].lede.startswith("alone, nDCG@10 0.")
    assert page.context["board"].title == "sample-notes-v1: conversational memory retrieval"


def test_an_older_board_is_frozen_and_points_to_the_newer_one(renderer: Renderer):
    record = SampleRecord(
        make_fixture(40), [make_methodology(version, "## 1 Score\n\nText.") for version in ("0.9.0", "1.0.0")]
    )
    record.publish("one", 0.5, version="0.9.0")
    record.publish("one", 0.6, version="1.0.0")
    found = made(record)
    old = renderer.body(found["retrieval/sample-notes-v1/0.9.0/"])
    assert "Archived (methodology 0.9.0)." in old
    assert 'href="../../../retrieval/sample-notes-v1/"' in old
    assert "Archived" not in renderer.body(found["retrieval/sample-notes-v1/1.0.0/"])
    assert found["retrieval/sample-notes-v1/"].context["board"].methodology == "1.0.0"


def test_pages_under_superseded_rules_say_so_before_anybody_measured_under_the_new_ones(renderer: Renderer):
    rules = [make_methodology(version, "## 1 Score\n\nText.") for version in ("0.9.0", "1.0.0")]
    record = SampleRecord(make_fixture(40), rules)
    record.publish("one", 0.5, version="0.9.0")
    board = renderer.body(made(record)["retrieval/sample-notes-v1/"])
    receipt = renderer.body(certificate(record))
    for body, up, after in ((board, "../../", 'class="lede"'), (receipt, "../../../", 'class="big-number"')):
        assert body.count("</span> Superseded") == 1
        assert f'href="{up}methodology/retrieval/1.0.0/">' in body
        assert body.index("</span> Superseded") < body.index(after)
    assert 'href="../../../methodology/retrieval/0.9.0/to/1.0.0/">See what changed' in receipt
    alone = SampleRecord(make_fixture(40), rules[:1])
    alone.scorers = record.scorers
    alone.publish("one", 0.5, version="0.9.0")
    assert "</span> Superseded" not in renderer.body(made(alone)["retrieval/sample-notes-v1/"])
    assert "</span> Superseded" not in renderer.body(certificate(alone))


def test_receipts_of_two_configurations_have_titles_of_their_own():
    record = begin()
    for configured in (False, True):
        record.publish("good", 0.5, label=configured)
    titles = [certificate(record, number).title for number in (0, 1)]
    assert titles == ["good on sample-notes-v1", "good (stopwords) on sample-notes-v1"]


def test_the_certificate_of_a_good_receipt(record: SampleRecord, renderer: Renderer):
    page = certificate(record)
    body = text_of(renderer.body(page))
    assert page.path == f"receipts/{record.blobs[0].path[18:]}".replace(".json", "/")
    assert page.title == "good on sample-notes-v1"
    for words in (
        "Signature ✓ valid",
        "Log ✓ logged",
        "Re-score ✓ matches",
        "Reproducibility checklist",
        "benchsite verify",
    ):
        assert words in body
    assert 'class="notice' not in renderer.body(page)


def test_a_certificate_depends_on_no_other_receipt(record: SampleRecord, renderer: Renderer):
    before = begin()
    before.publish("good", 0.9)
    assert renderer.body(certificate(before)) == renderer.body(certificate(record))


def test_a_receipt_page_stays_small(renderer: Renderer):
    record = SampleRecord(make_fixture(100), [make_methodology("1.0.0", "## 1 Score\n\nText.")])
    record.publish("one", 0.5)
    # The frame around it has about 3 kB; specs/site.md allows 25 kB in all.
    assert len(renderer.body(certificate(record)).encode()) < 21_000


def test_retraction_succession_and_dispute_stand_in_static_html(renderer: Renderer):
    record = begin()
    one, two, three = (record.publish(name, 0.5) for name in ("one", "two", "three"))
    record.add({"type": "supersede", "receiptId": one, "by": two})
    record.add({"type": "retract", "receiptId": two, "reason": "read a <stale> index"})
    record.add({"type": "dispute", "receiptId": three, "url": "https://bench.invalid/objection"})
    bodies = [renderer.body(certificate(record, place)) for place in range(3)]
    assert "Superseded." in bodies[0]
    assert f'href="../../../receipts/{two[:2]}/{two}/"' in bodies[0]
    assert "Retracted." in bodies[1]
    assert "read a &lt;stale&gt; index" in bodies[1]
    assert "Disputed." in bodies[2]
    link = '<a rel="nofollow" href="https://bench.invalid/objection">https://bench.invalid/objection</a>.'
    assert f"Entry {record.log.size - 1}: disputed at {link}" in bodies[2]


class _Strict(Track):
    """The track as if the numbers did not come out again."""

    def rescore(self, receipt: Receipt, given: Given, *, deep: bool) -> Rescoring:
        return Rescoring(
            Rescore.DIFFERS,
            "",
            18,
            (Difference("scores.ndcg_at_10", 0.9, 0.5),),
            (Violation("ndcg-above-success", "nDCG@10 is above hit rate@10", "scores.ndcg_at_10"),),
        )


def test_a_valid_signature_over_impossible_numbers_is_called_both(renderer: Renderer):
    record = begin(scorers={"retrieval": like(_Strict)})
    record.publish("one", 0.5)
    body = text_of(renderer.body(certificate(record)))
    assert "Signature ✓ valid" in body
    assert "Re-score ✗ differs" in body
    assert "recorded 0.9, recomputed 0.5" in body
    assert "These values are inconsistent: nDCG@10 is above hit rate@10" in body


def test_reasons_not_to_rank_it_are_on_its_page_once(renderer: Renderer):
    record = begin()
    record.publish("one", 0.5, simulated=True)
    body = text_of(renderer.body(certificate(record)))
    assert body.count("No real model answered") == 1
    assert "Not ranked. Simulated" not in body


class _Differing(Track):
    """The track as if one number came out otherwise."""

    def rescore(self, receipt: Receipt, given: Given, *, deep: bool) -> Rescoring:
        return Rescoring(Rescore.DIFFERS, "", 18, (Difference("scores.ndcg_at_10", 0.9, 0.5),), ())


def test_a_run_with_every_reason_not_to_rank_it_lists_each_once(record: SampleRecord, renderer: Renderer):
    environment = next(iter(record.bodies.values()))["environment"]
    record = begin(scorers={"retrieval": like(_Differing)})
    one = record.publish(
        "one",
        0.5,
        simulated=True,
        origin="external-run",
        config={**config(seed=7, label=False), "limit": 60},
        environment={**environment, "git": {"commit": "5e" * 20, "dirty": True, "tag": None}},
    )
    record.add({"type": "retract", "receiptId": one, "reason": "a stale index"})
    header = record.history().headers[0]
    assert len(header.unranked) == 6
    assert len(set(header.unranked)) == 6
    body = text_of(renderer.body(certificate(record)))
    for words in (
        "limited run: only",
        "dirty tree: the",
        "origin external-run",
        "Retracted.",
        "No real model",
    ):
        assert body.lower().count(words.lower()) == 1, words
    board = text_of(renderer.body(made(record)["retrieval/sample-notes-v1/"]))
    assert board.count("limited run: only the first 60 queries were run") == 1


def test_a_saturated_cut_off_is_said_on_the_board_and_on_the_certificate(
    record: SampleRecord, renderer: Renderer
):
    words = "Saturated: k = 10 and the smallest scope has 10 turns."
    header = record.history().headers[0]
    body = record.body(header.receipt_id)
    small = {**body, "fixture": {**body["fixture"], "smallestScope": 10}}
    page = text_of(renderer.body(TRACK.receipt_page(header, small, record.library)))
    assert words in page
    assert "@10 saturated (k ≥ size of the smallest scope)" in page
    assert "@5" not in page.partition("Excluded Definition")[2].partition("saturated (k")[0]
    history = record.history()
    for bodies, expected in ((lambda _id: small, True), (record.body, False)):
        found = {page.path: page for page in pages_of(TRACK, history, bodies, record.library)}
        board = text_of(renderer.body(found["retrieval/sample-notes-v1/"]))
        assert (words in board) is expected
        # A metric that is 1 in any order is not compared, neither on the page nor in its data.
        data = json.loads(found["api/v1/retrieval/sample-notes-v1/per-query.json"].data or b"")
        keys = [metric["key"] for metric in data["metrics"]]
        assert keys[0] == "ndcg_at_10"
        assert ("success_at_10" in keys, "mrr_at_10" in keys) == (not expected, True)
        lines = found["retrieval/sample-notes-v1/compare/"].context["versus"].metrics
        assert [line.name for line in lines] == keys


def test_a_tie_of_configurations_is_one_name_on_the_list_of_boards(renderer: Renderer):
    record = begin()
    record.publish("one", 0.7)
    record.publish("one", 0.7, label=True)
    body = text_of(renderer.body(made(record)["retrieval/"]))
    assert "one, two configurations tie" in body


def test_foreign_text_is_inert_on_a_certificate(renderer: Renderer):
    fixture = make_fixture(60)
    fixture["queries"][0]["query"] = "<script>alert(1)</script>\u202e"
    record = SampleRecord(fixture, [make_methodology("1.0.0", "## 1 Score\n\nText.")])
    record.publish("one", 0.5, ranBy={"kind": "maintainer", "name": "<b onclick=x>me</b>"})
    body = renderer.body(certificate(record))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\u202e" in body
    assert "<script>" not in body
    assert "<b onclick" not in body
    assert "\u202e" not in body


def test_without_texts_the_page_says_why(renderer: Renderer):
    record = begin(show_texts=False)
    record.publish("one", 0.5)
    body = renderer.body(certificate(record))
    assert "Query texts are not shown" in body
    assert "data-texts" not in body
    assert "retrieval/sample-notes-v1/queries.json" not in made(record)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_the_openssl_lines_on_the_page_verify_the_file(
    tmp_path: Path, record: SampleRecord, renderer: Renderer
):
    blob = record.blobs[0]
    (tmp_path / blob.path).parent.mkdir(parents=True)
    (tmp_path / blob.path).write_bytes(blob.data)
    (tmp_path / "keys").mkdir()
    name = record.signer.fingerprint.removeprefix("sha256:")
    (tmp_path / "keys" / f"{name}.pub").write_text(signing.public_pem(record.signer.public))
    body = renderer.body(certificate(record))
    block = re.search(r'<pre tabindex="0"><code>(f=.*?)</code></pre>', body, re.DOTALL)
    assert block is not None
    script = block[1].replace("&gt;", ">").replace("&#39;", "'").replace("&amp;", "&").replace("&lt;", "<")
    run = subprocess.run(["bash", "-ec", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "Signature Verified Successfully" in run.stdout
    (tmp_path / blob.path).write_bytes(blob.data.replace(b'"ndcg_at_10":0', b'"ndcg_at_10":1', 1))
    run = subprocess.run(["bash", "-ec", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode != 0


class _FreeText(Track):
    """The track as if the fixture's id were what schema 0.0.1 allows: any text."""

    def summary(self, document: Any, methodology: Any) -> Summary:
        return replace(super().summary(document, methodology), target="../../keys/<b>")


def test_an_id_that_cannot_be_part_of_a_path_has_no_board_and_is_still_listed(renderer: Renderer):
    record = begin(scorers={"retrieval": like(_FreeText)})
    record.publish("one", 0.5)
    history = record.history()
    assert history.headers[0].summary is not None
    assert set(made(record)) == {"retrieval/"}
    body = renderer.body(certificate(record))
    assert 'href="../../../retrieval/' not in body
    assert "queries.json" not in body
    index = json.loads(list(receipts(history, record.scorers, Naming()))[1].data or b"")
    assert index["columns"]["target"] == ["../../keys/<b>"]


def test_a_receipt_says_what_its_first_ten_answers_held_though_more_were_asked_for(renderer: Renderer):
    record = begin()
    one = record.publish("one", 0.5)
    rows = record.body(one)["perQuery"]
    ks = (1, 10, 1000)
    sections = score([Query.from_row(row) for row in rows], ks).sections(seed=7)
    record.publish(
        "two", 0.5, **sections, perQuery=rows, config={**config(seed=7, label=False), "k": list(ks)}
    )
    view = certificate(record, 1).context["view"]
    counted = sections["denominators"]["success_at_10"]
    assert (view.headline, view.k) == ("nDCG@10", 10)
    assert view.sentence.startswith(
        f"Hit rate@10 {100 * counted['num'] / counted['den']:.1f}% ({counted['num']}/{counted['den']})"
    )
    assert view.saturation == ""
