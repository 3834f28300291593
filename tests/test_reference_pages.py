"""Reference pages list exactly what the code has: configuration, variables, verdicts, exit codes, statistics, order."""

from __future__ import annotations

import re
from itertools import product
from math import sqrt
from pathlib import Path

import pytest
from mkdocs.utils.meta import get_data

from benchsite import errors
from benchsite.environment import PURPOSES
from benchsite.errors import BenchsiteError
from benchsite.history import Rescore, Verdict
from benchsite.pipeline.workspace.config import BenchsiteConfig, GrantConfig, Site
from benchsite.site.frame import GROUPS

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "content/docs"


def text(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def table(page: str, heading: str) -> list[list[str]]:
    """Rows below a heading of a page, header and rule left away; code marks too."""
    section = page.partition(f"{heading}\n")[2].partition("\n#")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")]
    assert rows, f"no table below {heading}"
    return [[cell.replace("`", "").strip() for cell in row] for row in rows[2:]]


def defaults(model: type[BenchsiteConfig | GrantConfig | Site]) -> dict[str, str]:
    shown = {"()": "[]", "": "empty", "False": "false", "PydanticUndefined": "required"}
    found = {}
    for name, field in model.model_fields.items():
        value = str(field.get_default(call_default_factory=True, validated_data={}))
        found[name] = shown.get(value, value)
    return found


@pytest.mark.parametrize(
    ("heading", "model"),
    [
        ("## Keys of the site", Site),
        ("## Keys of `extra.benchsite`", BenchsiteConfig),
        ("### Keys of a grant", GrantConfig),
    ],
)
def test_every_configuration_key_is_documented_with_its_default(heading: str, model: type[Site]) -> None:
    rows = table(text("configuration.md"), heading)
    assert {row[0]: row[1] for row in rows} == defaults(model)


def test_every_environment_variable_is_documented() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "benchsite").rglob("*.py")))
    read = set(re.findall(r'os\.environ\.get\(\s*"([A-Z_]+)"', source))
    keys = {f"BENCHSITE_{purpose.upper()}_KEY{end}" for purpose in PURPOSES for end in ("", "_FILE")}
    rows = table(text("configuration.md"), "## Environment variables")
    assert {name for row in rows for name in row[0].split(", ")} == read | keys


def test_every_verdict_and_re_score_result_is_documented() -> None:
    page = text("verdicts-and-exit-codes.md")
    assert {row[0] for row in table(page, "## Verdicts")} == set(Verdict)
    assert {row[0] for row in table(page, "## Re-score results")} == set(Rescore)


def test_every_exit_code_is_documented() -> None:
    classes = [item for item in vars(errors).values() if isinstance(item, type)]
    codes = {str(item.exit_code) for item in classes if issubclass(item, BenchsiteError)}
    rows = table(text("verdicts-and-exit-codes.md"), "## Exit codes")
    assert {code for row in rows for code in row[0].split(", ")} == codes | {"0", "130", "143", "141"}


def test_the_worked_example_is_right_by_enumeration() -> None:
    """Means and exact p-values from the table of the page, over all 2^8 sign patterns; the rest its block executes."""
    page = text("statistics.md")
    columns = [
        [float(row[at]) for row in table(page, "## Worked example") if row[0].isdigit()] for at in (1, 2, 3)
    ]
    means = {row[0]: row[1] for row in table(page, "## Worked example") if row[0] in "ABC"}
    for other, name in zip(columns[1:], "BC", strict=True):
        differences = [round(100 * (a - b)) for a, b in zip(columns[0], other, strict=True)]
        sums = [
            abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
            for signs in product((1, -1), repeat=8)
        ]
        extreme = sum(value >= abs(sum(differences)) for value in sums)
        said = f"A − {name}: mean difference {sum(differences) / 800:.3f}. Of all 256 sign patterns, {extreme} are"
        assert said in page
        assert f"p = {extreme}/256 = {extreme / 256:.4f}" in page
    for name, column in zip("ABC", columns, strict=True):
        assert float(means[name]) == pytest.approx(sum(column) / 8, abs=0.00051)


def test_the_t_interval_of_the_page_is_that_of_its_values() -> None:
    """Sessions 60, 66, 72: variance 36 (two deviations of 6, over n - 1 = 2); t for 2 degrees of freedom is 4.303."""
    spread = 4.302652729749464 * sqrt(36 / 3)
    assert f"the 95% CI is [{66 - spread:.2f}, {66 + spread:.2f}]" in text("statistics.md")


def test_pages_are_in_the_order_of_their_groups_and_the_home_links_each() -> None:
    home, found = text("index.md"), []
    for path in sorted(DOCS.glob("*.md")):
        body, meta = get_data(text(path.name))
        assert body.lstrip().startswith(f"# {meta['title']}\n"), path.name
        if path.name != "index.md" and "moved" not in meta:
            found.append((meta["order"], GROUPS.index(meta["group"])))
            assert f"]({path.name})" in home, f"index.md does not link {path.name}"
    assert len({order for order, _ in found}) == len(found)
    groups = [group for _, group in sorted(found)]
    assert groups == sorted(groups)


def test_the_home_lists_each_page_once_under_the_group_that_the_navigation_has_it_in() -> None:
    sections = re.split(r"^## ", text("index.md"), flags=re.MULTILINE)[1:]
    listed = {
        section.partition("\n")[0].removesuffix(" guides"): re.findall(r"\]\(([a-z-]+\.md)\)", section)
        for section in sections
    }
    pages = {path.name: get_data(text(path.name))[1].get("group") for path in DOCS.glob("*.md")}
    # Without a kind, a how-to is an instance's own page.
    assert list(listed) == [group for group in GROUPS if group != "How-to"]
    for group, names in listed.items():
        assert sorted(names) == sorted(name for name, its in pages.items() if its == group)
