from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from examples import some

from benchsite.errors import InputError
from benchsite.isolation import sandbox
from benchsite.track import Grant
from benchsite.tracks.retrieval.conformance.run import Clause, examine
from benchsite.tracks.retrieval.run.programs import spec_of

BUILT_IN = {
    "bm25": "benchsite.tracks.retrieval.adapters.lexical.bm25:Bm25",
    "random": "benchsite.tracks.retrieval.adapters.baselines.random_order:RandomOrder",
    "recency": "benchsite.tracks.retrieval.adapters.baselines.recency:Recency",
    "sqlite-fts5": "benchsite.tracks.retrieval.adapters.lexical.sqlite_fts5:SqliteFts5",
}

# Who breaks a rule, the clauses that say so, and words of the sentence an author reads.
BREAKERS = [
    ("AnswersFromNothing", ["empty index"], "nothing was ingested"),
    ("Invents", ["known ids", "reset"], "'made-up': not ingested"),
    ("Silent", ["known ids"], "all 20 results are empty"),
    ("Bare", ["known ids", "reset", "unknown methods"], "hit 0 is not [id, score, content]"),
    ("Repeats", ["no duplicates"], "is returned twice"),
    ("Ignores", ["at most k"], "k = 1, "),
    ("TwiceAsSure", ["scores"], "not a number in [0, 1]"),
    ("UpsideDown", ["order"], "not in descending order"),
    ("Moody", ["repeatable"], "gave different rankings"),
    ("Replaces", ["ingest adds"], "no item of the first ingest call"),
    ("KeepsFirst", ["ingest adds"], "no item of the second ingest call"),
    ("RemembersScopes", ["reset"], "of the previous scope"),
    ("RemembersStatistics", ["reset"], "state of an earlier scope changes the ranking"),
    ("FearsEmoji", ["unusual queries"], "a query in emoji: adapter error: UnicodeEncodeError"),
    ("DiesOfLength", ["unusual queries"], "a query of 1,000 words: the adapter ended (exit code 9)"),
]


@pytest.fixture
def held(context: Any, hostile: Callable[[str], Path]) -> Callable[..., dict[str, Clause]]:
    def hold(subject: str, reference: str | None = None, **options: Any) -> dict[str, Clause]:
        clauses = list(
            examine(spec_of(subject, reference), context, timeout_s=options.get("timeout_s", 20.0))
        )
        assert len({clause.name for clause in clauses}) == len(clauses)
        return {clause.name: clause for clause in clauses}

    return hold


def broken(clauses: dict[str, Clause]) -> list[str]:
    return [name for name, clause in clauses.items() if clause.state == "fail"]


@pytest.mark.parametrize("name", BUILT_IN)
def test_our_own_adapters_keep_the_contract(held: Callable[..., dict[str, Clause]], name: str) -> None:
    clauses = held(name, BUILT_IN[name])
    assert broken(clauses) == []
    assert next(iter(clauses)) == "start"
    states = {clause.state for name, clause in clauses.items() if name != "finds"}
    assert states <= {"pass", "not checked"}
    # Orders that do not depend on the query are at the level of chance: 10 of 26 items, 0.4 of them at rank 1.
    assert clauses["finds"].state == ("pass" if name in ("bm25", "sqlite-fts5") else "warning")
    found = re.match(r"(\d+) of 10 facts .* of 26 items; random has (\d+)$", clauses["finds"].detail)
    assert found is not None
    assert int(found[2]) < 3
    assert name != "random" or found[1] == found[2], "the baseline beside it is the adapter itself"


def test_the_adapter_the_breakers_are_made_from_keeps_it(held: Callable[..., dict[str, Clause]]) -> None:
    assert broken(held("kept", "breaks:Kept")) == []


@pytest.mark.parametrize(("name", "names", "words"), BREAKERS, ids=[name for name, _, _ in BREAKERS])
def test_each_rule_that_is_broken_is_named(
    held: Callable[..., dict[str, Clause]], name: str, names: list[str], words: str
) -> None:
    clauses = held("x", f"breaks:{name}")
    assert broken(clauses) == names
    clause = clauses[names[0]]
    assert words in clause.detail
    assert clause.hint


def test_a_system_that_finds_only_whole_sentences_is_warned_and_does_not_fail(
    held: Callable[..., dict[str, Clause]],
) -> None:
    clauses = held("x", "breaks:WholeSentences")
    assert broken(clauses) == []
    assert clauses["finds"].state == "warning"
    assert clauses["finds"].detail.startswith("0 of 10 facts asked in other words are at rank 1 of 26 items")
    assert "fallback of the default installation" in clauses["finds"].hint


def test_an_error_that_names_no_network_gets_no_hint_about_one(
    held: Callable[..., dict[str, Clause]],
) -> None:
    clause = held("x", "breaks:RefusesOperators")["unusual queries"]
    assert clause.state == "fail"
    assert "unexpected token RParen" in clause.detail
    assert "network" not in clause.hint


def test_an_error_for_an_empty_question_is_an_answer(held: Callable[..., dict[str, Clause]]) -> None:
    """Fixtures refuse blank questions, so a harness never asks one."""
    odd = held("x", "breaks:FearsNothingAsked")["unusual queries"]
    assert odd.state == "pass"
    assert "2 of the 2 empty ones refused" in odd.detail


