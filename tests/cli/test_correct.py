"""`benchsite rescore --fixture` and `--methodology VERSION`: what is printed, and options that do not fit."""

from __future__ import annotations

import json
from pathlib import Path

from commands import Run

DATASET = "three-notebooks-v1"


def test_a_correction_lists_what_moved_and_leaves_a_draft(benchsite: Run, new: Path) -> None:
    assert benchsite("run", "retrieval", "--adapter", "recency", "--fixture", DATASET, cwd=new).code == 0
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    document = json.loads((new / f"fixtures/{DATASET}/fixture.json").read_bytes())
    dropped = next(query for query in document["queries"] if query["answerable"])
    document |= {"id": "corrected", "queries": [one for one in document["queries"] if one != dropped]}
    (new / "fixtures/corrected").mkdir()
    (new / "fixtures/corrected/fixture.json").write_text(json.dumps(document))
    told = benchsite("rescore", str(draft), "--fixture", "corrected", "--draft", cwd=new)
    assert told.code == 0, told.err
    assert "1 item moved, 1 with other labels" in told.out
    assert f"{dropped['id']}  query dropped" in told.out
    found = json.loads(benchsite("rescore", str(draft), "--fixture", "corrected", "--json", cwd=new).out)
    (one,) = found["corrections"]
    assert (one["receiptId"], one["draft"]) == (draft.stem, None)
    assert [moved["item"] for moved in one["moved"]] == [dropped["id"]]
    (made,) = {*(new / ".benchsite/drafts").glob("*.json")} - {draft}
    assert json.loads(made.read_bytes())["derivedFrom"] == draft.stem


def test_options_that_do_not_fit_are_refused(benchsite: Run, new: Path) -> None:
    for options, said in (
        (("--draft",), "--draft and --supersede need a correction"),
        (("--methodology", "newest"), "--methodology 'newest' is neither a folder nor a version"),
        (("--methodology", "1.0.0", "--methodology", "1.1.0"), "--methodology names 2 versions"),
        (("--fixture", "nope"), "no receipt named 'x'"),
    ):
        refused = benchsite("rescore", "x", *options, cwd=new)
        assert (refused.code, said in refused.err) == (2, True), refused.err
