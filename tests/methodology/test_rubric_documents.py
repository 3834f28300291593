"""The five published versions of the rubric methodology, against specs/rubric.md and the seed they continue."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from benchsite import methodology, yaml_document
from benchsite.methodology import Methodology
from benchsite.methodology.instrument import Instrument
from benchsite.stats import krippendorff_alpha, t_interval, weighted_kappa
from benchsite.tracks.rubric.engines import rules
from benchsite.tracks.rubric.metrics import sheet_values

FOLDER = Path(__file__).resolve().parents[2] / "methodology" / "rubric"
VERSIONS = ("1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0")
LEVELS = {"1", "2", "3", "4", "5"}

FOUR = {
    "customer-service": ("accuracy", "completeness", "usefulness"),
    "automation-workflow": ("accuracy", "completeness", "usefulness"),
    "coding-development": ("correctness", "completeness", "codeQuality"),
    "data-analysis": ("queryAccuracy", "visualizationFit", "insightQuality"),
}
SIX = {"personal-assistant", "research", "marketing", "sales", "design-writing", "finance"}


def document(version: str) -> Methodology:
    folder = FOLDER / version
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    parsed = yaml_document.load(files["methodology.yaml"], str(folder), tags="refused")
    return methodology.parse(parsed.value, files=files, where=f"methodology/rubric/{version}")


@pytest.fixture(scope="module")
def documents() -> dict[str, Methodology]:
    return {version: document(version) for version in VERSIONS}


@pytest.fixture(scope="module")
def seed(shared: Path) -> str:
    return (shared / "seeds" / "rubric-methodology-1.1.0.txt").read_text(encoding="utf-8")


def instrument(found: Methodology) -> Instrument:
    assert found.data.instrument is not None
    return found.data.instrument


def test_the_versions_are_those_of_the_specification(documents: dict[str, Methodology]) -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == list(VERSIONS)
    assert {found.data.track for found in documents.values()} == {"rubric"}
    assert len({found.sha256 for found in documents.values()}) == len(VERSIONS)


def test_the_weights_are_forty_and_sixty(documents: dict[str, Methodology]) -> None:
    for found in documents.values():
        weights = [Fraction(found.data.parameters[name]) for name in ("universalWeight", "domainWeight")]
        assert weights == [Fraction(40, 100), Fraction(60, 100)]


@pytest.mark.parametrize(
    ("version", "published", "kinds"),
    [  # dates: specs/rubric.md, the table of versions; kinds: one letter a change
        ("1.0.0", "2026-03-31", "aaa"),
        ("1.1.0", "2026-04-01", "aaaaaaa"),
        ("1.2.0", "2026-04-01", "aaac"),
        ("1.3.0", "2026-04-09", "ca"),
        ("2.0.0", None, "ccaaaaaaarr"),
    ],
)
def test_dates_and_changes(
    version: str, published: str | None, kinds: str, documents: dict[str, Methodology]
) -> None:
    data = documents[version].data
    assert published is None or data.published == published
    assert "".join(change.type[0] for change in data.changes) == kinds


def test_later_versions_are_not_dated_earlier(documents: dict[str, Methodology]) -> None:
    dates = [documents[version].data.published for version in VERSIONS]
    assert dates == sorted(dates)


@pytest.mark.parametrize("version", VERSIONS)
def test_measures_are_the_keys_of_receipts(version: str, documents: dict[str, Methodology]) -> None:
    keys = {"composite_score", "universal_score", "domain_score", "weighted_kappa", "krippendorff_alpha"}
    keys |= {f"u{n}_score" for n in range(1, 7)} | {f"d{n}_score" for n in range(1, 6)}
    if version == "1.3.0":
        keys |= {"raw_composite", "penalty"}
    measures = documents[version].data.measures
    assert len(measures) == len(keys)
    assert {measure.name for measure in measures} == keys
    with_interval = {measure.name for measure in measures if measure.interval == "t"}
    wanted = {"composite_score", "universal_score", "domain_score"} if version == "2.0.0" else set()
    assert with_interval == wanted
    text = documents[version].text
    spoken = {name for name in keys if not re.fullmatch(r"[ud][2345]_score", name)} - {"d1_score"}
    assert {name for name in spoken if f"`{name}`" not in text} == set()


@pytest.mark.parametrize("version", VERSIONS)
def test_templates_by_version(version: str, documents: dict[str, Methodology]) -> None:
    found = instrument(documents[version])
    wanted = set(FOUR) if version in {"1.0.0", "1.1.0"} else set(FOUR) | SIX
    assert {template.slug for template in found.templates} == wanted
    for template in found.templates:
        assert template.schema_name == template.slug.replace("-", "_") + "_v1"
        criteria = tuple(criterion.id for criterion in template.criteria)
        assert criteria == FOUR.get(template.slug, criteria)


@pytest.mark.parametrize("version", VERSIONS[2:])
def test_from_1_2_0_scenarios_can_be_run_as_they_stand(
    version: str, documents: dict[str, Methodology]
) -> None:
    found = instrument(documents[version])
    assert set(found.criterion_anchors) == LEVELS
    for template in found.templates:
        assert template.summary
        assert template.examples
        assert all(criterion.question for criterion in template.criteria)
        for scenario in template.scenarios:
            assert scenario.setup, (template.slug, scenario.id)
            assert '"' in scenario.task, f"{template.slug} {scenario.id} quotes no words to use"
            assert "For a 5" in (scenario.look_for or scenario.id), (template.slug, scenario.id)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_1_0_0_lacks_and_the_others_have(version: str, documents: dict[str, Methodology]) -> None:
    found = instrument(documents[version])
    first = version == "1.0.0"
    noted = {"1.0.0": set(), "2.0.0": {"U1", "U3", "U4", "U5"}}.get(version, {"U3", "U4"})
    tests = [] if first else ["standardisedTask", "hallucination", "invalidInput"]
    assert [test.id for test in found.required_tests] == tests
    assert [item.id for item in found.disclosures] == ([] if first else ["repeatabilityTested", "multiStep"])
    assert {test.feeds for test in found.required_tests} == (set() if first else {None, "U4"})
    for dimension in found.dimensions:
        assert set(dimension.anchors) == (set() if first else LEVELS)
        assert (dimension.note is not None) == (dimension.id in noted)
    assert bool(found.criterion_anchors) == (version not in {"1.0.0", "1.1.0"})
    assert len(found.repeatability) == {"1.0.0": 1, "2.0.0": 4}.get(version, 3)


@pytest.mark.parametrize("version", VERSIONS)
def test_references_bear_on_the_version(version: str, documents: dict[str, Methodology]) -> None:
    data = documents[version].data
    assert len(data.references) == (18 if version == "2.0.0" else 14)
    assert len({reference.title for reference in data.references}) == len(data.references)
    for reference in data.references:
        assert reference.note
        assert reference.year
        assert reference.topics
    used = {topic for reference in data.references for topic in reference.topics}
    assert data.topics
    assert set(data.topics) <= used
    marked = [item for item in data.references if set(item.topics) & set(data.topics)]
    assert 0 < len(marked) < len(data.references)


def test_every_element_of_the_seed_is_in_1_1_0(documents: dict[str, Methodology], seed: str) -> None:
    """The seed is a page's text: title and schema name, or the topic tags, stand there without a space between."""
    data = documents["1.1.0"].data
    found = instrument(documents["1.1.0"])
    added = re.findall(r"^Added(.+)$", seed, flags=re.MULTILINE)
    subjects = ("hallucination", "invalid", "U3", "averaged", "anchors", "guidance", "disclos")
    for line, change, subject in zip(added, data.changes, subjects, strict=True):
        assert change.type == "added"
        assert subject.lower() in line.lower()
        assert subject.lower() in change.text.lower()
    american = seed.replace("Standardised", "Standardized")
    titles = re.findall(r"^Required([A-Z].+)$", american, flags=re.MULTILINE)
    assert [test.title for test in found.required_tests] == titles
    dimensions = re.findall(r"^(U[1-6])([A-Z].+)$", seed, flags=re.MULTILINE)
    assert [(item.id, item.title) for item in found.dimensions] == dimensions
    templates = re.findall(r"^.+_v1$", seed, flags=re.MULTILINE)
    assert [f"{item.title}{item.schema_name}" for item in found.templates] == templates
    examples = re.findall(r"^Examples: (.+)$", seed, flags=re.MULTILINE)
    assert [", ".join(item.examples) for item in found.templates] == examples
    scenarios = re.findall(r"^(D[1-5])\n([^:\n]+): ", seed, flags=re.MULTILINE)
    assert [(item.id, item.title) for template in found.templates for item in template.scenarios] == scenarios
    criteria = re.findall(r"^Criteria per scenario: (.+) \(each 1–5, max 15\)$", seed, flags=re.MULTILINE)
    assert [", ".join(item.title for item in template.criteria) for template in found.templates] == criteria
    repeated = seed.partition("repeatRepeatability\n\n")[2].partition("\n\nmenu_book")[0]
    assert len(found.repeatability) == len(repeated.split("\n\n"))


