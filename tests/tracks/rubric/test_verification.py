from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from documents import MATERIALS, digest_of
from rubric_receipts import PASSES, SIX, Said, draft, rescored
from rubric_rules import RULES

from benchsite import canonical, history
from benchsite.history import Headline, Rescore, Rescoring, Subject
from benchsite.receipt import ReceiptError, compose
from benchsite.tracks.rubric import TRACK
from benchsite.tracks.rubric.verification import identity, row

Document = dict[str, Any]
Edit = Callable[[Document], Any]


def judged(document: Document) -> Rescoring:
    TRACK.check(document)
    return history.rescored(compose(document), {"rubric": TRACK}, MATERIALS, deep=False)[1]


def honest(version: str) -> Document:
    return draft(version, SIX)


@pytest.mark.parametrize("version", RULES)
@pytest.mark.parametrize("said", [SIX, PASSES], ids=["evaluators", "passes"])
def test_an_honest_receipt_matches(version, said):
    found = judged(draft(version, said))
    assert (found.rescore, found.reason) == (Rescore.MATCHES, "")
    assert found.differences == found.violations == ()


def test_what_was_written_and_read_again_matches():
    document = canonical.loads(canonical.dumps(honest("2.0.0")))
    assert judged(document).rescore is Rescore.MATCHES


def test_every_value_is_compared():
    # Fourteen metrics of the sheets, kappa and alpha: 16 scores, 16 fractions, 16 pairs of counts; three intervals of
    # two ends; kind, raters and units of the agreement.
    assert judged(honest("2.0.0")).compared == 16 + 16 + 32 + 6 + 3
    # One sheet under 1.3.0 has raw_composite and penalty instead of agreement, and no interval.
    assert judged(draft("1.3.0")).compared == 16 + 16 + 32


FALSIFIED: list[tuple[Edit, str, Any, Any]] = [
    (lambda d: d["scores"].update(u1_score=4.5), "scores.u1_score", 4.5, 4.0),
    (lambda d: d["scores"].update(composite_score=76.14), "scores.composite_score", 76.14, 76.13),
    (lambda d: d["scores"].pop("d5_score"), "scores.d5_score", None, 60.0),
    (lambda d: d["scores"].update(charm=3.0), "scores.charm", 3.0, None),
    (lambda d: d["exact"].update(u1_score="8/2"), "exact.u1_score", "8/2", "4/1"),
    (lambda d: d["denominators"]["d1_score"].update(den=5), "denominators.d1_score.den", 5, 6),
    (lambda d: d["denominators"]["u1_score"].update(excluded=1), "denominators.u1_score.excluded", 1, 0),
    (lambda d: d["agreement"].update(kind="intra-rater"), "agreement.kind", "intra-rater", "inter-rater"),
    (lambda d: d["agreement"].update(units=62), "agreement.units", 62, 63),
    (
        lambda d: d.update(agreement=None),
        "agreement",
        None,
        {"kind": "inter-rater", "raters": 2, "units": 63},
    ),
]


@pytest.mark.parametrize(
    ("edit", "field", "recorded", "computed"), FALSIFIED, ids=[item[1] for item in FALSIFIED]
)
def test_a_falsified_number_is_named(edit, field, recorded, computed):
    document = honest("2.0.0")
    edit(document)
    found = judged(document)
    assert found.rescore is Rescore.DIFFERS
    (difference,) = found.differences
    assert (difference.field, difference.recorded, difference.computed) == (field, recorded, computed)


def test_a_falsified_interval_is_named_by_its_end():
    document = honest("2.0.0")
    true = document["intervals"]["composite_score"]["low"]
    document["intervals"]["composite_score"]["low"] = true + 1e-12
    (difference,) = judged(document).differences
    assert difference.field == "intervals.composite_score.low"
    assert difference.computed == true


def test_an_interval_that_the_version_does_not_give_differs():
    document = honest("1.3.0")
    interval = {"low": 60.0, "high": 70.0, "method": "t"}
    document["intervals"]["composite_score"] = interval
    (difference,) = judged(document).differences
    assert (difference.field, difference.recorded) == ("intervals.composite_score", interval)


def test_a_changed_mark_shows_in_every_number_that_rests_on_it():
    document = honest("1.1.0")
    document["universal"]["U2"][0]["score"] = 5
    fields = {item.field for item in judged(document).differences}
    assert {"scores.u2_score", "scores.universal_score", "scores.composite_score"} <= fields
    assert {"exact.u2_score", "exact.krippendorff_alpha"} <= fields
    assert not any("domain" in field or ".d1_" in field for field in fields)


def test_a_penalty_taken_back_differs():
    document = draft("1.3.0")
    document["disclosures"]["repeatabilityTested"] = True
    assert [item.field for item in judged(document).differences] == [
        "scores.composite_score",
        "scores.penalty",
        "exact.composite_score",
        "exact.penalty",
    ]


