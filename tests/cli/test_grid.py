"""`benchsite grid`: the address for corrections, the page, and places that cannot be written."""

from __future__ import annotations

import json
from pathlib import Path

from commands import Run

GRID = """
title = "Three notebooks"
benchmark = "three-notebooks"

[settings]
granularity = ["turn", "turn as session"]
k = [1, 10]
questions = ["temporal"]
rule = ["any", "all"]
empty = ["excluded"]

[methodology]
granularity = ["turn"]

[questions]
temporal = ["temporal"]

[[datasets]]
granularity = "turn"
rankings = ["three-notebooks-v1"]
labels = { none = "three-notebooks-v1" }

[[datasets]]
granularity = "turn as session"
rankings = ["three-notebooks-v1"]
labels = { none = "three-notebooks-v1" }
group = "session"

[[claims]]
id = "sessions"
system = "Example"
metric = "recall"
value = 100
unit = "percent"
date = "2026-11"
source = "https://example.org/blog"
by = "vendor"
settings = { granularity = "turn as session", k = 10, rule = "any" }
"""


def test_corrections_go_to_the_issues_of_the_instances_repository_unless_the_grid_names_an_address(
    benchsite: Run, new: Path
) -> None:
    assert (
        benchsite("run", "retrieval", "--adapter", "recency", "--fixture", "three-notebooks-v1", cwd=new).code
        == 0
    )
    (new / "grid.toml").write_text(GRID)
    (new / "own.toml").write_text(f'corrections = "https://example.org/report"\n{GRID}')

    def address(file: str) -> str:
        told = benchsite("grid", file, "--json", cwd=new)
        assert told.code == 0, told.err
        return str(json.loads(told.out)["corrections"])

    assert address("grid.toml") == ""
    pageless = benchsite("grid", "grid.toml", "--output", "grid.md", cwd=new)
    assert "the page has no address for corrections: set repo_url" in pageless.out
    config = new / "mkdocs.yml"
    config.write_text(f"repo_url: https://github.com/lab/bench\n{config.read_text()}")
    assert address("grid.toml") == "https://github.com/lab/bench/issues"
    assert address("own.toml") == "https://example.org/report"

    told = benchsite("grid", "grid.toml", "--output", "grid.md", cwd=new)
    assert told.code == 0, told.err
    assert "The methodology scores the settings of 0 of them." in told.out
    assert "not granularity turn as session" in told.out
    assert 'href="https://github.com/lab/bench/issues"' in (new / "grid.md").read_text()


def test_baselines_that_read_no_text_are_part_of_no_distribution(benchsite: Run, new: Path) -> None:
    for adapter in ("bm25", "recency", "random"):
        assert (
            benchsite(
                "run", "retrieval", "--adapter", adapter, "--fixture", "three-notebooks-v1", cwd=new
            ).code
            == 0
        )
    (new / "grid.toml").write_text(GRID)
    told = benchsite("grid", "grid.toml", "--output", "grid.md", cwd=new)
    assert told.code == 0, told.err
    assert "scored for 1 system, from" in told.out
    assert (
        "not part of it, because they rank without reading a text or return nothing: random, recency"
        in told.out
    )
    assert (
        "because they rank without reading a text or return nothing: random, recency."
        in (new / "grid.md").read_text()
    )
    found = json.loads(benchsite("grid", "grid.toml", "--json", cwd=new).out)
    assert found["omitted"] == ["random", "recency"]
    values = [one["value"] for one in found["scores"]]
    assert (found["distribution"]["low"], found["distribution"]["high"]) == (min(values), max(values))
    assert {one["system"] for one in found["scores"]} == set(found["systems"]) == {"bm25"}
    # Named, they are scored; a receipt that is named twice counts once.
    named = [str(path) for path in (new / ".benchsite/drafts").glob("*.json")]
    found = json.loads(benchsite("grid", "grid.toml", *named, *named, "--json", cwd=new).out)
    assert (found["omitted"], sorted(found["systems"])) == ([], ["bm25", "random", "recency"])


def test_a_page_that_cannot_be_written_is_refused_before_anything_is_scored(
    benchsite: Run, new: Path
) -> None:
    (new / "grid.toml").write_text(GRID)
    for place, said in (
        ("absent/grid.md", "hint: run `mkdir -p absent`"),
        (".", "hint: give the path of a file"),
    ):
        refused = benchsite("grid", "grid.toml", "--output", place, cwd=new)
        assert (refused.code, said in refused.err) == (4, True), refused.err
