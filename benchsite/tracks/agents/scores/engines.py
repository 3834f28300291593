"""The scoring engines of the track, and what a methodology document hands to each.

`agents/1` computes the task descriptor and the means over tasks of specs/agents.md. The values of k, the seed's levels
and the share of tasks from which "doing nothing" is noted are a document's to choose. The constants of the arithmetic
are in the document too, and another value of one would need another engine.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from benchsite.methodology import Methodology
from benchsite.schema import Form, Schema
from benchsite.tracks.agents.record.sentences import said

__all__ = ["ENGINES", "Parameters", "parameters"]

_Ks = Annotated[
    tuple[Annotated[int, Field(ge=2, le=1_000)], ...],
    Field(strict=False, min_length=1, max_length=10),
]


class Parameters(Form):
    """What `agents/1` goes by.

    Attributes:
        ks: of pass@k and pass^k, ascending; at 1 both are the success rate.
        level: below which two systems differ.
        passive_share: from this share of tasks on which doing nothing succeeds, a leaderboard says so.
    """

    ks: _Ks
    z: Annotated[float, Field(ge=1.959963984540054, le=1.959963984540054)]
    confidence: Annotated[float, Field(ge=0.95, le=0.95)]
    bootstrap_replicates: Literal[10000]
    bootstrap_low_rank: Literal[250]
    bootstrap_high_rank: Literal[9750]
    fixed_point_bits: Literal[40]
    flips: Literal[10000]
    level: Annotated[float, Field(gt=0, lt=1)]
    passive_share: Annotated[float, Field(ge=0, le=1)]

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if list(self.ks) != sorted(set(self.ks)):
            raise ValueError(said("ks-unordered"))
        return self


ENGINES: Final[dict[str, type[Schema]]] = {"agents/1": Parameters}


def parameters(methodology: Methodology) -> Parameters:
    """The parameters of a document of engine `agents/1`."""
    return Parameters.model_validate(methodology.data.parameters)
