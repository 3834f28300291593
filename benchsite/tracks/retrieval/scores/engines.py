"""The scoring engines of the track, and what a methodology document hands to each.

`retrieval/1` computes specs/retrieval.md, "Metrics" and "Boards". The cut-offs, the one that leaderboards rank by, the
number of flips of the paired test and its level are a document's to choose. The constants of the arithmetic are in
the document too, and another value of it would need another engine. The seed's document is of no engine: its receipts did not
record what was expected, so that nothing is recomputed under it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from benchsite.methodology import Methodology
from benchsite.schema import Form, Schema
from benchsite.stats import MAX_RANK
from benchsite.tracks.retrieval.record.payload import MAX_CUTS
from benchsite.tracks.retrieval.record.sentences import said

__all__ = ["ENGINES", "Parameters", "parameters"]

_Ks = Annotated[
    tuple[Annotated[int, Field(ge=1, le=MAX_RANK)], ...],
    Field(strict=False, min_length=1, max_length=MAX_CUTS),
]


class Parameters(Form):
    """What `retrieval/1` goes by.

    Attributes:
        ks: the cut-offs of a run that names none, ascending.
        headline_k: leaderboards rank by nDCG at this cut-off, one of `ks`.
        flips: of the paired randomization test.
        level: below which two rows differ.
    """

    ks: _Ks
    max_k: Literal[1000]
    max_cuts: Literal[20]
    headline_k: Annotated[int, Field(ge=1, le=MAX_RANK)]
    z: Annotated[float, Field(ge=1.959963984540054, le=1.959963984540054)]
    confidence: Annotated[float, Field(ge=0.95, le=0.95)]
    bootstrap_replicates: Literal[10000]
    bootstrap_low_rank: Literal[250]
    bootstrap_high_rank: Literal[9750]
    fixed_point_bits: Literal[40]
    flips: Annotated[int, Field(ge=100, le=100_000)]
    level: Annotated[float, Field(gt=0, lt=1)]
    discounts_sha256: Literal["83d701acf9ea6e6bb9eca1ae48b0be24ba714ac6bfe5230a3959254d92a4d304"]

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if list(self.ks) != sorted(set(self.ks)):
            raise ValueError(said("ks-unordered"))
        if self.headline_k not in self.ks:
            raise ValueError(said("headline-missing"))
        return self


ENGINES: Final[dict[str, type[Schema]]] = {"retrieval/1": Parameters}


@lru_cache(maxsize=64)
def parameters(methodology: Methodology) -> Parameters:
    """The parameters of a document of engine `retrieval/1`, read once, not once a receipt."""
    return Parameters.model_validate(methodology.data.parameters)
