"""The table of error texts, with texts of each kind as the published results have them."""

from __future__ import annotations

import pytest

from benchsite.tracks.agents.benchmarks.workbench.endings import ending


@pytest.mark.parametrize(
    ("text", "kind", "limit", "source"),
    [
        ("", "none", "", "none"),
        ("Agent stopped due to iteration limit or time limit.", "limit", "iterations", "harness"),
        ("Context window exceeded", "limit", "context", "harness"),
        ("Error code: 504 - {'generated_text': None}", "error", "", "provider"),
        ("Error code: 500 - {'type': 'error'}", "error", "", "provider"),
        ("Error code: 429 - rate", "error", "", "provider"),
        ("Error code: 401 - key", "error", "", "provider"),
        ("Error code: 400 - bad request", "failure", "", "agent"),
        ("Request timed out.", "error", "", "provider"),
        ("Connection error.", "error", "", "provider"),
        ("An output parsing error occurred. In order to pass this error back", "failure", "", "agent"),
        ("'str' object has no attribute 'items'", "failure", "", "agent"),
        ("'<' not supported between instances of 'str' and 'Timestamp'", "failure", "", "tool"),
        ("unhashable type: 'list'", "failure", "", "tool"),
        ("operands could not be broadcast together with shapes (200,) (3,) ", "failure", "", "tool"),
        ("day is out of range for month: 2023-11-31 00:00:00", "failure", "", "tool"),
    ],
)
def test_the_text_of_an_error_says_what_ended_the_run(text: str, kind: str, limit: str, source: str) -> None:
    found = ending(text)
    assert (found.kind, found.limit, found.source, found.text) == (kind, limit, source, text)


def test_a_text_is_kept_up_to_ten_thousand_characters() -> None:
    assert len(ending("x" * 20_000).text) == 10_000
