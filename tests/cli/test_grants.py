"""Options that grant a measured program something are those that its track can give."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize("option", [("--allow-network",), ("--allow-env", "SECRET")])
def test_a_grant_that_nothing_reads_is_a_usage_error(benchsite: Any, option: tuple[str, ...]) -> None:
    """Evaluators rate agents on the rubric track: no program is started that could have it."""
    ran = benchsite("run", "rubric", "sheet.yaml", *option)
    assert ran.code == 2
    assert f"no such option '{option[0]}'" in ran.err


def test_the_help_says_that_the_network_is_every_host(benchsite: Any) -> None:
    ran = benchsite("run", "retrieval", "--help")
    assert "to any host, to adapters that ask for it" in " ".join(ran.out.split())
