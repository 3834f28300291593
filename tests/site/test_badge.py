"""Badges: the members of shields.io's endpoint schema, and no score that verification did not reach."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from urllib.parse import unquote

import pytest

from benchsite.history import Header, Headline, Rescore, Step, Subject, Summary, Verdict
from benchsite.history.ranking import IMPORTED
from benchsite.site.badge import LONGEST, badge, markdown
from benchsite.track import Metric

NDCG = Metric("nDCG@10")
SUMMARY = Summary(
    Subject("bm25", "1.0.0", ""), "notes-v1", "a" * 64, "r", "i", Headline("ndcg_at_10", 0.5337, 0.4, 0.6)
)
GOOD = Header(
    "5f0d6c1e-9b1f-4a57-9d0e-2f1f7c0c9a41", "retrieval", "p", "b", "s", 1, 6, Verdict.LOGGED, Rescore.MATCHES, (),
    summary=SUMMARY,
)  # fmt: skip


def read(header: Header, metric: Metric | None = NDCG) -> tuple[str, str, str]:
    """Label, message and color, of a file that has exactly the four members the schema demands."""
    value = json.loads(badge(header, metric, notice=False))
    assert value.pop("schemaVersion") == 1
    assert value.keys() == {"label", "message", "color"}
    return value["label"], value["message"], value["color"]


def test_a_score_is_shown_with_its_metric_and_dataset():
    assert read(GOOD) == ("nDCG@10 on notes-v1", "0.534 [0.400, 0.600], logged", "brightgreen")
    assert read(replace(GOOD, verdict=Verdict.WITNESSED))[1] == "0.534 [0.400, 0.600], witnessed"


def test_a_score_has_what_it_is_worth_beside_it():
    ranked = replace(GOOD, worth="rank 1–2, n.s. vs BM25")
    assert read(ranked)[1] == "0.534 [0.400, 0.600], rank 1–2, n.s. vs BM25, logged"
    # What may not be quoted has no rank either.
    assert read(replace(ranked, verdict=Verdict.RETRACTED))[1] == "retracted"


def test_a_site_with_a_banner_has_badges_that_lead_to_it():
    """A preview signs with throwaway keys: its log is none, and its badges have no room to say so."""
    value = json.loads(badge(GOOD, NDCG, notice=True))
    assert (value["message"], value["color"]) == ("see the notice on the site", "lightgrey")


@pytest.mark.parametrize(
    ("verdict", "message", "color"),
    [
        (Verdict.RETRACTED, "retracted", "red"),
        (Verdict.SUPERSEDED, "superseded", "yellow"),
        (Verdict.DISPUTED, "disputed", "yellow"),
        (Verdict.SUSPECT, "suspect", "red"),
        (Verdict.INVALID, "invalid", "red"),
        (Verdict.SIGNED_ONLY, "signed only", "yellow"),
        (Verdict.UNKNOWN_SIGNER, "unknown signer", "yellow"),
        (Verdict.UNSUPPORTED, "not supported", "lightgrey"),
    ],
)
def test_any_other_verdict_is_shown_without_a_score(verdict: Verdict, message: str, color: str):
    assert read(replace(GOOD, verdict=verdict))[1:] == (message, color)


@pytest.mark.parametrize(
    ("changes", "message", "color"),
    [
        ({"rescore": Rescore.DIFFERS}, "re-score: differs", "red"),
        ({"rescore": Rescore.NOT_RESCORABLE}, "re-score: not re-scored", "yellow"),
        ({"steps": (Step("invariants", "fail", "success@10 below nDCG@10"),)}, "impossible values", "red"),
        (
            {"unranked": ("simulated: no real model answered",)},
            "0.534 [0.400, 0.600], logged, not ranked",
            "yellow",
        ),
        ({"unranked": (IMPORTED,)}, "0.534 [0.400, 0.600], logged, imported", "brightgreen"),
        (
            {"summary": replace(SUMMARY, note="model-rated")},
            "0.534 [0.400, 0.600] model-rated, logged",
            "brightgreen",
        ),
        (
            {"summary": replace(SUMMARY, headline=Headline("ndcg_at_10", None, None, None))},
            "blank, logged",
            "brightgreen",
        ),
    ],
)
def test_what_qualifies_a_score_is_beside_it_or_in_its_place(
    changes: dict[str, object], message: str, color: str
):
    assert read(replace(GOOD, **changes))[1:] == (message, color)  # type: ignore[arg-type]


def test_a_page_without_numbers_has_a_badge_without_them():
    for header, metric in ((replace(GOOD, summary=None), NDCG), (GOOD, None)):
        assert read(header, metric) == ("benchsite receipt", "not supported", "lightgrey")
    invalid = replace(GOOD, summary=None, verdict=Verdict.INVALID)
    assert read(invalid, None) == ("benchsite receipt", "invalid", "red")


def test_a_hostile_target_neither_reorders_nor_floods_the_label():
    label = read(replace(GOOD, summary=replace(SUMMARY, target="\u202e" + "x" * 10_000)))[0]
    assert "\u202e" not in label
    assert len(label) == len("nDCG@10 on ") + LONGEST


def test_the_markdown_links_the_receipt_and_names_its_badge():
    written = markdown(GOOD, NDCG, site_url="https://bench.invalid/sub/")
    found = re.fullmatch(r"\[!\[(.*)\]\((\S+)\)\]\((\S+)\)", written)
    assert found is not None
    page = f"https://bench.invalid/sub/receipts/5f/{GOOD.receipt_id}/"
    assert (found[1], found[3]) == ("nDCG@10 on notes-v1", page)
    picture, _, address = found[2].partition("?url=")
    assert picture == "https://img.shields.io/endpoint"
    assert "/" not in address
    assert unquote(address) == f"{page}badge.json"


def test_brackets_in_a_target_stay_text():
    odd = replace(GOOD, summary=replace(SUMMARY, target="a](https://x.invalid)"))
    assert "\\]" in markdown(odd, NDCG, site_url="https://b.invalid/")
    assert r"a\](https://x.invalid)" in markdown(odd, NDCG, site_url="https://b.invalid/")
