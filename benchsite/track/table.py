"""The parts of a track that write its evidence for other programs: as rows, its module `items`, and for Every Eval Ever, `eee`.

Owns the kinds of a column in data files, and the columns that follow from the models of receipts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

from pydantic import BaseModel

from benchsite.receipt import Document

__all__ = ["DataColumn", "EvalModel", "EveryEvalEver", "Items", "Kind", "columns_of"]

Kind: TypeAlias = Literal["text", "integer", "number", "boolean", "list", "any"]
"""`list` is a list of texts; `any` is what a track doesn't declare."""


class DataColumn(NamedTuple):
    """One column of a data file.

    Attributes:
        required: whether every row has a value; else it may be null.
    """

    name: str
    kind: Kind
    description: str
    required: bool = False


class Items(Protocol):
    """The part of a track that gives a receipt's evidence row by row.

    Attributes:
        COLUMNS: the columns that only this track has; `item`, `run`, `category`, `metric` and `value` belong to every track.
    """

    COLUMNS: Sequence[DataColumn]

    def rows(self, document: Document, metric: str) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each query, run of a task or rating, with those columns that it has a value for.

        Args:
            document: the receipt's body.
            metric: the headline metric of its leaderboard.
        """


_KINDS: Final[Mapping[str, Kind]] = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}


def columns_of(model: type[BaseModel], names: Sequence[str]) -> tuple[DataColumn, ...]:
    """Return columns that have a model's fields as their values, described as the model describes them.

    Args:
        model: the fields' model; of a field that holds a list, an entry is the value of a row.
        names: the fields as JSON names them.
    """
    properties = model.model_json_schema(by_alias=True)["properties"]
    return tuple(DataColumn(name, _kind(properties[name]), properties[name]["description"]) for name in names)


def _kind(node: Mapping[str, Any]) -> Kind:
    """Return the kind of the values that are not null."""
    (choice,) = (one for one in node.get("anyOf", (node,)) if one.get("type") != "null")
    return _kind(choice["items"]) if choice["type"] == "array" else _KINDS[choice["type"]]


class EvalModel(NamedTuple):
    """What a receipt measured, as Every Eval Ever names a model.

    Attributes:
        name: of the model, or of the system if it isn't one model.
        developer: who made it; empty if the receipt doesn't say.
        details: further facts as text; `deployment_type` and `model_availability` are `unknown` unless given.
    """

    name: str
    developer: str = ""
    details: Mapping[str, str] = {}


class EveryEvalEver(Protocol):
    """The part of a track that gives receipts in the format of Every Eval Ever, its module `eee`.

    Attributes:
        SCALE: the lowest and highest value of the headline metric.
    """

    SCALE: tuple[float, float]

    def model(self, document: Document) -> EvalModel:
        """Return what was measured."""

    def samples(self, document: Document, texts: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
        """Yield the track's members of a record for each scored item; none if an item isn't right or wrong.

        Args:
            document: the receipt's body.
            texts: text of an item by its id, if the record may show it.
        """