def test_the_references_of_the_seed_are_in_1_1_0(documents: dict[str, Methodology], seed: str) -> None:
    data = documents["1.1.0"].data
    titles = re.findall(r"^\d+\.\n(.+?)open_in_new$", seed, flags=re.MULTILINE)
    assert [reference.title for reference in data.references] == titles
    lines = re.findall(r"^(.+) · (.+) · (\d{4})$", seed, flags=re.MULTILINE)
    listed = [(item.authors, item.venue, str(item.year)) for item in data.references]
    assert listed == lines
    for reference in data.references:
        assert f"\n{''.join(reference.topics)}\n" in seed, reference.title


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def runs(text: str) -> set[tuple[str, ...]]:
    """Every run of nine words."""
    every = words(text)
    return {tuple(every[place : place + 9]) for place in range(len(every) - 8)}


def sentences(value: Any) -> Iterator[str]:
    """All text of a document but what the titles and authors of works are."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            if not (key in {"title", "authors"} and "topics" in value):
                yield from sentences(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from sentences(part)


@pytest.mark.parametrize("version", VERSIONS)
def test_no_sentence_is_the_seeds(version: str, documents: dict[str, Methodology], seed: str) -> None:
    found = documents[version]
    ours = (found.text, *sentences(found.data.model_dump()))
    assert {run for text in ours for run in runs(text)} & runs(seed) == set()


def sheet(marks: tuple[int, ...], scenarios: tuple[tuple[tuple[int, int, int], ...], ...]) -> dict[str, Any]:
    """One sheet's ratings as a receipt holds them."""
    return {
        "universal": {f"U{n}": [{"score": mark}] for n, mark in enumerate(marks, 1)},
        "domain": {
            f"D{n}": [
                {
                    "questions": [
                        {"criteria": dict(zip("abc", ({"score": s} for s in q), strict=True))} for q in qs
                    ]
                }
            ]
            for n, qs in enumerate(scenarios, 1)
        },
    }


