"""A pinned price table: US dollars a completion costs, and what an experiment will cost.

    {"date": "2026-11-01", "source": "https://example.com/prices",
     "models": {"gpt-4o-mini": {"input": 0.15, "cachedInput": 0.075, "output": 0.6}}}

Prices are in US dollars per million tokens. Cached input tokens are part of the input; without a price of their own they
cost as much. A model without a price, and a completion without token counts, cost None, never 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints, ValidationError

from benchsite import canonical
from benchsite.canonical import Json, JsonError
from benchsite.errors import InputError
from benchsite.schema import Schema, Text, first_fault
from benchsite.tracks.agents.models import Completion, Message, Model, Usage, for_run
from benchsite.tracks.agents.tools import Tool

__all__ = ["Estimate", "Expected", "PriceTable", "Priced", "costs_by_purpose", "read_prices"]

MILLION: Final = 1_000_000
JUDGE: Final = "judge"
"""The role whose cost is the evaluation's, not the system's."""
_DATE: Final = r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
_Dollars = Annotated[float, Field(ge=0, le=1e6)]


class _Price(Schema):
    input: _Dollars
    cached_input: _Dollars | None = None
    output: _Dollars


class _Table(Schema):
    date: Annotated[str, StringConstraints(pattern=_DATE)]
    source: Text = ""
    models: Annotated[dict[Text, _Price], Field(min_length=1, max_length=10_000)]


@dataclass(frozen=True, slots=True)
class PriceTable:
    """The prices of a file.

    Attributes:
        sha256: of the file, for the receipt's `config.prices`.
        date: the day on which the prices applied.
    """

    sha256: str
    date: str
    models: Mapping[str, _Price]

    def cost(self, usage: Usage, *names: str) -> float | None:
        """Return the dollars of a completion by the first of these names that has a price; None if none has."""
        price = next((self.models[name] for name in names if name in self.models), None)
        if price is None or usage.tokens_in is None or usage.tokens_out is None:
            return None
        cached = usage.tokens_cached or 0
        cached_price = price.input if price.cached_input is None else price.cached_input
        parts = (
            (usage.tokens_in - cached) * price.input,
            cached * cached_price,
            usage.tokens_out * price.output,
        )
        return math.fsum(parts) / MILLION


def read_prices(path: Path) -> PriceTable:
    """Read a price table.

    Raises:
        InputError: it cannot be read or is malformed.
    """
    hint = "a price table has date and models; see the page 'Connect a model'"
    try:
        data = path.read_bytes()
        table = _Table.model_validate(canonical.loads(data))
    except OSError as error:
        raise InputError(
            f"prices {path}: {(error.strerror or 'cannot be read').lower()}", hint=hint
        ) from None
    except JsonError as error:
        raise InputError(f"prices {path}: {error.message}", hint=error.hint) from None
    except ValidationError as error:
        place, fault = first_fault(error)
        raise InputError(f"prices {path}: {place or 'file'}: {fault}", hint=hint) from None
    return PriceTable(canonical.sha256_hex(data), table.date, table.models)


class Priced:
    """A model whose completions state their cost, by the name that responded or the requested one."""

    def __init__(self, model: Model, table: PriceTable) -> None:
        self._model, self._table = model, table
        self.requested, self.simulated, self.sha256 = model.requested, model.simulated, model.sha256

    def for_run(self, run: str) -> Priced:
        """Return the model for one run."""
        return Priced(for_run(self._model, run), self._table)

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool], settings: Mapping[str, Json]
    ) -> Completion:
        """Ask for a completion; a cost that it has already, as a recorded one may, is kept."""
        found = self._model.complete(messages, tools, settings)
        if found.cost_usd is not None:
            return found
        return replace(found, cost_usd=self._table.cost(found.usage, found.responded, self.requested))


@dataclass(frozen=True, slots=True)
class Expected:
    """Tokens that a role of a system is expected to use in one run."""

    role: str
    model: str
    tokens_in: float
    tokens_out: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """What runs will cost in US dollars.

    Attributes:
        system: of all roles but the judge; None if one of their models has no price.
        judge: of the judge; 0 without one, None if its model has no price.
        unpriced: models without a price.
    """

    system: float | None
    judge: float | None
    unpriced: tuple[str, ...] = ()

    @property
    def total(self) -> float | None:
        """Both together; None if one is unknown."""
        return None if self.system is None or self.judge is None else self.system + self.judge

    @classmethod
    def of(cls, expected: Iterable[Expected], runs: int, table: PriceTable | None) -> Estimate:
        """Return the cost of so many runs."""
        costs: list[tuple[str, float | None]] = []
        unpriced: set[str] = set()
        for one in expected:
            price = table.models.get(one.model) if table is not None else None
            if price is None:
                unpriced.add(one.model)
                costs.append((one.role, None))
            else:
                dollars = one.tokens_in * price.input + one.tokens_out * price.output
                costs.append((one.role, runs * dollars / MILLION))
        found = costs_by_purpose(costs)
        return cls(found["system"], found["judge"], tuple(sorted(unpriced)))


def costs_by_purpose(
    costs: Iterable[tuple[str, float | None]],
) -> Mapping[Literal["system", "judge"], float | None]:
    """Return the sums of costs by role, the judge's apart; a sum with an unknown part is None."""
    every = list(costs)
    return {
        "system": _sum([cost for role, cost in every if role != JUDGE]),
        "judge": _sum([cost for role, cost in every if role == JUDGE]),
    }


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) if len(known) == len(costs) else None
