"""What the evaluator form saves is read by Python as it was meant, and scored as the form shows it.

One node process answers all questions of a test. Texts are drawn to break YAML: line ends of every kind, byte order
marks, controls, indicators, escapes, and numbers, dates and booleans in disguise.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from rubric_rules import RULES

from benchsite import methodology, yaml_document
from benchsite.methodology import Methodology
from benchsite.tracks.rubric.form import _asked
from benchsite.tracks.rubric.join import parse
from benchsite.tracks.rubric.payload import TESTS
from benchsite.unseen import is_blank

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="PARITY NOT RUN: node is not installed")

FOLDER = Path(__file__).parent
ODD = (
    *(
        "",
        " ",
        "null",
        "~",
        "true",
        "no",
        "1.3.0",
        "1",
        "0x1f",
        "1e3",
        ".nan",
        "2026-11-22",
        "12:30:45",
        "<<",
        "=",
    ),
    *(
        "- a",
        "a: b",
        "# no comment",
        "&a",
        "*a",
        "!!python/object:x",
        "%YAML",
        "---",
        "...",
        "[a",
        "{a",
        "|",
        ">",
    ),
    *(
        '"',
        "'",
        "\\",
        "\\n",
        '\\"',
        "\\u0041",
        "a\nb",
        "\n",
        "\n\n a",
        "a\tb",
        "\t",
        " a ",
        "a\r\nb",
        "\r",
        "\x00",
    ),
    *(
        "\x07",
        "\x1b[31m",
        "\x7f",
        "\x80",
        "\x85",
        "\x9f",
        "\xa0",
        "\xad",
        "a\u2028b",
        "\u2029",
        "\ufeff",
        "x\ufeffx",
    ),
    *(
        "\u200b",
        "\u202e",
        "\u2066",
        "\ufffe",
        "\uffff",
        "\ufffd",
        "é",
        "e\u0301",
        "ß",
        "日本語",
        "😀",
        "👩\u200d👩",
        "\U0010ffff",
    ),
    *("\U000e0001", "a" * 3000, "word " * 400, "ends with space ", ": ", "a #b", "-", "?", ",", "@a", "`a"),
)


def ask(question: str, given: Iterable[Any]) -> list[Any]:
    """The answers of JavaScript, one for each thing given."""
    lines = "".join(json.dumps([question, item]) + "\n" for item in given)
    run = subprocess.run(
        ["node", "sheets.js"], cwd=FOLDER, input=lines, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.split("\n") if line]


def text(draw: random.Random) -> str:
    """Odd pieces joined, with any characters of any plane between them."""
    parts = [draw.choice(ODD) for _ in range(draw.randrange(4))]
    for _ in range(draw.randrange(4)):
        code = draw.choice((draw.randrange(0x100), draw.randrange(0x3000), draw.randrange(0x110000)))
        parts.append(chr(code) if not 0xD800 <= code < 0xE000 else "?")
    draw.shuffle(parts)
    return "".join(parts)


def value(draw: random.Random, depth: int = 0) -> Any:
    scalars: tuple[Callable[[], Any], ...] = (
        lambda: text(draw),
        lambda: draw.choice((True, False, None, 0, 1, 5, 200, 10**14)),
        list,
    )
    kinds: list[Callable[[], Any]] = [*scalars]
    if depth < 4:
        kinds.append(lambda: mapping(draw, depth + 1))
        kinds.append(lambda: [mapping(draw, depth + 2) for _ in range(draw.randrange(1, 4))])
    return draw.choice(kinds)()


def mapping(draw: random.Random, depth: int = 0) -> dict[str, Any]:
    keys = ("a", "U1", "note", "no", "n", "true", "null", "constructor", "y", "on", "e1", "averagedFrom")
    return {key: value(draw, depth) for key in draw.sample(keys, draw.randrange(1, 5))}


def test_python_and_the_form_read_every_text_as_it_was_written():
    draw = random.Random(5)  # noqa: S311 - seeded tests, no secrets
    given = [*({"a": odd, "l": [{"b": odd}]} for odd in ODD), *(mapping(draw) for _ in range(500))]
    for wanted, found in zip(given, ask("write", given), strict=True):
        assert found["value"] == wanted
        assert yaml_document.load(found["text"].encode(), "s", tags="refused").value == wanted


@pytest.fixture(scope="module")
def versions(root: Path) -> dict[str, Methodology]:
    """Our own rubric methodologies."""
    found = {}
    for version in RULES:
        folder = root / "methodology" / "rubric" / version
        files = {name: (folder / name).read_bytes() for name in methodology.FILES}
        document = yaml_document.load(files["methodology.yaml"], version).value
        found[version] = methodology.parse(document, files=files, where=folder.as_posix())
    return found


PLAIN = [
    f"{odd}x" if is_blank(odd) else odd
    for odd in ODD
    if not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in odd)
]
"""What a note may be."""


RATED_BY = (
    {"kind": "human", "model": None},
    {
        "kind": "model",
        "model": {
            "name": "judge 2",
            "promptSha256": None,
            "saw": "the transcripts",
            "falsePositiveProbe": None,
        },
    },
    {
        "kind": "model",
        "model": {
            "name": "judge 1",
            "promptSha256": "0f" * 32,
            "saw": "no,\nnothing else",
            "falsePositiveProbe": {"planted": 40, "accepted": 0},
        },
    },
)


def whole(draw: random.Random, rules: Methodology) -> tuple[dict[str, Any], dict[str, Any]]:
    """A form, and a finished sheet for it with random scores and odd notes."""
    data = rules.data
    assert data.instrument is not None
    demands = RULES[data.version]
    template = draw.choice(data.instrument.templates)

    def note() -> str:
        some = ("plain", "two\nlines\tand a tab", draw.choice(PLAIN))
        return draw.choice(some if demands.evidence else ("", *some))

    def evidence() -> list[dict[str, str]]:
        return [{"excerpt": draw.choice(PLAIN)}, {"file": "a/b.txt"}][: draw.randrange(1, 3)]

    def criteria() -> dict[str, Any]:
        return {item.id: {"score": draw.randint(1, 5), "note": note()} for item in template.criteria}

    def scenario() -> dict[str, Any]:
        count = draw.randrange(1, 4) if demands.averaging else 1
        if count == 1:
            return {"criteria": criteria(), "evidence": evidence()}
        questions = [
            {"question": f"{place} {draw.choice(PLAIN)}", "criteria": criteria()} for place in range(count)
        ]
        return {"averagedFrom": questions, "evidence": evidence()}

    sheet: dict[str, Any] = {
        "methodology": data.version,
        "template": template.slug,
        "agent": {"name": "Agent \U0001f600", "version": "1.0", "vendor": "no"},
        "evaluator": {
            "name": "null",
            **draw.choice(RATED_BY),
            "pass": draw.randint(1, 3),
            "conflictOfInterest": draw.choice(PLAIN),
            "consentToPublish": True,
        },
        "session": {"n": draw.randint(1, 200), "date": "2024-02-29"},
    }
    if demands.disclosures:
        sheet["disclosures"] = {"repeatabilityTested": draw.random() < 0.5, "multiStep": "single-message"}
    if demands.required_tests:
        sheet["requiredTests"] = {
            name: {
                "outcome": draw.choice(("pass", "partial", "fail")),
                "note": draw.choice(PLAIN),
                "evidence": [],
            }
            for name in TESTS
        }
    sheet["universal"] = {
        f"U{place}": {"score": draw.randint(1, 5), "note": note(), "evidence": evidence()}
        for place in range(1, 7)
    }
    sheet["domain"] = {f"D{place}": scenario() for place in range(1, 6)}
    return _asked(data.instrument, template, demands, data.version), sheet


def by_hand(sheet: dict[str, Any], penalty: int) -> dict[str, Fraction]:
    """specs/rubric.md, "Scoring", written out for one sheet."""
    universal = Fraction(sum(item["score"] for item in sheet["universal"].values()), 30) * 100
    scenarios = {}
    for name, item in sheet["domain"].items():
        questions = item.get("averagedFrom", [item])
        sums = [sum(mark["score"] for mark in asked["criteria"].values()) for asked in questions]
        scenarios[name] = Fraction(sum(sums), 15 * len(sums)) * 100
    domain = sum(scenarios.values(), Fraction(0)) / 5
    tested = sheet.get("disclosures", {}).get("repeatabilityTested", True)
    taken = Fraction(0 if tested else penalty)
    raw = Fraction(2, 5) * universal + Fraction(3, 5) * domain
    return {
        **scenarios,
        "universal": universal,
        "domain": domain,
        "raw": raw,
        "penalty": taken,
        "composite": raw - taken,
    }


def two_places(value: Fraction) -> str:
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return str(exact.quantize(Decimal("0.01"), ROUND_HALF_UP))


@pytest.mark.stories
def test_a_finished_sheet_of_the_form_is_accepted_and_scored_alike(versions: dict[str, Methodology]):
    draw = random.Random(7)  # noqa: S311 - seeded tests, no secrets
    given = [whole(draw, rules) for rules in versions.values() for _ in range(12)]
    for (form, sheet), found in zip(given, ask("sheet", given), strict=True):
        assert found["faults"] == []
        rules = versions[form["version"]]
        read = parse(found["text"].encode(), where="s.yaml", methodology=rules)
        assert _said(read.model_dump(by_alias=True, exclude_none=True, mode="json")) == _said(sheet)
        numbers = by_hand(sheet, RULES[form["version"]].penalty)
        assert found["figures"] == {name: two_places(number) for name, number in numbers.items()}
        exact = [numbers[name] for name in ("universal", "domain", "composite")]
        assert found["exact"] == [f"{number.numerator}/{number.denominator}" for number in exact]


def _said(sheet: Any) -> Any:
    """Dates as text, lists as lists, and no key whose value is null."""
    hook = lambda found: {key: value for key, value in found.items() if value is not None}  # noqa: E731
    return json.loads(json.dumps(sheet, default=str), object_hook=hook)


def test_scores_are_those_of_a_receipt_made_from_the_sheet(versions: dict[str, Methodology]):
    from benchsite.tracks.rubric.metrics import score

    draw = random.Random(9)  # noqa: S311 - seeded tests, no secrets
    given = [whole(draw, rules) for rules in versions.values() for _ in range(12)]
    for (form, sheet), found in zip(given, ask("sheet", given), strict=True):
        body = {
            "sheets": [{"evaluator": 0, "pass": 1, "session": 1, "date": "2024-02-29"}],
            "universal": {name: [item] for name, item in sheet["universal"].items()},
            "domain": {
                name: [{"questions": item.get("averagedFrom", [item])}]
                for name, item in sheet["domain"].items()
            },
            "disclosures": sheet.get("disclosures", {"repeatabilityTested": None, "multiStep": None}),
        }
        made = score(body, RULES[form["version"]])
        wanted = [made.exact[f"{name}_score"] for name in ("universal", "domain", "composite")]
        assert found["exact"] == wanted
        for name in ("universal", "domain", "composite"):
            assert found["figures"][name] == f"{made.scores[f'{name}_score']:.2f}"


def test_what_the_form_finds_wrong_python_refuses(versions: dict[str, Methodology]):
    """Every fault the form can find in a sheet of the right shape, planted one at a time."""
    from benchsite.errors import InputError

    draw = random.Random(11)  # noqa: S311 - seeded tests, no secrets
    rules = versions["2.0.0"]
    scored = {name: {"score": 3, "note": "so"} for name in ("accuracy", "completeness", "usefulness")}
    plants: list[tuple[tuple[str, ...], Any]] = [
        (("agent", "name"), ""),
        (("agent", "version"), "x" * 201),
        (("agent", "vendor"), "a\x85b"),
        (("evaluator", "name"), "a\nb"),
        (("evaluator", "pass"), None),
        (("evaluator", "pass"), 201),
        (("evaluator", "conflictOfInterest"), ""),
        (("evaluator", "consentToPublish"), False),
        (("session", "n"), 0),
        (("session", "date"), "2026-02-29"),
        (("session", "date"), ""),
        (("disclosures", "repeatabilityTested"), None),
        (("disclosures", "multiStep"), None),
        (("requiredTests", "invalidInput", "outcome"), None),
        (("requiredTests", "hallucination", "note"), ""),
        (("universal", "U4", "score"), None),
        (("universal", "U1", "note"), "x" * 4001),
        (("universal", "U5", "note"), ""),
        (("universal", "U5", "note"), "\n \ufeff\u3000"),
        (("domain", "D1", "criteria"), {**scored, "usefulness": {"score": 3, "note": " "}}),
        (
            ("domain", "D2", "averagedFrom"),
            [{"question": asked, "criteria": scored} for asked in ("Why?", " WHY?")],
        ),
        (("universal", "U2", "evidence"), []),
        (("universal", "U3", "evidence"), [{"file": ""}]),
        (("domain", "D5", "evidence"), []),
    ]
    given = []
    for path, planted in plants:
        form, sheet = whole(draw, rules)
        while path[0] == "domain" and sheet["template"] != "customer-service":
            form, sheet = whole(draw, rules)
        if path[-1] in ("criteria", "averagedFrom"):
            sheet["domain"][path[1]] = {"evidence": sheet["domain"][path[1]]["evidence"]}
        place: Any = sheet
        for part in path[:-1]:
            place = place[part]
        place[path[-1]] = planted
        given.append((form, sheet))
    for (path, _), found in zip(plants, ask("sheet_faults", given), strict=True):
        assert len(found["faults"]) == 1, path
        with pytest.raises(InputError) as caught:
            parse(found["text"].encode(), where="s.yaml", methodology=rules)
        assert ".".join(path) in caught.value.message
