"""Numbers as texts write them: `0.534`, `53.4%`, `1,234`, `5.34e-1`, a CI in brackets, and `93/123`.

Numbers that belong to a name (`nDCG@10`, `v1.0.0`, `p95`) and a sample size (`n = 123`) are not read as results.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final, NamedTuple

__all__ = ["Number", "numbers"]

_SEPARATOR: Final = "[,' \u00a0\u2009\u202f\u2019]"
_FIGURE: Final = (
    rf"[+\-−]?(?:\d{{1,3}}(?:{_SEPARATOR}\d{{3}})+(?!\d)(?:\.\d+)?|\d{{1,15}}(?:\.\d{{1,15}})?|\.\d{{1,15}})"
)
_READ: Final = re.compile(
    rf"\[\s*(?P<low>{_FIGURE})\s*%?\s*[,;–]\s*(?P<high>{_FIGURE})\s*%?\s*\]"
    r"|(?<![\w./])(?P<num>\d{1,15})\s*/\s*(?P<den>\d{1,15})(?![\w./])"
    rf"|\b[nNpP]\s*[=<>≤≥]\s*{_FIGURE}"
    rf"|\b95\s*%\s*CI\b"
    rf"|(?<![\w@.\-/])(?P<value>{_FIGURE}(?:[eE][+\-−]?\d{{1,3}})?)(?P<percent>\s?%)?(?![\w@]|[.\-]\d)"
)


class Number(NamedTuple):
    """A number in a text.

    Attributes:
        text: as written.
        kind: `value`, `low` and `high` of a CI, or `count` for a numerator with its denominator.
        value: without separators.
        percent: whether a percent sign follows.
        denominator: of a count, otherwise None.
    """

    text: str
    kind: str
    value: Decimal
    percent: bool = False
    denominator: int | None = None

    def equals(self, score: float, *, full: float = 1.0) -> bool:
        """Whether a score rounds to the number at its own decimals; halves may be rounded either way.

        Args:
            score: as the receipt has it.
            full: what 100% is, for a number with a percent sign.
        """
        exact = Decimal(repr(float(score)))
        if self.percent:
            exact = exact * 100 / Decimal(repr(full))
        exponent = self.value.as_tuple().exponent
        decimals = -exponent if isinstance(exponent, int) else 0
        if not self.percent and decimals == 0 and full <= 1 and -1 <= exact <= 1:
            return exact == self.value  # `1` isn't a rounded 0.6
        return abs(exact - self.value) <= Decimal(1).scaleb(-decimals) / 2


def numbers(text: str) -> Iterator[Number]:
    """Yield the results that a text states, in order."""
    for found in _READ.finditer(text):
        if found["low"] is not None:
            for side in ("low", "high"):
                yield Number(found[side], side, _value(found[side]))
        elif found["num"] is not None:
            yield Number(found[0], "count", Decimal(found["num"]), denominator=int(found["den"]))
        elif found["value"] is not None:
            yield Number(found[0].strip(), "value", _value(found["value"]), found["percent"] is not None)


def _value(text: str) -> Decimal:
    return Decimal(re.sub(_SEPARATOR, "", text).replace("−", "-"))