def test_another_version_is_another_score():
    document = draft("1.3.0")
    document["methodology"] |= {"version": "1.2.0", "sha256": digest_of("rubric", "1.2.0")}
    fields = [item.field for item in judged(document).differences]
    assert "scores.penalty" in fields
    assert "scores.composite_score" in fields


def of_length(part: str, name: str) -> Edit:
    return lambda d: d[part][name].append(d[part][name][0])


def rename_criterion(document: Document) -> None:
    criteria = document["domain"]["D3"][1]["questions"][0]["criteria"]
    criteria["charm"] = criteria.pop("accuracy")


UNSCORABLE: list[tuple[Edit, str, str]] = [
    (of_length("universal", "U3"), "universal.U3", "the number of entries is 7 and that of sheets 6"),
    (lambda d: d["universal"].update(U6=[]), "universal.U6", "the number of entries is 0"),
    (of_length("domain", "D5"), "domain.D5", "one entry a sheet"),
    (of_length("requiredTests", "invalidInput"), "requiredTests.invalidInput", "one entry a sheet"),
    (
        lambda d: d["config"]["sheets"].pop(),
        "config.sheets",
        "the number of entries is 5 and that of sheets 6",
    ),
    (
        lambda d: d["sheets"][4].update(evaluator=2),
        "sheets[4].evaluator",
        "there are 2 evaluators, counted from 0",
    ),
    (rename_criterion, "domain.D3[1].questions[0].criteria", "not those of the first scenario"),
]


@pytest.mark.parametrize(("edit", "field", "message"), UNSCORABLE, ids=[item[1] for item in UNSCORABLE])
def test_what_cannot_be_scored_is_malformed(edit, field, message):
    document = honest("2.0.0")
    edit(document)
    with pytest.raises(ReceiptError, match="^field .*" + message) as caught:
        TRACK.check(document)
    assert caught.value.field == field


def mark(value: Any) -> Edit:
    return lambda d: d["universal"]["U1"][0].update(score=value)


MALFORMED: list[tuple[Edit, str]] = [
    *((mark(value), "universal.U1[0].score") for value in (0, 6, 3.5, "4", None, True)),
    (lambda d: d["universal"].pop("U4"), "universal.U4"),
    (
        lambda d: d["domain"]["D1"][0]["questions"][0]["criteria"].pop("accuracy"),
        "domain.D1[0].questions[0].criteria",
    ),
    (lambda d: d["domain"]["D1"][0].update(questions=[]), "domain.D1[0].questions"),
    (lambda d: d["evaluators"][0].update(consentToPublish=False), "evaluators[0].consentToPublish"),
    (lambda d: d["evaluators"][0].update(consentToPublish=1), "evaluators[0].consentToPublish"),
    (lambda d: d.update(mood="good"), "mood"),
    (lambda d: d["config"].update(k=[1]), "config.k"),
    (lambda d: d.update(sheets=[]), "sheets"),
]


@pytest.mark.parametrize(("edit", "field"), MALFORMED, ids=lambda item: item if isinstance(item, str) else "")
def test_what_breaks_the_schema_is_malformed(edit, field):
    document = honest("2.0.0")
    edit(document)
    with pytest.raises(ReceiptError) as caught:
        TRACK.check(document)
    assert caught.value.field == field


def test_summary_keeps_agent_template_rules_and_composite():
    document = honest("2.0.0")
    found = TRACK.summary(document, None)
    assert found.subject == Subject("Helper", "2.1", "Example Works")
    assert (found.target, found.target_sha256) == ("customer-service", digest_of("rubric", "2.0.0"))
    interval = document["intervals"]["composite_score"]
    assert found.headline == Headline("composite_score", 76.13, interval["low"], interval["high"])
    assert found.unranked == ()
    assert TRACK.target(document) == ("template", "customer-service", None)


def test_without_an_interval_the_headline_has_none():
    assert TRACK.summary(draft("1.1.0"), None).headline == Headline("composite_score", 76.8, None, None)


def test_a_row_is_an_agent_in_a_domain_and_an_identity_its_sheets_besides():
    document, again = draft("1.3.0"), draft("1.3.0", (Said((5,) * 6),))
    again["config"]["sheets"] = ["f" * 64]
    one, two = TRACK.summary(document, None), TRACK.summary(again, None)
    assert one.row == two.row == row(document["agent"], "customer-service")
    assert one.identity != two.identity == identity(again["agent"], "customer-service", ["f" * 64])
    rows = {one.row}
    for key in ("name", "version", "vendor"):
        rows.add(row({**document["agent"], key: "other"}, "customer-service"))
    rows.add(row(document["agent"], "coding-development"))
    assert len(rows) == 5
    assert identity(again["agent"], "coding-development", ["f" * 64]) != two.identity


def test_rescored_again_a_changed_receipt_matches():
    document = honest("2.0.0")
    document["universal"]["U2"][0]["score"] = 1
    assert judged(document).rescore is Rescore.DIFFERS
    assert judged(rescored(document)).rescore is Rescore.MATCHES
