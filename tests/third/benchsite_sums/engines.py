"""The scoring engine: what `sums/1` is given by a methodology document."""

from typing import Annotated

from pydantic import Field

from benchsite.methodology import Methodology
from benchsite.schema import Form


class Parameters(Form):
    """An answer counts as right within `tolerance` of the sum."""

    tolerance: Annotated[int, Field(ge=0, le=1000)]


ENGINES = {"sums/1": Parameters}


def tolerance(methodology: Methodology) -> int:
    """The parameter of a document."""
    return Parameters.model_validate(methodology.data.parameters).tolerance
