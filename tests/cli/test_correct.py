"""`benchsite rescore --fixture` and `--methodology VERSION`: what is printed, and options that do not fit."""

from __future__ import annotations

import json
import re
from pathlib import Path

from commands import Run

DATASET = "three-notebooks-v1"


def without_a_query(instance: Path) -> str:
    """Write dataset `corrected`, which lacks one query, and return the query's id."""
    document = json.loads((instance / f"fixtures/{DATASET}/fixture.json").read_bytes())
    dropped = next(query for query in document["queries"] if query["answerable"])
    document |= {"id": "corrected", "queries": [one for one in document["queries"] if one != dropped]}
    (instance / "fixtures/corrected").mkdir()
    (instance / "fixtures/corrected/fixture.json").write_text(json.dumps(document))
    return str(dropped["id"])


def test_a_correction_lists_what_moved_and_leaves_a_draft(benchsite: Run, new: Path) -> None:
    assert benchsite("run", "retrieval", "--adapter", "recency", "--fixture", DATASET, cwd=new).code == 0
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    dropped = without_a_query(new)
    told = benchsite("rescore", str(draft), "--fixture", "corrected", "--draft", cwd=new)
    assert told.code == 0, told.err
    assert "1 item moved, 1 with other labels" in told.out
    assert f"{dropped}  query dropped" in told.out
    found = json.loads(benchsite("rescore", str(draft), "--fixture", "corrected", "--json", cwd=new).out)
    (one,) = found["corrections"]
    assert (one["receiptId"], one["draft"]) == (draft.stem, None)
    assert [moved["item"] for moved in one["moved"]] == [dropped]
    (made,) = {*(new / ".benchsite/drafts").glob("*.json")} - {draft}
    assert json.loads(made.read_bytes())["derivedFrom"] == draft.stem


def test_the_table_of_many_receipts_counts_those_that_moved(benchsite: Run, new: Path) -> None:
    for adapter in ("random", "recency", "bm25", "recency"):
        assert benchsite("run", "retrieval", "--adapter", adapter, "--fixture", DATASET, cwd=new).code == 0
    dropped = without_a_query(new)
    drafts = [str(path) for path in (new / ".benchsite/drafts").glob("*.json")]
    told = benchsite("rescore", *drafts, "--fixture", "corrected", cwd=new)
    assert told.code == 0, told.err
    # Of the four, bm25 finds the most for this query.
    assert re.search(rf"{dropped} +query dropped +4 of 4 +[.0-9]+ -> – \(bm25 on {DATASET}\)", told.out), (
        told.out
    )
    assert max(map(len, told.out.splitlines())) < 120


def test_receipts_that_a_correction_does_not_fit_are_counted_by_reason(benchsite: Run, begun: Path) -> None:
    """A record has hundreds of receipts, and few reasons."""
    for adapter in ("random", "recency"):
        assert benchsite("run", "retrieval", "--adapter", adapter, "--fixture", DATASET, cwd=begun).code == 0
    kept = begun.parent / "kept"
    keys = {f"BENCHSITE_{name.upper()}_KEY_FILE": str(kept / f"{name}.pem") for name in ("receipt", "log")}
    assert benchsite("publish", "--yes", cwd=begun, **keys).code == 0
    told = benchsite("rescore", "--all", "--fixture", "lifeboat-logbook-v1", cwd=begun)
    assert told.code == 0, told.err
    # 272 items of the one dataset and 225 of the other; none is in both.
    (skipped,) = [line for line in told.out.splitlines() if " skipped: " in line]
    assert f"2 receipts skipped: 497 items of lifeboat-logbook-v1 differ from {DATASET}" in skipped


def test_options_that_do_not_fit_are_refused(benchsite: Run, new: Path) -> None:
    for options, said in (
        (("--draft",), "--draft and --supersede need a correction"),
        (("--methodology", "newest"), "--methodology 'newest' is neither a folder nor a version"),
        (("--methodology", "1.0.0", "--methodology", "1.1.0"), "--methodology names 2 versions"),
        (("--fixture", "nope"), "no receipt named 'x'"),
    ):
        refused = benchsite("rescore", "x", *options, cwd=new)
        assert (refused.code, said in refused.err) == (2, True), refused.err
