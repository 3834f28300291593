"""Rubric receipts: Python and JavaScript score them alike, to the last bit of every number and the last word of every finding.

The fractions behind them are compared in `test_rational_parity.py`.
"""

from __future__ import annotations

import copy
import random
import shutil
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
from documents import digest_of
from forgery import at
from rescoring import SIGNATURE, ask, compare, every_leaf_altered, every_object_widened, get, written
from rubric_receipts import PASSES, SIX, Said, draft, loose, rescored
from rubric_rules import RULES

from benchsite import canonical
from benchsite.tracks.rubric.metrics import score
from benchsite.tracks.rubric.normalization import is_valid_date, normalized
from benchsite.unseen import is_blank

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="PARITY NOT RUN: node is not installed")

AVERAGED = Said(
    domain=([(5, 4, 4), (2, 2, 1)], (3, 3, 2), [(4, 4, 5), (1, 1, 1), (5, 5, 5)], (2, 1, 3), (5, 5, 5))
)


def under(version: str) -> dict[str, str]:
    """What a receipt says of its methodology."""
    return {"id": "rubric", "version": version, "sha256": digest_of("rubric", version)}


def signed(document: dict[str, Any]) -> dict[str, Any]:
    return document | {"signature": SIGNATURE}


def real(version: str = "2.0.0", said: tuple[Said, ...] = SIX) -> dict[str, Any]:
    return signed(draft(version, said))


def short() -> dict[str, Any]:
    """Every path there is, few of each: two sheets, one of them of two questions."""
    document = real("1.3.0", (AVERAGED, Said(evaluator=1)))
    for dimension in ("U1", "U3", "U4", "U5", "U6"):
        for rating in document["universal"][dimension]:
            rating["evidence"] = []
    return document


def test_honest_receipts_of_every_version():
    honest = [
        *(real(version, (Said(),)) for version in RULES if version != "2.0.0"),
        *(real("2.0.0", said) for said in (SIX, PASSES)),
        real("1.2.0", (AVERAGED,)),
        real("1.3.0", SIX),
    ]
    said = compare(canonical.dumps(document).decode() for document in honest)
    assert [(item["rescore"], item["violations"]) for item in said] == [("MATCHES", [])] * len(honest)
    targets = [item["target"] for item in said]
    assert targets == [{"field": "template", "id": "customer-service", "sha256": None}] * len(honest)


# `make test` takes every seventh edit, `make test-full` all of them.
EVERY_NTH = pytest.mark.parametrize("nth", [7, pytest.param(1, marks=pytest.mark.full)])


@EVERY_NTH
@pytest.mark.stories
def test_every_leaf(nth: int):
    said = compare(every_leaf_altered(short(), nth))
    assert {item["outcome"] for item in said} == {"judged", "invalid", "unsupported"}
    assert len(said) > 1_500 // nth


@EVERY_NTH
@pytest.mark.stories
def test_every_container(nth: int):
    said = compare(every_object_widened(short(), nth))
    assert len(said) > 1_500 // nth


@EVERY_NTH
@pytest.mark.stories
def test_every_number_of_a_receipt_with_intervals(nth: int):
    document = real()
    paths = [
        (section, *path) for section in ("scores", "exact", "denominators", "intervals", "agreement")
        for path in members(document[section])
    ]  # fmt: skip
    texts = []
    for path in paths:
        for value in (None, 0, 50.004999999999995, "1/3", {}):
            other = copy.deepcopy(document)
            holder, key = at(other, path)
            holder[key] = value
            texts.append(written(other))
        other = copy.deepcopy(document)
        holder, key = at(other, path)
        del holder[key]
        texts.append(written(other))
    said = compare(texts[::nth])
    assert {item["outcome"] for item in said} == {"judged", "invalid"}
    assert sum(item.get("rescore") == "DIFFERS" for item in said) > len(paths) // nth


