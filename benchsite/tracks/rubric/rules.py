"""Each published version's rules, until verification is given the document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from benchsite.tracks.rubric.engines import Rules, SingleRules

_PLAIN: Final = {
    "universalWeight": "2/5",
    "domainWeight": "3/5",
    "lowest": 1,
    "highest": 5,
    "requiredTests": True,
    "disclosures": True,
    "averaging": True,
    "penalty": 0,
    "sessions": 1,
    "sheets": 1,
    "evidence": False,
    "intervals": False,
    "repeatabilityShown": False,
}
_FIRST: Final = {"requiredTests": False, "disclosures": False, "averaging": False}
_SECOND: Final = {"sessions": 3, "sheets": 2, "evidence": True, "intervals": True, "repeatabilityShown": True}
RULES: Final[Mapping[str, Rules]] = {
    "1.0.0": SingleRules.model_validate({**_PLAIN, **_FIRST}),
    "1.1.0": SingleRules.model_validate(_PLAIN),
    "1.2.0": SingleRules.model_validate(_PLAIN),
    "1.3.0": SingleRules.model_validate({**_PLAIN, "penalty": 10, "repeatabilityShown": True}),
    "2.0.0": Rules.model_validate({**_PLAIN, **_SECOND}),
}


def parameters(version: str) -> Mapping[str, Any] | None:
    """What `parameters` of a version's document must say; None where this release cannot compute the version."""
    rules = RULES.get(version)
    return None if rules is None else rules.model_dump(by_alias=True)
