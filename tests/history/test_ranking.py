from __future__ import annotations

from benchsite.history.ranking import IMPORTED, standing


def test_a_track_that_reads_published_results_ranks_them_among_themselves() -> None:
    assert standing((IMPORTED,), imports=True) == (
        "will be ranked among imported results only: measured elsewhere, scored here",
    )
    assert standing((IMPORTED,), imports=False) == (f"will not be ranked: {IMPORTED}",)


def test_any_other_reason_keeps_a_draft_unranked() -> None:
    dirty = "dirty tree: the code had uncommitted changes"
    assert standing((dirty, IMPORTED), imports=True) == (
        f"will not be ranked: {dirty}",
        f"will not be ranked: {IMPORTED}",
    )
    assert standing((), imports=True) == ()
