from __future__ import annotations

from typing import Any

import pytest
import rubric_sheets
import yaml
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from benchsite.tracks.rubric import join
from benchsite.tracks.rubric.normalization import normalized
from benchsite.tracks.rubric.sheet import Sheet
from benchsite.unseen import is_blank

RULES = rubric_sheets.rules("1.3.0")

# Every character a note may hold: no control but line feed and tab, no surrogate.
chars = st.characters(exclude_categories=("Cc", "Cs"))
prose = st.text(
    chars | st.sampled_from("\n\t\u2028\u2029\ufeff\u202e\u00a0 #:-?\"'\\{}[]&*!|>%@`~"), max_size=30
)


def seen(text: str) -> bool:
    """What a name, an outcome's note or a statement must be: something a reader sees."""
    return not is_blank(text)


said = prose.filter(seen)
line = st.text(chars, min_size=1, max_size=30).filter(seen)
score = st.integers(1, 5)
source = st.fixed_dictionaries({"excerpt": said}, optional={"file": line}) | st.fixed_dictionaries(
    {"file": line}
)
sources = st.lists(source, max_size=2)
rating = st.fixed_dictionaries({"score": score, "note": prose, "evidence": sources})
criteria = st.fixed_dictionaries(
    {name: st.fixed_dictionaries({"score": score, "note": prose}) for name in rubric_sheets.CRITERIA}
)
scenario = st.fixed_dictionaries({"criteria": criteria, "evidence": sources}) | st.fixed_dictionaries(
    {
        "averagedFrom": st.lists(
            st.fixed_dictionaries({"question": said, "criteria": criteria}),
            min_size=2,
            max_size=3,
            unique_by=lambda asked: normalized(asked["question"]),
        ),
        "evidence": sources,
    }
)
outcome = st.fixed_dictionaries(
    {"outcome": st.sampled_from(["pass", "partial", "fail"]), "note": said, "evidence": sources}
)
sheets = st.fixed_dictionaries(
    {
        "methodology": st.just("1.3.0"),
        "template": st.just("customer-service"),
        "agent": st.fixed_dictionaries({"name": line, "version": line, "vendor": line}),
        "evaluator": st.fixed_dictionaries(
            {
                "name": line,
                "kind": st.just("human"),
                "model": st.none(),
                "pass": st.integers(1, 200),
                "conflictOfInterest": said,
                "consentToPublish": st.just(value=True),
            }
        ),
        "session": st.fixed_dictionaries({"n": st.integers(1, 200), "date": st.just("2026-11-20")}),
        "disclosures": st.fixed_dictionaries(
            {
                "repeatabilityTested": st.booleans(),
                "multiStep": st.sampled_from(["single-message", "multi-turn"]),
            }
        ),
        "requiredTests": st.fixed_dictionaries(
            {name: outcome for name in ("standardisedTask", "hallucination", "invalidInput")}  # noqa: C420
        ),
        "universal": st.fixed_dictionaries({f"U{n}": rating for n in range(1, 7)}),
        "domain": st.fixed_dictionaries({f"D{n}": scenario for n in range(1, 6)}),
    }
)


class Plain(yaml.SafeDumper):
    """PyYAML's writer, an implementation of its own, without the anchors that no sheet may have."""

    def ignore_aliases(self, data: object) -> bool:
        return True


@settings(max_examples=examples(40, full=1_000))
@given(sheets)
@pytest.mark.stories
def test_what_is_written_is_read_back(made: dict[str, Any]) -> None:
    written = yaml.dump(made, Dumper=Plain, allow_unicode=True).encode()
    assert join.parse(written, where="a.yaml", methodology=RULES) == Sheet.model_validate(made)
