from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.addresses import (
    board_path,
    difference_path,
    evaluate_path,
    evidence_page_path,
    is_slug,
    methodology_path,
    receipt_page_path,
)

ID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"


def test_permanent_addresses():
    assert receipt_page_path(ID) == f"receipts/3f/{ID}/"
    assert methodology_path("retrieval", "1.0.0") == "methodology/retrieval/1.0.0/"
    assert difference_path("rubric", "1.2.0", "1.3.0") == "methodology/rubric/1.2.0/to/1.3.0/"
    assert evaluate_path("data-analysis", "1.3.0") == "rubric/data-analysis/evaluate/1.3.0/"
    assert evidence_page_path("ab" * 32) == f"results/evidence/ab/{'ab' * 32}.txt"
    assert board_path("retrieval", "locomo-10-turn") == "retrieval/locomo-10-turn/"
    assert board_path("retrieval", "locomo-10-turn", "1.0.0") == "retrieval/locomo-10-turn/1.0.0/"


MAKERS: list[Callable[[str], str]] = [
    receipt_page_path,
    evidence_page_path,
    lambda text: board_path("retrieval", text),
    lambda text: board_path(text, "fixture"),
    lambda text: methodology_path("retrieval", text),
    lambda text: difference_path("retrieval", "1.0.0", text),
    lambda text: evaluate_path(text, "1.0.0"),
    lambda text: evaluate_path("research", text),
]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("text", ["", "..", "../../keys", "a/b", "a\n", "A", "a b", "<b>", "a" * 81, "é"])
def test_whatever_is_no_identifier_is_refused(make: Callable[[str], str], text: str):
    with pytest.raises(ValueError, match="cannot be part"):
        make(text)


@given(st.text(max_size=90))
def test_a_path_is_made_exactly_where_the_text_is_a_slug(text: str):
    if is_slug(text):
        assert re.fullmatch(r"retrieval/[a-z0-9-]+/", board_path("retrieval", text))
    else:
        with pytest.raises(ValueError, match="path"):
            board_path("retrieval", text)