@pytest.mark.stories
def test_a_hang_ends_after_two_deadlines_and_the_rest_is_skipped(
    held: Callable[..., dict[str, Clause]],
) -> None:
    clauses = held("x", "breaks:Sleeps", timeout_s=4)
    assert broken(clauses) == ["empty index", "known ids"]
    assert clauses["known ids"].detail == "query: no response within 4 s"
    assert clauses["reset"].state == "not checked"
    assert "calls timed out" in clauses["reset"].detail


@pytest.mark.stories
def test_a_start_that_hangs_or_fails_is_one_clause_and_no_exception(
    held: Callable[..., dict[str, Clause]],
) -> None:
    for reference, words in (
        ("hangs:HangsOnStart", "no response within 4 s"),
        ("wants:BadName", "name is not"),
        ("no_such_module:X", "ModuleNotFoundError"),
    ):
        clauses = held("x", reference, timeout_s=4)
        assert broken(clauses) == ["start"]
        assert words in clauses["start"].detail
        assert {clause.state for name, clause in clauses.items() if name != "start"} == {"not checked"}
    assert broken(held("command:no-such-program-anywhere")) == ["start"]


@pytest.mark.skipif(not sandbox.network_cut(), reason="unshare -n is not permitted here")
def test_the_network_is_cut_and_the_author_is_told(
    held: Callable[..., dict[str, Clause]], context: Any
) -> None:
    assert held("x", "breaks:Kept")["network"].state == "pass"
    clauses = held("x", "breaks:CallsHome")
    assert "empty index" in broken(clauses)
    assert "declare network" in clauses["empty index"].hint
    assert clauses["network"].detail == "not checked: a failed clause may have needed the network"
    context.grants = lambda _subject: Grant(network=True)
    granted = held("x", "breaks:DeclaresNetwork")["network"]
    assert (granted.state, "network access was granted" in granted.detail) == ("not checked", True)


def test_where_the_network_cannot_be_cut_that_is_said(
    held: Callable[..., dict[str, Clause]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "level", lambda: "open")
    clause = held("x", "breaks:Kept")["network"]
    assert clause.state == "not checked"
    assert "cannot block the network" in clause.detail


@pytest.mark.parametrize(
    "habit",
    some(
        [
            "garbage",
            "array",
            "version",
            "id",
            "neither",
            "twice",
            "hits",
            pytest.param("closes", marks=pytest.mark.stories),
        ],
        gate=3,
    ),
)
def test_programs_that_break_the_protocol(
    held: Callable[..., dict[str, Clause]], hostile: Callable[[str], Path], habit: str
) -> None:
    waited = 4.0 if habit == "closes" else 5.0  # a silent program is waited for twice, to the end
    clauses = held(f"command:{sys.executable} {hostile('program.py')} {habit}", timeout_s=waited)
    assert clauses["start"].state == "pass"
    assert "empty index" in broken(clauses)
    assert clauses["scores"].state == "not checked"


def test_what_is_asked_is_the_same_each_time(context: Any, hostile: Callable[[str], Path]) -> None:
    record = Path(context.temp_dir) / "record.jsonl"
    asked = []
    for _ in range(2):
        list(examine(spec_of("x", "answers:Records"), context))
        asked.append(record.read_bytes())
        record.unlink()
    assert asked[0] == asked[1]
    assert len(asked[0].splitlines()) > 60


def test_a_command_whose_quotes_do_not_close() -> None:
    with pytest.raises(InputError, match="No closing quotation"):
        spec_of('command:./adapter "x', None)
    assert spec_of("command:./a 'b c'", None).command == ("./a", "b c")
    assert spec_of("bm25", "m:C", {"depth": 3}).options == {"depth": 3}


def test_nondeterminism_is_a_note_and_no_leak(held: Callable[..., dict[str, Clause]]) -> None:
    """Four processes have the same order of ten items once in 10! cubed runs."""
    clauses = held("x", "breaks:Nondeterministic")
    assert broken(clauses) == []
    words = r"nondeterministic: (\d+) of 20 rankings differ between fresh processes"
    found = re.search(words, clauses["reset"].detail)
    assert found is not None
    assert 1 <= int(found[1]) <= 20


def test_what_is_not_granted_is_not_tested_and_no_breach(
    held: Callable[..., dict[str, Clause]], context: Any
) -> None:
    clauses = held("mine", "breaks:AsksForMuch")
    assert {clause.state for clause in clauses.values()} == {"not checked"}
    start = clauses["start"]
    assert start.detail == "not checked: needs a grant for network access and SERVICE_KEY and SERVICE_URL"
    assert "--allow-network --allow-env SERVICE_KEY --allow-env SERVICE_URL" in start.hint
    context.grants = lambda _subject: Grant(network=True, environment=("SERVICE_KEY", "SERVICE_URL"))
    assert held("mine", "breaks:AsksForMuch")["start"].state == "pass"


@pytest.mark.stories
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_documented_adapter_in_javascript_keeps_the_contract(
    held: Callable[..., dict[str, Clause]], tmp_path: Path
) -> None:
    page = Path(__file__).parents[4] / "content/docs/write-an-adapter.md"
    (source,) = re.findall(r"^```js\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    program = tmp_path / "adapter.js"
    program.write_text(source, "utf-8")
    clauses = held(f"command:node {program}")
    assert broken(clauses) == []
    assert clauses["finds"].state == "pass"