@pytest.mark.parametrize(
    ("version", "marks", "scenarios", "written"),
    [
        (
            "2.0.0",
            (5, 4, 4, 3, 5, 4),
            (((5, 5, 5),), ((4, 4, 4),), ((4, 4, 3),), ((3, 3, 2),), ((5, 4, 4), (4, 3, 3))),
            "Composite = 100/3 + 46 = 238/3, which is 79.33.",
        ),
        (
            "1.3.0",
            (4, 4, 3, 2, 5, 4),
            (((4, 4, 4),), ((3, 3, 3),), ((5, 5, 5),), ((2, 2, 2),), ((4, 3, 3), (5, 4, 4))),
            "Composite = 88/3 + 214/5 = 1082/15, which is 72.13.",
        ),
        (
            "1.0.0",
            (4, 4, 3, 2, 5, 4),
            (((4, 4, 4),), ((3, 3, 3),), ((5, 5, 5),), ((2, 2, 2),), ((4, 4, 3),)),
            "Composite = 88/3 + 212/5 = 1076/15, which is 71.73.",
        ),
    ],
)
def test_the_worked_sheets_of_the_texts(
    version: str, marks: Any, scenarios: Any, written: str, documents: dict[str, Methodology]
) -> None:
    """What the text works out by hand, and what the code makes of the same sheet."""
    assert written in " ".join(documents[version].text.split())
    fraction = re.search(r"= (\d+/\d+), which", written)
    assert fraction is not None
    values = sheet_values(sheet(marks, scenarios), 0, rules(documents[version]))
    assert values["composite_score"] == Fraction(fraction[1])


def test_the_worked_interval_and_agreement_of_2_0_0(documents: dict[str, Methodology]) -> None:
    text = " ".join(documents["2.0.0"].text.split())
    low, high = t_interval([Fraction(78), Fraction(80), Fraction(85)])
    assert f"[{low:.2f}, {high:.2f}]" in text
    assert "[72.04, 89.96]" in text
    pairs = [(5, 5), (4, 3), (2, 2), (3, 3)]
    assert weighted_kappa(pairs, low=1, high=5, weights="linear") == Fraction(4, 5)
    assert "kappa is 1 − 4 × 1 ÷ 20 = 4/5" in text
    assert krippendorff_alpha([list(pair) for pair in pairs], metric="ordinal") == Fraction(71, 78)
    assert "alpha is 1 − 7 × 4 ÷ 312 = 71/78" in text
