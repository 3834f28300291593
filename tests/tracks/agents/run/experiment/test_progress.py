"""The line that says how far an experiment is."""

from __future__ import annotations

import pytest

from benchsite.tracks.agents.run.experiment.progress import Tally


@pytest.mark.parametrize(
    ("runs", "seconds", "rate"),
    [(120, 60, "2.0 runs/s"), (60, 60, "1.0 runs/s"), (45, 9_000, "0.3 runs/min"), (3, 90, "2.0 runs/min")],
)
def test_rate_is_per_minute_below_one_run_per_second(runs: int, seconds: int, rate: str) -> None:
    now = [0]
    tally = Tally(total=runs, clock_ns=lambda: now[0])
    for _ in range(runs):
        tally.add({"columns": {}, "outcome": "success"})
    now[0] = seconds * 10**9
    assert tally.line("debate on table-ops") == f"debate on table-ops, {rate}"


def test_runs_recorded_earlier_have_no_part_in_the_rate() -> None:
    now = [0]
    tally = Tally(total=4, clock_ns=lambda: now[0])
    for is_kept in (True, True, True, False):
        tally.add({"columns": {"tokens": 10}, "outcome": "error"}, is_kept=is_kept)
    now[0] = 60 * 10**9
    assert tally.line("debate") == "debate, 1.0 runs/min, 40 tokens, 4 errors"