def members(section: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, value in section.items():
        yield (name,)
        if isinstance(value, dict):
            yield from ((name, *rest) for rest in members(value))


def set_at(*changes: tuple[tuple[Any, ...], Any], base: dict[str, Any] | None = None) -> str:
    document = copy.deepcopy(base if base is not None else real())
    for path, value in changes:
        holder, key = at(document, path)
        holder[key] = value
    return written(document)


SEEN = (
    *(("agent", key) for key in ("name", "version", "vendor")),
    *(("evaluators", 0, key) for key in ("name", "conflictOfInterest")),
)


@pytest.mark.full
@pytest.mark.stories
def test_what_a_version_would_not_have_accepted():
    one, old = real("1.3.0", (Said(),)), real("1.0.0", (Said(),))
    names = [
        ("\U0001f600", "\ufb01"),
        ("\ufb01", "\U0001f600"),
        ("a", "a"),
        ("b", "a"),
        ("a", "aa"),
        ("A", "a"),
    ]
    texts = [
        *(set_at((("evaluators", 0, "name"), a), (("evaluators", 1, "name"), b)) for a, b in names),
        *(set_at((path, blank), base=base) for path in SEEN for blank in (" ", "\ufeff\u2003", "\u200b", " \n\t") for base in (old, one, real())),
        set_at((("evaluators",), [*real()["evaluators"], {"name": "idle", "kind": "human", "model": None, "conflictOfInterest": "x", "consentToPublish": True}])),
        *(set_at((("sheets", place, key), value)) for place in (0, 3) for key in ("session", "pass", "evaluator") for value in (0, 1, 2, 4, 200)),
        set_at((("requiredTests",), None), base=one),
        set_at((("requiredTests",), one["requiredTests"]), base=old),
        *(set_at((("disclosures", key), None), base=one) for key in ("repeatabilityTested", "multiStep")),
        *(set_at((("disclosures", key), one["disclosures"][key]), base=old) for key in ("repeatabilityTested", "multiStep")),
        *(set_at((("disclosures", "repeatabilityTested"), said), base=base) for said in (True, False, None) for base in (one, real())),
        set_at((("methodology",), under("2.0.0")), base=one),
        set_at((("methodology",), under("1.0.0")), base=real("1.1.0", (AVERAGED,))),
        *(set_at((("methodology",), under(version))) for version in ("1.0.0", "1.1.0", "1.3.0", "1.4.0", "2.0.1")),
        set_at((("methodology", "version"), "2.0.1")),
        set_at((("universal", "U3", 1, "evidence"), []), (("domain", "D5", 2, "evidence"), [])),
        set_at((("evidence",), [])),
        set_at((("universal", "U3", 1, "evidence"), [loose("π 😀"), {**loose("π 😀"), "excerpt": "π"}, {**loose("x"), "excerpt": None}])),
        set_at((("requiredTests", "hallucination", 0, "evidence"), [loose("x"), {**loose("y"), "excerpt": "x"}])),
        set_at((("config", "sheets"), ["a" * 64])),
        set_at((("config", "sheets"), ["a" * 64] * 6)),
        *(set_at((("evaluators", 0, "name"), a), (("evaluators", 1, "name"), b)) for a, b in (("Ada", "ADA  "), ("Straße", "STRASSE"), ("ﬁn", "Fin"), ("kı", "KI"), ("σς", "ΣΣ"))),
        *(set_at(*((("sheets", place, "date"), date) for place in places)) for date in ("2026-02-31", "2026-05-05", "2026-05-06", "0000-02-29", "9999-12-31") for places in ((0,), (0, 5))),
        *(set_at((("ranAt",), moment), (("sheets", 5, "date"), "2026-05-05")) for moment in ("2026-05-04T09:59:59Z", "2026-05-04T10:00:00Z", "9999-12-31T23:59:59Z")),
        *(set_at((("sheets", 0, "pass"), a), (("sheets", 1, "pass"), b)) for a in (1, 2, 3) for b in (1, 2, 3)),
        *(set_at((("domain", "D3", place, "questions"), questions), base=base) for place in (0, 1) for base in (real("1.3.0"), real()) for questions in asked(real())),
        *(set_at((("universal", "U3", 1, "note"), note), (("domain", "D5", 2, "questions", 0, "criteria", "accuracy", "note"), note), base=base) for note in ("", " \n\t", "\ufeff\u2003", "\u200b") for base in (real("1.3.0"), real())),
        *(text for version in ("1.2.0", "1.3.0", "2.0.0") for make in (shared, reasked) for text in make(real(version))),
        set_at((("requiredTests", "invalidInput"), [])),
        set_at((("domain", "D2", 1, "questions", 0, "criteria", "other"), {"score": 1, "note": ""})),
        set_at((("domain", "D2", 1, "questions", 0, "criteria"), {name: {"score": 1, "note": ""} for name in ("accuracy", "completeness", "other")})),
    ]  # fmt: skip
    said = compare(texts)
    codes = {violation["code"] for item in said for violation in item.get("violations", ())}
    assert codes == {
        *("evaluator-without-sheet", "evaluator-twice", "sheets-unordered", "sheet-twice", "session-missing"),
        *("too-few-sessions", "too-few-sheets", "tests-missing", "tests-unknown", "disclosure-missing"),
        *(
            "disclosure-unknown",
            "repeatability-unfounded",
            "averaging-unknown",
            "evidence-missing",
            "evidence-unknown",
        ),
        *(
            "pass-missing",
            "date-unknown",
            "date-ahead",
            "sheet-repeated",
            "question-twice",
            "questions-differ",
        ),
        *("note-missing", "sessions-alike", "questions-not-repeated", "text-blank"),
    }
    fields = {item.get("field") for item in said if item["outcome"] == "invalid"}
    assert fields >= {"config.sheets", "requiredTests.invalidInput", "domain.D2[1].questions[0].criteria"}


def asked(document: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Questions of a scenario that others of the session do not have, or that stand there twice."""
    (question,) = document["domain"]["D3"][0]["questions"]
    for texts in (("a",), (None, None), ("a", "A "), ("a", "b"), ("a", None), ("\n",), ("a", "b", "a")):
        yield [{**question, "question": text} for text in texts]


def reasked(document: dict[str, Any]) -> Iterator[str]:
    """Sessions that hold the same questions, others, more, and the same in another order; repeatability claimed or not."""
    for third in (("a", "b"), ("B ", "A"), ("a", "c"), ("a", "b", "c"), ("a",), (None, "b")):
        for claimed in (True, False):
            other = copy.deepcopy(document)
            other["disclosures"]["repeatabilityTested"] = claimed
            for sheet, rating in zip(other["sheets"], other["domain"]["D3"], strict=True):
                (question,) = rating["questions"]
                texts = third if sheet["session"] == 3 else ("a", "b")
                rating["questions"] = [{**question, "question": text} for text in texts]
            yield written(other)


def shared(document: dict[str, Any]) -> Iterator[str]:
    """Sessions that cite the same documents or words, some of their own, or nothing, each in its own mixture."""
    first, second, third = (item["sha256"] for item in document["evidence"])
    items = [
        {"sha256": first, "excerpt": None},
        {"sha256": second, "excerpt": "All"},
        {"sha256": third, "excerpt": "a third"},
        loose("all  "),
        loose("\ufeff \u2003"),
        {**loose("x"), "excerpt": None},
    ]
    mixtures = ((), (0,), (1,), (3,), (4,), (5,), (0, 1), (0, 3), (1, 2))
    draw = random.Random(3)  # noqa: S311 - test data
    chosen = [(one, one, one) for one in mixtures] + [tuple(draw.choices(mixtures, k=3)) for _ in range(40)]
    for sessions in chosen:
        other = copy.deepcopy(document)
        for part in ("universal", "domain", "requiredTests"):
            for ratings in other[part].values():
                for sheet, rating in zip(other["sheets"], ratings, strict=True):
                    rating["evidence"] = [items[place] for place in sessions[sheet["session"] - 1]]
        yield written(other)


@pytest.mark.stories
def test_names_are_alike_notes_blank_and_days_there_in_both_languages():
    """Every character that Python's Unicode knows and a receipt may hold, alone and between others."""
    known = [
        chr(code)
        for code in range(0x110000)
        if unicodedata.category(chr(code)) not in ("Cc", "Cn", "Co", "Cs") or chr(code) in "\t\n"
    ]
    texts = [text for char in known for text in (char, f"a{char} b")]
    assert ask("alike", [texts]) == [[normalized(text) for text in texts]]
    assert ask("blank", [known]) == [[is_blank(text) for text in known]]
    months = [f"{year:04}-{month:02}" for year in (0, 1900, 2000, 2024, 2026, 9999) for month in range(1, 13)]
    days = [f"{month}-{day:02}" for month in months for day in range(32)]
    assert ask("calendar", [days]) == [[day for day in days if is_valid_date(day)]]


def test_bounds_count_good_entries():
    document = real("1.3.0", (Said(),))
    good = {f"m{i}": 0.5 for i in range(41)}
    bad = {f"n{i}": "x" for i in range(41)}
    mark = {"score": 3, "note": ""}
    criteria = [
        *({f"c{i}": mark for i in range(count)} for count in (0, 2, 3, 4)),
        *({"A": mark, **{f"c{i}": mark for i in range(count)}} for count in (1, 2, 3, 4)),
        {"a": mark, "b": {"score": 6, "note": ""}},
    ]
    question = ("domain", "D1", 0, "questions")
    texts = [
        *(set_at((("scores",), scores), base=document) for scores in (good, bad, bad | good, good | bad)),
        *(set_at(((*question, 0, "criteria"), given), base=document) for given in criteria),
        *(set_at((question, get(document, question) * count), base=document) for count in (0, 10, 11)),
        *(set_at((("universal", "U1", 0, "note"), text), base=document) for text in prose()),
        *(set_at((("sheets",), document["sheets"] * count), base=document) for count in (0, 200, 201)),
    ]
    said = compare(texts)
    assert {item.get("field") for item in said} >= {
        "scores",
        "scores.n0",
        "domain.D1[0].questions[0].criteria",
    }


def prose() -> Iterator[str]:
    """Of the longest length, in characters and not in code units; and each control character."""
    yield from ("\U0001f600" * 4_000, "\U0001f600" * 4_001, "a" * 4_001, "", "\u2028")
    yield from (f"a{chr(code)}b" for code in (*range(32), *range(0x7E, 0xA1)))


def random_sheet(draw: random.Random, **place: int) -> Said:
    mark = draw.choice([lambda: draw.randint(1, 5), lambda: draw.randint(4, 5), lambda: 3])
    triple = lambda: (mark(), mark(), mark())  # noqa: E731
    scenario = lambda: triple() if draw.random() < 0.7 else [triple() for _ in range(draw.randint(2, 4))]  # noqa: E731
    return Said(tuple(mark() for _ in range(6)), tuple(scenario() for _ in range(5)), **place)


def random_receipt(draw: random.Random) -> dict[str, Any]:
    """Drawn sheets, in order or not, with the numbers that follow; some of them then falsified."""
    places = sorted(
        {(draw.randint(1, 4), draw.randrange(3), draw.randint(1, 2)) for _ in range(draw.randint(1, 10))}
    )
    sheets = [random_sheet(draw, session=s, evaluator=e, pass_=p) for s, e, p in places]
    if draw.random() < 0.1:
        draw.shuffle(sheets)
    version = draw.choice(list(RULES))
    document = rescored(real("1.3.0", tuple(sheets)) | {"methodology": under(version)})
    if draw.random() < 0.3:
        section = draw.choice(["scores", "exact"])
        name = draw.choice(list(document[section]))
        document[section][name] = 33.33 if section == "scores" else "100/3"
    return document


@pytest.mark.parametrize("count", [40, pytest.param(1_000, marks=pytest.mark.full)])
@pytest.mark.stories
def test_drawn_receipts(count: int):
    draw = random.Random(20261122)  # noqa: S311 - test data
    said = compare(canonical.dumps(random_receipt(draw)).decode() for _ in range(count))
    assert {item["rescore"] for item in said} == {"MATCHES", "DIFFERS"}
    assert all(item["outcome"] == "judged" for item in said)


def as_sheet(document: dict[str, Any]) -> dict[str, Any]:
    """The first sheet of a receipt in the layout of specs/rubric.md, "The sheet", as the evaluator form holds it."""
    domain = {}
    for name, (rating, *_) in document["domain"].items():
        questions = [
            {"question": asked["question"], "criteria": asked["criteria"]} for asked in rating["questions"]
        ]
        several = len(questions) > 1
        domain[name] = {"averagedFrom": questions} if several else {"criteria": questions[0]["criteria"]}
    return {
        "universal": {name: ratings[0] for name, ratings in document["universal"].items()},
        "domain": domain,
        "disclosures": document["disclosures"],
    }


def test_one_sheet_comes_to_what_its_receipt_comes_to():
    draw = random.Random(7)  # noqa: S311 - test data
    cases = []
    for _ in range(100):
        version = draw.choice(["1.0.0", "1.1.0", "1.3.0"])
        document = draft(version, (random_sheet(draw),), tested=draw.random() < 0.5)
        cases.append((version, document, score(document, RULES[version]).exact))
    found = ask(
        "sheet", [{"version": version, "sheet": as_sheet(document)} for version, document, _ in cases]
    )
    for (_, _, exact), said in zip(cases, found, strict=True):
        expected = {
            f"{part}{i}": exact[f"{part.lower()}{i}_score"]
            for part, last in (("U", 6), ("D", 5))
            for i in range(1, last + 1)
        }
        expected |= {"universal": exact["universal_score"], "domain": exact["domain_score"]}
        expected |= {
            "raw": exact.get("raw_composite", exact["composite_score"]),
            "penalty": exact.get("penalty", "0/1"),
        }
        assert said == expected | {"composite": exact["composite_score"]}
