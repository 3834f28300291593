"""What an adapter declares, and what the harness finds out itself: versions, assets, options and arguments."""

from __future__ import annotations

import hashlib
import importlib.metadata
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harbour import BUILT_IN, measured

from benchsite.errors import InputError
from benchsite.tracks.retrieval.adapter import relative
from benchsite.tracks.retrieval.record.verification import label, row
from benchsite.tracks.retrieval.run.programs import arguments

pytestmark = pytest.mark.usefixtures("hostile")


def test_the_version_is_that_of_the_installed_distribution(
    context: Any, hostile: Callable[[str], Path]
) -> None:
    measurement = measured(context, "wants:Product")
    adapter, version = measurement.payload["adapter"], importlib.metadata.version("numpy")
    assert (adapter["name"], adapter["version"], adapter["backend"]) == ("product", version, "honest")
    assert adapter["distributions"] == {"numpy": version}
    data = hostile("program.py").read_bytes()
    assert measurement.config["assets"] == [
        {"name": "weights", "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    ]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (
            "wants:NotInstalled",
            "adapter subject: distribution no-such-distribution: not installed for cpython",
        ),
        ("wants:NoWeights", "adapter subject: asset weights: not a file that can be read"),
        ("wants:RelativeWeights", "failed to start: assets is not an object of absolute paths by name"),
        ("wants:NoAbout", "failed to start: TypeError: the adapter has no attribute `about`"),
    ],
)
def test_a_declaration_that_is_not_true_here_is_an_error(context: Any, reference: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        measured(context, reference)
    assert message in caught.value.message


def test_weights_are_pinned_by_the_digest_of_what_ran(context: Any) -> None:
    digests = {measured(context, f"wants:{name}").config["subjectSha256"] for name in ("Product", "Dumps")}
    assert len(digests) == 2


@pytest.mark.parametrize(
    ("command", "recorded"),
    [
        (["./adapter"], ""),
        (["adapters/node-embedder/adapter", "64"], "64"),
        (["python3", "adapter.py", "--tuned"], "--tuned"),
        (["/usr/bin/node", "--no-warnings", "/home/a/adapter.mjs", "--k", "5"], "--no-warnings --k 5"),
        (["python3.12", "-m", "served", "--fast"], "-m served --fast"),
        (["./adapter", "--weights=/home/a/weights/m.bin", "/home/a/b/"], "--weights=m.bin b"),
        (["./adapter", "--url", "https://a.example/x"], "--url https://a.example/x"),
        (["./adapter", "two words", "--name=x y"], "'two words' '--name=x y'"),
    ],
)
def test_arguments_are_recorded_without_places_of_this_machine(command: list[str], recorded: str) -> None:
    assert arguments(command) == recorded


def test_two_configurations_of_a_program_are_two_rows_with_labels(
    context: Any, hostile: Callable[[str], Path]
) -> None:
    command = (sys.executable, str(hostile("program.py")), "honest")
    found = [measured(context, None, command=(*command, size)) for size in ("64", "1024")]
    said = [
        (label(one.payload["adapter"], one.config), row(one.payload["adapter"], one.config)) for one in found
    ]
    assert [words for words, _ in said] == ["honest 64", "honest 1024"]
    assert said[0][1] != said[1][1]
    again = measured(context, None, command=(*command, "64"))
    assert row(again.payload["adapter"], again.config) == said[0][1]


def test_an_option_is_recorded_and_is_the_label_of_its_row(context: Any) -> None:
    reference = BUILT_IN + "lexical.sqlite_fts5:SqliteFts5"
    plain, stop = measured(context, reference), measured(context, reference, options={"stopwords": True})
    assert (plain.config["options"], stop.config["options"]) == ({}, {"stopwords": True})
    assert label(stop.payload["adapter"], stop.config) == "stopwords"
    assert row(plain.payload["adapter"], plain.config) != row(stop.payload["adapter"], stop.config)


def test_other_weights_replace_a_row_and_do_not_add_one() -> None:
    adapter = {"name": "x", "version": "1"}
    config = {
        "options": {},
        "assets": [{"name": "w", "sha256": "a" * 64, "size": 1}],
        "subjectSha256": "a" * 64,
    }
    assert row(adapter, config) == row(adapter, {**config, "assets": [], "subjectSha256": None})


def test_relative_scores_are_confidences() -> None:
    """By hand: divided by 4; a score below 0 is clipped; nothing above 0 is no confidence at all."""
    assert relative([4.0, 1.0, -2.0]) == [1.0, 0.25, 0.0]
    assert relative([-1.0, -3.0]) == [0.0, 0.0]
    assert relative([]) == []
